"""Derivatives of the whole model against central differences, and kinks where inputs are placed on one."""

import math

import pytest
from hypothesis import given, settings

from analysis.model.elasticity import OUTPUTS, compute_elasticities, input_value, real_inputs
from analysis.model.evaluation import evaluate
from analysis.model.reading import read_scenario
from tests.analysis.builders import MEASURED, scenario
from tests.analysis.random_scenarios import scenarios

CLAIM = {"vendor": {"more_work_per_dollar": 0.7}}
SMOOTH = {
    "claim": CLAIM | {"spend": {"monthly_gpu_usd": 61_000.0, "growth_monthly": 0.012}},
    "measured": {
        "benchmarks": MEASURED | {"external": [{"log_ratio": -0.1, "se": 0.2}]},
        "spend": {"monthly_gpu_usd": 210_000.0},
        "evidence": {"successes": 1.5, "trials": 2.0},
    },
    "jobs": {
        "jobs": {"jobs_per_week": 31.0, "hours_per_job": 6.0, "instances": 1.0, "price_per_instance_hour": 41.5},
        "spend": {"monthly_gpu_usd": 83_000.0, "growth_monthly": 0.01, "migratable_share": 0.8},
        "commitment": {"monthly_usd": 30_000.0, "months_left": 7.5, "portable_share": 0.2},
        "workload": {
            "custom_kernels": 2,
            "unsupported_ops": 3,
            "share_native": 0.95,
            "share_fallback": 0.03,
            "share_unsupported": 0.02,
            "compile_hours_per_job": 0.3,
            "cache_miss_rate": 0.2,
        },
        "migration": {"data_gb": 5e5, "failure_extra_usd": 3e4},
        "evidence": {"successes": 1.0, "trials": 2.0},
        **CLAIM,
    },
}


def outputs(point):
    net = point.test_usd - max(0.0, point.migrate_usd)
    return dict(zip(OUTPUTS, (point.npv_if_success_usd, net, point.test_cost.usd), strict=True))


def difference(start, name, output, step):
    base = input_value(start, name)
    low, high = (outputs(evaluate(start.replace({name: base + side * step})))[output] for side in (-1, 1))
    return float(high - low) / (2 * step), 1e-15 * (abs(low) + abs(high)) / step


@pytest.mark.parametrize("stated", SMOOTH.values(), ids=SMOOTH)
def test_derivatives_are_central_differences_away_from_kinks(stated):
    start = read_scenario(stated)
    checked = 0
    for entry in compute_elasticities(start):
        base = input_value(start, entry.name)
        if entry.near_kink or (base == 0 and entry.name.startswith(("commitment.", "workload.", "migration."))):
            continue  # at 0 a clip or a step may begin
        for step in (1e-5, 1e-4, 1e-3):
            slope, rounding = difference(start, entry.name, entry.output, step * (abs(base) or 1.0))
            if slope == pytest.approx(entry.derivative, rel=1e-5, abs=20 * rounding + 1e-9):
                break
        else:
            pytest.fail(f"{entry.output} by {entry.name}: {entry.derivative}, by differences {slope}")
        checked += 1
    assert checked > 100


@pytest.mark.parametrize("stated", SMOOTH.values(), ids=SMOOTH)
def test_elasticities_are_percent_per_percent(stated):
    start = read_scenario(stated)
    now = outputs(evaluate(start))
    for entry in compute_elasticities(start):
        expected = entry.derivative * input_value(start, entry.name) / now[entry.output]
        assert entry.elasticity == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_price_of_an_hour_of_work_by_hand():
    start = scenario(test={"baseline_hours": 0.0, "candidate_hours": 0.0, "compile_hours_per_service": 0.0})
    found = {(e.output, e.name): e for e in compute_elasticities(start)}
    rate = found["validation_cost_usd", "team.loaded_usd_per_hour"]
    assert rate.elasticity == pytest.approx(1)
    assert rate.derivative == pytest.approx(float(evaluate(start).test_cost.hours))
    assert ("validation_cost_usd", "spend.growth_monthly") not in found, "growth is no part of the test's cost"


KINKS = {
    "billed hours": ({"test": {"baseline_hours": 24.0}}, "validation_cost_usd", "test.baseline_hours"),
    "just above billed hours": (
        {"test": {"baseline_hours": 24.02}},
        "validation_cost_usd",
        "test.baseline_hours",
    ),
    "committed spend": (
        {"spend": {"monthly_gpu_usd": 5e4}, "commitment": {"monthly_usd": 5e4, "months_left": 12.5}},
        "npv_if_success_usd",
        "commitment.monthly_usd",
    ),
}


@pytest.mark.parametrize("kink", KINKS)
def test_an_input_on_a_kink_is_marked(kink):
    stated, output, name = KINKS[kink]
    found = {(e.output, e.name): e for e in compute_elasticities(read_scenario(stated))}
    assert found[output, name].near_kink


def test_an_input_well_beside_a_kink_is_not_marked():
    found = compute_elasticities(scenario(test={"baseline_hours": 30.0}))
    assert not any(e.near_kink for e in found if e.name == "test.baseline_hours")


@pytest.mark.parametrize("name", ["migration.months", "test.duration_months"])
def test_going_live_exactly_at_the_end_of_a_month_is_marked(name):
    """There validation of releases sets in, a step in the value, and another month begins to save, a kink."""
    start = scenario(test={"duration_months": 0.5}, migration={"months": 1.5})
    found = {(e.output, e.name): e for e in compute_elasticities(start)}
    assert found["npv_if_success_usd", name].near_kink


def test_rounding_is_not_taken_for_a_kink():
    """Without evidence the weight of the prior cancels out: its derivative is 0, on both sides."""
    found = compute_elasticities(scenario(**CLAIM))
    assert not any(e.near_kink for e in found if e.name == "success_prior.concentration")


def test_only_real_numbers_that_are_stated_are_inputs():
    names = real_inputs(scenario())
    assert "effort.setup" in names
    assert not {"team.engineers", "jobs.jobs_per_week", "benchmarks.slo_ms", "policy.require_own_benchmark"} & set(
        names
    )
    assert "vendor.more_work_per_dollar" in real_inputs(scenario(**CLAIM))


@settings(max_examples=15, deadline=None)
@given(scenarios)
def test_they_are_always_finite(stated):
    for entry in compute_elasticities(read_scenario(stated)):
        assert math.isfinite(entry.derivative), entry
        assert entry.elasticity is None or math.isfinite(entry.elasticity), entry


@pytest.mark.parametrize(
    "sections",
    [
        {"spend": {"monthly_gpu_usd": 0.0}},
        {"spend": {"monthly_gpu_usd": 1e12}},
        {"team": {"engineers": 10_000}},
        {"finance": {"horizon_months": 1}},
        {"migration": {"ramp_months": 0.0, "months": 0.0}},
        {"workload": {"share_native": 0.0, "share_fallback": 1.0}},
        {"test": {"sensitivity": 0.0, "specificity": 1.0, "run_sd_log": 0.0, "transfer_sd_log": 0.0}},
        {"test": {"sensitivity": 1.0, "specificity": 1.0}},
        {"test": {"baseline_hours": 0.0, "duration_months": 0.0}},
    ],
)
def test_at_the_edges_they_are_finite(sections):
    for entry in compute_elasticities(scenario(**sections)):
        assert math.isfinite(entry.derivative), entry
        assert entry.elasticity is None or math.isfinite(entry.elasticity), entry
