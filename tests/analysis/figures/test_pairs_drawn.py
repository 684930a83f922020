"""Frontier, price trap, break-even and history: what is drawn is what was measured."""

import pandas as pd
import pytest

from analysis.figures.history import draw_history
from analysis.figures.pairs import draw_break_even, draw_frontier, draw_price_trap
from analysis.model.comparison import Terms, compare
from analysis.model.pairs import find_pairs
from analysis.words.pairs import say_no_pair, say_pair
from tests.analysis.builders import cuda, neuron, runs

RUNS = runs(
    cuda(e2e_ms_p99=500.0),
    cuda(e2e_ms_p99=520.0, output_tok_per_s=2200.0),
    cuda(e2e_ms_p99=900.0, concurrency=32.0, output_tok_per_s=1500.0),
    neuron(e2e_ms_p99=640.0),
    neuron(e2e_ms_p99=990.0, concurrency=32.0, output_tok_per_s=3600.0),
)
MEASURED = compare(RUNS, {}, Terms(model="toy-7b", slo_ms=700.0))
PAIRS = [(MEASURED, pair) for pair in find_pairs(MEASURED, 0.05)]


def trace(chart, name):
    return next(t for t in chart.spec["data"] if t["name"] == name)


def test_the_frontier_leaves_out_what_is_beaten_and_marks_what_misses():
    chart = draw_frontier(MEASURED, 0.05)
    assert trace(chart, "NVIDIA CUDA")["x"] == [520.0, 900.0], "the worst run of each"
    assert trace(chart, "NVIDIA CUDA, frontier")["x"] == [520.0], "slower and dearer is beaten"
    assert trace(chart, "Trainium, TorchNeuron")["marker"]["symbol"] == ["diamond", "diamond-open"]
    assert chart.spec["layout"]["shapes"][0]["x0"] == 700.0
    assert chart.title == "2 of 4 configurations keep e2e_ms_p99 within 700 ms"
    assert chart.figure.layout.yaxis.title.text == "USD per million output tokens"
    assert draw_frontier(compare(runs(cuda()), {}, Terms(model="toy-7b")), 0.05) is None


def test_without_an_objective_the_frontier_says_what_speed_costs():
    chart = draw_frontier(compare(RUNS, {}, Terms(model="toy-7b")), 0.05)
    assert chart.title == "The cheapest costs $2.31 at 990 ms, the fastest $5.30 at 520 ms"


def test_the_price_trap_sets_price_beside_measurement():
    (_, pair), *_ = PAIRS
    chart = draw_price_trap(PAIRS)
    assert trace(chart, "hourly price alone")["x"] == [0.75]
    (measured,) = trace(chart, "as measured")["x"]
    assert measured == pytest.approx(pair.cost_ratio.value)
    assert chart.spec["layout"]["shapes"][0]["x0"] == 1.0
    assert draw_price_trap([]) is None


def test_break_even_is_the_ratio_of_the_prices():
    chart = draw_break_even(PAIRS)
    assert [shape["y0"] for shape in chart.spec["layout"]["shapes"]] == [0.75]
    assert trace(chart, "measured")["y"] == [pytest.approx(PAIRS[0][1].throughput_ratio)]
    assert "above break-even in 1 of 1 pairs" in chart.title
    assert chart.figure


def test_what_a_pair_says():
    said = say_pair(*PAIRS[0])
    assert "gpu.big, bf16, toy-engine, concurrency 8, 2 runs" in said
    assert "The candidate is" in said or "do not tell" in said
    assert "A single run has no spread of its own" in said
    other = compare(runs(cuda(), neuron(precision="fp8")), {}, Terms(model="toy-7b"))
    assert "Not equal: precision." in say_pair(other, find_pairs(other, 0.05)[0])


def test_what_is_said_where_there_is_no_pair():
    alone = compare(runs(cuda()), {}, Terms(model="toy-7b"))
    assert "Nothing that counts was measured on Trainium, TorchNeuron yet" in say_no_pair(alone)
    missed = compare(RUNS, {}, Terms(model="toy-7b", slo_ms=100.0))
    said = say_no_pair(missed)
    assert "No cost can be compared under e2e_ms_p99 at most 100 ms" in said
    assert "the nearest reaches 520 ms" in said
    unknown = compare(runs(cuda(e2e_ms_p99=9.0), neuron()), {}, Terms(model="toy-7b", slo_ms=100.0))
    assert "no run on Trainium, TorchNeuron states that latency" in say_no_pair(unknown)


def test_history_shows_versions_and_the_range_of_runs():
    first = ("a", "cuda", "1.0", "t", "1", "2026-01-01", 2, 90.0, 100.0, 110.0)
    second = ("a", "cuda", None, None, None, "2026-02-01", 1, 50.0, 50.0, 50.0)
    names = ["configuration", "platform", "sdk_version", "tool", "tool_version", "period", "runs"]
    names += ["low", "middle", "high"]
    frame = pd.DataFrame([first, second], columns=names)
    frame["period"] = pd.to_datetime(frame["period"])
    chart = draw_history(frame, "output_tok_per_s", "tokens/s")
    (line,) = chart.spec["data"]
    assert line["y"] == [100.0, 50.0]
    assert line["error_y"]["array"] == [10.0, 0.0]
    assert [c[0] for c in line["customdata"]] == ["1.0", "not stated"]
    assert len(set(line["marker"]["symbol"])) == 2
    assert chart.title == "output_tok_per_s went from 100 to 50 tokens/s (−50 %)"
    assert draw_history(frame.iloc[:0], "output_tok_per_s", "tokens/s") is None
