import math

import numpy as np
import pytest

from analysis.model.cashflow import (
    cash_by_month,
    discounted,
    internal_rate,
    monthly_discount,
    payback_month,
    plan_migration,
)
from analysis.model.workload import compute_bill
from tests.analysis import naive
from tests.analysis.builders import scenario

# No cost of moving and of running, no discount: what is left is the saving alone.
FREE = {
    "effort": {"migrate_per_service": 0, "train_per_engineer": 0, "ops_fixed": 0},
    "recurring": {"releases_per_year": 0},
    "migration": {"months": 2, "ramp_months": 4, "parallel_months": 0, "failure_double_run_months": 0},
    "finance": {"annual_discount": 0, "horizon_months": 8},
    "spend": {"monthly_gpu_usd": 1000, "migratable_share": 0.5},
}


def plan(start=0.0, credit=0.0, **sections):
    merged = {name: {**FREE.get(name, {}), **values} for name, values in {**FREE, **sections}.items()}
    made = scenario(**merged)
    return plan_migration(made, compute_bill(made), start, credit)


def test_work_moves_along_a_ramp_after_going_live():
    found = plan()
    assert found.go_live == 2
    assert list(found.moved) == [0, 0, 125, 250, 375, 500, 500, 500]
    assert list(found.avoided) == list(found.moved)
    assert found.work_usd == found.avoided_usd == 2250
    assert found.stranded_usd == 0


def test_without_a_ramp_it_moves_in_the_month_after():
    assert list(plan(migration={"ramp_months": 0}).moved) == [0, 0, 500, 500, 500, 500, 500, 500]


def test_a_later_start_leaves_less_of_the_same_horizon():
    assert list(plan(start=3.5).moved) == [0, 0, 0, 0, 0, 62.5, 187.5, 312.5]
    assert plan(start=8).work_usd == 0


def test_the_bill_grows_from_the_first_month():
    found = plan(spend={"growth_monthly": 0.1}, migration={"months": 0, "ramp_months": 0})
    assert list(found.moved[:3]) == pytest.approx([500, 550, 605])


def test_each_month_is_discounted_at_the_monthly_rate_of_the_annual_one():
    assert monthly_discount(0.10) ** 12 == pytest.approx(1 / 1.1)
    found = plan(finance={"annual_discount": 0.21}, migration={"months": 0, "ramp_months": 0})
    assert found.work_usd == pytest.approx(sum(500 * 1.21 ** (-t / 12) for t in range(1, 9)))


def test_committed_spend_is_not_saved_and_what_is_stranded_is_not_added_again():
    # Of 1000 a month 800 are owed for 5 months; 500 move, so only 200 are saved until then.
    held = {"monthly_usd": 800, "months_left": 5}
    found = plan(commitment=held, migration={"months": 0, "ramp_months": 0})
    assert list(found.avoided) == [200, 200, 200, 200, 200, 500, 500, 500]
    assert found.stranded_usd == 5 * 300
    assert found.avoided_usd == 5 * 200 + 3 * 500
    assert found.work_usd == 8 * 500, "the moved work is paid for on the candidate in full"


def test_a_portable_commitment_is_less_of_one():
    held = {"monthly_usd": 800, "months_left": 5, "portable_share": 0.5}
    assert plan(commitment=held, migration={"months": 0, "ramp_months": 0}).stranded_usd == 0


def test_a_commitment_above_the_bill_strands_everything():
    held = {"monthly_usd": 5000, "months_left": 99}
    found = plan(commitment=held)
    assert found.avoided_usd == 0
    assert found.stranded_usd == 2250


def test_running_both_costs_on_the_candidate_and_only_within_the_horizon():
    move = {"parallel_months": 2, "parallel_share": 0.25}
    found = plan(migration=move, spend={"growth_monthly": 0.1})
    assert found.parallel_usd == pytest.approx(2 * 0.25 * 500 * 1.1)
    assert found.work_usd == pytest.approx(plan(spend={"growth_monthly": 0.1}).work_usd + found.parallel_usd)
    assert plan(migration=move, start=6).parallel_usd == 0
    assert plan(migration=move, start=5.9).parallel_usd > 0


def test_failure_loses_the_migration_and_a_double_run():
    move = {"failure_loss_factor": 1.5, "failure_extra_usd": 70, "failure_double_run_months": 2}
    found = plan(migration=move, effort={"ops_fixed": 10})
    assert found.cost_usd == 1200
    assert found.loss_usd == pytest.approx(1.5 * 1200 + 70 + 2 * 500)
    assert plan(migration=move, effort={"ops_fixed": 10}, start=6).loss_usd == pytest.approx(1.5 * 1200 + 70)


def test_revalidation_is_paid_once_live():
    found = plan(recurring={"releases_per_year": 12, "adopted_share": 1, "hours_per_service": 0})
    assert list(found.revalidation) == [0, 0, 400, 400, 400, 400, 400, 400]
    assert found.avoided_usd == 2250 - 6 * 400


@pytest.mark.parametrize("start", [0.0, 0.4, 3.0, 7.7])
def test_a_full_case_agrees_with_a_loop_over_months(start):
    stated = {
        "spend": {"monthly_gpu_usd": 73_000, "growth_monthly": 0.02, "migratable_share": 0.6},
        "commitment": {"monthly_usd": 52_000, "months_left": 7.5, "portable_share": 0.1},
        "migration": {"months": 1.3, "ramp_months": 2.2, "parallel_months": 1.5, "failure_extra_usd": 5_000},
        "finance": {"annual_discount": 0.13, "horizon_months": 19},
    }
    made = scenario(**stated)
    found = plan_migration(made, compute_bill(made), start, 4_000.0)
    expected = naive.plan(naive.complete(stated), start, 4_000.0)
    assert found.avoided_usd == pytest.approx(expected["A"])
    assert found.work_usd == pytest.approx(expected["b"])
    assert found.loss_usd == pytest.approx(expected["L"])
    assert found.stranded_usd == pytest.approx(expected["stranded"])
    assert list(cash_by_month(found, 0.8, 9_999.0, 19)) == pytest.approx(expected["cash"](0.8, 9_999.0))


def test_cash_by_month_by_hand():
    found = plan(start=1.2, effort={"ops_fixed": 10}, migration={"months": 2, "ramp_months": 0, "parallel_months": 1})
    cash = cash_by_month(found, 0.6, 300.0, 8)
    # The test today; the migration in month 2; going live in 3.2: running both booked in month 4, saving from there.
    assert list(cash) == pytest.approx([-300, 0, -1200, 0, 200 - 0.6 * 250, 200, 200, 200, 200])


def test_discounted_cash_adds_up_to_the_value():
    made = {"migration": {"months": 2, "ramp_months": 1}, "finance": {"annual_discount": 0.3}}
    found = plan(start=1.0, effort={"ops_fixed": 10}, **made)
    cash = discounted(cash_by_month(found, 0.7, 0.0, 8), 0.3)
    assert cash.sum() == pytest.approx(found.value(0.7))


def test_published_net_present_value():
    """numpy-financial's example: −40,000, 5,000, 8,000, 12,000, 30,000 at 8 % a period."""
    cash = np.array([-40_000.0, 5_000.0, 8_000.0, 12_000.0, 30_000.0])
    assert discounted(cash, 1.08**12 - 1).sum() == pytest.approx(3065.22267, abs=1e-5)


def test_published_internal_rate_of_return():
    """numpy-financial's example: −100, 39, 59, 55, 20."""
    assert internal_rate(np.array([-100.0, 39, 59, 55, 20])) == pytest.approx(0.28095, abs=1e-5)


@pytest.mark.parametrize(
    ("cash", "rate"),
    [
        ([-100.0, 110.0], 0.1),
        ([-100.0, 50.0], -0.5),
        ([-100.0, 0.0, 121.0], 0.1),
        ([-1.0, 0.5], -0.5),
        ([-100.0, -10.0], None),
        ([100.0, 10.0], None),
        ([0.0, 0.0, 0.0], None),
        ([-100.0, 0.5], None),  # −99.5 %: outside of what is looked at
        ([-100.0, 1200.0], None),  # 1100 %
        ([-100.0, 230.0, -132.0], None),  # 10 % and 20 %: two roots say nothing
    ],
)
def test_internal_rate(cash, rate):
    assert internal_rate(np.array(cash)) == (None if rate is None else pytest.approx(rate))


def test_internal_rate_of_a_long_horizon_is_finite():
    cash = np.array([-1000.0] + [30.0] * 600)
    rate = internal_rate(cash)
    assert sum(c / (1 + rate) ** t for t, c in enumerate(cash)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("cash", "month"),
    [
        ([-100.0, 50, 50, 50], 2.0),
        ([-100.0, 40, 40, 40], 2.5),
        ([-100.0, 10, 10, 10], None),
        ([0.0, 0, 0], 0.0),
        ([5.0, 1, 1], 0.0),
        ([-100.0, 150, -100, 40, 40], 3.25),  # −100, 50, −50, −10, 30: black for good a quarter into the fourth
        ([50.0, -100, 40, 40], 2.25),
        ([-100.0, 150, -100], None),
    ],
)
def test_payback_is_when_the_cumulative_stays_in_the_black(cash, month):
    assert payback_month(np.array(cash)) == (None if month is None else pytest.approx(month))


def test_rounding_errors_are_not_red():
    assert payback_month(np.array([0.1, 0.2, -0.3])) == 0.0


def test_the_discounted_payback_is_later():
    cash = np.array([-100.0] + [10.0] * 24)
    assert payback_month(cash) == pytest.approx(10)
    assert payback_month(discounted(cash, 0.2)) > 10
    assert math.isclose(payback_month(discounted(cash, 0.0)), 10)


def test_months_are_the_last_axis_of_many_bills():
    made = scenario(**FREE)
    bills = np.array([0.0, 500.0, 4_000.0])
    many = made.replace({"spend.monthly_gpu_usd": bills})
    together = plan_migration(many, compute_bill(many), 0.0, 0.0)
    for i, usd in enumerate(bills):
        alone = plan(spend={"monthly_gpu_usd": float(usd)})
        assert together.work_usd[i] == pytest.approx(alone.work_usd)
        assert list(together.moved[i]) == pytest.approx(list(alone.moved))
