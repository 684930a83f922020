"""The verdict in words: the act, what it costs, what it is worth, and what would change it."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.model.decision import Decision
from analysis.model.flips import Flip
from analysis.model.scenario import Scenario
from analysis.words.numbers import exact_money, money, number, percent, platform, span

_LEADS = {"do_nothing": "Do nothing for now.", "test": "Run the test.", "migrate": "Migrate."}
_BECOMES = {"do_nothing": "doing nothing", "test": "a test", "migrate": "migrating"}
_MISSED = {
    "slo_not_met": "every measured configuration of the {side} misses the latency objective",
    "latency_missing": "no run of the {side} says its latency, so none counts under the objective",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The recommended act in a few words, the sentences under it, and the exact figures behind them."""

    act: str
    lead: str
    caveat: str
    reason: str
    changes: str
    exact: str


def word_verdict(decision: Decision, flips: Sequence[Flip], horizon_months: int) -> Verdict:
    """Return the verdict in words; it always says what it would take to change it."""
    return Verdict(
        act=decision.recommendation,
        lead=_LEADS[decision.recommendation],
        caveat=_caveat(decision),
        reason=_REASONS[decision.recommendation](decision, horizon_months),
        changes=_changes(decision, flips),
        exact=_exact(decision, flips),
    )


OPEN_QUESTIONS = (
    "How many operators of the model run without falling back to the CPU?",
    "How does an unusual architecture perform, beyond the models that vendors show?",
    "When do the announced contributions reach the stable PyTorch in use?",
    "Is the quality that production needs kept on the candidate?",
)


def word_plan(scenario: Scenario) -> list[str]:
    """Return the bounded test in five lines."""
    test, slo = scenario.test, scenario.benchmarks.slo_ms
    objective = f"{scenario.benchmarks.slo_metric} at most {number(slo)} ms" if slo else "no latency objective stated"
    return [
        f"Isolate {scenario.workload.services_tested} of {scenario.workload.services} services, production untouched.",
        f"Port it to {platform(scenario.candidate)}; list operators that fall back or fail.",
        "Check that outputs keep the quality that production needs, before any speed is measured.",
        f"Run it {test.runs} times on each platform at the same load ({objective}), for cost per unit of work.",
        f"Decide: move only if the cost is proven lower; {number(test.baseline_hours)} h on the baseline and "
        f"{number(test.candidate_hours)} h on the candidate are the most that is bought.",
    ]


def flip_phrase(flip: Flip) -> str:
    """Return one change: «below $19,000 a month of GPU spend»."""
    return _FLIP_PHRASES[flip.name].format(
        "below" if flip.value < flip.now else "above",
        "fewer" if flip.value < flip.now else "more",
        money(flip.value) if flip.name.endswith("usd") else number(flip.value),
        percent(flip.value),
        "at most" if flip.value < flip.now else "at least",
    )


_FLIP_PHRASES = {
    "spend.monthly_gpu_usd": "{0} {2} a month of GPU spend",
    "jobs.jobs_per_week": "{0} {2} jobs a week",
    "team.engineers": "with a team of {4} {2}",
    "workload.custom_kernels": "with {4} {2} custom kernels",
    "workload.unsupported_ops": "with {4} {2} unsupported operators",
    "vendor.more_work_per_dollar": "with a vendor's claim {0} {3}",
}


def _caveat(decision: Decision) -> str:
    sides = (("baseline", decision.baseline_status), ("candidate", decision.candidate_status))
    said = [_MISSED[status].format(side=side) for side, status in sides if status in _MISSED]
    if "quality_not_kept" in decision.warnings:
        said.append("the candidate does not keep the baseline's quality in any run")
    return f"{' and '.join(said).capitalize()}." if said else ""


def _test_reason(decision: Decision, horizon_months: int) -> str:
    value, beside = decision.values_usd["test"], ""
    if decision.values_usd["migrate"] > 0:
        gain = decision.net_value_of_test_usd
        compared = "more" if gain >= 0 else "less"
        beside = f" ({money(abs(gain))} {compared} than migrating untested)"
    gated = " Migrating now would be worth more on paper, but nothing was measured on both platforms yet."
    return (
        f"It costs about {money(decision.validation_cost_usd)} and {span(decision.validation_months)}, and is expected "
        f"to be worth {money(value)} more than doing nothing over {horizon_months} months{beside}."
        + (gated if "migrate_gated_no_own_benchmark" in decision.warnings else "")
    )


def _idle_reason(decision: Decision, horizon_months: int) -> str:
    test, migrate = decision.values_usd["test"], decision.values_usd["migrate"]
    if "migrate_gated_no_own_benchmark" in decision.warnings:
        return (
            f"Migrating looks worth {money(migrate)}, but nothing was measured on both platforms, and a test "
            f"at {money(decision.validation_cost_usd)} would cost {money(-test)} more than it can bring."
        )
    cost = decision.validation_cost_usd
    beyond = "and can bring next to nothing" if -test > 0.98 * cost else f"{money(-test)} more than it can bring"
    return (
        f"A test costs about {money(cost)} and {span(decision.validation_months)}, {beyond} over {horizon_months} "
        f"months; migrating untested is expected to lose {money(-migrate)}."
    )


def _migrate_reason(decision: Decision, horizon_months: int) -> str:
    value, gain = decision.values_usd["migrate"], decision.net_value_of_test_usd
    test = (
        f"a further test for {money(decision.validation_cost_usd)} would cost {money(-gain)} more than it can tell"
        if gain < 0
        else "a further test would tell nothing that pays for it"
    )
    return (
        f"It is expected to be worth {money(value)} more than doing nothing over {horizon_months} months, at a saving "
        f"of {percent(decision.saving_share_mean)} on the work that moves; {test}."
    )


_REASONS = {"do_nothing": _idle_reason, "test": _test_reason, "migrate": _migrate_reason}


def _changes(decision: Decision, flips: Sequence[Flip]) -> str:
    """Say the nearest three changes, grouped by the act that they lead to."""
    nearest = _nearest_by_input(flips)[:3]
    if not nearest:
        return "Neither spend, jobs, team, kernels, operators nor the claim changes this alone."
    groups: dict[str, list[str]] = {}
    for flip in nearest:
        groups.setdefault(flip.act, []).append(flip_phrase(flip))
    parts = [f"{_join(phrases)} the answer becomes {_BECOMES[act]}" for act, phrases in groups.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _nearest_by_input(flips: Sequence[Flip]) -> list[Flip]:
    seen: dict[str, Flip] = {}
    for flip in flips:
        seen.setdefault(flip.name, flip)
    return list(seen.values())


def _join(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _exact(decision: Decision, flips: Sequence[Flip]) -> str:
    values = decision.values_usd
    return (
        f"Value of the test {exact_money(values['test'])}; of migrating now {exact_money(values['migrate'])}; "
        f"of the test over the better of the others {exact_money(decision.net_value_of_test_usd)}; "
        f"cost of the test {exact_money(decision.validation_cost_usd)} in {decision.validation_months:.2f} months. "
        + "".join(f"{flip.name} flips at {flip.value:,.6g}. " for flip in _nearest_by_input(flips)[:3])
        + "Derived from the inputs at the left; discounted to today."
    )
