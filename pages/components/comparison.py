"""What the runs of one model cost on both platforms: the answer, its pictures, and what was left out and why."""

import pandas as pd
import streamlit as st

from analysis.figures.benchmarks import draw_latency, draw_unit_costs
from analysis.figures.pairs import draw_break_even, draw_frontier, draw_price_trap
from analysis.model.comparison import Comparison, MeasuredConfiguration
from analysis.model.pairs import Pair, find_pairs
from analysis.words.evidence import WARNINGS, price_contrast, reason_text
from analysis.words.numbers import platform
from analysis.words.pairs import say_lengths, say_no_pair, say_pair
from pages.components.frame import draw_chart
from pages.components.text import literal, plain

_PAIRS_SHOWN = 6
Pairs = list[tuple[Comparison, Pair]]


def draw_answer(comparisons: tuple[Comparison, ...], run_sd_log: float) -> Pairs:
    """Say what a unit of work costs here and there, one sentence a pair, and what is doubtful; return the pairs."""
    first = comparisons[0]
    st.subheader(f"Cost and latency of {literal(str(first.terms.model))}", anchor=False)
    pairs: Pairs = []
    contrast = price_contrast(first)
    if contrast:
        st.markdown(plain(contrast))
    with st.container(key="pairs"):
        for comparison in comparisons:
            found = find_pairs(comparison, run_sd_log)
            pairs += [(comparison, pair) for pair in found]
            if not found:
                st.info(plain(say_no_pair(comparison)))
            for pair in found[:1]:
                used = " (used for the decision)" if comparison is first and len(comparisons) > 1 else ""
                said = literal(say_pair(comparison, pair))
                st.markdown(f"**{literal(say_lengths(comparison))}, each at its cheapest{used}.** {said}")
        others = [(c, pair) for c, pair in pairs if pair.basis != "cheapest"]
        if others:
            with st.expander(f"At the same load: {len(others)} more pair{'s' if len(others) > 1 else ''}"):
                for comparison, pair in others[:_PAIRS_SHOWN]:
                    where = literal(f"{say_lengths(comparison)}, {pair.baseline.load}")
                    st.markdown(f"**{where}.** {literal(say_pair(comparison, pair))}")
                if len(others) > _PAIRS_SHOWN:
                    st.caption(f"{len(others) - _PAIRS_SHOWN} more are in the charts.")
    for code in dict.fromkeys(code for comparison in comparisons for code in comparison.warnings):
        st.caption(f":material/warning: {WARNINGS.get(code, code)}")
    return pairs


def draw_pictures(comparisons: tuple[Comparison, ...], pairs: Pairs, run_sd_log: float) -> None:
    """Draw frontier and price trap first, then cost and latency by load, and throughput against break-even."""
    first = comparisons[0]
    terms = first.terms
    charts = {
        "frontier_chart": draw_frontier(first, run_sd_log),
        "price_trap_chart": draw_price_trap(pairs),
        "unit_cost_chart": draw_unit_costs(first),
        "latency_chart": draw_latency(first, terms.slo_ms),
        "break_even_throughput_chart": draw_break_even(pairs),
    }
    if charts["latency_chart"] is None:
        st.info(f"No run states {terms.slo_metric}: an objective on latency cannot be judged.")
    shown = [(key, chart) for key, chart in charts.items() if chart]
    for i in range(0, len(shown), 2):
        for column, (key, chart) in zip(st.columns(2), shown[i : i + 2], strict=False):
            with column:
                draw_chart(chart, key)


def draw_configurations(comparisons: tuple[Comparison, ...]) -> None:
    """Draw what was left out and why, then every configuration with its numbers."""
    first = comparisons[0]
    counted = {_key(c) for comparison in comparisons for c in comparison.configurations if c.excluded is None}
    left_out = [c for c in first.configurations if c.excluded and _key(c) not in counted]
    reasons: dict[str, list[MeasuredConfiguration]] = {}
    for configuration in left_out:
        reasons.setdefault(reason_text(str(configuration.excluded), first.terms), []).append(configuration)
    if reasons:
        with st.container(key="left_out"):
            runs = sum(c.runs for c in left_out)
            st.markdown(
                f"**Left out: {runs:,} run{'' if runs == 1 else 's'}.** Limits can be changed under Assumptions."
            )
            for reason, configurations in reasons.items():
                names = dict.fromkeys(f"{platform(c.platform)}, {c.name}" for c in configurations)
                more = f" and {len(names) - 3} more" if len(names) > 3 else ""
                listed = literal("; ".join(list(names)[:3]) + more)
                st.markdown(f"- {sum(c.runs for c in configurations):,}: {literal(reason)}: {listed}.")
    rows = [row for comparison in comparisons for row in _rows(comparison, comparison is first)]
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=COLUMNS, key="configurations")
    st.caption(
        "Costs are derived from the geometric mean of the measured throughputs and the price shown; "
        "utilisation as under Assumptions."
    )


def _rows(comparison: Comparison, with_left_out: bool) -> list[dict[str, object]]:
    unit, metric = comparison.unit, comparison.terms.slo_metric
    return [
        {
            "Platform": platform(c.platform),
            "Configuration": c.name,
            "Input tokens": c.input_tokens,
            "Output tokens": c.output_tokens,
            "Runs": c.runs,
            f"{unit.column if unit else 'Work'}, mean": _stated(c, comparison),
            "Per accelerator": _per(_rate(c), c.accelerators),
            "Per USD": None if not (unit and c.unit_cost_usd) else 1.0 / c.unit_cost_usd,
            f"Worst {metric}": max(c.latency_ms, default=None),
            "Price (USD/h)": c.price.usd_per_hour if c.price else None,
            "Price from": c.price.label if c.price else None,
            "Cost (USD)": unit.quantity * c.unit_cost_usd if unit and c.unit_cost_usd else None,
            "Per": unit.label if unit else None,
            "Quality": c.lowest_quality,
            "Worst error rate": c.worst_error_rate,
            "SDK": ", ".join(c.sdk_versions),
            "Counts": _counts(c, comparison),
            "Demo": c.demo,
            "Files": ", ".join(c.files[:20]) + (f" and {len(c.files) - 20} more" if len(c.files) > 20 else ""),
        }
        for c in comparison.configurations
        if with_left_out or c.excluded is None
    ]


def _rate(configuration: MeasuredConfiguration) -> float | None:
    return configuration.mean_units_per_second


def _stated(configuration: MeasuredConfiguration, comparison: Comparison) -> float | None:
    rate = _rate(configuration)
    return 1.0 / rate if rate and comparison.unit and comparison.unit.inverse else rate


def _per(rate: float | None, accelerators: float | None) -> float | None:
    return rate / accelerators if rate and accelerators else None


def _counts(configuration: MeasuredConfiguration, comparison: Comparison) -> str:
    reason = configuration.excluded or (None if configuration.latency_status == "ok" else configuration.latency_status)
    return "yes" if reason is None else f"no: {reason_text(reason, comparison.terms)}"


def _key(configuration: MeasuredConfiguration) -> tuple[object, ...]:
    c = configuration
    return c.platform, c.name, c.input_tokens, c.output_tokens, c.runs


COLUMNS = {
    "Input tokens": st.column_config.NumberColumn(format="%.0f"),
    "Output tokens": st.column_config.NumberColumn(format="%.0f"),
    "Per accelerator": st.column_config.NumberColumn(format="%.4g", help="Units of work per second and accelerator"),
    "Per USD": st.column_config.NumberColumn(format="%.4g", help="Units of work per dollar"),
    "Price (USD/h)": st.column_config.NumberColumn(format="%.4f"),
    "Cost (USD)": st.column_config.NumberColumn(format="%.4g"),
    "Quality": st.column_config.NumberColumn(format="%.4g", help="The lowest of the runs"),
}
