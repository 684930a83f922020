"""Doubt in words: what would overturn the answer, what knowing is worth, and when to act."""

from collections.abc import Sequence
from typing import Any

from analysis.model.decision import Decision
from analysis.model.reading import input_field, input_names
from analysis.model.timing import Timing
from analysis.model.tornado import Bar
from analysis.model.worth import InformationWorth
from analysis.words.numbers import ACT_NAMES, money, number, percent, span

_UNIT_WORDS = {"share": "", "probability": "", "ln": "", "per month": " a month", "times": " times", "USD/h": " USD/h"}


def input_labels() -> dict[str, str]:
    """Return the label of every input, by its dotted name."""
    return {name: about["label"] for name, about in _abouts()}


def word_flips(decision: Decision, bars: Sequence[Bar]) -> str:
    """Say the act, and the nearest three inputs whose range holds a value at which it is another."""
    act = ACT_NAMES[decision.recommendation].lower()
    flips = [bar for bar in bars if bar.flips_at is not None]
    if not flips:
        return f"The answer, {act}, stands over the whole range of every single input."
    flips.sort(key=lambda bar: abs((bar.flips_at or 0.0) - bar.base) / (bar.high - bar.low))
    parts = [_flip(bar) for bar in flips[:3]]
    return f"The answer, {act}, changes {'; or '.join(parts)}."


def word_worth(worth: InformationWorth) -> str:
    """Say what perfect knowledge is worth, and so what a test may cost at most."""
    known = worth.information
    return (
        f"Knowing everything beforehand would be worth {money(known.evpi)}: no test may cost more, apart from "
        f"the work that a migration would reuse. "
        f"Knowing only whether the port works: {money(known.evppi_technical)}; only the cost ratio: "
        f"{money(known.evppi_ratio)}. This test's information is worth {money(known.evsi)}, and the test costs "
        f"{money(worth.test_cost_usd)}. {_repeats(worth)}"
    )


def _repeats(worth: InformationWorth) -> str:
    """Say how many repeats are worth buying: as many as bring most of what very many would bring."""
    first, last = float(worth.evsi_by_runs[0]), float(worth.evsi_by_runs[-1])
    if last - first < 1.0:
        return "More than one run a platform tells nothing that matters here."
    enough = next(
        int(n) for n, x in zip(worth.runs, worth.evsi_by_runs, strict=True) if x - first >= 0.8 * (last - first)
    )
    return f"Of what repeats can add ({money(last - first)}), {enough} runs a platform bring four fifths."


def word_timing(timing: Timing, unlocked: Timing, frozen: Timing, *, gated: bool) -> str:
    """Say when to act, what being free to wait is worth, and what commitment and SDK releases have to do with it.

    `unlocked` is the plan without a commitment, `frozen` the one without further releases; `gated` tells
    that the policy holds back a migration that was not measured.
    """
    gate = "" if timing.action_now != "migrate" else " Migrating still needs an own benchmark on both platforms first."
    return f"{_when(timing)} {_because(timing, unlocked, frozen)}{gate if gated else ''}"


def _because(timing: Timing, unlocked: Timing, frozen: Timing) -> str:
    without = {"an expiring commitment": unlocked, "further SDK releases": frozen}
    parts = [
        f"without {cause} the plan today would be worth {money(other.value_now)}, not {money(timing.value_now)}"
        for cause, other in without.items()
        if abs(other.value_now - timing.value_now) > 1.0
    ]
    return (
        f"{parts[0][0].upper()}{'; '.join(parts)[1:]}."
        if parts
        else "Neither a commitment nor SDK releases change that."
    )


def _when(timing: Timing) -> str:
    never, month = timing.probability_never_acts, timing.expected_month_given_acts
    if timing.action_now == "wait" and month is None:
        return "Do nothing: at no month within the horizon and after no number of SDK releases does acting pay."
    if timing.action_now != "wait":
        act = "test" if timing.action_now == "test" else "migrate"
        return f"Now: {act}. Waiting for further SDK releases, or for a commitment to run out, is worth nothing more."
    return (
        f"Wait. Being free to wait is worth {money(timing.value_of_waiting)} over the best act today: SDK releases may "
        f"close gaps, and commitments run out. The best policy acts after {span(month or 0.0)} on average, and never "
        f"within the horizon in {percent(never)} of cases."
    )


def _flip(bar: Bar) -> str:
    value = bar.flips_at or 0.0
    about: Any = input_field(bar.name).json_schema_extra
    side = "below" if value < bar.base else "above"
    unit = _UNIT_WORDS.get(about["unit"], f" {about['unit']}")
    label = about["label"][0].lower() + about["label"][1:]
    return f"to {ACT_NAMES[bar.flips_to or ''].lower()} with {label} {side} {number(value)}{unit}"


def _abouts() -> list[tuple[str, Any]]:
    return [(name, input_field(name).json_schema_extra) for name in input_names() if "." in name]
