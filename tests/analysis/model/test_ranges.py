"""Ranges: the triangle's known answers, and every wrong range said by name."""

import math

import numpy as np
import pytest
import torch

from analysis.errors import ScenarioError
from analysis.model.ranges import HELD_IN_DRAWS, InputRange, drawn, input_ranges
from analysis.model.reading import input_names
from tests.analysis.builders import scenario


def triangle(low, base, high):
    return InputRange("x", low, base, high)


def found(name, **sections):
    return next(r for r in input_ranges(scenario(**sections)) if r.name == name)


@pytest.mark.parametrize(
    ("low", "base", "high", "u", "value"),
    [
        (0, 0.5, 1, 0.5, 0.5),
        (0, 0.5, 1, 0.125, 0.25),
        (0, 0.5, 1, 0.875, 0.75),
        (0, 0, 1, 0.75, 0.5),  # mode at the low end: 1 − √(1 − u)
        (0, 1, 1, 0.25, 0.5),  # mode at the high end: √u
        (10, 40, 100, 1 / 3, 40),  # a third of the weight lies left of a mode at a third of the width
        (10, 40, 100, 0, 10),
        (10, 40, 100, 1, 100),
        (7, 7, 7, 0.3, 7),
    ],
)
def test_quantiles_by_hand(low, base, high, u, value):
    assert triangle(low, base, high).quantile(u) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("low", "base", "high"), [(8, 24, 60), (-0.03, 0, 0.05), (0, 0, 1), (2, 5, 5)])
def test_mean_and_deviation_are_the_triangle_s(low, base, high):
    values = triangle(low, base, high).quantile((np.arange(400_000) + 0.5) / 400_000)
    assert values.mean() == pytest.approx((low + base + high) / 3, rel=1e-6)
    variance = (low**2 + base**2 + high**2 - low * base - low * high - base * high) / 18
    assert values.std() == pytest.approx(math.sqrt(variance), rel=1e-4)


def test_quantiles_rise_and_are_the_same_for_tensors():
    u = np.linspace(0, 1, 1001)
    entry = triangle(8, 24, 60)
    values = entry.quantile(u)
    assert (np.diff(values) > 0).all()
    assert entry.quantile(torch.from_numpy(u)).numpy() == pytest.approx(values, rel=1e-14)


def test_a_measured_deviation_becomes_the_triangle_that_has_it():
    entry = found("effort.setup", ranges={"effort.setup": {"sd": 3.0}})
    assert (entry.low + entry.high) / 2 == pytest.approx(24)
    values = entry.quantile((np.arange(100_000) + 0.5) / 100_000)
    assert values.std() == pytest.approx(3.0, rel=1e-4)


def test_every_plausible_range_is_there_around_its_default():
    ranges = {r.name: r for r in input_ranges(scenario())}
    assert (ranges["effort.setup"].low, ranges["effort.setup"].base, ranges["effort.setup"].high) == (8, 24, 60)
    assert ranges["spend.migratable_share"].base == 0.7
    assert ranges["finance.horizon_months"].whole
    assert set(ranges) <= set(input_names())
    assert all(r.low <= r.base <= r.high for r in ranges.values())


def test_with_jobs_all_of_them_could_move():
    jobs = {"jobs_per_week": 1, "hours_per_job": 1, "instances": 1, "price_per_instance_hour": 1}
    assert found("spend.migratable_share", jobs=jobs).base == 1


def test_a_value_outside_the_shipped_range_widens_it_to_itself():
    entry = found("effort.setup", effort={"setup": 100.0})
    assert (entry.low, entry.base, entry.high) == (8, 100, 100)
    assert found("effort.setup", effort={"setup": 1.0}).low == 1


def test_a_stated_range_replaces_the_shipped_one_and_the_end_not_stated_is_the_value():
    entry = found("effort.setup", ranges={"effort.setup": {"low": 20, "high": 30}})
    assert (entry.low, entry.base, entry.high) == (20, 24, 30)
    entry = found("effort.setup", ranges={"effort.setup": {"high": 30}})
    assert (entry.low, entry.high) == (24, 30)
    entry = found("team.hours_per_week_available", ranges={"team.hours_per_week_available": {"low": 10}})
    assert (entry.low, entry.base) == (10, 20), "an input without a shipped range can have one"


def test_what_has_no_width_and_the_horizon_are_not_drawn():
    ranges = input_ranges(scenario(ranges={"effort.setup": {"low": 24, "high": 24}}))
    names = {r.name for r in drawn(ranges)}
    assert "effort.setup" not in names
    assert not names & set(HELD_IN_DRAWS)
    assert "finance.horizon_months" in {r.name for r in ranges}, "it is varied alone"


@pytest.mark.parametrize(
    ("ranges", "field", "words"),
    [
        ({"effort.setup": {"low": 30, "high": 20}}, "effort.setup", "low ≤ value ≤ high"),
        ({"effort.setup": {"low": 30, "high": 60}}, "effort.setup", "30 ≤ 24 ≤ 60"),
        ({"effort.setup": {"low": 8, "high": 20}}, "effort.setup", "8 ≤ 24 ≤ 20"),
        ({"effort.setpu": {"low": 1}}, "effort.setpu", "did you mean effort.setup?"),
        ({"nonsense": {"low": 1}}, "nonsense", "no input is called nonsense"),
        ({"vendor.haircut": {"low": -1}}, "vendor.haircut", "in [0,1]"),
        ({"success_prior.p_base": {"high": 1}}, "success_prior.p_base", "in (0,1)"),
        ({"finance.horizon_months": {"low": 0}}, "finance.horizon_months", "in [1,600]"),
        ({"workload.share_native": {"low": 0.5}}, "workload.share_native", "not a number that varies by itself"),
        ({"policy.require_own_benchmark": {"low": 0}}, "policy.require_own_benchmark", "not a number"),
        ({"candidate": {"low": 0}}, "candidate", "not a number"),
    ],
)
def test_a_wrong_range_is_refused_by_name(ranges, field, words):
    with pytest.raises(ScenarioError) as caught:
        input_ranges(scenario(ranges=ranges))
    assert caught.value.field.endswith(field)
    assert words in caught.value.message


@pytest.mark.parametrize(
    "entry", [{"low": "x"}, {"low": math.nan}, {"high": math.inf}, {"sd": -1.0}, {"middle": 3.0}, 7]
)
def test_what_is_no_range_is_refused_on_reading(entry):
    with pytest.raises(ScenarioError) as caught:
        scenario(ranges={"effort.setup": entry})
    assert caught.value.field.startswith("ranges.effort.setup")


def test_a_job_s_range_is_checked_though_no_job_is_the_default():
    jobs = {"jobs_per_week": 10, "hours_per_job": 2, "instances": 1, "price_per_instance_hour": 40}
    with pytest.raises(ScenarioError, match="at least 0"):
        input_ranges(scenario(jobs=jobs, ranges={"jobs.jobs_per_week": {"low": -1}}))
    assert found("jobs.jobs_per_week", jobs=jobs, ranges={"jobs.jobs_per_week": {"low": 5, "high": 20}}).high == 20


def test_a_range_of_the_assumed_bill_counts():
    entry = found("spend.monthly_gpu_usd", ranges={"spend.monthly_gpu_usd": {"low": 30_000, "high": 90_000}})
    assert entry.base == 50_000


def test_an_end_is_judged_with_the_scenario_s_other_inputs():
    ranges = {"evidence.successes": {"low": 0, "high": 3}}
    assert found("evidence.successes", evidence={"successes": 2, "trials": 5}, ranges=ranges).high == 3


def test_an_end_at_odds_with_another_input_is_refused():
    with pytest.raises(ScenarioError):
        input_ranges(scenario(workload={"services": 3, "services_tested": 2}, ranges={"workload.services": {"low": 1}}))


def test_a_fraction_where_a_count_is_due_is_refused():
    with pytest.raises(ScenarioError):
        input_ranges(scenario(ranges={"team.engineers": {"low": 2.5, "high": 7.5}}))
