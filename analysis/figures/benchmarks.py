"""Cost and latency of what was measured, side by side."""

import math
import re
import statistics
from collections.abc import Callable
from typing import Any

from analysis.figures.theme import MARK_COLOUR, PLATFORM_COLOURS, Chart, build_figure
from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.words.numbers import money, number, platform

_CONCURRENCY = "concurrency "
_MOST_POINTS = 100


def draw_unit_costs(comparison: Comparison) -> Chart | None:
    """Draw cost per unit of work of every admissible configuration, with the spread of its runs; None without any."""
    unit, sides = comparison.unit, _sides(comparison, Comparison.admissible)
    if unit is None or not sides:
        return None
    figure = build_figure(
        [_cost_bars(comparison, side, shown, unit.quantity) for side, shown in sides],
        _load_axis(sides),
        {"title": f"USD per {unit.label}", "tickformat": "$~g"},
        barmode="group",
        hovermode="closest",
    )
    cheapest = {side: min(c.unit_cost_usd or math.inf for c in shown) for side, shown in sides}
    parts = [f"{platform(getattr(comparison.terms, s))} {money(unit.quantity * x)}" for s, x in cheapest.items()]
    title = f"At its cheapest load, per {unit.label}: {', '.join(parts)}"
    return Chart(figure, title, f"{title}. Bars by load; whiskers show the spread of repeated runs.")


def _cost_bars(
    comparison: Comparison, side: str, counted: tuple[MeasuredConfiguration, ...], quantity: float
) -> dict[str, Any]:
    bars = sorted(counted, key=_load_order)
    costs = [quantity * (c.unit_cost_usd or 0.0) for c in bars]
    return {
        "type": "bar",
        "x": [_label(c) for c in bars],
        "y": costs,
        "name": platform(getattr(comparison.terms, side)),
        "marker": {"color": PLATFORM_COLOURS[side]},
        "error_y": {"type": "data", "array": [cost * _spread(c) for cost, c in zip(costs, bars, strict=True)]},
        "customdata": [[c.runs, c.price.label if c.price else "", c.name] for c in bars],
        "hovertemplate": "%{y:$,.2f} · %{customdata[2]} · %{customdata[0]} run(s) · price %{customdata[1]}",
    }


def draw_latency(comparison: Comparison, slo_ms: float | None) -> Chart | None:
    """Draw latency by load with the objective as a line; None where no run recorded that latency."""
    metric = comparison.terms.slo_metric
    sides = _sides(comparison, Comparison.counted)
    traces = [_latency_points(comparison, side, shown) for side, shown in sides]
    drawn = sum(len(trace["x"]) for trace in traces)
    if not drawn:
        return None
    title = f"Every run's {metric} at its own load" + (f"; the objective is {number(slo_ms)} ms" if slo_ms else "")
    figure = build_figure(
        traces,
        _load_axis(sides),
        {"title": f"Latency {metric.replace('_ms', '')} (ms)", "rangemode": "tozero"},
        hovermode="closest",
        **_objective(slo_ms),
    )
    return Chart(figure, title, f"{title}. {drawn} points are shown.")


def _latency_points(comparison: Comparison, side: str, counted: tuple[MeasuredConfiguration, ...]) -> dict[str, Any]:
    points = [(_label(c), value) for c in sorted(counted, key=_load_order) for value in _few(c.latency_ms)]
    symbol = "circle" if side == "baseline" else "diamond"
    return {
        "type": "scatter",
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "name": platform(getattr(comparison.terms, side)),
        "mode": "markers",
        "marker": {"color": PLATFORM_COLOURS[side], "size": 10, "symbol": symbol},
        "hovertemplate": "%{y:,.0f} ms",
    }


def _objective(slo_ms: float | None) -> dict[str, Any]:
    """Return the line of the objective, named at its end; nothing without one."""
    if slo_ms is None:
        return {}
    place = {"xref": "x domain", "yref": "y"}
    line = {"type": "line", **place, "x0": 0, "x1": 1, "y0": slo_ms, "y1": slo_ms}
    name = {**place, "x": 1, "y": slo_ms, "text": "SLO", "showarrow": False, "xanchor": "right", "yanchor": "bottom"}
    return {"shapes": [{**line, "line": {"color": MARK_COLOUR, "dash": "dash"}}], "annotations": [name]}


Sides = list[tuple[str, tuple[MeasuredConfiguration, ...]]]


def _sides(comparison: Comparison, choose: Callable[[Comparison, str], tuple[MeasuredConfiguration, ...]]) -> Sides:
    sides = (("baseline", comparison.terms.baseline), ("candidate", comparison.terms.candidate))
    return [(side, choose(comparison, name)) for side, name in sides if choose(comparison, name)]


def _load_axis(sides: Sides) -> dict[str, Any]:
    """Return the axis of loads, in the order of the loads themselves."""
    shown = sorted((c for _, configurations in sides for c in configurations), key=_load_order)
    plain = all(c.load.startswith(_CONCURRENCY) for c in shown)
    return {
        "title": "Load: requests in flight" if plain else "Load",
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(dict.fromkeys(map(_label, shown))),
    }


def _label(configuration: MeasuredConfiguration) -> str:
    parts = (configuration.load.removeprefix(_CONCURRENCY) or "not stated", configuration.precision)
    return " · ".join(part for part in parts if part)


def _load_order(configuration: MeasuredConfiguration) -> tuple[float, str]:
    numbers = re.findall(r"[\d.]+", configuration.load)
    return float(numbers[0]) if numbers else 0.0, configuration.name


def _few(latencies_ms: tuple[float, ...]) -> tuple[float, ...]:
    """Return all latencies, or of very many the best, the median and the worst: 100,000 points show no more."""
    if len(latencies_ms) <= _MOST_POINTS:
        return latencies_ms
    return min(latencies_ms), statistics.median(latencies_ms), max(latencies_ms)


def _spread(configuration: MeasuredConfiguration) -> float:
    rates = configuration.units_per_second
    return statistics.stdev(map(math.log, rates)) if len(rates) > 1 else 0.0
