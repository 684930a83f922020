"""Formats that tools write as JSON: each in its units, other versions of them, and whatever may be wrong inside."""

import json

import pytest
from conftest import FIXTURES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.ingest import inspect

TOOLS = {
    *("vllm-throughput", "vllm-latency", "sglang", "inferencex", "inferencex-agg", "llmperf", "llmperf-bench"),
    *("guidellm", "inference-perf", "optimum-benchmark", "genai-bench", "k6", "hyperfine", "pytest-benchmark"),
    *("nxdi", "covex-neuron"),
}
FILES = [path for path in sorted(FIXTURES.iterdir()) if path.name.split(".")[0] in TOOLS and path.suffix != ".csv"]


def of(name: str) -> object:
    text = (FIXTURES / name).read_text()
    return [json.loads(line) for line in text.splitlines()] if name.endswith("l") else json.loads(text)


def load(value: object) -> tuple[list[dict[str, object]], set[str], str | None]:
    report = inspect("x", json.dumps(value).encode())
    return report.rows, {said.code for said in (*report.warnings, *report.problems)}, report.format


def the(row: dict[str, object], names: str) -> tuple[object, ...]:
    return tuple(row[name] for name in names.split())


def test_vllm_throughput_counts_input_and_output():
    ((row,), codes, _) = load(of("vllm-throughput.json"))
    assert the(row, "total_tok_per_s output_tok_per_s req_per_s duration_s") == (1228.8, pytest.approx(819.2), 1.6, 40)
    assert the(row, "input_tokens output_tokens completed e2e_ms_mean") == (256, 512, 64, None)
    assert {"total_throughput", "misspelt_key"} <= codes
    ((row,), codes, _) = load(of("vllm-throughput.json") | {"ouput": 900})
    assert (row["output_tok_per_s"], row["output_tokens"], "contradiction" in codes) == (None, None, True)
    bare = {key: value for key, value in of("vllm-throughput.json").items() if key not in ("input", "ouput")}
    ((row,), _, _) = load(bare)
    assert the(row, "total_tok_per_s output_tok_per_s") == (1228.8, None)


def test_vllm_latency_is_in_seconds():
    ((row,), codes, _) = load(of("vllm-latency.json"))
    assert the(row, "e2e_ms_mean e2e_ms_p50 e2e_ms_p90 e2e_ms_p95 e2e_ms_p99") == (3250, 3240, 3380, None, 3398)
    assert {"few_measurements", "batch_unknown"} <= codes


def test_sglang_counts_tokens_and_tells_a_burst():
    first, second = load(of("sglang.jsonl"))[0]
    assert the(first, "engine concurrency request_rate dataset") == ("sglang", 8, None, "random")
    assert the(first, "ttft_ms_mean e2e_ms_p99 itl_ms_p95 tpot_ms_p50 tpot_ms_p90") == (120, 6150, 41, 19, None)
    assert (first["input_tokens"], second["input_tokens"], second["concurrency"]) == (508, 300, None)
    _, codes, _ = load(of("sglang.jsonl"))
    assert {"sent_at_once", "nominal_length", "overloaded"} <= codes
    assert load(of("sglang.jsonl")[0])[2] == "sglang"


def test_inferencex_is_in_seconds():
    ((row,), _, _) = load(of("inferencex.json"))
    assert the(row, "ttft_ms_p50 ttft_ms_mean tpot_ms_p99 e2e_ms_p50") == (500, None, 31, 5500)
    assert the(row, "output_tok_per_s total_tok_per_s concurrency failed") == (263.33, None, 8, 1)
    assert the(row, "precision request_rate measured_at") == ("fp8", None, "2026-09-01T08:15:00")


def test_milliseconds_where_seconds_are_due_are_told_by_the_duration():
    run = of("inferencex.json")
    shifted = run | {key: value * 1000 for key, value in run.items() if key.startswith(("median_", "p99_"))}
    ((row,), codes, _) = load(shifted)
    assert the(row, "ttft_ms_p50 tpot_ms_p50 e2e_ms_p99 output_tok_per_s") == (None, None, None, 263.33)
    assert "unit_doubtful" in codes


def test_inferencex_agg_multiplies_by_the_gpus():
    single, apart = load(of("inferencex-agg.json"))[0]
    assert the(single, "total_tok_per_s output_tok_per_s accelerator_count") == (6000, 1200, 4)
    assert the(apart, "total_tok_per_s output_tok_per_s accelerator_count") == (18000, 2400, 12)
    assert the(single, "accelerator platform precision") == ("H200", "cuda", "fp8")
    assert the(apart, "accelerator platform ttft_ms_mean") == ("MI355X", "rocm", 200)
    assert single["engine"] != apart["engine"]
    unknown = {key: value for key, value in of("inferencex-agg.json")[0].items() if key != "tp"}
    ((row,), codes, _) = load(unknown)
    assert (row["total_tok_per_s"], "gpus_unknown" in codes) == (None, True)


def test_llmperf():
    ((row,), codes, _) = load(of("llmperf.json"))
    assert the(row, "ttft_ms_mean e2e_ms_p99 itl_ms_mean tpot_ms_mean") == (250, 1920, None, None)
    assert the(row, "output_tok_per_s req_per_s concurrency output_tokens") == (295.5, 3, 4, 98.5)
    assert the(row, "completed failed error_rate") == (60, 2, pytest.approx(2 / 62))
    assert {"hosted_service", "itl_holds_first_token"} <= codes


def test_llmperf_bench_sorts_by_load():
    rows, codes, _ = load(of("llmperf-bench.json"))
    assert [row["concurrency"] for row in rows] == [1, 2, 16, 128]
    assert the(rows[3], "ttft_ms_mean output_tok_per_s tpot_ms_mean itl_ms_mean") == (9000, 320, None, None)
    assert {"overloaded", "metric_unclear"} <= codes


def test_guidellm_report():
    streams, rate = load(of("guidellm.json"))[0]
    assert the(streams, "e2e_ms_mean e2e_ms_p50 ttft_ms_p99 concurrency request_rate") == (3900, 3510, 320, 8, None)
    assert the(streams, "tpot_ms_mean itl_ms_mean output_tok_per_s total_tok_per_s") == (24.6, 24.8, 300, 700)
    assert the(rate, "concurrency request_rate completed failed model") == (None, 2.5, 120, 3, "toy/toy-7b")
    report = inspect("x", (FIXTURES / "guidellm.json").read_bytes())
    assert [row["source_line"] for row in report.rows] == [2, 3]


def test_guidellm_report_of_an_older_version():
    report = of("guidellm.json")
    run = report["benchmarks"][0]
    old = {key: value for key, value in run.items() if key != "config"}
    old |= {"args": {"strategy": {"type_": "synchronous"}}, "worker": {"backend_model": "toy/old"}}
    old |= {"request_totals": old["metrics"].pop("request_totals")}
    ((row,), _, _) = load({"benchmarks": [old]})
    assert the(row, "model concurrency completed failed e2e_ms_mean") == ("toy/old", 1, 120, 3, 3900)


def test_guidellm_seconds_under_a_name_that_says_milliseconds():
    ((row,), codes, _) = load(of("guidellm.flat.json"))
    assert the(row, "e2e_ms_mean e2e_ms_p99 ttft_ms_mean tpot_ms_mean") == (None, None, 400, 19.5)
    assert the(row, "output_tok_per_s total_tok_per_s request_rate completed") == (250, 750, 5, 300)
    assert {"unit_doubtful", "incomplete_requests"} <= codes
    right = {"request_latency_mean_ms": 1380.0, "request_latency_p99_ms": 1900.0}
    ((row,), codes, _) = load(of("guidellm.flat.json") | right)
    assert (row["e2e_ms_mean"], "unit_doubtful" in codes) == (1380, False)


def test_guidellm_csv():
    report = inspect("x", (FIXTURES / "guidellm.csv").read_bytes())
    streams, rate, single, flood, _ = report.rows
    assert the(streams, "concurrency request_rate e2e_ms_mean e2e_ms_p99 ttft_ms_p99") == (8, None, 2080, None, None)
    assert the(rate, "concurrency request_rate completed failed") == (None, 3, 178, 2)
    assert the(single, "concurrency ttft_ms_p50 output_tok_per_s") == (1, 58, 50)
    assert the(flood, "concurrency request_rate") == (None, None)
    assert {"no_first_token", "unlike_repeats", "some_failed"} <= {said.code for said in report.warnings}


def test_guidellm_csv_with_semicolons_and_decimal_commas():
    text = (FIXTURES / "guidellm.csv").read_text().replace(",", ";").replace(".", ",")
    report = inspect("x", text.encode())
    assert (report.format, report.rows[0]["e2e_ms_mean"], report.rows[1]["req_per_s"]) == ("guidellm", 2080, 2.97)


def test_inference_perf():
    ((row,), codes, _) = load(of("inference-perf.json"))
    assert the(row, "ttft_ms_mean e2e_ms_p99 tpot_ms_mean itl_ms_p50") == (50, 1875, 6, pytest.approx(5.795))
    assert the(row, "output_tok_per_s total_tok_per_s req_per_s request_rate") == (200, 500, 2, 2)
    assert the(row, "completed failed input_tokens output_tokens") == (60, 1, 150, 100)
    assert {"tpot_too_short", "offered_load_served"} <= codes


def test_genai_bench_per_minute_and_in_the_unit_it_states():
    ((row,), codes, _) = load(of("genai-bench.json"))
    assert the(row, "ttft_ms_mean tpot_ms_mean e2e_ms_p99 req_per_s") == (80, 20, 1590, 2)
    assert the(row, "output_tok_per_s total_tok_per_s concurrency failed") == (110, 300, 4, 1)
    assert "contradiction" in codes
    ((row,), _, _) = load(of("genai-bench.json") | {"_time_unit": "ms"})
    assert row["ttft_ms_mean"] == 0.08
    rows, codes, _ = load(of("genai-bench.json") | {"_time_unit": "minutes"})
    assert (rows, codes) == ([], {"unknown_unit"})


def test_optimum_benchmark_takes_its_stated_units():
    ((row,), codes, _) = load(of("optimum-benchmark.json"))
    assert the(row, "ttft_ms_mean itl_ms_mean tpot_ms_mean e2e_ms_mean") == (80, 65, None, None)
    assert the(row, "output_tok_per_s samples_per_s compile_s") == (15.5, None, None)
    assert {"stands_in_sibling_file", "decode_only", "few_measurements"} <= codes
    ((row,), codes, _) = load(of("optimum-benchmark.whole.json"))
    assert the(row, "model platform accelerator precision batch_size") == ("toy/toy-7b", "cuda", "H100", "bf16", 2)
    assert "stands_in_sibling_file" not in codes
    report = of("optimum-benchmark.json")
    report["prefill"]["latency"]["unit"] = "fortnight"
    assert load(report)[:2] == ([], {"unknown_unit"})


def test_k6_failures_are_no_throughput_and_zero_is_no_latency():
    ((row,), _, _) = load(of("k6.json"))
    assert the(row, "e2e_ms_mean e2e_ms_p50 e2e_ms_p95 e2e_ms_p99") == (300, 270, 480, None)
    assert the(row, "completed failed error_rate req_per_s concurrency") == (180, 20, 0.1, 3.6, None)
    ((row,), codes, _) = load(of("k6.values.json"))
    assert the(row, "e2e_ms_mean completed failed error_rate req_per_s duration_s") == (None, 0, 60, 1, 0, 30)
    assert {"latency_zero", "nothing_completed", "high_error_rate"} <= codes


def test_hyperfine():
    first, second = load(of("hyperfine.json"))[0]
    assert the(first, "e2e_ms_mean e2e_ms_p50 completed failed") == (12500, 12000, 3, 0)
    assert the(second, "e2e_ms_mean completed failed scenario") == (10000, 2, 1, "toy-train --steps 10 --device neuron")


def test_pytest_benchmark():
    first, tiny = load(of("pytest-benchmark.json"))[0]
    assert the(first, "e2e_ms_mean e2e_ms_p50 completed measured_at") == (4, 3.8, None, "2026-09-01T10:00:00")
    assert tiny["e2e_ms_mean"] == pytest.approx(0.00025)


def test_nxdi_loads_no_throughput_without_a_unit():
    ((row,), codes, _) = load(of("nxdi.json"))
    assert the(row, "e2e_ms_mean e2e_ms_p50 e2e_ms_p99") == (2020, 2000, 2400)
    assert the(row, "output_tok_per_s total_tok_per_s samples_per_s") == (None, None, None)
    assert {"unit_not_stated", "batch_unknown"} <= codes


def test_covex_neuron_reads_names_that_say_all_and_refuses_others():
    gpu, neuron = load(of("covex-neuron.json"))[0]
    assert the(gpu, "platform e2e_ms_p50 output_tok_per_s price_usd_per_hour") == ("cuda", 210, 900, 50)
    assert the(neuron, "platform instance_type compile_s batch_size") == ("neuron", "trn2.48xlarge", 620, 8)
    ((row,), codes, _) = load(
        {"metrics": {"median_ttft_s": 0.5, "speed": 7}, "job": {"instance_type": "trn2.48xlarge"}}
    )
    assert (row["ttft_ms_p50"], row["platform"], "unknown_names" in codes) == (500, None, True)
    rows, codes, name = load({"metrics": {"latency": 7, "throughput": 3}, "job": {}})
    assert (rows, codes, name) == ([], {"unknown_names"}, "covex-neuron")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_two_reports_in_a_list_or_as_lines_are_twice_the_runs(path):
    value = of(path.name)
    reports = value if isinstance(value, list) else [value]
    runs = len(inspect("x", path.read_bytes()).rows)
    for content in (json.dumps(reports * 2), "\n".join(map(json.dumps, reports * 2))):
        report = inspect("x", content.encode())
        assert (report.format, report.rows_loaded) == (path.name.split(".")[0], 2 * runs)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["-", "1,5", "5 ms"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def spoil(value: object, data: st.DataObject) -> object:
    """Replace, remove or keep what lies at a random depth."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 5)):
        key = data.draw(st.sampled_from(sorted(value)))
        if not data.draw(st.integers(0, 5)):
            return {name: inner for name, inner in value.items() if name != key}
        return value | {key: spoil(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 5)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], spoil(value[place], data), *value[place + 1 :]]
    return data.draw(JSON)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(FILES), st.data())
def test_whatever_lies_deep_inside(path, data):
    value = of(path.name)
    for _ in range(data.draw(st.integers(1, 4))):
        value = spoil(value, data)
    report = inspect("spoilt", json.dumps(value).encode())
    json.dumps(report.as_dict(with_rows=True), allow_nan=False)
    assert report.rows_loaded + report.rows_refused <= report.rows_read
    assert report.rows_loaded == len(report.rows)
    assert report.rows_loaded or report.problems
