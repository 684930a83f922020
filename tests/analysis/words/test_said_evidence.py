"""The evidence behind a decision in words."""

import inspect
import re

import pandas as pd
import pytest

from analysis.model import comparison as comparison_module
from analysis.model import decision as decision_module
from analysis.model import pricing as pricing_module
from analysis.model.comparison import Terms, compare
from analysis.model.evidence import gather_evidence
from analysis.model.pricing import read_prices
from analysis.model.reading import read_scenario
from analysis.words.evidence import REASONS, WARNINGS, describe_evidence, price_contrast
from tests.analysis.builders import cuda, neuron, operators, runs

TERMS = Terms(model="toy-7b")
REPORT = operators(("aten.mm", "native", 6, 60.0), ("aten.sort", "fallback", 4, 40.0))


class Store:
    def __init__(self, frame, report=None):
        self.frame, self.report = frame, report

    def models(self):
        columns = ["model", "platform", "runs", "last_upload"]
        rows = [(m, p, 1, pd.Timestamp("2026-01-01")) for m, p in set(zip(self.frame.model, self.frame.platform))]  # noqa: B905
        return pd.DataFrame(rows, columns=columns)

    def benchmark_runs(self, model, **limits):
        return self.frame

    def prices(self, region):
        return pd.DataFrame([], columns=["instance_type", "purchase_option", "usd_per_hour", "label"])

    def newest_coverage(self, model, backend):
        return None if self.report is None else ("ops.csv", self.report)


def described(frame, report=None):
    return " | ".join(describe_evidence(gather_evidence(Store(frame, report), read_scenario({}))))


def test_what_was_measured():
    text = described(runs(cuda(), cuda(), neuron()), REPORT)
    for part in (
        "toy-7b",
        "NVIDIA CUDA: 2 runs",
        "Trainium, TorchNeuron: 1 run",
        "2 operators",
        "60 % native",
        "ops.csv",
    ):
        assert part in text
    assert "stated with the upload" in text


def test_what_was_not_measured():
    text = described(runs(cuda()).iloc[:0])
    assert "No benchmark that counts yet" in text
    assert "no coverage report" in text


def test_price_alone_against_what_was_measured():
    # 30 against 40 USD/h is 25 % cheaper; at 900 against 2,000 tokens/s the unit costs 1.67 times as much.
    said = price_contrast(compare(runs(cuda(), neuron(output_tok_per_s=900.0)), {}, TERMS))
    assert "25 % cheaper" in said
    assert "67 % dearer" in said
    assert "$9.26 against $5.56" in said


@pytest.mark.parametrize(
    ("rate", "words"),
    [(1500.0, "costs the same"), (300.0, "costs 5 times as much"), (3000.0, "50 % cheaper")],
)
def test_how_costs_compare(rate, words):
    assert words in price_contrast(compare(runs(cuda(), neuron(output_tok_per_s=rate)), {}, TERMS))


def test_at_the_same_load_too():
    both = runs(cuda(), cuda(concurrency=64.0, output_tok_per_s=8000.0), neuron())
    said = price_contrast(compare(both, {}, TERMS))
    assert "each at its cheapest" in said
    assert "At the same concurrency 8 it is $4.63 against $5.56" in said
    other = price_contrast(compare(runs(cuda(concurrency=64.0), neuron()), {}, TERMS))
    assert "At the same" not in other


def test_one_side_alone_is_no_contrast():
    assert price_contrast(compare(runs(cuda()), {}, TERMS)) is None
    assert (
        price_contrast(compare(runs(cuda(), neuron(error_rate=0.9)), read_prices(Store(None).prices("")), TERMS))
        is None
    )


def codes_in(module, *patterns):
    source = inspect.getsource(module)
    return {code for pattern in patterns for code in re.findall(pattern, source)}


def test_every_reason_has_words():
    made = codes_in(
        comparison_module, r'\] = "([a-z]+(?:_[a-z]+)+)"', r'"excluded"\] = "([a-z_]+)"', r'"(price_missing)"'
    )
    assert {"metric_missing", "error_rate_high", "lengths_differ", "price_missing"} <= made
    assert made <= set(REASONS)


def test_every_warning_has_words():
    made = codes_in(comparison_module, r'append\("([a-z_]+)"\)', r'\["([a-z]+_lengths)"\]')
    made |= codes_in(pricing_module, r'\("([a-z_]+_differ)",\)')
    made |= codes_in(decision_module, r'append\("([a-z_]+)"\)', r'\("(migrate_gated_[a-z_]+)",\)')
    made |= {f"{side}_{code}" for side in ("baseline", "candidate") for code in ("latency_missing", "slo_not_met")}
    assert {"precision_differs", "contradictory_benchmarks", "several_lengths"} <= made
    assert made <= set(WARNINGS)
    assert all(text.endswith(".") for text in WARNINGS.values())
