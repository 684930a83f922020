"""Runs by filter, their history, and their way out as CSV and Parquet."""

from io import BytesIO

import pandas as pd
import pytest

from data import runs
from data.ingest import load, withdraw

HEADER = "model,platform,instance_type,precision,concurrency,output_tok_per_s,e2e_ms_p99,measured_at,sdk_version,engine"
ROWS = [
    "toy,cuda,p5.48xlarge,bf16,8,100,500,2026-01-01,1.0,=cmd()",
    "toy,cuda,p5.48xlarge,bf16,8,120,700,2026-01-01,1.0,=cmd()",
    "toy,cuda,p5.48xlarge,bf16,8,140,900,2026-01-02,2.0,=cmd()",
    "toy,neuron,trn2.48xlarge,fp8,8,90,,,,",
    "other,cuda,p5.48xlarge,bf16,8,10,,2026-01-02,,",
]
TOY = runs.RunFilter(models=("toy",))


@pytest.fixture
def loaded(store):
    report = load(store, "night.csv", "\n".join([HEADER, *ROWS]).encode())
    assert report.rows_loaded == 5
    return store


def test_an_empty_store_has_none(store):
    assert runs.summary(store).empty
    assert runs.count(store, TOY) == 0
    assert runs.history(store, TOY, "output_tok_per_s").empty


def test_filters_and_their_choices(loaded):
    assert runs.count(loaded, runs.RunFilter()) == 5
    assert runs.count(loaded, runs.RunFilter(("toy",), ("cuda",))) == 3
    assert runs.count(loaded, runs.RunFilter(precisions=("fp8",))) == 1
    assert runs.count(loaded, runs.RunFilter(("toy' OR 1=1 --",))) == 0
    assert len(runs.choices(loaded)) == 3
    found = runs.summary(loaded).set_index(["model", "platform"])
    assert found.loc[("toy", "cuda"), ["runs", "output_tok_per_s"]].tolist() == [3, 140]


def test_a_row_leads_back_to_file_line_and_hash(loaded):
    row = runs.rows(loaded, TOY, 1).iloc[0]
    assert (row["file"], row["line"], len(row["sha256"])) == ("night.csv", 2, 64)


def test_history_by_version_and_day_with_the_median_run(loaded):
    history = runs.history(loaded, runs.RunFilter(("toy",), ("cuda",)), "e2e_ms_p99").sort_values("period")
    assert history[["sdk_version", "runs", "low", "middle", "high"]].values.tolist() == [
        ["1.0", 2, 500.0, 600.0, 700.0],
        ["2.0", 1, 900.0, 900.0, 900.0],
    ]
    undated = runs.history(loaded, runs.RunFilter(("toy",), ("neuron",)), "output_tok_per_s")
    assert undated["undated"].tolist() == [1]
    with pytest.raises(ValueError, match="no measured column"):
        runs.history(loaded, TOY, "model; DROP TABLE uploads")


def test_withdrawn_uploads_leave_the_history(loaded):
    with loaded.cursor() as cursor:
        (upload,) = cursor.execute("SELECT upload_id FROM uploads").fetchone()
    withdraw(loaded, upload)
    assert runs.count(loaded, runs.RunFilter()) == 0


def test_downloads_hold_the_same_rows(loaded):
    table = runs.rows(loaded, TOY)
    csv = pd.read_csv(BytesIO(runs.as_csv(table)))
    assert csv["output_tok_per_s"].tolist() == table["output_tok_per_s"].tolist()
    assert csv["engine"].dropna().unique().tolist() == ["'=cmd()"], "no spreadsheet runs it"
    back = pd.read_parquet(BytesIO(runs.as_parquet(table)))
    assert back["engine"].dropna().unique().tolist() == ["=cmd()"]
    assert back["line"].tolist() == [2, 3, 4, 5]
