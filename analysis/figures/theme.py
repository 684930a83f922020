"""One look for all figures: one colour an act, one a platform, readable by the colour-blind and in print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

# Okabe and Ito's palette (2008), told apart with every common form of colour blindness.
ACT_COLOURS = {"do_nothing": "#8A8F98", "test": "#0072B2", "migrate": "#009E73"}
PLATFORM_COLOURS = {"baseline": "#CC79A7", "candidate": "#E69F00"}
MARK_COLOUR = "#D55E00"
SERIES_COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#F0E442", "#E69F00", "#D55E00", "#CC79A7", "#8A8F98")
DASHES = {"do_nothing": "dot", "test": "solid", "migrate": "dash"}


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure, its takeaway as a title, and the sentence that says it to whom cannot see it.

    `spec` is the figure as plotly's JSON. A page draws it as it is: making a `go.Figure` of it first takes longer than
    the model, and the page would have it made a second time.
    """

    spec: dict[str, Any]
    title: str
    alt: str

    @property
    def figure(self) -> go.Figure:
        """The same figure as an object, checked by plotly."""
        return go.Figure(self.spec)


MONEY = {"tickformat": "$~s"}


def build_figure(
    traces: Sequence[Mapping[str, Any]], x: Mapping[str, Any], y: Mapping[str, Any], **layout: Any
) -> dict[str, Any]:
    """Return a figure in the house's look; `x` and `y` describe the axes, with the title as a plain text.

    Colours of text and ground come from the page's theme.
    """
    axes = {
        name: {"automargin": False, "zeroline": name == "yaxis", **axis, "title": {"text": axis["title"]}}
        for name, axis in (("xaxis", x), ("yaxis", y))
    }
    legend = {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0.0, **layout.pop("legend", {})}
    look = {
        "height": 340,
        "margin": {"l": 66, "r": 12, "t": 12, "b": 52},  # fixed: to measure the labels means to draw twice
        "hovermode": "x unified",
        "legend": legend,
        "dragmode": False,  # a drag scrolls the page on a phone
    }
    return {"data": list(traces), "layout": {**look, **axes, **layout}}


def band(low: float, high: float, colour: str) -> dict[str, Any]:
    """Return a shape that colours the ground between two values of x."""
    edges = {"type": "rect", "xref": "x", "yref": "y domain", "x0": low, "x1": high, "y0": 0, "y1": 1}
    return {**edges, "fillcolor": colour, "opacity": 0.12, "line": {"width": 0}, "layer": "below"}


def act_map(z: Sequence[Sequence[int | None]], colours: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return a heat map of categories 0, 1, 2 …, each in its own colour; None stays empty."""
    count = len(colours)
    scale = [[(i + side) / count, colour] for i, colour in enumerate(colours) for side in (0, 1)]
    look = {"colorscale": scale, "showscale": False, "opacity": 0.5, "zmin": -0.5, "zmax": count - 0.5}
    return {"type": "heatmap", "z": z, **look, **more}


def colour_keys(names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return legend entries for a map, one coloured square a name."""
    empty = {"type": "scatter", "x": [None], "y": [None], "mode": "markers"}
    return [
        {**empty, "name": name, "marker": {"color": colour, "symbol": "square", "size": 11}}
        for name, colour in names.items()
    ]


def mark_x(x: float, dash: str = "dash") -> dict[str, Any]:
    """Return a shape that marks one value of x."""
    place = {"type": "line", "xref": "x", "yref": "y domain", "x0": x, "x1": x, "y0": 0, "y1": 1}
    return {**place, "line": {"color": MARK_COLOUR, "dash": dash}}
