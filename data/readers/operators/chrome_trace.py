"""Chrome traces of the PyTorch profiler: which operators ran on the host, how often, and their self time.

Kernels are no operators, a compiled region shows none of its operators, and process, host and user names stay behind.
"""

from __future__ import annotations

import re
from collections import defaultdict

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._events import Event, Trace, is_trace, read_trace
from data.readers.operators._rows import Rows, shortened
from data.readers.reading import Reading

ID = "chrome-trace"
KIND = "operators"
_OPERATOR = re.compile(r"[A-Za-z_]\w*::\w+(?:\.\w+)?")
_NO_OPERATORS = frozenset({"autograd", "torch", "profiler", "prim"})
_COMPILED = re.compile(r"Torch-Compiled Region|CompiledFxGraph|## Call Compiled|CompiledFunction")
_INDUCTOR = re.compile(r"triton_(?:poi|red|per|tem|mm|for|foreach|unk|split_scan|mix)_")
_ALLOCATION = re.compile(r"aten\.(?:empty|to|_to_copy|copy_|zeros|ones|full)")


def recognise(document: Document) -> bool:
    """Tell whether this is JSON with `traceEvents`."""
    return is_trace(document.text)


def read(document: Document) -> Reading:
    """Return a used row for each operator with calls and self time, in µs of host time."""
    trace = read_trace(document.file, document.text)
    rows = Rows(document.file)
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in trace.events:
        if _OPERATOR.fullmatch(event.name) and event.name.split("::")[0] not in _NO_OPERATORS:
            groups[operator_name(event.name)].append(event)
    for name, events in groups.items():
        rows.add(events[0].line, operator=name, role="used", calls=len(events), time_us=_time(events))
    kernels = [event for event in trace.events if event.is_triton]
    _add_own_kernels(rows, [event for event in kernels if not _INDUCTOR.match(event.name)])
    hidden = [event for event in trace.events if _COMPILED.search(event.name)]
    hidden += [event for event in kernels if _INDUCTOR.match(event.name)]
    if hidden:
        _note_compiled(rows, hidden, trace)
    _warn(rows, trace)
    return rows.reading()


def _time(events: list[Event]) -> float:
    return sum(event.self_time for event in events)


def _add_own_kernels(rows: Rows, events: list[Event]) -> None:
    """Add a blocker for each Triton kernel that Inductor did not make: somebody wrote it, and it has to be ported."""
    kernels: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        kernels[event.name].append(event)
    for name, found in kernels.items():
        reason = "Triton kernel: to be rewritten as an NKI kernel or in PyTorch"
        rows.add(
            found[0].line, role="blocker", blocker=name[:200], calls=len(found), time_us=_time(found), reason=reason
        )


def _note_compiled(rows: Rows, hidden: list[Event], trace: Trace) -> None:
    """Say how much of the time is hidden in compiled regions; beside visible operators it is a row of its own."""
    spent, whole = _time(hidden), _time(trace.events)
    share = f"{spent / whole:.0%} of the host time" if whole else "no time"
    message = f"Compiled regions hold {share}: their operators are not visible, so nothing is known of their coverage."
    hint = "Profile in eager mode, or export the model with torch.export."
    if rows.cells:
        rows.add(
            hidden[0].line,
            role="blocker",
            blocker="compiled region",
            calls=sum(bool(_COMPILED.search(event.name)) for event in hidden),
            time_us=spent,
            mode="compile",
            reason="opaque: the operators inside are not visible",
        )
    rows.warn("compiled_region", message, hint, hidden[0].line)
    made = sorted({event.name for event in hidden if event.is_triton})
    if made:
        rows.warn(
            "triton_kernels",
            f"{len(made)} Triton kernels made by Inductor ({shortened([name[:80] for name in made])}): Neuron does not "
            "use Inductor and has to compile the region anew.",
        )


def _warn(rows: Rows, trace: Trace) -> None:
    if not trace.events:
        rows.warn("no_cpu_events", "The trace has no CPU operators.", "Profile with ProfilerActivity.CPU.")
        return
    rows.warn("no_overloads", "A trace names no overloads, so a match is «overload not verified».")
    rows.warn("host_time", "Times are self times on the host; kernels on a device are not assigned to operators.")
    if trace.devices:
        device = shortened(list(trace.devices), 2)
        rows.warn("profiled_on", f"Profiled on {device}: it says what is used, not what another backend supports.")
    if trace.steps > 1:
        rows.warn("several_steps", f"Calls and times are of {trace.steps} profiled steps together.")
    timed = [row for row in rows.cells if row.get("operator")]
    whole = sum(float(str(row["time_us"])) for row in timed)
    largest = max(timed, key=lambda row: float(str(row["time_us"])), default=None)
    if largest and whole and float(str(largest["time_us"])) > whole / 2 and _ALLOCATION.match(str(largest["operator"])):
        share = float(str(largest["time_us"])) / whole
        message = f"{largest['operator']} holds {share:.0%} of the time: start-up, such as the device's initialisation."
        rows.warn("start_up", message, "Profile after some warm-up steps.")
