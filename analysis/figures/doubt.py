"""Doubt: the fan of cash, the spread of the values, and how often each act is the best one."""

from typing import Any

import numpy as np

from analysis.figures.theme import ACT_COLOURS, MONEY, Chart, build_figure, mark_x
from analysis.model.uncertainty import PERCENTILES, Spread, Uncertainty
from analysis.words.numbers import ACT_NAMES, money, percent

_BINS = 60


def draw_fan(outcome: Uncertainty) -> Chart:
    """Draw cumulative cash by month as a fan: 90 % and 50 % of the draws, and the median."""
    months = np.arange(outcome.cash_usd.shape[1])
    p5, p25, p50, p75, p95 = outcome.cash_usd
    traces = [
        _band(months, p5, p95, "rgba(0,114,178,0.12)", "90 % of the draws"),
        _band(months, p25, p75, "rgba(0,114,178,0.25)", "50 % of the draws"),
        {
            "type": "scatter",
            "x": months,
            "y": p50,
            "name": "Median",
            "mode": "lines",
            "line": {"color": ACT_COLOURS["test"], "width": 2.5},
            "hovertemplate": "%{y:$,.0f}",
        },
    ]
    figure = build_figure(
        traces, {"title": "Months from today", "zeroline": False}, {"title": "Cumulative cash (USD)", **MONEY}
    )
    title = (
        f"If the port works, it has paid back within the horizon in {percent(outcome.probability_pays_back)} of cases"
    )
    if outcome.payback_months:
        low, _, middle, _, high = outcome.payback_months.percentiles
        title += f", then after {middle:.0f} months ({low:.0f} to {high:.0f} with 90 %)"
    alt = f"{title}. At the end cash stands between {money(float(p5[-1]))} and {money(float(p95[-1]))} with 90 %."
    return Chart(figure, title, alt)


def draw_spread(spread: Spread, what: str, colour: str) -> Chart:
    """Draw a distribution as a histogram with its median and zero marked."""
    low, high = np.quantile(spread.samples, (0.005, 0.995))
    counts, edges = np.histogram(spread.samples, bins=_BINS, range=(float(low), float(high) + 1e-9))
    share = counts / len(spread.samples)
    centres = (edges[:-1] + edges[1:]) / 2
    positive = float((spread.samples > 0).mean())
    title = f"{what}: {money(spread.mean)} on average, above zero in {percent(positive)} of cases"
    figure = build_figure(
        [
            {
                "type": "bar",
                "x": centres,
                "y": share,
                "marker": {"color": colour},
                "showlegend": False,
                "hovertemplate": "%{x:$,.0f}: %{y:.1%} of the draws",
            }
        ],
        {"title": f"{what} (USD)", **MONEY, "zeroline": True},
        {"title": "Share of the draws", "tickformat": ".0%"},
        bargap=0.02,
        hovermode="closest",
        shapes=[mark_x(spread.percentiles[PERCENTILES.index(50)])],
    )
    middle = f"half of the draws lie between {money(spread.percentiles[1])} and {money(spread.percentiles[3])}"
    return Chart(figure, title, f"{title}; {middle}.")


def draw_acts(outcome: Uncertainty) -> Chart:
    """Draw how often each act is the recommended one."""
    chances = outcome.act_probability
    best = max(chances, key=lambda act: chances[act])
    title = f"{ACT_NAMES[best]} is the best act in {percent(chances[best])} of the draws"
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "x": [chance],
            "y": [""],
            "name": ACT_NAMES[act],
            "marker": {"color": ACT_COLOURS[act]},
            "hovertemplate": f"{ACT_NAMES[act]}: %{{x:.1%}}",
        }
        for act, chance in chances.items()
    ]
    figure = build_figure(
        traces,
        {"title": "Share of the draws in which it is best", "tickformat": ".0%", "range": [0, 1]},
        {"title": ""},
        barmode="stack",
        height=170,
        hovermode="closest",
    )
    parts = ", ".join(f"{ACT_NAMES[act].lower()} {percent(chance)}" for act, chance in chances.items())
    return Chart(figure, title, f"{title}: {parts}.")


def _band(months: Any, low: Any, high: Any, colour: str, name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.concatenate((months, months[::-1])),
        "y": np.concatenate((high, low[::-1])),
        "fill": "toself",
        "fillcolor": colour,
        "line": {"width": 0},
        "mode": "lines",
        "name": name,
        "hoverinfo": "skip",
    }
