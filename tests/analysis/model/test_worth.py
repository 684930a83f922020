"""What information is worth, by runs and by duration, against one evaluation at a time."""

import numpy as np
import pytest
from hypothesis import given, settings

from analysis.model.evaluation import evaluate
from analysis.model.reading import read_scenario
from analysis.model.testing import value_information
from analysis.model.worth import value_of_information
from tests.analysis.builders import MEASURED, scenario
from tests.analysis.random_scenarios import scenarios

CASES = {
    "claim": scenario(vendor={"more_work_per_dollar": 0.7}),
    "measured": scenario(benchmarks=MEASURED, spend={"monthly_gpu_usd": 300_000}),
    "noisy": scenario(vendor={"more_work_per_dollar": 0.4}, test={"run_sd_log": 0.5, "runs": 2}),
    "poor": scenario(spend={"monthly_gpu_usd": 1_000}),
}


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return CASES[request.param]


def test_information_by_runs_is_that_of_each_number_of_runs(case):
    worth = value_of_information(case)
    for runs, usd in zip(worth.runs, worth.evsi_by_runs, strict=True):
        with_runs = case.replace({"test.runs": int(runs)})
        point = evaluate(with_runs)
        alone = value_information(point.now, point.belief, point.p_success, with_runs.test).evsi
        assert usd == pytest.approx(alone, rel=1e-9, abs=1e-6)


def test_more_runs_are_worth_more_but_never_more_than_perfect_knowledge(case):
    worth = value_of_information(case)
    slack = 1e-9 * worth.information.evpi + 1e-6
    assert (np.diff(worth.evsi_by_runs) >= -slack).all()
    assert worth.evsi_by_runs[0] >= 0
    assert worth.evsi_by_runs[-1] <= worth.information.evpi + slack
    assert worth.information.evppi_technical <= worth.information.evpi + slack
    assert worth.information.evppi_ratio <= worth.information.evpi + slack


def test_repeats_are_worth_something_where_runs_are_noisy():
    worth = value_of_information(CASES["noisy"])
    assert worth.evsi_by_runs[-1] > worth.evsi_by_runs[0] + 100


def test_value_by_duration_is_that_of_each_duration(case):
    worth = value_of_information(case)
    for months, usd in list(zip(worth.durations_months, worth.net_by_duration, strict=True))[::8]:
        point = evaluate(case.replace({"test.duration_months": float(months)}))
        assert usd == pytest.approx(point.test_usd - max(0, point.migrate_usd), rel=1e-9, abs=1e-6)


def test_at_the_planned_duration_it_is_the_net_value_of_the_test():
    planned = scenario(vendor={"more_work_per_dollar": 0.7}, test={"duration_months": 2.5})
    worth = value_of_information(planned)
    at = int(np.flatnonzero(worth.durations_months == 2.5)[0])
    point = evaluate(planned)
    assert worth.net_by_duration[at] == pytest.approx(point.test_usd - max(0, point.migrate_usd), rel=1e-12)
    assert worth.net_now == pytest.approx(float(worth.net_by_duration[at]), rel=1e-12)
    assert worth.duration_now == 2.5


def test_a_longer_test_is_worth_no_more_when_the_bill_is_level():
    worth = value_of_information(CASES["claim"])
    assert (np.diff(worth.net_by_duration) <= 1e-6).all()


@settings(max_examples=30, deadline=None)
@given(scenarios)
def test_it_is_never_anything_but_a_number(stated):
    worth = value_of_information(read_scenario(stated))
    assert np.isfinite(worth.evsi_by_runs).all()
    assert np.isfinite(worth.net_by_duration).all()
    assert worth.net_by_duration.shape == worth.durations_months.shape
    assert worth.runs_now == stated["test"]["runs"]
