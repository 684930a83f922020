"""When to act: the handed-out examples, a plain recursion, and what must hold for every plan."""

import functools
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.__main__ import main
from analysis.model.decision import decide
from analysis.model.reading import read_scenario
from analysis.model.timing import ACTIONS, plan_timing, success_after
from tests.analysis import naive
from tests.analysis.builders import MEASURED, scenario
from tests.analysis.random_scenarios import scenarios

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "examples" / "decide"
FILES = sorted(FOLDER.glob("timing_*.json"))

HARD = {
    "spend": {"monthly_gpu_usd": 60_000},
    "vendor": {"more_work_per_dollar": 0.7},
    "workload": {"custom_kernels": 3, "unsupported_ops": 3},
}
BOUND = {
    "spend": {"monthly_gpu_usd": 90_000, "growth_monthly": 0.02},
    "commitment": {"monthly_usd": 80_000, "months_left": 3},
    "vendor": {"more_work_per_dollar": 1.0},
    "migration": {"months": 0.5, "ramp_months": 1},
}


def agree(expected, got):
    assert got["action_now"] == expected["action_now"]
    for name in ("value_now", "value_if_must_act_now", "value_of_waiting", "expected_month_given_acts"):
        assert got[name] == (expected[name] and pytest.approx(expected[name], rel=1e-6, abs=1e-6)), name
    assert got["probability_never_acts"] == pytest.approx(expected["probability_never_acts"], rel=0, abs=1e-9)
    months = expected["act_probability_by_month"]
    assert got["act_probability_by_month"] == pytest.approx(months, rel=0, abs=1e-9)
    assert set(got) == set(expected)


@pytest.mark.skipif(not FILES, reason="the worked examples are not on this machine")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_worked_examples(path, tmp_path, capsys):
    case = json.loads(path.read_text(encoding="utf-8"))
    agree(case["expected"]["timing"], plan_timing(read_scenario(case["input"])).as_dict())
    stated = tmp_path / "scenario.json"
    stated.write_text(json.dumps(case["input"]), encoding="utf-8")
    assert main(["decide", str(stated), "--timing"]) == 0
    agree(case["expected"]["timing"], json.loads(capsys.readouterr().out)["timing"])


def recursion(stated):
    """Section 9 as it is written, with the plain model of every month; returns the value of (t, k) and its parts."""
    whole = naive.complete(stated)
    mean, sd, _, candidate = naive.belief(whole)
    p_now, test = naive.success(whole, candidate), naive.test_price(whole)
    ratio = math.exp(mean + sd * sd / 2)
    growth, clock = whole["spend"]["growth_monthly"], whole["timing"]
    horizon = whole["finance"]["horizon_months"]
    last = clock["horizon_months"] or horizon
    delta = (1 + whole["finance"]["annual_discount"]) ** (-1 / 12)
    q, gap = clock["release_prob_per_month"], clock["gap_closed_per_release"]

    def seen_from(t):
        grown = (1 + growth) ** t
        bill = whole["spend"]["monthly_gpu_usd"]
        changed = {
            "spend": whole["spend"] | {"monthly_gpu_usd": (50_000 if bill is None else bill) * grown},
            "commitment": whole["commitment"] | {"months_left": max(0, whole["commitment"]["months_left"] - t)},
            "finance": whole["finance"] | {"horizon_months": horizon - t},
        }
        if whole["jobs"] is not None:
            per_week = whole["jobs"]["jobs_per_week"] * grown
            changed["jobs"] = whole["jobs"] | {"jobs_per_week": per_week}
            changed["spend"]["monthly_gpu_usd"] = (bill or 0) * grown
        return whole | changed

    @functools.cache
    def parts(t, k):
        s = seen_from(t)
        p = 1 - (1 - p_now) * (1 - gap) ** k
        now = naive.plan(s, 0.0, 0.0)
        later = naive.plan(s, test["months"], s["test"]["reuse"] * test["engineering"])
        worth = naive.worth_of_testing(s, p, mean, sd, later["A"], later["b"], later["L"])["W"]
        return worth - test["usd"], p * (now["A"] - now["b"] * ratio) - (1 - p) * now["L"]

    @functools.cache
    def value(t, k):
        if t == last:
            return 0.0
        return max(*parts(t, k), delta * (q * value(t + 1, k + 1) + (1 - q) * value(t + 1, k)))

    return value, parts


@pytest.mark.parametrize(
    "stated",
    [
        HARD | {"finance": {"horizon_months": 6}},
        BOUND | {"finance": {"horizon_months": 7}},
        BOUND | {"finance": {"horizon_months": 8}, "timing": {"horizon_months": 3, "release_prob_per_month": 1.0}},
        HARD
        | {
            "finance": {"horizon_months": 5},
            "migration": {"months": 0.5, "ramp_months": 0},
            "jobs": {"jobs_per_week": 60, "hours_per_job": 9, "instances": 1, "price_per_instance_hour": 40},
            "spend": {"monthly_gpu_usd": 300_000, "growth_monthly": -0.02},
            "timing": {"gap_closed_per_release": 0.5},
        },
    ],
)
def test_agrees_with_a_plain_recursion(stated):
    value, parts = recursion(stated)
    found = plan_timing(read_scenario(stated))
    assert found.value_now == pytest.approx(value(0, 0), rel=1e-7, abs=1e-6)
    assert found.value_if_must_act_now == pytest.approx(max(0.0, *parts(0, 0)), rel=1e-7, abs=1e-6)
    for t, row in enumerate(found.actions):
        for k, action in enumerate(row):
            test, migrate = parts(t, k)
            if ACTIONS[action] != "wait":
                assert (test, migrate)[action - 1] == pytest.approx(value(t, k), rel=1e-7, abs=1e-6), (t, k)
            else:
                assert max(test, migrate) <= value(t, k) + 1e-6, (t, k)


def test_acting_at_once_is_worth_what_the_decision_says():
    for stated in (HARD, BOUND, {"benchmarks": MEASURED, "spend": {"monthly_gpu_usd": 500_000}}):
        values = decide(read_scenario(stated)).values_usd
        assert plan_timing(read_scenario(stated)).value_if_must_act_now == pytest.approx(max(values.values()))


@settings(max_examples=30, deadline=None)
@given(scenarios, st.sampled_from([(0.0, 0.4), (0.6, 0.0), (0.5, 0.1), (1.0, 1.0)]))
def test_chances_add_to_one_and_waiting_is_never_worth_less_than_nothing(stated, releases):
    timing = {"release_prob_per_month": releases[0], "gap_closed_per_release": releases[1]}
    found = plan_timing(read_scenario(stated | {"timing": timing}))
    total = sum(found.act_probability_by_month) + found.probability_never_acts
    assert total == pytest.approx(1, abs=1e-12)
    assert all(0 <= chance <= 1 for chance in found.act_probability_by_month)
    assert found.value_of_waiting >= 0
    assert len(found.act_probability_by_month) == stated["finance"]["horizon_months"]
    assert (found.expected_month_given_acts is None) == (not any(found.act_probability_by_month))
    assert (found.action_now == "wait") == (found.act_probability_by_month[0] == 0)
    json.dumps(found.as_dict(), allow_nan=False)


@settings(max_examples=40, deadline=None)
@given(scenarios, st.sampled_from([(0.0, 0.4), (0.6, 0.0)]))
def test_waiting_is_worth_nothing_when_nothing_changes(stated, releases):
    """Nothing changes: no release closes a gap, the bill is level, nothing is committed, later money is worth no more.

    The horizon still draws nearer, but that only shortens the time in which a move earns: an act that is worth
    something today has a margin that only rises over the months, so that each month less costs it some.
    """
    timing = {"release_prob_per_month": releases[0], "gap_closed_per_release": releases[1]}
    level = stated | {
        "timing": timing,
        "commitment": None,
        "spend": stated["spend"] | {"growth_monthly": 0.0},
        "finance": stated["finance"] | {"annual_discount": max(0.0, stated["finance"]["annual_discount"])},
    }
    found = plan_timing(read_scenario(level))
    assert found.value_of_waiting == pytest.approx(0, abs=1e-6 + 1e-9 * found.value_now)
    if found.value_now > 1e-3:
        assert found.action_now != "wait"
    else:
        assert found.probability_never_acts == 1


@pytest.mark.parametrize(
    "change",
    [
        {"timing": {"release_prob_per_month": 0.58, "gap_closed_per_release": 0.15}},
        {"commitment": {"monthly_usd": 60_000, "months_left": 8}},
    ],
)
def test_waiting_is_worth_something_when_gaps_close_or_commitments_end(change):
    still = HARD | {"finance": {"horizon_months": 36}, "timing": {"gap_closed_per_release": 0.0}}
    assert plan_timing(read_scenario(still)).value_of_waiting == pytest.approx(0, abs=1e-6)
    assert plan_timing(read_scenario(still | change)).value_of_waiting > 1_000


def test_the_horizon_is_a_date_and_does_not_roll_along():
    """With a horizon that rolled along, an act would be worth as much in any month, and waiting would be free."""
    certain = scenario(
        spend={"monthly_gpu_usd": 200_000},
        vendor={"more_work_per_dollar": 1.0},
        timing={"gap_closed_per_release": 0.0},
    )
    found = plan_timing(certain)
    assert found.action_now != "wait"
    actions = [row[0] for row in found.actions]
    assert actions[-1] == ACTIONS.index("wait"), "in the last month nothing can be earned any more"
    assert actions == sorted(actions, key=lambda action: action == 0), "once it is too late it stays too late"


def test_acting_can_be_limited_to_fewer_months_than_the_horizon():
    short = scenario(**HARD, timing={"horizon_months": 4})
    found = plan_timing(short)
    assert len(found.act_probability_by_month) == len(found.actions) == 4
    assert [len(row) for row in found.actions] == [1, 2, 3, 4]
    assert found.value_now <= plan_timing(scenario(**HARD)).value_now


def test_one_month_to_act_is_now_or_never():
    found = plan_timing(scenario(**HARD, timing={"horizon_months": 1}))
    assert found.value_of_waiting == 0
    assert found.act_probability_by_month == ((1.0,) if found.action_now != "wait" else (0.0,))


def test_an_idle_case_waits_for_ever():
    found = plan_timing(scenario(spend={"monthly_gpu_usd": 0}))
    assert found.action_now == "wait"
    assert (found.probability_never_acts, found.expected_month_given_acts, found.value_now) == (1, None, 0)


def test_releases_close_a_part_of_what_remains():
    releases = scenario(timing={"gap_closed_per_release": 0.2})
    assert success_after(releases, 0.5, 0) == 0.5
    assert success_after(releases, 0.5, 2) == pytest.approx(1 - 0.5 * 0.8**2)
    assert success_after(scenario(timing={"gap_closed_per_release": 1.0}), 0.5, 1) == 1


@pytest.mark.parametrize(
    "sections",
    [
        {"spend": {"monthly_gpu_usd": 1e12}},
        {"team": {"engineers": 10_000}},
        {"finance": {"horizon_months": 1}},
        {"timing": {"release_prob_per_month": 0.0, "gap_closed_per_release": 0.0}},
    ],
)
def test_extreme_inputs_give_numbers(sections):
    json.dumps(plan_timing(scenario(**sections)).as_dict(), allow_nan=False)
