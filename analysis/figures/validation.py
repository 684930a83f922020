"""What the test costs by activity, for teams of different size."""

from typing import Any

import numpy as np

from analysis.figures.theme import MARK_COLOUR, MONEY, SERIES_COLOURS, Chart, build_figure
from analysis.model.curves import TeamCosts
from analysis.words.numbers import money, span

GROUPS = {
    "Setup and report": ("setup", "report"),
    "Learning": ("learning",),
    "Porting and parity": ("porting", "parity"),
    "Benchmarking": ("benchmarking",),
    "Operators, kernels, tools": ("unsupported_operators", "custom_kernels", "cuda_only_tools"),
    "Review": ("review",),
    "Waiting for compiles": ("waiting_for_compiles",),
    "Accelerator hours": ("baseline_compute", "candidate_compute", "compile_compute"),
}


def draw_validation(costs: TeamCosts) -> Chart:
    """Draw the cost of the test by activity over team size, with the user's team marked."""
    here = int(np.flatnonzero(costs.engineers == costs.now)[0])
    title = (
        f"A team of {costs.now} pays {money(costs.now_usd)} for the test and takes {span(float(costs.months[here]))}"
    )
    names = [str(size) for size in costs.engineers]
    total = costs.usd.sum(axis=0)
    traces = _bars(costs, names)
    traces.append(
        {
            "type": "scatter",
            "x": names,
            "y": total,
            "name": "Total",
            "mode": "markers",
            "marker": {"opacity": 0, "size": 1},
            "customdata": [span(float(months)) for months in costs.months],
            "hovertemplate": "%{y:$,.0f} in %{customdata}",
            "showlegend": False,
        }
    )
    traces.append(
        {
            "type": "scatter",
            "x": [names[here]],
            "y": [float(total[here])],
            "name": "You",
            "mode": "markers+text",
            "text": ["you"],
            "textposition": "top center",
            "showlegend": False,
            "marker": {"color": MARK_COLOUR, "size": 11},
            "hoverinfo": "skip",
        }
    )
    figure = build_figure(
        traces,
        {"title": "Team size (engineers)", "type": "category"},
        {"title": "Cost of the test (USD)", **MONEY},
        barmode="stack",
        bargap=0.25,
        legend={"traceorder": "normal"},
    )
    low, high = float(total.min()), float(total.max())
    alt = f"{title}. From {names[0]} to {names[-1]} engineers the test costs {money(low)} to {money(high)}."
    return Chart(figure, title, alt)


def _bars(costs: TeamCosts, names: list[str]) -> list[dict[str, Any]]:
    bars = []
    for (group, activities), colour in zip(GROUPS.items(), SERIES_COLOURS, strict=True):
        usd = costs.usd[[costs.activities.index(name) for name in activities]].sum(axis=0)
        if usd.any():
            look = {"marker": {"color": colour}, "hovertemplate": "%{y:$,.0f}"}
            bars.append({"type": "bar", "x": names, "y": usd, "name": group, **look})
    return bars
