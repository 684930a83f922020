import json

import pytest
from conftest import FIXTURES

from data.ingest import inspect
from data.readers import parse, readers

FILES = sorted(FIXTURES.iterdir())
LOAD_SUMMARY = {"model": "toy", "platform": "neuron", "instance_type": "trn2.48xlarge", "precision": "bf16"}


def rows(name: str, **stated: object) -> list[dict[str, object]]:
    return inspect(name, (FIXTURES / name).read_bytes(), stated).rows


def codes(name: str) -> set[str]:
    return {warning.code for warning in inspect(name, (FIXTURES / name).read_bytes()).warnings}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_exactly_one_reader_knows_each_fixture(path):
    document = parse(path.name, path.read_bytes())
    assert [reader.ID for reader in readers() if reader.recognise(document)] == [path.name.split(".")[0]]


def test_every_reader_has_a_fixture():
    assert {reader.ID for reader in readers()} == {path.name.split(".")[0] for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_name_of_a_file_means_nothing(path):
    assert inspect("holiday.png", path.read_bytes()).format == path.name.split(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_fixtures_load_whole_and_reports_are_json(path):
    report = inspect(path.name, path.read_bytes())
    assert report.problems == ()
    assert report.rows_loaded == report.rows_read == len(report.rows) > 0
    json.dumps(report.as_dict(with_rows=True), allow_nan=False)


def test_canonical_csv():
    first, second = rows("crossover-csv.csv")
    assert (first["ttft_ms_mean"], first["e2e_ms_p99"], first["concurrency"], first["failed"]) == (41.5, 1350.0, 8, 0)
    assert (first["software_path"], first["accelerator"], first["accelerator_count"]) == ("cuda", "NVIDIA H100", 8)
    assert (first["error_rate"], second["error_rate"]) == (0.0, pytest.approx(2 / 322))
    assert (first["measured_at"], second["measured_at"]) == ("2026-09-01T00:00:00", "2026-09-01T10:00:00")
    assert (first["source_line"], second["source_line"], first["price_usd_per_hour"]) == (2, 3, None)


def test_vllm_json():
    (row,) = rows("vllm-serve.json")
    assert (row["model"], row["measured_at"], row["request_rate"]) == ("toy/toy-7b", "2026-09-01T10:15:00", None)
    assert (row["ttft_ms_mean"], row["ttft_ms_p50"], row["ttft_ms_p99"], row["itl_ms_p99"]) == (
        120.5,
        100.25,
        401.0,
        None,
    )
    assert (row["output_tok_per_s"], row["total_tok_per_s"], row["concurrency"]) == (760.0, 1140.0, 20)
    assert (row["failed"], row["error_rate"], row["input_tokens"], row["output_tokens"]) == (10, 0.05, 100.0, 200.0)
    assert "server_not_described" in codes("vllm-serve.json")


def test_vllm_json_list_and_lines_give_a_row_each():
    text = (FIXTURES / "vllm-serve.json").read_text()
    for content in (f"[{text},{text}]", f"{text}\n{text}"):
        report = inspect("x", content.encode())
        assert (report.format, report.rows_loaded) == ("vllm-serve", 2)


def test_vllm_csv_reads_the_chip_and_keeps_unlike_texts_apart():
    table = rows("vllm-serve.csv")
    assert [row["accelerator"] for row in table] == ["H100", "H100", "MI300X"]
    assert [row["accelerator_count"] for row in table] == [8, 8, 4]
    assert [row["precision"] for row in table] == ["fp8", "fp8", "bf16"]
    assert [row["platform"] for row in table] == ["cuda", "cuda", "rocm"]
    assert len({row["engine"] for row in table}) == 3
    assert {"settings_kept_apart", "read_from_text", "contradiction", "high_error_rate", "skewed"} <= codes(
        "vllm-serve.csv"
    )


def test_values_under_an_empty_header_are_said_and_left_out():
    text = (FIXTURES / "vllm-serve.csv").read_text().splitlines()
    header = text[0].replace("mean_ttft_ms", "", 1) + ",mean_ttft_ms"
    report = inspect("x", "\n".join([header, *(line + "," for line in text[1:])]).encode())
    assert {"empty_header", "empty_column"} <= {warning.code for warning in report.warnings}
    assert report.rows[0]["ttft_ms_mean"] is None
    assert report.rows[0]["ttft_ms_p50"] == 300.0


def test_genai_perf():
    (row,) = rows("genai-perf.csv")
    assert (row["ttft_ms_mean"], row["ttft_ms_p99"], row["ttft_ms_p50"]) == (1250.5, 8800.25, 1000.0)
    assert (row["e2e_ms_mean"], row["itl_ms_mean"], row["tpot_ms_mean"]) == (6400.0, 25.75, None)
    assert (row["output_tok_per_s"], row["req_per_s"], row["completed"]) == (1500.0, 7.5, 300)
    assert (row["input_tokens"], row["output_tokens"]) == (1000.0, 200.0)
    assert "load_unknown" in codes("genai-perf.csv")


def test_genai_perf_in_seconds_and_in_an_unknown_unit():
    text = (FIXTURES / "genai-perf.csv").read_text()
    assert (
        inspect("x", text.replace("Request Latency (ms)", "Request Latency (s)").encode()).rows[0]["e2e_ms_p50"] == 6e6
    )
    report = inspect("x", text.replace("Request Latency (ms)", "Request Latency (ticks)").encode())
    assert [(problem.code, problem.line) for problem in report.problems] == [("unknown_unit", 4)]


def test_load_summary_takes_nothing_for_what_it_is_not():
    first, second = rows("load-summary.csv")
    assert (first["e2e_ms_mean"], first["ttft_ms_p99"], first["output_tokens"]) == (9900.0, 500.0, 100.0)
    assert (first["total_tok_per_s"], first["tpot_ms_mean"]) == (None, None)
    assert (second["tpot_ms_mean"], second["error_rate"]) == (44.4, 0.2)
    assert {"total_is_output", "tpot_holds_prefill", "one_wave", "high_error_rate"} <= codes("load-summary.csv")


def test_load_summary_needs_what_it_does_not_say():
    content = (FIXTURES / "load-summary.csv").read_bytes()
    every = ("model", "platform", "instance_type", "precision", "accelerator", "accelerator_count")
    assert inspect("x", content).needs == every
    assert inspect("x", content, {"instance_type": "trn2.48xlarge"}).needs == ("model", "platform", "precision")
    assert inspect("x", content, LOAD_SUMMARY).needs == ()
    elsewhere = inspect("x", content, LOAD_SUMMARY | {"instance_type": "my-own-rack"})
    assert elsewhere.needs == ()
    assert {"accelerator_unknown", "accelerator_count_unknown", "price_unknown"} <= {w.code for w in elsewhere.warnings}


def test_canonical_operators():
    mm, cumsum, own = rows("crossover-operators.csv")
    assert [row["operator"] for row in (mm, cumsum, own)] == ["aten.mm", "aten.cumsum", "toy_ext.rotary"]
    assert (cumsum["status"], cumsum["reason"], own["time_us"], mm["calls"]) == (
        "fallback",
        "runs on the CPU",
        None,
        12,
    )
    first, second = rows("crossover-operators.json")
    assert (first["operator"], first["role"], second["status"], second["source_line"]) == (
        "aten.mm",
        "used",
        "unsupported",
        3,
    )


def test_neuron_analyze_inference_drops_paths():
    native, failing = rows("neuron-analyze.infer.json")
    assert (native["operator"], native["status"], native["calls"]) == ("aten.relu", "native", 3)
    assert (failing["operator"], failing["status"], failing["user_code"]) == ("aten.toy_fft", "unsupported", "toy.py:7")
    assert (failing["backend"], failing["version"], failing["mode"]) == ("neuron-xla", "1.13.9.9", "infer")
    assert "somebody" not in json.dumps([native, failing])
    assert {"legacy_backend", "tool_percentage", "paths_dropped"} <= codes("neuron-analyze.infer.json")


def test_neuron_analyze_training_keeps_both_states():
    states = [(row["operator"], row["status"], row["calls"]) for row in rows("neuron-analyze.train.json")]
    assert states == [("aten.add", "native", 5), ("aten.mul", "native", 2), ("aten.mul", "unsupported", 1)]
    assert "both_states" in codes("neuron-analyze.train.json")
