"""Tools that write tables, logs and reports: each figure under its canonical name and in its unit."""

import pytest
from conftest import FIXTURES

from data.ingest import inspect
from data.readers.columns import split


def rows(name: str) -> list[dict[str, object]]:
    return inspect(name, (FIXTURES / name).read_bytes()).rows


def text(name: str) -> str:
    return (FIXTURES / name).read_text()


def read(content: str):
    return inspect("x", content.encode())


def codes(content: str) -> set[str]:
    report = read(content)
    return {item.code for item in (*report.warnings, *report.problems)}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (" Performance [seq/sec]", ("performance", "seq/sec")),
        ("Inst. Type", ("inst type", "")),
        ("Instance-Type", ("instance type", "")),
        (" OS Type.", ("os type", "")),
        ("HTTP Duration (excl. conn) (ms)", ("http duration (excl conn)", "ms")),
        ("Mean  TTFT ( ms )", ("mean ttft", "ms")),
        ("**Latency P99** (ms)", ("latency p99", "ms")),
        ("Throughput (tokens / second)", ("throughput", "tokens/second")),
    ],
)
def test_headers_split_into_label_and_unit(header, expected):
    assert split(header) == expected


def test_aiperf_takes_neither_sums_nor_per_user_figures():
    (row,) = rows("aiperf.csv")
    assert (row["ttft_ms_mean"], row["ttft_ms_p99"], row["e2e_ms_p50"]) == (120.5, 600.0, 4200.0)
    assert (row["itl_ms_mean"], row["tpot_ms_mean"]) == (21.5, None)
    assert (row["output_tok_per_s"], row["req_per_s"], row["completed"]) == (2000.0, 10.0, 400)
    assert (row["duration_s"], row["output_tokens"], row["total_tok_per_s"]) == (40.0, 200.0, None)


def test_aiperf_of_another_version():
    older = (
        text("aiperf.csv").replace("Time to First Token (ms)", "Time To First Token (sec)").replace(",sum,", ",total,")
    )
    assert read(older).rows[0]["ttft_ms_mean"] == 120_500.0
    assert "unknown_unit" in codes(older.replace("Request Latency (ms)", "Request Latency"))
    assert "unknown_unit" in codes(
        older.replace("Output Token Throughput (tokens/sec)", "Output Token Throughput (t/d)")
    )


def test_aiperf_names_chips_of_its_telemetry():
    gpu = "http://x,{0},NVIDIA H100 80GB HBM3,GPU-{0},GPU Power (W)," + ",".join("1" * 14)
    content = text("aiperf.csv").rstrip("\n") + "".join("\n" + gpu.format(i) for i in range(2))
    (row,) = read(content).rows
    assert (row["accelerator"], row["accelerator_count"], row["platform"]) == ("NVIDIA H100 80GB HBM3", 2, "cuda")


def test_perf_analyzer_is_in_microseconds_unless_it_says_otherwise():
    table = rows("perf-analyzer.csv")
    assert [row["concurrency"] for row in table] == [1, 4, 2]
    assert (table[0]["e2e_ms_p50"], table[2]["e2e_ms_p99"], table[1]["samples_per_s"]) == (9.8, 17.0, 160.0)
    content = text("perf-analyzer.csv")
    assert "unit_implausible" not in codes(content)
    assert "unit_implausible" in codes(content.replace(",9800,", ",9.8,"))
    assert read(content.replace("p99 latency", "p99 latency (ms)")).rows[0]["e2e_ms_p99"] == 12_500.0
    (first, *_) = read(content.replace("Concurrency", "Request Rate")).rows
    assert (first["concurrency"], first["request_rate"]) == (None, 1.0)


def test_console_block_across_down_and_as_text():
    first, second = rows("vllm-console.csv")
    assert (first["output_tok_per_s"], first["total_tok_per_s"], first["ttft_ms_mean"]) == (200.0, 600.0, 150.5)
    assert (second["ttft_ms_mean"], second["failed"], second["input_tokens"]) == (1150.5, 4, 200.0)
    first, second = rows("vllm-console.down.csv")
    assert (first["ttft_ms_mean"], second["ttft_ms_mean"], second["duration_s"]) == (150.5, 600.5, 125.0)
    assert first["engine"] != second["engine"]
    assert "duplicate_header" in codes(text("vllm-console.down.csv"))
    first, second = rows("vllm-console.txt")
    assert (first["concurrency"], first["itl_ms_mean"], first["total_output_tokens"]) == (8, 20.5, 10_000)
    assert (second["completed"], second["ttft_ms_mean"], second["source_line"]) == (200, 350.5, 20)


def test_console_block_down_is_refused_where_values_shift():
    content = text("vllm-console.down.csv").replace("Benchmark duration (s),50.0,125.0", "Benchmark duration (s),50.0")
    assert "wrong_cell_count" in codes(content.replace("Benchmark duration (s),50.0", "Benchmark duration (s),1,2,3"))
    lone = text("vllm-console.down.csv").replace("[[Time to First Token]],,", "[[Time to First Token]]")
    assert len(read(lone).rows) == 2


def test_optimum_neuron_offers_a_rate_that_is_not_the_measured_one():
    one, rate, most = rows("optimum-neuron.csv")
    assert (one["e2e_ms_mean"], one["ttft_ms_mean"], one["concurrency"]) == (4000.0, 150.5, 1)
    assert (rate["request_rate"], rate["req_per_s"], most["request_rate"]) == (3.5, 3.25, None)
    assert (one["model"], most["model"], one["measured_at"]) == ("toy_toy-7b", "toy_toy-3b", "2026-09-01T10:15:00")
    assert {"several_models", "statistic_not_stated"} <= codes(text("optimum-neuron.csv"))
    in_ms = text("optimum-neuron.csv").replace("Request Latency (s)", "Request Latency (ms)")
    assert read(in_ms).rows[0]["e2e_ms_mean"] == 4.0


def test_neuron_docs_inference():
    first, second = rows("neuron-docs.csv")
    assert (first["model"], second["model"]) == ("Toy-8B", "Toy-70B")
    assert (first["output_tok_per_s"], first["ttft_ms_p50"], first["tpot_ms_p50"]) == (120.5, 30.25, 8.25)
    assert (first["instance_type"], first["platform"], first["precision"]) == ("inf2.48xlarge", "neuron-xla", "int8")
    assert (first["input_tokens"], first["batch_size"], first["e2e_ms_p50"]) == (128.0, 1, None)
    assert "Model Data Type=FP16" in str(first["engine"])


def test_neuron_docs_encoders_count_inferences():
    first, second = rows("neuron-docs.encoder.csv")
    assert (first["samples_per_s"], first["output_tok_per_s"], second["samples_per_s"]) == (900.5, None, 2200.5)
    assert (first["e2e_ms_p50"], first["e2e_ms_p90"], first["e2e_ms_p99"]) == (21.5, None, 22.5)
    assert (first["precision"], first["concurrency"], first["accelerator_count"]) == ("fp32", None, None)
    assert "contradiction" in codes(text("neuron-docs.encoder.csv"))
    tokens = text("neuron-docs.encoder.csv").replace("Avg Throughput (/sec)", "Throughput (tokens/second)")
    assert (read(tokens).rows[0]["output_tok_per_s"], read(tokens).rows[0]["samples_per_s"]) == (900.5, None)


def test_neuron_docs_training_prices_no_instance_for_many():
    two_types, many, one = rows("neuron-docs.training.csv")
    assert (two_types["train_seq_per_s"], two_types["batch_size"], two_types["instance_type"]) == (12.5, 1024, None)
    assert (many["instance_type"], one["instance_type"]) == ("16 x trn1.32xlarge", "trn2.48xlarge")
    assert (two_types["platform"], one["platform"]) == ("neuron-xla", None)
    assert (two_types["precision"], many["precision"]) == ("bf16", "fp32")
    assert {"several_nodes", "several_instances"} <= codes(text("neuron-docs.training.csv"))


def test_neuronperf_counts_workers_by_littles_law():
    first, second = rows("neuronperf.csv")
    assert (first["samples_per_s"], first["e2e_ms_p99"], first["duration_s"]) == (500.0, 2.5, 5.0)
    assert (first["concurrency"], second["concurrency"], first["platform"]) == (1, 8, "neuron-xla")
    per_copy = text("neuronperf.csv").replace("4,8,1,1,1900.0", "4,2,1,1,1900.0")
    assert read(per_copy).rows[1]["concurrency"] == 8
    assert "not_finished" in codes(text("neuronperf.csv").replace("finished", "error"))


def test_lmbenchmark_is_one_run():
    report = inspect("x", (FIXTURES / "lmbenchmark.csv").read_bytes())
    (row,) = report.rows
    assert (row["ttft_ms_mean"], row["ttft_ms_p50"], row["tpot_ms_p99"]) == pytest.approx((800.0, 800.0, 100.0))
    assert (row["e2e_ms_mean"], row["duration_s"]) == pytest.approx((3300.0, 8.1))
    assert (row["completed"], row["failed"], row["input_tokens"]) == (4, 1, 250.0)
    assert (row["output_tok_per_s"], row["req_per_s"]) == pytest.approx((104 / 8.1, 4 / 8.1))
    assert "computed_from_requests" in {warning.code for warning in report.warnings}


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("0.7,2.0", "oops,2.0", "not_a_number"), ("0.7,2.0", "2.0", "wrong_cell_count"), ("0.7", "-0.7", "out_of_range")],
)
def test_lmbenchmark_computes_nothing_from_some_of_the_requests(old, new, code):
    report = read(text("lmbenchmark.csv").replace(old, new))
    assert (report.rows, [problem.code for problem in report.problems]) == ([], [code])
    assert report.problems[0].line == 3


def test_loadgen_server_is_in_nanoseconds():
    (row,) = rows("mlperf-loadgen.txt")
    assert (row["samples_per_s"], row["request_rate"], row["output_tok_per_s"]) == (100.25, 101.5, 2500.5)
    assert (row["e2e_ms_mean"], row["e2e_ms_p95"], row["e2e_ms_p99"]) == (20.5, 35.5, 40.5)
    assert (row["ttft_ms_mean"], row["ttft_ms_p99"], row["tpot_ms_mean"]) == (5.5, 9.5, 1.5)
    assert (row["instance_type"], row["model"]) == (None, None)


def test_loadgen_says_what_is_no_result():
    offline, stream = rows("mlperf-loadgen.offline.txt")
    assert (offline["samples_per_s"], stream["e2e_ms_p90"], stream["concurrency"]) == (0.25, 0.508, 1)
    assert {"run_not_valid", "offline_latency", "short_run"} <= codes(text("mlperf-loadgen.offline.txt"))
    assert "no_metric" in codes(text("mlperf-loadgen.txt").replace("PerformanceOnly", "AccuracyOnly"))
    assert "not_a_number" in codes(text("mlperf-loadgen.txt").replace(": 20500000", ": many"))


def test_mlperf_summary_takes_the_unit_from_the_scenario():
    stream, offline = rows("mlperf-summary.csv")
    assert (stream["e2e_ms_p90"], stream["samples_per_s"]) == (0.5, None)
    assert (offline["samples_per_s"], offline["accelerator_count"], offline["platform"]) == (8400.5, 16, "cuda")
    assert {"unit_by_rule", "several_nodes", "inferred_result"} <= codes(text("mlperf-summary.csv"))
    assert "unknown_unit" in codes(text("mlperf-summary.csv").replace("SingleStream", "MultiStream"))
    newer = text("mlperf-summary.csv").replace("v1.1", "v4.1")
    assert read(newer.replace("SingleStream", "MultiStream")).rows[0]["e2e_ms_p99"] == 0.5
    assert "unknown_unit" in codes(newer.replace("toy-net", "llama2-toy"))


def test_mlperf_summary_takes_a_stated_unit():
    tokens, latency = rows("mlperf-summary.json")
    assert (tokens["output_tok_per_s"], tokens["samples_per_s"], tokens["platform"]) == (2500.5, None, "rocm")
    assert (latency["e2e_ms_p99"], latency["accelerator_count"]) == (4.5, 8)
    assert "unknown_unit" in codes(text("mlperf-summary.json").replace("Tokens/s", "Watts"))


def test_mlperf_training_counts_from_start_to_stop():
    (row,) = rows("mlperf-training.txt")
    assert (row["time_to_train_s"], row["batch_size"], row["model"]) == (512.5, 16, "toy_lora")
    assert (row["accelerator"], row["platform"], row["accelerator_count"]) == ("B200", "cuda", None)
    assert "broken_line" in codes(text("mlperf-training.txt"))


def test_mlperf_training_that_did_not_end_well():
    assert read(text("mlperf-training.txt").replace('"success"', '"aborted"')).rows == []
    assert "run_not_valid" in codes(text("mlperf-training.txt").replace('"success"', '"aborted"'))
    assert "no_end" in codes(text("mlperf-training.txt").replace("run_stop", "run_paused"))


def test_torchbench_takes_no_speedup_and_no_repeated_header():
    table = rows("torchbench.csv")
    assert [row["e2e_ms_p50"] for row in table] == [22.5, 2.25, 3.25]
    assert (table[0]["compile_s"], table[0]["batch_size"], table[0]["platform"]) == (41.5, 16, "cuda")
    assert {"unit_by_rule", "other_baseline", "device_not_named"} <= codes(text("torchbench.csv"))


def test_locust_keeps_endpoints_apart():
    chat, health = rows("locust.csv")
    assert (chat["e2e_ms_mean"], chat["e2e_ms_p50"], chat["e2e_ms_p99"]) == (350.5, 300.0, 1500.0)
    assert (chat["completed"], chat["failed"], chat["req_per_s"]) == (180, 20, pytest.approx(1.8))
    assert (chat["scenario"], health["scenario"]) == ("POST /generate", "GET /health")
    assert {"mixed_line", "several_endpoints", "failures_in_latency"} <= codes(text("locust.csv"))
    alone = "\n".join(text("locust.csv").splitlines()[::3])
    assert [row["scenario"] for row in read(alone).rows] == ["Aggregated"]


def test_locusts_history_is_no_run():
    history = "Timestamp," + text("locust.csv").replace("\n", "\n1790000000,").removesuffix("1790000000,")
    assert read(history).format == "mapping"


@pytest.mark.parametrize(
    "name", ["vllm-console.csv", "optimum-neuron.csv", "neuronperf.csv", "torchbench.csv", "locust.csv"]
)
def test_spreadsheets_with_semicolons_decimal_commas_and_a_title(name):
    lines = [
        line.replace(",", ";").replace(".", ",") for line in text(name).replace('"1,150.5"', "1150.5").splitlines()
    ]
    lines[0] = text(name).splitlines()[0].replace(",", ";")
    expected = rows(name)
    report = read("Our results\n\n" + "\n".join(lines))
    assert [row["source_line"] for row in report.rows] == [row["source_line"] + 2 for row in expected]
    numbers = [{key: value for key, value in row.items() if isinstance(value, float)} for row in report.rows]
    assert numbers == [{key: row[key] for key in found} for row, found in zip(expected, numbers, strict=True)]
    assert all(numbers)
