"""What could overturn the answer: tornado, shares of variance, and maps of the best act."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.theme import ACT_COLOURS, MARK_COLOUR, MONEY, Chart, act_map, build_figure, colour_keys, mark_x
from analysis.model.evaluation import ACTS
from analysis.model.frontier import Frontier
from analysis.model.sobol import SobolIndex
from analysis.model.tornado import Bar
from analysis.words.numbers import ACT_NAMES, number, percent

SHOWN = 12
_OUTPUTS = {"npv_if_success_usd": "NPV if it succeeds", "net_value_of_test_usd": "Net value of the test"}


def draw_tornado_chart(bars: Sequence[Bar], output: str, base_usd: float, labels: Mapping[str, str]) -> Chart:
    """Draw the widest bars of one output, those that change the act first and marked; labels name the inputs."""
    shown = list(bars[:SHOWN])[::-1]
    flips = [bar for bar in bars if bar.flips_at is not None]
    names = [("◆ " if bar.flips_at is not None else "") + labels[bar.name] for bar in shown]
    traces = []
    for end, (side, colour) in enumerate((("low", "#56B4E9"), ("high", "#0072B2"))):
        values = [getattr(bar, output)[end] for bar in shown]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "y": names,
                "x": [value - base_usd for value in values],
                "base": base_usd,
                "name": f"Input at its {side}",
                "marker": {"color": colour},
                "customdata": [[number(getattr(bar, side)), value] for bar, value in zip(shown, values, strict=True)],
                "hovertemplate": f"%{{y}} at its {side}, %{{customdata[0]}}: %{{customdata[1]:$,.0f}}",
            }
        )
    title = (
        f"{len(flips)} input{'s' if len(flips) > 1 else ''} can change the act within its range: "
        f"{', '.join(labels[bar.name] for bar in flips[:3])}"
        if flips
        else "No single input changes the act within its range"
    )
    figure = build_figure(
        traces,
        {"title": f"{_OUTPUTS[output]} (USD)", **MONEY},
        {"title": "", "automargin": True},
        barmode="overlay",
        height=80 + 26 * len(shown),
        hovermode="closest",
        shapes=[mark_x(0.0, "dot")],
    )
    return Chart(figure, title, f"{title}. Bars show {_OUTPUTS[output].lower()} as one input goes from low to high.")


def draw_indices(indices: Sequence[SobolIndex], labels: Mapping[str, str]) -> Chart:
    """Draw first and total Sobol index of the inputs that explain most, with their bootstrap intervals."""
    shown = list(indices[:SHOWN])[::-1]
    first = indices[0]
    title = f"{labels[first.name]} explains {percent(max(first.first, 0.0))} of the variance alone"
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "y": [labels[index.name] for index in shown],
            "x": [getattr(index, kind) for index in shown],
            "name": name,
            "marker": {"color": colour, "size": 10, "symbol": symbol},
            "error_x": _whiskers([(getattr(i, kind), getattr(i, f"{kind}_interval")) for i in shown]),
            "hovertemplate": "%{y}: %{x:.2f}",
        }
        for kind, name, colour, symbol in (
            ("first", "Alone (first order)", "#0072B2", "circle"),
            ("total", "With interactions (total)", "#E69F00", "diamond"),
        )
    ]
    figure = build_figure(
        traces,
        {"title": "Share of the variance of the net value of the test"},
        {"title": "", "automargin": True},
        height=80 + 26 * len(shown),
        hovermode="closest",
    )
    return Chart(figure, title, f"{title}; whiskers are 90 % bootstrap intervals.")


def draw_frontier(frontier: Frontier, x_title: str, y_title: str) -> Chart:
    """Draw the best act over two inputs as a filled map, with the user's spot on it."""
    shares = {act: float((frontier.acts == i).mean()) for i, act in enumerate(ACTS)}
    widest = max(shares, key=lambda act: shares[act])
    title = f"{ACT_NAMES[widest]} is best on {percent(shares[widest])} of this map"
    map_trace = act_map(
        frontier.acts.tolist(),
        [ACT_COLOURS[act] for act in ACTS],
        x=[float(f"{x:.4g}") for x in frontier.x],
        y=[float(f"{y:.4g}") for y in frontier.y],
        hovertemplate=f"{x_title} %{{x:,.0f}}, {y_title} %{{y:,.3~g}}<extra></extra>",
    )
    keys = colour_keys({ACT_NAMES[act]: ACT_COLOURS[act] for act in ACTS})
    you = {
        "type": "scatter",
        "x": [frontier.now[0]],
        "y": [frontier.now[1]],
        "mode": "markers+text",
        "text": ["you"],
        "textposition": "top center",
        "showlegend": False,
        "marker": {"color": MARK_COLOUR, "size": 12, "line": {"color": "white", "width": 1.5}},
        "hovertemplate": "you<extra></extra>",
    }
    figure = build_figure([map_trace, *keys, you], {"title": x_title, **MONEY}, {"title": y_title}, hovermode="closest")
    parts = ", ".join(f"{ACT_NAMES[act].lower()} {percent(share)}" for act, share in shares.items())
    return Chart(figure, title, f"{title}: {parts}.")


def _whiskers(points: list[tuple[float, tuple[float, float]]]) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, high - value) for value, (_, high) in points],
        "arrayminus": [max(0.0, value - low) for value, (low, _) in points],
    }
