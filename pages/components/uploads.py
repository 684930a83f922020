"""Dropping files in: what each one is, what it does not say, what was read and refused, and taking it out again."""

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from analysis.words.numbers import platform
from data.errors import DataError, Problem
from data.ingest import Report, load, restore, withdraw
from data.prices import DEFAULT_REGION, instance, instance_types, propose_price
from data.queries import upload_state, uploads
from data.readers import parts
from data.readers.containers import Part
from data.readers.mapped import ColumnMapping
from data.schema import BY_NAME, FOLLOWS_FROM_INSTANCE, PLATFORMS
from data.sketches import Sketch, sketch
from pages.components.answer import known_models
from pages.components.mapping import draw_mapping, draw_remembered
from pages.components.scenario import changes
from pages.components.session import get_store
from pages.components.text import literal

_REPORTS = "_upload_reports"
_ASKED = "_asked_reports"
_PARTS = "_upload_parts"
_SKETCHES = "_upload_sketches"
_UNKNOWN_TABLE = "mapping"
_LOADS = ("concurrency", "request_rate", "batch_size", "input_tokens", "output_tokens")
OPTIONAL = (*FOLLOWS_FROM_INSTANCE, "price_usd_per_hour", *_LOADS)
_LISTED, _SHOWN = 10, 200
_ASK_ANYWAY = "price_usd_per_hour"
PRECISIONS = ("bf16", "fp16", "fp8", "fp32", "int8", "unknown")
KIND_NAMES = {"benchmark": "benchmark", "operators": "operator coverage"}


def draw_upload_box(kind: str, label: str, template: str) -> None:
    """Draw the box that takes files, one report a file, and a template to download."""
    files = st.file_uploader(
        label,
        accept_multiple_files=True,
        key=f"{kind}_files",
        help="Recognised by content, never by name. Several at once are fine. Nothing leaves this server.",
    )
    st.download_button(
        "Download a template (CSV)", template, f"{kind}_template.csv", "text/csv", type="tertiary", on_click="ignore"
    )
    _forget_gone(files)
    if not files:
        return
    with st.container(key="upload_report"):
        for file in files:
            _handle(file, kind)


def draw_uploads(kind: str) -> None:
    """Draw every upload of a kind with its counts, and the buttons to withdraw and restore it."""
    listed = uploads(get_store(), kind)
    if kind == "benchmark":
        draw_remembered()
    if listed.empty:
        return
    st.subheader("Uploads", anchor=False)
    for entry in listed.to_dict("records"):
        _draw_upload(entry)


def _forget_gone(files: list[UploadedFile]) -> None:
    """Let go of the contents that were kept of files which no longer lie in the box."""
    here = {file.file_id for file in files}
    for name in (_PARTS, _SKETCHES):
        kept = st.session_state.setdefault(name, {})
        for key in [key for key in kept if key.split("/")[0] not in here]:
            del kept[key]


def _handle(file: UploadedFile, kind: str) -> None:
    """Handle what was dropped: the file itself, or one after the other the files that an archive or workbook holds."""
    packed: dict[str, list[Part]] = st.session_state.setdefault(_PARTS, {})
    if file.file_id not in packed:
        with st.spinner(f"Opening {literal(file.name)} …"):
            found = parts(file.name, file.getvalue())
        packed[file.file_id] = found if len(found) > 1 else []  # a file that is one part is not kept twice
    if not packed[file.file_id]:
        _handle_part(file.file_id, file.name, file.getvalue, kind)
    for place, (name, content) in enumerate(packed[file.file_id]):
        _handle_part(f"{file.file_id}/{place}", name, lambda content=content: content, kind)


def _handle_part(key: str, name: str, read: Callable[[], bytes], kind: str) -> None:
    """Load a file that says everything, ask for what one does not say, and show what became of it.

    Reports are kept by the file in the box, so that a rerun loads nothing: a file that is withdrawn while it lies in
    the box stays withdrawn, and one that is dropped again is loaded again.
    """
    reports: dict[str, Report] = st.session_state.setdefault(_REPORTS, {})
    asked: dict[str, Report] = st.session_state.setdefault(_ASKED, {})
    if key not in reports:
        reports[key] = _load(name, read, {}, None)
        if reports[key].needs:
            asked[key] = reports[key]
        elif reports[key].format != _UNKNOWN_TABLE:
            st.rerun()
    report = reports[key]
    _draw_report(report, kind)
    if _is_unknown(report, kind):
        mapping = _ask_meanings(key, report, read)
        if mapping is not None:
            reports[key] = _load(name, read, {}, mapping)
            if reports[key].needs:
                asked[key] = reports[key]
            st.rerun()
    elif key in asked and not (report.upload_id or report.duplicate):
        stated = _ask(asked[key])
        if stated is not None:
            reports[key] = _load(name, read, stated, asked[key].mapping)
            st.rerun()


def _is_unknown(report: Report, kind: str) -> bool:
    """Tell whether a table waits for the meanings of its columns; they can be stated of benchmarks only."""
    return report.format == _UNKNOWN_TABLE and kind == "benchmark"


def _ask_meanings(key: str, report: Report, read: Callable[[], bytes]) -> ColumnMapping | None:
    """Ask what the columns of an unknown table mean; return the answers once they are confirmed."""
    sketches: dict[str, Sketch | None] = st.session_state.setdefault(_SKETCHES, {})
    if key not in sketches:
        sketches[key] = sketch(report.file, read())
    found = sketches[key]
    if found is None:
        _draw_problems(report.problems, "Refused")
        return None
    return draw_mapping(found, f"map_{found.sha256[:12]}")


def _load(name: str, read: Callable[[], bytes], stated: dict[str, Any], mapping: ColumnMapping | None) -> Report:
    with st.spinner(f"Reading {literal(name)} …"):
        return load(get_store(), name, read(), stated, mapping=mapping)


def _ask(report: Report) -> dict[str, Any] | None:
    """Ask for what the file does not say; return the answers once «Load» is pressed and all are given."""
    prefix = f"ask_{report.sha256[:12]}"
    stated: dict[str, Any] = {}
    with st.container(border=True, key=f"{prefix}_form"):
        st.markdown(f"**{literal(report.file)}** does not say everything. Your answers hold for all of its rows:")
        columns = st.columns(3)
        asked = [*report.needs, *([_ASK_ANYWAY] if report.kind == "benchmark" else []), *_loads(report)]
        asked = [need for need in asked if not _follows(need, st.session_state.get(f"{prefix}_instance_type"))]
        for i, need in enumerate(asked):
            with columns[i % 3]:
                stated[need] = _ask_one(need, f"{prefix}_{need}", stated)
        missing = [need for need in asked if not stated[need] and need not in OPTIONAL]
        pressed = st.button(
            f"Load {literal(report.file)}", key=f"{prefix}_load", type="primary", disabled=bool(missing)
        )
        if missing:
            st.caption(f"Still to be stated: {', '.join(missing)}. A precision that nobody knows is «unknown».")
    if not pressed:
        return None
    return {need: value for need, value in stated.items() if value not in (None, "")}


def _loads(report: Report) -> list[str]:
    """Return what else may be said of a table of unknown columns: the load and the lengths that none of them holds."""
    known = {meaning.name for meaning in report.mapping.columns.values()} if report.mapping else set(_LOADS)
    return [name for name in _LOADS if name not in known]


def _follows(need: str, instance_type: str | None) -> bool:
    """Tell whether an answer follows from the instance type: its accelerators are facts of the price table."""
    return need.startswith("accelerator") and (instance_type is None or instance(instance_type) is not None)


def _ask_one(need: str, key: str, stated: dict[str, Any]) -> Any:
    if need == "platform":
        return st.selectbox("Platform", PLATFORMS, index=None, key=key, format_func=platform)
    if need == "model":
        return st.selectbox(
            "Model", known_models(), index=None, key=key, accept_new_options=True, placeholder="Choose or type its name"
        )
    if need == "instance_type":
        return st.selectbox("Instance type", instance_types(), index=None, key=key, accept_new_options=True)
    if need == "precision":
        return st.selectbox("Precision", PRECISIONS, index=None, key=key, accept_new_options=True)
    if need == _ASK_ANYWAY:
        return _ask_price(key, str(stated.get("instance_type") or ""))
    if need == "accelerator_count":
        return st.number_input("Accelerators per instance", 1, None, None, key=key)
    if need in _LOADS:
        return _ask_load(need, key)
    return st.text_input(need.replace("_", " ").capitalize(), key=key)


def _ask_load(need: str, key: str) -> float | None:
    column = BY_NAME["benchmark"][need]
    label = f"{need.replace('_', ' ').capitalize()} ({column.unit})"
    step = 1 if column.dtype == "int" else 1.0
    return st.number_input(label, type(step)(column.low or 0), None, None, step, key=key, placeholder="unknown")


def _ask_price(key: str, instance_type: str) -> float | None:
    region = changes().get("benchmarks.region", DEFAULT_REGION)
    offer = propose_price(instance_type, region) if instance_type else None
    note = f"proposed: ${offer.usd_per_hour:g}" if offer else "no price known" if instance_type else "USD per hour"
    price = st.number_input("Price (USD per instance-hour)", 0.0001, None, None, key=key, placeholder=note)
    if offer:
        option = offer.purchase_option.replace("_", " ")
        st.caption(
            f"Empty: {option}, {offer.region}, {offer.as_of}, \\${offer.usd_per_hour:g}/h. It follows the table."
        )
    elif instance_type:
        st.caption(f"Not in the price table of {region}: without a price, cost cannot be compared.")
    return price


def _draw_report(report: Report, kind: str) -> None:
    """Draw what became of a file: format, counts, hash, each refusal with its place."""
    with st.container(border=True):
        st.markdown(f"**{literal(report.file)}** · {_outcome(report, kind)}")
        known = report.format if report.format != _UNKNOWN_TABLE else None
        st.caption(
            f"Format {known or 'not recognised'} · rows read {report.rows_read:,}, "
            f"loaded {report.rows_loaded:,}, refused {report.rows_refused:,} · "
            f"SHA-256 {report.sha256[:16]}…"
        )
        if report.problems and not _is_unknown(report, kind):
            _draw_problems(report.problems, "Refused")
        if report.warnings:
            _draw_problems(report.warnings, "To know")


def _outcome(report: Report, kind: str) -> str:
    state = upload_state(get_store(), report.upload_id) if report.upload_id else None
    if state == "withdrawn":
        return ":gray-badge[withdrawn] since; restore it below"
    if report.duplicate:
        return ":blue-badge[already loaded] nothing changed"
    if report.needs and not report.upload_id:
        return ":orange-badge[waiting] for what it does not say"
    if _is_unknown(report, kind):
        return ":orange-badge[waiting] for what its columns mean"
    if not report.upload_id:
        return ":red-badge[refused]"
    other = "" if report.kind == kind else f" as {KIND_NAMES.get(report.kind, report.kind)} data, shown on its own page"
    partly = " in part" if report.rows_refused else ""
    return f":green-badge[loaded{partly}]{other}"


def _draw_problems(problems: tuple[Problem, ...], title: str) -> None:
    if len(problems) <= _LISTED:
        st.markdown("\n".join([f"{title}:", "", *(f"- {_sentence(problem)}" for problem in problems)]))
        return
    shown = [problem.as_dict() for problem in problems[:_SHOWN]]
    st.markdown(f"{title}: {len(problems):,}" + (f", the first {len(shown)} shown" if len(problems) > _SHOWN else ""))
    st.dataframe(
        pd.DataFrame(shown)[["line", "column", "message", "hint", "code"]],
        hide_index=True,
        column_config={
            "line": st.column_config.NumberColumn("Line", width="small"),
            "column": st.column_config.TextColumn("Column", width="small"),
            "message": st.column_config.TextColumn("Reason", width="large"),
            "hint": st.column_config.TextColumn("What to do", width="medium"),
            "code": st.column_config.TextColumn("Code", width="small"),
        },
    )


def _sentence(problem: Problem) -> str:
    place = [f"line {problem.line}"] if problem.line else []
    place += [f"column {problem.column}"] if problem.column else []
    where = f"{', '.join(place)}: " if place else ""
    return literal(f"{where[:1].upper()}{where[1:]}{problem.message} {problem.hint}")  # headers keep their case


def _draw_upload(entry: dict[str, Any]) -> None:
    withdrawn = not pd.isna(entry["withdrawn_at"])
    badges = (" :orange-badge[demo]" if entry["demo"] else "") + (" :gray-badge[withdrawn]" if withdrawn else "")
    stated = ", ".join(f"{name} {value}" for name, value in json.loads(entry["overrides"]).items())
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container():
            st.markdown(f"**{literal(entry['file'])}**{badges}")
            st.caption(
                f"{entry['format']} · {entry['rows_loaded']:,} of {entry['rows_read']:,} rows, "
                f"{entry['rows_refused']:,} refused, {entry['rows_counted']:,} counted · "
                f"{entry['uploaded_at']:%Y-%m-%d %H:%M} UTC · SHA-256 {entry['sha256'][:16]}…"
                + (f" · stated: {literal(stated)}" if stated else "")
            )
        change = restore if withdrawn else withdraw
        if st.button("Restore" if withdrawn else "Withdraw", key=f"{change.__name__}_{entry['upload_id']}"):
            _change(change, entry)


def _change(change: Any, entry: dict[str, Any]) -> None:
    try:
        change(get_store(), entry["upload_id"])
    except DataError as error:
        st.error(str(error))
        return
    st.rerun()
