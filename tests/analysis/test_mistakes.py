"""The mistakes that such a model invites, one test each."""

import json
import math

import numpy as np
import pytest

from analysis.model.breakeven import break_even_spend, spend_regions, team_range
from analysis.model.cashflow import monthly_discount, payback_month
from analysis.model.decision import decide
from analysis.model.evaluation import evaluate
from analysis.model.testing import value_information
from analysis.model.unit_cost import fallback_penalty
from tests.analysis.builders import scenario

RICH = {"spend": {"monthly_gpu_usd": 300_000}}


def config(price, *runs, latencies=(), utilisation=1.0):
    return {
        "price_per_hour": price,
        "throughput_runs": list(runs),
        "latency_ms_runs": list(latencies),
        "utilisation": utilisation,
    }


def measured(baseline, candidate, **more):
    return {"benchmarks": {"baseline": [baseline], "candidate": [candidate]} | more}


def test_seventy_percent_more_work_per_dollar_taken_as_seventy_percent_cheaper():
    found = decide(scenario(vendor={"more_work_per_dollar": 0.7, "haircut": 0}))
    assert 1 - found.ratio_median == pytest.approx(0.7 / 1.7)


def test_up_to_taken_as_a_mean():
    """Half of a claim is not believed by default, and doubt about it stays."""
    found = decide(scenario(vendor={"more_work_per_dollar": 0.7}))
    assert found.log_ratio_mean == pytest.approx(-math.log(1.7) / 2)
    assert found.log_ratio_sd == 0.35


def test_comparing_hourly_prices_without_throughput():
    cheaper_by_the_hour = decide(scenario(**measured(config(50, 200, 200), config(30, 100, 100))))
    assert cheaper_by_the_hour.ratio_median > 1
    assert cheaper_by_the_hour.unit_cost_candidate_usd == pytest.approx(30 / 360_000)


def test_counting_configurations_that_miss_the_objective():
    fast, slow = config(40, 900, latencies=[800]), config(40, 300, latencies=[90])
    marks = {"slo_ms": 100, "baseline": [config(40, 300, latencies=[90])], "candidate": [fast, slow]}
    assert decide(scenario(benchmarks=marks)).unit_cost_candidate_usd == pytest.approx(40 / 3600 / 300)


def test_counting_configurations_without_latency():
    marks = {"slo_ms": 100, "baseline": [config(40, 300, latencies=[90])], "candidate": [config(40, 900)]}
    found = decide(scenario(benchmarks=marks))
    assert (found.candidate_status, found.unit_cost_candidate_usd) == ("latency_missing", None)


def test_latency_of_some_runs_taken_for_all():
    """Throughput of every run counts only with the latency of every run, each at its own load."""
    partly = config(40, 900, 900, 900, latencies=[90, 90])
    marks = {"slo_ms": 100, "baseline": [config(40, 300, latencies=[90])], "candidate": [partly]}
    assert decide(scenario(benchmarks=marks)).candidate_status == "latency_missing"


def test_utilisation_counted_twice():
    found = decide(scenario(**measured(config(36, 100, utilisation=0.5), config(36, 100, utilisation=0.5))))
    assert found.unit_cost_baseline_usd == pytest.approx(2 * 36 / 360_000)


def test_the_utilisation_of_one_platform_on_both():
    found = decide(scenario(**measured(config(36, 100, utilisation=0.5), config(36, 100, utilisation=1.0))))
    assert found.unit_cost_baseline_usd == pytest.approx(2 * found.unit_cost_candidate_usd)


def test_committed_spend_counted_as_saved():
    bound = {"monthly_usd": 300_000, "months_left": 24}
    point = evaluate(scenario(**RICH, commitment=bound, recurring={"releases_per_year": 0}))
    assert not np.asarray(point.now.avoided).any()
    assert point.npv_if_success_usd < 0


def test_stranded_cost_added_again():
    """The value with a commitment is the value without one, less exactly what stays owed."""
    free = evaluate(scenario(**RICH, finance={"annual_discount": 0}))
    bound = evaluate(
        scenario(**RICH, finance={"annual_discount": 0}, commitment={"monthly_usd": 250_000, "months_left": 9})
    )
    assert bound.now.stranded_usd > 0
    assert free.now.value(0.6) - bound.now.value(0.6) == pytest.approx(bound.now.stranded_usd)


def test_fallback_counted_twice_in_end_to_end_numbers():
    work = {"share_native": 0.9, "share_fallback": 0.1}
    marks = measured(config(40, 100, 101), config(40, 100, 101))
    sure = {"vendor": {"sd_log": 50.0}, "test": {"transfer_sd_log": 0}}
    whole = evaluate(scenario(**marks, **sure, workload=work | {"end_to_end_measured": True}))
    part = evaluate(scenario(**marks, **sure, workload=work | {"end_to_end_measured": False}))
    assert whole.belief.mean == pytest.approx(0, abs=1e-3)
    assert part.belief.mean == pytest.approx(math.log(2.9), abs=1e-3)


def test_operator_counts_used_as_time_shares():
    many = scenario(workload={"unsupported_ops": 40})
    assert fallback_penalty(many) == 0
    assert evaluate(many).belief.mean == 0


def test_one_minus_exp_mu_taken_as_the_mean_saving():
    found = decide(scenario(vendor={"more_work_per_dollar": 0.5, "haircut": 0, "sd_log": 0.5}))
    assert found.saving_share_mean == pytest.approx(1 - math.exp(-math.log(1.5) + 0.125))
    assert found.saving_share_mean < 1 - found.ratio_median


def test_averaging_percentages():
    """A ratio of 1/2 and one of 2 cancel out; the mean of −50 % and +100 % does not."""
    others = [{"log_ratio": math.log(0.5), "se": 0.1}, {"log_ratio": math.log(2), "se": 0.1}]
    assert decide(scenario(benchmarks={"external": others})).ratio_median == pytest.approx(1)


def test_what_a_bench_misses_shrinking_with_runs_or_sources():
    many = [{"log_ratio": -0.2, "se": 0.01}] * 200
    found = decide(scenario(benchmarks={"external": many}, vendor={"sd_log": 100.0}))
    assert found.log_ratio_sd == pytest.approx(0.1, rel=1e-3)
    runs = measured(config(40, *[100.0] * 500), config(40, *[100.0] * 500))
    assert decide(scenario(**runs, vendor={"sd_log": 100.0})).log_ratio_sd == pytest.approx(0.1, rel=1e-3)


def test_contradictory_sources_ignored():
    agree = [{"log_ratio": -0.2, "se": 0.05}, {"log_ratio": -0.2, "se": 0.05}]
    fight = [{"log_ratio": -0.7, "se": 0.05}, {"log_ratio": 0.3, "se": 0.05}]
    calm, torn = (decide(scenario(benchmarks={"external": o})) for o in (agree, fight))
    assert "contradictory_benchmarks" in torn.warnings
    assert "contradictory_benchmarks" not in calm.warnings
    assert torn.log_ratio_sd > 1.5 * calm.log_ratio_sd


def test_deciding_on_net_present_value_alone():
    """NPV if it succeeds is positive, and yet nothing should be done: success is far from sure."""
    unlikely = {"success_prior": {"p_base": 0.1}, "vendor": {"more_work_per_dollar": 0.7}}
    found = decide(scenario(spend={"monthly_gpu_usd": 80_000}, **unlikely))
    assert found.npv_if_success_usd > 0
    assert found.decision == "do_nothing"


def test_information_worth_less_than_nothing_or_more_than_perfect():
    for p in np.linspace(0.01, 0.99, 15):
        for telling in (0.5, 0.75, 1.0):
            start = scenario(**RICH, success_prior={"p_base": float(p)}, test={"sensitivity": telling})
            point = evaluate(start)
            found = value_information(point.now, point.belief, point.p_success, start.test)
            assert 0 <= found.evsi <= found.evpi * (1 + 1e-12) + 1e-9


def test_payback_at_the_first_positive_month():
    cash = np.array([-100.0, 120.0, -90.0, 30.0, 30.0, 30.0])
    assert np.cumsum(cash)[1] > 0
    assert payback_month(cash) == pytest.approx(4 + 10 / 30)


def test_zero_infinity_or_nan_for_never():
    never = decide(scenario(vendor={"more_work_per_dollar": -0.5, "haircut": 0, "sd_log": 0.05}))
    assert never.payback_month is never.break_even_spend_usd is never.worth_acting_from_usd is None
    text = json.dumps(never.as_dict(), allow_nan=False)
    assert "Infinity" not in text


def test_annual_rate_divided_by_twelve():
    assert monthly_discount(0.10) == pytest.approx(1.1 ** (-1 / 12))
    assert monthly_discount(0.10) != pytest.approx(1 / (1 + 0.10 / 12), rel=1e-5)


def test_the_horizon_started_at_go_live():
    """Six months later is six months of saving less, not the same saving later."""
    early, late = (
        evaluate(scenario(**RICH, migration={"months": m, "ramp_months": 0}, finance={"annual_discount": 0}))
        for m in (0, 6)
    )
    assert np.count_nonzero(early.now.moved) == 24
    assert np.count_nonzero(late.now.moved) == 18


def test_value_assumed_monotone_in_spend():
    """A low bill is all committed; the break-even is where the last loss ends, and acting pays below it too."""
    start = scenario(
        jobs={"jobs_per_week": 30, "hours_per_job": 6, "instances": 1, "price_per_instance_hour": 50},
        vendor={"more_work_per_dollar": 0.6, "haircut": 0},
        spend={"follow_on_share": 0.0},
        commitment={"monthly_usd": 400_000, "months_left": 24},
    )
    found = break_even_spend(start)
    values = evaluate(start.replace({"spend.monthly_gpu_usd": np.array([found * 0.99, found * 1.01])}))
    assert values.npv_if_success_usd[0] < 0 < values.npv_if_success_usd[1]
    assert found > 400_000 - 1
    assert spend_regions(start)[-1].decision != "do_nothing"


def test_value_assumed_monotone_in_team():
    slow = scenario(
        vendor={"more_work_per_dollar": 0.6, "haircut": 0.2},
        team={"hours_per_week_available": 1, "engaged_max": 9},
        spend={"monthly_gpu_usd": 60_000},
    )
    found = team_range(slow)
    assert 1 < found.min_engineers < found.max_engineers < 2000


def test_four_weeks_taken_as_a_month():
    jobs = {"jobs_per_week": 168, "hours_per_job": 1, "instances": 1, "price_per_instance_hour": 1}
    assert decide(scenario(jobs=jobs)).workload_spend_usd == pytest.approx(730)
    found = decide(scenario(team={"hours_per_week_available": 10, "engineers": 1, "engaged_max": 1}))
    hours = found.validation_hours - 4  # without review
    assert found.validation_months == pytest.approx(hours / (10 * 730 / 168))
