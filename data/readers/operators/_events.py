"""Read the events of a chrome trace one by one, so that a trace of hundreds of megabytes is never whole as objects."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from data.readers.operators._rows import malformed

_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_DEVICES = re.compile(r'"deviceProperties"\s*:\s*(?=\[)')
_SKIP = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_OPERATORS = ("cpu_op", "Operator")


@dataclass(slots=True)
class Event:
    """Hold one CPU event: its name, where and when it ran (µs), its self time (µs) and the line it stands on."""

    name: str
    thread: tuple[str, str]
    start: float
    duration: float
    line: int
    is_triton: bool
    self_time: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """Hold the CPU operators of a trace with their self times, the devices' names and the number of profiled steps."""

    events: list[Event]
    devices: tuple[str, ...]
    steps: int


def is_trace(text: str) -> bool:
    """Tell whether a text is JSON that holds trace events."""
    return text.lstrip()[:1] == "{" and _EVENTS.search(text) is not None


def read_trace(file: str, text: str) -> Trace:
    """Return the CPU operators of a trace; raise IngestError where its JSON is broken."""
    events: list[Event] = []
    steps: set[str] = set()
    for line, value in _values(file, text):
        name, category = value.get("name"), value.get("cat")
        if not isinstance(name, str):
            continue
        if name.startswith("ProfilerStep#"):
            steps.add(name)
        if category in _OPERATORS and value.get("ph") == "X" and (event := _event(name, value, line)) is not None:
            events.append(event)
    _subtract_nested(events)
    return Trace(events, _devices(text), len(steps))


def _values(file: str, text: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield line and object of each trace event."""
    match = _EVENTS.search(text)
    position = match.end() if match else len(text)
    line, last = 1, 0
    while True:
        skipped = _SKIP.match(text, position)
        start = skipped.end() if skipped else position
        line, last = line + text.count("\n", last, start), start
        if text[start : start + 1] == "]":
            return
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            hint = "A file that was cut off ends like this: copy it again."
            raise malformed(file, "The trace's JSON cannot be read from here on.", hint, line) from error
        if isinstance(value, dict):
            yield line, value


def _event(name: str, value: dict[str, object], line: int) -> Event | None:
    start, duration = _microseconds(value.get("ts")), _microseconds(value.get("dur"))
    if start is None or duration is None or duration < 0:
        return None
    arguments = value.get("args")
    is_triton = isinstance(arguments, dict) and arguments.get("kernel_backend") == "triton"
    return Event(name, (str(value.get("pid")), str(value.get("tid"))), start, duration, line, is_triton)


def _microseconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 1e18 else None


def _subtract_nested(events: list[Event]) -> None:
    """Set self times: of each event its duration less that of the events directly inside it on the same thread."""
    threads: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in events:
        event.self_time = event.duration
        threads[event.thread].append(event)
    for thread in threads.values():
        thread.sort(key=lambda event: (event.start, -event.duration))
        open_: list[Event] = []
        for event in thread:
            while open_ and event.start >= open_[-1].start + open_[-1].duration:
                open_.pop()
            if open_:
                parent = open_[-1]
                inside = min(event.duration, parent.start + parent.duration - event.start)
                parent.self_time = max(parent.self_time - inside, 0.0)
            open_.append(event)


def _devices(text: str) -> tuple[str, ...]:
    """Return the distinct names of the devices; categories say «cuda» on AMD too, so only these tell the vendor."""
    match = _DEVICES.search(text)
    if match is None:
        return ()
    try:
        values, _ = _DECODER.raw_decode(text, match.end())
    except (ValueError, RecursionError):
        return ()
    names = [value.get("name") for value in values if isinstance(value, dict)]
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name))
