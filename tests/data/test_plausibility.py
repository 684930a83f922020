"""What a careful reader would remark about a run: each kind of implausible figures, and none where all is well."""

import json
from pathlib import Path

import pytest

from data.ingest import inspect

FIXTURES = Path(__file__).parent / "fixtures"

GOOD = {
    "model": "toy",
    "platform": "cuda",
    "instance_type": "p5.48xlarge",
    "precision": "bf16",
    "concurrency": 8,
    "input_tokens": 1024,
    "output_tokens": 101,
    "ttft_ms_mean": 100,
    "ttft_ms_p50": 95,
    "ttft_ms_p99": 180,
    "tpot_ms_mean": 10,
    "e2e_ms_mean": 1100,
    "e2e_ms_p50": 1050,
    "e2e_ms_p90": 1200,
    "e2e_ms_p99": 1500,
    "output_tok_per_s": 734,
    "total_tok_per_s": 8182,
    "req_per_s": 7.27,
    "duration_s": 60,
    "completed": 436,
    "failed": 2,
    "total_output_tokens": 44036,
}


def warned(*rows: dict[str, object]) -> list[tuple[str, int | None]]:
    """Return code and line of each warning about rows that are good but for what is given."""
    whole = [{**GOOD, **row} for row in rows]
    header = list(GOOD)
    text = "\n".join([",".join(header), *(",".join(str(row[name]) for name in header) for row in whole)])
    report = inspect("x", text.encode())
    assert not report.problems
    return [(warning.code, warning.line) for warning in report.warnings]


def test_a_sound_sweep_raises_no_remark():
    slower = {"concurrency": 16, "output_tok_per_s": 1300, "req_per_s": 12.9, "e2e_ms_mean": 1240, "tpot_ms_mean": 11.4}
    slower |= {"completed": 772, "total_output_tokens": 77972, "total_tok_per_s": 14509}
    assert warned({}) == []
    assert warned({}, slower, {}) == []


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("ttft_above_e2e", {"ttft_ms_p99": 1600}),
        ("ttft_above_e2e", {"ttft_ms_p50": 1060, "ttft_ms_mean": 90}),
        ("not_streamed", {"ttft_ms_mean": 1100}),
        ("tpot_far_from_latency", {"tpot_ms_mean": 30}),
        ("tpot_far_from_latency", {"tpot_ms_mean": 2}),
        ("load_disagrees", {"concurrency": 2}),
        ("load_disagrees", {"concurrency": 64}),
        ("total_below_output", {"total_tok_per_s": 700}),
        ("high_error_rate", {"failed": 40}),
        ("identical_percentiles", {"e2e_ms_p50": 1200, "e2e_ms_p90": 1200, "e2e_ms_p99": 1200}),
        ("percentiles_disordered", {"e2e_ms_p90": 1600}),
        ("totals_disagree", {"duration_s": 6}),
        ("totals_disagree", {"total_output_tokens": 4403}),
        ("totals_disagree", {"completed": 4360}),
        ("implausibly_fast", {"output_tokens": 563200}),
        ("implausibly_fast", {"output_tok_per_s": 2e6}),
        ("thousandfold", {"e2e_ms_p99": 1.5}),
        ("thousandfold", {"ttft_ms_mean": 0.1}),
        ("one_wave", {"completed": 8}),
        ("overloaded", {"ttft_ms_mean": 400}),
    ],
)
def test_each_implausible_figure_is_remarked_on_its_line(code, values):
    assert code in [found for found, _ in warned(values)]
    assert (code, 3) in warned({}, values, {}, {})


def test_a_column_in_seconds_among_milliseconds_is_seen_by_its_siblings():
    seconds = {name: GOOD[name] / 1000 for name in GOOD if "_ms_" in name}
    found = dict(warned({}, {}, seconds, {}))
    assert found["thousandfold"] == 4


def test_every_line_that_is_meant_is_named():
    text = "\n".join([",".join(GOOD), *(",".join(map(str, (GOOD | {"failed": 99}).values())) for _ in range(12))])
    (warning,) = [w for w in inspect("x", text.encode()).warnings if w.code == "high_error_rate"]
    assert "(12 of 12 rows: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 …)" in warning.message


def test_what_is_not_stated_raises_no_remark():
    bare = {name: "" for name in GOOD if name not in ("model", "platform", "instance_type", "precision", "concurrency")}
    assert warned({**bare, "req_per_s": 5}) == []


@pytest.mark.parametrize(("verdict", "stored"), [("VALID", "yes"), ("INVALID", "no")])
def test_a_run_that_its_tool_calls_invalid_says_so(verdict, stored):
    report = (
        (FIXTURES / "mlperf-loadgen.offline.txt").read_text().replace("Result is : INVALID", f"Result is : {verdict}")
    )
    assert inspect("x", report.encode()).rows[0]["run_valid"] == stored


def test_a_load_test_whose_every_check_failed_is_invalid():
    summary = {
        "root_group": {},
        "metrics": {"http_reqs": {"count": 100, "rate": 10}, "checks": {"passes": 0, "fails": 9}},
    }
    summary["metrics"] |= {"http_req_failed": {"value": 0, "passes": 0, "fails": 100}, "http_req_duration": {"avg": 5}}
    (row,) = inspect("x", json.dumps(summary).encode()).rows
    assert row["run_valid"] == "no"
