"""The pages of the app, and the mark of a run that came through app.py."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

_OPENED = "_opened_through_app"
BRIEF_PATH = "brief"


def all_pages() -> list[st.Page]:
    """Return every page; the path of each is the stem of its file, so that a deep link finds it.

    No page has an icon of its own: Streamlit would make it the tab's, and have the browser fetch it from elsewhere.
    """
    return [
        st.Page("pages/decision.py", title="Decision", default=True),
        st.Page("pages/benchmarks.py", title="Benchmarks"),
        st.Page("pages/coverage.py", title="Coverage"),
        st.Page("pages/assumptions.py", title="Assumptions"),
        st.Page("pages/sensitivity.py", title="Sensitivity"),
        st.Page("pages/brief.py", title="Brief", visibility="hidden"),
    ]


@contextmanager
def opened_through_app() -> Iterator[None]:
    """Note, while a page runs, that this run came through app.py."""
    st.session_state[_OPENED] = True
    try:
        yield
    finally:
        st.session_state.pop(_OPENED, None)


def came_through_app() -> bool:
    """Tell whether this run came through app.py."""
    return _OPENED in st.session_state
