"""Files inside other files: taken out in memory, within bounds, or refused with a reason."""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import FIXTURES

from data.ingest import inspect
from data.readers import containers, document, parquet, parts, workbook

CSV = (FIXTURES / "crossover-csv.csv").read_bytes()
NOTES = b"nothing to see\n"
BOOK = '<workbook xmlns:r="x"><workbookPr/><sheets>{}</sheets></workbook>'
RELATIONS = "<Relationships>{}</Relationships>"
STYLES = (
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/>'
    '<numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
    '<xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>'
)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def xlsx(sheets: dict[str, str], strings: str = "<sst/>", hidden: tuple[str, ...] = ()) -> bytes:
    listed = "".join(
        f'<sheet name="{name}" r:id="r{i}"{" state=" + chr(34) + "hidden" + chr(34) if name in hidden else ""}/>'
        for i, name in enumerate(sheets)
    )
    targets = "".join(f'<Relationship Id="r{i}" Target="worksheets/s{i}.xml"/>' for i in range(len(sheets)))
    parts = {"xl/workbook.xml": BOOK.format(listed), "xl/_rels/workbook.xml.rels": RELATIONS.format(targets)}
    parts |= {"xl/sharedStrings.xml": strings, "xl/styles.xml": STYLES}
    parts |= {f"xl/worksheets/s{i}.xml": xml for i, xml in enumerate(sheets.values())}
    return zipped({name: part.encode() for name, part in parts.items()})


def sheet(rows: list[list[object]], first: int = 1) -> str:
    def cell(value: object) -> str:
        if isinstance(value, str) and not value.startswith("<c"):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return value if isinstance(value, str) else f"<c><v>{value}</v></c>"

    lines = "".join(f'<row r="{first + i}">{"".join(map(cell, row))}</row>' for i, row in enumerate(rows) if row)
    return f"<worksheet><sheetData>{lines}</sheetData></worksheet>"


def from_csv(content: bytes) -> list[list[object]]:
    def value(text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text

    return [[value(text) for text in line.split(",")] for line in content.decode().splitlines()]


def codes(content: bytes) -> list[str]:
    report = inspect("x", content)
    assert report.rows == []
    return [problem.code for problem in report.problems]


def comparable(content: bytes) -> list[dict[str, object]]:
    return inspect("x", content).rows


def test_a_workbook_reads_like_its_csv():
    assert comparable(xlsx({"Runs": sheet(from_csv(CSV))})) == comparable(CSV)


def test_blank_rows_part_the_tables_of_a_sheet():
    rows = [
        [cell.replace('"', "") for cell in line.split(",")]
        for line in (FIXTURES / "genai-perf.csv").read_text().replace('"', "").splitlines()
    ]
    plain = [list(row) if any(row) else [] for row in rows]
    text = "\n".join(",".join(row) for row in plain).encode()
    assert comparable(xlsx({"a": sheet(plain)})) == comparable(text)


def test_the_sheet_that_is_known_is_read_and_the_others_are_named():
    report = inspect("b.xlsx", xlsx({"Notes": sheet([["x"], ["y"]]), "Runs": sheet(from_csv(CSV))}))
    assert len(report.rows) == 2
    assert [w.message for w in report.warnings if w.code == "part_left_out"] == [
        "«Notes» is left out: no reader knows it."
    ]


def test_several_known_sheets_are_parts():
    content = xlsx({"A": sheet(from_csv(CSV)), "B": sheet(from_csv(CSV)), "Old": sheet(from_csv(CSV))}, hidden=("Old",))
    assert codes(content) == ["several_files"]
    assert [name for name, _ in parts("b.xlsx", content)] == ["b.xlsx/A", "b.xlsx/B"]
    assert all(len(inspect(name, part).rows) == 2 for name, part in parts("b.xlsx", content))


def test_cells_of_every_kind():
    strings = "<sst><si><r><t>mod</t></r><r><t>el</t></r><rPh><t>x</t></rPh></si><si><t>a&#10;b</t></si></sst>"
    cells = [
        '<c t="s"><v>0</v></c>',
        '<c r="C1" t="b"><v>1</v></c>',
        '<c t="n" s="1"><v>45901</v></c>',
        '<c s="2"><v>45901.5</v></c>',
        '<c s="3"><v>5</v></c>',
        "<c><f>A1+1</f></c>",
        "<c><f>A1</f><v>2</v></c>",
        '<c t="s"><v>1</v></c>',
        '<c t="e"><v>#N/A</v></c>',
    ]
    ((_, content),) = containers.unpack("b", xlsx({"A": sheet([cells])}, strings))
    dates = '"2025-09-01T00:00:00","2025-09-01T12:00:00"'
    assert content.decode() == f'"model","","true",{dates},"5","=A1+1","2","a b","#N/A"\n'


def test_rows_keep_their_numbers():
    content = xlsx({"A": sheet(from_csv(CSV), first=4)})
    assert [row["source_line"] for row in comparable(content)] == [5, 6]


def test_a_formula_without_a_result_refuses_its_row():
    rows = from_csv(CSV)
    rows[1][7] = "<c><f>1+1</f></c>"
    report = inspect("x", xlsx({"A": sheet(rows)}))
    assert (len(report.rows), report.problems[0].code, report.problems[0].line) == (1, "not_a_number", 2)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (xlsx({"A": "<worksheet><row><c"}), "broken_workbook"),
        (xlsx({"A": '<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>'}), "broken_workbook"),
        (xlsx({"A": sheet([['<c t="s"><v>7</v></c>']])}), "broken_workbook"),
        (xlsx({"A": "<worksheet/>"}), "empty_file"),
        (xlsx({"A": "<worksheet>" + "<row>" * 60}), "broken_workbook"),
        (zipped({"xl/workbook.bin": b"x"}), "binary"),
        (zipped({"__MACOSX/._a": b"x", ".DS_Store": b"x"}), "empty_file"),
        (zipped({"a.csv": CSV}, zipfile.ZIP_LZMA), "broken_archive"),
        (zipped({"a.zip": zipped({"b.zip": zipped({"c.csv": CSV})})}), "nested_archive"),
        (zipped({"a.csv": CSV})[:-30], "broken_archive"),
        (b"PK\x03\x04" + b"junk" * 20, "broken_archive"),
        (zipped({f"{i}": b"" for i in range(1001)}), "too_many_files"),
        (b"PAR1" + b"x" * 20 + b"PAR1", "broken_parquet"),
    ],
)
def test_what_cannot_be_taken_out_is_refused_with_a_reason(content, code):
    assert codes(content) == [code]


def test_bombs_are_not_expanded(monkeypatch):
    monkeypatch.setattr(document, "MAX_BYTES", 1_000_000)
    assert codes(zipped({"a.csv": b"0" * 5_000_000})) == ["too_large"]
    assert codes(zipped({f"{i}.csv": b"0" * 600_000 for i in range(2)})) == ["too_large"]
    assert codes(zipped({f"{i}.gz": gzip.compress(b"0" * 600_000) for i in range(2)})) == ["too_large"]
    assert codes(xlsx({"A": sheet([["x" * 2_000_000]])})) == ["too_large"]
    understated = bytearray(zipped({"a.csv": b"0" * 5_000_000}))
    at = understated.rindex(b"PK\x01\x02") + 24
    understated[at : at + 4] = (10).to_bytes(4, "little")
    assert codes(bytes(understated))[0] in ("broken_archive", "too_large")


def test_workbooks_of_too_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(workbook, "MAX_CELLS", 50)
    assert codes(xlsx({"A": sheet([[1.0] * 10] * 6)})) == ["broken_workbook"]
    wide = [['<c r="XFD1"><v>1</v></c>'], ["a"]]
    assert codes(xlsx({"A": sheet(wide)})) == ["broken_workbook"]


def test_a_zip_of_one_known_file():
    content = zipped({"../../evil/runs.csv": CSV, "README.txt": NOTES, "chart.png": b"\x89PNG\r\n\x1a\n\x00\x00"})
    report = inspect("x.zip", content)
    assert (report.format, len(report.rows)) == ("crossover-csv", 2)
    assert sum(warning.code == "part_left_out" for warning in report.warnings) == 2


def test_a_zip_of_several_known_files_gives_parts():
    content = zipped({"a/one.csv": CSV, "a/two.json.gz": gzip.compress((FIXTURES / "vllm-serve.json").read_bytes())})
    assert codes(content) == ["several_files"]
    found = parts("x.zip", content)
    assert [name for name, _ in found] == ["x.zip/one.csv", "x.zip/two.json.gz"]
    assert [inspect(name, part).format for name, part in found] == ["crossover-csv", "vllm-serve"]
    assert parts("x", CSV) == [("x", CSV)]
    assert parts("x", b"PK\x03\x04junk") == [("x", b"PK\x03\x04junk")]


def test_a_gzipped_workbook_and_a_workbook_in_a_zip():
    book = xlsx({"A": sheet(from_csv(CSV))})
    assert len(comparable(gzip.compress(book))) == len(comparable(zipped({"b.xlsx": book}))) == 2


def test_parquet_reads_like_its_csv(tmp_path):
    frame = pd.read_csv(io.BytesIO(CSV), parse_dates=["measured_at"], date_format="ISO8601")
    frame.to_parquet(tmp_path / "x.parquet")
    assert comparable((tmp_path / "x.parquet").read_bytes()) == comparable(CSV)


def test_a_parquet_file_of_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MAX_CELLS", 100)
    pd.DataFrame({"a": [1] * 101}).to_parquet(tmp_path / "x.parquet")
    assert codes((tmp_path / "x.parquet").read_bytes()) == ["broken_parquet"]


def test_a_long_text_in_every_row_of_a_parquet_file_is_not_repeated(tmp_path):
    texts = pa.DictionaryArray.from_arrays(np.zeros(5_000, dtype="int32"), pa.array(["y" * 1_000_000]))
    pq.write_table(pa.table({"a": texts}), tmp_path / "x.parquet", compression="zstd", store_schema=False)
    content = (tmp_path / "x.parquet").read_bytes()
    assert (len(content) < 100_000, codes(content)) == (True, ["broken_parquet"])


def test_nested_columns_of_a_parquet_file_are_left_out(tmp_path):
    frame = pd.read_csv(io.BytesIO(CSV))
    frame.insert(0, "requests", [[1, 2], [3]])
    frame.to_parquet(tmp_path / "x.parquet")
    assert len(comparable((tmp_path / "x.parquet").read_bytes())) == 2


def test_a_zip_of_unknown_tables_goes_to_the_mapping():
    report = inspect("x.zip", zipped({"a.csv": b"a,b\n1,2\n", "b.txt": NOTES}))
    assert (report.format, report.rows_read) == ("mapping", 1)
