"""A store of its own for every test, and no cache that outlives one."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import app_test

from data.ingest import load_demo, remove_demo
from data.store import Store, open_store
from tests.pages.visit import SettledPages


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store as the first start makes it; a copy of it is ready sooner."""
    path = tmp_path_factory.mktemp("first_start") / "crossover.duckdb"
    made = open_store(path)
    load_demo(made)
    made.close()
    return path


@pytest.fixture(autouse=True)
def store(first_start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Open the store that the app will find: demo data in it, as at a first start."""
    path = shutil.copy(first_start, tmp_path / "crossover.duckdb")
    monkeypatch.setenv("CROSSOVER_DB", str(path))
    monkeypatch.delenv("CROSSOVER_BASE_URL", raising=False)
    monkeypatch.setattr(app_test, "PagesManager", SettledPages)
    # The app uses no component of another package, and every AppTest would look through all that is installed.
    monkeypatch.setattr(BidiComponentManager, "discover_and_register_components", lambda *_, **__: None)
    _forget()
    opened = open_store()
    yield opened
    opened.close()
    _forget()


@pytest.fixture
def bare_store(store: Store) -> Store:
    """Take the demo data out of the store."""
    remove_demo(store)
    return store


def _forget() -> None:
    st.cache_resource.clear()
    st.cache_data.clear()
