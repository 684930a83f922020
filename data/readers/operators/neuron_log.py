"""Log lines of the Neuron compilers: torch-neuron's trace on Inf1, and refusals of neuronx-cc.

A trace log can say «100 % supported» and that nothing runs on Neuron: then nothing it names is native. A refusal of
neuronx-cc names an HLO instruction, which is a blocker and no ATen operator.
"""

from __future__ import annotations

import re

from data.readers.document import Document
from data.readers.operators import operator_name
from data.readers.operators._rows import Rows, numbered
from data.readers.reading import Reading

ID = "neuron-log"
KIND = "operators"
_LISTED = re.compile(r"\w+:Neuron:\s*(aten::[\w.]+|prim::\w+)(?:\s*=>\s*(\d{1,15}))?.{0,200}")
_LIST = re.compile(r"\w+:Neuron:The following operations are currently (not )?supported")
_CPU_TRACE = "No operator is placed on Neuron runtime"
_REFUSED = re.compile(r"\[(NCC_[A-Z]{4}\d{3})\]\s*Operator ([\w.-]{1,80}) is not supported")
_CODE = re.compile(r"\[(NCC_E[A-Z]{3}\d{3})\]\s*([^\n]{0,200})")


def recognise(document: Document) -> bool:
    """Tell whether it holds lines of torch-neuron's trace or error codes of neuronx-cc."""
    if document.records:
        return False
    return bool(_LIST.search(document.text) or _CODE.search(document.text))


def read(document: Document) -> Reading:
    """Return a used row for each ATen operator of a trace and a blocker for each refusal of the compiler."""
    rows = Rows(document.file)
    _read_trace(rows, document.text)
    _read_refusals(rows, document.text)
    return rows.reading()


def _read_trace(rows: Rows, text: str) -> None:
    if not _LIST.search(text):
        return
    on_cpu = _CPU_TRACE in text
    supported, primitives = True, 0
    seen: set[str] = set()
    for number, line in numbered(text):
        if match := _LIST.match(line):
            supported = match[1] is None
        elif (match := _LISTED.fullmatch(line)) and match[1].startswith("prim"):
            primitives += 1
        elif match and match[1] not in seen:
            seen.add(match[1])
            status = "fallback" if on_cpu else "native" if supported else "unsupported"
            rows.add(
                number,
                operator=operator_name(match[1]),
                role="used",
                status=status,
                calls=int(match[2]) if match[2] else None,
                backend="neuron-inf1",
                mode="compile",
                reason="the trace runs on the CPU: nothing was placed on Neuron" if on_cpu else None,
            )
    rows.warn("inf1", "The log is of torch-neuron on Inf1: it says nothing about Trainium.")
    if on_cpu:
        at = 1 + text.count("\n", 0, text.index(_CPU_TRACE))
        message = (
            "«No operator is placed on Neuron runtime; returning a CPU trace»: what is «supported» did not run there."
        )
        rows.warn("cpu_trace", message, line=at)
    if primitives:
        rows.warn("primitives", f"{primitives} lines name prim:: instructions, which are no operators.")


def _read_refusals(rows: Rows, text: str) -> None:
    """Add a blocker for each distinct error of the compiler; only some of them name an instruction."""
    seen: set[str] = set()
    for number, line in numbered(text):
        if len(line) > 20_000:
            continue
        match = _REFUSED.search(line) or _CODE.search(line)
        if match is None:
            continue
        blocker = f"HLO {match[2]}" if match.re is _REFUSED else f"{match[1]}: {match[2].strip()}"
        if blocker not in seen:
            seen.add(blocker)
            reason = f"{match[1]}: neuronx-cc does not support it" if match.re is _REFUSED else "neuronx-cc refuses it"
            rows.add(number, role="blocker", blocker=blocker, mode="compile", reason=reason)
    if seen:
        rows.warn(
            "hlo_names",
            "What neuronx-cc refuses are HLO instructions: they are blockers and match no ATen operator.",
            "The compiler stops at its first errors: more may follow.",
        )
