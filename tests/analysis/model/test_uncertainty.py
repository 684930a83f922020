"""Joint draws: known means, the closed form where nothing is open, and payback row by row."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.model.cashflow import cash_by_month, payback_month
from analysis.model.decision import decide
from analysis.model.evaluation import evaluate
from analysis.model.ranges import InputRange, drawn, input_ranges
from analysis.model.reading import read_scenario
from analysis.model.uncertainty import cumulate, scenario_at, simulate, sobol_points, walk_cash
from tests.analysis.builders import MEASURED, scenario
from tests.analysis.random_scenarios import scenarios

CLAIM = {"vendor": {"more_work_per_dollar": 0.7}}
CASES = {
    "claim": CLAIM,
    "measured": {"benchmarks": MEASURED, "spend": {"monthly_gpu_usd": 300_000}},
    "committed": CLAIM | {"commitment": {"monthly_usd": 40_000, "months_left": 9}, "spend": {"growth_monthly": 0.01}},
}


def only(*names, **sections):
    """The scenario in which nothing but these inputs, and the cost ratio, is open."""
    start = scenario(**sections)
    flat = {r.name: {"low": r.base, "high": r.base} for r in input_ranges(start) if r.name not in names}
    return scenario(**sections, ranges=flat)


@pytest.fixture(scope="module", params=CASES)
def outcome(request):
    return simulate(scenario(**CASES[request.param]), draws=512, seed=3)


def test_the_same_seed_gives_the_same_picture_and_another_one_near():
    start = scenario(**CLAIM)
    one, same, other = (simulate(start, draws=2048, seed=seed).as_dict() for seed in (5, 5, 6))
    assert one == same
    assert one != other
    spread = one["npv_if_success_usd"]["p95"] - one["npv_if_success_usd"]["p5"]
    for name in ("mean", "p25", "p50", "p75"):
        assert one["npv_if_success_usd"][name] == pytest.approx(other["npv_if_success_usd"][name], abs=0.03 * spread)
    for act, chance in one["act_probability"].items():
        assert chance == pytest.approx(other["act_probability"][act], abs=0.03)


def test_percentiles_are_in_order(outcome):
    assert (np.diff(outcome.cash_usd, axis=0) >= 0).all()
    for spread in (outcome.npv_if_success_usd, outcome.net_value_of_test_usd, outcome.payback_months):
        assert list(spread.percentiles) == sorted(spread.percentiles)
        assert (np.diff(spread.samples) >= 0).all()


def test_shapes_and_chances(outcome):
    assert outcome.cash_usd.shape == (5, 25)
    assert sum(outcome.act_probability.values()) == pytest.approx(1, abs=1e-12)
    assert set(outcome.act_probability) == {"do_nothing", "test", "migrate"}
    assert 0 <= outcome.probability_pays_back <= 1
    assert len(outcome.payback_months.samples) == round(outcome.probability_pays_back * 512)
    assert outcome.payback_months.samples[-1] <= 24
    json.dumps(outcome.as_dict(), allow_nan=False)


def test_as_often_as_cash_ends_in_the_black_it_pays_back(outcome):
    """Payback is the month after which cash stays in the black: it is reached just where it ends there."""
    at_end = np.array([p[-1] for p in outcome.cash_usd])
    share = 1 - outcome.probability_pays_back
    for percentile, usd in zip((5, 25, 50, 75, 95), at_end, strict=True):
        if abs(percentile / 100 - share) > 0.01:
            assert (usd >= 0) == (percentile / 100 > share)


def test_the_mean_of_what_is_linear_is_the_value_at_the_means():
    """Compile hours enter cost alone and linearly once nobody waits for them."""
    sections = CLAIM | {"effort": {"wait_share": 0.0}}
    found = simulate(only("test.compile_hours_per_service", **sections), draws=4096, seed=0)
    mean_hours = (1 + 6 + 30) / 3
    at_mean = evaluate(scenario(**sections, test={"compile_hours_per_service": mean_hours}))
    size = found.npv_if_success_usd.percentiles[4] - found.npv_if_success_usd.percentiles[0]
    assert found.npv_if_success_usd.mean == pytest.approx(at_mean.npv_if_success_usd, abs=2e-3 * size)
    net = at_mean.test_usd - max(0.0, at_mean.migrate_usd)
    assert found.net_value_of_test_usd.mean == pytest.approx(net, rel=1e-4)


def test_where_only_the_ratio_is_open_everything_else_is_the_closed_form():
    """Sensitivity moves the value of the test only: cash, NPV and payback then differ by the ratio alone."""
    start = only("test.sensitivity", **CLAIM)
    found, point = simulate(start, draws=1024, seed=0), evaluate(start)
    z = np.sort(torch.special.ndtri(sobol_points(2, 1024, 0)[:, 0]).numpy())
    ratios = np.exp(point.belief.mean + point.belief.sd * z)
    npv = np.sort(point.after_test.value(ratios) - point.test_cost.usd)
    assert found.npv_if_success_usd.samples == pytest.approx(npv, rel=1e-12)
    paths = [cash_by_month(point.after_test, r, point.test_cost.usd, 24) for r in ratios]
    fan = np.percentile(np.cumsum(paths, axis=1), (5, 25, 50, 75, 95), axis=0)
    assert found.cash_usd == pytest.approx(fan, rel=1e-10)
    months = sorted(m for m in map(payback_month, paths) if m is not None)
    assert found.payback_months.samples == pytest.approx(months, rel=1e-10)
    assert found.probability_pays_back == len(months) / 1024


@pytest.mark.parametrize("open_inputs", [(), ("timing.release_prob_per_month",)])
def test_where_no_input_is_open_the_act_is_the_decision(open_inputs):
    found, decision = simulate(only(*open_inputs, **CLAIM), draws=64), decide(scenario(**CLAIM))
    assert found.act_probability[decision.recommendation] == 1
    assert found.net_value_of_test_usd.mean == pytest.approx(decision.net_value_of_test_usd)


def test_acts_are_the_recommended_ones_gate_included():
    start = only("effort.report", benchmarks=MEASURED, spend={"monthly_gpu_usd": 1e6})
    assert simulate(start, draws=64).act_probability["migrate"] == 1
    gated = only("effort.report", spend={"monthly_gpu_usd": 1e6}, vendor={"more_work_per_dollar": 3.0, "haircut": 0.0})
    assert simulate(gated, draws=64).act_probability["migrate"] == 0


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([-100.0, -40.0, 0.0, 30.0, 60.0]) | st.floats(-1e6, 1e6), min_size=13, max_size=13),
        min_size=1,
        max_size=5,
    )
)
def test_payback_of_many_rows_is_that_of_each(rows):
    cumulative, month = cumulate(torch.tensor(rows, dtype=torch.float64).T.contiguous())
    assert cumulative.T.numpy() == pytest.approx(np.cumsum(rows, axis=1), rel=1e-12, abs=1e-9)
    for row, found in zip(rows, month.tolist(), strict=True):
        expected = payback_month(np.array(row))
        assert found == (np.inf if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-9))


@settings(max_examples=40, deadline=None)
@given(scenarios, st.integers(0, 1000))
def test_cash_walked_month_by_month_is_that_of_each_draw(stated, seed):
    start = read_scenario(stated)
    ranges = drawn(input_ranges(start))
    ranges += (InputRange("commitment.monthly_usd", 0.0, start.commitment.monthly_usd, 1e6),) if seed % 2 else ()
    points = sobol_points(len(ranges) + 1, 16, seed)
    at = scenario_at(start, ranges, points[:, :-1])
    point, ratio = evaluate(at), points[:, -1] * 2
    horizon = start.finance.horizon_months
    expected = cash_by_month(point.after_test, ratio, point.test_cost.usd, horizon)
    size = expected.abs().sum(-1, keepdim=True).numpy()
    found = walk_cash(at, point, ratio).T.numpy()
    assert np.abs(found - expected.numpy()).max() <= 1e-9 * size.max()


def test_payback_at_its_edges():
    rows = [[0.0, 0.0, 0.0], [5.0, -1.0, 0.0], [-5.0, 1.0, 1.0], [-1.0, 3.0, -1.0], [-100.0, 120.0, -40.0]]
    month = cumulate(torch.tensor(rows, dtype=torch.float64).T.contiguous())[1].tolist()
    assert month == [0, 0, np.inf, pytest.approx(1 / 3), np.inf]


def test_points_are_inside_the_cube_and_even():
    points = sobol_points(7, 1024, 0)
    assert points.dtype == torch.float64
    assert points.min() > 0
    assert points.max() < 1
    assert points.mean(0).numpy() == pytest.approx(0.5, abs=2e-3)


@settings(max_examples=10, deadline=None)
@given(scenarios)
def test_never_anything_but_a_number(stated):
    found = simulate(read_scenario(stated), draws=32)
    json.dumps(found.as_dict(), allow_nan=False)
    assert np.isfinite(found.cash_usd).all()
    assert sum(found.act_probability.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "sections",
    [
        {"spend": {"monthly_gpu_usd": 0}},
        {"spend": {"monthly_gpu_usd": 1e12}},
        {"team": {"engineers": 10_000}},
        {"finance": {"horizon_months": 1}},
        {"test": {"duration_months": 0}, "migration": {"months": 0.0, "ramp_months": 0.0}},
    ],
)
def test_extreme_inputs_give_numbers(sections):
    json.dumps(simulate(scenario(**sections), draws=64).as_dict(), allow_nan=False)
