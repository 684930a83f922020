"""The note that the numbers are a demonstration, with the one click that removes them."""

import streamlit as st

from data.ingest import remove_demo
from data.queries import demo_loaded
from pages.components.session import get_store


def draw_demo_banner(*, shown: bool) -> None:
    """Say that demo data is loaded, and offer to remove it; `shown` tells whether the page's numbers rest on it."""
    store = get_store()
    if not demo_loaded(store):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="demo_banner"):
        what = "The measurements shown are" if shown else "Beside your own data there is"
        st.markdown(f":orange-badge[demo] {what} a demonstration with made-up numbers.")
        if st.button("Remove demo data", key="remove_demo", type="tertiary"):
            remove_demo(store)
            st.rerun()
