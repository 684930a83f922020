"""The answer: acts, ties, the gate, warnings, and what is null."""

import json
import math

import numpy as np
import pytest

from analysis.errors import ScenarioError
from analysis.model.decision import decide, read_decision
from analysis.model.evaluation import ACTS, best_act, best_acts, evaluate, recommended_acts
from analysis.model.reading import read_scenario
from tests.analysis import naive
from tests.analysis.builders import MEASURED, scenario

RICH = {"spend": {"monthly_gpu_usd": 400_000}}
CLAIM = {"vendor": {"more_work_per_dollar": 0.9, "haircut": 0.1, "sd_log": 0.2}}
JOBS = {"jobs_per_week": 10, "hours_per_job": 4, "instances": 1, "price_per_instance_hour": 40}
FREE_TEST = {
    "effort": dict.fromkeys(
        [
            "setup",
            "learn_per_engineer",
            "report",
            "review_per_engineer",
            "port_per_service",
            "parity_per_service",
            "bench_per_service",
        ],
        0,
    )
    | {"wait_share": 0},
    "test": {"baseline_hours": 0, "candidate_hours": 0, "compile_hours_per_service": 0},
}


@pytest.mark.parametrize(
    ("test", "migrate", "act"),
    [
        (-5, -5, "do_nothing"),
        (0, 0, "do_nothing"),
        (1e-9, -1, "do_nothing"),
        (1e-8, -1, "test"),
        (-1, 1e-9, "do_nothing"),
        (-1, 1e-8, "migrate"),
        (50, 50, "test"),
        (50, 50 + 5e-10, "test"),
        (50, 50.1, "migrate"),
        (50.1, 50, "test"),
    ],
)
def test_ties_go_to_the_less_committing_act(test, migrate, act):
    assert best_act(test, migrate) == act
    assert ACTS[int(best_acts(np.array([test]), np.array([migrate]))[0])] == act


def test_a_full_case_agrees_with_the_plain_model():
    stated = {
        "spend": {"monthly_gpu_usd": 210_000, "growth_monthly": 0.015},
        "jobs": {"jobs_per_week": 55, "hours_per_job": 9, "instances": 1, "price_per_instance_hour": 38},
        "commitment": {"monthly_usd": 90_000, "months_left": 5, "portable_share": 0.2},
        "team": {"engineers": 7, "loaded_usd_per_hour": 131},
        "workload": {"services": 3, "services_tested": 2, "custom_kernels": 1, "unsupported_ops": 2,
                     "share_native": 0.95, "share_fallback": 0.04, "share_unsupported": 0.01, "fallback_slowdown": 2,
                     "compile_hours_per_job": 0.4, "cache_miss_rate": 0.25, "end_to_end_measured": False},
        "benchmarks": MEASURED | {"external": [{"log_ratio": -0.3, "se": 0.15}]},
        "vendor": {"more_work_per_dollar": 0.5, "haircut": 0.4},
        "evidence": {"successes": 2, "trials": 3, "relevance": 0.6},
        "finance": {"annual_discount": 0.12, "horizon_months": 30},
    }  # fmt: skip
    expected, found = naive.solve(stated), decide(read_scenario(stated))
    assert found.values_usd["test"] == pytest.approx(expected["test"], rel=1e-9)
    assert found.values_usd["migrate"] == pytest.approx(expected["migrate"], rel=1e-9)
    assert found.evsi_usd == pytest.approx(expected["evsi_usd"], rel=1e-6)
    assert found.probability_go == pytest.approx(expected["probability_go"], rel=1e-9)
    assert found.payback_month == pytest.approx(expected["payback_month"], rel=1e-9)
    assert found.payback_month_discounted == pytest.approx(expected["payback_month_discounted"], rel=1e-9)
    annual = (1 + found.irr_monthly) ** 12 - 1
    rate = sum(x / (1 + annual) ** (t / 12) for t, x in enumerate(expected["cash"]))
    assert rate == pytest.approx(0, abs=1e-4)


def test_each_act_can_be_best():
    idle = decide(scenario(spend={"monthly_gpu_usd": 3_000}))
    test = decide(scenario(**RICH, vendor={"more_work_per_dollar": 0.5}))
    migrate = decide(scenario(**RICH, benchmarks=MEASURED, success_prior={"p_base": 0.99}))
    assert [d.decision for d in (idle, test, migrate)] == ["do_nothing", "test", "migrate"]
    for decision in (idle, test, migrate):
        assert decision.values_usd[decision.decision] == max(decision.values_usd.values())
        assert decision.values_usd["do_nothing"] == 0
        assert decision.net_value_of_test_usd == pytest.approx(
            decision.values_usd["test"] - max(0, decision.values_usd["migrate"])
        )


@pytest.mark.parametrize("side", ["baseline", "candidate", None])
def test_migrating_waits_for_an_own_benchmark_on_both_platforms(side):
    marks = {side: MEASURED[side]} if side else {}
    prior = {"p_base": 0.999}
    gated = decide(scenario(**RICH, **CLAIM, benchmarks=marks, success_prior=prior))
    assert (gated.decision, gated.recommendation) == ("migrate", "test")
    assert "migrate_gated_no_own_benchmark" in gated.warnings
    free = decide(
        scenario(**RICH, **CLAIM, benchmarks=marks, success_prior=prior, policy={"require_own_benchmark": False})
    )
    assert free.recommendation == "migrate"
    assert "migrate_gated_no_own_benchmark" not in free.warnings
    assert free.values_usd == gated.values_usd


def test_with_a_measurement_on_both_the_gate_is_open():
    decision = decide(scenario(**RICH, **CLAIM, benchmarks=MEASURED, success_prior={"p_base": 0.999}))
    assert decision.recommendation == decision.decision == "migrate"
    assert decision.warnings == ()


def test_a_gated_migration_becomes_nothing_where_the_test_is_worth_less_than_nothing():
    long = {"duration_months": 23}
    decision = decide(scenario(**RICH, **CLAIM, test=long, success_prior={"p_base": 0.999}))
    assert decision.values_usd["test"] < 0 < decision.values_usd["migrate"]
    assert (decision.decision, decision.recommendation) == ("migrate", "do_nothing")
    assert "migrate_gated_no_own_benchmark" in decision.warnings


def test_recommendations_at_many_points_are_those_of_each():
    start = scenario(**CLAIM)
    bills = np.logspace(3, 7, 15)
    many = recommended_acts(start, evaluate(start.replace({"spend.monthly_gpu_usd": bills})), bills.shape)
    for bill, act in zip(bills, many, strict=True):
        alone = decide(scenario(**CLAIM, spend={"monthly_gpu_usd": float(bill)}))
        assert ACTS[int(act)] == alone.recommendation


@pytest.mark.parametrize(
    ("sections", "warning"),
    [
        ({"benchmarks": MEASURED | {"slo_ms": 100}}, "baseline_latency_missing"),
        ({"benchmarks": MEASURED | {"slo_ms": 100}}, "candidate_latency_missing"),
        ({"benchmarks": {"slo_ms": 9, "candidate": [MEASURED["candidate"][0] | {"latency_ms_runs": [10, 8, 8]}]}},
         "candidate_slo_not_met"),
        ({"benchmarks": {"slo_ms": 9, "baseline": [MEASURED["baseline"][0] | {"latency_ms_runs": [10, 8, 8]}]}},
         "baseline_slo_not_met"),
        ({"benchmarks": {"external": [{"log_ratio": 0.5, "se": 0.05}, {"log_ratio": -0.5, "se": 0.05}]}},
         "contradictory_benchmarks"),
        ({"spend": {"monthly_gpu_usd": 100}, "jobs": JOBS}, "job_spend_exceeds_monthly_spend"),
        ({"commitment": {"monthly_usd": 50_001}}, "commitment_exceeds_spend"),
    ],
)  # fmt: skip
def test_warnings(sections, warning):
    assert warning in decide(scenario(**sections)).warnings


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"benchmarks": {"slo_ms": 100}},
        {"benchmarks": {"external": [{"log_ratio": 0.5, "se": 0.05}]}},
        {"benchmarks": {"external": [{"log_ratio": 0.1, "se": 0.1}, {"log_ratio": 0.12, "se": 0.1}]}},
        {"jobs": JOBS},
        {"jobs": JOBS, "spend": {"monthly_gpu_usd": 10 * 730 / 168 * 160}},
        {"commitment": {"monthly_usd": 50_000}},
    ],
)
def test_no_warning_without_reason(sections):
    assert decide(scenario(**sections)).warnings == ()


def test_a_missed_objective_lowers_the_chance_and_keeps_the_throughput_out():
    fast = MEASURED["candidate"][0] | {"throughput_runs": [9_000.0], "latency_ms_runs": [500]}
    marks = {"slo_ms": 100, "baseline": [MEASURED["baseline"][0] | {"latency_ms_runs": [50, 50, 50]}]}
    missed = decide(scenario(benchmarks=marks | {"candidate": [fast]}))
    assert missed.candidate_status == "slo_not_met"
    assert missed.success_probability == pytest.approx(0.85 * 0.25)
    assert missed.unit_cost_candidate_usd is None
    assert missed.log_ratio_mean == 0


def test_null_means_never_or_not_defined():
    idle = decide(scenario(spend={"monthly_gpu_usd": 0}))
    assert idle.payback_month is idle.payback_month_discounted is idle.irr_monthly is None
    assert idle.break_even_ratio is idle.break_even_jobs_per_week is None
    assert idle.ratio_if_go is idle.value_if_go_usd is idle.payback_month_if_go is None
    assert idle.probability_go == 0
    assert (idle.team_range.min_engineers, idle.team_range.max_engineers) == (None, None)


def test_at_the_break_even_ratio_the_arm_after_a_test_is_worth_nothing():
    decision = decide(scenario(**RICH))
    point = evaluate(scenario(**RICH))
    assert point.after_test.value(decision.break_even_ratio) == pytest.approx(0, abs=1e-6)
    assert decision.npv_if_success_usd == pytest.approx(
        point.after_test.value(decision.ratio_mean) - decision.validation_cost_usd
    )


def test_a_free_and_instant_test_is_never_worse_than_migrating_untested():
    both = decide(scenario(**RICH, **FREE_TEST, **CLAIM))
    assert both.validation_cost_usd == 0
    assert both.values_usd["test"] >= both.values_usd["migrate"]
    assert both.net_value_of_test_usd == pytest.approx(both.evsi_usd)
    assert both.payback_month is not None


def test_saving_by_the_published_numbers():
    decision = decide(scenario(vendor={"more_work_per_dollar": 0.7, "haircut": 0, "sd_log": 1e-9}))
    assert decision.saving_share_mean == pytest.approx(0.4118, abs=5e-5)
    assert decision.saving_share_90 == pytest.approx((0.4118, 0.4118), abs=5e-5)
    assert decision.probability_saving_positive == 1


def test_a_decision_written_and_read_is_the_same():
    decision = decide(scenario(**RICH, benchmarks=MEASURED))
    written = json.loads(json.dumps(decision.as_dict(), allow_nan=False))
    assert read_decision(written).as_dict() == decision.as_dict()
    assert all(type(row["usd"]) is float for row in written["validation_breakdown"])


@pytest.mark.parametrize(
    "sections",
    [
        {"spend": {"growth_monthly": 9}, "finance": {"horizon_months": 600}},
        {"spend": {"monthly_gpu_usd": 1e308}},
        {"benchmarks": {"external": [{"log_ratio": 5_000, "se": 0.01}]}},
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_overflows_is_an_input_error(sections):
    with pytest.raises(ScenarioError, match="too large"):
        decide(scenario(**sections))


@pytest.mark.parametrize(
    "sections",
    [
        pytest.param({"team": {"engineers": 10**25}}, id="engineers"),
        pytest.param({"workload": {"services": 10**400}}, id="services"),
        pytest.param({"workload": {"custom_kernels": 10**400}}, id="kernels"),
        pytest.param({"test": {"runs": 10**400}}, id="runs"),
        pytest.param({"vendor": {"sd_log": 1e-200}}, id="no doubt"),
        pytest.param({"vendor": {"sd_log": 1e200}}, id="all doubt"),
        pytest.param({"benchmarks": {"external": [{"log_ratio": 0, "se": 1e-200}]}}, id="exact"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_extreme_inputs_are_decided_or_refused(sections):
    try:
        decision = decide(scenario(**sections))
    except ScenarioError:
        return
    json.dumps(decision.as_dict(), allow_nan=False)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_output_is_infinite():
    try:
        decision = decide(scenario(team={"hours_per_week_available": 1e-320}))
    except ScenarioError:
        return
    assert math.isfinite(decision.validation_months)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_going_live_long_after_the_horizon_is_only_a_cost():
    growing = decide(scenario(migration={"months": 20_000}, spend={"growth_monthly": 0.05}))
    assert growing.decision == "do_nothing"
