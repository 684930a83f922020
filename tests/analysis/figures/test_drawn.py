"""Charts: what is drawn, what it says, and that it stays light and readable."""

import json
import re

import numpy as np
import pytest

from analysis.figures.benchmarks import draw_latency, draw_unit_costs
from analysis.figures.cash import draw_cash
from analysis.figures.theme import ACT_COLOURS, DASHES, MARK_COLOUR, PLATFORM_COLOURS, SERIES_COLOURS
from analysis.figures.validation import GROUPS, draw_validation
from analysis.figures.values import draw_jobs, draw_spend
from analysis.model.breakeven import spend_regions, worth_acting_from
from analysis.model.comparison import Terms, compare
from analysis.model.curves import cash_paths, cost_by_team, value_by_jobs, value_by_spend
from analysis.words.numbers import money, payback
from tests.analysis.builders import cuda, neuron, runs, scenario

CLAIM = {"vendor": {"more_work_per_dollar": 0.6, "haircut": 0.3}}
JOBS = {"jobs_per_week": 20, "hours_per_job": 5, "instances": 1, "price_per_instance_hour": 45}
RICH = scenario(**CLAIM, spend={"monthly_gpu_usd": 200_000}, jobs=JOBS)
POOR = scenario(spend={"monthly_gpu_usd": 0})
RUNS = runs(
    cuda(e2e_ms_p99=500.0),
    cuda(e2e_ms_p99=520.0, output_tok_per_s=2200.0),
    neuron(e2e_ms_p99=640.0),
    neuron(e2e_ms_p99=990.0, concurrency=32.0, output_tok_per_s=3600.0),
    neuron(error_rate=0.5, concurrency=64.0, output_tok_per_s=9000.0),
)
MEASURED = compare(RUNS, {}, Terms(model="toy-7b"))


def spend_chart(start):
    regions = spend_regions(start)
    return draw_spend(
        value_by_spend(start, worth_acting_from(regions)), worth_acting_from(regions), start.finance.horizon_months
    )


CHARTS = {
    "spend": lambda: spend_chart(RICH),
    "spend of nothing": lambda: spend_chart(POOR),
    "jobs": lambda: draw_jobs(value_by_jobs(RICH, 5.0), 24),
    "cash": lambda: draw_cash(cash_paths(RICH), 24),
    "cash of nothing": lambda: draw_cash(cash_paths(POOR), 24),
    "validation": lambda: draw_validation(cost_by_team(RICH)),
    "unit costs": lambda: draw_unit_costs(MEASURED),
    "latency": lambda: draw_latency(MEASURED, 700.0),
}


@pytest.fixture(scope="module", params=CHARTS)
def chart(request):
    return CHARTS[request.param]()


def named(chart, name):
    return next(trace for trace in chart.figure.data if trace.name and trace.name.startswith(name))


def test_a_chart_says_its_takeaway_and_describes_itself(chart):
    assert len(chart.title) > 15
    assert chart.alt.startswith(chart.title)
    assert len(chart.alt) > len(chart.title) + 15
    assert chart.alt.endswith(".")
    assert not re.search(r"\bnan\b|\binf\b|None", chart.title + chart.alt, re.IGNORECASE)


def test_axes_have_titles_with_units(chart):
    units = r"USD|\(ms\)|engineers|Months|Jobs per week|Load"
    for axis in (chart.figure.layout.xaxis, chart.figure.layout.yaxis):
        assert re.search(units, axis.title.text), axis.title.text


def test_a_chart_is_light_and_has_no_gaps(chart):
    drawn = [trace for trace in chart.figure.data if trace.y is not None]
    assert 0 < sum(len(trace.y) for trace in drawn) < 10_000
    for trace in drawn:
        assert len(trace.x) == len(trace.y)
        assert np.isfinite(np.asarray(trace.y, dtype=float)).all()
    json.loads(chart.figure.to_json())


def test_acts_have_one_colour_and_one_dash_each():
    assert len(set(ACT_COLOURS.values())) == len(set(DASHES.values())) == 3
    assert not set(ACT_COLOURS.values()) & {*PLATFORM_COLOURS.values(), MARK_COLOUR}
    for make in ("spend", "jobs"):
        drawn = CHARTS[make]()
        for name, act in (("Do nothing", "do_nothing"), ("Run the test", "test"), ("Migrate", "migrate")):
            trace = named(drawn, name)
            assert (trace.line.color, trace.line.dash) == (ACT_COLOURS[act], DASHES[act])
        assert {shape.fillcolor for shape in drawn.figure.layout.shapes} <= set(ACT_COLOURS.values())
    assert named(CHARTS["cash"](), "If the test says no").line.color == ACT_COLOURS["do_nothing"]


def test_the_lines_over_spend_are_the_values_and_the_bands_the_best_acts():
    curve = value_by_spend(RICH, worth_acting_from(spend_regions(RICH)))
    drawn = draw_spend(curve, 10_000.0, 24)
    assert (np.asarray(named(drawn, "Run the test").y) == curve.test_usd).all()
    assert (np.asarray(named(drawn, "Migrate").y) == curve.migrate_usd).all()
    assert not np.asarray(named(drawn, "Do nothing").y).any()
    bands = [(s.x0, s.x1, s.fillcolor) for s in drawn.figure.layout.shapes]
    assert bands == [(r.low, r.high, ACT_COLOURS[r.act]) for r in curve.ranges]
    you = named(drawn, "You")
    assert (you.x[0], you.y[0]) == (curve.now, curve.now_usd)
    assert "over 24 months" in drawn.figure.layout.yaxis.title.text


@pytest.mark.parametrize(
    ("worth", "words"),
    [(None, "Doing nothing is best at every bill"), (0.0, "Acting pays at every bill"), (31_234.0, "from $31,200")],
)
def test_the_title_over_spend_says_where_acting_pays(worth, words):
    drawn = draw_spend(value_by_spend(RICH, worth_acting_from(spend_regions(RICH))), worth, 24)
    assert words in drawn.title
    assert "you are at $200,000" in drawn.title


def test_the_title_over_jobs_says_where_the_act_changes():
    curve = value_by_jobs(RICH, 5.0)
    drawn = draw_jobs(curve, 24)
    if len(curve.ranges) > 1:
        assert "jobs a week" in drawn.title
    else:
        assert "at any number of jobs shown" in drawn.title
    assert "you are at 20" in drawn.title


def test_cash_shows_the_payback_where_the_line_stays_in_the_black():
    paths = cash_paths(RICH)
    drawn = draw_cash(paths, 24)
    assert payback(paths.if_go.payback_month, 24) in drawn.title
    mark = named(drawn, "Payback")
    assert (mark.x[0], mark.y[0]) == (paths.if_go.payback_month, 0)
    assert list(named(drawn, "If the test says no").y) == [-paths.test_usd] * 25
    assert money(paths.test_usd) in drawn.alt
    ends = {trace.name: trace.line.dash for trace in drawn.figure.data if trace.mode == "lines" and trace.name}
    assert {"solid", "dash", "dot"} <= set(ends.values()), "told apart in print as well"


def test_cash_without_a_move_says_not_within_the_horizon():
    drawn = draw_cash(cash_paths(POOR), 24)
    assert "not within 24 months" in drawn.title
    assert not [trace for trace in drawn.figure.data if trace.name == "Payback"]


def test_a_payback_at_once_reads_well():
    free = scenario(
        effort=dict.fromkeys(
            [
                "setup",
                "learn_per_engineer",
                "report",
                "review_per_engineer",
                "port_per_service",
                "parity_per_service",
                "bench_per_service",
                "wait_share",
                "migrate_per_service",
                "train_per_engineer",
                "ops_fixed",
            ],
            0,
        ),
        test={"baseline_hours": 0, "candidate_hours": 0, "compile_hours_per_service": 0, "run_sd_log": 0.01},
        recurring={"releases_per_year": 0},
        migration={"parallel_months": 0},
        vendor={"more_work_per_dollar": 2, "haircut": 0},
    )
    paths = cash_paths(free)
    assert paths.if_go.payback_month == 0
    assert "after at once" not in draw_cash(paths, 24).title


def test_validation_bars_add_up_to_the_cost_of_each_team():
    costs = cost_by_team(RICH)
    drawn = draw_validation(costs)
    bars = [trace for trace in drawn.figure.data if trace.type == "bar"]
    assert np.sum([trace.y for trace in bars], axis=0) == pytest.approx(costs.usd.sum(axis=0))
    assert len({trace.marker.color for trace in bars}) == len(bars)
    assert named(drawn, "You").x[0] == "6"
    assert named(drawn, "You").y[0] == pytest.approx(costs.now_usd)
    assert money(costs.now_usd) in drawn.title


def test_every_activity_is_in_one_group_with_a_colour():
    grouped = [activity for activities in GROUPS.values() for activity in activities]
    assert sorted(grouped) == sorted(cost_by_team(RICH).activities)
    assert len(GROUPS) == len(SERIES_COLOURS) == len(set(SERIES_COLOURS))


def test_unit_costs_show_what_counts_with_the_spread_of_its_runs():
    drawn = draw_unit_costs(MEASURED)
    gpu, trn = drawn.figure.data
    assert (gpu.marker.color, trn.marker.color) == (PLATFORM_COLOURS["baseline"], PLATFORM_COLOURS["candidate"])
    assert list(gpu.y) == pytest.approx([40 / 3600 / (2000 * 2200) ** 0.5 * 1e6])
    assert list(trn.y) == pytest.approx([30 / 3600 / rate * 1e6 for rate in (1800, 3600)]), (
        "by load; errors are left out"
    )
    log_spread = np.std(np.log([2000, 2200]), ddof=1)
    assert gpu.error_y.array[0] == pytest.approx(gpu.y[0] * log_spread)
    assert not any(trn.error_y.array)
    assert "million output tokens" in drawn.title
    assert money(trn.y[1]) in drawn.title, "its cheapest load"


def test_latency_shows_every_run_and_the_objective():
    drawn = draw_latency(MEASURED, 700.0)
    gpu, trn = drawn.figure.data
    assert list(gpu.y) == [500, 520]
    assert list(trn.y) == [640, 990]
    assert gpu.marker.symbol != trn.marker.symbol
    (line,) = drawn.figure.layout.shapes
    assert line.y0 == line.y1 == 700
    assert "700 ms" in drawn.title
    assert not draw_latency(MEASURED, None).figure.layout.shapes


def test_no_latency_no_chart():
    assert draw_latency(compare(runs(cuda(), neuron()), {}, Terms(model="toy-7b")), 700.0) is None


def test_one_platform_alone_is_drawn():
    drawn = draw_unit_costs(compare(runs(cuda()), {}, Terms(model="toy-7b")))
    assert len(drawn.figure.data) == 1
    assert "NVIDIA CUDA" in drawn.title
