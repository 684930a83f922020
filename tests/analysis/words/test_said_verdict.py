"""The verdict in words: it says the act, what it costs and is worth, and what would change it."""

import pytest

from analysis.model.decision import decide
from analysis.model.flips import Flip, find_flips
from analysis.words.numbers import money, span
from analysis.words.verdict import OPEN_QUESTIONS, flip_phrase, word_plan, word_verdict
from tests.analysis.builders import MEASURED, scenario

CLAIM = {"vendor": {"more_work_per_dollar": 0.9, "haircut": 0.1, "sd_log": 0.2}}
RICH = {"spend": {"monthly_gpu_usd": 400_000}}
SURE = {"success_prior": {"p_base": 0.999}}
CASES = {
    "do_nothing": {"spend": {"monthly_gpu_usd": 3_000}},
    "test": RICH | {"vendor": {"more_work_per_dollar": 0.5}},
    "migrate": RICH | {"benchmarks": MEASURED, "success_prior": {"p_base": 0.99}},
}


def verdict(stated, flips=None):
    start = scenario(**stated)
    decision = decide(start)
    found = find_flips(start) if flips is None else flips
    return word_verdict(decision, found, start.finance.horizon_months), decision


@pytest.mark.parametrize("act", CASES)
def test_each_act_in_words(act):
    said, decision = verdict(CASES[act])
    assert said.act == decision.recommendation == act
    assert said.lead == {"do_nothing": "Do nothing for now.", "test": "Run the test.", "migrate": "Migrate."}[act]
    assert money(decision.validation_cost_usd) in said.reason
    assert "24 months" in said.reason
    assert said.caveat == ""
    worth = {"test": decision.values_usd["test"], "migrate": decision.values_usd["migrate"]}
    if act in worth:
        assert money(worth[act]) in said.reason
    assert "nan" not in " ".join((said.reason, said.changes, said.exact)).lower()
    assert said.exact.count("$") == 4


def test_a_test_says_what_it_brings_beside_migrating_untested():
    said, decision = verdict(CASES["test"] | CLAIM | {"benchmarks": MEASURED, "success_prior": {"p_base": 0.6}})
    assert decision.recommendation == "test"
    assert decision.values_usd["migrate"] > 0
    assert f"{money(decision.net_value_of_test_usd)} more than migrating untested" in said.reason
    assert span(decision.validation_months) in said.reason


def test_the_gate_is_said():
    said, decision = verdict(RICH | CLAIM | SURE)
    assert (decision.decision, decision.recommendation) == ("migrate", "test")
    assert "nothing was measured on both platforms yet" in said.reason
    assert f"{money(-decision.net_value_of_test_usd)} less than migrating untested" in said.reason


def test_the_gate_can_end_in_doing_nothing():
    said, decision = verdict(RICH | CLAIM | SURE | {"test": {"duration_months": 23}})
    assert (decision.decision, decision.recommendation) == ("migrate", "do_nothing")
    assert said.lead == "Do nothing for now."
    assert money(decision.values_usd["migrate"]) in said.reason
    assert "nothing was measured on both platforms" in said.reason


def with_latency(side, *latencies):
    return [MEASURED[side][0] | {"latency_ms_runs": list(latencies)}]


def test_a_missed_objective_is_a_caveat():
    marks = {
        "slo_ms": 100,
        "baseline": with_latency("baseline", 90, 90, 90),
        "candidate": with_latency("candidate", 90, 120, 90),
    }
    said, _ = verdict(RICH | {"benchmarks": marks})
    assert said.caveat == "Every measured configuration of the candidate misses the latency objective."


def test_a_missing_latency_is_a_caveat_on_each_side():
    said, _ = verdict(RICH | {"benchmarks": MEASURED | {"slo_ms": 100}})
    assert "baseline" in said.caveat
    assert "candidate" in said.caveat
    assert said.caveat.startswith("No run of the baseline says its latency")


@pytest.mark.parametrize(
    ("flip", "phrase"),
    [
        (Flip("spend.monthly_gpu_usd", 50_000, 19_040, "test"), "below $19,000 a month of GPU spend"),
        (Flip("spend.monthly_gpu_usd", 5_000, 19_040, "test"), "above $19,000 a month of GPU spend"),
        (Flip("jobs.jobs_per_week", 10, 25.3, "test"), "above 25.3 jobs a week"),
        (Flip("team.engineers", 6, 9, "test"), "with a team of at least 9"),
        (Flip("team.engineers", 6, 2, "test"), "with a team of at most 2"),
        (Flip("workload.custom_kernels", 1, 4, "test"), "with at least 4 custom kernels"),
        (Flip("workload.unsupported_ops", 9, 4, "test"), "with at most 4 unsupported operators"),
        (Flip("vendor.more_work_per_dollar", 0.5, 0.31, "test"), "with a vendor's claim below 31 %"),
    ],
)
def test_a_change_in_words(flip, phrase):
    assert flip_phrase(flip) == phrase


def test_the_nearest_three_inputs_are_named_grouped_by_act():
    flips = [
        Flip("team.engineers", 6, 7, "migrate"),
        Flip("spend.monthly_gpu_usd", 50_000, 40_000, "do_nothing"),
        Flip("team.engineers", 6, 4, "do_nothing"),
        Flip("workload.custom_kernels", 1, 3, "do_nothing"),
        Flip("workload.unsupported_ops", 1, 30, "do_nothing"),
    ]
    said, _ = verdict(CASES["test"], flips)
    assert said.changes == (
        "With a team of at least 7 the answer becomes migrating; below $40,000 a month of GPU spend or "
        "with at least 3 custom kernels the answer becomes doing nothing."
    )


def test_an_answer_that_nothing_changes_says_so():
    said, _ = verdict(CASES["test"], [])
    assert said.changes
    assert "answer becomes" not in said.changes


def test_the_plan_is_five_lines_with_the_numbers_of_the_scenario():
    start = scenario(
        workload={"services": 4, "services_tested": 3},
        test={"runs": 7, "baseline_hours": 33, "candidate_hours": 44},
        benchmarks={"slo_ms": 250, "slo_metric": "ttft_ms_p99"},
        candidate="neuron-xla",
    )
    plan = word_plan(start)
    assert len(plan) == 5
    text = " ".join(plan)
    for part in ("3 of 4 services", "legacy XLA", "7 times", "ttft_ms_p99 at most 250 ms", "33 h", "44 h"):
        assert part in text
    assert "no latency objective" in " ".join(word_plan(scenario()))
    assert all(question.endswith("?") for question in OPEN_QUESTIONS)
