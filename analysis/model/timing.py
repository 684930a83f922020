"""When to act: wait, test or migrate, as SDK releases close gaps and commitments run out (model section 9).

A stopping problem on a calendar that ends at a fixed month: with a horizon that rolled along, waiting would be free.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.model.cashflow import monthly_discount, plan_migration
from analysis.model.evaluation import Evaluation, evaluate
from analysis.model.scenario import Scenario
from analysis.model.testing import TIE_USD, migrate_value, outcome_of_test

Values = NDArray[np.float64]
ACTIONS = ("wait", "test", "migrate")


@dataclass(frozen=True, slots=True)
class Timing:
    """The best policy over months and SDK releases.

    `actions[t][k]` is the index into ACTIONS of the best act in month t after k releases (k ≤ t). Values in USD of
    today; `act_probability_by_month` is unconditional and adds to 1 with `probability_never_acts`.
    """

    action_now: str
    value_now: float
    value_if_must_act_now: float
    value_of_waiting: float
    probability_never_acts: float
    expected_month_given_acts: float | None
    act_probability_by_month: tuple[float, ...]
    actions: tuple[tuple[int, ...], ...]

    def as_dict(self) -> dict[str, object]:
        """Return the figures of the JSON output; the policy itself is for the chart."""
        names = (
            "action_now",
            "value_now",
            "value_if_must_act_now",
            "value_of_waiting",
            "probability_never_acts",
            "expected_month_given_acts",
        )
        figures: dict[str, object] = {name: getattr(self, name) for name in names}
        return {**figures, "act_probability_by_month": list(self.act_probability_by_month)}


def plan_timing(scenario: Scenario) -> Timing:
    """Return when to act, by backward induction over months and releases."""
    point = evaluate(scenario)
    months = scenario.timing.horizon_months or scenario.finance.horizon_months
    discount = monthly_discount(scenario.finance.annual_discount)
    release = scenario.timing.release_prob_per_month
    following = np.zeros(months + 1)
    actions: list[NDArray[np.int64]] = []
    must_act = 0.0
    for t in reversed(range(months)):
        test, migrate = _values_at(scenario, point, t)
        wait = discount * (release * following[1 : t + 2] + (1 - release) * following[: t + 1])
        actions.append(_best(wait, test, migrate))
        following = np.maximum(wait, np.maximum(test, migrate))
        must_act = max(0.0, float(test[0]), float(migrate[0]))
    actions.reverse()
    chances = _act_chances(actions, release)
    acts = float(chances.sum())
    value = float(following[0])
    return Timing(
        action_now=ACTIONS[int(actions[0][0])],
        value_now=value,
        value_if_must_act_now=must_act,
        value_of_waiting=value - must_act,
        probability_never_acts=max(0.0, 1.0 - acts),
        expected_month_given_acts=float(chances @ np.arange(months)) / acts if acts else None,
        act_probability_by_month=tuple(float(chance) for chance in chances),
        actions=tuple(tuple(int(a) for a in row) for row in actions),
    )


def success_after(scenario: Scenario, p_now: float, releases: Values) -> Values:
    """Return the chance of technical success after a number of further SDK releases."""
    return 1.0 - (1.0 - p_now) * (1.0 - scenario.timing.gap_closed_per_release) ** releases


def _values_at(scenario: Scenario, point: Evaluation, t: int) -> tuple[Values, Values]:
    """Return the value of testing and of migrating in month t, in USD of that month, for 0..t releases."""
    grown = (1.0 + scenario.spend.growth_monthly) ** t
    bill = replace(point.bill, spend_usd=point.bill.spend_usd * grown, movable_usd=point.bill.movable_usd * grown)
    left = scenario.replace(
        {
            "finance.horizon_months": scenario.finance.horizon_months - t,
            "commitment.months_left": max(0.0, scenario.commitment.months_left - t),
        }
    )
    now = plan_migration(left, bill, 0.0, 0.0)
    after = plan_migration(left, bill, point.test_cost.months, left.test.reuse * point.test_cost.engineering_usd)
    p = success_after(scenario, point.p_success, np.arange(t + 1, dtype=np.float64))
    outcome = outcome_of_test(after, point.belief, p, left.test)  # type: ignore[arg-type]
    test = np.asarray(outcome.value_usd - point.test_cost.usd)
    migrate = np.asarray(migrate_value(now, point.belief.ratio_mean, p))  # type: ignore[arg-type]
    return test, migrate


def _best(wait: Values, test: Values, migrate: Values) -> NDArray[np.int64]:
    act = np.where(test >= migrate - TIE_USD, 1, 2)
    return np.where(wait >= np.maximum(test, migrate) - TIE_USD, 0, act)


def _act_chances(actions: list[NDArray[np.int64]], release: float) -> Values:
    """Return the chance that the policy acts in each month."""
    chances = np.zeros(len(actions))
    waiting = np.ones(1)
    for t, row in enumerate(actions):
        acting = row > 0
        chances[t] = waiting[acting].sum()
        still = np.where(acting, 0.0, waiting)
        waiting = np.append(still * (1 - release), 0.0) + np.append(0.0, still * release)
    return chances
