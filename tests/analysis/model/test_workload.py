import numpy as np
import pytest

from analysis.model.workload import WEEKS_PER_MONTH, compute_bill, job_spend
from tests.analysis.builders import scenario

JOBS = {"jobs_per_week": 7, "hours_per_job": 3, "instances": 2, "price_per_instance_hour": 10}
JOBS_USD = 7 * 730 / 168 * 3 * 2 * 10


def bill(**sections):
    return compute_bill(scenario(**sections))


def test_nothing_stated_is_the_assumed_bill_and_share():
    found = bill()
    assert (found.spend_usd, found.movable_usd, found.movable_share, found.job_spend_usd) == (50_000, 35_000, 0.7, None)


def test_a_stated_bill_moves_by_its_share():
    found = bill(spend={"monthly_gpu_usd": 80_000, "migratable_share": 0.25})
    assert (found.spend_usd, found.movable_usd, found.movable_share) == (80_000, 20_000, 0.25)


def test_a_bill_of_nothing_has_no_share_to_move():
    found = bill(spend={"monthly_gpu_usd": 0})
    assert (found.spend_usd, found.movable_usd, found.movable_share) == (0, 0, 0)


def test_a_month_has_730_hours_and_not_four_weeks():
    jobs = scenario(jobs=JOBS).jobs
    assert job_spend(jobs) == pytest.approx(JOBS_USD)
    assert pytest.approx(4.345238, rel=1e-6) == WEEKS_PER_MONTH


def test_jobs_alone_are_the_bill_and_all_of_them_move():
    found = bill(jobs=JOBS)
    assert found.spend_usd == found.movable_usd == found.job_spend_usd == pytest.approx(JOBS_USD)
    assert found.movable_share == pytest.approx(1)


def test_of_the_rest_of_the_bill_a_part_follows():
    found = bill(jobs=JOBS, spend={"monthly_gpu_usd": 10_000, "migratable_share": 0.5, "follow_on_share": 0.3})
    assert found.spend_usd == 10_000
    assert found.movable_usd == pytest.approx(0.5 * JOBS_USD + 0.3 * (10_000 - JOBS_USD))


def test_jobs_above_the_stated_bill_are_the_bill():
    found = bill(jobs=JOBS, spend={"monthly_gpu_usd": 100})
    assert found.spend_usd == found.movable_usd == pytest.approx(JOBS_USD)


def test_many_bills_at_once_are_the_same_as_one_by_one():
    bills = np.array([0.0, 500.0, 2_000.0, 90_000.0])
    for sections in ({}, {"jobs": JOBS}):
        start = scenario(**sections)
        together = compute_bill(start.replace({"spend.monthly_gpu_usd": bills}))
        for i, usd in enumerate(bills):
            alone = bill(**sections, spend={"monthly_gpu_usd": usd})
            assert together.movable_share[i] == pytest.approx(alone.movable_share)
            assert np.broadcast_to(together.spend_usd, bills.shape)[i] == pytest.approx(alone.spend_usd)
