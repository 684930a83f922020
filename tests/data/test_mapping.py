"""Tables that no reader knows: guesses, the mapping a user states, what becomes of the rows, and what is remembered."""

import json

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import mappings, schema
from data.__main__ import main
from data.errors import IngestError
from data.ingest import inspect, load, withdraw
from data.queries import benchmark_runs, uploads
from data.readers import parse
from data.readers.guesses import guess, needs_statistic, quantities
from data.readers.mapped import ColumnMapping, Meaning, fingerprint, parse_mapping, read, settle, table
from data.readers.units import factors, read_unit
from data.sketches import preview, sketch
from data.store import migrations, open_store, schema_version

GERMAN = b"""Modell;GPU;Latenz p99 (s);Durchsatz [tok/s];TTFT_avg_ms;Fehlerquote %;Nutzer;Notiz
toy;H100;1,25;812,5;45,5;0,5;8;ok
toy;H100;1,75;1.812,5;55,5;1,5;16;ok
"""
NESTED = b"""{"run": {"model": "toy"}, "lat": {"p50": 12, "p99": "1.2 s"}, "n": [1]}
{"run": {"model": "toy"}, "lat": {"p50": "13", "p99": "900 ms"}}
"""
STATED = {"platform": "cuda", "instance_type": "p5.48xlarge", "precision": "bf16"}
LATENCY = schema.BY_NAME["benchmark"]["e2e_ms_p50"]


def proposals(content: bytes):
    cells = table(parse("x", content))
    return {g.label: (g.name, g.unit) for g in guess(cells)}


def guessed(content: bytes) -> ColumnMapping:
    return sketch("x", content).guessed()


def codes(error) -> list[tuple[str | None, str]]:
    return [(problem.column, problem.code) for problem in error.value.problems]


def test_a_german_table_is_guessed_whole():
    assert proposals(GERMAN) == {
        "Modell": ("model", None),
        "GPU": ("accelerator", None),
        "Latenz p99 (s)": ("e2e_ms_p99", "s"),
        "Durchsatz [tok/s]": ("output_tok_per_s", "tokens/s"),
        "TTFT_avg_ms": ("ttft_ms_mean", "ms"),
        "Fehlerquote %": ("error_rate", "%"),
        "Nutzer": ("concurrency", None),
        "Notiz": (None, None),
    }


@pytest.mark.parametrize(
    ("header", "cell", "expected"),
    [
        ("latency", "12", ("e2e_ms_?", None)),
        ("latency_p95_us", "12", ("e2e_ms_p95", "µs")),
        ("Latency (99th)", "12", ("e2e_ms_p99", None)),
        ("median response time [ms]", "12", ("e2e_ms_p50", "ms")),
        ("avgLatency", "12 ms", ("e2e_ms_mean", "ms")),
        ("timeToFirstTokenP90", "12", ("ttft_ms_p90", None)),
        ("inter-token latency mean (ms)", "12", ("itl_ms_mean", "ms")),
        ("latência média (s)", "12", ("e2e_ms_mean", "s")),
        ("vazão (tokens/s)", "12", ("output_tok_per_s", "tokens/s")),
        ("tokens per second", "12", ("output_tok_per_s", "tokens/s")),
        ("total tok/s", "12", ("total_tok_per_s", "tokens/s")),
        ("throughput", "12", ("output_tok_per_s", None)),
        ("QPS", "12", ("req_per_s", "requests/s")),
        ("requests/min", "12", ("req_per_s", "requests/min")),
        ("images per second", "12", ("samples_per_s", "samples/s")),
        ("num_gpus", "8", ("accelerator_count", None)),
        ("gpu", "H100", ("accelerator", None)),
        ("input_len", "12", ("input_tokens", None)),
        ("Output Tokens", "12", ("output_tokens", None)),
        ("$ per hour", "12", ("price_usd_per_hour", "USD/h")),
        ("e2e_ms_p50", "12", ("e2e_ms_p50", "ms")),
        ("latency", "slow", (None, None)),
        ("colour", "red", (None, None)),
    ],
)
def test_headers_are_guessed_and_a_unit_only_where_it_is_written(header, cell, expected):
    assert proposals(f"{header};zzz\n{cell};1\n".encode())[header] == expected


def test_a_canonical_column_is_proposed_once():
    found = proposals(b"latency p99 (s);request latency p99 (ms);zz\n1;2;3\n")
    assert [name for name, _ in found.values()] == ["e2e_ms_p99", None, None]


def test_values_come_in_canonical_units():
    report = inspect("x", GERMAN, STATED, guessed(GERMAN))
    assert report.format == "mapped-csv"
    assert not report.problems
    first = report.rows[0]
    assert (first["e2e_ms_p99"], first["output_tok_per_s"], first["ttft_ms_mean"]) == (1250.0, 812.5, 45.5)
    assert (first["error_rate"], first["concurrency"], report.rows[1]["output_tok_per_s"]) == (0.005, 8, 1812.5)


@pytest.mark.parametrize(
    ("name", "unit", "cell", "value"),
    [
        ("e2e_ms_p50", "ns", "2e6", 2.0),
        ("e2e_ms_p50", "microseconds", "2000", 2.0),
        ("e2e_ms_p50", "min", "0.5", 30_000.0),
        ("duration_s", "ms", "1500", 1.5),
        ("output_tok_per_s", "tok/min", "600", 10.0),
        ("req_per_s", "requests/h", "7200", 2.0),
        ("error_rate", "percent", "2", 0.02),
        ("error_rate", "fraction", "0.02", 0.02),
        ("price_usd_per_hour", "$/hr", "41.5", 41.5),
        ("price_usd_per_hour", "USD/s", "0.01", 36.0),
        ("e2e_ms_p50", "s", "1.5 ms", 1.5),
        ("e2e_ms_p50", "ms", "1.5 s", 1500.0),
        ("error_rate", "share", "2 %", 0.02),
    ],
)
def test_every_unit_has_its_factor_and_a_cell_s_own_unit_counts(name, unit, cell, value):
    mapping = settle("x", ColumnMapping({"a": Meaning(name, unit), "b": Meaning("samples_per_s", "samples/s")}))
    assert read(parse("x", f"a;b\n{cell};1\n".encode()), mapping).frame[name].tolist() == [pytest.approx(value)]


def test_a_cell_in_another_quantity_s_unit_refuses_its_row():
    mapping = ColumnMapping({"lat": Meaning("e2e_ms_p50", "ms"), "y": Meaning("samples_per_s", "samples/s")})
    report = inspect("x", b"lat;y\n12;1\n12 tokens;1\n5 GB;1\n", {**STATED, "model": "m"}, mapping)
    assert [(p.line, p.column) for p in report.problems] == [(3, "lat"), (4, "lat")]
    assert report.rows_loaded == 1


def test_nested_json_lines_are_flattened():
    mapping = ColumnMapping({"lat.p50": Meaning("e2e_ms_p50", "ms"), "lat.p99": Meaning("e2e_ms_p99", "ms")})
    rows = inspect("x", NESTED, STATED, mapping).rows
    assert [(row["e2e_ms_p50"], row["e2e_ms_p99"], row["source_line"]) for row in rows] == [(12, 1200, 1), (13, 900, 2)]


def test_double_and_empty_headers_have_their_place():
    cells = table(parse("x", b"lat,,lat,\n1,2,3,4\n"))
    assert list(cells.frame.columns) == ["lat#1", "#2", "lat#3", "#4"]
    mapping = ColumnMapping({"lat#3": Meaning("e2e_ms_p50", "ms")})
    assert inspect("x", b"lat,,lat,\n1,2,3,4\n", STATED, mapping).rows[0]["e2e_ms_p50"] == 3


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"a": {"name": "e2e_ms_p50"}}, [("a", "mapping_unit_missing")]),
        ({"a": {"name": "e2e_ms_p50", "unit": "furlong"}}, [("a", "mapping_unknown_unit")]),
        ({"a": {"name": "e2e_ms_p50", "unit": "tokens/s"}}, [("a", "mapping_unknown_unit")]),
        ({"a": {"name": "latency_p50", "unit": "ms"}}, [("a", "mapping_unknown_name")]),
        ({"a": {"name": "e2e_ms_?", "unit": "ms"}}, [("a", "mapping_unknown_name")]),
        ({"a": 5}, [("a", "no_mapping")]),
        ({"a": {"name": "model", "untit": "ms"}}, [("a", "no_mapping")]),
        ({"a": {"name": "model"}, "b": None}, [(None, "mapping_measures_nothing")]),
        (
            {"a": {"name": "e2e_ms_p50", "unit": "s"}, "b": {"name": "e2e_ms_p50", "unit": "ms"}},
            [("e2e_ms_p50", "mapping_twice")],
        ),
    ],
)
def test_a_mapping_that_cannot_hold_says_where(columns, expected):
    with pytest.raises(IngestError) as error:
        parse_mapping("m.json", json.dumps({"columns": columns}))
    assert codes(error) == expected
    assert all(problem.message for problem in error.value.problems)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"columns": []}', '{"columns": {}, "vlaues": {}}', "{"])
def test_what_is_no_mapping_is_refused(text):
    with pytest.raises(IngestError):
        parse_mapping("m.json", text)


def test_a_header_that_the_file_lacks_is_named():
    mapping = ColumnMapping({"Latenz p98 (s)": Meaning("e2e_ms_p99", "s")})
    report = inspect("x", GERMAN, STATED, mapping)
    assert [(p.line, p.column, p.code) for p in report.problems] == [(1, "Latenz p98 (s)", "mapping_unknown_header")]
    assert "latenz p99 (s)" in report.problems[0].hint


def test_a_mapping_survives_its_json():
    mapping = settle("x", ColumnMapping(guessed(GERMAN).columns, {"platform": "cuda"}))
    assert parse_mapping("x", json.dumps(mapping.as_dict())) == mapping


NUMBERS = [c for c in schema.BENCHMARK_COLUMNS if c.is_number and c.kind == "metric" and factors(c)]


@given(data=st.data(), columns=st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=6, unique=True))
@settings(max_examples=40, deadline=None)
def test_renamed_and_rescaled_columns_give_the_canonical_rows(data, columns):
    columns = [*columns, *([LATENCY] if LATENCY not in columns else [])]
    values = [data.draw(st.floats(0.01, 1.0)) for _ in columns]
    units = [data.draw(st.sampled_from(sorted(factors(column)))) for column in columns]
    plain = ",".join(c.name for c in columns) + "\n" + ",".join(repr(v) for v in values) + "\n"
    scaled = [repr(v / factors(c)[u]) for c, v, u in zip(columns, values, units, strict=True)]
    odd = ";".join(f"x{i}" for i in range(len(columns))) + "\n" + ";".join(scaled) + "\n"
    mapping = ColumnMapping({f"x{i}": Meaning(c.name, u) for i, (c, u) in enumerate(zip(columns, units, strict=True))})
    canonical = inspect("x", plain.encode())
    mapped = inspect("x", odd.encode(), {}, mapping)
    for column in columns:
        got, want = ([row[column.name] for row in report.rows] for report in (mapped, canonical))
        assert got == pytest.approx(want)
    assert [p.code for p in mapped.problems] == [p.code for p in canonical.problems]


@given(st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_no_text_is_taken_for_a_unit_it_is_not(text):
    for column in (LATENCY, *NUMBERS):
        unit = read_unit(column, text)
        assert unit is None or unit in factors(column)


def test_every_quantity_leads_to_canonical_columns():
    names = set(schema.names("benchmark"))
    for quantity in quantities():
        assert (f"{quantity}_p50" if needs_statistic(quantity) else quantity) in names


def test_the_fingerprint_is_that_of_the_headers():
    assert fingerprint(["b ", "A"]) == fingerprint(["a", "B"])
    assert fingerprint(["a", "b"]) != fingerprint(["a", "c"])


def test_columns_are_remembered_and_what_was_said_of_the_whole_file_is_not(store):
    mapping = ColumnMapping(guessed(GERMAN).columns, STATED)
    first = load(store, "a.csv", GERMAN, mapping=mapping)
    assert (first.format, first.rows_loaded, first.needs) == ("mapped-csv", 2, ())
    other = GERMAN.replace(b"812,5", b"912,5")
    again = load(store, "b.csv", other)
    assert again.needs == ("platform", "instance_type", "precision", "accelerator_count")
    assert again.warnings[0].code == "remembered_mapping"
    done = load(store, "b.csv", other, {**STATED, "platform": "cuda"})
    assert done.rows_loaded == 2
    assert sorted(benchmark_runs(store)["output_tok_per_s"]) == [812.5, 912.5, 1812.5, 1912.5]


def test_a_mapping_can_be_changed_and_forgotten(store):
    wrong = ColumnMapping({"Latenz p99 (s)": Meaning("e2e_ms_p99", "ms")}, {**STATED, "model": "toy"})
    loaded = load(store, "a.csv", GERMAN, mapping=wrong)
    right = ColumnMapping({"Latenz p99 (s)": Meaning("e2e_ms_p99", "s")}, {**STATED, "model": "toy"})
    refused = load(store, "a.csv", GERMAN, mapping=right)
    assert [p.code for p in refused.problems] == ["already_loaded_with_other_values"]
    withdraw(store, loaded.upload_id)
    assert load(store, "a.csv", GERMAN, mapping=right).rows_loaded == 2
    (entry,) = mappings.remembered(store)
    assert entry.mapping.columns == right.columns
    mappings.forget(store, entry.fingerprint)
    assert load(store, "b.csv", GERMAN + b"\n").format == "mapping"


def test_what_is_refused_is_not_remembered(store):
    bad = ColumnMapping({"Latenz p99 (s)": Meaning("e2e_ms_p99")}, STATED)
    assert load(store, "a.csv", GERMAN, mapping=bad).problems
    assert mappings.remembered(store) == []
    assert uploads(store).empty


def test_a_known_format_keeps_its_reader(store):
    content = b"model,platform,instance_type,precision,e2e_ms_mean\ntoy,cuda,p5.48xlarge,bf16,1\n"
    report = load(store, "a.csv", content, mapping=guessed(GERMAN))
    assert report.format == "crossover-csv"
    assert next(w.code for w in report.warnings) == "mapping_not_used"


def test_a_sketch_keeps_the_first_rows_of_a_long_table():
    rows = "\n".join(f"{i};{i}" for i in range(1, 5001))
    found = sketch("x", f"lat (ms);other\n{rows}".encode())
    assert found.rows == 5000
    report = preview(found, ColumnMapping({"lat (ms)": Meaning("e2e_ms_p50", "ms")}))
    assert (len(report.rows), report.rows[-1]["e2e_ms_p50"]) == (200, 200)


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"just words\n", b"a,b\n1,2\n\nc,d\n3,4\n", b"{"])
def test_what_is_no_single_table_has_no_sketch(content):
    assert sketch("x", content) is None


def test_a_store_of_the_first_version_takes_mappings(tmp_path):
    path = tmp_path / "old.duckdb"
    _, name, sql = migrations()[0]
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)
        connection.execute(
            "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name VARCHAR, applied_at TIMESTAMP)"
        )
        connection.execute("INSERT INTO schema_migrations VALUES (1, ?, now()::TIMESTAMP)", [name])
    store = open_store(path)
    try:
        assert schema_version(store) == migrations()[-1][0]
        assert load(store, "a.csv", GERMAN, mapping=ColumnMapping(guessed(GERMAN).columns, STATED)).rows_loaded == 2
    finally:
        store.close()


def test_the_command_line_prints_a_mapping_and_takes_it(tmp_path, capsys):
    source, mapping = tmp_path / "odd.csv", tmp_path / "map.json"
    source.write_bytes(GERMAN)
    assert main(["map", str(source)]) == 0
    stated = json.loads(capsys.readouterr().out)
    assert stated["columns"]["Notiz"] == {"name": None, "unit": None}
    stated["values"] = STATED
    mapping.write_text(json.dumps(stated))
    assert main(["load", str(source), "--map", str(mapping), "--dry-run", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["format"], report["rows_loaded"], report["needs"]) == ("mapped-csv", 2, [])
    assert report["mapping"]["columns"]["Latenz p99 (s)"] == {"name": "e2e_ms_p99", "unit": "s"}


def test_the_command_line_says_what_a_mapping_lacks(tmp_path, capsys):
    source, mapping = tmp_path / "odd.csv", tmp_path / "map.json"
    source.write_bytes(GERMAN)
    mapping.write_text('{"columns": {"Latenz p99 (s)": {"name": "e2e_ms_p99", "unit": null}}}')
    assert main(["load", str(source), "--map", str(mapping), "--dry-run"]) == 1
    assert "Its unit is not stated" in capsys.readouterr().err


def test_a_dry_run_of_an_unknown_table_says_how_to_write_its_mapping(tmp_path, capsys):
    source = tmp_path / "odd.csv"
    source.write_bytes(GERMAN)
    assert main(["load", str(source), "--dry-run"]) == 1
    assert "`python -m data map odd.csv`" in capsys.readouterr().out


def test_the_command_line_applies_what_is_remembered_and_says_so(tmp_path, capsys):
    first, second, mapping = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "map.json"
    first.write_bytes(GERMAN)
    second.write_bytes(GERMAN.replace(b"812,5", b"912,5"))
    mapping.write_text(json.dumps(ColumnMapping(guessed(GERMAN).columns, STATED).as_dict()))
    store = ["--db", str(tmp_path / "s.duckdb")]
    assert main(["load", str(first), "--map", str(mapping), *store]) == 0
    stated = [f"--set={name}={value}" for name, value in STATED.items()]
    assert main(["load", str(second), *stated, *store]) == 0
    assert "for the same headers" in capsys.readouterr().out
