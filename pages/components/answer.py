"""The answer to the present scenario: evidence, decision, what would flip it, and the curves of the charts."""

import json
from dataclasses import dataclass
from typing import Any

import streamlit as st

from analysis.errors import ScenarioError
from analysis.model.decision import Decision
from analysis.model.evidence import Evidence, Filled, decide_filled, fill_scenario, gather_evidence
from analysis.model.flips import Flip, find_flips
from analysis.model.reading import read_scenario
from data.evidence import StoreEvidence
from data.queries import dataset_hash, models
from data.store import Store
from pages.components.scenario import stated_scenario
from pages.components.session import get_store


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
    """Return the answer to the present inputs; where an input is wrong, say which and end this run."""
    store = get_store()
    try:
        return _answer(store, dataset_hash(store), json.dumps(stated_scenario(), sort_keys=True))
    except ScenarioError as error:
        st.error(f"{error.field}: {error.message}" if error.field else error.message, icon=":material/error:")
        st.stop()


def evidence_origins() -> dict[str, tuple[str, str, Any]]:
    """Return kind, source and value of the inputs that the present evidence gives, for the sidebar."""
    store = get_store()
    evidence = _evidence(store, dataset_hash(store), _evidence_key(stated_scenario()))
    if evidence.coverage is None:
        return {}
    source = f"operators that fail in {evidence.report}"
    return {"workload.unsupported_ops": ("derived", source, evidence.coverage.unsupported_ops)}


def known_models() -> list[str]:
    """Return the models of which runs are loaded, in alphabetical order."""
    store = get_store()
    return _models(store, dataset_hash(store))


@st.cache_resource(max_entries=32, show_spinner=False)
def _models(_store: Store, evidence_hash: str) -> list[str]:
    return sorted(models(_store)["model"].unique())


# Keyed on the hash of the evidence and on what is stated; the results are frozen, so sessions can share them.
@st.cache_resource(max_entries=256, show_spinner=False)
def _answer(_store: Store, evidence_hash: str, stated_json: str) -> Answer:
    stated: dict[str, Any] = json.loads(stated_json)
    evidence = _evidence(_store, evidence_hash, _evidence_key(stated))
    filled = fill_scenario(stated, evidence)
    return Answer(stated, evidence, filled, decide_filled(filled), find_flips(filled.scenario), evidence_hash)


@st.cache_resource(max_entries=32, show_spinner=False)
def _evidence(_store: Store, evidence_hash: str, key: str) -> Evidence:
    return gather_evidence(StoreEvidence(_store), read_scenario(json.loads(key)))


def _evidence_key(stated: dict[str, Any]) -> str:
    # Evidence depends on these alone, so that a move of team size or spend does not read the store again.
    wanted = {name: stated[name] for name in ("baseline", "candidate") if name in stated}
    terms = {k: v for k, v in stated.get("benchmarks", {}).items() if k not in ("slo_ms",)}
    return json.dumps({**wanted, "benchmarks": terms}, sort_keys=True)
