import math

import numpy as np
import pytest

from analysis.model.scenario import Configuration
from analysis.model.unit_cost import (
    fallback_penalty,
    latency_status,
    log_cost,
    platform_cost,
    platform_costs,
    pool_ratios,
    unit_cost,
)
from tests.analysis.builders import MEASURED, scenario


def configuration(*runs, latencies=(), price=36.0, utilisation=1.0):
    return Configuration(price_per_hour=price, throughput_runs=runs, latency_ms_runs=latencies, utilisation=utilisation)


def pool(**sections):
    start = scenario(**sections)
    return pool_ratios(start, *platform_costs(start), fallback_penalty(start))


def test_cost_per_unit_is_price_over_work_done_in_the_paid_time():
    # 36 USD/h at 100/s, busy half of the time: 180,000 units an hour.
    assert unit_cost(36.0, 100.0, 0.5) == pytest.approx(36 / 180_000)


@pytest.mark.parametrize(("price", "rate"), [(40.0, 100.0), (41.0, 100.0), (40.0, 99.0)])
def test_hourly_price_alone_says_nothing(price, rate):
    """A dearer machine that does more per hour is the cheaper one."""
    fast = platform_cost((configuration(150.0, price=50.0),), None, 0.05)
    slow = platform_cost((configuration(rate, price=price),), None, 0.05)
    assert fast.usd_per_unit < slow.usd_per_unit


def test_runs_are_pooled_on_the_log_scale():
    cost, variance = log_cost(configuration(100.0, 400.0), run_sd_log=0.05)
    assert cost == pytest.approx(math.log(36 / 3600 / 200))  # the geometric mean of the rates is 200
    sd = math.log(4) / math.sqrt(2)  # of two values, half a log-step of 4 either side, ddof 1
    assert variance == pytest.approx(sd**2 / 2)


def test_one_run_has_the_assumed_spread_and_equal_runs_a_tiny_one():
    assert log_cost(configuration(100.0), run_sd_log=0.07)[1] == pytest.approx(0.07**2)
    assert log_cost(configuration(100.0, 100.0, 100.0), run_sd_log=0.07)[1] == pytest.approx(1e-12 / 3)


@pytest.mark.parametrize(
    ("latencies", "slo", "status"),
    [
        ((), None, "ok"),
        ((), 300, "latency_missing"),
        ((299.0, 300.0), 300, "ok"),
        ((299.0, 301.0), 300, "slo_not_met"),
        ((299.0,), 300, "latency_missing"),
        ((301.0,), 300, "slo_not_met"),
    ],
)
def test_every_run_has_to_keep_the_objective(latencies, slo, status):
    assert latency_status(configuration(100.0, 100.0, latencies=latencies), slo) == status


def test_the_cheapest_admissible_configuration_counts():
    cheap_but_slow = configuration(500.0, latencies=(900.0,))
    silent = configuration(400.0)
    dear = configuration(100.0, latencies=(100.0,))
    better = configuration(120.0, latencies=(200.0,))
    found = platform_cost((cheap_but_slow, silent, dear, better), 300, 0.05)
    assert found.status == "ok"
    assert found.configuration is better
    assert found.usd_per_unit == pytest.approx(36 / 3600 / 120)
    assert platform_cost((cheap_but_slow, silent, dear, better), None, 0.05).configuration is cheap_but_slow


def test_why_none_counts():
    slow, silent = configuration(500.0, latencies=(900.0,)), configuration(400.0)
    for configurations, status in (
        ((), "no_configuration"),
        ((silent,), "latency_missing"),
        ((silent, slow), "slo_not_met"),
    ):
        found = platform_cost(configurations, 300, 0.05)
        assert found.status == status
        assert found.usd_per_unit is found.log_cost is found.variance is found.configuration is None


def test_the_own_ratio_is_the_difference_of_the_log_costs():
    found = pool(benchmarks=MEASURED)
    ratio = (36 / (180 * 183 * 176) ** (1 / 3)) / (50 / (200 * 204 * 196) ** (1 / 3))
    assert found.log_ratio == pytest.approx(math.log(ratio))
    spread = sum(np.var(np.log(side[0]["throughput_runs"]), ddof=1) / 3 for side in MEASURED.values())
    assert found.variance == pytest.approx(spread + 0.1**2)
    assert found.count == 1


def test_one_source_does_not_disagree_with_itself():
    for log_ratio in (-0.1, -0.2, -0.3, -0.37, 0.05):
        for se in (0.05, 0.07, 0.11):
            assert pool(benchmarks={"external": [{"log_ratio": log_ratio, "se": se}]}).i2 == 0


def test_one_platform_alone_gives_no_ratio():
    assert pool(benchmarks={"baseline": MEASURED["baseline"]}) is None
    assert pool() is None


def test_pooling_by_hand():
    # y = 0 and 0.4 with s.e. 0.1: w = 100 each, mean 0.2, Q = 100·0.04·2 = 8, C = 200 − 20,000/200 = 100,
    # τ_b² = (8 − 1)/100 = 0.07, I² = 7/8; pooled variance (0.01 + 0.07)/2 + 0.1².
    others = [{"log_ratio": 0.0, "se": 0.1}, {"log_ratio": 0.4, "se": 0.1}]
    found = pool(benchmarks={"external": others})
    assert found.log_ratio == pytest.approx(0.2)
    assert found.i2 == pytest.approx(7 / 8)
    assert found.variance == pytest.approx(0.04 + 0.01)
    assert found.count == 2


def test_unequal_sources_weigh_by_precision_where_they_agree():
    # Q is below its degrees of freedom: no heterogeneity, plain inverse variances 25 and 100.
    found = pool(benchmarks={"external": [{"log_ratio": -0.1, "se": 0.2}, {"log_ratio": -0.2, "se": 0.1}]})
    assert found.log_ratio == pytest.approx((-0.1 * 25 - 0.2 * 100) / 125)
    assert found.variance == pytest.approx(1 / 125 + 0.01)
    assert found.i2 == 0


def test_the_own_and_external_observations_are_one_pool():
    found = pool(benchmarks={**MEASURED, "external": [{"log_ratio": -0.2, "se": 0.05}]})
    assert found.count == 2


@pytest.mark.parametrize("path", ["native", "xla"])
def test_fallback_penalty(path):
    # 90 parts native and 10 falling back at 20 times: 0.9 + 2 = 2.9 times the time of 1.0.
    work = {"share_native": 0.9, "share_fallback": 0.1, "path": path}
    assert fallback_penalty(scenario(workload=work)) == pytest.approx(math.log(2.9))
    # What fails is not part of the reference time that ran.
    work = {"share_native": 0.6, "share_fallback": 0.2, "share_unsupported": 0.2, "fallback_slowdown": 5}
    assert fallback_penalty(scenario(workload=work)) == pytest.approx(math.log(1.6 / 0.8))
    assert fallback_penalty(scenario()) == 0


def test_the_penalty_goes_to_own_numbers_only_where_fallbacks_were_not_in_them():
    work = {"share_native": 0.9, "share_fallback": 0.1}
    whole = pool(benchmarks=MEASURED, workload=work)
    part = pool(benchmarks=MEASURED, workload=work | {"end_to_end_measured": False})
    assert part.log_ratio - whole.log_ratio == pytest.approx(math.log(2.9))
    other = {"external": [{"log_ratio": -0.2, "se": 0.1}]}
    assert pool(benchmarks=other, workload=work | {"end_to_end_measured": False}).log_ratio == pytest.approx(-0.2)
