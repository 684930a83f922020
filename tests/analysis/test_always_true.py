"""What holds for every valid scenario, and the agreement with a second, plain implementation of the model."""

import itertools
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.model.breakeven import spend_regions, worth_acting_from
from analysis.model.decision import decide, read_decision
from analysis.model.evaluation import best_act, evaluate
from analysis.model.reading import read_scenario
from analysis.model.testing import outcome_of_test, value_information
from tests.analysis import naive
from tests.analysis.random_scenarios import scenarios

quickly = settings(max_examples=40, deadline=None)
whole_decisions = settings(max_examples=25, deadline=None)


def information(stated, **test):
    scenario = read_scenario(stated | {"test": stated["test"] | test})
    point = evaluate(scenario)
    found = value_information(point.now, point.belief, point.p_success, scenario.test)
    # Differences of large values carry their rounding errors.
    scale = abs(point.now.avoided_usd) + point.now.work_usd * point.belief.ratio_mean + point.now.loss_usd
    return found, 1e-9 * scale + 1e-9


@quickly
@given(scenarios)
def test_the_figures_agree_with_a_loop_over_months_and_numerical_integrals(stated):
    expected, decision = naive.solve(stated), decide(read_scenario(stated)).as_dict()
    scale = abs(expected["test"]) + expected["worth"] + expected["validation_cost_usd"] + abs(expected["migrate"])
    for name, act in (("test", "test"), ("migrate", "migrate")):
        assert decision["values_usd"][act] == pytest.approx(expected[name], rel=1e-7, abs=1e-8 * scale)
    for name, value in expected.items():
        if name in ("test", "migrate", "worth", "ratio_go", "cash", "cash_after_test"):
            continue
        if isinstance(value, float | int):
            tolerance = 1e-9 if "probability" in name else 1e-7 * scale if name.endswith("usd") else 1e-9
            assert decision[name] == pytest.approx(value, rel=1e-7, abs=tolerance), name
        else:
            assert decision[name] == value, name
    if decision["ratio_if_go"] is not None and expected["probability_go"] > 1e-6:
        go = expected["probability_go"]
        value = expected["worth"] / go - expected["validation_cost_usd"]
        assert decision["ratio_if_go"] == pytest.approx(expected["ratio_go"] / go, rel=1e-6)
        assert decision["value_if_go_usd"] == pytest.approx(value, rel=1e-6, abs=1e-6 * scale)
        month = naive.payback(expected["cash_after_test"](decision["ratio_if_go"]))
        assert decision["payback_month_if_go"] == (month and pytest.approx(month, rel=1e-6))


@quickly
@given(scenarios)
def test_information_is_worth_something_and_never_more_than_perfect_information(stated):
    found, slack = information(stated)
    assert 0 <= found.evsi <= found.evpi + slack
    assert 0 <= found.evppi_technical <= found.evpi + slack
    assert 0 <= found.evppi_ratio <= found.evpi + slack


@quickly
@given(scenarios, st.integers(1, 30), st.integers(1, 30))
def test_more_runs_never_tell_less(stated, fewer, more):
    fewer, more = sorted((fewer, more))
    few, slack = information(stated, runs=fewer)
    many, _ = information(stated, runs=more)
    assert many.evsi >= few.evsi - slack


@quickly
@given(scenarios)
def test_a_flawless_test_is_worth_perfect_information(stated):
    found, slack = information(stated, sensitivity=1.0, specificity=1.0, run_sd_log=0.0, transfer_sd_log=0.0)
    assert found.evsi == pytest.approx(found.evpi, rel=1e-9, abs=slack)


@quickly
@given(scenarios, st.floats(0, 1))
def test_a_test_that_tells_nothing_is_worth_nothing(stated, sensitivity):
    found, slack = information(stated, sensitivity=sensitivity, specificity=1 - sensitivity, transfer_sd_log=1e9)
    assert found.evsi <= slack


@quickly
@given(scenarios)
def test_the_chance_of_a_move_is_a_probability_and_its_ratio_is_no_worse_than_the_mean(stated):
    scenario = read_scenario(stated)
    point = evaluate(scenario)
    outcome = outcome_of_test(point.after_test, point.belief, point.p_success, scenario.test)
    assert -1e-12 <= outcome.probability_go <= 1 + 1e-12
    assert outcome.ratio_go <= outcome.probability_go * point.belief.ratio_mean * (1 + 1e-9) + 1e-12
    assert outcome.value_usd >= 0


@whole_decisions
@given(scenarios)
def test_a_decision_can_be_written_as_json_and_read_again(stated):
    decision = decide(read_scenario(stated))
    text = json.dumps(decision.as_dict(), allow_nan=False)
    assert read_decision(json.loads(text)).as_dict() == decision.as_dict()


@whole_decisions
@given(scenarios)
def test_the_breakdown_adds_up_and_the_warnings_are_a_set(stated):
    decision = decide(read_scenario(stated))
    usd, hours = (math.fsum(getattr(a, key) for a in decision.validation_breakdown) for key in ("usd", "hours"))
    assert usd == pytest.approx(decision.validation_cost_usd, rel=1e-12)
    assert hours == pytest.approx(decision.validation_hours, rel=1e-12)
    compute = math.fsum(a.usd for a in decision.validation_breakdown[-3:])
    assert compute == pytest.approx(decision.validation_compute_usd, rel=1e-12)
    assert len(set(decision.warnings)) == len(decision.warnings)


@whole_decisions
@given(scenarios)
def test_regions_cover_every_bill_without_gaps_and_alternate(stated):
    scenario = read_scenario(stated)
    regions = spend_regions(scenario)
    assert regions[0].from_usd == 0
    assert regions[-1].to_usd is None
    for before, after in itertools.pairwise(regions):
        assert before.to_usd == after.from_usd > before.from_usd
        assert before.decision != after.decision
    idle = [r for r in regions if r.decision == "do_nothing"]
    assert worth_acting_from(regions) == (idle[-1].to_usd if idle else 0.0)


@whole_decisions
@given(scenarios, st.lists(st.floats(2, 8), min_size=8, max_size=8))
def test_the_best_act_at_a_bill_is_that_of_its_region(stated, exponents):
    scenario = read_scenario(stated)
    regions = spend_regions(scenario)
    for bill in (10**x for x in exponents):
        # A region narrower than a step of the scan may be missed; its neighbours' ends are then not near.
        region = next(r for r in regions if r.to_usd is None or bill < r.to_usd)
        near = [abs(bill / end - 1) < 1e-3 for end in (region.from_usd, region.to_usd) if end]
        point = evaluate(scenario.replace({"spend.monthly_gpu_usd": bill}))
        if abs(point.test_usd - max(0.0, point.migrate_usd)) < 1e-6 * (abs(point.test_usd) + 1) or any(near):
            continue
        assert best_act(point.test_usd, point.migrate_usd) == region.decision


@whole_decisions
@given(scenarios, st.sampled_from([0.25, 2.0, 8.0]))
def test_in_another_currency_every_value_scales_and_nothing_else_changes(stated, factor):
    def scaled(section, *names):
        complete = naive.complete(stated)[section]
        return {**complete, **{name: complete[name] * factor for name in names}}

    other = stated | {
        "spend": scaled("spend", "monthly_gpu_usd"),
        "commitment": scaled("commitment", "monthly_usd"),
        "team": scaled("team", "loaded_usd_per_hour"),
        "test": scaled("test", "baseline_usd_per_hour", "candidate_usd_per_hour", "compile_usd_per_hour"),
        "migration": scaled("migration", "usd_per_gb", "failure_extra_usd"),
        "recurring": scaled("recurring", "compute_usd_per_service"),
        "benchmarks": stated["benchmarks"]
        | {
            side: [c | {"price_per_hour": c["price_per_hour"] * factor} for c in stated["benchmarks"][side]]
            for side in ("baseline", "candidate")
        },
    }
    if stated["jobs"] is not None:
        other["jobs"] = scaled("jobs", "price_per_instance_hour")
    here, there = evaluate(read_scenario(stated)), evaluate(read_scenario(other))
    size = abs(here.now.avoided_usd) + here.now.work_usd + here.now.loss_usd + here.test_cost.usd
    for name in ("test_usd", "migrate_usd", "npv_if_success_usd"):
        assert getattr(there, name) == pytest.approx(factor * getattr(here, name), rel=1e-9, abs=1e-9 * size)
    assert there.belief.ratio_mean == pytest.approx(here.belief.ratio_mean, rel=1e-12)
    assert there.outcome.probability_go == pytest.approx(here.outcome.probability_go, abs=1e-9)
    assert there.test_cost.months == here.test_cost.months


@quickly
@given(scenarios)
def test_a_test_costs_no_less_than_it_says_and_migrating_is_linear_in_the_ratio(stated):
    point = evaluate(read_scenario(stated))
    assert point.test_usd >= -point.test_cost.usd * (1 + 1e-12)
    at = [point.now.value(r) for r in (0.5, 1.0, 1.5)]
    assert at[0] - at[1] == pytest.approx(at[1] - at[2], rel=1e-9, abs=1e-9 * abs(point.now.avoided_usd) + 1e-9)
    assert at[0] - at[1] == pytest.approx(point.now.work_usd / 2, rel=1e-9, abs=1e-9 * abs(at[1]) + 1e-9)


@quickly
@given(scenarios)
def test_a_cheaper_candidate_never_makes_an_act_worth_less(stated):
    worse = read_scenario(stated | {"vendor": stated["vendor"] | {"more_work_per_dollar": 0.1, "haircut": 0.0}})
    better = read_scenario(stated | {"vendor": stated["vendor"] | {"more_work_per_dollar": 0.5, "haircut": 0.0}})
    low, high = evaluate(worse), evaluate(better)
    size = 1e-9 * (low.now.work_usd + abs(low.now.avoided_usd) + 1)
    assert high.migrate_usd >= low.migrate_usd - size
    assert high.test_usd >= low.test_usd - size
