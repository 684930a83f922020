"""The numbers behind the charts."""

import itertools

import numpy as np
import pytest

from analysis.model.curves import cash_paths, cost_by_team, value_by_jobs, value_by_spend
from analysis.model.decision import decide
from analysis.model.evaluation import evaluate
from tests.analysis.builders import MEASURED, scenario

CLAIM = {"vendor": {"more_work_per_dollar": 0.6, "haircut": 0.3}}
JOBS = {"jobs_per_week": 20, "hours_per_job": 5, "instances": 1, "price_per_instance_hour": 45}


def check_curve(curve, start, name):
    assert curve.x[0] == 0
    assert curve.x[-1] >= 2 * curve.now
    assert (np.diff(curve.x) > 0).all()
    for i in (0, 17, 120, -1):
        point = evaluate(start.replace({name: float(curve.x[i])}))
        assert curve.test_usd[i] == pytest.approx(point.test_usd, rel=1e-10)
        assert curve.migrate_usd[i] == pytest.approx(point.migrate_usd, rel=1e-10)
    assert (curve.ranges[0].low, curve.ranges[-1].high) == (curve.x[0], curve.x[-1])
    for before, after in itertools.pairwise(curve.ranges):
        assert before.high == after.low
        assert before.act != after.act
    decision = decide(start)
    assert curve.now_act == decision.recommendation
    assert curve.now_usd == pytest.approx(decision.values_usd[decision.recommendation])
    here = next(r for r in curve.ranges if curve.now <= r.high)
    assert here.act == curve.now_act


@pytest.mark.parametrize("stated", [CLAIM, CLAIM | {"spend": {"monthly_gpu_usd": 300_000}}, {"benchmarks": MEASURED}])
def test_value_over_spend(stated):
    start = scenario(**stated)
    curve = value_by_spend(start, decide(start).worth_acting_from_usd)
    assert curve.now == start.spend.monthly_gpu_usd or curve.now == 50_000
    check_curve(curve, start, "spend.monthly_gpu_usd")


@pytest.mark.parametrize(("worth", "top"), [(150_000.0, 225_000), (5e6, 100_000), (None, 100_000), (0.0, 100_000)])
def test_the_break_even_is_on_the_chart_unless_it_is_far_away(worth, top):
    curve = value_by_spend(scenario(**CLAIM), worth)
    assert curve.x[-1] == curve.ranges[-1].high == top


def test_where_the_policy_holds_a_migration_back_the_chart_says_what_the_verdict_says():
    jobs = {"jobs_per_week": 10, "hours_per_job": 6, "instances": 1, "price_per_instance_hour": 41.53}
    start = scenario(vendor={"more_work_per_dollar": 1.5}, spend={"monthly_gpu_usd": 50_000}, jobs=jobs)
    assert decide(start).decision == "migrate"
    curve = value_by_spend(start, decide(start).worth_acting_from_usd)
    assert curve.now_act == decide(start).recommendation == "test"
    assert "migrate" not in {r.act for r in curve.ranges}


def test_a_bill_of_nothing_has_a_chart_all_the_same():
    start = scenario(spend={"monthly_gpu_usd": 0})
    assert value_by_spend(start, decide(start).worth_acting_from_usd).x[-1] >= 1_000


def test_value_over_jobs():
    start = scenario(**CLAIM, jobs=JOBS, spend={"monthly_gpu_usd": 40_000})
    curve = value_by_jobs(start, decide(start).break_even_jobs_per_week)
    assert curve.now == 20
    check_curve(curve, start, "jobs.jobs_per_week")
    assert value_by_jobs(scenario(**CLAIM), 3.0) is None


def test_cash_of_a_move_after_the_test():
    start = scenario(**CLAIM, spend={"monthly_gpu_usd": 200_000}, finance={"horizon_months": 30})
    decision, paths = decide(start), cash_paths(start)
    assert paths.test_usd == decision.validation_cost_usd
    for path in (paths.if_go, paths.mean, paths.best, paths.worst):
        assert path.cumulative_usd.shape == (31,)
        assert path.cumulative_usd[0] <= -decision.validation_cost_usd
    assert paths.mean.payback_month == decision.payback_month
    assert paths.if_go.payback_month == decision.payback_month_if_go
    assert paths.if_go.ratio == pytest.approx(decision.ratio_if_go)
    assert (paths.best.ratio, paths.worst.ratio) == (
        pytest.approx(1 - decision.saving_share_90[1]),
        pytest.approx(1 - decision.saving_share_90[0]),
    )
    assert (paths.best.cumulative_usd >= paths.mean.cumulative_usd).all()
    assert (paths.worst.cumulative_usd <= paths.mean.cumulative_usd).all()
    assert paths.if_go.ratio < paths.mean.ratio


def test_payback_is_where_the_line_crosses_for_good():
    paths = cash_paths(scenario(**CLAIM, spend={"monthly_gpu_usd": 200_000}))
    line, month = paths.mean.cumulative_usd, paths.mean.payback_month
    assert np.interp(month, np.arange(len(line)), line) == pytest.approx(0, abs=1e-3)
    assert (line[int(np.ceil(month)) :] >= -1e-6).all()


def test_no_path_where_a_test_hardly_ever_ends_in_a_move():
    assert cash_paths(scenario(spend={"monthly_gpu_usd": 0})).if_go is None


def test_cost_of_the_test_by_team():
    costs = cost_by_team(scenario(team={"engineers": 17}))
    assert costs.engineers[0] == 1
    assert costs.engineers[-1] == 34
    assert 17 in costs.engineers
    assert costs.now == 17
    assert costs.usd.shape == (len(costs.activities), len(costs.engineers))
    for i, size in enumerate(costs.engineers):
        decision = evaluate(scenario(team={"engineers": int(size)})).test_cost
        assert costs.usd[:, i].sum() == pytest.approx(decision.usd)
        assert costs.months[i] == pytest.approx(decision.months)
    assert costs.now_usd == pytest.approx(costs.usd[:, list(costs.engineers).index(17)].sum())


@pytest.mark.parametrize("size", [1, 5, 500])
def test_teams_of_any_size_have_a_few_bars(size):
    costs = cost_by_team(scenario(team={"engineers": size}))
    assert len(costs.engineers) <= 25
    assert size in costs.engineers
    assert costs.engineers[-1] >= max(12, 2 * size)
