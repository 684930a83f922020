"""The value of testing: perfect and sample information, and the value of each act (model section 8)."""

from dataclasses import dataclass

from analysis.model.arrays import exp, log, maximum, ndtr, sqrt, where
from analysis.model.belief import Belief
from analysis.model.cashflow import Migration
from analysis.model.scenario import TestPlan

TIE_USD = 1e-9
_LEAST = 1e-300
_UNLIKELY = 1e-12


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """What a test is likely to lead to.

    `value_usd` is the value of deciding after the test (W); `probability_go` the chance that it ends in a move and
    `ratio_go` E[r · go], so that the mean ratio of a move is ratio_go / probability_go.
    """

    __test__ = False  # pytest would collect a class of this name

    value_usd: float
    probability_go: float
    ratio_go: float


@dataclass(frozen=True, slots=True)
class Information:
    """Value of information in USD: perfect (evpi), perfect about one thing (evppi), and of this test alone (evsi)."""

    evpi: float
    evppi_technical: float
    evppi_ratio: float
    evsi: float


def expected_gain(alpha: float, beta: float, mean: float, variance: float) -> float:
    """Return E max(0, α − β e^Z), Z ~ N(mean, variance): the Black–Scholes form of a linear loss (Black, JPE 1976)."""
    sd, d = _standardise(alpha, beta, mean, variance)
    closed = alpha * ndtr(d) - beta * exp(mean + variance / 2) * ndtr(d - sd)
    certain = maximum(0.0, alpha - beta * exp(mean))
    return where(alpha > 0, where(variance > 0, maximum(0.0, closed), certain), 0.0)


def migrate_value(plan: Migration, ratio: float, p: float) -> float:
    """Return the value in USD of migrating without a test."""
    return p * plan.value(ratio) - (1 - p) * plan.loss_usd


def outcome_of_test(plan: Migration, belief: Belief, p: float, test: TestPlan) -> TestOutcome:
    """Return what deciding after the test is worth, and how often it ends in a move.

    The test answers + or − with its sensitivity and specificity; + also brings a noisy measurement of ln r.
    """
    passes = p * test.sensitivity + (1 - p) * (1 - test.specificity)
    success_if_pass = _ratio(p * test.sensitivity, passes)
    success_if_fail = _ratio(p * (1 - test.sensitivity), 1 - passes)
    remaining, resolved = _variances(belief, test)

    alpha = success_if_pass * plan.avoided_usd - (1 - success_if_pass) * plan.loss_usd
    beta = success_if_pass * plan.work_usd
    mean = belief.mean + remaining / 2
    sd, d = _standardise(alpha, beta, mean, resolved)
    certain = where(alpha - beta * exp(mean) > 0, 1.0, 0.0)
    go = where(alpha > 0, where(resolved > 0, ndtr(d), certain), 0.0)
    cheaper = where(alpha > 0, where(resolved > 0, ndtr(d - sd), certain), 0.0)
    ratio = belief.ratio_mean
    after_fail = success_if_fail * plan.value(ratio) - (1 - success_if_fail) * plan.loss_usd
    goes_anyway = where(after_fail > 0, 1 - passes, 0.0)
    return TestOutcome(
        value_usd=passes * expected_gain(alpha, beta, mean, resolved) + (1 - passes) * maximum(0.0, after_fail),
        probability_go=passes * go + goes_anyway,
        ratio_go=passes * exp(mean + resolved / 2) * cheaper + goes_anyway * ratio,
    )


def value_information(plan: Migration, belief: Belief, p: float, test: TestPlan) -> Information:
    """Return the value of knowing everything, one thing, or what this test tells, for a migration decided now."""
    ratio = belief.ratio_mean
    best = maximum(0.0, migrate_value(plan, ratio, p))
    variance = belief.sd**2
    everything = p * expected_gain(plan.avoided_usd, plan.work_usd, belief.mean, variance)
    technical = p * maximum(0.0, plan.value(ratio))
    cost_ratio = expected_gain(p * plan.avoided_usd - (1 - p) * plan.loss_usd, p * plan.work_usd, belief.mean, variance)
    sample = outcome_of_test(plan, belief, p, test).value_usd
    return Information(*(maximum(0.0, worth - best) for worth in (everything, technical, cost_ratio, sample)))


def likely(probability: float) -> bool:
    """Tell whether an event is likely enough that what follows from it can be stated."""
    return probability > _UNLIKELY


def _variances(belief: Belief, test: TestPlan) -> tuple[float, float]:
    """Return the variance of ln r that stays after the test, and the part that the test resolves."""
    noise = 2 * test.run_sd_log**2 / maximum(1.0, test.runs) + test.transfer_sd_log**2
    prior = belief.sd**2
    remaining = _ratio(prior * noise, prior + noise)
    return remaining, prior - remaining


def _standardise(alpha: float, beta: float, mean: float, variance: float) -> tuple[float, float]:
    sd = sqrt(where(variance > 0, variance, 1.0))
    odds = log(maximum(where(alpha > 0, alpha, 1.0), _LEAST) / maximum(beta, _LEAST))
    return sd, (odds - mean) / sd


def _ratio(part: float, whole: float) -> float:
    return where(whole > 0, part / where(whole > 0, whole, 1.0), 0.0)
