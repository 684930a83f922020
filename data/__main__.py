"""The command line of the data: `python -m data load | map | export | template | columns | withdraw`.

Exit 0: done, or already there. 1: something was refused, or needs an answer. 2: wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from data import bulk, schema
from data.errors import DataError, IngestError, Problem
from data.ingest import Report, inspect, load, withdraw
from data.readers import parts
from data.readers.mapped import ColumnMapping, parse_mapping

_KINDS = {"benchmarks": "benchmark", "operators": "operators"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.run(parser, options))
    except DataError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m data", description="Load, export and withdraw measured data.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    loading = commands.add_parser("load", help="load benchmark or operator files")
    loading.add_argument("files", nargs="+", type=Path, metavar="FILE")
    loading.add_argument("--set", dest="stated", action="append", default=[], metavar="NAME=VALUE", type=_statement)
    loading.add_argument(
        "--map", dest="mapping", type=Path, metavar="JSON", help="what the columns mean of tables that no reader knows"
    )
    loading.add_argument("--dry-run", action="store_true", help="read and check only, and give the rows with --json")
    loading.add_argument("--json", action="store_true", help="print an array with one report a file")
    loading.set_defaults(run=_load)

    mapping = commands.add_parser(
        "map", help="print what an unknown table's columns seem to mean, to correct and --map"
    )
    mapping.add_argument("file", type=Path, metavar="FILE")
    mapping.set_defaults(run=_map)

    exporting = commands.add_parser("export", help="write what is stored")
    exporting.add_argument("what", choices=_KINDS)
    exporting.add_argument("--format", choices=("csv", "json"), default="csv")
    exporting.add_argument("-o", "--output", type=Path, metavar="FILE")
    exporting.set_defaults(run=_export)

    template = commands.add_parser("template", help="print a canonical CSV to fill in")
    template.add_argument("what", choices=_KINDS)
    template.set_defaults(run=_template)

    listing = commands.add_parser("columns", help="print the canonical columns as a markdown table")
    listing.add_argument("what", choices=_KINDS)
    listing.set_defaults(run=_columns)

    withdrawing = commands.add_parser("withdraw", help="stop counting an upload")
    withdrawing.add_argument("upload_id", metavar="ID")
    withdrawing.set_defaults(run=_withdraw)

    for command in (loading, exporting, withdrawing):
        command.add_argument("--db", type=Path, metavar="PATH", help="the store (default: $CROSSOVER_DB, else var/)")
    return parser


def _statement(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    known = [name for names in schema.SETTABLE.values() for name in names]
    if not equals or not value:
        raise argparse.ArgumentTypeError(f"«{text}» is not NAME=VALUE.")
    if name not in known:
        raise argparse.ArgumentTypeError(f"«{name}» is no dimension. {schema.did_you_mean(name, known)}".rstrip())
    return name, value


def _load(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    stated: dict[str, object] = {}
    for name, value in options.stated:
        if stated.setdefault(name, value) != value:
            parser.error(f"{name} is stated twice: {stated[name]} and {value}")
    for path in options.files:
        if not path.is_file():
            parser.error(f"there is no file {path}")
    mapping = _read_mapping(parser, options.mapping) if options.mapping else None
    reports = [report for path in options.files for report in _load_file(path, stated, mapping, options)]
    if options.json:
        print(json.dumps([report.as_dict(options.dry_run) for report in reports], ensure_ascii=False, allow_nan=False))
    else:
        print("\n\n".join(_words(report, options.dry_run) for report in reports))
    return int(any(report.problems or (report.needs and not options.dry_run) for report in reports))


def _read_mapping(parser: argparse.ArgumentParser, path: Path) -> ColumnMapping:
    if not path.is_file():
        parser.error(f"there is no file {path}")
    try:
        return parse_mapping(path.name, path.read_text(encoding="utf-8-sig"))
    except (IngestError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}") from error


def _load_file(
    path: Path, stated: dict[str, object], mapping: ColumnMapping | None, options: argparse.Namespace
) -> list[Report]:
    """Return one report a file: an archive of several files that readers know gives one for each."""
    if not options.dry_run and bulk.find_layout(path.name, path) is not None:
        return [_load_part(path.name, path, stated, mapping, options)]  # too large a table to be held in memory
    found = parts(path.name, path.read_bytes())
    return [_load_part(name, content, stated, mapping, options) for name, content in found]


def _load_part(
    name: str,
    content: bytes | Path,
    stated: dict[str, object],
    mapping: ColumnMapping | None,
    options: argparse.Namespace,
) -> Report:
    if options.dry_run and isinstance(content, bytes):
        return inspect(name, content, stated, mapping)
    from data.store import open_store  # a dry run needs no database

    try:
        return load(open_store(options.db), name, content, stated, mapping=mapping)
    except DataError as error:
        problem = Problem(name, None, None, "store", str(error))
        report = Report(name, "") if isinstance(content, Path) else inspect(name, content, stated, mapping)
        return replace(report, rows_loaded=0, rows=[], problems=(*report.problems, problem))


def _words(report: Report, dry_run: bool) -> str:
    """Return a report as a short block of text."""
    done = "already loaded" if report.duplicate else f"{report.rows_loaded} {'would load' if dry_run else 'loaded'}"
    lines = [
        f"{report.file}: {report.format or 'not recognised'}, {report.rows_read} rows read, {done}, "
        f"{report.rows_refused} refused, sha256 {report.sha256[:12]}"
    ]
    if report.upload_id:
        lines.append(f"  upload {report.upload_id}")
    if report.needs:
        lines.append(f"  not said in the file: {', '.join(report.needs)} (state each with --set NAME=VALUE)")
    lines += [f"  refused: {problem}" for problem in report.problems]
    if report.format == "mapping":
        lines.append(f"  to load it: `python -m data map {report.file}` prints a mapping to complete, then --map it")
    lines += [f"  note: {warning}" for warning in report.warnings]
    return "\n".join(lines)


def _map(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from data.sketches import sketch

    if not options.file.is_file():
        parser.error(f"there is no file {options.file}")
    found = sketch(options.file.name, options.file.read_bytes())
    if found is None:
        raise DataError(f"{options.file.name} needs no mapping, or is not one table: try `load --dry-run`.")
    columns = {guess.label: {"name": guess.name, "unit": guess.unit} for guess in found.guesses}
    print(json.dumps({"columns": columns, "values": {}}, ensure_ascii=False, indent=1))
    return 0


def _export(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from data import export
    from data.store import open_store, store_path

    if not store_path(options.db).exists():
        parser.error(f"there is no store at {store_path(options.db)}")
    kind = _KINDS[options.what]
    rows = export.rows(open_store(options.db), kind)
    text = export.as_json(rows) if options.format == "json" else export.as_csv(rows, kind)
    if options.output is None:
        print(text, end="")
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


def _template(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from data import export

    print(export.template(_KINDS[options.what]), end="")
    return 0


def _columns(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    print(schema.markdown(_KINDS[options.what]))
    return 0


def _withdraw(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from data.store import open_store

    withdraw(open_store(options.db), options.upload_id)
    print(f"Upload {options.upload_id} is withdrawn.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
