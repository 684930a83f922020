"""Section 7: where the answer changes, against brute force with the plain model."""

import itertools
import math

import numpy as np
import pytest

from analysis.model.breakeven import (
    Region,
    act_ranges,
    at_bills,
    break_even_jobs,
    break_even_spend,
    spend_regions,
    team_range,
    worth_acting_from,
)
from analysis.model.breakeven import test_pays_from as pays_from
from analysis.model.evaluation import ACTS, best_act, evaluate
from tests.analysis import naive
from tests.analysis.builders import MEASURED, scenario

CLAIM = {"vendor": {"more_work_per_dollar": 0.6, "haircut": 0.2}}
CASES = {
    "a claim": CLAIM,
    "kernels": CLAIM | {"workload": {"custom_kernels": 4}},
    "a commitment": CLAIM | {"commitment": {"monthly_usd": 30_000, "months_left": 14}},
    "jobs": CLAIM | {"jobs": {"jobs_per_week": 5, "hours_per_job": 6, "instances": 1, "price_per_instance_hour": 50}},
    "small teams": CLAIM | {"team": {"engineers": 1, "hours_per_week_available": 6}},
    "measured": {"benchmarks": MEASURED, "policy": {"require_own_benchmark": False}},
    "dear": {"vendor": {"more_work_per_dollar": -0.3, "haircut": 0.0, "sd_log": 0.1}},
}


def with_bill(stated, usd):
    return stated | {"spend": {"monthly_gpu_usd": usd}}


def last_negative(value, low=0.0, high=1e10):
    """Brute force: scan densely upwards, then bisect the last change of sign; 0 where never, None where always."""
    points = [0.0, *np.logspace(0, 10, 1201)]
    signs = [value(x) < 0 for x in points]
    if not any(signs):
        return 0.0
    last = max(i for i, negative in enumerate(signs) if negative)
    if last == len(points) - 1:
        return None
    low, high = points[last], points[last + 1]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) < 0 else (low, middle)
    return high


@pytest.mark.parametrize("name", CASES)
def test_break_even_spend_is_where_the_last_loss_ends(name):
    stated = CASES[name]
    expected = last_negative(lambda usd: naive.npv_if_success(with_bill(stated, usd)))
    found = break_even_spend(scenario(**stated))
    assert found == (expected and pytest.approx(expected, rel=1e-6))
    if found:
        assert (
            naive.npv_if_success(with_bill(stated, found * 1.001))
            > 0
            > naive.npv_if_success(with_bill(stated, found * 0.999))
        )


def test_the_cases_cover_all_three_answers():
    found = {name: break_even_spend(scenario(**stated)) for name, stated in CASES.items()}
    assert found["dear"] is None
    assert found["a claim"] > 0
    enough = {"jobs": {"jobs_per_week": 900, "hours_per_job": 6, "instances": 1, "price_per_instance_hour": 50}}
    assert break_even_spend(scenario(**CLAIM, **enough)) == 0.0


def test_with_a_commitment_the_value_is_not_monotone_in_spend():
    """Low bills are all committed, so more of them only strands more: a bisection over everything would be lost."""
    stated = CASES["a commitment"]
    values = [naive.npv_if_success(with_bill(stated, usd)) for usd in np.linspace(1_000, 60_000, 40)]
    steps = np.diff(values)
    assert (steps < 0).any()
    assert (steps > 0).any()


@pytest.mark.parametrize("name", ["jobs", "dear"])
def test_break_even_jobs(name):
    jobs = CASES["jobs"]["jobs"]
    stated = CASES[name] | {"jobs": jobs, "spend": {"monthly_gpu_usd": 20_000}}
    expected = last_negative(lambda n: naive.npv_if_success(stated | {"jobs": jobs | {"jobs_per_week": n}}))
    assert break_even_jobs(scenario(**stated)) == (expected and pytest.approx(expected, rel=1e-6))


@pytest.mark.parametrize("field", ["hours_per_job", "instances", "price_per_instance_hour"])
def test_jobs_that_cost_nothing_have_no_break_even(field):
    jobs = CASES["jobs"]["jobs"] | {field: 0}
    assert break_even_jobs(scenario(jobs=jobs, spend={"monthly_gpu_usd": 1e7}, **CLAIM)) is None
    assert break_even_jobs(scenario(**CLAIM)) is None


@pytest.mark.parametrize("name", ["a claim", "a commitment", "dear", "measured"])
def test_the_test_pays_from_the_bill_where_its_last_loss_ends(name):
    stated = CASES[name]
    found = pays_from(scenario(**stated))
    value = lambda usd: evaluate(scenario(**with_bill(stated, usd))).test_usd  # noqa: E731
    if found is None:
        assert value(1e10) < 0
    elif found > 0:
        assert value(found * 1.0001) > 0 > value(found * 0.9999)
        assert all(value(found * factor) > 0 for factor in (1.01, 1.5, 4, 60, 900, 1e5))


@pytest.mark.parametrize("name", CASES)
def test_regions_agree_with_the_best_act_bill_by_bill(name):
    stated = CASES[name]
    regions = spend_regions(scenario(**stated))
    for usd in np.logspace(2, 8, 150) * 1.013:
        region = next(r for r in regions if r.to_usd is None or usd < r.to_usd)
        point = evaluate(scenario(**with_bill(stated, float(usd))))
        assert best_act(point.test_usd, point.migrate_usd) == region.decision, usd


@pytest.mark.parametrize("name", CASES)
def test_the_act_changes_exactly_at_the_end_of_a_region(name):
    stated = CASES[name]
    regions = spend_regions(scenario(**stated))
    for region, following in itertools.pairwise(regions):
        for factor, act in ((1 - 1e-5, region.decision), (1 + 1e-5, following.decision)):
            point = evaluate(scenario(**with_bill(stated, region.to_usd * factor)))
            assert best_act(point.test_usd, point.migrate_usd) == act


def test_an_act_between_two_points_of_the_scan_is_a_region_of_its_own():
    """Scan so coarsely that migrating lies between doing nothing and testing."""
    start = scenario(benchmarks=MEASURED, vendor={"sd_log": 0.2}, success_prior={"p_base": 0.8})
    fine = act_ranges(start, at_bills, np.linspace(1e3, 5e6, 4001))
    assert [r.act for r in fine] == ["do_nothing", "migrate", "test"]
    coarse = act_ranges(start, at_bills, np.array([1e3, 5e6]))
    assert [r.act for r in coarse] == [r.act for r in fine]
    assert [r.high for r in coarse[:-1]] == pytest.approx([r.high for r in fine[:-1]], rel=1e-4)
    assert (coarse[0].low, coarse[-1].high) == (1e3, 5e6)


def test_worth_acting_from_is_where_doing_nothing_ends_for_good():
    idle, test, move = (lambda low, high, act=act: Region(act, low, high) for act in ACTS)
    assert worth_acting_from((idle(0, 5), test(5, 9), move(9, None))) == 5
    assert worth_acting_from((test(0, 2), idle(2, 7), move(7, None))) == 7
    assert worth_acting_from((idle(0, 1), test(1, 2), idle(2, 7), move(7, None))) == 7
    assert worth_acting_from((test(0, None),)) == 0.0
    assert worth_acting_from((test(0, 3), idle(3, None))) is None


@pytest.mark.parametrize(
    "stated",
    [
        CLAIM,
        CLAIM | {"spend": {"monthly_gpu_usd": 20_000}},
        CLAIM | {"spend": {"monthly_gpu_usd": 1e9}},
        CLAIM | {"team": {"hours_per_week_available": 1, "engaged_max": 9}, "spend": {"monthly_gpu_usd": 60_000}},
    ],
)
def test_team_range_is_what_counting_gives(stated):
    team = stated.get("team", {})
    found = team_range(scenario(**stated))
    if found.max_engineers is None and found.min_engineers is not None:
        sizes = [*range(1, 60), 500, 1999, 2000]
    else:
        sizes = range(1, 2 * (found.max_engineers or 100) + 1)
    pays = [n for n in sizes if naive.npv_if_success(stated | {"team": team | {"engineers": n}}) >= 0]
    if found.min_engineers is None:
        assert not pays
        assert found.max_engineers is None
    else:
        assert found.min_engineers == pays[0]
        assert found.max_engineers == (None if 2000 in pays else pays[-1])


def test_one_engineer_can_be_too_few():
    """Alone the test takes so long that too little of the horizon is left."""
    stated = CLAIM | {"team": {"hours_per_week_available": 1, "engaged_max": 9}, "spend": {"monthly_gpu_usd": 60_000}}
    found = team_range(scenario(**stated))
    assert found.min_engineers > 1
    assert found.max_engineers > found.min_engineers


def test_break_evens_are_numbers_that_json_knows():
    for stated in CASES.values():
        for found in (break_even_spend(scenario(**stated)), pays_from(scenario(**stated))):
            assert found is None or math.isfinite(found)
