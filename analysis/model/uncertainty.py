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

from analysis.model.cashflow import cash_by_month
from analysis.model.evaluation import ACTS, Evaluation, evaluate, recommended_acts
from analysis.model.ranges import InputRange, drawn, input_ranges
from analysis.model.scenario import Scenario

Values = NDArray[np.float64]
PERCENTILES = (5, 25, 50, 75, 95)
DRAWS = 2048
_BATCH = 8192
_EDGE = 1e-9
_ZERO = 1e-9


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
    cash, payback, npv, net, acts = (np.concatenate([part[i] for part in parts]) for i in range(5))
    pays = payback[np.isfinite(payback)]
    return Uncertainty(
        draws=draws,
        seed=seed,
        cash_usd=np.percentile(cash, PERCENTILES, axis=0),
        npv_if_success_usd=_spread(npv),
        net_value_of_test_usd=_spread(net),
        payback_months=_spread(pays) if pays.size else None,
        probability_pays_back=pays.size / draws,
        act_probability={act: float((acts == i).mean()) for i, act in enumerate(ACTS)},
        inputs=ranges,
    )


def sobol_points(dimensions: int, count: int, seed: int) -> Any:
    """Return a tensor (count, dimensions) of scrambled Sobol points inside the open unit cube."""
    import torch

    engine: Any = torch.quasirandom.SobolEngine(dimensions, scramble=True, seed=seed)  # type: ignore[no-untyped-call]
    return engine.draw(count, dtype=torch.float64).clamp(_EDGE, 1 - _EDGE)


def scenario_at(scenario: Scenario, ranges: tuple[InputRange, ...], points: Any) -> Scenario:
    """Return the scenario whose uncertain inputs are tensors: the quantiles at the points, one column an input."""
    return scenario.replace({r.name: r.quantile(points[..., i]) for i, r in enumerate(ranges)})


def cumulate(cash: Any) -> tuple[Any, Any]:
    """Return cumulative cash (…, H+1) and the payback month of each row, infinite where it never pays back.

    Payback is the interpolated month after which the cumulative stays at or above zero.
    """
    import torch

    cumulative = cash.cumsum(-1)
    floor = -_ZERO * cash.abs().sum(-1, keepdim=True)
    months = torch.arange(cash.shape[-1], dtype=torch.float64)
    last = torch.where(cumulative < floor, months, -1.0).amax(-1)
    index = last.clamp(0, cash.shape[-1] - 2).long()[..., None]
    here, step = cumulative.gather(-1, index)[..., 0], cash.gather(-1, index + 1)[..., 0]
    month = last - here / torch.where(step > 0, step, torch.ones_like(step))
    month = torch.where(last == cash.shape[-1] - 1, torch.inf, month)
    return cumulative, torch.where(last < 0, 0.0, month)


def _simulate_batch(scenario: Scenario, ranges: tuple[InputRange, ...], points: Any) -> tuple[Values, ...]:
    import torch

    point = evaluate(scenario_at(scenario, ranges, points[:, :-1]))
    z = torch.from_numpy(ndtri(points[:, -1].numpy()))
    ratio: Any = torch.exp(point.belief.mean + point.belief.sd * z)
    horizon = scenario.finance.horizon_months
    cash: Any = cash_by_month(point.after_test, ratio, point.test_cost.usd, horizon)
    cumulative, payback = cumulate(cash)
    npv: Any = point.after_test.value(ratio) - point.test_cost.usd
    net = _numbers(point.test_usd) - np.maximum(_numbers(point.migrate_usd), 0.0)
    acts = recommended_acts(scenario, _as_arrays(point), (len(points),))
    return cumulative.numpy(), payback.numpy(), _numbers(npv), net, acts.astype(np.float64)


def _as_arrays(point: Evaluation) -> Evaluation:
    return replace(point, test_usd=_numbers(point.test_usd), migrate_usd=_numbers(point.migrate_usd))


def _numbers(value: Any) -> Any:
    return np.asarray(value, dtype=np.float64)


def _spread(samples: Values) -> Spread:
    ordered = np.sort(samples)
    return Spread(float(samples.mean()), tuple(float(x) for x in np.percentile(ordered, PERCENTILES)), ordered)
