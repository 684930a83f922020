"""Benchmarks: a table that no reader knows is asked about, column by column, before anything of it is loaded."""

import hashlib
import json
import zipfile
from io import BytesIO

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from data.ingest import load
from data.mappings import remembered
from data.queries import benchmark_runs, uploads
from data.readers.mapped import ColumnMapping, Meaning
from data.store import Store
from tests.pages.visit import answers, both, checked, has_key, open_page, press, run_file, text_of, upload

ODD = b"rig;lat;latency p99 (ms);tput (tok/s)\na;1,5;3000;800\na;1,7;3100;900\n"
MAPPING = ColumnMapping({"lat": Meaning("e2e_ms_p50", "s"), "tput (tok/s)": Meaning("output_tok_per_s", "tokens/s")})


def form(content: bytes = ODD) -> str:
    return f"map_{hashlib.sha256(content).hexdigest()[:12]}"


def edit(app: AppTest, **rows: dict[str, str]) -> AppTest:
    """Change cells of the table of columns; `row1={"Unit": "s"}` is the second column of the file."""
    editor = app.data_editor(key=f"{form()}_columns")
    states = app._tree.get_widget_states()
    edited = {int(name.removeprefix("row")): cells for name, cells in rows.items()}
    state = json.dumps({"edited_rows": edited, "added_rows": [], "deleted_rows": []})
    states.widgets.append(WidgetState(id=editor.proto.id, string_value=state))
    return checked(app._run(states))


def dropped() -> AppTest:
    return upload(open_page("benchmarks"), "benchmark", ("odd.csv", ODD))


def can_read(app: AppTest) -> bool:
    return not next(button for button in app.button if button.key == f"{form()}_map").disabled


def test_guesses_are_shown_with_samples_and_what_is_open_is_asked(store: Store) -> None:
    app = dropped()
    table = app.data_editor(key=f"{form()}_columns").value
    assert table["Column"].tolist() == ["rig", "lat", "latency p99 (ms)", "tput (tok/s)"]
    assert table["Samples"].tolist() == ["a", "1,5 · 1,7", "3000 · 3100", "800 · 900"]
    assert table["Statistic"].fillna("").tolist() == ["", "", "p99", ""]
    assert table["Unit"].fillna("").tolist() == ["", "", "ms", "tokens/s"]
    assert "«lat»: Is it a mean, a median (p50), a p90, p95 or p99?" in text_of(app, f"{form()}_mapping")
    assert not can_read(app)
    assert "waiting" in text_of(app, "upload_report")
    assert "odd.csv" not in uploads(store)["file"].tolist()


def test_a_unit_is_demanded_and_never_assumed() -> None:
    app = edit(dropped(), row1={"Statistic": "p50"})
    assert "«lat»: Its unit is not stated. Say one of ns, µs, ms, s, min, h." in text_of(app, f"{form()}_mapping")
    assert not can_read(app)
    app = edit(app, row1={"Statistic": "p50", "Unit": "tokens/s"})
    assert "«tokens/s» is no unit of e2e_ms_p50" in text_of(app, f"{form()}_mapping")
    assert not can_read(app)


def test_rows_are_shown_in_canonical_units_before_they_load(store: Store) -> None:
    app = edit(dropped(), row1={"Statistic": "p50", "Unit": "s"})
    preview = app.get_by_key(f"{form()}_mapping").get("dataframe")[-1].value
    assert preview["e2e_ms_p50"].tolist() == [1500.0, 1700.0]
    assert preview["e2e_ms_p99"].tolist() == [3000.0, 3100.0]
    assert can_read(app)
    assert "odd.csv" not in uploads(store)["file"].tolist()


def test_read_and_answered_it_loads_and_is_remembered(store: Store) -> None:
    load(store, "known.csv", run_file({"platform": "rocm", "instance_type": "mine", "req_per_s": 1}), {})
    app = press(edit(dropped(), row1={"Statistic": "p50", "Unit": "s"}), f"{form()}_map")
    ask = f"ask_{hashlib.sha256(ODD).hexdigest()[:12]}"
    for need, value in answers("cuda").items():
        app.selectbox(key=f"{ask}_{need}").set_value(value)
    app.number_input(key=f"{ask}_concurrency").set_value(16)
    app = press(app.run(), f"{ask}_load")
    assert "loaded" in text_of(app, "upload_report")
    rows = benchmark_runs(store)
    rows = rows[rows["file"] == "odd.csv"]
    assert rows["e2e_ms_p50"].tolist() == [1500.0, 1700.0]
    assert rows["concurrency"].tolist() == [16, 16]
    (entry,) = remembered(store)
    assert entry.mapping.columns["lat"] == Meaning("e2e_ms_p50", "s")


def test_the_same_headers_need_no_second_answer_until_they_are_forgotten(store: Store) -> None:
    load(store, "first.csv", ODD, answers("cuda"), mapping=MAPPING)
    app = upload(open_page("benchmarks"), "benchmark", ("second.csv", ODD + b"a;1,9;3200;700\n"))
    assert not has_key(app, f"{form(ODD + b'a;1,9;3200;700')}_mapping")
    assert "were stated on" in text_of(app, "upload_report")
    assert "waiting] for what it does not say" in text_of(app, "upload_report")
    app = press(app, "forget_")
    assert remembered(store) == []
    app = upload(app, "benchmark", ("third.csv", ODD + b"a;2,9;3200;700\n"))
    assert "waiting] for what its columns mean" in text_of(app, "upload_report")


def test_good_rows_wait_for_an_answer_beside_a_refused_one_named_by_its_own_header(store: Store) -> None:
    content = ODD.replace(b"lat;", b"Lat;") + b"a;broken;3200;700\n"
    mapping = ColumnMapping({"Lat": Meaning("e2e_ms_p50", "s")})
    load(store, "first.csv", content + b"a;1;1;1\n", answers("cuda"), mapping=mapping)
    app = upload(open_page("benchmarks"), "benchmark", ("second.csv", content))
    assert "waiting] for what it does not say" in text_of(app, "upload_report")
    assert "Line 4, column Lat: «broken» is not a number" in text_of(app, "upload_report")


def test_an_archive_is_taken_file_by_file(store: Store) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", both())
        archive.writestr("b.csv", both({"output_tok_per_s": 2500}))
    app = upload(open_page("benchmarks"), "benchmark", ("runs.zip", packed.getvalue()))
    assert text_of(app, "upload_report").count(":green-badge[loaded]") == 2
    assert {"runs.zip/a.csv", "runs.zip/b.csv"} <= set(uploads(store)["file"])


def test_several_unknown_tables_in_one_file_are_refused_with_the_reason() -> None:
    app = upload(open_page("benchmarks"), "benchmark", ("two.csv", b"aa,bb\n1,2\n\ncc,dd\n3,4\n"))
    assert "No reader knows this table" in text_of(app, "upload_report")


def test_what_was_kept_of_a_file_goes_when_it_leaves_the_box() -> None:
    app = dropped()
    assert len(app.session_state["_upload_sketches"]) == 1
    app = upload(app, "benchmark")
    assert len(app.session_state["_upload_sketches"]) == len(app.session_state["_upload_parts"]) == 0
