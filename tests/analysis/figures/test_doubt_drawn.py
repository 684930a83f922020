"""Charts of doubt: what is drawn is what was computed, and titles say it."""

import json
import math
import re

import numpy as np
import pytest

from analysis.figures.doubt import draw_acts, draw_fan, draw_spread
from analysis.figures.sensitivity import SHOWN, draw_frontier, draw_indices, draw_tornado_chart
from analysis.figures.theme import ACT_COLOURS, MARK_COLOUR
from analysis.figures.timing import draw_duration, draw_months, draw_policy, draw_runs
from analysis.model.decision import decide
from analysis.model.frontier import map_jobs, map_team
from analysis.model.sobol import compute_sobol_indices
from analysis.model.timing import plan_timing
from analysis.model.tornado import draw_tornado
from analysis.model.uncertainty import simulate
from analysis.model.worth import value_of_information
from analysis.words.doubt import input_labels
from analysis.words.numbers import ACT_NAMES, money, percent, span
from tests.analysis.builders import scenario

JOBS = {"jobs_per_week": 20, "hours_per_job": 5, "instances": 1, "price_per_instance_hour": 45}
START = scenario(vendor={"more_work_per_dollar": 0.7}, spend={"monthly_gpu_usd": 42_000}, jobs=JOBS)
LABELS = input_labels()
CHARTS = {
    "fan": lambda: draw_fan(OUTCOME),
    "npv": lambda: draw_spread(OUTCOME.npv_if_success_usd, "NPV", ACT_COLOURS["test"]),
    "acts": lambda: draw_acts(OUTCOME),
    "tornado": lambda: draw_tornado_chart(BARS, "net_value_of_test_usd", BASE, LABELS),
    "tornado on NPV": lambda: draw_tornado_chart(BARS, "npv_if_success_usd", BASE, LABELS),
    "indices": lambda: draw_indices(INDICES, LABELS),
    "team": lambda: draw_frontier(map_team(START), "GPU spend (USD per month)", "Team size (engineers)"),
    "jobs": lambda: draw_frontier(map_jobs(START), "GPU spend (USD per month)", "Jobs per week"),
    "policy": lambda: draw_policy(TIMING),
    "months": lambda: draw_months(TIMING),
    "runs": lambda: draw_runs(WORTH),
    "duration": lambda: draw_duration(WORTH),
}
BASE = decide(START).net_value_of_test_usd
BARS = draw_tornado(START)
WORTH = value_of_information(START)
TIMING = plan_timing(START)
OUTCOME = simulate(START, draws=256)
INDICES = compute_sobol_indices(START, draws=32)


@pytest.fixture(params=CHARTS)
def chart(request):
    return CHARTS[request.param]()


def trace(chart, name):
    return next(t for t in chart.spec["data"] if t.get("name") == name)


def plain(spec):
    return json.dumps(spec, default=lambda array: array.tolist(), allow_nan=False)


def test_a_chart_says_its_takeaway_and_describes_itself(chart):
    assert len(chart.title) > 5
    assert chart.alt.startswith(chart.title)
    assert chart.alt.endswith(".")
    assert not re.search(r"nan|None|inf\b", chart.title + chart.alt)


def test_plotly_takes_it_and_axes_have_titles(chart):
    layout = chart.figure.layout
    assert layout.xaxis.title.text
    if "USD" in layout.xaxis.title.text:
        assert layout.xaxis.tickformat == "$~s"


def test_a_chart_is_light_and_has_no_gaps(chart):
    assert len(plain(chart.spec)) < 60_000


def test_the_fan_is_the_percentiles_of_cash():
    chart = draw_fan(OUTCOME)
    months = list(range(25))
    wide, narrow = trace(chart, "90 % of the draws"), trace(chart, "50 % of the draws")
    assert list(trace(chart, "Median")["y"]) == list(OUTCOME.cash_usd[2])
    for band, low, high in ((wide, 0, 4), (narrow, 1, 3)):
        assert list(band["x"]) == months + months[::-1]
        assert list(band["y"]) == [*OUTCOME.cash_usd[high], *OUTCOME.cash_usd[low][::-1]]
    assert percent(OUTCOME.probability_pays_back) in chart.title


def test_a_histogram_holds_all_but_the_rare_draws():
    chart = draw_spread(OUTCOME.net_value_of_test_usd, "Net value", "#000000")
    bars = chart.spec["data"][0]
    assert 0.98 < sum(bars["y"]) <= 1
    assert len(bars["x"]) == len(bars["y"])
    assert money(OUTCOME.net_value_of_test_usd.mean) in chart.title
    assert chart.spec["layout"]["shapes"][0]["x0"] == OUTCOME.net_value_of_test_usd.percentiles[2]


def test_a_value_that_does_not_vary_is_drawn():
    one = type(OUTCOME.npv_if_success_usd)(5.0, (5.0,) * 5, np.full(32, 5.0))
    chart = draw_spread(one, "NPV", "#000000")
    assert sum(chart.spec["data"][0]["y"]) == pytest.approx(1)


def test_acts_are_stacked_to_one():
    chart = draw_acts(OUTCOME)
    shares = {t["name"]: t["x"][0] for t in chart.spec["data"]}
    assert shares == {ACT_NAMES[act]: chance for act, chance in OUTCOME.act_probability.items()}
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("output", ["net_value_of_test_usd", "npv_if_success_usd"])
def test_tornado_bars_reach_from_the_base_to_the_ends(output):
    chart = draw_tornado_chart(BARS, output, BASE, LABELS)
    shown = BARS[:SHOWN][::-1]
    for end, name in enumerate(("Input at its low", "Input at its high")):
        bars = trace(chart, name)
        ends = [bars["base"] + x for x in bars["x"]]
        assert ends == pytest.approx([getattr(bar, output)[end] for bar in shown])
        assert bars["base"] == BASE
        assert len(bars["y"]) == len(set(bars["y"])) == SHOWN, "two bars of one name would lie on each other"


def test_inputs_that_change_the_act_are_marked_and_counted():
    chart = draw_tornado_chart(BARS, "net_value_of_test_usd", BASE, LABELS)
    flips = [bar for bar in BARS if bar.flips_at is not None]
    assert flips
    marked = [name for name in trace(chart, "Input at its low")["y"] if name.startswith("◆ ")]
    assert marked == [f"◆ {LABELS[bar.name]}" for bar in flips[:SHOWN]][::-1]
    assert chart.title.startswith(f"{len(flips)} input")
    none = [bar for bar in BARS if bar.flips_at is None]
    assert "No single input" in draw_tornado_chart(none, "net_value_of_test_usd", BASE, LABELS).title


def test_indices_carry_their_intervals():
    chart = draw_indices(INDICES, LABELS)
    shown = INDICES[:SHOWN][::-1]
    alone = trace(chart, "Alone (first order)")
    assert list(alone["x"]) == [index.first for index in shown]
    assert list(trace(chart, "With interactions (total)")["x"]) == [index.total for index in shown]
    highs = [x + up for x, up in zip(alone["x"], alone["error_x"]["array"], strict=True)]
    assert highs == pytest.approx([max(i.first, i.first_interval[1]) for i in shown])
    assert all(up >= 0 for up in alone["error_x"]["array"] + alone["error_x"]["arrayminus"])


def test_the_title_of_the_indices_names_the_first():
    first = INDICES[0]
    title = draw_indices(INDICES, LABELS).title
    assert title == f"{LABELS[first.name]} explains {percent(max(first.first, 0.0))} of the variance alone"


def test_a_map_is_its_acts_with_the_user_on_it():
    found = map_jobs(START)
    chart = draw_frontier(found, "GPU spend (USD per month)", "Jobs per week")
    heat = chart.spec["data"][0]
    assert heat["z"] == found.acts.tolist()
    you = chart.spec["data"][-1]
    assert (you["x"], you["y"]) == ([found.now[0]], [found.now[1]])
    assert you["marker"]["color"] == MARK_COLOUR
    assert heat["x"] == pytest.approx(found.x, rel=1e-3)
    shares = [(found.acts == act).mean() for act in range(3)]
    assert percent(max(shares)) in chart.title


def test_the_policy_is_drawn_where_it_can_be_reached():
    heat = draw_policy(TIMING).spec["data"][0]
    for k, row in enumerate(heat["z"]):
        for t, act in enumerate(row):
            assert act == (TIMING.actions[t][k] if k <= t else None)


def test_months_and_their_title():
    chart = draw_months(TIMING)
    assert list(chart.spec["data"][0]["y"]) == list(TIMING.act_probability_by_month)
    idle = plan_timing(scenario(spend={"monthly_gpu_usd": 0}))
    assert draw_months(idle).title == "It never comes to acting in 100 % of cases"
    at_once = plan_timing(scenario(vendor={"more_work_per_dollar": 2.0, "haircut": 0.0}))
    assert draw_months(at_once).title == "It acts at once"
    waits = plan_timing(
        scenario(
            vendor={"more_work_per_dollar": 0.7},
            spend={"monthly_gpu_usd": 70_000},
            commitment={"monthly_usd": 50_000, "months_left": 9},
        )
    )
    assert span(waits.expected_month_given_acts) in draw_months(waits).title


def test_runs_and_duration_mark_the_plan():
    runs, duration = draw_runs(WORTH), draw_duration(WORTH)
    assert list(runs.spec["data"][0]["y"]) == list(WORTH.evsi_by_runs)
    assert runs.spec["layout"]["shapes"][0]["x0"] == WORTH.runs_now
    assert list(duration.spec["data"][0]["y"]) == list(WORTH.net_by_duration)
    assert duration.spec["layout"]["shapes"][0]["x0"] == WORTH.duration_now
    assert math.isfinite(WORTH.duration_now)
    idle = value_of_information(scenario(spend={"monthly_gpu_usd": 0}))
    assert draw_duration(idle).title.startswith("However short")
