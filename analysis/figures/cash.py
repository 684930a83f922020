"""Cumulative cash: what the test and a move after it cost and bring, month by month."""

from typing import Any

import numpy as np

from analysis.figures.theme import ACT_COLOURS, MARK_COLOUR, MONEY, Chart, build_figure
from analysis.model.curves import CashPath, CashPaths
from analysis.words.numbers import money, payback, percent


def draw_cash(paths: CashPaths, horizon_months: int) -> Chart:
    """Draw cumulative cash if the test ends in a move, within the 90 % interval of the saving."""
    shown = paths.if_go or paths.mean
    case = "if the test ends in a move" if paths.if_go else "at the expected saving"
    when = payback(shown.payback_month, horizon_months)
    title = f"Payback {'in ' if shown.payback_month else ''}{when} {case}"
    months = np.arange(horizon_months + 1)
    traces = [_interval(paths, months), _line(months, shown, f"{case[0].upper()}{case[1:]}", "solid")]
    if paths.if_go:
        traces.append(_line(months, paths.mean, "At the expected saving", "dash"))
    traces.append(
        {
            "type": "scatter",
            "x": months,
            "y": np.full(len(months), -paths.test_usd),
            "name": "If the test says no",
            "mode": "lines",
            "line": {"color": ACT_COLOURS["do_nothing"], "dash": "dot", "width": 2},
            "hovertemplate": "%{y:$,.0f}",
        }
    )
    if shown.payback_month is not None:
        traces.append(_payback(shown.payback_month, when))
    figure = build_figure(
        traces, {"title": "Months from today", "zeroline": False}, {"title": "Cumulative cash (USD)", **MONEY}
    )
    end = float(shown.cumulative_usd[-1])
    alt = f"{title}. The test costs {money(paths.test_usd)}; after {horizon_months} months cash stands at {money(end)}."
    return Chart(figure, title, alt)


def _interval(paths: CashPaths, months: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.concatenate((months, months[::-1])),
        "y": np.concatenate((paths.best.cumulative_usd, paths.worst.cumulative_usd[::-1])),
        "fill": "toself",
        "fillcolor": "rgba(0,114,178,0.12)",
        "line": {"width": 0},
        "mode": "lines",
        "name": "90 % interval of the saving",
        "hoverinfo": "skip",
    }


def _line(months: Any, path: CashPath, name: str, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": months,
        "y": path.cumulative_usd,
        "name": f"{name} (saving {percent(1 - path.ratio)})",
        "mode": "lines",
        "line": {"color": ACT_COLOURS["test"], "dash": dash, "width": 2.5},
        "hovertemplate": "%{y:$,.0f}",
    }


def _payback(month: float, when: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [month],
        "y": [0.0],
        "name": "Payback",
        "mode": "markers+text",
        "text": ["payback"],
        "textposition": "top left",
        "showlegend": False,
        "marker": {"color": MARK_COLOUR, "size": 11, "symbol": "diamond"},
        "hovertemplate": f"payback {when}",
    }
