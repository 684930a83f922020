"""The evidence of the store, kept: what a scenario changes most, an objective or a team, reads nothing anew."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from data.evidence import StoreEvidence
from data.queries import models
from data.store import Store


@dataclass(frozen=True, slots=True)
class KeptEvidence(StoreEvidence):
    """The evidence of a store as of a version, kept by what each read depends on; nobody may write into a frame."""

    version: str = ""

    def models(self) -> pd.DataFrame:
        """Return model, platform, runs, last_upload of what is loaded."""
        return kept_models(self.store, self.version)

    def benchmark_runs(self, model: str, **terms: Any) -> pd.DataFrame:
        """Return the runs of a model on two platforms, one by one or in groups."""
        return _runs(self.store, self.version, model, **terms)

    def newest_coverage(self, model: str | None, backend: str) -> tuple[str, pd.DataFrame] | None:
        """Return name and rows of the newest coverage report for a backend."""
        return _coverage(self.store, self.version, model, backend)


@st.cache_resource(max_entries=32, show_spinner=False)
def kept_models(_store: Store, version: str) -> pd.DataFrame:
    """Return model, platform, runs, last_upload of what is loaded."""
    return models(_store)


@st.cache_resource(max_entries=32, show_spinner="Reading the runs …")
def _runs(_store: Store, version: str, model: str, **terms: Any) -> pd.DataFrame:
    return StoreEvidence(_store).benchmark_runs(model, **terms)


@st.cache_resource(max_entries=32, show_spinner=False)
def _coverage(_store: Store, version: str, model: str | None, backend: str) -> tuple[str, pd.DataFrame] | None:
    return StoreEvidence(_store).newest_coverage(model, backend)
