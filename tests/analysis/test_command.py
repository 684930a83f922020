"""`python -m analysis decide`, in process and as a program of its own."""

import csv
import io
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from analysis.__main__ import main
from data.ingest import load
from data.store import open_store

ROOT = Path(__file__).resolve().parents[2]
BENCHMARK_NAMES = (
    "model,platform,instance_type,precision,engine,concurrency,input_tokens,output_tokens,"
    "price_usd_per_hour,output_tok_per_s,req_per_s,e2e_ms_p99"
)


def as_csv(header: str, *rows: tuple) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([header.split(","), *rows])
    return text.getvalue().encode()


def measured(platform: str, instance: str, price: object, *rates: float, model: str = "toy-7b", p99: float = 900.0):
    rows = [(model, platform, instance, "bf16", "toy", 8, 512, 128, price, rate, rate / 128, p99) for rate in rates]
    return as_csv(BENCHMARK_NAMES, *rows)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    """A store with two models measured on both platforms, the later one toy-13b, and a coverage report."""
    path = tmp_path_factory.mktemp("store") / "store.duckdb"
    operators = as_csv(
        "operator,role,status,calls,time_us,backend,version,mode,model",
        ("aten.mm", "used", "native", 10, 900, "neuron", "2.33", "eager", "toy-13b"),
        ("aten.sort", "used", "fallback", 1, 60, "neuron", "2.33", "eager", "toy-13b"),
        ("toy.op", "used", "unsupported", 1, 40, "neuron", "2.33", "eager", "toy-13b"),
    )
    files = {
        "old_gpu.csv": measured("cuda", "gpu.one", 40, 1000, 1010),
        "old_trn.csv": measured("neuron", "trn.one", 30, 500, 505),
        "gpu.csv": measured("cuda", "gpu.one", 40, 2000, 2040, 1960, model="toy-13b", p99=800.0),
        "trn.csv": measured("neuron", "trn.one", 30, 1900, 1938, 1862, model="toy-13b", p99=950.0),
        "operators.csv": operators,
    }
    with closing(open_store(path)) as store:
        for name, content in files.items():
            report = load(store, name, content)
            assert report.rows_loaded, report
    return path


def decided(capsys, *arguments, status=0):
    assert main(["decide", *map(str, arguments)]) == status
    return json.loads(capsys.readouterr().out)


def written(tmp_path, values, name="scenario.json"):
    path = tmp_path / name
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def test_a_file_is_decided(tmp_path, capsys):
    result = decided(capsys, written(tmp_path, {"spend": {"monthly_gpu_usd": 321_000}}))
    assert result["monthly_spend_usd"] == 321_000
    assert result["decision"] in ("do_nothing", "test", "migrate")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path, capsys):
    path = tmp_path / "scenario.json"
    path.write_text('\ufeff{"team": {"engineers": 3}}', encoding="utf-8")
    assert decided(capsys, path)["validation_hours"] > 0


def test_a_dash_means_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"spend": {"monthly_gpu_usd": 12345}}'))
    assert decided(capsys, "-")["monthly_spend_usd"] == 12345


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ('{"team": {"enginers": 3}}', "team.enginers", "did you mean engineers?"),
        ('{"team": {"engineers": 0}}', "team.engineers", "at least 1"),
        ("[1, 2]", "", "JSON object"),
        ("{nonsense", "", "not valid JSON"),
        ('{"finance": {"annual_discount": NaN}}', "finance.annual_discount", "finite"),
        ('{"finance": {"annual_discount": 1e999}}', "finance.annual_discount", "finite"),
        ('{"spend": {"growth_monthly": 9}, "finance": {"horizon_months": 600}}', "", "too large"),
    ],
)
def test_an_input_error_is_json_on_standard_output_and_exit_2(tmp_path, capsys, text, field, words):
    path = tmp_path / "scenario.json"
    path.write_text(text, encoding="utf-8")
    result = decided(capsys, path, status=2)
    assert set(result) == {"error", "field"}
    assert result["field"] == field
    assert words in result["error"]


def test_a_file_that_is_not_there_is_an_input_error(tmp_path, capsys):
    assert "cannot read" in decided(capsys, tmp_path / "none.json", status=2)["error"]


def test_a_file_that_is_not_text_is_an_input_error(tmp_path, capsys):
    path = tmp_path / "scenario.json"
    path.write_bytes(b"\xff\xfe\x00\x01\x80")
    assert "cannot read" in decided(capsys, path, status=2)["error"]


def test_the_real_program(tmp_path):
    def call(text):
        command = [sys.executable, "-m", "analysis", "decide", "-"]
        return subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT, timeout=60)

    good = call('{"vendor": {"more_work_per_dollar": 0.7, "haircut": 0}}')
    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout)["ratio_median"] == pytest.approx(1 / 1.7)
    assert not good.stderr
    bad = call('{"vendor": {"haircut": 1.5}}')
    assert bad.returncode == 2
    assert json.loads(bad.stdout) == {"error": "haircut must be in [0,1]", "field": "vendor.haircut"}


def test_a_store_fills_in_the_newest_model_on_both_platforms(tmp_path, capsys, db):
    result = decided(capsys, written(tmp_path, {}), "--db", db)
    assert result["baseline_status"] == result["candidate_status"] == "ok"
    gpu, trn = 40 / 3600 / (2000 * 2040 * 1960) ** (1 / 3), 30 / 3600 / (1900 * 1938 * 1862) ** (1 / 3)
    assert result["unit_cost_baseline_usd"] == pytest.approx(gpu)
    assert result["unit_cost_candidate_usd"] == pytest.approx(trn)
    # 90 % native, one operator that fails: 0.85 · 0.9² · 0.97.
    assert result["success_probability"] == pytest.approx(0.85 * 0.9**2 * 0.97)


def test_a_model_can_be_chosen(tmp_path, capsys, db):
    result = decided(capsys, written(tmp_path, {}), "--db", db, "--model", "toy-7b")
    assert result["unit_cost_candidate_usd"] == pytest.approx(30 / 3600 / (500 * 505) ** 0.5)
    assert result["success_probability"] == pytest.approx(0.85), "the coverage report is of another model"


def test_a_metric_can_be_chosen(tmp_path, capsys, db):
    tokens = decided(capsys, written(tmp_path, {}), "--db", db)
    requests = decided(capsys, written(tmp_path, {}), "--db", db, "--metric", "req_per_s")
    assert requests["unit_cost_baseline_usd"] == pytest.approx(128 * tokens["unit_cost_baseline_usd"])
    assert requests["ratio_mean"] == pytest.approx(tokens["ratio_mean"])


def test_platforms_can_be_chosen(tmp_path, capsys, db):
    swapped = decided(capsys, written(tmp_path, {}), "--db", db, "--baseline", "neuron", "--candidate", "cuda")
    assert swapped["unit_cost_baseline_usd"] < swapped["unit_cost_candidate_usd"]
    other = decided(capsys, written(tmp_path, {}), "--db", db, "--candidate", "rocm")
    assert other["candidate_status"] == "no_configuration"


def test_the_objective_counts_against_the_latencies_in_the_store(tmp_path, capsys, db):
    result = decided(capsys, written(tmp_path, {"benchmarks": {"slo_ms": 900}}), "--db", db)
    assert (result["baseline_status"], result["candidate_status"]) == ("ok", "slo_not_met")
    assert "candidate_slo_not_met" in result["warnings"]
    other = {"benchmarks": {"slo_ms": 900, "slo_metric": "ttft_ms_p99"}}
    assert decided(capsys, written(tmp_path, other), "--db", db)["baseline_status"] == "latency_missing"


def test_what_the_scenario_states_is_not_replaced_by_the_store(tmp_path, capsys, db):
    stated = {
        "workload": {"share_native": 1.0, "unsupported_ops": 0},
        "benchmarks": {"candidate": [{"price_per_hour": 36, "throughput_runs": [100]}]},
    }
    result = decided(capsys, written(tmp_path, stated), "--db", db)
    assert result["unit_cost_candidate_usd"] == pytest.approx(36 / 3600 / 100)
    assert result["baseline_status"] == "no_configuration"
    assert result["success_probability"] == pytest.approx(0.85)


def test_without_a_store_the_fields_for_it_change_nothing(tmp_path, capsys):
    plain = decided(capsys, written(tmp_path, {}))
    chosen = decided(capsys, written(tmp_path, {}), "--model", "any", "--metric", "req_per_s")
    assert chosen == plain


def test_an_empty_store_is_no_evidence(tmp_path, capsys):
    path = tmp_path / "empty.duckdb"
    open_store(path).close()
    assert decided(capsys, written(tmp_path, {}), "--db", path) == decided(capsys, written(tmp_path, {}))


def test_a_store_that_is_not_there_is_an_input_error_and_is_not_made(tmp_path, capsys):
    path = tmp_path / "none.duckdb"
    result = decided(capsys, written(tmp_path, {}), "--db", path, status=2)
    assert result["field"] == "--db"
    assert not path.exists()


def test_a_file_that_is_no_store_is_an_input_error(tmp_path, capsys):
    path = tmp_path / "notes.duckdb"
    path.write_text("not a database", encoding="utf-8")
    assert decided(capsys, written(tmp_path, {}), "--db", path, status=2)["field"] == "--db"
