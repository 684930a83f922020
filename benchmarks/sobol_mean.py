"""Error of the mean NPV: at most 2,048 Sobol draws against 1,000,000 pseudo-random ones, both over 16 seeds.

All uncertain inputs are drawn, with the kinks that the model has, and the mean over the cost ratio is the closed form
on both sides; the line also says what the million would give if the ratio were drawn too, and how many Sobol draws are
as good as the million. The truth is the mean of sixteen scrambled Sobol sets of 65,536, whose own error is a small part
of what is measured.
"""

import numpy as np
import torch
from _measure import report, short
from scipy.special import ndtri

from analysis.model.evaluation import evaluate
from analysis.model.ranges import drawn, input_ranges
from analysis.model.reading import read_scenario
from analysis.model.uncertainty import scenario_at, simulate

PSEUDO, SOBOL, GOAL, SEEDS = 1_000_000, 2048, 1.0, 16
SIZES = (256, 512, 1024, 2048)
TRUTH = 65_536
BATCH = 32_768
START = read_scenario({"vendor": {"more_work_per_dollar": 0.7}})
RANGES = drawn(input_ranges(START))
DIMENSIONS = len(RANGES) + 1


def means(points):
    """Return the mean NPV with the ratio averaged over, and with the ratio drawn."""
    totals = np.zeros(2)
    for batch in points.split(BATCH):
        point = evaluate(scenario_at(START, RANGES, batch[:, 1:]))
        ratio = torch.exp(point.belief.mean + point.belief.sd * torch.from_numpy(ndtri(batch[:, 0].numpy())))
        drawn_npv = point.after_test.value(ratio) - point.test_cost.usd
        totals += float(point.npv_if_success_usd.sum()), float(drawn_npv.sum())
    return totals / len(points)


def pseudo(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand((PSEUDO, DIMENSIONS), generator=generator, dtype=torch.float64).clamp(1e-9, 1 - 1e-9)


def simulated_mean(draws, seed):
    return simulate(START, draws, seed).npv_if_success_usd.mean


def main() -> None:
    torch.set_num_threads(1)
    truth = np.mean([simulated_mean(TRUTH, 10_000 + seed) for seed in range(SEEDS)])

    def error(found):
        return np.sqrt(np.mean((np.array(found) - truth) ** 2, axis=0))

    errors = {n: error([simulated_mean(n, seed) for seed in range(SEEDS)]) for n in SIZES}
    other, other_drawn = error([means(pseudo(seed)) for seed in range(SEEDS)])
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
        other_with_ratio_drawn=short(other_drawn),
        draws_enough=enough,
        errors={str(n): short(e) for n, e in errors.items()},
    )


if __name__ == "__main__":
    main()
