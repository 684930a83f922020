import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import FIXTURES

from data import queries, schema
from data.__main__ import main
from data.ingest import load
from data.store import Store, open_store

ROOT = Path(__file__).parents[2]
KEYS = [
    "file", "sha256", "kind", "format", "rows_read", "rows_loaded", "rows_refused", "duplicate", "needs", "problems",
    "warnings", "rows",
]  # fmt: skip
SET = [
    "--set",
    "model=toy",
    "--set",
    "platform=neuron",
    "--set",
    "instance_type=trn2.48xlarge",
    "--set",
    "precision=bf16",
]
SUMMARY, CANONICAL = str(FIXTURES / "load-summary.csv"), str(FIXTURES / "crossover-csv.csv")


@pytest.fixture
def db(store: Store) -> list[str]:
    return ["--db", str(store.path)]


def test_loading_and_loading_again(db, store, capsys):
    assert main(["load", SUMMARY, CANONICAL, *db, "--json"]) == 1, "one of them needs an answer"
    assert main(["load", SUMMARY, *SET, *db, "--json"]) == 0
    assert main(["load", SUMMARY, CANONICAL, *db, "--json"]) == 0
    first, second, third = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [list(report)[:12] for report in first] == [KEYS, KEYS]
    assert first[0]["needs"] == ["model", "platform", "instance_type", "precision", "accelerator", "accelerator_count"]
    assert [(report["rows_loaded"], report["rows"]) for report in first] == [(0, []), (2, [])]
    assert [report["rows_loaded"] for report in second] == [2]
    assert [report["duplicate"] for report in third] == [True, True]
    assert len(queries.uploads(store)) == 2


def test_a_dry_run_lists_rows_and_open_needs_and_touches_no_store(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("data.store.open_store", lambda path: pytest.fail("a dry run opened the store"))
    assert main(["load", SUMMARY, "--db", str(tmp_path / "none.duckdb"), "--dry-run", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["rows_loaded"], len(report["rows"]), len(report["needs"])) == (2, 2, 6)
    assert list(report["rows"][0])[: len(schema.BENCHMARK_COLUMNS)] == list(schema.names("benchmark"))
    assert set(report["warnings"][0]) == {"line", "column", "code", "message", "hint"}
    assert list(tmp_path.iterdir()) == []


def test_refused_rows_exit_1(db, tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text(Path(CANONICAL).read_text().replace("1013.5", "-3"))
    assert main(["load", str(path), *db]) == 1
    out = capsys.readouterr().out
    assert "1 loaded, 1 refused" in out
    assert "line 2, column output_tok_per_s" in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["load"],
        ["load", "no-such-file.csv"],
        ["load", SUMMARY, "--set", "platform"],
        ["load", SUMMARY, "--set", "platfrom=cuda"],
        ["load", SUMMARY, "--set", "platform=cuda", "--set", "platform=neuron"],
        ["export", "everything"],
        ["dance"],
    ],
)
def test_wrong_usage_exits_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err


def test_a_near_name_is_offered(capsys):
    with pytest.raises(SystemExit):
        main(["load", SUMMARY, "--set", "platfrom=cuda"])
    assert "«platform»" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "kind", "name"),
    [("benchmarks", "benchmark", "crossover-csv.csv"), ("operators", "operators", "crossover-operators.csv")],
)
@pytest.mark.parametrize("form", ["csv", "json"])
def test_what_is_exported_can_be_loaded_again(db, store, tmp_path, what, kind, name, form):
    assert main(["load", str(FIXTURES / name), *db]) == 0
    out = tmp_path / f"out.{form}"
    assert main(["export", what, *db, "--format", form, "-o", str(out)]) == 0
    other = open_store(tmp_path / "other.duckdb")
    report = load(other, out.name, out.read_bytes())
    assert (report.problems, report.kind) == ((), kind)
    read = queries.benchmark_runs if kind == "benchmark" else queries.operator_rows
    columns = [column for column in schema.names(kind) if column != "source_line"]
    assert read(other)[columns].equals(read(store)[columns])
    other.close()


def test_an_export_holds_no_formulas(db, tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text(Path(CANONICAL).read_text().replace("toy-7b", "=HYPERLINK(1)", 1).replace("toy-7b", "@cmd", 1))
    assert main(["load", str(path), *db]) == 0
    capsys.readouterr()
    assert main(["export", "benchmarks", *db]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["model"] for row in rows] == ["'=HYPERLINK(1)", "'@cmd"]
    assert main(["export", "benchmarks", *db, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["model"] == "=HYPERLINK(1)"


@pytest.mark.parametrize("what", ["benchmarks", "operators"])
def test_the_template_loads(db, tmp_path, capsys, what):
    assert main(["template", what]) == 0
    path = tmp_path / "template.csv"
    path.write_text(capsys.readouterr().out)
    assert main(["load", str(path), *db]) == 0


def test_withdraw(db, store, capsys):
    main(["load", CANONICAL, *db, "--json"])
    upload_id = json.loads(capsys.readouterr().out)[0]["upload_id"]
    assert main(["withdraw", upload_id, *db]) == 0
    assert len(queries.benchmark_runs(store)) == 0
    assert main(["withdraw", "nothing", *db]) == 1
    assert "no upload" in capsys.readouterr().err


def test_a_busy_store_is_reported_for_each_file(store):
    command = [sys.executable, "-m", "data", "load", CANONICAL, "--db", str(store.path), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    (report,) = json.loads(done.stdout)
    assert (done.returncode, report["rows_loaded"], [problem["code"] for problem in report["problems"]]) == (
        1,
        0,
        ["store"],
    )
    assert "Traceback" not in done.stderr


def test_the_module_runs_and_a_dry_run_imports_no_database():
    script = (
        "import sys; from data.__main__ import main; code = main(sys.argv[1:]); print('duckdb' in sys.modules, code)"
    )
    command = [sys.executable, "-c", script, "load", CANONICAL, "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False 0"
