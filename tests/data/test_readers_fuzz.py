"""Whatever is done to a file, the outcome is a report, never an exception, and its JSON is clean."""

import json

from conftest import FIXTURES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.ingest import inspect

FILES = sorted(FIXTURES.iterdir())
CELLS = [
    "",
    "-1",
    "1e999",
    "nan",
    "=1+1",
    "0,5",
    '"',
    "x" * 2000,
    "\u2028",
    "[1]",
    "9" * 400,
    "true",
    ";",
    "unknown",
    "\t",
]
LAX = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def survives(content: bytes) -> None:
    report = inspect("fuzzed", content)
    json.dumps(report.as_dict(with_rows=True), allow_nan=False)
    assert report.rows_loaded + report.rows_refused <= max(report.rows_read, 0)
    assert report.rows_loaded == len(report.rows)
    assert report.rows_loaded or report.problems


@LAX
@given(st.sampled_from(FILES), st.data())
def test_cut_and_spliced_files(path, data):
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    survives(content[:start] + data.draw(st.binary(max_size=8)) + content[end:])


@LAX
@given(st.sampled_from([path for path in FILES if path.suffix == ".csv"]), st.data())
def test_cells_replaced(path, data):
    lines = path.read_text().split("\n")
    for _ in range(data.draw(st.integers(1, 4))):
        row = data.draw(st.integers(0, len(lines) - 1))
        cells = lines[row].split(",")
        cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(st.sampled_from(CELLS) | st.text(max_size=12))
        lines[row] = ",".join(cells)
    survives("\n".join(lines).encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@LAX
@given(st.sampled_from([path for path in FILES if path.suffix == ".json"]), st.data())
def test_json_values_replaced(path, data):
    document = json.loads(path.read_text())
    record = document[0] if isinstance(document, list) else document
    for key in data.draw(st.lists(st.sampled_from(sorted(record)), min_size=1, max_size=4)):
        record[key] = data.draw(JSON)
    survives(json.dumps(document).encode())


@LAX
@given(st.text(max_size=200))
def test_any_text(text):
    survives(text.encode())


@LAX
@given(st.binary(max_size=200))
def test_any_bytes(content):
    survives(content)
