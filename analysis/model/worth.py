"""What information is worth: perfect, of this test, by number of runs, and by how long the test takes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.model.evaluation import Evaluation, evaluate
from analysis.model.scenario import Scenario
from analysis.model.testing import Information, outcome_of_test, value_information

Values = NDArray[np.float64]
RUNS = np.array([1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30])
DURATIONS_MONTHS = np.linspace(0.0, 12.0, 49)


@dataclass(frozen=True, slots=True)
class InformationWorth:
    """Value of information in USD.

    `evsi_by_runs` is what the test's information is worth with RUNS runs a platform; `net_by_duration` the net value of
    the test, against the better of doing nothing and migrating untested, if it took DURATIONS_MONTHS.
    """

    information: Information
    test_cost_usd: float
    runs: NDArray[np.int64]
    evsi_by_runs: Values
    durations_months: Values
    net_by_duration: Values
    runs_now: int
    duration_now: float
    net_now: float


def value_of_information(scenario: Scenario) -> InformationWorth:
    """Return what knowing more is worth, and how it depends on runs and duration."""
    point = evaluate(scenario)
    by_runs = evaluate(scenario.replace({"test.runs": RUNS}))
    by_duration = evaluate(scenario.replace({"test.duration_months": DURATIONS_MONTHS}))
    return InformationWorth(
        information=value_information(point.now, point.belief, point.p_success, scenario.test),
        test_cost_usd=float(point.test_cost.usd),
        runs=RUNS,
        evsi_by_runs=_evsi(scenario, by_runs),
        durations_months=DURATIONS_MONTHS,
        net_by_duration=np.asarray(by_duration.test_usd - max(0.0, float(point.migrate_usd))),
        runs_now=scenario.test.runs,
        duration_now=float(point.test_cost.months),
        net_now=float(point.test_usd - max(0.0, point.migrate_usd)),
    )


def _evsi(scenario: Scenario, point: Evaluation) -> Values:
    test = scenario.replace({"test.runs": RUNS}).test
    value = outcome_of_test(point.now, point.belief, point.p_success, test).value_usd
    return np.maximum(0.0, np.asarray(value) - max(0.0, float(point.migrate_usd)))
