"""Joint uncertainty: every input that has a range is drawn at once, and the model evaluated at each draw.

Drawn are the inputs and the cost ratio itself; where the closed form averages (over the test's answer, over success)
it is used, and only the rest is simulated. The runs of one benchmark move together: they enter as one measurement of
the ratio, not as independent inputs. torch is imported when a draw is made, never before.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from analysis.model.effort import revalidation_cost
from analysis.model.evaluation import ACTS, Evaluation, evaluate, recommended_acts
from analysis.model.ranges import InputRange, drawn, input_ranges
from analysis.model.scenario import Scenario

Values = NDArray[np.float64]
PERCENTILES = (5, 25, 50, 75, 95)
DRAWS = 2048
_BATCH = 32768
_EDGE = 1e-9
_ZERO = 1e-9
_STEP = 1e-200  # a ramp of no months, as one that takes next to none


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution, by its mean and the values at PERCENTILES; `samples` are its sorted draws."""

    mean: float
    percentiles: tuple[float, ...]
    samples: Values

    def as_dict(self) -> dict[str, float]:
        """Return mean and percentiles for JSON."""
        return {"mean": self.mean, **{f"p{p}": x for p, x in zip(PERCENTILES, self.percentiles, strict=True)}}


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What is left open when every uncertain input is drawn jointly.

    `cash_usd` holds cumulative undiscounted cash at PERCENTILES (rows) for months 0..H, of a test that is followed by
    a migration that succeeds. `payback_months` is the spread where it pays back, `probability_pays_back` how often it
    does within the horizon. `act_probability` says how often each act is the recommended one.
    """

    draws: int
    seed: int
    cash_usd: Values
    npv_if_success_usd: Spread
    net_value_of_test_usd: Spread
    payback_months: Spread | None
    probability_pays_back: float
    act_probability: dict[str, float]
    inputs: tuple[InputRange, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome for JSON."""
        return {
            "draws": self.draws,
            "seed": self.seed,
            "cumulative_cash_usd": {
                f"p{p}": [float(x) for x in row] for p, row in zip(PERCENTILES, self.cash_usd, strict=True)
            },
            "npv_if_success_usd": self.npv_if_success_usd.as_dict(),
            "net_value_of_test_usd": self.net_value_of_test_usd.as_dict(),
            "payback_month": self.payback_months.as_dict() if self.payback_months else None,
            "probability_pays_back": self.probability_pays_back,
            "act_probability": self.act_probability,
            "inputs": [{"field": r.name, "low": r.low, "base": r.base, "high": r.high} for r in self.inputs],
        }


def simulate(scenario: Scenario, draws: int = DRAWS, seed: int = 0) -> Uncertainty:
    """Return the joint uncertainty from `draws` scrambled Sobol points (Owen 1998); the seed fixes the picture."""
    ranges = drawn(input_ranges(scenario))
    points = sobol_points(len(ranges) + 1, draws, seed)
    parts = [_simulate_batch(scenario, ranges, batch) for batch in points.split(_BATCH)]
    cash, payback, npv, npv_means, net, acts = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    pays = payback[np.isfinite(payback)]
    return Uncertainty(
        draws=draws,
        seed=seed,
        cash_usd=np.percentile(cash, PERCENTILES, axis=1),
        npv_if_success_usd=replace(_spread(npv), mean=float(npv_means.mean())),
        net_value_of_test_usd=_spread(net),
        payback_months=_spread(pays) if pays.size else None,
        probability_pays_back=pays.size / draws,
        act_probability={act: float((acts == i).mean()) for i, act in enumerate(ACTS)},
        inputs=ranges,
    )


def prepare() -> None:
    """Import torch now, which takes seconds, so that the first draw does not have to."""
    import torch  # noqa: F401


def sobol_points(dimensions: int, count: int, seed: int) -> Any:
    """Return a tensor (count, dimensions) of scrambled Sobol points inside the open unit cube."""
    import torch

    # Where others compute too, the threads of one small operation wait for each other longer than they help.
    torch.set_num_threads(1)
    engine: Any = torch.quasirandom.SobolEngine(dimensions, scramble=True, seed=seed)  # type: ignore[no-untyped-call]
    return engine.draw(count, dtype=torch.float64).clamp(_EDGE, 1 - _EDGE)


def scenario_at(scenario: Scenario, ranges: tuple[InputRange, ...], points: Any) -> Scenario:
    """Return the scenario whose uncertain inputs are tensors: the quantiles at the points, one column an input."""
    columns = points.movedim(-1, 0).contiguous()
    return scenario.replace({r.name: r.quantile(column) for r, column in zip(ranges, columns, strict=True)})


def walk_cash(scenario: Scenario, point: Evaluation, ratio: Any) -> Any:
    """Return cash in USD of a test and a migration that succeeds, as a tensor (months 0..H, draws).

    The same as `cash_by_month` draw by draw, but walked month by month and in place, which is several times as fast.
    """
    import torch

    plan, held, horizon = point.after_test, scenario.commitment, scenario.finance.horizon_months

    def spread(value: Any) -> Any:
        return torch.as_tensor(value, dtype=torch.float64).broadcast_to(ratio.shape)

    growth = spread(1.0 + scenario.spend.growth_monthly)
    moved, spend = spread(point.bill.movable_usd).clone(), spread(point.bill.spend_usd).clone()
    owed = held.monthly_usd * (1.0 - held.portable_share)
    committed = bool(torch.as_tensor(owed).any())
    upkeep = spread(revalidation_cost(scenario))
    pace = 1.0 / spread(scenario.migration.ramp_months).clamp(min=_STEP)
    since, live = -spread(plan.go_live), torch.empty_like(ratio)
    all_live = float(spread(plan.go_live).max())
    all_moved = all_live + float(spread(scenario.migration.ramp_months).max())
    margin = moved.mul_(1.0 - ratio) if not committed else moved
    cash = torch.empty((horizon + 1, len(ratio)), dtype=torch.float64)
    torch.neg(spread(point.test_cost.usd), out=cash[0])
    for t in range(1, horizon + 1):
        if t < all_moved:
            row = torch.mul(since.add_(1.0), pace, out=cash[t]).clamp_(0.0, 1.0).mul_(margin)
        else:
            row = cash[t].copy_(margin)
        if committed:
            due = torch.where(spread(held.months_left) >= t, spread(owed), 0.0)
            avoided = torch.maximum(due, spend) - torch.maximum(due, spend - row)
            row.mul_(-ratio).add_(avoided)
            spend.mul_(growth)
        if t <= all_live:
            row.addcmul_(torch.gt(since, 0.0, out=live), upkeep, value=-1.0)
        else:
            row.sub_(upkeep)
        margin.mul_(growth)
    draws, flat = torch.arange(len(ratio)), cash.view(-1)
    for month, usd in ((plan.start, plan.cost_usd), (plan.go_live, plan.parallel_usd * ratio)):
        at = torch.ceil(spread(month)).clamp_(max=horizon).long()
        flat.index_add_(0, at * len(ratio) + draws, spread(usd), alpha=-1.0)
    return cash


def cumulate(cash: Any) -> tuple[Any, Any]:
    """Turn cash (months, draws) into cumulative cash, in place; return it, and the payback month of each draw.

    Payback is the interpolated month after which the cumulative stays at or above zero; infinite where it never does.
    """
    import torch

    months, draws = cash.shape
    floor, below = torch.zeros_like(cash[0]), torch.empty_like(cash[0])
    for row in cash:
        floor.sub_(torch.abs(row, out=below))
    floor.mul_(_ZERO)
    last = torch.lt(cash[0], floor).to(cash.dtype)  # for now one more than the last month below zero, 0 for none
    for t in range(1, months):
        row = cash[t].add_(cash[t - 1])
        torch.maximum(last, torch.lt(row, floor, out=below).mul_(t + 1), out=last)
    last.sub_(1.0)
    index = last.clamp(0, months - 2).long().mul_(draws).add_(torch.arange(draws))
    here, after = (cash.view(-1).index_select(0, at) for at in (index, index + draws))
    month = last - here / torch.where(after > here, after - here, 1.0)
    month = torch.where(last == months - 1, torch.inf, month)
    return cash, torch.where(last < 0, 0.0, month)


def _simulate_batch(scenario: Scenario, ranges: tuple[InputRange, ...], points: Any) -> tuple[Values, ...]:
    import torch

    point = evaluate(scenario_at(scenario, ranges, points[:, 1:]))
    z = torch.from_numpy(ndtri(points[:, 0].numpy()))  # the most even column to what matters most
    ratio: Any = torch.exp(point.belief.mean + point.belief.sd * z)
    cumulative, payback = cumulate(walk_cash(scenario, point, ratio))
    npv: Any = point.after_test.value(ratio) - point.test_cost.usd
    # The mean over the cost ratio is known: it need not be drawn, and its long tail would cost the mean its precision.
    npv_mean = np.broadcast_to(_numbers(point.npv_if_success_usd), (len(points),))
    net = np.broadcast_to(_numbers(point.test_usd) - np.maximum(_numbers(point.migrate_usd), 0.0), (len(points),))
    acts = recommended_acts(scenario, _as_arrays(point), (len(points),))
    return cumulative.numpy(), payback.numpy(), _numbers(npv), npv_mean, net, acts.astype(np.float64)


def _as_arrays(point: Evaluation) -> Evaluation:
    return replace(point, test_usd=_numbers(point.test_usd), migrate_usd=_numbers(point.migrate_usd))


def _numbers(value: Any) -> Any:
    return np.asarray(value, dtype=np.float64)


def _spread(samples: Values) -> Spread:
    ordered = np.sort(samples)
    return Spread(float(samples.mean()), tuple(float(x) for x in np.percentile(ordered, PERCENTILES)), ordered)
