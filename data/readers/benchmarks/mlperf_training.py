"""The log of an MLPerf training run: lines `:::MLLOG {json}`. The result is the time from run_start to run_stop."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pandas as pd

from data.errors import IngestError, Problem
from data.readers.cells import show
from data.readers.chips import chip_in, platform
from data.readers.document import Document
from data.readers.reading import Reading

ID = "mlperf-training"
KIND = "benchmark"
_LINE = re.compile(r":::MLLOG\s+(\{.*)")
_SETTINGS = {"submission_benchmark": "model", "global_batch_size": "batch_size"}
_KEPT = {*_SETTINGS, "submission_platform"}


@dataclass(slots=True)
class _Log:
    """Collect what the lines say: settings once, however many ranks repeat them, and a run a start."""

    said: dict[str, object] = field(default_factory=dict)
    start: tuple[float, int] | None = None
    rows: list[dict[str, object]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def recognise(document: Document) -> bool:
    """Tell whether a line is one of MLPerf's logging library that tells when a run began or ended."""
    return ":::MLLOG" in document.text and re.search(r":::MLLOG\s+\{.*\"run_(start|stop)\"", document.text) is not None


def read(document: Document) -> Reading:
    """Return a run for each start with its stop; initialisation before the start does not count."""
    log = _Log()
    broken: list[int] = []
    for number, record in _records(document.text):
        if record is None:
            broken.append(number)
        else:
            _take(document.file, log, number, record)
    if log.start is not None:
        message = "The run that begins here has no run_stop: the log ends before it."
        log.problems.append(Problem(document.file, log.start[1], "run_stop", "no_end", message, "Copy the whole log."))
    if not log.rows:
        message = "The log holds no run with a run_start and a run_stop."
        none = Problem(document.file, None, None, "no_rows", message, "Copy the whole log.")
        raise IngestError(log.problems or [none])
    frame = pd.DataFrame([row | _device(log.said) | {"tool": ID} for row in log.rows], dtype=object)
    derived = dict.fromkeys(("time_to_train_s", "measured_at", "accelerator", "platform"), "derived")
    warnings = _warnings(document.file, log.said, broken)
    return Reading(frame, tuple(log.lines), problems=tuple(log.problems), warnings=warnings, provenance=derived)


def _records(text: str) -> Iterator[tuple[int, dict[str, object] | None]]:
    """Yield line number and record of each line of the library, None where it is damaged."""
    for number, line in enumerate(text.split("\n"), 1):
        match = _LINE.search(line)
        if match is None:
            continue
        try:
            record, _ = json.JSONDecoder(parse_constant=lambda _: None).raw_decode(match[1])
        except (ValueError, RecursionError):
            record = None
        yield number, record if isinstance(record, dict) else None


def _take(file: str, log: _Log, line: int, record: dict[str, object]) -> None:
    key, moment = record.get("key"), record.get("time_ms")
    if key == "run_start":
        log.start = (_milliseconds(file, line, moment), line)
    elif key == "run_stop" and log.start is not None:
        metadata = record.get("metadata")
        status = metadata.get("status") if isinstance(metadata, dict) else None
        started, began_on = log.start
        log.start = None
        if status not in ("success", None):
            message = f"The run ended with status {show(status)}: it did not reach the target."
            log.problems.append(Problem(file, line, "status", "run_not_valid", message, "There is no time to train."))
            return
        seconds = (_milliseconds(file, line, moment) - started) / 1e3
        settings = {name: log.said.get(key) for key, name in _SETTINGS.items()}
        log.rows.append({"time_to_train_s": seconds, "measured_at": _moment(started)} | settings)
        log.lines.append(began_on)
    elif isinstance(key, str) and key in _KEPT:
        log.said.setdefault(key, record.get("value"))


def _milliseconds(file: str, line: int, moment: object) -> float:
    if isinstance(moment, (int, float)) and not isinstance(moment, bool) and abs(moment) < 1e15:
        return float(moment)
    message = f"{show(moment)} is no time in milliseconds."
    raise IngestError([Problem(file, line, "time_ms", "not_a_number", message, "Copy the log again.")])


def _moment(milliseconds: float) -> str | None:
    return datetime.fromtimestamp(milliseconds / 1e3, UTC).isoformat() if 1e12 < milliseconds < 4e12 else None


def _device(said: dict[str, object]) -> dict[str, object]:
    """Return chip and platform where the name of the submission's platform holds a known chip."""
    name = said.get("submission_platform")
    chip = chip_in(name) if isinstance(name, str) else None
    return {"accelerator": chip, "platform": platform(chip)} if chip else {}


def _warnings(file: str, said: dict[str, object], broken: list[int]) -> tuple[Problem, ...]:
    found = []
    if broken:
        message = f"{len(broken)} lines of the log are damaged and left out."
        found.append(Problem(file, broken[0], None, "broken_line", message, "Copy the log again if it was cut."))
    name = said.get("submission_platform")
    message = "The log names no instance"
    message += f"; the submission's platform is {show(name)}." if isinstance(name, str) else "."
    hint = "State instance type, number of chips and precision; the system description beside the log has them."
    return (*found, Problem(file, None, None, "stands_elsewhere", message, hint))
