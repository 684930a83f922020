import numpy as np
import pytest

from analysis.model.effort import compute_test_cost, migration_cost, revalidation_cost
from tests.analysis.builders import scenario

TEAM = {"engineers": 3, "loaded_usd_per_hour": 100, "engaged_max": 2, "hours_per_week_available": 10}
WORK = {"services": 4, "services_tested": 2, "unsupported_ops": 6, "custom_kernels": 1, "cuda_only_tools": 2}
EFFORT = {
    "setup": 10,
    "learn_per_engineer": 5,
    "report": 4,
    "review_per_engineer": 2,
    "port_per_service": 20,
    "parity_per_service": 8,
    "bench_per_service": 12,
    "per_unsupported_op": 3,
    "per_kernel": 40,
    "per_tool": 6,
    "coordination": 0.1,
    "wait_share": 0.5,
    "migrate_per_service": 30,
    "train_per_engineer": 7,
    "ops_fixed": 15,
}
TEST = {
    "baseline_hours": 10,
    "candidate_hours": 50,
    "compile_hours_per_service": 3,
    "min_billed_hours": 24,
    "baseline_usd_per_hour": 40,
    "candidate_usd_per_hour": 30,
    "compile_usd_per_hour": 2,
}


def case(**sections):
    return scenario(**{"team": TEAM, "workload": WORK, "effort": EFFORT, "test": TEST} | sections)


def test_the_test_by_hand():
    cost = compute_test_cost(case())
    # Two engaged: factor 1.1. Half of the services are tested, so half of operators, kernels and tools.
    hours = {
        "setup": 11,
        "learning": 11,
        "porting": 44,
        "parity": 17.6,
        "benchmarking": 26.4,
        "unsupported_operators": 9.9,
        "custom_kernels": 22,
        "cuda_only_tools": 6.6,
        "report": 4.4,
        "review": 6,
        "waiting_for_compiles": 3,
        "baseline_compute": 0,
        "candidate_compute": 0,
        "compile_compute": 0,
    }
    usd = {name: 100 * h for name, h in hours.items()}
    usd |= {"baseline_compute": 24 * 40, "candidate_compute": 50 * 30, "compile_compute": 6 * 2}
    assert [a.activity for a in cost.activities] == list(hours)
    assert {a.activity: a.hours for a in cost.activities} == pytest.approx(hours)
    assert {a.activity: a.usd for a in cost.activities} == pytest.approx(usd)
    assert cost.hours == pytest.approx(161.9)
    assert cost.engineering_usd == pytest.approx(16_190)
    assert cost.compute_usd == pytest.approx(2_472)
    assert cost.usd == pytest.approx(18_662)
    assert cost.months == pytest.approx((152.9 + 3) / (2 * 10 * 730 / 168))


def test_a_stated_duration_counts_and_changes_no_cost():
    stated = compute_test_cost(case(test=TEST | {"duration_months": 2.5}))
    assert stated.months == 2.5
    assert stated.usd == compute_test_cost(case()).usd


def test_hours_that_are_not_used_are_not_billed():
    assert compute_test_cost(case(test=TEST | {"baseline_hours": 0})).compute_usd == pytest.approx(2_472 - 960)


def test_the_xla_path_multiplies_the_work_but_not_review_and_waiting():
    native, xla = compute_test_cost(case()), compute_test_cost(case(workload=WORK | {"path": "xla"}))
    assert xla.hours == pytest.approx(1.5 * 152.9 + 9)
    assert xla.compute_usd == native.compute_usd


def test_more_engineers_than_engaged_only_add_review():
    five, nine = (compute_test_cost(case(team=TEAM | {"engineers": n})) for n in (5, 9))
    assert nine.hours - five.hours == pytest.approx(4 * 2)
    assert nine.months == five.months


def test_one_engineer_makes_the_test_long():
    alone = compute_test_cost(case(team=TEAM | {"engineers": 1}))
    # (10 + 5 + 80 + 9 + 20 + 6 + 4) h of work and 3 h of waiting, 10 h a week.
    assert alone.months == pytest.approx(137 / (10 * 730 / 168))
    assert alone.months > compute_test_cost(case()).months


def test_migrating_by_hand():
    # (4·30 + 6·3 + 40 + 12 + 15) h + 3·7 h of training, at 100.
    assert migration_cost(case(), 0) == pytest.approx(22_600)
    assert migration_cost(case(), 2_600) == pytest.approx(20_000)
    assert migration_cost(case(workload=WORK | {"path": "xla"}), 0) == pytest.approx(1.5 * 20_500 + 2_100)


def test_a_credit_never_pays_for_the_data():
    move = {"data_gb": 1000, "usd_per_gb": 0.05}
    assert migration_cost(case(migration=move), 1e9) == pytest.approx(50)


def test_the_credit_after_a_test_is_the_reused_part_of_its_engineering():
    from analysis.model.evaluation import evaluate

    point = evaluate(case(test=TEST | {"reuse": 0.25}))
    assert point.now.cost_usd == pytest.approx(22_600)
    assert point.after_test.cost_usd == pytest.approx(22_600 - 0.25 * 16_190)


def test_revalidation_by_hand():
    recurring = {
        "releases_per_year": 6,
        "adopted_share": 0.5,
        "hours_per_service": 3,
        "compute_usd_per_service": 50,
    }
    assert revalidation_cost(case(recurring=recurring)) == pytest.approx(0.25 * 4 * 350)


def test_many_team_sizes_at_once():
    sizes = np.array([1, 2, 5, 40])
    together = compute_test_cost(case().replace({"team.engineers": sizes}))
    for i, size in enumerate(sizes):
        alone = compute_test_cost(case(team=TEAM | {"engineers": int(size)}))
        assert together.usd[i] == pytest.approx(alone.usd)
        assert together.months[i] == pytest.approx(alone.months)
