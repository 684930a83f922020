"""Formats of operator coverage: what each row says, what it must not say, and what the user is told."""

import json
import zipfile
from io import BytesIO

import pytest
from conftest import FIXTURES

from data.ingest import inspect
from data.readers.operators import aten_name, operator_name


def rows(name: str) -> list[dict[str, object]]:
    return inspect(name, (FIXTURES / name).read_bytes()).rows


def of(name: str, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in rows(name)]


def codes(content: str | bytes) -> set[str]:
    content = content if isinstance(content, bytes) else (FIXTURES / content).read_bytes()
    report = inspect("x", content)
    return {said.code for said in (*report.warnings, *report.problems)}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("aten::add.Tensor", "aten.add.Tensor"),
        ("torch.ops.aten.view.default", "aten.view"),
        ("aten::addcdiv\\_", "aten.addcdiv_"),
        ("aten.split(Tensor(a -> \\*) self, int n) -> Tensor(a)[]", "aten.split"),
        ("``aten::_s_where``", "aten._s_where"),
        ("aten::ScalarImplicit", "aten.ScalarImplicit"),
        ("_operator.add", "_operator.add"),
        ("torchvision::nms", "torchvision.nms"),
    ],
)
def test_names_are_written_one_way(raw, name):
    assert operator_name(raw) == name
    assert operator_name(name) == name


def test_a_bare_name_is_aten_only_where_the_format_says_so():
    assert (operator_name("add.Tensor"), aten_name("add.Tensor")) == ("add.Tensor", "aten.add.Tensor")
    assert aten_name("aten::mm") == "aten.mm"


def test_mps_matrix():
    assert of("mps-matrix.html", "operator", "status", "version", "reason") == [
        ("aten.add.out", "native", "2.13.0", None),
        ("aten._toy_gamma", "unsupported", "2.13.0", "not in the release 2.13.0"),
        ("aten.cumsum.out", "native", "2.13.0", "from macOS 13.0"),
    ]
    assert {row["source_line"] for row in rows("mps-matrix.html")} == {11, 12, 13}
    assert {"list_of_kernels", "not_in_release", "conditions"} <= codes("mps-matrix.html")


def test_a_matrix_without_a_release_is_refused():
    text = (FIXTURES / "mps-matrix.html").read_text().replace("In v2.13.0", "Today")
    (problem,) = inspect("x", text.encode()).problems
    assert problem.code == "bad_schema"


def test_xla_yaml_names_each_operator_once():
    names = [name for (name,) in of("xla-yaml.yaml", "operator")]
    assert names == ["aten.abs", "aten.all.dim", "aten._toy_pool2d", "aten.add.Tensor", "aten.einsum"]
    assert "repeated_entries" in codes("xla-yaml.yaml")


def test_executorch_keeps_namespaces():
    assert of("executorch-csv.csv", "operator", "status", "reason") == [
        ("aten.abs", "native", None),
        ("aten.div.Tensor_mode", "native", None),
        ("aten.amax", "native", "keepdim=True required; max 2D reductions"),
        ("operator.add", "native", None),
        ("llama.custom_sdpa", "native", None),
    ]
    assert of("executorch-csv.xnnpack.csv", "operator", "backend", "dtype")[0] == (
        "aten.add",
        "executorch-xnnpack",
        "fp16, fp32",
    )


def test_ttnn_counts_variations_not_calls():
    assert of("ttnn.md", "operator", "status", "calls") == [
        ("aten.add.Tensor", "native", None),
        ("aten.addmm", "native", None),
        ("aten.view", "fallback", None),
        ("aten.toy", "unsupported", None),
    ]


def test_onnx_and_hlo_names_are_no_aten_names():
    assert of("onnx-list.md", "operator", "status") == [
        ("onnx.Add", "native"),
        ("onnx.Adagrad", "unsupported"),
        ("onnx.Abs", "native"),
    ]
    assert {name.split(".")[0] for (name,) in of("neuron-cc-list.txt", "operator")} == {"hlo"}
    assert of("neuron-cc-list.rst", "operator", "reason")[:2] == [("hlo.Abs", None), ("hlo.AllGather", "Toy limit")]
    assert len(rows("neuron-cc-list.rst")) == 4


def test_torchneuron_table_keeps_version_and_types():
    assert of("torchneuron-compat.md", "operator", "status", "dtype", "version", "reason") == [
        ("aten.add.Tensor", "native", "bf16, fp32", "2.14.3.0", None),
        ("aten.toy_scan", "native", "fp32", "2.14.3.0", "last dimension only"),
        ("aten.nonzero", "fallback", None, "2.14.3.0", None),
        ("aten.toy_fft", "unsupported", None, "2.14.3.0", "complex"),
        ("aten.gelu", "native", "bf16", "2.14.3.0", "Partial support"),
    ]


def test_a_status_that_nobody_knows_is_unknown():
    text = (FIXTURES / "torchneuron-compat.md").read_text().replace("| ❌ |", "| perhaps |")
    assert inspect("x", text.encode()).rows[3]["status"] == "unknown"
    assert "status_unclear" in codes(text.encode())


def test_torchneuron_fallbacks():
    assert of("torchneuron-fallback.txt", "operator", "status", "calls", "source_line") == [
        ("aten.nonzero", "fallback", None, 1),
        ("aten.toy_scan", "fallback", None, 2),
        ("aten.toy_fft", "unsupported", None, 4),
    ]
    assert "log_may_be_muted" in codes("torchneuron-fallback.txt")
    found = set(of("torchneuron-fallback.json", "operator", "status"))
    assert {("aten.mm", "native"), ("aten.mm", "fallback"), ("aten.nonzero", "fallback")} < found
    assert "both_states" in codes("torchneuron-fallback.json")
    assert of("torchneuron-fallback.printed.txt", "operator", "status", "source_line") == [
        ("aten.mm", "native", 2),
        ("aten.add", "native", 2),
        ("aten.nonzero", "fallback", 3),
    ]


def test_a_list_that_says_neither_is_not_taken_for_fallbacks():
    assert inspect("x", b"['aten::mm', 'aten::add']\n").format != "torchneuron-fallback"


def test_xla_metrics():
    assert of("xla-metrics.txt", "operator", "status", "calls") == [
        ("aten._local_scalar_dense", "fallback", 12),
        ("aten.toy_scan", "fallback", 8),
        ("aten.add", "native", 60),
        ("aten.mul", "native", 10),
    ]
    assert {"host_sync", "several_reports"} <= codes("xla-metrics.txt")


def test_mps_log_tells_a_fallback_from_a_failure():
    assert of("mps-log.txt", "operator", "status", "calls", "source_line") == [
        ("aten.nonzero", "fallback", None, 1),
        ("aten._toy_index_", "unsupported", None, 3),
    ]
    assert not any("toy/model" in str(row) for row in rows("mps-log.txt"))


def test_supported_and_yet_on_the_cpu_is_not_native():
    assert of("neuron-log.txt", "operator", "status", "backend") == [
        ("aten._convolution", "fallback", "neuron-inf1"),
        ("aten.relu", "fallback", "neuron-inf1"),
    ]
    text = (FIXTURES / "neuron-log.txt").read_text().split("WARNING")[0]
    assert {row["status"] for row in inspect("x", text.encode()).rows} == {"native"}


def test_what_the_compiler_refuses_is_a_blocker():
    first, second = rows("neuron-log.compiler.txt")
    assert (first["operator"], first["blocker"], first["source_line"]) == (None, "HLO topk", 2)
    assert second["blocker"] == "NCC_EVRF004: Complex data types are not supported on the Neuron device."


def test_graph_breaks_count_once_a_place():
    ((blocker, place, breaks, line),) = of("dynamo-log.txt", "blocker", "user_code", "graph_breaks", "source_line")
    assert (blocker, place, breaks, line) == ("toy_attn_cuda", "interface.py:51", 1, 2)
    assert {"repeated_breaks", "extension"} <= codes("dynamo-log.txt")
    assert of("dynamo-log.since.txt", "blocker", "reason", "user_code") == [
        ("graph break", "Call to `torch._dynamo.graph_break()`", "model.py:5"),
        ("graph break", "Data-dependent branching", "model.py:7"),
    ]


def test_a_skip_is_no_pass():
    assert of("dynamo-csv.csv", "model", "accuracy", "graph_breaks", "blocker") == [
        ("ToyForCausalLM", "pass", 0, None),
        ("ToyBase", "pass", 4, "graph breaks"),
        ("ToySkipped", "pass_due_to_skip", 0, None),
    ]
    assert "skipped" in codes("dynamo-csv.csv")
    report = inspect("x", b"name,accuracy,graph_breaks\nA,pass,many\nB,pass\nC,pass,1\n")
    assert (report.rows_loaded, report.rows_refused, [p.line for p in report.problems]) == (1, 2, [2, 3])


def test_hipify_counts_each_file_once():
    assert of("hipify.txt", "blocker", "converted_refs", "unconverted_refs", "source_line") == [
        ("CUDA source toy.cu", 12, None, 6),
        ("CUDA source toy.cu", None, 1, 7),
    ]


def test_operator_inputs_sum_the_counts():
    assert of("operator-inputs.txt", "operator", "calls", "dtype", "status") == [
        ("aten._fft_c2c", 12, "complex32", None),
        ("aten.add.Tensor", 31, "fp16", None),
        ("aten._to_copy", 2, None, None),
    ]
    assert "complex_numbers" in codes("operator-inputs.txt")


def test_tensorrt_strips_schemas_and_lowered_runs():
    assert of("tensorrt-ops.rst", "operator", "status", "reason") == [
        ("aten.abs", "native", None),
        ("aten.add.Tensor", "native", None),
        ("aten.split_with_sizes", "native", None),
        ("aten.view", "native", "lowered by decomposition"),
        ("_operator.add", "native", None),
        ("prims.div", "native", None),
    ]


def test_lists_and_release_notes():
    assert [name for (name,) in of("torch-ops-list.rst", "operator")][:2] == ["aten._s_where", "aten.addcdiv_"]
    assert {row["backend"] for row in rows("torch-ops-list.rst")} == {"neuron-xla"}
    found = {row["operator"]: (row["status"], row["source_line"]) for row in rows("torch-ops-list.notes.rst")}
    assert found == {
        "aten.erf": ("native", 9),
        "aten.norm": ("native", 13),
        "aten.embedding": ("unsupported", 20),
        "aten.ScalarImplicit": ("native", 30),
        "aten.scalarImplicit": ("native", 31),
    }
    assert {(row["backend"], row["version"]) for row in rows("torch-ops-list.notes.rst")} == {
        ("neuron-inf1", "2.10.1.0")
    }


def test_nested_operators_do_not_count_twice():
    found = {row["operator"]: (row["calls"], row["time_us"]) for row in rows("chrome-trace.json") if row["operator"]}
    assert found == {"aten.to": (1, 20), "aten._to_copy": (1, 30), "aten.copy_": (1, 50), "aten.mm": (2, 100)}


def test_compiled_regions_are_opaque_and_own_kernels_block():
    found = {row["blocker"]: (row["time_us"], row["status"]) for row in rows("chrome-trace.json") if row["blocker"]}
    assert found == {"my_own_kernel": (5, None), "compiled region": (90, None)}
    assert {"compiled_region", "triton_kernels", "several_steps", "profiled_on"} <= codes("chrome-trace.json")


def test_a_trace_of_nothing_but_compiled_code_has_no_coverage():
    trace = json.loads((FIXTURES / "chrome-trace.json").read_text())
    kept = [event for event in trace["traceEvents"] if not event["name"].startswith(("aten", "my_own"))]
    report = inspect("x", json.dumps(trace | {"traceEvents": kept}).encode())
    assert (report.format, report.rows_loaded) == ("chrome-trace", 0)
    assert {"no_rows"} == {problem.code for problem in report.problems}
    assert any(warning.code == "compiled_region" for warning in report.warnings)


def test_names_of_people_and_machines_are_dropped():
    for name in ("chrome-trace.json", "pt2.pt2", "hipify.txt", "dynamo-log.since.txt"):
        report = inspect(name, (FIXTURES / name).read_bytes())
        assert "somebody" not in json.dumps(report.as_dict(with_rows=True))
        assert "/home" not in json.dumps(report.as_dict(with_rows=True))


def test_a_trace_that_was_cut_off_says_where():
    text = (FIXTURES / "chrome-trace.json").read_text()
    (problem,) = inspect("x", text[: text.index('"kernel"')].encode()).problems
    assert (problem.code, problem.line) == ("bad_schema", 17)


def test_execution_trace_takes_overloads_from_schemas():
    assert of("execution-trace.json", "operator", "calls", "output_bytes", "dtype", "source_line") == [
        ("aten.add.Tensor", 2, 4 * 8 * 4 + 8 * 2, None, 5),
        ("aten.mm", 1, 32, "fp32", 9),
        ("toy_lib.scan", 1, None, None, 11),
    ]


def test_key_averages_reads_units_and_says_what_is_missing():
    assert of("key-averages.txt", "operator", "calls", "time_us", "flops") == [
        ("aten.linear", 4, 100, None),
        ("aten.addmm", 4, 6500, 3000),
        ("aten._toy_attention_f…", 1, 1000, None),
    ]
    assert {"names_cut_short", "rows_left_out"} <= codes("key-averages.txt")


def test_pt2_reads_the_graph_and_nothing_else():
    assert of("pt2.pt2", "operator", "calls", "output_bytes", "dtype", "user_code") == [
        ("aten.linear", 1, 128, "fp32", "model.py:6"),
        ("aten.view", 2, 256, "fp32", "model.py:6"),
        ("aten.add.Tensor", 1, None, None, "model.py:6"),
    ]
    assert {"bytes_unknown", "no_operators", "paths_dropped"} <= codes("pt2.pt2")


def test_an_exported_model_may_have_thousands_of_weights():
    with zipfile.ZipFile(FIXTURES / "pt2.pt2") as archive:
        graph = archive.read("toy/models/model.json")
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("toy/archive_format", "pt2")
        archive.writestr("toy/models/model.json", graph)
        for i in range(1200):
            archive.writestr(f"toy/data/weights/weight_{i}", b"")
    report = inspect("x", target.getvalue())
    assert (report.format, report.rows_loaded) == ("pt2", 3)


def test_a_support_matrix_without_rows_is_refused():
    page = "<html><head><title>MPS Support Matrix</title></head><body><table></table></body></html>"
    report = inspect("x", page.encode())
    assert report.format == "mps-matrix"
    assert not report.rows
    assert "No column of the matrix is headed" in report.problems[0].message
