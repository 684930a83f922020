"""One input at a time: the ends are decisions at those values, and a flip really flips."""

import pytest

from analysis.model.decision import decide
from analysis.model.evaluation import ACTS, evaluate, recommended_acts
from analysis.model.ranges import input_ranges
from analysis.model.reading import read_scenario
from analysis.model.tornado import draw_tornado
from tests.analysis.builders import MEASURED

CASES = {
    "near": {"vendor": {"more_work_per_dollar": 0.7}, "spend": {"monthly_gpu_usd": 40_000}},
    "measured": {"benchmarks": MEASURED, "spend": {"monthly_gpu_usd": 90_000}, "workload": {"custom_kernels": 1}},
    "committed": {
        "vendor": {"more_work_per_dollar": 0.5},
        "commitment": {"monthly_usd": 40_000, "months_left": 9},
        "spend": {"monthly_gpu_usd": 60_000},
        "ranges": {"team.engineers": {"low": 2, "high": 12}, "workload.custom_kernels": {"high": 3}},
    },
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    stated = CASES[request.param]
    return read_scenario(stated), draw_tornado(read_scenario(stated)), stated


def act_at(start, bar, value):
    whole = next(r.whole for r in input_ranges(start) if r.name == bar.name)
    at = start.replace({bar.name: int(value) if whole else value})
    return ACTS[int(recommended_acts(at, evaluate(at), ())[()])]


def test_each_input_with_a_range_has_one_bar(case):
    start, bars, _ = case
    assert {bar.name for bar in bars} == {r.name for r in input_ranges(start)}
    assert len({bar.name for bar in bars}) == len(bars)


def test_the_ends_are_decisions_at_low_and_high(case):
    _, bars, stated = case
    for bar in bars[:4] + bars[-2:]:
        section, field = bar.name.split(".")
        for end, value in enumerate((bar.low, bar.high)):
            values = {**(stated.get(section) or {}), field: value}
            found = decide(read_scenario(stated | {section: values, "ranges": None}))
            assert bar.npv_if_success_usd[end] == pytest.approx(found.npv_if_success_usd, rel=1e-9, abs=1e-6)
            assert bar.net_value_of_test_usd[end] == pytest.approx(found.net_value_of_test_usd, rel=1e-9, abs=1e-6)
            assert bar.acts[end] == found.recommendation


def test_a_flip_flips_and_nothing_nearer_does(case):
    start, bars, _ = case
    flips = [bar for bar in bars if bar.flips_at is not None]
    assert flips, "a case in which nothing flips would test nothing"
    for bar in flips:
        assert bar.low <= bar.flips_at <= bar.high
        base, there = act_at(start, bar, bar.base), act_at(start, bar, bar.flips_at)
        assert there == bar.flips_to != base
        whole = next(r.whole for r in input_ranges(start) if r.name == bar.name)
        back = (bar.base - bar.flips_at) * 1e-5
        before = bar.flips_at + ((1 if back > 0 else -1) if whole else back)
        assert act_at(start, bar, before) == base, bar.name


def test_where_an_end_is_another_act_the_bar_is_marked(case):
    start, bars, _ = case
    for bar in bars:
        base = act_at(start, bar, bar.base)
        if set(bar.acts) != {base}:
            assert bar.flips_at is not None, bar.name


def test_bars_that_flip_come_first_then_the_widest(case):
    _, bars, _ = case
    marks = [bar.flips_at is None for bar in bars]
    assert marks == sorted(marks)
    for marked in (True, False):
        swings = [bar.swing_net_usd for bar in bars if (bar.flips_at is not None) == marked]
        assert swings == sorted(swings, reverse=True)


def test_both_outputs_rank_inputs_differently():
    bars = draw_tornado(read_scenario(CASES["near"]))
    by_npv = sorted(bars, key=lambda bar: -bar.swing_npv_usd)
    by_net = sorted(bars, key=lambda bar: -bar.swing_net_usd)
    assert [bar.name for bar in by_npv[:8]] != [bar.name for bar in by_net[:8]]


def test_a_range_without_width_does_nothing():
    stated = CASES["near"] | {"ranges": {"effort.setup": {"low": 24, "high": 24}}}
    bar = next(bar for bar in draw_tornado(read_scenario(stated)) if bar.name == "effort.setup")
    assert (bar.swing_npv_usd, bar.swing_net_usd, bar.flips_at) == (0, 0, None)
