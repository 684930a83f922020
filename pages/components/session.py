"""The store of this server process, opened once and shared by all sessions."""

import gc
import threading

import streamlit as st

from analysis.model.uncertainty import prepare
from data.errors import DataError
from data.ingest import load_demo
from data.store import Store, open_store


@st.cache_resource(show_spinner=False)
def _opened_store() -> Store:
    store = open_store()
    load_demo(store)
    # Streamlit collects garbage after every run of a script; what the imports left behind never becomes garbage.
    gc.collect()
    gc.freeze()
    return store


@st.cache_resource(show_spinner=False)
def warm_torch() -> threading.Thread:
    """Import torch in the background, once a process: it takes seconds, and only some pages need it."""

    def load() -> None:
        prepare()
        gc.collect()
        gc.freeze()

    thread = threading.Thread(target=load, name="warm-torch", daemon=True)
    thread.start()
    return thread


def get_store() -> Store:
    """Return the store; where it cannot be opened, say why and end this run."""
    try:
        return _opened_store()
    except DataError as error:
        st.error(str(error), icon=":material/lock:")
        st.stop()
