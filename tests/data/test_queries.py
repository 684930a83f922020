import pandas as pd

from data import queries, schema
from data.ingest import load

STATED = {"model": "toy", "platform": "neuron", "instance_type": "trn2.48xlarge", "precision": "bf16"}


def test_an_empty_store_gives_empty_frames_with_their_columns(store):
    assert list(queries.models(store)) == ["model", "platform", "runs", "last_upload"]
    assert len(queries.uploads(store)) == len(queries.benchmark_runs(store)) == len(queries.operator_rows(store)) == 0
    assert len(queries.coverage_reports(store)) == 0
    assert not queries.demo_loaded(store)


def test_runs_come_in_canonical_columns_with_their_origin(store, fixture_bytes):
    load(store, "a.csv", fixture_bytes("crossover-csv.csv"))
    load(store, "b.csv", fixture_bytes("load-summary.csv"), STATED)
    runs = queries.benchmark_runs(store)
    assert list(runs)[: len(schema.BENCHMARK_COLUMNS)] == list(schema.names("benchmark"))
    assert runs[["file", "source_line"]].values.tolist() == [["a.csv", 2], ["a.csv", 3], ["b.csv", 2], ["b.csv", 3]]
    assert runs["engine"].tolist() == [None] * 4
    assert runs["measured_at"][0] == pd.Timestamp("2026-09-01")
    assert len(queries.benchmark_runs(store, "toy")) == 2
    assert len(queries.benchmark_runs(store, "toy' OR 1=1 --")) == 0


def test_models_are_listed_latest_first(store, fixture_bytes):
    load(store, "a.csv", fixture_bytes("crossover-csv.csv"))
    load(store, "b.csv", fixture_bytes("load-summary.csv"), STATED)
    models = queries.models(store)
    assert models[["model", "platform", "runs"]].values.tolist() == [["toy", "neuron", 2], ["toy-7b", "cuda", 2]]


def test_uploads_can_be_filtered_by_kind(store, fixture_bytes):
    load(store, "a.csv", fixture_bytes("crossover-csv.csv"))
    load(store, "o.csv", fixture_bytes("crossover-operators.csv"))
    assert queries.uploads(store)["file"].tolist() == ["o.csv", "a.csv"]
    assert queries.uploads(store, "operators")["file"].tolist() == ["o.csv"]


def test_coverage_reports_count_distinct_operators_by_state(store, fixture_bytes):
    load(store, "o.csv", fixture_bytes("crossover-operators.csv"))
    load(store, "n.json", fixture_bytes("neuron-analyze.train.json"), {"model": "other"})
    newest, oldest = queries.coverage_reports(store).to_dict("records")
    assert (newest["model"], newest["backend"], newest["operators"]) == ("other", "neuron-xla", 2)
    assert (newest["native"], newest["unsupported"], newest["calls"]) == (2, 1, 8)
    assert pd.isna(newest["time_us"])
    assert (oldest["native"], oldest["fallback"], oldest["unknown"], oldest["mode"]) == (1, 1, 1, "eager")
    assert queries.operator_rows(store, backend="neuron")["operator"].tolist() == [
        "aten.mm",
        "aten.cumsum",
        "toy_ext.rotary",
    ]
    assert len(queries.operator_rows(store, "other", "neuron")) == 0
