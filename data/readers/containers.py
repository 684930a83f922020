"""Take files out of what holds them: gzip, zip, Excel workbooks, Parquet. Bounded, in memory, no path is followed.

A part is (name, content); its name is for people only. A sheet and a Parquet table become CSV, row n on line n.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from data.errors import IngestError, Problem
from data.readers import document, parquet, workbook

Part = tuple[str, bytes]
MAX_MEMBERS = 1_000
_MAX_EXPORTED = 20_000  # an exported model has a member a weight
_MAX_XML = 32_000_000
_MAX_DEPTH = 2
_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others expand without a bound
_DAMAGE = (  # what reading a damaged zip raises
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


@dataclass(slots=True)
class _Room:
    """Count what may still be expanded, of everything in one upload together."""

    total: int
    xml: int

    def take(self, file: str, size: int) -> None:
        """Take room away; raise IngestError where there is none left."""
        self.total -= size
        if self.total < 0:
            raise _too_large(file)


def unpack(file: str, content: bytes) -> tuple[Part, ...]:
    """Return the files in `content`, itself where it holds no others; raise IngestError where it is damaged."""
    return tuple(_unpack(file, content, 0, _Room(document.MAX_BYTES, _MAX_XML)))


def _unpack(file: str, content: bytes, depth: int, room: _Room) -> list[Part]:
    packed, content = content, document.gunzip(file, content)
    if depth and content is not packed:
        room.take(file, len(content))
    if content.startswith(_PARQUET) and content.endswith(_PARQUET) and len(content) > 12:
        return [(file, _parquet(file, content, room))]
    if not content.startswith(_ZIP):
        return [(file, content)]
    if depth == _MAX_DEPTH:
        raise _refuse(file, "nested_archive", "Archives are packed in archives in archives.", "Unpack it first.")
    try:
        return _from_zip(file, content, depth, room)
    except _DAMAGE as error:
        raise _refuse(file, "broken_archive", f"The archive is damaged ({error}).", "Pack the files again.") from error


def _refuse(file: str, code: str, message: str, hint: str = "") -> IngestError:
    return IngestError([Problem(file, None, None, code, message, hint)])


def _from_zip(file: str, content: bytes, depth: int, room: _Room) -> list[Part]:
    # Counted before the archive is opened, which reads the whole list of members.
    most = _MAX_EXPORTED if b"/archive_format" in content else MAX_MEMBERS
    if content.count(b"PK\x01\x02") > most:
        raise _refuse(file, "too_many_files", f"The archive holds more than {most} files.", "Pack fewer.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {member.filename: member for member in archive.infolist()}
        if "xl/workbook.bin" in members:
            raise _refuse(file, "binary", "This is a binary workbook (.xlsb).", "Save it as .xlsx or CSV.")
        if "xl/workbook.xml" in members:
            return _from_workbook(file, archive, members, room)
        parts: list[Part] = []
        for member in _graphs_of_export(members).values():
            if member.filename.endswith("/") or _is_litter(member.filename):
                continue
            inner = _expand(file, archive, member, room.total)
            room.take(file, len(inner))
            parts += _unpack(f"{file}/{PurePosixPath(member.filename).name}", inner, depth + 1, room)
        if not parts:
            raise _refuse(file, "empty_file", "The archive holds no file.", "Pack the files again.")
        return parts


def _graphs_of_export(members: dict[str, zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the graphs of a torch.export archive, of any other all members: beside graphs lie weights and pickles."""
    if not any(PurePosixPath(name).name in ("archive_format", "serialized_exported_program.json") for name in members):
        return members
    graphs = ("*/models/*.json", "models/*.json", "serialized_exported_program.json")
    return {name: member for name, member in members.items() if any(map(PurePosixPath(name).match, graphs))}


def _is_litter(name: str) -> bool:
    """Tell whether a member is one that operating systems add."""
    path = PurePosixPath(name)
    return path.name.startswith((".", "~$")) or "__MACOSX" in path.parts


def _expand(file: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int) -> bytes:
    """Return the content of a member, never more than `room` bytes, whatever the archive says of its size."""
    if member.flag_bits & 1:
        raise _refuse(file, "encrypted", "The archive is locked with a password.", "Unlock it first.")
    if member.compress_type not in _METHODS:
        raise _refuse(file, "broken_archive", "The archive is packed by an unusual method.", "Pack it as plain zip.")
    if member.file_size > room:
        raise _too_large(file)
    with archive.open(member) as stream:
        content = stream.read(room + 1)
    if len(content) > room:
        raise _too_large(file)
    return content


def _too_large(file: str) -> IngestError:
    message = f"What is packed in it is more than {document.MAX_BYTES // 1_000_000} MB."
    return _refuse(file, "too_large", message, "Load the files one by one, or as CSV.")


def _from_workbook(file: str, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], room: _Room) -> list[Part]:
    def read(part: str) -> bytes | None:
        if part not in members:
            return None
        content = _expand(file, archive, members[part], min(room.total, room.xml))
        room.xml -= len(content)
        room.take(file, len(content))
        return content

    try:
        found = workbook.sheets(read)
    except workbook.WorkbookError as error:
        raise _refuse(file, "broken_workbook", str(error), "Save it as CSV.") from error
    if not found:
        raise _refuse(file, "empty_file", "The workbook has no visible sheet with cells.", "Export it again.")
    return [(file if len(found) == 1 else f"{file}/{name}", text.encode()) for name, text in found]


def _parquet(file: str, content: bytes, room: _Room) -> bytes:
    try:
        text = parquet.as_csv(content).encode("utf-8", "replace")
    except parquet.ParquetError as error:
        raise _refuse(file, "broken_parquet", str(error), "Write it again, or as CSV.") from error
    room.take(file, len(text))
    return text
