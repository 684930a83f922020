"""Real files with an answer key, where they lie beside the checkout; elsewhere these tests are skipped."""

import json
import math
from pathlib import Path

import pytest

from data.ingest import inspect
from data.readers import readers

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
KNOWN = {reader.ID for reader in readers()}
ENTRIES = [
    (folder, entry)
    for folder in ("benchmarks", "operators")
    if (CORPUS / folder / "EXPECTED.json").exists()
    for entry in json.loads((CORPUS / folder / "EXPECTED.json").read_text())
]
pytestmark = pytest.mark.skipif(not ENTRIES, reason="no files with an answer key beside this checkout")


def same(value: object, wanted: object, tolerance: float = 2e-3) -> bool:
    if isinstance(wanted, dict):
        return any(same(value, one, tolerance) for one in wanted["any_of"])
    if isinstance(value, (int, float)) and isinstance(wanted, (int, float)):
        return math.isclose(value, wanted, rel_tol=tolerance)
    return value == wanted


def is_meant(row: dict[str, object], where: dict[str, object]) -> bool:
    name = str(row.get("operator") or "")
    tests = {"operator_prefix": name.startswith, "operator_contains": name.__contains__}
    return all(tests[key](value) if key in tests else same(row[key], value) for key, value in where.items())


@pytest.mark.parametrize(("folder", "entry"), ENTRIES, ids=[entry["file"] for _, entry in ENTRIES])
def test_the_answer_key(folder, entry):
    report = inspect(entry["file"], (CORPUS / folder / entry["file"]).read_bytes())
    json.dumps(report.as_dict(with_rows=True), allow_nan=False)
    formats = [entry["format"]] if isinstance(entry["format"], str) else entry["format"]
    if not KNOWN.intersection(formats) or ("mapping" in formats and report.format in (None, "mapping")):
        assert report.format in (None, "mapping")
        assert report.problems
        return
    assert report.format in formats
    assert entry["rows"] in (None, report.rows_loaded)
    assert report.warnings or not entry["warn"]
    for wanted in entry["values"]:
        rows = [row for row in report.rows if is_meant(row, wanted["where"])]
        name = wanted.get("metric") or wanted["field"]
        found = [len(rows)] if name == "count" else [row[name] for row in rows]
        assert any(same(value, wanted["value"]) for value in found), wanted
