"""One look for all figures: one colour an act, one a platform, readable by the colour-blind and in print."""

from dataclasses import dataclass

import plotly.graph_objects as go

# Okabe and Ito's palette (2008), told apart with every common form of colour blindness.
ACT_COLOURS = {"do_nothing": "#8A8F98", "test": "#0072B2", "migrate": "#009E73"}
PLATFORM_COLOURS = {"baseline": "#CC79A7", "candidate": "#E69F00"}
MARK_COLOUR = "#D55E00"
SERIES_COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#F0E442", "#E69F00", "#D55E00", "#CC79A7", "#8A8F98")
DASHES = {"do_nothing": "dot", "test": "solid", "migrate": "dash"}


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure, its takeaway as a title, and the sentence that says it to whom cannot see it."""

    figure: go.Figure
    title: str
    alt: str


def new_figure(x_title: str, y_title: str, *, money_x: bool = False, money_y: bool = False) -> go.Figure:
    """Return an empty figure in the house's look. Colours of text and ground come from the page's theme."""
    figure = go.Figure()
    figure.update_layout(
        template=None,
        height=340,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        hovermode="x unified",
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0.0},
        xaxis={"title": {"text": x_title}, "automargin": True, "zeroline": False},
        yaxis={"title": {"text": y_title}, "automargin": True, "zeroline": True},
        # A drag scrolls the page on a phone; zooming stays with the buttons.
        dragmode=False,
    )
    for axis, is_money in (("xaxis", money_x), ("yaxis", money_y)):
        if is_money:
            figure.update_layout({axis: {"tickformat": "$~s"}})
    return figure
