"""When to act, and what more runs or a longer test are worth."""

from typing import Any

import numpy as np

from analysis.figures.theme import ACT_COLOURS, MONEY, Chart, act_map, build_figure, colour_keys, mark_x
from analysis.model.timing import ACTIONS, Timing
from analysis.model.worth import InformationWorth
from analysis.words.numbers import money, percent, span

ACTION_NAMES = {"wait": "Wait", "test": "Test", "migrate": "Migrate"}
_COLOURS = {"wait": ACT_COLOURS["do_nothing"], "test": ACT_COLOURS["test"], "migrate": ACT_COLOURS["migrate"]}


def draw_policy(timing: Timing) -> Chart:
    """Draw the recommended act over months and SDK releases since today."""
    months = len(timing.actions)
    grid: list[list[int | None]] = [
        [timing.actions[t][k] if k <= t else None for t in range(months)] for k in range(months)
    ]
    colours = [_COLOURS[action] for action in ACTIONS]
    hover = "month %{x}, %{y} releases since today<extra></extra>"
    keys = colour_keys({ACTION_NAMES[action]: _COLOURS[action] for action in ACTIONS})
    figure = build_figure(
        [act_map(grid, colours, hovertemplate=hover), *keys],
        {"title": "Months from today"},
        {"title": "SDK releases since today"},
        hovermode="closest",
    )
    idle = timing.expected_month_given_acts is None
    title = "Do nothing: acting never pays" if idle else f"Today: {ACTION_NAMES[timing.action_now].lower()}"
    if timing.value_of_waiting > 0.005:
        title += f"; being free to wait is worth {money(timing.value_of_waiting)}"
    return Chart(figure, title, f"{title}. The act that is best in each month after each number of SDK releases.")


def draw_months(timing: Timing) -> Chart:
    """Draw the chance that the best policy acts in each month."""
    months = np.arange(len(timing.act_probability_by_month))
    never = timing.probability_never_acts
    title = (
        f"It never comes to acting in {percent(never)} of cases"
        if timing.expected_month_given_acts is None or never > 0.5
        else f"If it acts, it does so after {span(timing.expected_month_given_acts)} on average"
        if timing.expected_month_given_acts > 0
        else "It acts at once"
    )
    figure = build_figure(
        [
            {
                "type": "bar",
                "x": months,
                "y": np.array(timing.act_probability_by_month),
                "marker": {"color": ACT_COLOURS["test"]},
                "showlegend": False,
                "hovertemplate": "month %{x}: %{y:.1%}",
            }
        ],
        {"title": "Months from today"},
        {"title": "Chance of acting in that month", "tickformat": ".0%"},
        hovermode="closest",
    )
    return Chart(figure, title, f"{title}. Never within the horizon: {percent(never)}.")


def draw_runs(worth: InformationWorth) -> Chart:
    """Draw what the information of the test is worth, by number of runs on each platform."""
    gain = float(worth.evsi_by_runs[-1] - worth.evsi_by_runs[0])
    title = f"Going from {worth.runs[0]} to {worth.runs[-1]} runs is worth {money(gain)}"
    figure = build_figure(
        [_line(worth.runs, worth.evsi_by_runs, "Value of the information")],
        {"title": "Runs on each platform"},
        {"title": "Value of the information (USD)", **MONEY, "rangemode": "tozero"},
        showlegend=False,
        shapes=[mark_x(float(worth.runs_now))],
    )
    return Chart(figure, title, f"{title}; you plan {worth.runs_now} runs.")


def draw_duration(worth: InformationWorth) -> Chart:
    """Draw the net value of the test by how long it takes."""
    paying = worth.durations_months[worth.net_by_duration > 0]
    title = (
        f"The test adds value as long as it takes at most {span(float(paying[-1]))}"
        if paying.size
        else "However short, the test adds nothing to the best act without it"
    )
    figure = build_figure(
        [_line(worth.durations_months, worth.net_by_duration, "Net value of the test")],
        {"title": "Duration of the test (months)"},
        {"title": "Net value of the test (USD)", **MONEY},
        showlegend=False,
        shapes=[mark_x(worth.duration_now)],
    )
    return Chart(figure, title, f"{title}; as planned it takes {span(worth.duration_now)}.")


def _line(x: Any, y: Any, name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.asarray(x, dtype=float),
        "y": np.asarray(y, dtype=float),
        "name": name,
        "mode": "lines+markers",
        "line": {"color": ACT_COLOURS["test"], "width": 2.5},
        "hovertemplate": "%{y:$,.0f}",
    }
