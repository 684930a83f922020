import json

import pytest

from data import queries
from data.errors import DataError
from data.ingest import inspect, load, load_demo, remove_demo, restore, withdraw
from data.prices import price_table

HEADER = "model,platform,instance_type,precision,concurrency,e2e_ms_mean,output_tok_per_s"
ROW = "toy,cuda,p5.48xlarge,bf16,8,1000,500"
STATED = {"model": "toy", "platform": "neuron", "instance_type": "trn2.48xlarge", "precision": "bf16"}


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\n".join([header, *rows]).encode()


def refusals(report):
    return [(problem.line, problem.column, problem.code) for problem in report.problems]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("toy,cuda,p5.48xlarge,bf16,8,-1,500", (3, "e2e_ms_mean", "out_of_range")),
        ("toy,cuda,p5.48xlarge,bf16,8,0,500", (3, "e2e_ms_mean", "out_of_range")),
        ("toy,cuda,p5.48xlarge,bf16,8.5,10,500", (3, "concurrency", "not_whole")),
        ("toy,cuda,p5.48xlarge,bf16,8,12 ms,500", (3, "e2e_ms_mean", "unit_in_cell")),
        ("toy,cuda,p5.48xlarge,bf16,8,fast,500", (3, "e2e_ms_mean", "not_a_number")),
        ("toy,cuda,p5.48xlarge,bf16,8,-,N/A", (3, None, "no_metric")),
        ("toy,cudo,p5.48xlarge,bf16,8,10,500", (3, "platform", "unknown_platform")),
        ("toy,trainium,trn2.48xlarge,bf16,8,10,500", (3, "platform", "unknown_platform")),
        ("toy,neuron,p5.48xlarge,bf16,8,10,500", (3, "platform", "platform_instance_mismatch")),
        ("toy,cuda,p5.48xlarge,bf16,8,10", (3, None, "wrong_cell_count")),
    ],
)
def test_a_bad_row_is_refused_and_the_good_ones_load(store, row, expected):
    report = load(store, "x.csv", table(ROW, row, ROW))
    assert refusals(report) == [expected]
    assert (report.rows_read, report.rows_loaded, report.rows_refused) == (3, 2, 1)
    assert report.problems[0].message
    assert len(queries.benchmark_runs(store)) == 2


def test_hints_name_the_near_word_and_the_two_software_paths():
    report = inspect("x", table("toy,cudo,p5.48xlarge,bf16,8,1,5", "toy,trainium,trn2.48xlarge,bf16,8,1,5"))
    assert "«cuda»" in report.problems[0].hint
    assert "neuron-xla" in report.problems[1].hint


def test_clear_spellings_are_understood():
    report = inspect("x", table("toy,NVIDIA,P5.48xlarge,BFloat16,8,1,5", "toy,Neuron_XLA,trn1.32xlarge,FP8,8,1,5"))
    assert [(r["platform"], r["software_path"], r["precision"]) for r in report.rows] == [
        ("cuda", "cuda", "bf16"),
        ("neuron-xla", "xla", "fp8"),
    ]


def test_decimal_commas_semicolons_and_utf_16():
    text = "model;platform;instance_type;precision;concurrency;e2e_ms_mean;output_tok_per_s\n"
    text += "tóy;cuda;p5.48xlarge;bf16;8;1.234,5;0,5\n"
    (row,) = inspect("x", text.encode("utf-16")).rows
    assert (row["model"], row["e2e_ms_mean"], row["output_tok_per_s"]) == ("tóy", 1234.5, 0.5)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (table("toy,toy,1", header="model,model,e2e_ms_mean"), "duplicate_header"),
        (b'{"total_token_throughput": 1, "output', "invalid_json"),
        (b"", "empty_file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"when,who\n1,2\n", "no_reader"),
        (b"just some words\n", "no_reader"),
    ],
)
def test_a_file_refused_as_a_whole_stores_nothing(store, content, expected):
    report = load(store, "x.csv", content)
    assert [problem.code for problem in report.problems] == [expected]
    assert (report.rows_loaded, report.upload_id, len(queries.uploads(store))) == (0, None, 0)


def test_unknown_tables_are_told_from_no_tables():
    table_report, words = inspect("x", b"when,who\n1,2\n"), inspect("x", b"words\n")
    assert (table_report.kind, table_report.format, table_report.rows_loaded) == ("unknown", "mapping", 0)
    assert "when, who" in table_report.problems[0].message
    assert words.format is None


def test_unknown_columns_are_said_with_the_near_name():
    report = inspect("x", table(ROW + ",3", header=HEADER + ",ttft_mean_ms"))
    assert [(w.code, w.column, w.line) for w in report.warnings] == [("unknown_column", "ttft_mean_ms", 1)]
    assert "«ttft_ms_mean»" in report.warnings[0].hint


@pytest.mark.parametrize(
    ("overrides", "column", "code"),
    [
        ({"platfrom": "cuda"}, "platfrom", "unknown_override"),
        ({"backend": "cuda"}, "backend", "unknown_override"),
        ({"platform": "gpu"}, "platform", "unknown_platform"),
        ({"price_usd_per_hour": "-4"}, "price_usd_per_hour", "out_of_range"),
        ({"price_usd_per_hour": float("nan")}, "price_usd_per_hour", None),
        ({"precision": "fp8"}, "precision", "override_contradicts"),
    ],
)
def test_statements_are_checked(overrides, column, code):
    problems = inspect("x", table(ROW), overrides).problems
    assert [(problem.column, problem.code) for problem in problems] == ([(column, code)] if code else [])


def test_a_contradiction_names_both_values():
    (problem,) = inspect("x", table(ROW), {"precision": "fp8"}).problems
    assert "«bf16»" in problem.message
    assert "«fp8»" in problem.message


def test_statements_fill_only_gaps_and_an_equal_one_is_no_contradiction():
    content = table("toy,cuda,p5.48xlarge,,8,1000,500", "toy,cuda,p5.48xlarge,bf16,8,1000,500")
    report = inspect("x", content, {"precision": "BF16", "price_usd_per_hour": "41.528"})
    assert report.problems == ()
    assert {row["precision"] for row in report.rows} == {"bf16"}
    assert {row["price_usd_per_hour"] for row in report.rows} == {41.528}
    assert inspect("x", content).needs == ("precision",)


def test_unknown_may_be_said(store):
    content = table("toy,cuda,p5.48xlarge,,8,1000,500")
    assert load(store, "x", content).rows_loaded == 0
    assert load(store, "x", content, {"precision": "unknown"}).rows_loaded == 1


def test_provenance_is_kept(store):
    load(store, "x", table("toy,cuda,p5.48xlarge,,8,1000,500"), {"precision": "bf16"})
    provenance = json.loads(queries.uploads(store)["provenance"][0])
    assert (provenance["e2e_ms_mean"], provenance["accelerator"], provenance["precision"]) == (
        "measured",
        "derived",
        "stated",
    )


def test_the_same_file_changes_nothing(store, fixture_bytes):
    content = fixture_bytes("load-summary.csv")
    first = load(store, "a.csv", content, STATED)
    before = queries.dataset_hash(store)
    for overrides in (STATED, {}, {"model": "toy"}):
        again = load(store, "b.csv", content, overrides)
        assert (again.duplicate, again.upload_id, again.problems, again.needs) == (True, first.upload_id, (), ())
    assert queries.dataset_hash(store) == before


def test_the_same_file_with_another_statement_is_refused(store, fixture_bytes):
    content = fixture_bytes("load-summary.csv")
    first = load(store, "a.csv", content, STATED)
    report = load(store, "a.csv", content, STATED | {"precision": "fp8"})
    assert [problem.code for problem in report.problems] == ["already_loaded_with_other_values"]
    assert first.upload_id in report.problems[0].hint
    withdraw(store, first.upload_id)
    assert load(store, "a.csv", content, STATED | {"precision": "fp8"}).rows_loaded == 2
    with pytest.raises(DataError, match="loaded again"):
        restore(store, first.upload_id)


def test_withdraw_and_restore(store):
    report = load(store, "x", table(ROW))
    before = queries.dataset_hash(store)
    withdraw(store, report.upload_id)
    assert len(queries.benchmark_runs(store)) == 0
    assert queries.uploads(store)["withdrawn_at"].notna().all()
    assert queries.dataset_hash(store) != before
    restore(store, report.upload_id)
    restore(store, report.upload_id)
    assert len(queries.benchmark_runs(store)) == 1
    assert queries.dataset_hash(store) == before
    with pytest.raises(DataError, match="no upload"):
        withdraw(store, "nothing")


def test_rows_of_an_earlier_upload_count_once_until_it_is_withdrawn(store):
    other = "toy,cuda,p5.48xlarge,bf16,16,1000,900"
    first = load(store, "a", table(ROW, ROW))
    assert len(queries.benchmark_runs(store)) == 2, "equal rows of one file are separate runs"
    second = load(store, "b", table(ROW, other))
    assert [(w.code, w.message.split()[0]) for w in second.warnings if w.code == "repeated_rows"] == [
        ("repeated_rows", "1")
    ]
    assert len(queries.benchmark_runs(store)) == 3
    withdraw(store, first.upload_id)
    assert len(queries.benchmark_runs(store)) == 2
    restore(store, first.upload_id)
    assert len(queries.benchmark_runs(store)) == 3
    counted = queries.uploads(store).set_index("file")["rows_counted"]
    assert (counted["a"], counted["b"]) == (2, 1)


def test_a_failure_while_storing_leaves_nothing(store, monkeypatch):
    monkeypatch.setattr("data.ingest._discount_repeats", lambda cursor, report: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        load(store, "x", table(ROW))
    assert len(queries.uploads(store)) == 0
    with store.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM benchmark_runs").fetchone() == (0,)


def test_demo_data_comes_once_and_stays_away(store):
    reports = load_demo(store)
    assert all(report.rows_loaded and not report.problems and not report.warnings for report in reports)
    assert queries.demo_loaded(store)
    runs = queries.benchmark_runs(store)
    assert set(runs["platform"]) == {"cuda", "neuron"}
    assert runs["demo"].all()
    assert load_demo(store) == ()
    remove_demo(store)
    assert not queries.demo_loaded(store)
    assert load_demo(store) == ()
    assert len(queries.benchmark_runs(store)) == 0


def test_demo_numbers_agree_with_each_other(store):
    load_demo(store)
    runs = queries.benchmark_runs(store)
    assert (runs["req_per_s"] * runs["e2e_ms_mean"] / 1000 / runs["concurrency"] - 1).abs().max() < 0.01
    assert (runs["output_tok_per_s"] / (runs["req_per_s"] * runs["output_tokens"]) - 1).abs().max() < 0.01
    assert (runs["completed"] / runs["duration_s"] / runs["req_per_s"] - 1).abs().max() < 0.01
    best = runs.groupby(["platform", "concurrency"])["output_tok_per_s"].mean().groupby("platform").max()
    assert best["neuron"] / best["cuda"] == pytest.approx(1.01, abs=0.01)
    assert {"p5.48xlarge", "trn2.48xlarge"} <= {price.instance_type for price in price_table()}


def test_a_hundred_thousand_rows_with_exact_refusals(store):
    rows = [f"toy,cuda,p5.48xlarge,bf16,{i % 64 + 1},{1000 + i * 0.01:.2f},{500 + i * 0.1:.1f}" for i in range(100_000)]
    rows[77_776] = rows[77_776].replace("bf16", "bf16,")
    rows[41] = "toy,cuda,p5.48xlarge,bf16,8,slow,500"
    report = load(store, "big.csv", table(*rows))
    assert refusals(report) == [(43, "e2e_ms_mean", "not_a_number"), (77_778, None, "wrong_cell_count")]
    assert (report.rows_read, report.rows_loaded, len(queries.benchmark_runs(store))) == (100_000, 99_998, 99_998)


def test_operators_need_model_backend_and_version(store):
    content = b"operator,role,status,calls\naten.mm,used,native,3\n"
    assert inspect("x", content).needs == ("model", "backend", "version")
    report = load(store, "x", content, {"model": "toy", "backend": "neuron", "version": "2.33"})
    assert report.rows_loaded == 1
    assert queries.operator_rows(store)["backend"].tolist() == ["neuron"]


def test_the_only_metric_that_is_no_number_is_said_once():
    report = inspect("x", b"model,platform,instance_type,precision,e2e_ms_mean\ntoy,cuda,p5.48xlarge,bf16,fast\n")
    assert refusals(report) == [(2, "e2e_ms_mean", "not_a_number")]
