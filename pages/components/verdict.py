"""The verdict, its four figures and its evidence, as the Decision page and the brief show them."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from analysis.model.decision import Decision
from analysis.model.flips import Flip
from analysis.model.scenario import Scenario
from analysis.words.numbers import ACT_NAMES, exact_money, money, number, payback, percent
from analysis.words.verdict import word_verdict
from pages.components.text import plain

_INPUT_NAMES = {
    "spend.monthly_gpu_usd": "Monthly GPU spend (USD)",
    "jobs.jobs_per_week": "Jobs per week",
    "team.engineers": "Team size (engineers)",
    "workload.custom_kernels": "Custom CUDA kernels",
    "workload.unsupported_ops": "Unsupported operators",
    "vendor.more_work_per_dollar": "Vendor's claim (share)",
}
ACTIVITY_NAMES = {
    "setup": "Setup",
    "learning": "Learning",
    "porting": "Porting",
    "parity": "Parity of outputs",
    "benchmarking": "Benchmarking",
    "unsupported_operators": "Unsupported operators",
    "custom_kernels": "Custom kernels",
    "cuda_only_tools": "CUDA-only tools",
    "report": "Report",
    "review": "Review",
    "waiting_for_compiles": "Waiting for compiles",
    "baseline_compute": "Baseline instance-hours",
    "candidate_compute": "Candidate instance-hours",
    "compile_compute": "Compile machine",
}


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it is, its rounded value, its doubt and kind, and the exact value on hover."""

    label: str
    value: str
    note: str
    help: str


def draw_verdict(decision: Decision, flips: Sequence[Flip], horizon_months: int) -> None:
    """Draw the verdict in words, with the exact figures behind a question mark."""
    words = word_verdict(decision, flips, horizon_months)
    with st.container(key="verdict"):
        if words.caveat:
            st.markdown(f"**{plain(words.caveat)}**")
        st.header(words.lead, help=plain(words.exact), anchor=False)
        st.markdown(plain(words.reason))
        st.markdown(plain(words.changes))


def draw_inputs(scenario: Scenario) -> None:
    """Say the three main inputs in one line, for whom the sidebar is closed."""
    jobs = "no jobs stated" if scenario.jobs is None else f"{number(scenario.jobs.jobs_per_week)} jobs a week"
    spend = scenario.spend.monthly_gpu_usd
    bill = "a bill not stated" if spend is None else f"{money(spend)} of GPU spend a month"
    st.caption(plain(f"For a team of {scenario.team.engineers}, {jobs} and {bill}."))


def draw_figures(decision: Decision, horizon_months: int) -> None:
    """Draw the four figures under the verdict, each with its doubt and its kind."""
    measured = decision.baseline_status == decision.candidate_status == "ok"
    mean, (low, high) = decision.saving_share_mean, decision.saving_share_90
    pays_from, month = decision.worth_acting_from_usd, decision.payback_month_if_go
    demo = "demo_data" in decision.warnings
    saving_kind = "demo" if measured and demo else "derived from runs and claim" if measured else "assumed"
    tiles = (
        Tile(
            "Pays from",
            "never" if pays_from is None else "any bill" if pays_from == 0 else f"{money(pays_from)} a month",
            f"of GPU spend; you: {money(decision.monthly_spend_usd)} · derived",
            "The monthly bill above which doing nothing is no longer best, jobs and shares held."
            + ("" if pays_from is None else f" Exactly {exact_money(pays_from)}."),
        ),
        Tile(
            "Saving on the work that moves",
            percent(mean) if mean >= 0 else f"none: {percent(-mean)} dearer",
            f"{percent(low)} to {percent(high)} with 90 % · {saving_kind}",
            f"Mean {decision.saving_share_mean:.4f}, 90 % interval {low:.4f} to {high:.4f}; probability that there is "
            f"a saving {decision.probability_saving_positive:.4f}. "
            + (
                "From the runs on both platforms and the claim, weighted by precision."
                if measured
                else "From the claim alone, where there is one, discounted; nothing was measured on both platforms."
            ),
        ),
        Tile(
            "A test ends in a move",
            percent(decision.probability_go),
            f"that it works: {percent(decision.success_probability)} · assumed",
            f"Chance that the test ends in a migration: {decision.probability_go:.4f}. That the port works: "
            f"{decision.success_probability:.4f}: it runs, keeps quality and latency, and can be operated.",
        ),
        Tile(
            "Payback, if it ends in a move",
            payback(month, horizon_months),
            "a move is all but excluded · derived"
            if decision.ratio_if_go is None
            else f"{percent(1 - decision.ratio_if_go)} saving in that case · derived",
            "Month after which cumulative cash stays at or above zero, the test included."
            + ("" if month is None else f" Exactly {month:.2f}.")
            + ("" if decision.ratio_if_go is None else f" Saving in that case {1 - decision.ratio_if_go:.4f}."),
        ),
    )
    for column, tile in zip(st.columns(len(tiles)), tiles, strict=True):
        with column, st.container(border=True, height="stretch", gap="xxsmall"):
            st.caption(tile.label, help=plain(tile.help))
            st.markdown(f"#### {plain(tile.value)}")
            st.caption(plain(tile.note))


def flip_table(flips: Sequence[Flip]) -> pd.DataFrame:
    """Return what would change the answer, nearest first: input, now, flips at, becomes."""
    rows = [
        {
            "Input": _INPUT_NAMES[flip.name],
            "Now": number(flip.now),
            "Flips at": number(flip.value),
            "The answer becomes": ACT_NAMES[flip.act],
        }
        for flip in flips
    ]
    return pd.DataFrame(rows).set_index("Input")


def cost_table(decision: Decision) -> pd.DataFrame:
    """Return what the test costs by activity: hours of work and USD; activities that cost nothing are left out."""
    rows = [(ACTIVITY_NAMES[i.activity], i.hours, i.usd) for i in decision.validation_breakdown if i.usd]
    rows.append(("Total", decision.validation_hours, decision.validation_cost_usd))
    table = [
        {"Activity": name, "Hours of work": f"{hours:,.1f}" if hours else "–", "USD": exact_money(usd)}
        for name, hours, usd in rows
    ]
    return pd.DataFrame(table).set_index("Activity")
