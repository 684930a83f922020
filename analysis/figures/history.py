"""The history of configurations over dates and versions."""

from typing import Any

import pandas as pd

from analysis.figures.theme import SERIES_COLOURS, Chart, build_figure
from analysis.words.numbers import number, percent

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "star", "hexagon")


def draw_history(history: pd.DataFrame, measure: str, unit: str) -> Chart | None:
    """Draw the median run of each period, with the range of its runs; a new symbol for each new version.

    `history` has configuration, platform, sdk_version, tool, tool_version, period, runs, low, middle and high. None
    where it is empty.
    """
    if history.empty:
        return None
    ordered = history.sort_values("period", kind="stable")
    versions = list(dict.fromkeys(ordered["sdk_version"].fillna("not stated")))
    groups = list(ordered.groupby(["configuration", "platform"], sort=False))
    traces = [
        _line(group, f"{name[1]}: {name[0]}", SERIES_COLOURS[i % len(SERIES_COLOURS)], versions)
        for i, (name, group) in enumerate(groups)
    ]
    title = f"{measure} of {len(groups)} configurations, {len(versions)} SDK version{'s' if len(versions) > 1 else ''}"
    if len(groups) == 1 and len(ordered) > 1:
        first, last = ordered["middle"].iloc[0], ordered["middle"].iloc[-1]
        change = last / first - 1 if first else 0.0
        title = f"{measure} went from {number(first)} to {number(last)} {unit} ({percent(change)})"
    figure = build_figure(
        traces,
        {"title": "Measured (or uploaded, where no date is stated)", "type": "date"},
        {"title": f"{measure} ({unit})", "rangemode": "tozero"},
        hovermode="closest",
        height=460,
        margin={"l": 66, "r": 12, "t": 12, "b": 76 + 20 * len(groups)},
        legend={"orientation": "v", "yanchor": "top", "y": -0.3},
    )
    return Chart(figure, title, f"{title}. Points are the median run of a period, whiskers the range of its runs.")


def _line(group: pd.DataFrame, name: str, colour: str, versions: list[str]) -> dict[str, Any]:
    said = group["sdk_version"].fillna("not stated").tolist()
    tools = [
        " ".join(str(part) for part in pair if not pd.isna(part))
        for pair in zip(group["tool"], group["tool_version"], strict=True)
    ]
    middle = group["middle"].tolist()
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [moment.isoformat() for moment in group["period"]],
        "y": middle,
        "name": name,
        "line": {"color": colour, "width": 1},
        "marker": {"symbol": [_SYMBOLS[versions.index(v) % len(_SYMBOLS)] for v in said], "size": 7},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": (group["high"] - group["middle"]).tolist(),
            "arrayminus": (group["middle"] - group["low"]).tolist(),
            "thickness": 1,
            "width": 0,
        },
        "customdata": [list(row) for row in zip(said, tools, group["runs"].astype(int).tolist(), strict=True)],
        "hovertemplate": "%{x|%Y-%m-%d}: %{y:,.4g} · SDK %{customdata[0]} · %{customdata[1]} · %{customdata[2]} run(s)",
    }
