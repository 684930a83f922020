"""Cost and latency of what was measured, side by side."""

import math
import statistics

import plotly.graph_objects as go

from analysis.figures.theme import MARK_COLOUR, PLATFORM_COLOURS, Chart, new_figure
from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.words.numbers import money, number, platform

_CONCURRENCY = "concurrency "


def draw_unit_costs(comparison: Comparison) -> Chart:
    """Draw cost per unit of work of every configuration that counts, with the spread of its runs."""
    unit = comparison.unit
    assert unit is not None  # nothing counts where no run states its work
    figure = new_figure(_load_title(comparison), f"USD per {unit.label}", money_y=True)
    for side, counted in _sides(comparison):
        bars = sorted(counted, key=_load_order)
        costs = [unit.quantity * (c.unit_cost_usd or 0.0) for c in bars]
        figure.add_bar(
            x=[_label(c) for c in bars],
            y=costs,
            name=platform(getattr(comparison.terms, side)),
            marker={"color": PLATFORM_COLOURS[side]},
            error_y={"type": "data", "array": [cost * _spread(c) for cost, c in zip(costs, bars, strict=True)]},
            customdata=[[c.runs, c.price.label if c.price else "", c.name] for c in bars],
            hovertemplate="%{y:$,.2f} · %{customdata[2]} · %{customdata[0]} run(s) · price %{customdata[1]}",
        )
    figure.update_layout(barmode="group", hovermode="closest", xaxis={"type": "category"})
    figure.update_yaxes(tickformat="$~g")
    cheapest = {side: min(c.unit_cost_usd or math.inf for c in counted) for side, counted in _sides(comparison)}
    parts = [f"{platform(getattr(comparison.terms, s))} {money(unit.quantity * x)}" for s, x in cheapest.items()]
    title = f"At its cheapest load, per {unit.label}: {', '.join(parts)}"
    return Chart(figure, title, f"{title}. Bars by load and precision; whiskers show the spread of repeated runs.")


def draw_latency(comparison: Comparison, slo_ms: float | None) -> Chart | None:
    """Draw latency by load with the objective as a line; None where no run recorded that latency."""
    metric = comparison.terms.slo_metric
    figure = new_figure(_load_title(comparison), f"Latency {metric.replace('_ms', '')} (ms)")
    drawn = 0
    for side, counted in _sides(comparison):
        points = [(_label(c), value) for c in sorted(counted, key=_load_order) for value in c.latency_ms]
        drawn += len(points)
        figure.add_scatter(
            x=[x for x, _ in points],
            y=[y for _, y in points],
            name=platform(getattr(comparison.terms, side)),
            mode="markers",
            marker={
                "color": PLATFORM_COLOURS[side],
                "size": 10,
                "symbol": "circle" if side == "baseline" else "diamond",
            },
            hovertemplate="%{y:,.0f} ms",
        )
    if not drawn:
        return None
    _draw_objective(figure, slo_ms)
    figure.update_layout(hovermode="closest", xaxis={"type": "category"})
    figure.update_yaxes(rangemode="tozero")
    title = f"Every run's {metric} at its own load" + (f"; the objective is {number(slo_ms)} ms" if slo_ms else "")
    return Chart(figure, title, f"{title}. {drawn} runs are shown.")


def _draw_objective(figure: go.Figure, slo_ms: float | None) -> None:
    if slo_ms is not None:
        figure.add_hline(y=slo_ms, line={"color": MARK_COLOUR, "dash": "dash"}, annotation_text="SLO")


def _sides(comparison: Comparison) -> list[tuple[str, tuple[MeasuredConfiguration, ...]]]:
    sides = (("baseline", comparison.terms.baseline), ("candidate", comparison.terms.candidate))
    return [(side, comparison.counted(name)) for side, name in sides if comparison.counted(name)]


def _load_title(comparison: Comparison) -> str:
    loads = {c.load for _, counted in _sides(comparison) for c in counted}
    return "Load: requests in flight" if all(load.startswith(_CONCURRENCY) for load in loads) else "Load"


def _label(configuration: MeasuredConfiguration) -> str:
    return configuration.load.removeprefix(_CONCURRENCY) or "load not stated"


def _load_order(configuration: MeasuredConfiguration) -> tuple[float, str]:
    return configuration.concurrency or 0.0, configuration.name


def _spread(configuration: MeasuredConfiguration) -> float:
    rates = configuration.units_per_second
    return statistics.stdev(map(math.log, rates)) if len(rates) > 1 else 0.0
