"""Coverage: what operator reports say, and what of it reaches the decision."""

import json

import pytest

from analysis.words.numbers import percent
from data.queries import uploads
from data.store import Store
from tests.pages.visit import (
    expected,
    go_to,
    has_key,
    load_sweeps,
    open_page,
    press,
    scenario,
    table_with,
    text_of,
    upload,
)

HEADER = "operator,role,status,calls,time_us,backend,version,mode,model"
ROWS = (
    "aten.mm,used,native,100,6000,neuron,2.33,eager,made-up-8b",
    "aten.add.Tensor,used,native,50,1000,neuron,2.33,eager,made-up-8b",
    "aten.cumsum,used,fallback,10,2000,neuron,2.33,eager,made-up-8b",
    "aten.sort,used,unsupported,5,1000,neuron,2.33,eager,made-up-8b",
    "my_ext.rotary,used,unknown,64,900,neuron,2.33,eager,made-up-8b",
)


def report(*rows: str, header: str = HEADER) -> bytes:
    return ("\n".join([header, *(rows or ROWS)]) + "\n").encode()


def test_an_empty_store_says_that_coverage_is_unknown(bare_store: Store) -> None:
    app = open_page("coverage")
    assert "No report for Trainium, TorchNeuron yet: coverage is unknown." in text_of(app)
    assert list(app.metric) == []
    assert list(app.dataframe) == []


def test_the_demo_report_is_marked_and_shows_what_falls_back() -> None:
    app = open_page("coverage")
    assert has_key(app, "demo_banner")
    assert table_with(app, "reason")["operator"].tolist() == ["aten.multinomial", "aten.cumsum"]
    assert table_with(app, "demo")["demo"].tolist() == [True]


def test_a_report_is_loaded_shown_and_reaches_the_decision(store: Store) -> None:
    load_sweeps(store)
    app = open_page("coverage")
    assert "No report of made-up-8b for Trainium, TorchNeuron yet" in text_of(app)
    app = upload(app, "operators", ("ops.csv", report()))
    assert "rows read 5, loaded 5, refused 0" in text_of(app, "upload_report")
    metrics = {metric.label.split(",")[0]: (metric.value, metric.delta) for metric in app.metric}
    assert metrics == {
        "Native": ("2", "70 % of known time"),
        "Falls back": ("1", "20 % of known time"),
        "Fails": ("1", "10 % of known time"),
        "Unknown": ("1", f"{percent(900 / 10900)} of all time"),
    }
    assert table_with(app, "reason")["operator"].tolist() == ["aten.sort", "aten.cumsum"]
    assert app.number_input(key="workload_unsupported_ops").placeholder == "1 (derived)"
    filled, decision = expected(store, scenario())
    assert filled.scenario.workload.unsupported_ops == 1
    assert filled.scenario.workload.share_fallback == pytest.approx(0.2)
    page = go_to(app, "")
    assert f"that it works: {percent(decision.success_probability)}" in text_of(page)
    shares = f"70 % native of what is known, {percent(900 / 10900)} unknown"
    assert f"coverage: 5 operators, {shares} (ops.csv)" in text_of(page)


def test_a_report_that_says_no_time_is_counted_by_calls_and_one_without_either_by_neither(bare_store: Store) -> None:
    load_sweeps(bare_store)
    header = "operator,role,status,calls,backend,version,mode,model"
    rows = (
        "aten.mm,used,native,30,neuron,2.33,eager,made-up-8b",
        "aten.sort,used,fallback,10,neuron,2.33,eager,made-up-8b",
    )
    app = upload(open_page("coverage"), "operators", ("calls.csv", report(*rows, header=header)))
    assert [metric.delta for metric in app.metric][:2] == ["75 % of known calls", "25 % of known calls"]
    bare = [row.replace(",30,", ",,").replace(",10,", ",,") for row in rows]
    app = upload(app, "operators", ("neither.csv", report(*bare, header=header)))
    assert {metric.delta for metric in app.metric} == {"no time or calls stated"}


def test_what_a_report_does_not_say_is_asked_for(store: Store) -> None:
    header = "operator,role,status,calls,time_us"
    content = report("aten.mm,used,native,1,10", header=header)
    app = upload(open_page("coverage"), "operators", ("bare.csv", content))
    assert "Still to be stated: model, backend, version" in text_of(app, "upload_report")
    assert "bare.csv" not in set(uploads(store)["file"])


def test_bad_rows_are_refused_with_their_place(store: Store) -> None:
    bad = "aten.mm,used,perhaps,many,10,neuron,2.33,eager,made-up-8b"
    app = upload(open_page("coverage"), "operators", ("ops.csv", report(*ROWS, bad)))
    said = text_of(app, "upload_report")
    assert "rows read 6, loaded 5, refused 1" in said
    assert "- Line 7, column status" in said
    assert "- Line 7, column calls" in said


def test_a_cut_off_report_is_refused(store: Store) -> None:
    whole = json.dumps({"operators": [{"name": "aten.mm", "status": "native"}] * 5}, indent=1)
    app = upload(open_page("coverage"), "operators", ("analysis.json", whole[:-40].encode()))
    said = text_of(app, "upload_report")
    assert ":red-badge[refused]" in said
    assert "The JSON cannot be read" in said


def test_a_benchmark_dropped_here_is_loaded_and_shown_where_it_belongs(store: Store) -> None:
    content = b"model,platform,instance_type,precision,output_tok_per_s\nmade-up-8b,cuda,p5.48xlarge,bf16,3000\n"
    app = upload(open_page("coverage"), "operators", ("runs.csv", content))
    assert ":green-badge[loaded] as benchmark data, shown on its own page" in text_of(app, "upload_report")
    assert "runs.csv" in text_of(go_to(app, "benchmarks"))


def test_a_report_can_be_withdrawn(bare_store: Store) -> None:
    upload(open_page("coverage"), "operators", ("ops.csv", report()))
    app = open_page("coverage")
    assert app.number_input(key="workload_unsupported_ops").placeholder == "1 (derived)"
    app = press(app, "withdraw_")
    assert "coverage is unknown" in text_of(app)
    assert app.number_input(key="workload_unsupported_ops").placeholder == "none"
    assert "no coverage report" in text_of(go_to(app, ""))
