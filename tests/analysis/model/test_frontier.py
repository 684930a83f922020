"""Maps of the best act: one batch against a decision for each cell."""

import numpy as np
import pytest

from analysis.model.decision import decide
from analysis.model.evaluation import ACTS, evaluate, recommended_acts
from analysis.model.frontier import acts_on_grid, map_jobs, map_team
from analysis.model.reading import read_scenario
from tests.analysis.builders import MEASURED, scenario

JOBS = {"jobs_per_week": 30, "hours_per_job": 6, "instances": 1, "price_per_instance_hour": 41.5}
CASES = {
    "claim": {"jobs": JOBS, "vendor": {"more_work_per_dollar": 0.7}},
    "measured": {"jobs": JOBS, "benchmarks": MEASURED, "team": {"engineers": 3}},
    "committed": {
        "jobs": JOBS,
        "benchmarks": MEASURED,
        "commitment": {"monthly_usd": 90_000, "months_left": 8},
        "spend": {"growth_monthly": 0.01, "monthly_gpu_usd": 120_000},
        "policy": {"require_own_benchmark": False},
    },
}


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return scenario(**CASES[request.param])


@pytest.mark.parametrize("of", [map_jobs, map_team])
def test_every_cell_is_the_act_recommended_there(case, of):
    found = of(case, size=60)
    assert found.acts.shape == (len(found.y), len(found.x))
    whole = found.y_name == "team.engineers"
    for i in range(0, len(found.y), 7):
        for j in range(0, len(found.x), 7):
            y = int(found.y[i]) if whole else float(found.y[i])
            at = case.replace({found.x_name: float(found.x[j]), found.y_name: y})
            assert found.acts[i, j] == recommended_acts(at, evaluate(at), ())[()], (i, j)


def test_a_whole_small_map_agrees_with_whole_decisions():
    stated = CASES["measured"]
    x, y = np.array([0.0, 40_000, 150_000]), np.array([0.0, 12.0, 90.0])
    acts = acts_on_grid(scenario(**stated), "spend.monthly_gpu_usd", x, "jobs.jobs_per_week", y)
    for i, jobs in enumerate(y):
        for j, spend in enumerate(x):
            cell = {"spend": {"monthly_gpu_usd": spend}, "jobs": JOBS | {"jobs_per_week": jobs}}
            assert decide(read_scenario(stated | cell)).recommendation == ACTS[acts[i, j]]


def test_a_map_holds_more_than_one_act_and_the_user_s_spot(case):
    assert len(np.unique(map_jobs(case).acts)) > 1
    for found in (map_jobs(case), map_team(case)):
        assert found.x[0] <= found.now[0] <= found.x[-1]
        assert found.y[0] <= found.now[1] <= found.y[-1]
        assert found.now[0] == pytest.approx(float(evaluate(case).bill.spend_usd))


def test_maps_are_sixty_by_sixty_and_team_sizes_are_whole():
    found = map_team(scenario())
    assert found.acts.shape == (60, 60)
    assert (found.y == found.y.round()).all()
    assert found.y[0] == 1


def test_no_jobs_no_map_of_jobs():
    assert map_jobs(scenario()) is None


@pytest.mark.parametrize(
    "sections",
    [{"team": {"engineers": 10_000}}, {"spend": {"monthly_gpu_usd": 1e12}}, {"spend": {"monthly_gpu_usd": 0}}],
)
def test_extreme_inputs_have_maps(sections):
    found = map_team(scenario(**sections))
    assert found.y[-1] >= found.now[1]
    assert set(np.unique(found.acts)) <= {0, 1, 2}
