"""Break-even: what each act is worth over spend or over jobs, with the best act as a band behind the lines."""

from collections.abc import Callable
from typing import Any

from analysis.figures.theme import ACT_COLOURS, DASHES, MARK_COLOUR, MONEY, Chart, band, build_figure
from analysis.model.curves import ActCurve
from analysis.words.numbers import ACT_NAMES, money, number


def draw_spend(curve: ActCurve, worth_acting_from_usd: float | None, horizon_months: int) -> Chart:
    """Draw the value of each act over the monthly GPU bill."""
    if worth_acting_from_usd is None:
        title = "Doing nothing is best at every bill"
    elif worth_acting_from_usd == 0:
        title = "Acting pays at every bill"
    else:
        title = f"Acting pays from {money(worth_acting_from_usd)} of GPU spend a month"
    title += f"; you are at {money(curve.now)}"
    figure = _draw(curve, {"title": "GPU spend (USD per month)", **MONEY}, horizon_months)
    return Chart(figure, title, f"{title}. {_alt(curve, 'monthly GPU spend', money)}")


def draw_jobs(curve: ActCurve, horizon_months: int) -> Chart:
    """Draw the value of each act over jobs per week, with the stated bill held."""
    changes = curve.ranges[1:3]
    title = (
        "; ".join(f"from {number(r.low)} jobs a week {ACT_NAMES[r.act].lower()}" for r in changes)
        if changes
        else f"{ACT_NAMES[curve.now_act]} at any number of jobs shown"
    )
    title = f"{title[0].upper()}{title[1:]}; you are at {number(curve.now)}"
    figure = _draw(curve, {"title": "Jobs per week"}, horizon_months)
    return Chart(figure, title, f"{title}. {_alt(curve, 'jobs per week', number)}")


def _draw(curve: ActCurve, x_axis: dict[str, Any], horizon_months: int) -> dict[str, Any]:
    lines = {"do_nothing": curve.test_usd * 0, "test": curve.test_usd, "migrate": curve.migrate_usd}
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": curve.x,
            "y": values,
            "name": ACT_NAMES[act],
            "mode": "lines",
            "line": {"color": ACT_COLOURS[act], "dash": DASHES[act], "width": 2.5},
            "hovertemplate": "%{y:$,.0f}",
        }
        for act, values in lines.items()
    ]
    traces.append(
        {
            "type": "scatter",
            "x": [curve.now],
            "y": [curve.now_usd],
            "name": "You",
            "mode": "markers+text",
            "text": ["you"],
            "textposition": "top center",
            "marker": {"color": MARK_COLOUR, "size": 12, "line": {"color": "white", "width": 1.5}},
            "showlegend": False,
            "hovertemplate": f"you: {ACT_NAMES[curve.now_act].lower()}, %{{y:$,.0f}}",
        }
    )
    return build_figure(
        traces,
        {**x_axis, "range": [float(curve.x[0]), float(curve.x[-1])], "zeroline": False},
        {"title": f"Value over {horizon_months} months (USD)", **MONEY},
        shapes=[band(r.low, r.high, ACT_COLOURS[r.act]) for r in curve.ranges],
    )


def _alt(curve: ActCurve, what: str, word: Callable[[float], str]) -> str:
    parts = [f"{ACT_NAMES[r.act].lower()} from {word(r.low)} to {word(r.high)}" for r in curve.ranges]
    return f"Best act by {what}: {', '.join(parts)}. At your {word(curve.now)} it is worth {money(curve.now_usd)}."
