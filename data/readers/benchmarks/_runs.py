"""What readers of benchmark results share: a mapping from a tool's keys to canonical columns, and the runs under it.

A reader of a JSON format is mostly such a mapping. A key is a path through nested objects, its parts split by «/»; the
factor turns the tool's unit into the canonical one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import pandas as pd

from data import schema
from data.errors import IngestError, Problem
from data.readers.cells import numbers
from data.readers.columns import Columns
from data.readers.document import Document
from data.readers.reading import Grid, Reading, check_headers, grid

Source = tuple[str, float]
Fields = Mapping[str, Source | tuple[Source, ...]]
Texts = Mapping[str, str | tuple[str, ...]]
Record = Mapping[str, object]

PERCENTILES = {name: name for name in ("p50", "p90", "p95", "p99")}
MEAN_AND_PERCENTILES = {"mean": "mean"} | PERCENTILES
SECONDS = 1000.0  # factor to milliseconds
FEW = 10
_NEAR = 0.01
_SHORT = 0.7
_FAR = 20  # less may be a short run or a short answer, a wrong unit is a thousand-fold
_LATENCIES = [column.name for column in schema.LATENCY_COLUMNS]
_NEVER_ZERO = [column.name for column in schema.LATENCY_COLUMNS if column.above]
_MAX_NAME = 300
_EPOCH = (1e9, 4e9)
_PRECISION = re.compile(r"(?<![a-z0-9])(fp8|fp16|bf16|mxfp4|nvfp4|fp4|int8|int4|fp32)(?![a-z0-9])", re.IGNORECASE)


def latencies(
    pattern: str, metrics: Mapping[str, str], statistics: Mapping[str, str], factor: float = 1.0
) -> dict[str, Source]:
    """Return the sources of latencies whose keys follow a pattern with `{metric}` and `{statistic}` in it."""
    return {
        f"{name}_ms_{statistic}": (pattern.format(metric=metric, statistic=word), factor)
        for name, metric in metrics.items()
        for statistic, word in statistics.items()
    }


def first_of(*fields: Mapping[str, Source]) -> dict[str, tuple[Source, ...]]:
    """Return fields that take each value from the first of several sources that has it."""
    names = dict.fromkeys(name for mapping in fields for name in mapping)
    return {name: tuple(mapping[name] for mapping in fields if name in mapping) for name in names}


def dig(record: object, path: str) -> object:
    """Return what stands at a path of nested objects, None where there is nothing."""
    for key in path.split("/"):
        record = record.get(key) if isinstance(record, dict) else None
    return record


def any_record(document: Document, telling: Callable[[Record], bool]) -> bool:
    """Tell whether the file is JSON objects and one of the first is `telling`."""
    return any(telling(record) for record in document.objects[:50])


def precision_of(text: object) -> str | None:
    """Return the number format that stands as a word of its own in a name such as «GLM-5-FP8»."""
    match = _PRECISION.search(text) if isinstance(text, str) else None
    return match[1].lower() if match else None


def moment(value: object) -> object:
    """Return a time in seconds since 1970 as ISO text, anything else as it is."""
    if isinstance(value, (int, float)) and _EPOCH[0] < value < _EPOCH[1]:
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds")
    return value


def element_lines(document: Document, key: str, count: int) -> tuple[int, ...]:
    """Return the lines on which the elements under `key` begin, the file's first where that is not clear."""
    lines = []
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    match = re.search(rf'"{re.escape(key)}"\s*:\s*\[', document.text)
    position = match.end() if match else 0
    line, last = 1, 0
    try:
        for _ in range(count):
            while document.text[position] in " \n\t,":
                position += 1
            line += document.text.count("\n", last, position)
            last = position
            lines.append(line)
            _, position = decoder.raw_decode(document.text, position)
    except (ValueError, IndexError, RecursionError):
        return (document.record_lines[0],) * count
    return tuple(lines)


def element_records(document: Document, key: str, hint: str = "") -> tuple[list[dict[str, object]], tuple[int, ...]]:
    """Return the runs in the list under `key` of every object, each with the rest of its file under «report»."""
    records: list[dict[str, object]] = []
    lines: list[int] = []
    for report, line in zip(document.objects, document.record_lines, strict=True):
        elements = report.get(key)
        if not isinstance(elements, list) or not all(isinstance(element, dict) for element in elements):
            message = f"«{key}» is not a list of objects."
            problem = Problem(document.file, line, key, "bad_schema", message, hint or "Export the report again.")
            raise IngestError([problem])
        rest = {name: value for name, value in report.items() if name != key}
        records += [{**element, "report": rest} for element in elements]
        many = len(document.objects) > 1
        lines += [line] * len(elements) if many else element_lines(document, key, len(elements))
    return records, tuple(lines)


class Runs(Columns):
    """Collect the runs of one file under canonical names, with what there is to say about them."""

    def __init__(
        self, document: Document, tool: str, records: Sequence[Record] | None = None, lines: tuple[int, ...] = ()
    ) -> None:
        warnings: list[Problem] = []
        if records is None and document.tables:
            cells = grid(document)
            assert cells is not None  # recognise() has seen a table
            warnings += check_headers(document.file, cells)
            names = list(map(str, cells.frame))
            rows = cells.frame.itertuples(index=False, name=None)
            records = [dict(zip(names, row, strict=True)) for row in rows]
        else:
            records = document.objects if records is None else records
            cells = Grid(pd.DataFrame(index=pd.RangeIndex(len(records))), lines or document.record_lines, None)
        self.records: Sequence[Record] = records
        super().__init__(document.file, tool, cells, pd.DataFrame(index=cells.frame.index), {}, warnings, [])

    def raw(self, path: str) -> pd.Series:
        """Return what stands at a path in each run, as it stands."""
        return pd.Series([dig(record, path) for record in self.records], index=self.frame.index, dtype=object)

    def number(self, path: str) -> pd.Series:
        """Return the numbers at a path that is no canonical column; what is no number is unknown."""
        return numbers(self.raw(path), path, self.cells.decimal_comma)[0]

    def take(self, fields: Fields) -> None:
        """Fill numeric columns; of several sources the first that has a value counts, run by run."""
        for name, sources in fields.items():
            column = pd.Series(float("nan"), index=self.frame.index)
            for path, factor in (sources,) if isinstance(sources[0], str) else sources:
                raw = self.raw(path).where(column.isna(), None)
                if raw.isna().all():
                    continue
                values, refused = numbers(raw, name, self.cells.decimal_comma)
                column = column.where(column.notna(), values * factor)
                self.refusals += refused
                self.headers.setdefault(name, path)
            self.put(name, column)

    def take_texts(self, texts: Texts) -> None:
        """Fill text columns; times in seconds since 1970 become dates."""
        for name, paths in texts.items():
            column = pd.Series(None, index=self.frame.index, dtype=object)
            for path in (paths,) if isinstance(paths, str) else paths:
                raw = self.raw(path)
                if raw.notna().any():
                    self.headers.setdefault(name, path)
                column = column.where(column.notna(), raw)
            self.put(name, column.map(moment, na_action="ignore") if name == "measured_at" else column.map(_short))

    def put(self, name: str, values: pd.Series) -> None:
        """Fill the gaps of a column, or add it."""
        if values.notna().any():
            known = self.frame.get(name)
            self.frame[name] = values if known is None else known.where(known.notna(), values)

    def follow(self, name: str, values: pd.Series) -> None:
        """Derive a column that the file does not hold from others; where it holds some of it, leave it."""
        if name not in self.frame and values.notna().any():
            self.derive(name, values)

    def get(self, name: str) -> pd.Series:
        """Return a numeric column, unknown throughout where there is none."""
        return self.frame[name] if name in self.frame else pd.Series(float("nan"), index=self.frame.index)

    def drop(self, names: Sequence[str], rows: pd.Series) -> None:
        """Make columns unknown in some runs."""
        for name in names:
            if name in self.frame:
                self.frame[name] = self.frame[name].where(~rows)

    def remark(self, rows: pd.Series, code: str, message: str, hint: str = "", column: str | None = None) -> None:
        """Remark something about some of the runs, naming the first of them; nothing where there is none."""
        if rows.any():
            count = f" ({int(rows.sum())} of {len(rows)} rows)" if len(rows) > 1 else ""
            self.warn(code, f"{message}{count}.", hint, column, int(rows.to_numpy().argmax()))

    def means(self, asked: str = "num_prompts") -> None:
        """Derive mean lengths from totals, and failed requests from those asked for and those completed."""
        super().means()
        wanted = self.number(asked)
        self.follow("failed", (wanted - self.get("completed")).where(wanted >= self.get("completed")))

    def remark_few(self, counts: pd.Series, what: str, minimum: int = FEW) -> None:
        """Remark runs that rest on few measurements."""
        few = counts < minimum
        fewest = int(counts[few].min()) if few.any() else 0
        message = f"Only {fewest} {what}: chance may make as large a difference as a platform"
        self.remark(few, "few_measurements", message, "Measure more often.")

    def reading(self) -> Reading:
        """Return the runs, without latencies that cannot be what they are called."""
        self._leave_out_zeros()
        self._leave_out_wrong_units()
        self._remark_time_per_token()
        return super().reading()

    def _leave_out_zeros(self) -> None:
        """Empty latencies of 0 where a request took no time: nothing was measured, and it must not win."""
        zero = pd.concat([self.get(name) == 0 for name in _NEVER_ZERO], axis=1).any(axis=1)
        for name in _LATENCIES:
            self.drop([name], zero & (self.get(name) == 0))
        message = "A latency of 0 measures nothing: it is left out"
        self.remark(zero, "latency_zero", message, "Look whether the requests succeeded.")

    def _leave_out_wrong_units(self) -> None:
        """Empty latencies that are a thousand-fold off: seconds under a name that says milliseconds, or the reverse."""
        tokens = self.get("output_tokens") * self.get("tpot_ms_mean").fillna(self.get("itl_ms_mean"))
        short = self.get("e2e_ms_mean") * _FAR < self.get("ttft_ms_mean").fillna(0) + tokens.fillna(0)
        for statistic in MEAN_AND_PERCENTILES:
            short |= self.get(f"e2e_ms_{statistic}") * 2 < self.get(f"ttft_ms_{statistic}")
        self.drop([name for name in _LATENCIES if name.startswith("e2e")], short)
        message = "The whole request takes far less than its tokens: its latency is not in the unit it says; not loaded"
        column = self.headers.get("e2e_ms_mean")
        self.remark(short, "unit_doubtful", message, "Correct it in a copy of the file.", column)
        limit = SECONDS * _FAR * self.get("duration_s")
        long = pd.concat([self.get(name) > limit for name in ("e2e_ms_mean", "e2e_ms_p50")], axis=1).any(axis=1)
        self.drop(_LATENCIES, long)
        message = "A request takes far longer than the run: the latencies are not in the unit they say; none is loaded"
        self.remark(long, "unit_doubtful", message, "Correct them in a copy of the file.")

    def _remark_time_per_token(self) -> None:
        """Remark a time per token that holds the first token, or that counted chunks as tokens."""
        each, tokens, whole = self.get("tpot_ms_mean"), self.get("output_tokens"), self.get("e2e_ms_mean")
        prefill = (each * tokens / whole - 1).abs() < _NEAR
        message = "The time per output token is latency ÷ tokens: it holds the first token"
        self.remark(prefill, "tpot_holds_prefill", message, "Compare the inter-token latency.")
        short = self.get("ttft_ms_mean") + each * (tokens - 1) < _SHORT * whole
        message = "First token + time per token × tokens is far below the latency: the time per token is too short"
        self.remark(short, "tpot_too_short", message, "Chunks may have been counted as tokens; trust the latency.")


def _short(value: object) -> object:
    """Cut a text that is longer than a name."""
    return f"{value[:_MAX_NAME]}…" if isinstance(value, str) and len(value) > _MAX_NAME else value
