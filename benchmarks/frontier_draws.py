"""The best act on a 60 × 60 map under 4,096 draws: one batch, against one evaluation a cell and draw.

The loop is measured on a part of the cells and draws and scaled to all of them; on that part both have to agree cell by
cell. A second loop, over cells but with all draws of a cell at once, is measured the same way.
"""

import numpy as np
import torch
from _measure import report, seconds, short

from analysis.model.evaluation import evaluate, recommended_acts
from analysis.model.ranges import drawn, input_ranges
from analysis.model.reading import read_scenario
from analysis.model.uncertainty import scenario_at, sobol_points

SIZE, DRAWS, ROUNDS, GOAL = 60, 4096, 5, 500.0
PART, CELLS = 300, 20
CHUNK = 16
X_NAME, Y_NAME = "spend.monthly_gpu_usd", "jobs.jobs_per_week"
START = read_scenario(
    {
        "vendor": {"more_work_per_dollar": 0.7},
        "jobs": {"jobs_per_week": 20, "hours_per_job": 5, "instances": 1, "price_per_instance_hour": 41.5},
    }
)
RANGES = drawn(input_ranges(START))
X, Y = np.linspace(0.0, 150_000.0, SIZE), np.linspace(0.0, 60.0, SIZE)


def batch(points):
    """Return the recommended act of every draw in every cell, (draws, y, x)."""
    grid = {X_NAME: torch.from_numpy(X)[None, :], Y_NAME: torch.from_numpy(Y)[:, None]}
    parts = []
    for chunk in points.split(CHUNK):
        scenario = scenario_at(START, RANGES, chunk[:, None, None, :]).replace(grid)
        parts.append(recommended_acts(scenario, evaluate(scenario), (len(chunk), SIZE, SIZE)).astype(np.int8))
    return np.concatenate(parts)


def one(points, draw, i, j):
    values = {r.name: float(r.quantile(float(points[draw, k]))) for k, r in enumerate(RANGES)}
    scenario = START.replace({**values, X_NAME: float(X[j]), Y_NAME: float(Y[i])})
    return int(recommended_acts(scenario, evaluate(scenario), ())[()])


def cell(points, i, j):
    scenario = scenario_at(START, RANGES, points).replace({X_NAME: float(X[j]), Y_NAME: float(Y[i])})
    return recommended_acts(scenario, evaluate(scenario), (DRAWS,))


def main() -> None:
    points = sobol_points(len(RANGES), DRAWS, 0)
    acts = batch(points)
    generator = np.random.default_rng(0)
    part = [(int(generator.integers(DRAWS)), *map(int, generator.integers(SIZE, size=2))) for _ in range(PART)]
    cells = [tuple(map(int, generator.integers(SIZE, size=2))) for _ in range(CELLS)]
    if any(one(points, *where) != acts[where] for where in part):
        raise RuntimeError("the batch and the loop disagree")
    if any((cell(points, i, j) != acts[:, i, j]).any() for i, j in cells):
        raise RuntimeError("the batch and the loop over cells disagree")
    times = [
        (
            seconds(lambda: batch(points)),
            seconds(lambda: [one(points, *where) for where in part]) * SIZE * SIZE * DRAWS / PART,
            seconds(lambda: [cell(points, i, j) for i, j in cells]) * SIZE * SIZE / CELLS,
        )
        for _ in range(ROUNDS)
    ]
    ours, other, by_cell = np.median(np.array(times), axis=0)
    shape = {"cells": SIZE * SIZE, "draws": DRAWS, "n": ROUNDS, "measured_part": PART}
    by_cells = {"loop_over_cells": short(by_cell), "ratio_over_cells": short(by_cell / ours)}
    report("frontier_draws", ours, other, other / ours, "s", GOAL, **shape, **by_cells)


if __name__ == "__main__":
    main()
