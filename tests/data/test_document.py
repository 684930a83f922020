import gzip
import zlib

import duckdb
import pytest
from conftest import FIXTURES

from data.errors import IngestError
from data.readers import document
from data.readers.cells import has_decimal_comma, number
from data.readers.document import parse


def code(content: bytes) -> str:
    with pytest.raises(IngestError) as caught:
        parse("some.csv", content)
    return caught.value.problems[0].code


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty_file"),
        (b"\xef\xbb\xbf \r\n", "empty_file"),
        (b"a,b\n1,\x002\n", "binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "binary"),
        (b"PK\x03\x04\x14\x00\x00\x00", "binary"),
        (b'{"a": [1, 2', "invalid_json"),
        (b'[{"a": 1}, {"a"', "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b"a," * 1_000_000 + b"\n", "too_many_columns"),
        (b"\x1f\x8b\x08broken", "broken_gzip"),
        (gzip.compress(b"a,b\n1,2\n" * 1000)[:30], "broken_gzip"),
    ],
)
def test_what_is_no_text_is_refused_with_a_reason(content, expected):
    assert code(content) == expected


def test_a_gzip_bomb_is_not_expanded(monkeypatch):
    monkeypatch.setattr(document, "MAX_BYTES", 1_000_000)
    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 100_000
    assert code(bomb) == "too_large"
    packer = zlib.compressobj(wbits=31)
    many = packer.compress(b"1" * 900_000) + packer.flush()
    assert code(many * 3) == "too_large"


def test_gzip_with_several_members_is_read():
    assert parse("x", gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n")).tables[0].rows == (("1", "2"),)


def test_too_large(monkeypatch):
    monkeypatch.setattr(document, "MAX_BYTES", 10)
    assert code(b"a,b\n1,2\n3,4\n") == "too_large"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings_and_line_ends(encoding):
    table = parse("x", "name,größe\r\nZürich,1\r\n".encode(encoding)).tables[0]
    assert table.header == ("name", "größe")
    assert table.rows == (("Zürich", "1"),)


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters(delimiter):
    table = parse("x", f"a{delimiter}b\n1{delimiter}2\n".encode()).tables[0]
    assert (table.header, table.rows, table.delimiter) == (("a", "b"), (("1", "2"),), delimiter)


def test_blocks_have_their_own_delimiter_and_lines():
    first, second = parse("x", b"a,b\n1,2\n\n\nc;d\n3;4\n").tables
    assert (first.header_line, first.lines, second.header_line, second.lines) == (1, (2,), 5, (6,))


def test_quoted_newlines_keep_the_line_numbers():
    table = parse("x", b'a,b\n"one\n\ntwo",1\nthree,2\n').tables[0]
    assert table.rows == (("one\n\ntwo", "1"), ("three", "2"))
    assert table.lines == (2, 5)


def test_rows_of_another_width_are_kept_apart():
    table = parse("x", b"a,b\n1,2\n1,2,3\n1\n1,2,,\n").tables[0]
    assert table.rows == (("1", "2"), ("1", "2"))
    assert table.ragged == ((3, 3), (4, 1))


def test_json_lines_and_lists_know_where_records_begin():
    assert parse("x", b'{"a": 1}\n\n{"a": NaN}\n').record_lines == (1, 3)
    listed = parse("x", b'[\n {"a": 1},\n {"a": Infinity, "a": -Infinity}\n]')
    assert listed.records == ({"a": 1}, {"a": None})
    assert listed.record_lines == (2, 3)


def test_a_log_that_begins_with_a_bracket_is_no_broken_json():
    assert parse("x", b"[2026-01-01] started\n[2026-01-01] ended\n").records == ()


def test_a_file_that_the_databases_sniffer_misreads_is_read_right():
    """DuckDB's sniffer takes the two tables for one column of text, and raises nothing."""
    path = FIXTURES / "genai-perf.csv"
    sniffed = duckdb.connect().execute(f"SELECT * FROM read_csv('{path}')").fetchall()
    assert {len(row) for row in sniffed} == {1}
    first, second = parse("x", path.read_bytes()).tables
    assert (len(first.header), first.rows[0][:2]) == (10, ("Time To First Token (ms)", "1,250.50"))
    assert second.rows[0] == ("Output Token Throughput (per sec)", "1,500.00")


@pytest.mark.parametrize(
    ("cell", "comma", "expected"),
    [
        ("32,688.40", False, 32688.4),
        ("1,234", False, 1234.0),
        ("-1.5e3", False, -1500.0),
        (" 7 ", False, 7.0),
        ("0,5", True, 0.5),
        ("1.234,5", True, 1234.5),
        ("-", False, None),
        ("N/A", False, None),
        ("", True, None),
        ("inf", False, None),
        ("NaN", False, None),
    ],
)
def test_numbers(cell, comma, expected):
    assert number(cell, comma) == expected


@pytest.mark.parametrize(
    ("cell", "comma"),
    [
        ("3.18x", False),
        ("0,5", False),
        ("1,23,4", False),
        ("1.5", True),
        ("$4", False),
        ("1_0", False),
        ("1e999", False),
    ],
)
def test_what_is_no_number(cell, comma):
    with pytest.raises(ValueError, match=r".*"):
        number(cell, comma)


@pytest.mark.parametrize(
    ("cells", "delimiter", "expected"),
    [
        (["0,5", "1"], ";", True),
        (["1,234"], ";", True),
        (["1,234"], ",", False),
        (["1,234", "0.5"], ";", False),
        (["1.234,5"], "\t", True),
        (["12", "abc"], ";", False),
    ],
)
def test_decimal_commas_are_told_from_thousands(cells, delimiter, expected):
    assert has_decimal_comma(cells, delimiter) is expected


@pytest.mark.parametrize("content", [b"aa,bb\n" + b"1,2\n" * 50, b'{"a": 1}\n' * 50])
def test_more_lines_than_memory_is_for_are_refused(monkeypatch, content):
    monkeypatch.setattr("data.readers.document.MAX_LINES", 40)
    with pytest.raises(IngestError, match=r"5[01] lines; 40 are read at most"):
        parse("x", content)
