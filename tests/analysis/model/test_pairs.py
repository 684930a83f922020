"""Pairs: what each side costs with its interval, what hourly price alone suggests, and what is unequal."""

import math
import statistics

import pytest

from analysis.model.comparison import Terms, compare, compare_all
from analysis.model.pairs import cost_interval, find_pairs
from tests.analysis.builders import cuda, neuron, runs

TERMS = Terms(model="toy-7b")


def pairs(*rows, terms=TERMS):
    return find_pairs(compare(runs(*rows), {}, terms), 0.05)


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 6.313752), (2, 2.919986), (5, 2.015048), (15, 1.753050), (40, 1.683851), (80, 1.664125), (1000, 1.646379)],
)
def test_the_interval_takes_students_t_as_tabulated(freedom, expected):
    rates = [1000.0 * math.exp(0.1 * (-1) ** i) for i in range(freedom + 1)]
    (configuration,) = compare(runs(*(cuda(output_tok_per_s=rate) for rate in rates)), {}, TERMS).configurations
    found = cost_interval(configuration, 1e6, 0.05)
    reach = expected * statistics.stdev(map(math.log, rates)) / math.sqrt(freedom + 1)
    assert math.log(found.high / found.value) == pytest.approx(reach, rel=1e-6)
    assert math.log(found.value / found.low) == pytest.approx(reach, rel=1e-6)


def test_a_single_run_takes_the_assumed_spread_and_the_normal_quantile():
    (configuration,) = compare(runs(cuda()), {}, TERMS).configurations
    found = cost_interval(configuration, 1e6, 0.05)
    assert math.log(found.high / found.value) == pytest.approx(1.6448536 * 0.05, rel=1e-6)
    assert found.assumed


def test_price_alone_and_what_was_measured():
    (pair,) = pairs(cuda(), neuron(output_tok_per_s=900.0))
    assert pair.price_ratio == pytest.approx(0.75)
    assert pair.throughput_ratio == pytest.approx(0.45)
    assert pair.cost_ratio.value == pytest.approx(0.75 / 0.45)
    assert pair.baseline_usd.value == pytest.approx(40 / 3600 / 2000 * 1e6)
    assert pair.unequal == ()


def test_the_interval_is_students_of_the_logarithms():
    found = compare(runs(cuda(output_tok_per_s=1900.0), cuda(), cuda(output_tok_per_s=2100.0)), {}, TERMS)
    interval = cost_interval(found.configurations[0], 1e6, 0.05)
    logs = [math.log(x) for x in (1900, 2000, 2100)]
    sd = math.sqrt(sum((y - sum(logs) / 3) ** 2 for y in logs) / 2)
    assert interval.high / interval.value == pytest.approx(math.exp(2.919986 * sd / math.sqrt(3)))
    assert interval.value / interval.low == pytest.approx(interval.high / interval.value)
    assert not interval.assumed


def test_one_run_takes_the_assumed_spread_and_says_so():
    (pair,) = pairs(cuda(), neuron())
    assert pair.cost_ratio.assumed
    assert pair.cost_ratio.high / pair.cost_ratio.value == pytest.approx(math.exp(1.644854 * 0.05 * math.sqrt(2)))


def test_the_cheapest_first_then_each_common_load_with_what_is_unequal():
    found = pairs(
        cuda(), cuda(concurrency=64.0, output_tok_per_s=9000.0), neuron(precision="fp8"), neuron(concurrency=4.0)
    )
    assert [p.basis for p in found] == ["cheapest", "same_load"]
    assert found[0].baseline.concurrency == 64
    assert "load" in found[0].unequal
    assert found[1].unequal == ("precision",)
    assert [p.baseline.load for p in found[1:]] == ["concurrency 8"]


def test_an_objective_that_nobody_meets_leaves_no_pair():
    slow = {"e2e_ms_p99": 900.0}
    assert pairs(cuda(**slow), neuron(**slow), terms=Terms(model="toy-7b", slo_ms=100.0)) == ()


def test_every_length_and_training_beside_inference_has_a_comparison_of_its_own():
    long = {"input_tokens": 4096.0, "output_tok_per_s": 500.0}
    train = {"input_tokens": None, "output_tokens": None, "output_tok_per_s": None}
    found = compare_all(
        runs(
            *(cuda(), neuron(), cuda(**long), neuron(**long)),
            *(cuda(time_to_train_s=500.0, **train), neuron(time_to_train_s=900.0, **train)),
            cuda(input_tokens=9999.0),
        ),
        {},
        TERMS,
    )
    assert [(c.unit.column, {x.input_tokens for x in c.counted("neuron")}) for c in found[1:]] == [
        ("output_tok_per_s", {4096.0})
        if 512.0 in {x.input_tokens for x in found[0].counted("neuron")}
        else ("output_tok_per_s", {512.0}),
        ("time_to_train_s", {None}),
    ]
    assert len(compare_all(runs(cuda(), neuron()), {}, TERMS)) == 1
