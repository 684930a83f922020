"""The answer to the present scenario: evidence, decision, what would flip it, and the curves of the charts."""

import json
from dataclasses import dataclass
from typing import Any

import streamlit as st

from analysis.errors import ScenarioError
from analysis.model.comparison import Comparison
from analysis.model.decision import Decision
from analysis.model.evidence import Evidence, Filled, decide_filled, fill_scenario, gather_comparisons, gather_evidence
from analysis.model.flips import Flip, find_flips
from analysis.model.reading import read_scenario
from data.queries import dataset_hash, evidence_version
from data.store import Store
from pages.components.kept_evidence import KeptEvidence, kept_models
from pages.components.scenario import stated_scenario
from pages.components.session import get_store
from pages.components.text import literal


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says to the scenario that is stated, with the evidence it stands on."""

    stated: dict[str, Any]
    evidence: Evidence
    filled: Filled
    decision: Decision
    flips: tuple[Flip, ...]
    dataset_hash: str


def current_answer() -> Answer:
    """Return the answer to the present inputs; where an input is wrong, say which and where to mend it."""
    try:
        return find_answer()
    except ScenarioError as error:
        show_error(error)
        st.page_link("pages/assumptions.py", label="Mend it under Assumptions")
        st.stop()


def find_answer() -> Answer:
    """Return the answer to the present inputs.

    Raises:
        ScenarioError: for an input that is wrong, or inputs that contradict one another.
    """
    store = get_store()
    # The ranges only spread the answer, so they are left out of it.
    stated = {name: value for name, value in stated_scenario().items() if name != "ranges"}
    return _answer(store, evidence_version(store), json.dumps(stated, sort_keys=True))


def show_error(error: ScenarioError) -> None:
    """Say which input is wrong, and why."""
    text = f"{error.field}: {error.message}" if error.field else error.message
    st.error(literal(text), icon=":material/error:")


def evidence_origins() -> dict[str, tuple[str, str, Any]]:
    """Return kind, source and value of the inputs that the present evidence gives, for the sidebar."""
    store = get_store()
    evidence = _evidence(store, evidence_version(store), _evidence_key(stated_scenario()))
    if evidence.coverage is None:
        return {}
    source = f"operators that fail in {evidence.report}"
    return {"workload.unsupported_ops": ("derived", source, evidence.coverage.unsupported_ops)}


def all_comparisons() -> tuple[Comparison, ...]:
    """Return the comparison that the answer uses, then those of other lengths and of the other kind of work."""
    store = get_store()
    return _comparisons(store, evidence_version(store), _evidence_key(stated_scenario()))


def known_models() -> list[str]:
    """Return the models of which runs are loaded, in alphabetical order."""
    store = get_store()
    return sorted(kept_models(store, evidence_version(store))["model"].unique())


# Keyed on the hash of the evidence and on what is stated; the results are frozen, so sessions can share them.
@st.cache_resource(max_entries=64, show_spinner=False)
def _answer(_store: Store, version: str, stated_json: str) -> Answer:
    stated: dict[str, Any] = json.loads(stated_json)
    evidence = _evidence(_store, version, _evidence_key(stated))
    filled = fill_scenario(stated, evidence)
    flips = find_flips(filled.scenario)
    return Answer(stated, evidence, filled, decide_filled(filled), flips, dataset_hash(_store))


@st.cache_resource(max_entries=32, show_spinner=False)
def _evidence(_store: Store, version: str, key: str) -> Evidence:
    return gather_evidence(KeptEvidence(_store, version=version), read_scenario(json.loads(key)))


@st.cache_resource(max_entries=32, show_spinner=False)
def _comparisons(_store: Store, version: str, key: str) -> tuple[Comparison, ...]:
    return gather_comparisons(KeptEvidence(_store, version=version), read_scenario(json.loads(key)))


def _evidence_key(stated: dict[str, Any]) -> str:
    # Evidence depends on these alone, so that a move of team size or spend does not read the store again.
    wanted = {name: stated[name] for name in ("baseline", "candidate") if name in stated}
    return json.dumps({**wanted, "benchmarks": stated.get("benchmarks", {})}, sort_keys=True)
