"""Doubt in words: the nearest flips, what knowing is worth, when to act."""

import dataclasses

import pytest

from analysis.model.decision import decide
from analysis.model.reading import input_names
from analysis.model.timing import plan_timing
from analysis.model.tornado import draw_tornado
from analysis.model.worth import value_of_information
from analysis.words.doubt import input_labels, word_flips, word_timing, word_worth
from analysis.words.numbers import ACT_NAMES, money, number, percent, span
from tests.analysis.builders import scenario

NEAR = scenario(vendor={"more_work_per_dollar": 0.7}, spend={"monthly_gpu_usd": 40_000})
DECISION, BARS = decide(NEAR), draw_tornado(NEAR)
FLIPS = [bar for bar in BARS if bar.flips_at is not None]
FLIPS.sort(key=lambda bar: abs(bar.flips_at - bar.base) / (bar.high - bar.low))


def test_every_input_has_a_label():
    labels = input_labels()
    assert set(labels) == {name for name in input_names() if "." in name}
    assert all(labels.values())


def test_the_nearest_three_flips_are_named_with_value_and_act():
    words = word_flips(DECISION, BARS)
    assert words.startswith(f"The answer, {ACT_NAMES[DECISION.recommendation].lower()}, changes to ")
    assert words.count("; or ") == min(len(FLIPS), 3) - 1
    assert len(FLIPS) >= 2
    for bar in FLIPS[:3]:
        label = input_labels()[bar.name]
        side = "below" if bar.flips_at < bar.base else "above"
        assert f"to {ACT_NAMES[bar.flips_to].lower()} with {label[0].lower()}{label[1:]} {side}" in words
        assert f"{side} {number(bar.flips_at)}" in words


def test_an_answer_that_nothing_changes_says_so():
    none = [bar for bar in BARS if bar.flips_at is None]
    assert word_flips(DECISION, none).endswith("stands over the whole range of every single input.")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("effort.per_kernel", " h."),
        ("vendor.haircut", "0.5."),
        ("spend.growth_monthly", " a month."),
        ("workload.fallback_slowdown", " times."),
        ("team.loaded_usd_per_hour", " USD/h."),
    ],
)
def test_a_flip_has_its_unit(name, unit):
    bar = dataclasses.replace(BARS[0], name=name, flips_at=0.5, flips_to="test", base=0.1, low=0.0, high=1.0)
    assert word_flips(DECISION, [bar]).endswith(unit)


def test_what_knowing_is_worth_in_words():
    worth = value_of_information(NEAR)
    words = word_worth(worth)
    assert f"Knowing everything beforehand would be worth {money(worth.information.evpi)}" in words
    for usd in (worth.information.evppi_technical, worth.information.evppi_ratio, worth.information.evsi):
        assert money(usd) in words
    assert f"the test costs {money(DECISION.validation_cost_usd)}" in words
    assert worth.information.evpi == pytest.approx(DECISION.evpi_usd)


BOUND = {
    "vendor": {"more_work_per_dollar": 0.7},
    "spend": {"monthly_gpu_usd": 70_000},
    "commitment": {"monthly_usd": 50_000, "months_left": 9},
}


def timed(gated=False, **sections):
    """The plan, and what is said of it beside those without a commitment and without releases."""
    free = {**sections, "commitment": None}
    still = {**sections, "timing": {**sections.get("timing", {}), "release_prob_per_month": 0.0}}
    plans = [plan_timing(scenario(**changed)) for changed in (sections, free, still)]
    return plans, word_timing(*plans, gated=gated)


def test_waiting_in_words():
    (waits, unlocked, _), words = timed(**BOUND)
    assert waits.action_now == "wait"
    assert words.startswith("Wait. Being free to wait is worth ")
    assert money(waits.value_of_waiting) in words
    assert span(waits.expected_month_given_acts) in words
    assert percent(waits.probability_never_acts) in words
    assert f"ithout an expiring commitment the plan today would be worth {money(unlocked.value_now)}" in words


def test_acting_now_in_words():
    sections = {
        "vendor": {"more_work_per_dollar": 2.0, "haircut": 0.0},
        "timing": {"gap_closed_per_release": 0.0},
    }
    (now, *_), words = timed(**sections)
    assert now.action_now != "wait"
    assert words.startswith(f"Now: {now.action_now}.")
    assert words.endswith("Neither a commitment nor SDK releases change that.")


def test_a_migration_that_the_policy_holds_back_is_said_so():
    sections = {
        "spend": {"monthly_gpu_usd": 400_000},
        "vendor": {"more_work_per_dollar": 3.0, "haircut": 0.0},
        "timing": {"gap_closed_per_release": 0.0},
        "test": {"baseline_hours": 20_000.0},
    }
    (now, *_), words = timed(gated=True, **sections)
    assert now.action_now == "migrate"
    assert "own benchmark on both platforms first" in words
    assert "own benchmark" not in timed(**sections)[1]


def test_doing_nothing_for_ever_is_said_so():
    _, words = timed(spend={"monthly_gpu_usd": 0})
    assert words.startswith("Do nothing: at no month")


def test_repeats_that_tell_nothing_are_said_so():
    idle = value_of_information(scenario(spend={"monthly_gpu_usd": 0}))
    assert "More than one run a platform tells nothing" in word_worth(idle)


def test_how_many_repeats_bring_most():
    noisy = value_of_information(scenario(vendor={"more_work_per_dollar": 0.4}, test={"run_sd_log": 0.5}))
    first, last = noisy.evsi_by_runs[0], noisy.evsi_by_runs[-1]
    enough = noisy.runs[noisy.evsi_by_runs >= first + 0.8 * (last - first)][0]
    assert f"({money(last - first)}), {enough} runs a platform bring four fifths" in word_worth(noisy)
