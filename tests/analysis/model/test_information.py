"""Section 8: what knowing is worth, against integrals done numerically."""

import math

import numpy as np
import pytest

from analysis.model.belief import Belief
from analysis.model.cashflow import Migration
from analysis.model.scenario import TestPlan
from analysis.model.testing import expected_gain, likely, migrate_value, outcome_of_test, value_information
from tests.analysis import naive

PLAN = Migration(0, 0, 100_000.0, 80_000.0, 30_000.0, 0, 0, 0, 0, 0, 0)
BELIEF = Belief(-0.15, 0.3)


@pytest.mark.parametrize(
    ("alpha", "beta", "mean", "variance"),
    [(100, 80, 0.0, 0.09), (100, 80, 0.5, 0.25), (5, 900, -0.3, 0.5), (1e6, 1.0, 0.0, 0.1), (3, 4, -0.2, 1e-6)],
)
def test_expected_gain_is_the_integral_of_what_one_would_take(alpha, beta, mean, variance):
    exact = naive.gain(alpha, beta, mean, variance)
    assert expected_gain(alpha, beta, mean, variance) == pytest.approx(exact, rel=1e-8, abs=1e-12)


def test_expected_gain_at_its_edges():
    assert expected_gain(0.0, 10.0, 0.0, 0.1) == 0
    assert expected_gain(-5.0, 10.0, 0.0, 0.1) == 0
    assert expected_gain(10.0, 8.0, 0.0, 0.0) == pytest.approx(2)
    assert expected_gain(8.0, 10.0, 0.0, 0.0) == 0
    assert expected_gain(7.0, 0.0, 0.0, 0.3) == pytest.approx(7), "work that costs nothing on either side"
    assert expected_gain(7.0, 0.0, 0.0, 0.0) == pytest.approx(7)


def test_expected_gain_is_at_least_what_the_mean_gives_and_grows_with_doubt():
    gains = [expected_gain(100.0, 90.0, -v / 2, v) for v in (0.0, 0.01, 0.1, 0.5)]
    assert gains[0] == pytest.approx(10)
    assert gains == sorted(gains)


def test_migrating_untested_by_hand():
    # 0.6 · (100,000 − 80,000·0.9) − 0.4 · 30,000
    assert migrate_value(PLAN, 0.9, 0.6) == pytest.approx(4_800)


def outcome(p=0.7, belief=BELIEF, plan=PLAN, **test):
    return outcome_of_test(plan, belief, p, TestPlan(**test))


@pytest.mark.parametrize("p", [0.05, 0.4, 0.9])
@pytest.mark.parametrize(
    "test",
    [
        {},
        {"sensitivity": 0.6, "specificity": 0.55, "runs": 1, "run_sd_log": 0.2, "transfer_sd_log": 0.3},
        {"sensitivity": 1.0, "specificity": 1.0, "runs": 0},
        {"sensitivity": 0.0, "specificity": 1.0},
    ],
)
def test_what_a_test_leads_to_agrees_with_an_integral_over_what_it_may_say(p, test):
    found = outcome(p, **test)
    defaults = {"runs": 5, "run_sd_log": 0.05, "transfer_sd_log": 0.1, "sensitivity": 0.9, "specificity": 0.85}
    expected = naive.worth_of_testing({"test": defaults | test}, p, -0.15, 0.3, 100_000.0, 80_000.0, 30_000.0)
    assert found.value_usd == pytest.approx(expected["W"], rel=1e-8, abs=1e-6)
    assert found.probability_go == pytest.approx(expected["go"], rel=1e-8, abs=1e-12)
    assert found.ratio_go == pytest.approx(expected["ratio_go"], rel=1e-8, abs=1e-12)


def test_a_test_that_always_fails_those_that_work_can_still_lead_to_a_move():
    """With sensitivity 0 a minus is what every good port gives; the posterior after it is what counts."""
    found = outcome(0.9, sensitivity=0.0, specificity=0.0)
    # Every bad port passes, every good one fails: a minus means success for sure.
    worth = 0.9 * (100_000 - 80_000 * BELIEF.ratio_mean)
    assert found.value_usd == pytest.approx(worth)
    assert found.probability_go == pytest.approx(0.9)


def test_the_noise_of_a_test_falls_with_runs_but_not_below_what_a_bench_misses():
    many = value_information(PLAN, BELIEF, 0.7, TestPlan(runs=10**6))
    exact = value_information(PLAN, BELIEF, 0.7, TestPlan(runs=1, run_sd_log=0.0))
    assert many.evsi == pytest.approx(exact.evsi, rel=1e-5)
    assert many.evsi < value_information(PLAN, BELIEF, 0.7, TestPlan(runs=1, transfer_sd_log=0.0, run_sd_log=0)).evsi


def test_no_run_is_as_one_run():
    assert outcome(runs=0) == outcome(runs=1)


def test_information_by_integral():
    found = value_information(PLAN, BELIEF, 0.7, TestPlan())
    mean = BELIEF.ratio_mean
    untested = max(0.0, 0.7 * (100_000 - 80_000 * mean) - 0.3 * 30_000)
    assert found.evpi == pytest.approx(0.7 * naive.gain(100_000, 80_000, -0.15, 0.09) - untested)
    assert found.evppi_technical == pytest.approx(0.7 * (100_000 - 80_000 * mean) - untested)
    assert found.evppi_ratio == pytest.approx(naive.gain(61_000, 56_000, -0.15, 0.09) - untested)


def test_who_knows_already_learns_nothing():
    sure = Belief(-0.5, 0.0)
    found = value_information(PLAN, sure, 1.0, TestPlan())
    assert found.evpi == found.evppi_ratio == 0
    assert found.evsi == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("probability", "answer"), [(0.0, False), (1e-12, False), (1e-11, True)])
def test_what_hardly_happens_is_not_described(probability, answer):
    assert likely(probability) is answer


def test_at_many_points_at_once_as_one_by_one():
    means = np.array([-0.4, 0.0, 0.8])
    together = outcome(belief=Belief(means, 0.3))
    for i, mean in enumerate(means):
        alone = outcome(belief=Belief(float(mean), 0.3))
        assert together.value_usd[i] == pytest.approx(alone.value_usd)
        assert together.probability_go[i] == pytest.approx(alone.probability_go)
    assert math.isfinite(together.value_usd.sum())
