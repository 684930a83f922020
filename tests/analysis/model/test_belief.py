import math

import numpy as np
import pytest
from scipy import stats

from analysis.model.belief import Belief, claimed_log_ratio
from analysis.model.evaluation import evaluate
from tests.analysis.builders import MEASURED, scenario

JOBS = {"jobs_per_week": 10, "hours_per_job": 4, "instances": 3, "price_per_instance_hour": 20}


def belief(**sections):
    return evaluate(scenario(**sections)).belief


def test_a_published_claim_of_70_percent_more_work_per_dollar_is_a_cost_41_percent_lower():
    assert math.exp(claimed_log_ratio(0.70)) - 1 == pytest.approx(-0.4118, abs=5e-5)
    assert claimed_log_ratio(None) == 0


def test_the_prior_without_a_claim_and_with_one():
    assert (belief().mean, belief().sd) == (0, 0.35)
    found = belief(vendor={"more_work_per_dollar": 1.0, "haircut": 0.25, "sd_log": 0.2})
    assert found.mean == pytest.approx(-0.75 * math.log(2))
    assert found.sd == pytest.approx(0.2)


def test_a_penalty_for_fallbacks_lowers_the_claim_even_where_the_bench_ran_end_to_end():
    work = {"share_native": 0.5, "share_fallback": 0.5, "fallback_slowdown": 3}
    assert belief(workload=work).mean == pytest.approx(math.log(2))
    assert belief(workload=work | {"end_to_end_measured": True}, vendor={"more_work_per_dollar": 1.0}).mean == (
        pytest.approx(math.log(2) / 2)
    )


def test_evidence_counts_by_precision():
    # Prior N(0, 0.2²): precision 25. One observation −0.3 with s.e. 0.1 and τ 0: precision 100.
    found = belief(
        vendor={"sd_log": 0.2},
        benchmarks={"external": [{"log_ratio": -0.3, "se": 0.1}]},
        test={"transfer_sd_log": 0},
    )
    assert found.mean == pytest.approx(-0.3 * 100 / 125)
    assert found.sd == pytest.approx(math.sqrt(1 / 125))


def test_the_ratio_is_lognormal():
    found = Belief(-0.2, 0.3)
    exact = stats.lognorm(0.3, scale=math.exp(-0.2))
    assert found.ratio_mean == pytest.approx(exact.mean())
    assert found.ratio_median == pytest.approx(exact.median())
    low, high = found.saving_90
    assert (low, high) == (pytest.approx(1 - exact.ppf(0.95)), pytest.approx(1 - exact.ppf(0.05)))
    assert found.probability_saving == pytest.approx(exact.cdf(1), abs=1e-12)


@pytest.mark.parametrize(("mean", "probability"), [(-0.1, 1), (0.0, 0), (0.1, 0)])
def test_certainty_about_the_ratio(mean, probability):
    found = Belief(mean, 0.0)
    assert found.probability_saving == probability
    assert found.saving_90 == (pytest.approx(1 - math.exp(mean)), pytest.approx(1 - math.exp(mean)))


def test_cold_compiles_add_to_the_ratio_at_the_candidates_price():
    # Half of the jobs compile for 0.2 h: 0.1 h at 35.76 on a job of 80 USD an instance.
    work = {"compile_hours_per_job": 0.2, "cache_miss_rate": 0.5}
    found = belief(jobs=JOBS, workload=work)
    assert math.exp(found.mean) == pytest.approx(1 + 0.1 * 35.76 / 80)
    chosen = belief(jobs=JOBS, workload=work, benchmarks=MEASURED)
    plain = belief(jobs=JOBS, benchmarks=MEASURED)
    assert math.exp(chosen.mean) - math.exp(plain.mean) == pytest.approx(0.1 * 36 / 80)
    assert chosen.sd == plain.sd


def test_cold_compiles_need_jobs_that_cost_something():
    work = {"compile_hours_per_job": 0.2, "cache_miss_rate": 0.5}
    assert belief(workload=work).mean == 0
    assert belief(jobs=JOBS | {"hours_per_job": 0}, workload=work).mean == 0
    assert belief(jobs=JOBS, workload=work | {"cache_miss_rate": 0}).mean == 0


def test_many_means_at_once():
    means = np.array([-0.5, 0.0, 0.5])
    found = Belief(means, np.array([0.1, 0.0, 0.2]))
    for i, mean in enumerate(means):
        alone = Belief(float(mean), float([0.1, 0.0, 0.2][i]))
        assert found.probability_saving[i] == pytest.approx(alone.probability_saving, abs=1e-15)
        assert found.ratio_mean[i] == pytest.approx(alone.ratio_mean)
