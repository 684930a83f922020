"""Cost against latency on either platform, and the price trap: what hourly price suggests beside what was measured."""

import math
from collections.abc import Sequence
from typing import Any

from analysis.figures.theme import MARK_COLOUR, PLATFORM_COLOURS, Chart, build_figure
from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.model.pairs import Pair, cost_interval
from analysis.words.numbers import money, number, platform
from analysis.words.pairs import label_pair

_MOST_PAIRS = 40
_GREY = "#8A8F98"


def draw_frontier(comparison: Comparison, run_sd_log: float) -> Chart | None:
    """Draw cost over the worst latency of every configuration, the frontier of each platform, and the objective.

    A percentile is the worst of the runs, as the objective judges it; whiskers are 90 % over runs. None without points.
    """
    unit, terms = comparison.unit, comparison.terms
    sides = {side: _priced(comparison, getattr(terms, side)) for side in ("baseline", "candidate")}
    if unit is None or not any(sides.values()):
        return None
    traces = [
        trace
        for side, shown in sides.items()
        if shown
        for trace in _frontier_traces(shown, side, platform(getattr(terms, side)), unit.quantity, run_sd_log)
    ]
    kept = sum(c.latency_status == "ok" for shown in sides.values() for c in shown)
    total = sum(map(len, sides.values()))
    title = _trade(sorted((c for shown in sides.values() for c in shown), key=_cost), unit.quantity)
    if terms.slo_ms:
        title = f"{kept} of {total} configurations keep {terms.slo_metric} within {number(terms.slo_ms)} ms"
    figure = build_figure(
        traces,
        {"title": f"Latency {terms.slo_metric.replace('_ms', '')}, worst run (ms)", "rangemode": "tozero"},
        {"title": f"USD per {unit.label}", "tickformat": "$~g", "rangemode": "tozero"},
        hovermode="closest",
        **(_line("y", terms.slo_ms, "SLO") if terms.slo_ms else {}),
    )
    lines = "Lines join the configurations that nothing on the same platform beats in both cost and latency."
    return Chart(figure, title, f"{title}. {lines}")


def _cost(configuration: MeasuredConfiguration) -> tuple[float, float]:
    return configuration.unit_cost_usd or math.inf, max(configuration.latency_ms)


def _trade(by_cost: Sequence[MeasuredConfiguration], quantity: float) -> str:
    """Say what the cheapest and the fastest configuration cost, and how long they take."""

    def said(c: MeasuredConfiguration) -> str:
        return f"{money(quantity * (c.unit_cost_usd or 0.0))} at {number(max(c.latency_ms))} ms"

    fastest = min(by_cost, key=lambda c: (max(c.latency_ms), _cost(c)))
    if fastest is by_cost[0]:
        return f"One configuration is both cheapest and fastest: {said(fastest)}"
    return f"The cheapest costs {said(by_cost[0])}, the fastest {said(fastest)}"


def draw_price_trap(pairs: Sequence[tuple[Comparison, Pair]]) -> Chart | None:
    """Draw, for each pair, the cost ratio that hourly price alone suggests beside the one measured."""
    if not pairs:
        return None
    shown = pairs[:_MOST_PAIRS]
    labels = [label_pair(comparison, pair) for comparison, pair in shown]
    ratios = [pair.cost_ratio for _, pair in shown]
    most = max(max(pair.price_ratio, pair.cost_ratio.high) for _, pair in shown)
    point = {"type": "scatter", "mode": "markers", "y": labels}
    traces = [
        {
            **point,
            "x": [pair.price_ratio for _, pair in shown],
            "name": "hourly price alone",
            "marker": {"color": _GREY, "size": 11, "symbol": "diamond-open", "line": {"width": 2}},
            "hovertemplate": "hourly price alone: %{x:.3f}",
        },
        {
            **point,
            "x": [ratio.value for ratio in ratios],
            "name": "as measured",
            "marker": {"color": PLATFORM_COLOURS["candidate"], "size": 11},
            "error_x": _error([r.value for r in ratios], [r.low for r in ratios], [r.high for r in ratios]),
            "hovertemplate": "measured: %{x:.3f}",
        },
    ]
    figure = build_figure(
        traces,
        {"title": "Cost, candidate ÷ baseline", "range": [0.0, 1.1 * max(most, 1.0)]},
        {"title": "", "automargin": True, "autorange": "reversed", "type": "category"},
        hovermode="closest",
        **_line("y", 1.0, "equal cost"),
    )
    first = shown[0][1]
    title = (
        f"Hourly price suggests {number(first.price_ratio)} times the cost; measured, each at its cheapest, "
        f"it is {number(first.cost_ratio.value)} times"
    )
    return Chart(figure, title, f"{title}. {len(shown)} pairs, with 90 % intervals over runs; at 1 both cost the same.")


def draw_break_even(pairs: Sequence[tuple[Comparison, Pair]]) -> Chart | None:
    """Draw the measured throughput ratio of each pair, and the ratio at which both sides cost the same as a line."""
    if not pairs:
        return None
    shown = pairs[:_MOST_PAIRS]
    labels = [label_pair(comparison, pair) for comparison, pair in shown]
    values = [pair.throughput_ratio for _, pair in shown]
    spread = [(p.cost_ratio.value / p.cost_ratio.high, p.cost_ratio.value / p.cost_ratio.low) for _, p in shown]
    low, high = ([v * s[i] for v, s in zip(values, spread, strict=True)] for i in (0, 1))
    traces = [
        {
            "type": "bar",
            "x": labels,
            "y": values,
            "name": "measured",
            "marker": {"color": PLATFORM_COLOURS["candidate"]},
            "error_y": _error(values, low, high),
            "hovertemplate": "measured: %{y:.3f}",
        },
        {
            "type": "scatter",
            "x": labels,
            "y": [pair.price_ratio for _, pair in shown],
            "name": "break-even",
            "mode": "markers",
            "marker": {"symbol": "line-ew-open", "size": 12, "color": MARK_COLOUR, "line": {"width": 3}},
            "hovertemplate": "break-even: %{y:.3f}",
        },
    ]
    lines = [_level(i, pair.price_ratio) for i, (_, pair) in enumerate(shown)]
    above = sum(pair.throughput_ratio > pair.price_ratio for _, pair in shown)
    title = f"The candidate's throughput is above break-even in {above} of {len(shown)} pairs"
    y = {"title": "Throughput, candidate ÷ baseline", "rangemode": "tozero"}
    figure = build_figure(
        traces,
        {"title": "Pair", "type": "category", "automargin": True},
        y,
        hovermode="closest",
        bargap=0.5,
        shapes=lines,
    )
    return Chart(figure, title, f"{title}. The line is the throughput ratio at which a unit of work costs the same.")


def _priced(comparison: Comparison, side: str) -> list[MeasuredConfiguration]:
    return [c for c in comparison.counted(side) if c.latency_ms and c.unit_cost_usd]


def _frontier_traces(
    shown: list[MeasuredConfiguration], side: str, name: str, quantity: float, run_sd_log: float
) -> list[dict[str, Any]]:
    costs = [cost_interval(c, quantity, run_sd_log) for c in shown]
    points = sorted((max(c.latency_ms), cost.value) for c, cost in zip(shown, costs, strict=True))
    best: list[tuple[float, float]] = []
    for latency, cost in points:
        if not best or cost < best[-1][1]:
            best.append((latency, cost))
    symbol = "circle" if side == "baseline" else "diamond"
    colour = PLATFORM_COLOURS[side]
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [max(c.latency_ms) for c in shown],
            "y": [cost.value for cost in costs],
            "name": name,
            "legendgroup": side,
            "marker": {
                "color": colour,
                "size": 10,
                "symbol": [symbol if c.latency_status == "ok" else f"{symbol}-open" for c in shown],
            },
            "error_y": _error([c.value for c in costs], [c.low for c in costs], [c.high for c in costs]),
            "customdata": [[c.name, c.runs] for c in shown],
            "hovertemplate": "%{x:,.0f} ms, %{y:$,.3f} · %{customdata[0]} · %{customdata[1]} run(s)",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": [x for x, _ in best],
            "y": [y for _, y in best],
            "name": f"{name}, frontier",
            "legendgroup": side,
            "showlegend": False,
            "line": {"color": colour, "shape": "hv", "dash": "solid" if side == "baseline" else "dash"},
            "hoverinfo": "skip",
        },
    ]


def _error(values: list[float], low: list[float], high: list[float]) -> dict[str, Any]:
    plus = [h - v for v, h in zip(values, high, strict=True)]
    minus = [v - x for v, x in zip(values, low, strict=True)]
    return {"type": "data", "symmetric": False, "array": plus, "arrayminus": minus}


def _level(place: int, at: float) -> dict[str, Any]:
    """Return a short horizontal line across one category of an axis."""
    line = {"type": "line", "xref": "x", "yref": "y", "x0": place - 0.45, "x1": place + 0.45, "y0": at, "y1": at}
    return {**line, "line": {"color": MARK_COLOUR, "width": 3, "dash": "dash"}}


def _line(across: str, at: float, name: str) -> dict[str, Any]:
    """Return a vertical line over the whole height, named at its top."""
    place = {"xref": "x", "yref": f"{across} domain"}
    line = {
        "type": "line",
        **place,
        "x0": at,
        "x1": at,
        "y0": 0,
        "y1": 1,
        "line": {"color": MARK_COLOUR, "dash": "dash"},
    }
    text = {**place, "x": at, "y": 0, "text": name, "showarrow": False, "xanchor": "right", "yanchor": "bottom"}
    return {"shapes": [line], "annotations": [text]}
