"""Error of the mean NPV: at most 2,048 Sobol draws against 1,000,000 pseudo-random ones, both over 16 seeds.

All uncertain inputs and the cost ratio are drawn, with the kinks that the model has. The truth is the mean of sixteen
scrambled Sobol sets of 65,536, whose own error is a small part of what is measured. Beside the goal's 2,048 draws the
line says how many Sobol draws are as good as the million.
"""

import numpy as np
import torch
from _measure import report, short
from scipy.special import ndtri

from analysis.model.evaluation import evaluate
from analysis.model.ranges import drawn, input_ranges
from analysis.model.reading import read_scenario
from analysis.model.uncertainty import scenario_at, sobol_points

PSEUDO, SOBOL, GOAL, SEEDS = 1_000_000, 2048, 1.0, 16
SIZES = (256, 512, 1024, 2048, 4096, 8192, 16384)
TRUTH = 65_536
BATCH = 16_384
START = read_scenario({"vendor": {"more_work_per_dollar": 0.7}})
RANGES = drawn(input_ranges(START))
DIMENSIONS = len(RANGES) + 1


def npv(points):
    total = 0.0
    for batch in points.split(BATCH):
        point = evaluate(scenario_at(START, RANGES, batch[:, 1:]))
        ratio = torch.exp(point.belief.mean + point.belief.sd * torch.from_numpy(ndtri(batch[:, 0].numpy())))
        total += float((point.after_test.value(ratio) - point.test_cost.usd).sum())
    return total / len(points)


def pseudo(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand((PSEUDO, DIMENSIONS), generator=generator, dtype=torch.float64).clamp(1e-9, 1 - 1e-9)


def main() -> None:
    torch.set_num_threads(1)
    truth = np.mean([npv(sobol_points(DIMENSIONS, TRUTH, 10_000 + seed)) for seed in range(SEEDS)])

    def error(means):
        return float(np.sqrt(np.mean((np.array(means) - truth) ** 2)))

    errors = {n: error([npv(sobol_points(DIMENSIONS, n, seed)) for seed in range(SEEDS)]) for n in SIZES}
    other = error([npv(pseudo(seed)) for seed in range(SEEDS)])
    enough = next((n for n in SIZES if errors[n] <= other), None)
    report(
        "sobol_mean",
        errors[SOBOL],
        other,
        errors[SOBOL] / other,
        "USD, root mean square error of mean NPV",
        GOAL,
        mean_usd=short(truth),
        inputs=DIMENSIONS,
        n=SEEDS,
        draws_enough=enough,
        errors={str(n): short(e) for n, e in errors.items()},
    )


if __name__ == "__main__":
    main()
