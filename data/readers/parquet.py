"""Read a Parquet table as CSV text, with bounded time and memory. Nested columns are left out: no metric is one.

Texts stay in the file's dictionaries until a row is written, as one long text may stand in every row.
"""

from __future__ import annotations

import csv
import io
from typing import Any

MAX_CELLS = 5_000_000
MAX_BYTES = 64_000_000
MAX_TEXT = 100_000_000
_ROWS = 10_000


class ParquetError(Exception):
    """Report that a Parquet file cannot be read; the message is written for a user."""


def as_csv(content: bytes) -> str:
    """Return the table as CSV, row n on line n + 1; raise ParquetError where it is damaged or too large."""
    import pyarrow as pa

    try:
        return _as_csv(content)
    except (pa.ArrowException, ValueError, OSError, OverflowError, LookupError, NotImplementedError) as error:
        raise ParquetError(f"The Parquet file cannot be read ({str(error)[:200]}).") from error


def _as_csv(content: bytes) -> str:
    import pyarrow.parquet as pq

    flat = [field for field in pq.ParquetFile(io.BytesIO(content)).schema_arrow if _is_flat(field.type)]
    texts = [field.name for field in flat if _is_text(field.type)]
    table = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts)
    metadata = table.metadata
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if size > MAX_BYTES or metadata.num_rows * max(1, len(flat)) > MAX_CELLS:
        raise ParquetError(f"The Parquet file has more than {MAX_CELLS:,} cells or {MAX_BYTES // 1_000_000} MB.")
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    names = [field.name for field in flat]
    writer.writerow(map(_cell, names))
    for batch in table.iter_batches(batch_size=_ROWS, columns=names):
        for row in zip(*map(_cells, batch.columns), strict=True):
            writer.writerow(row)
            if out.tell() > MAX_TEXT:
                raise ParquetError("The Parquet file holds more text than a table of results has.")
    return out.getvalue()


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _is_flat(kind: Any) -> bool:
    import pyarrow as pa

    return bool(_is_text(kind) or pa.types.is_primitive(kind) or pa.types.is_decimal(kind))


def _cells(column: Any) -> list[str]:
    """Return the cells of a column of a batch; a text of its dictionary is one object, however often it stands."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return [_cell(value) for value in column.to_pylist()]
    known = [_cell(value) for value in column.dictionary.to_pylist()]
    return ["" if place is None else known[place] for place in column.indices.to_pylist()]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    isoformat = getattr(value, "isoformat", None)
    return " ".join(str(isoformat() if isoformat is not None else value).splitlines())
