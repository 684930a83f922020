"""What the user states: the sidebar on every page, the changes of the Assumptions table, and both in the address."""

import contextlib
import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from analysis.errors import InputsAtOddsError, ScenarioError
from analysis.model.reading import input_names, read_scenario
from analysis.words.numbers import PLATFORM_NAMES
from pages.components.ranges import RANGES_PARAMETER, read_ranges, stated_ranges
from pages.components.text import literal

# Where the app starts: a team of six with a few jobs and a vendor's claim, so that every main input moves the answer.
START: dict[str, Any] = {
    "team.engineers": 6,
    "jobs.jobs_per_week": 10.0,
    "jobs.hours_per_job": 6.0,
    "jobs.instances": 1.0,
    "jobs.price_per_instance_hour": 41.53,
    "spend.monthly_gpu_usd": 50_000.0,
    "vendor.more_work_per_dollar": 0.7,
    "finance.horizon_months": 24,
    "baseline": "cuda",
    "candidate": "neuron",
}
_CHANGES = "_assumption_changes"
_REFUSED = "_refused_parameters"
CHANGES_PARAMETER = "a"


@dataclass(frozen=True, slots=True)
class SidebarInput:
    """One number in the sidebar; `low` and `high` are what the field takes, a value of None leaves it unstated."""

    name: str
    label: str
    low: float
    high: float
    step: float
    help: str = ""

    @property
    def key(self) -> str:
        """Return the widget's key: the model's name of the field with _ for the dot."""
        return self.name.replace(".", "_")


MAIN_INPUTS = (
    SidebarInput("team.engineers", "Team size (engineers)", 1, 2000, 1),
    SidebarInput("jobs.jobs_per_week", "Jobs per week", 0.0, 1e6, 1.0),
    SidebarInput("jobs.hours_per_job", "Hours per job (h)", 0.0, 1e4, 0.5),
    SidebarInput("jobs.instances", "Instances per job", 0.0, 1e4, 1.0),
    SidebarInput("jobs.price_per_instance_hour", "Price per instance-hour (USD/h)", 0.0, 1e4, 1.0),
    SidebarInput("spend.monthly_gpu_usd", "Monthly GPU spend (USD/month)", 0.0, 1e10, 1000.0),
)
JOBS_INPUTS = tuple(entry for entry in MAIN_INPUTS if entry.name.startswith("jobs."))
OTHER_INPUTS = (
    SidebarInput(
        "vendor.more_work_per_dollar",
        "Vendor's claim: more work per dollar (0.70 = 70 %)",
        -0.9,
        100.0,
        0.05,
        "70 % more work per dollar means that a unit of work costs 41 % less, not 70 % less.",
    ),
    SidebarInput("benchmarks.slo_ms", "Latency objective, SLO (ms)", 0.1, 1e9, 100.0, "Empty: batch work, none."),
    SidebarInput("workload.custom_kernels", "Custom CUDA kernels", 0, 1000, 1),
    SidebarInput("workload.unsupported_ops", "Unsupported operators", 0, 10_000, 1),
    SidebarInput("finance.horizon_months", "Horizon (months)", 1, 120, 1),
)
SIDEBAR_NAMES = tuple(i.name for i in (*MAIN_INPUTS, *OTHER_INPUTS))
CHOICES = ("baseline", "candidate", "benchmarks_model")
_PLATFORM_HELP = "; ".join(f"{name}: {words}" for name, words in PLATFORM_NAMES.items())
# What the Assumptions table holds: every input that neither the sidebar nor the evidence states.
ELSEWHERE = ("baseline", "candidate", "benchmarks.model", "benchmarks.baseline", "benchmarks.candidate")
TABLE_NAMES = tuple(name for name in input_names() if name not in (*SIDEBAR_NAMES, *ELSEWHERE, "benchmarks.external"))


Origins = Mapping[str, tuple[str, str, Any]]


def draw_sidebar(models: list[str], find_origins: Callable[[], Origins]) -> None:
    """Draw the scenario's inputs.

    `find_origins` gives kind, source and value of inputs that evidence states. It is asked once platforms and model
    are known, for the evidence depends on them.
    """
    _read_address()
    with st.sidebar:
        st.subheader("Your situation")
        for entry in MAIN_INPUTS:
            if entry is JOBS_INPUTS[0]:
                st.toggle(
                    "The work to be tested comes as jobs",
                    value=True,
                    key="jobs",
                    bind="query-params",
                    help="Off: no jobs are stated, and a share of the whole bill could move.",
                )
            if entry not in JOBS_INPUTS or _value("jobs", True):
                _draw_number(entry, {})
        options = list(PLATFORM_NAMES)
        st.selectbox(
            _choice_label("Baseline", "baseline", "cuda"),
            options,
            key="baseline",
            bind="query-params",
            help=_PLATFORM_HELP,
        )
        st.selectbox(
            _choice_label("Candidate", "candidate", "neuron"),
            options,
            index=options.index("neuron"),
            key="candidate",
            bind="query-params",
            help=_PLATFORM_HELP,
        )
        st.selectbox(
            "Model",
            models,
            index=None,
            key="benchmarks_model",
            bind="query-params",
            placeholder="newest measured on both",
            help="The model whose runs are compared. One at a time; models are never mixed.",
        )
        origins = find_origins()
        for entry in OTHER_INPUTS:
            _draw_number(entry, origins)
        st.page_link("pages/assumptions.py", label="All assumptions", icon=":material/tune:")
    _report_refused()


def stated_scenario() -> dict[str, Any]:
    """Return what the sidebar and the Assumptions table state, section by section, ready for the model."""
    stated: dict[str, Any] = {"baseline": _value("baseline", "cuda"), "candidate": _value("candidate", "neuron")}
    names = {name: _value(name.replace(".", "_"), START.get(name)) for name in SIDEBAR_NAMES}
    names["benchmarks.model"] = _value("benchmarks_model", None)
    if not _value("jobs", True):
        names = {name: value for name, value in names.items() if not name.startswith("jobs.")}
    for name, value in {**names, **changes()}.items():
        if value is not None:
            section, field = name.split(".")
            stated.setdefault(section, {})[field] = value
    return stated | ({"ranges": stated_ranges()} if stated_ranges() else {})


def start_value(name: str) -> Any:
    """Return the value with which the app starts, where it differs from the model's default."""
    return START.get(name)


def changes() -> dict[str, Any]:
    """Return the inputs changed in the Assumptions table, by dotted name."""
    return dict(st.session_state.get(_CHANGES, {}))


def set_changes(values: Mapping[str, Any]) -> None:
    """Replace the inputs changed in the Assumptions table, and write them into the address."""
    st.session_state[_CHANGES] = dict(values)


def parse_value(name: str, text: str) -> Any:
    """Return the value that a text states for an input of the Assumptions table.

    Whether it agrees with other inputs shows only once all are stated.

    Raises:
        ScenarioError: if the table has no such input or it does not take the value.
    """
    if name not in TABLE_NAMES:
        near = difflib.get_close_matches(name, TABLE_NAMES, n=1)
        raise ScenarioError(name, "not in the table of assumptions" + (f"; did you mean {near[0]}?" if near else ""))
    section, field = name.split(".")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    with contextlib.suppress(InputsAtOddsError):
        read_scenario({section: {field: value}})
    return value


def encode_changes(values: Mapping[str, Any]) -> str:
    """Return changes as one short text for the address: `effort.setup:30,test.runs:7`."""
    return ",".join(
        f"{name}:{value if isinstance(value, str) else json.dumps(value)}" for name, value in values.items()
    )


def live_query() -> dict[str, str]:
    """Return the parameters of the address that bring back this scenario."""
    return {name: value for name, value in st.query_params.items() if name != "share"}


def _value(key: str, default: Any) -> Any:
    return st.session_state.get(key, default)


def _choice_label(label: str, key: str, start: str) -> str:
    return f"{label} :gray-badge[{'assumed' if _present(key, start, PLATFORM_NAMES.__contains__) == start else 'you'}]"


def _present(key: str, start: Any, accepts: Callable[[Any], bool]) -> Any:
    """Return the value an input is about to show: a link seeds it only when the widget is drawn, and if it takes it."""
    if key in st.session_state:
        return st.session_state[key]
    text = st.query_params.get(key)
    if text is None:
        return start
    try:
        value: Any = text if isinstance(start, str) else float(text)
    except ValueError:
        return start
    return value if accepts(value) else start


def _draw_number(entry: SidebarInput, origins: Origins) -> None:
    start = START.get(entry.name)
    present = _present(entry.key, start, lambda value: entry.low <= value <= entry.high)
    kind, source, found = origins.get(entry.name, ("assumed", "", None))
    if present is not None and present != start:
        kind, source = "you", "stated by you"
    whole = isinstance(entry.step, int)
    cast: Callable[[float], float] = int if whole else float
    range_text = f"Range {entry.low:,g} to {entry.high:,g}."
    st.number_input(
        f"{entry.label} :gray-badge[{kind}]",
        min_value=cast(entry.low),
        max_value=cast(entry.high),
        value=start,
        step=cast(entry.step),
        format="%d" if whole else "%.0f" if entry.step >= 1000 else "%g",
        key=entry.key,
        bind="query-params",
        placeholder="none" if found is None else f"{found:g} ({kind})",
        help=" ".join(
            part for part in (entry.help, range_text, f"Now {kind}{': ' if source else ''}{literal(source)}.") if part
        ),
    )


def _read_address() -> None:
    """Take over the address once a session: the table's changes, and which parameters had to be refused."""
    unread = read_ranges()
    if unread:
        st.warning(f"The link holds ranges that cannot be read: {literal(unread)}. The shipped ranges count.")
    if _CHANGES in st.session_state:
        _write_address()
        return
    st.session_state[_CHANGES] = {}
    st.session_state[_REFUSED] = {
        k: v for k, v in st.query_params.items() if k not in (CHANGES_PARAMETER, RANGES_PARAMETER)
    }
    refused = []
    for part in filter(None, st.query_params.get(CHANGES_PARAMETER, "").split(",")):
        name, _, text = part.partition(":")
        try:
            st.session_state[_CHANGES][name] = parse_value(name, text)
        except ScenarioError as error:
            refused.append(literal(f"{part[:80]} ({error.message})"))
    if refused:
        st.warning(f"The link holds assumptions that cannot be used: {'; '.join(refused)}. Their defaults count.")
    _write_address()


def _write_address() -> None:
    text = encode_changes(changes())
    if text != st.query_params.get(CHANGES_PARAMETER, ""):
        if text:
            st.query_params[CHANGES_PARAMETER] = text
        else:
            del st.query_params[CHANGES_PARAMETER]


def _report_refused() -> None:
    """Say which parameters of the link were out of range: Streamlit drops them without a word."""
    asked: dict[str, str] = st.session_state.pop(_REFUSED, {})
    shown = [*(i for i in MAIN_INPUTS if i not in JOBS_INPUTS or _value("jobs", True)), *OTHER_INPUTS]
    known = {entry.key for entry in shown} | set(CHOICES)
    refused = [
        literal(f"{key}={text[:40]}")
        for key, text in asked.items()
        if key in known and not _same(text, st.session_state.get(key))
    ]
    if refused:
        st.warning(f"The link asks for {', '.join(refused)}, which is not a value here: the start value counts.")


def _same(text: str, value: Any) -> bool:
    try:
        return float(text) == float(value)
    except (TypeError, ValueError):
        return text == value
