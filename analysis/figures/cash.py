"""Cumulative cash: what the test and a move after it cost and bring, month by month."""

import numpy as np

from analysis.figures.theme import ACT_COLOURS, MARK_COLOUR, Chart, new_figure
from analysis.model.curves import CashPath, CashPaths
from analysis.words.numbers import money, payback, percent


def draw_cash(paths: CashPaths, horizon_months: int) -> Chart:
    """Draw cumulative cash if the test ends in a move, within the 90 % interval of the saving."""
    shown = paths.if_go or paths.mean
    case = "if the test ends in a move" if paths.if_go else "at the expected saving"
    when = payback(shown.payback_month, horizon_months)
    title = f"Payback {'' if shown.payback_month is None else 'after '}{when} {case}"
    figure = new_figure("Months from today", "Cumulative cash (USD)", money_y=True)
    months = np.arange(horizon_months + 1)
    figure.add_scatter(
        x=np.concatenate((months, months[::-1])),
        y=np.concatenate((paths.best.cumulative_usd, paths.worst.cumulative_usd[::-1])),
        fill="toself",
        fillcolor="rgba(0,114,178,0.12)",
        line={"width": 0},
        name="90 % interval of the saving",
        hoverinfo="skip",
    )
    lines = [(shown, f"{case[0].upper()}{case[1:]} ({_saving(shown)})", ACT_COLOURS["test"], "solid")]
    if paths.if_go:
        lines.append((paths.mean, f"At the expected saving ({_saving(paths.mean)})", ACT_COLOURS["test"], "dash"))
    for path, name, colour, dash in lines:
        figure.add_scatter(
            x=months,
            y=path.cumulative_usd,
            name=name,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="%{y:$,.0f}",
        )
    figure.add_scatter(
        x=months,
        y=np.full(len(months), -paths.test_usd),
        name="If the test says no",
        mode="lines",
        line={"color": ACT_COLOURS["do_nothing"], "dash": "dot", "width": 2},
        hovertemplate="%{y:$,.0f}",
    )
    if shown.payback_month is not None:
        figure.add_scatter(
            x=[shown.payback_month],
            y=[0.0],
            name="Payback",
            mode="markers+text",
            text=["payback"],
            textposition="top left",
            showlegend=False,
            marker={"color": MARK_COLOUR, "size": 11, "symbol": "diamond"},
            hovertemplate=f"payback {when}",
        )
    end = float(shown.cumulative_usd[-1])
    alt = f"{title}. The test costs {money(paths.test_usd)}; after {horizon_months} months cash stands at {money(end)}."
    return Chart(figure, title, alt)


def _saving(path: CashPath) -> str:
    return f"saving {percent(1 - path.ratio)}"
