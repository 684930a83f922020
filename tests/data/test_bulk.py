"""Large canonical tables read in batches say and store what the ordinary way does."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data import bulk
from data.__main__ import main
from data.ingest import load, restore, withdraw
from data.queries import benchmark_runs, uploads

HEADER = "model,platform,instance_type,precision,concurrency,e2e_ms_mean,output_tok_per_s,completed,failed,measured_at"
GOOD = "toy,cuda,p5.48xlarge,bf16,8,1000,500,40,1,2026-05-01T10:00:00"
ROWS = {
    "plain": GOOD,
    "neuron": "toy,Neuron,TRN2.48xlarge,BFloat16,16,900.5,1e3,40,0,2026-05-01 10:00:00",
    "gaps": "toy,cuda,p5.48xlarge,bf16,,N/A,500,-,,",
    "thousands": 'toy,cuda,p5.48xlarge,bf16,8,"1,250.5",500,40,1,2026-05-01',
    "spaces": " toy , cuda ,p5.48xlarge,bf16, 8 ,1000,500,40,1,",
    "infinite": "toy,cuda,p5.48xlarge,bf16,8,inf,500,40,1,",
    "quoted": '"toy, the second",cuda,p5.48xlarge,bf16,8,1000,500,40,1,',
    "word": "toy,cuda,p5.48xlarge,bf16,8,fast,500,40,1,",
    "unit": "toy,cuda,p5.48xlarge,bf16,8,12 ms,500,40,1,",
    "negative": "toy,cuda,p5.48xlarge,bf16,8,-1,500,40,1,",
    "broken": "toy,cuda,p5.48xlarge,bf16,8.5,1000,500,40,1,",
    "mismatch": "toy,neuron,p5.48xlarge,bf16,8,1000,500,40,1,",
    "platform": "toy,cudo,p5.48xlarge,bf16,8,1000,500,40,1,",
    "short": "toy,cuda,p5.48xlarge,bf16,8,1000",
    "long": f"{GOOD},7,8",
    "trailing": f"{GOOD},,",
    "nothing": "toy,cuda,p5.48xlarge,bf16,8,,,40,1,",
    "date": "toy,cuda,p5.48xlarge,bf16,8,1000,500,40,1,yesterday",
    "failing": "toy,cuda,p5.48xlarge,bf16,8,1000,500,40,20,",
    "header": HEADER,
}


@pytest.fixture
def in_batches(monkeypatch):
    """Let every table be large, and a batch a few rows."""
    monkeypatch.setattr(bulk, "MIN_BYTES", 0)
    monkeypatch.setattr(bulk, "BATCH_ROWS", 5)


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\n".join([header, *rows, ""]).encode()


def outcome(store, report) -> tuple[object, ...]:
    """Return all that a load leaves behind but its id and time."""
    rows = benchmark_runs(store).drop(columns=["upload_id", "uploaded_at"]) if report.upload_id else None
    kept = uploads(store).drop(columns=["upload_id", "uploaded_at"]).to_dict("records")
    plain = replace(report, upload_id=None, problems=(), warnings=())
    said = [sorted(map(str, problems)) for problems in (report.problems, report.warnings)]
    for upload in kept:
        upload["warnings"] = upload["problems"] = None
    return plain, said, None if rows is None else rows.to_csv(index=False), kept


def both_ways(store, monkeypatch, content: bytes, stated=None) -> list[tuple[object, ...]]:
    found = []
    for size in (0, 10**9):
        monkeypatch.setattr(bulk, "MIN_BYTES", size)
        report = load(store, "x.csv", content, stated or {})
        found.append(outcome(store, report))
        with store.transaction() as cursor:
            cursor.execute("DELETE FROM benchmark_runs; DELETE FROM uploads;")
    return found


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory):
    from data.store import open_store

    store = open_store(tmp_path_factory.mktemp("bulk") / "store.duckdb")
    yield store
    store.close()


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_each_kind_ends_the_same(store, in_batches, monkeypatch, name):
    batched, ordinary = both_ways(store, monkeypatch, table(GOOD, GOOD, ROWS[name], *[GOOD] * 12, ROWS[name]))
    assert batched == ordinary


@given(names=st.lists(st.sampled_from(sorted(ROWS)), min_size=1, max_size=30))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_mixture_ends_the_same(shared_store, in_batches, monkeypatch, names):
    batched, ordinary = both_ways(shared_store, monkeypatch, table(*(ROWS[name] for name in names)))
    batched[1][1], ordinary[1][1] = ([w for w in said[1] if "siblings" not in w] for said in (batched[1], ordinary[1]))
    assert batched == ordinary


@pytest.mark.parametrize(
    "content",
    [
        table(GOOD, GOOD).replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + table(GOOD),
        table(GOOD, GOOD).replace(b",", b"\t"),
        table(GOOD, GOOD).rstrip(b"\n"),
        table(GOOD, "", GOOD),
        table(GOOD, GOOD.replace("toy", '"toy\nof two lines"'), GOOD),
        table(GOOD, GOOD.replace("toy", "tör")),
        table(GOOD, GOOD).decode().replace("toy", "tör").encode("latin-1"),
        table(GOOD, header=HEADER.replace("failed", "colour")),
        table(GOOD, header=HEADER.replace("failed", "completed")),
        table(GOOD.replace("bf16", "")),
        table(header=HEADER),
        table(ROWS["word"], ROWS["short"]),
    ],
)
def test_other_files_end_the_same(store, in_batches, monkeypatch, content):
    batched, ordinary = both_ways(store, monkeypatch, content)
    assert batched == ordinary


def test_what_is_stated_counts_and_a_contradiction_refuses(store, in_batches, monkeypatch):
    content = table(*[GOOD.replace("bf16", "")] * 12)
    for stated in ({"precision": "fp8"}, {"precision": "fp8", "platform": "neuron"}, {"nonsense": 1}, {}):
        batched, ordinary = both_ways(store, monkeypatch, content, stated)
        assert batched == ordinary


def test_rows_of_another_upload_count_once_and_come_back(store, in_batches):
    first = load(store, "a.csv", table(*[GOOD] * 7))
    second = load(store, "b.csv", table(*[GOOD] * 3, GOOD.replace("500", "501")))
    assert [w.code for w in second.warnings] == ["repeated_rows"]
    assert len(benchmark_runs(store)) == 8
    withdraw(store, first.upload_id)
    assert len(benchmark_runs(store)) == 4
    restore(store, first.upload_id)
    assert len(benchmark_runs(store)) == 8


def test_the_same_file_again_is_not_read(store, in_batches):
    load(store, "a.csv", table(GOOD))
    assert load(store, "a.csv", table(GOOD)).duplicate


def test_a_failure_in_the_last_batch_leaves_nothing(store, in_batches, monkeypatch):
    monkeypatch.setattr("data.ingest._discount_repeats", lambda cursor, report: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        load(store, "x.csv", table(*[GOOD] * 12))
    assert uploads(store).empty
    with store.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM benchmark_runs").fetchone() == (0,)


def test_a_path_is_read_without_its_content_in_memory(store, tmp_path):
    path = tmp_path / "large.csv"
    rows = [GOOD.replace("1000", str(1000 + i / 7)) for i in range(70_000)]
    path.write_bytes(table(*rows))
    assert path.stat().st_size > bulk.MIN_BYTES
    tracemalloc.start()
    report = load(store, path.name, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (report.rows_loaded, report.problems) == (70_000, ())
    assert report.sha256 == bulk.digest(Path(path).read_bytes()).sha256
    assert peak < 300_000_000


def test_the_command_line_takes_a_large_file(tmp_path, capsys):
    path = tmp_path / "large.csv"
    path.write_bytes(table(*[GOOD.replace("1000", str(1000 + i)) for i in range(70_000)]))
    assert main(["load", str(path), "--db", str(tmp_path / "s.duckdb")]) == 0
    assert "70000 rows read, 70000 loaded" in capsys.readouterr().out


def test_too_many_odd_lines_are_read_in_the_ordinary_way(store, in_batches, monkeypatch):
    monkeypatch.setattr(bulk, "MAX_ODD_LINES", 2)
    batched, ordinary = both_ways(store, monkeypatch, table(GOOD, *[ROWS["word"], ROWS["thousands"]] * 3, GOOD))
    assert batched == ordinary
