"""From runs to configurations that can be compared: which model, unit, lengths, and what is set aside."""

import math

import pandas as pd
import pytest

from analysis.model.comparison import Terms, choose_model, compare
from analysis.model.pricing import PricedInstance
from analysis.model.work_units import WORK_UNITS
from tests.analysis.builders import cuda, neuron, runs

TERMS = Terms(model="toy-7b")
SHIPPED = {
    "gpu.big": (PricedInstance(41.5, "capacity_block", "block"), PricedInstance(55.0, "on_demand", "demand")),
    "trn.big": (PricedInstance(35.8, "capacity_block", "block"),),
}


def reasons(comparison):
    return [c.excluded for c in comparison.configurations]


def models(*rows):
    frame = pd.DataFrame(rows, columns=["model", "platform", "runs", "last_upload"])
    frame["last_upload"] = pd.to_datetime(frame["last_upload"])
    return frame


def test_the_model_with_runs_on_both_platforms_and_the_latest_upload():
    table = models(
        ("only-gpu", "cuda", 9, "2026-09-09"),
        ("old", "cuda", 3, "2026-01-01"),
        ("old", "neuron", 3, "2026-01-02"),
        ("new", "cuda", 1, "2026-01-01"),
        ("new", "neuron", 1, "2026-03-03"),
        ("other", "cuda", 1, "2026-08-08"),
        ("other", "rocm", 1, "2026-08-08"),
    )
    assert choose_model(table, "cuda", "neuron") == "new"
    assert choose_model(table, "cuda", "rocm") == "other"
    assert choose_model(table, "cuda", "mps") is None
    assert choose_model(table.iloc[:0], "cuda", "neuron") is None


def test_an_upload_of_a_third_platform_does_not_make_a_model_the_latest():
    table = models(
        ("a", "cuda", 1, "2026-01-01"),
        ("a", "neuron", 1, "2026-01-01"),
        ("a", "mps", 1, "2026-12-12"),
        ("b", "cuda", 1, "2026-02-02"),
        ("b", "neuron", 1, "2026-02-02"),
    )
    assert choose_model(table, "cuda", "neuron") == "b"


def test_the_first_unit_of_work_that_both_platforms_state():
    both = runs(cuda(req_per_s=15.0), neuron(output_tok_per_s=None, total_tok_per_s=900.0, req_per_s=14.0))
    found = compare(both, {}, TERMS)
    assert found.unit.column == "req_per_s"
    assert [c.units_per_second for c in found.configurations] == [(15.0,), (14.0,)]
    assert [u.column for u in WORK_UNITS] == [
        "output_tok_per_s",
        "total_tok_per_s",
        "req_per_s",
        "samples_per_s",
        "train_seq_per_s",
        "time_to_train_s",
    ]


def test_a_unit_can_be_chosen_and_a_run_without_it_is_set_aside():
    both = runs(cuda(req_per_s=15.0), cuda(concurrency=16.0), neuron(req_per_s=14.0))
    found = compare(both, {}, Terms(model="toy-7b", metric="req_per_s"))
    assert found.unit.column == "req_per_s"
    assert reasons(found) == [None, "metric_missing", None]


def test_time_to_train_is_work_turned_upside_down():
    train = {"output_tok_per_s": None, "input_tokens": None, "output_tokens": None}
    found = compare(runs(cuda(time_to_train_s=500.0, **train), neuron(time_to_train_s=800.0, **train)), {}, TERMS)
    assert found.unit.column == "time_to_train_s"
    assert [c.units_per_second for c in found.configurations] == [(1 / 500,), (1 / 800,)]
    # Half a thousand seconds at 40 USD/h.
    assert found.configurations[0].unit_cost_usd == pytest.approx(40 * 500 / 3600)


def test_a_rate_of_nothing_is_no_measurement():
    assert reasons(compare(runs(cuda(), neuron(output_tok_per_s=0.0)), {}, TERMS)) == [None, "metric_missing"]


def test_no_unit_where_no_run_states_work():
    found = compare(runs(cuda(output_tok_per_s=None)), {}, TERMS)
    assert found.unit is None
    assert reasons(found) == ["metric_missing"]


@pytest.mark.parametrize(
    "difference",
    [
        {"platform": "neuron-xla"},
        {"software_path": "other"},
        {"instance_type": "gpu.small"},
        {"precision": "fp8"},
        {"engine": "other"},
        {"concurrency": 16.0},
        {"request_rate": 2.0},
        {"batch_size": 4.0},
    ],
)
def test_a_difference_makes_another_configuration(difference):
    terms = Terms(model="toy-7b", candidate="neuron-xla")
    found = compare(runs(cuda(), cuda(**difference), cuda(output_tok_per_s=2100.0)), {}, terms)
    assert [c.runs for c in found.configurations] == [2, 1]
    assert found.configurations[0].units_per_second == (2000.0, 2100.0)


def test_rows_that_agree_are_runs_of_one_configuration():
    found = compare(
        runs(
            cuda(file="a.csv", e2e_ms_p99=500.0),
            cuda(file="b.csv", output_tok_per_s=8000.0, e2e_ms_p99=None),
        ),
        {},
        TERMS,
    )
    (only,) = found.configurations
    assert (only.runs, only.files, only.latency_ms) == (2, ("a.csv", "b.csv"), (500.0,))
    assert only.units_per_second == (2000.0, 8000.0)
    assert only.unit_cost_usd == pytest.approx(40 / 3600 / 4000), "at the geometric mean"
    assert only.name == "gpu.big, bf16, toy-engine, concurrency 8"
    assert (only.load, only.concurrency) == ("concurrency 8", 8.0)


def test_utilisation_makes_work_dearer_on_both_sides_alike():
    full = compare(runs(cuda(), neuron()), {}, TERMS)
    half = compare(runs(cuda(), neuron()), {}, Terms(model="toy-7b", utilisation=0.5))
    for one, other in zip(full.configurations, half.configurations, strict=True):
        assert other.unit_cost_usd == pytest.approx(2 * one.unit_cost_usd)


def test_platforms_beside_the_two_are_ignored():
    found = compare(runs(cuda(), neuron(), cuda(platform="rocm")), {}, TERMS)
    assert {c.platform for c in found.configurations} == {"cuda", "neuron"}
    assert [c.platform for c in found.counted("neuron")] == ["neuron"]


@pytest.mark.parametrize(
    ("tokens", "same"), [(512.0, True), (537.0, True), (488.0, True), (545.0, False), (480.0, False)]
)
def test_lengths_within_five_percent_are_comparable(tokens, same):
    for name in ("input_tokens", "output_tokens"):
        found = compare(runs(cuda(**{name: 512.0}), neuron(**{name: tokens})), {}, TERMS)
        assert (bool(found.counted("cuda")) and bool(found.counted("neuron"))) is same
        assert ("lengths_differ" in reasons(found)) is not same
        assert ("several_lengths" in found.warnings) is not same


def test_the_lengths_that_both_sides_have_are_compared():
    long = {"input_tokens": 4096.0, "concurrency": 4.0}
    found = compare(runs(cuda(), cuda(**long), cuda(**long), neuron(**long)), {}, TERMS)
    assert [(c.platform, c.input_tokens, c.excluded) for c in found.configurations] == [
        ("cuda", 512.0, "lengths_differ"),
        ("cuda", 4096.0, None),
        ("neuron", 4096.0, None),
    ]
    assert found.warnings == ("several_lengths",)


def test_lengths_not_stated_are_compared_with_a_warning():
    found = compare(runs(cuda(), neuron(output_tokens=None)), {}, TERMS)
    assert reasons(found) == [None, None]
    assert found.warnings == ("lengths_unknown",)


@pytest.mark.parametrize("side", [cuda, neuron])
def test_a_run_of_unknown_lengths_does_not_make_different_lengths_comparable(side):
    unknown = side(input_tokens=None, output_tokens=None)
    found = compare(runs(cuda(input_tokens=128.0), neuron(input_tokens=4096.0), unknown), {}, TERMS)
    counted = {c.input_tokens for p in ("cuda", "neuron") for c in found.counted(p)}
    assert not {128.0, 4096.0} <= counted


@pytest.mark.parametrize(("rate", "reason"), [(None, None), (0.0, None), (0.05, None), (0.051, "error_rate_high")])
def test_more_than_five_percent_of_errors_do_not_count(rate, reason):
    assert reasons(compare(runs(cuda(error_rate=rate), neuron()), {}, TERMS)) == [reason, None]


@pytest.mark.parametrize(
    ("valid", "limit", "reason"), [("no", 0.99, "run_not_valid"), ("no", 1, None), ("yes", 0, None)]
)
def test_a_run_that_its_tool_calls_invalid_counts_only_where_everything_does(valid, limit, reason):
    terms = Terms(model="toy-7b", max_error_rate=limit)
    assert reasons(compare(runs(cuda(run_valid=valid), neuron()), {}, terms)) == [reason, None]


@pytest.mark.parametrize(
    ("value", "tolerance", "reason"),
    [
        (0.80, 0, None),
        (0.81, 0, None),
        (0.79, 0, "quality_not_kept"),
        (0.79, 0.02, None),
        (0.7, 0.02, "quality_not_kept"),
    ],
)
def test_quality_is_a_condition(value, tolerance, reason):
    asked = {"quality_metric": "accuracy"}
    found = compare(
        runs(cuda(quality_value=0.8, **asked), neuron(quality_value=value, **asked)),
        {},
        Terms(model="toy-7b", quality_tolerance=tolerance),
    )
    assert reasons(found) == [None, reason]


def test_only_the_same_quality_is_compared_and_the_baseline_is_never_judged():
    found = compare(
        runs(
            cuda(quality_metric="accuracy", quality_value=0.9),
            cuda(quality_metric="accuracy", quality_value=0.7),
            neuron(quality_metric="f1", quality_value=0.1),
            neuron(concurrency=16.0),
        ),
        {},
        TERMS,
    )
    assert reasons(found) == [None, None, None]


def test_quality_lost_says_so_in_the_warnings_that_reach_the_verdict():
    found = compare(
        runs(
            cuda(quality_metric="accuracy", quality_value=0.9),
            neuron(quality_metric="accuracy", quality_value=0.5),
        ),
        {},
        TERMS,
    )
    assert found.counted("neuron") == ()
    assert "quality_not_kept" in found.warnings


def test_a_different_precision_is_allowed_with_a_warning():
    found = compare(runs(cuda(), neuron(precision="fp8")), {}, TERMS)
    assert reasons(found) == [None, None]
    assert found.warnings == ("precision_differs",)
    assert compare(runs(cuda(), neuron()), {}, TERMS).warnings == ()


def test_loads_may_differ():
    assert reasons(compare(runs(cuda(concurrency=8.0), neuron(concurrency=64.0)), {}, TERMS)) == [None, None]


def test_what_is_not_priced_does_not_count():
    bare = {"price_usd_per_hour": None}
    found = compare(runs(cuda(**bare), neuron(**bare)), {"gpu.big": SHIPPED["gpu.big"]}, TERMS)
    assert reasons(found) == [None, "price_missing"]
    assert found.configurations[0].price == SHIPPED["gpu.big"][0]
    assert found.configurations[1].unit_cost_usd is None


def test_demo_data_says_so():
    assert "demo_data" in compare(runs(cuda(demo=True), neuron()), {}, TERMS).warnings


def test_latency_of_the_objective_only():
    found = compare(runs(cuda(e2e_ms_p99=500.0, ttft_ms_p99=90.0)), {}, Terms(model="toy-7b", slo_metric="ttft_ms_p99"))
    assert found.configurations[0].latency_ms == (90.0,)


def test_a_loss_of_all_runs_is_no_comparison():
    for frame, terms in ((runs(cuda()), Terms()), (runs(cuda()).iloc[:0], TERMS), (runs(cuda(platform="mps")), TERMS)):
        found = compare(frame, {}, terms)
        assert (found.unit, found.configurations, found.warnings) == (None, (), ())


def test_costs_are_finite():
    found = compare(runs(cuda(output_tok_per_s=1e-9), neuron(output_tok_per_s=1e12)), {}, TERMS)
    assert all(math.isfinite(c.unit_cost_usd) for c in found.configurations)
