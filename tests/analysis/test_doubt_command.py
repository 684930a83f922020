"""`python -m analysis decide --uncertainty --timing --sensitivity`: the documented names, and numbers only."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.__main__ import main
from analysis.model.decision import decide
from analysis.model.evaluation import ACTS
from analysis.model.reading import read_scenario

ROOT = Path(__file__).resolve().parents[2]
STATED = {
    "vendor": {"more_work_per_dollar": 0.7},
    "jobs": {"jobs_per_week": 20, "hours_per_job": 5, "instances": 1, "price_per_instance_hour": 45},
    "spend": {"monthly_gpu_usd": 60_000},
    "finance": {"horizon_months": 18},
    "timing": {"horizon_months": 6},
    "ranges": {"effort.setup": {"low": 20, "high": 30}, "effort.per_kernel": {"sd": 10}},
}
SPREAD = {"mean", "p5", "p25", "p50", "p75", "p95"}


def call(tmp_path, capsys, *options, stated=STATED, status=0):
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(stated), encoding="utf-8")
    assert main(["decide", str(path), *options]) == status

    def refuse(constant):
        raise AssertionError(f"{constant} in the output")

    return json.loads(capsys.readouterr().out, parse_constant=refuse)


def test_without_flags_nothing_is_added(tmp_path, capsys):
    plain = call(tmp_path, capsys)
    assert not {"uncertainty", "timing", "sensitivity"} & set(plain)
    assert set(plain) == set(decide(read_scenario(STATED)).as_dict())


def test_uncertainty_has_the_documented_names(tmp_path, capsys):
    found = call(tmp_path, capsys, "--uncertainty", "--draws", "64", "--seed", "7")["uncertainty"]
    assert set(found) == {
        "draws",
        "seed",
        "cumulative_cash_usd",
        "npv_if_success_usd",
        "net_value_of_test_usd",
        "payback_month",
        "probability_pays_back",
        "act_probability",
        "inputs",
    }
    assert (found["draws"], found["seed"]) == (64, 7)
    assert set(found["cumulative_cash_usd"]) == SPREAD - {"mean"}
    assert {len(row) for row in found["cumulative_cash_usd"].values()} == {19}
    for name in ("npv_if_success_usd", "net_value_of_test_usd", "payback_month"):
        assert set(found[name]) == SPREAD
    assert set(found["act_probability"]) == set(ACTS)
    drawn = {entry["field"]: entry for entry in found["inputs"]}
    assert drawn["effort.setup"] == {"field": "effort.setup", "low": 20, "base": 24, "high": 30}
    assert "finance.horizon_months" not in drawn


def test_timing_has_the_documented_names(tmp_path, capsys):
    found = call(tmp_path, capsys, "--timing")["timing"]
    assert set(found) == {
        "action_now",
        "value_now",
        "value_if_must_act_now",
        "value_of_waiting",
        "probability_never_acts",
        "expected_month_given_acts",
        "act_probability_by_month",
    }
    assert len(found["act_probability_by_month"]) == 6


def test_sensitivity_has_the_documented_names(tmp_path, capsys):
    found = call(tmp_path, capsys, "--sensitivity", "--draws", "16")["sensitivity"]
    assert set(found) == {"tornado", "elasticities", "sobol", "frontiers", "information"}
    assert set(found["tornado"][0]) == {
        "name",
        "low",
        "base",
        "high",
        "npv_if_success_usd",
        "net_value_of_test_usd",
        "acts",
        "flips_at",
        "flips_to",
    }
    assert set(found["elasticities"][0]) == {"output", "name", "derivative", "elasticity", "near_kink"}
    assert set(found["sobol"][0]) == {"name", "first", "first_interval", "total", "total_interval"}
    assert set(found["frontiers"]) == {"spend_by_jobs", "spend_by_team"}
    for frontier in found["frontiers"].values():
        assert set(frontier) == {"x", "y", "x_values", "y_values", "acts", "now"}
        assert len(frontier["acts"]) == len(frontier["y_values"]) == 60
        assert {act for row in frontier["acts"] for act in row} <= set(ACTS)
    assert set(found["information"]) == {
        "evpi_usd",
        "evppi_technical_usd",
        "evppi_ratio_usd",
        "evsi_usd",
        "evsi_by_runs",
        "net_value_by_duration",
    }
    assert set(found["information"]["evsi_by_runs"][0]) == {"runs", "usd"}
    assert set(found["information"]["net_value_by_duration"][0]) == {"months", "usd"}


def test_all_of_it_at_once_agrees_with_the_decision(tmp_path, capsys):
    found = call(tmp_path, capsys, "--uncertainty", "--timing", "--sensitivity", "--draws", "16")
    information = found["sensitivity"]["information"]
    for name in ("evpi_usd", "evppi_technical_usd", "evppi_ratio_usd", "evsi_usd"):
        assert information[name] == pytest.approx(found[name], rel=1e-9, abs=1e-6)
    best = max(found["values_usd"].values())
    assert found["timing"]["value_if_must_act_now"] == pytest.approx(best, rel=1e-9, abs=1e-6)


def test_without_jobs_there_is_no_map_over_them(tmp_path, capsys):
    stated = {name: value for name, value in STATED.items() if name != "jobs"}
    found = call(tmp_path, capsys, "--sensitivity", "--draws", "4", stated=stated)
    assert found["sensitivity"]["frontiers"]["spend_by_jobs"] is None


def test_what_never_pays_back_is_null(tmp_path, capsys):
    stated = {"spend": {"monthly_gpu_usd": 0}}
    found = call(tmp_path, capsys, "--uncertainty", "--timing", "--draws", "16", stated=stated)
    assert found["uncertainty"]["payback_month"] is None
    assert found["uncertainty"]["probability_pays_back"] == 0
    assert found["timing"]["expected_month_given_acts"] is None


@pytest.mark.parametrize("draws", ["0", "1", "-5", "1000001", "many", "2.5"])
def test_a_number_of_draws_out_of_bounds_is_refused(tmp_path, capsys, draws):
    with pytest.raises(SystemExit) as caught:
        call(tmp_path, capsys, "--uncertainty", "--draws", draws)
    assert caught.value.code == 2
    assert "--draws" in capsys.readouterr().err


def test_two_draws_are_enough_for_an_answer(tmp_path, capsys):
    call(tmp_path, capsys, "--uncertainty", "--sensitivity", "--draws", "2")


@pytest.mark.parametrize("option", ["--uncertainty", "--sensitivity"])
@pytest.mark.parametrize(
    ("ranges", "field", "words"),
    [
        ({"effort.setup": {"low": 30, "high": 20}}, "ranges.effort.setup", "low ≤ value ≤ high"),
        ({"effort.setpu": {"low": 30}}, "ranges.effort.setpu", "did you mean effort.setup?"),
        ({"vendor.haircut": {"high": 2}}, "vendor.haircut", "in [0,1]"),
    ],
)
def test_a_wrong_range_is_an_input_error(tmp_path, capsys, option, ranges, field, words):
    found = call(tmp_path, capsys, option, stated={"ranges": ranges}, status=2)
    assert found["field"] == field
    assert words in found["error"]


def test_a_wrong_range_is_said_without_a_flag_too(tmp_path, capsys):
    call(tmp_path, capsys, stated={"ranges": {"effort.setpu": {"low": 30}}}, status=2)


def test_the_real_program():
    command = [sys.executable, "-m", "analysis", "decide", "-", "--uncertainty", "--timing", "--draws", "8"]
    done = subprocess.run(
        command, input=json.dumps(STATED), capture_output=True, text=True, cwd=ROOT, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {"uncertainty", "timing"} < set(json.loads(done.stdout))


NO_TORCH = """
import importlib, pathlib, sys
for file in [*pathlib.Path("pages").rglob("*.py"), *pathlib.Path("analysis").rglob("*.py")]:
    # A page script runs only in the app; what it imports is what counts.
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("from ") and " import " in line:
            importlib.import_module(line.split()[1])
from analysis.model.decision import decide
from analysis.model.reading import read_scenario
decide(read_scenario({}))
from analysis.model.timing import plan_timing
from analysis.model.tornado import draw_tornado
plan_timing(read_scenario({}))
draw_tornado(read_scenario({}))
assert "torch" not in sys.modules, "torch was imported before it was needed"
"""


def test_torch_is_not_imported_before_the_first_answer():
    done = subprocess.run(
        [sys.executable, "-c", NO_TORCH], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
