"""What would change the answer: each flip is real, and the nearest."""

import numpy as np
import pytest

from analysis.model.evaluation import ACTS, evaluate, recommended_acts
from analysis.model.flips import LEVERS, find_flips
from tests.analysis.builders import MEASURED, scenario

CLAIM = {"vendor": {"more_work_per_dollar": 0.6, "haircut": 0.3}}
JOBS = {"jobs_per_week": 20, "hours_per_job": 5, "instances": 1, "price_per_instance_hour": 45}
CASES = {
    "nothing stated": {},
    "a claim": CLAIM,
    "jobs": CLAIM | {"jobs": JOBS},
    "rich": CLAIM | {"spend": {"monthly_gpu_usd": 600_000}},
    "measured": {"benchmarks": MEASURED, "spend": {"monthly_gpu_usd": 150_000}},
    "kernels": CLAIM | {"workload": {"custom_kernels": 5, "unsupported_ops": 9}, "spend": {"monthly_gpu_usd": 90_000}},
    "nothing to win": {"spend": {"monthly_gpu_usd": 0}, "vendor": {"more_work_per_dollar": -0.4, "sd_log": 0.05}},
}
LEVER = {lever.name: lever for lever in LEVERS}


def act(start, name, value):
    if LEVER[name].whole:
        value = int(value)
    return ACTS[int(recommended_acts(start, evaluate(start.replace({name: value})), ())[()])]


@pytest.mark.parametrize("name", CASES)
def test_each_flip_changes_the_recommended_act_right_there(name):
    start = scenario(**CASES[name])
    today = ACTS[int(recommended_acts(start, evaluate(start), ())[()])]
    for flip in find_flips(start):
        assert flip.act != today
        assert act(start, flip.name, flip.value) == flip.act
        if LEVER[flip.name].whole:
            before = flip.value - np.sign(flip.value - flip.now)
        else:
            before = flip.now + (flip.value - flip.now) * (1 - 1e-4)
        assert act(start, flip.name, before) == today, "the answer is still today's just before"


@pytest.mark.parametrize("name", CASES)
def test_no_flip_is_nearer(name):
    start = scenario(**CASES[name])
    today = ACTS[int(recommended_acts(start, evaluate(start), ())[()])]
    flips = {(flip.name, flip.value > flip.now): flip for flip in find_flips(start)}
    for lever in LEVERS:
        if (lever.name.startswith("jobs") and start.jobs is None) or (
            lever.name.startswith("vendor") and start.vendor.more_work_per_dollar is None
        ):
            assert (lever.name, True) not in flips
            assert (lever.name, False) not in flips
            continue
        section, field = lever.name.split(".")
        now = getattr(getattr(start, section), field)
        now = evaluate(start).bill.spend_usd if now is None else now
        for end in (lever.low, lever.high):
            flip = flips.get((lever.name, end > now))
            reach = flip.value if flip else end
            between = now + (reach - now) * np.linspace(0, 0.999, 60)
            if lever.whole:
                step = 1 if reach > now else -1
                between = np.arange(now, reach, step) if flip else np.arange(now, reach + step, step)
            assert {act(start, lever.name, value) for value in between} <= {today}, (lever.name, end)


def test_flips_are_sorted_by_how_near_they_are_in_proportion():
    flips = find_flips(scenario(**CASES["jobs"]))
    assert len(flips) >= 3
    ratios = [
        max(abs(f.now), abs(f.value)) / min(abs(f.now), abs(f.value)) if f.now * f.value else np.inf for f in flips
    ]
    assert ratios == sorted(ratios)


def test_the_present_value_of_a_bill_not_stated_is_the_assumed_one():
    found = {flip.name: flip.now for flip in find_flips(scenario(**CLAIM))}
    assert found["spend.monthly_gpu_usd"] == 50_000


def test_nothing_flips_where_there_is_nothing_to_win():
    stated = {"workload": {"share_native": 0.0, "share_fallback": 1.0}, "spend": {"monthly_gpu_usd": 10}}
    assert find_flips(scenario(**stated)) == ()


def test_the_gate_is_part_of_the_answer():
    """A measured scenario migrates; the same without the candidate's runs recommends a test instead."""
    rich = {"spend": {"monthly_gpu_usd": 900_000}, "success_prior": {"p_base": 0.999}, "vendor": {"sd_log": 0.1}}
    gated = find_flips(scenario(**rich, benchmarks={"external": [{"log_ratio": -0.4, "se": 0.02}]}))
    assert gated
    assert all(flip.act != "migrate" for flip in gated)


def test_the_act_of_a_flip_is_the_act_at_its_value_in_every_random_case():
    generator = np.random.default_rng(7)
    for _ in range(12):
        start = scenario(
            benchmarks=MEASURED,
            spend={"monthly_gpu_usd": float(generator.uniform(0, 3e5))},
            vendor={"sd_log": float(generator.uniform(0.05, 0.6)), "more_work_per_dollar": 0.4},
            success_prior={"p_base": float(generator.uniform(0.5, 0.99))},
            workload={"custom_kernels": int(generator.integers(0, 4))},
            test={"transfer_sd_log": float(generator.uniform(0.0, 0.3))},
        )
        for flip in find_flips(start):
            assert act(start, flip.name, flip.value) == flip.act, flip


def test_a_narrow_range_of_a_third_act_is_the_flip():
    """From 3 million down: first to testing at about 105,000, only below 95,000 to doing nothing."""
    start = scenario(
        benchmarks=MEASURED,
        spend={"monthly_gpu_usd": 3e6},
        success_prior={"p_base": 0.9},
        commitment={"monthly_usd": 50_000, "months_left": 12},
    )
    (flip,) = (f for f in find_flips(start) if f.name == "spend.monthly_gpu_usd")
    assert act(start, flip.name, flip.value) == flip.act == "test"
