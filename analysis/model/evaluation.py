"""One pass through sections 0 to 8: the value of each act, for a scenario whose inputs may be arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.model.belief import Belief, form_belief
from analysis.model.cashflow import Migration, plan_migration
from analysis.model.effort import TestCost, compute_test_cost
from analysis.model.scenario import Scenario
from analysis.model.success import success_probability
from analysis.model.testing import TIE_USD, TestOutcome, migrate_value, outcome_of_test
from analysis.model.unit_cost import PlatformCost, PooledRatio, fallback_penalty, platform_costs, pool_ratios
from analysis.model.workload import Bill, compute_bill

ACTS = ("do_nothing", "test", "migrate")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the model says at one point, or at each point of the arrays that the scenario holds.

    `now` is a migration decided today without a test, `after_test` one decided when the test ends.
    """

    bill: Bill
    baseline: PlatformCost
    candidate: PlatformCost
    pooled: PooledRatio | None
    belief: Belief
    p_success: float
    test_cost: TestCost
    now: Migration
    after_test: Migration
    outcome: TestOutcome
    test_usd: float
    migrate_usd: float
    npv_if_success_usd: float


def evaluate(scenario: Scenario) -> Evaluation:
    """Return the value in USD of testing and of migrating, with all that leads to it."""
    bill = compute_bill(scenario)
    baseline, candidate = platform_costs(scenario)
    penalty = fallback_penalty(scenario)
    pooled = pool_ratios(scenario, baseline, candidate, penalty)
    belief = form_belief(scenario, pooled, penalty, candidate)
    p = success_probability(scenario, candidate.status)
    test_cost = compute_test_cost(scenario)
    credit = scenario.test.reuse * test_cost.engineering_usd
    now = plan_migration(scenario, bill, 0.0, 0.0)
    after_test = plan_migration(scenario, bill, test_cost.months, credit)
    outcome = outcome_of_test(after_test, belief, p, scenario.test)
    return Evaluation(
        bill=bill,
        baseline=baseline,
        candidate=candidate,
        pooled=pooled,
        belief=belief,
        p_success=p,
        test_cost=test_cost,
        now=now,
        after_test=after_test,
        outcome=outcome,
        test_usd=outcome.value_usd - test_cost.usd,
        migrate_usd=migrate_value(now, belief.ratio_mean, p),
        npv_if_success_usd=after_test.value(belief.ratio_mean) - test_cost.usd,
    )


def best_acts(test_usd: NDArray[np.float64], migrate_usd: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the index into ACTS of the best act at each point; a tie goes to the less committing one."""
    acts = np.where(test_usd > TIE_USD, 1, 0)
    return np.where(migrate_usd > np.maximum(test_usd, 0.0) + TIE_USD, 2, acts)


def recommended_acts(scenario: Scenario, point: Evaluation, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the index into ACTS of the recommended act at each point: migrating may need an own benchmark first."""
    test = np.broadcast_to(np.asarray(point.test_usd, dtype=float), shape)
    migrate = np.broadcast_to(np.asarray(point.migrate_usd, dtype=float), shape)
    acts = best_acts(test, migrate)
    measured = point.baseline.status == point.candidate.status == "ok"
    if scenario.policy.require_own_benchmark and not measured:
        acts = np.where(acts == 2, np.where(test > 0, 1, 0), acts)
    return acts


def best_act(test_usd: float, migrate_usd: float) -> str:
    """Return the best act at one point."""
    return ACTS[int(best_acts(np.asarray(test_usd), np.asarray(migrate_usd)))]
