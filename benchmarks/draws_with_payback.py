"""Cash and payback of 100,000 draws over 36 months: walked in place, against a numpy loop over months.

Both start from the same drawn numbers (bill, growth, dates, costs, cost ratio) and end with cumulative cash by month
and the payback month of every draw. The loop is section 6 of the model as it is written, one month of all draws at a
time. The two answers are compared before anything is timed.
"""

from types import SimpleNamespace

import numpy as np
import torch
from _measure import in_turns, report

from analysis.model.effort import revalidation_cost
from analysis.model.evaluation import evaluate
from analysis.model.ranges import drawn, input_ranges
from analysis.model.reading import read_scenario
from analysis.model.uncertainty import cumulate, scenario_at, sobol_points, walk_cash

DRAWS, MONTHS, ROUNDS, GOAL = 100_000, 36, 9, 5.0
SCENARIO = {"vendor": {"more_work_per_dollar": 0.7}, "finance": {"horizon_months": MONTHS}}


def draw():
    start = read_scenario(SCENARIO)
    ranges = drawn(input_ranges(start))
    points = sobol_points(len(ranges) + 1, DRAWS, 0)
    scenario = scenario_at(start, ranges, points[:, 1:])
    point = evaluate(scenario)
    ratio = torch.exp(point.belief.mean + point.belief.sd * torch.special.ndtri(points[:, 0]))
    return scenario, point, ratio


def as_arrays(scenario, point, ratio):
    after = point.after_test
    values = {
        "bill": point.bill.spend_usd,
        "share": point.bill.movable_share,
        "growth": scenario.spend.growth_monthly,
        "start": after.start,
        "go_live": after.go_live,
        "ramp": scenario.migration.ramp_months,
        "owed": scenario.commitment.monthly_usd * (1 - scenario.commitment.portable_share),
        "months_left": scenario.commitment.months_left,
        "upkeep": revalidation_cost(scenario),
        "cost": after.cost_usd,
        "test": point.test_cost.usd,
        "parallel": after.parallel_usd,
        "ratio": ratio,
    }
    return SimpleNamespace(**{k: np.broadcast_to(np.asarray(v, float), (DRAWS,)).copy() for k, v in values.items()})


def loop_over_months(x):
    decided, live = np.minimum(np.ceil(x.start), MONTHS), np.minimum(np.ceil(x.go_live), MONTHS)
    cash = -x.test - np.where(decided == 0, x.cost, 0.0) - np.where(live == 0, x.parallel * x.ratio, 0.0)
    cumulative, size = [cash], np.abs(cash)
    for t in range(1, MONTHS + 1):
        spend = x.bill * (1 + x.growth) ** (t - 1)
        moved = x.share * spend * np.clip((t - x.go_live) / x.ramp, 0, 1)
        owed = np.where(t <= x.months_left, x.owed, 0.0)
        avoided = np.maximum(owed, spend) - np.maximum(owed, spend - moved)
        cash = avoided - moved * x.ratio - np.where(t > x.go_live, x.upkeep, 0.0)
        cash = cash - np.where(decided == t, x.cost, 0.0) - np.where(live == t, x.parallel * x.ratio, 0.0)
        cumulative.append(cumulative[-1] + cash)
        size = size + np.abs(cash)
    payback, black = np.zeros(DRAWS), np.ones(DRAWS, dtype=bool)
    for t, here in enumerate(cumulative):
        red = here < -1e-9 * size
        if t:
            before = cumulative[t - 1]
            back = ~red & ~black
            payback = np.where(back, t - 1 + before / np.where(back, before - here, 1.0), payback)
        black = ~red
    return np.array(cumulative), np.where(black, payback, np.inf)


def main() -> None:
    scenario, point, ratio = draw()
    arrays = as_arrays(scenario, point, ratio)
    cash, month = cumulate(walk_cash(scenario, point, ratio))
    expected_cash, expected_month = loop_over_months(arrays)
    np.testing.assert_allclose(cash.numpy(), expected_cash, rtol=0, atol=1e-9 * np.abs(expected_cash).max())
    np.testing.assert_allclose(month.numpy(), expected_month, rtol=0, atol=1e-6)
    ours, other = in_turns(
        lambda: cumulate(walk_cash(scenario, point, ratio)), lambda: loop_over_months(arrays), ROUNDS
    )
    shape = {"draws": DRAWS, "months": MONTHS, "n": ROUNDS}
    report("draws_with_payback", ours * 1e3, other * 1e3, other / ours, "ms", GOAL, **shape)


if __name__ == "__main__":
    main()
