"""The door to every page: page config, navigation and the scenario sidebar, in this order, in every run."""

from urllib.parse import urlsplit

import streamlit as st

from pages.components.answer import evidence_origins, known_models
from pages.components.navigation import BRIEF_PATH, all_pages, came_through_app, opened_through_app
from pages.components.scenario import draw_sidebar
from pages.components.session import warm_torch


def open_app() -> None:
    """Draw navigation and sidebar, then the page that was asked for; the brief has neither."""
    st.set_page_config(page_title="Crossover", page_icon="docs/icon.png", layout="wide")
    opens_brief = urlsplit(st.context.url or "").path.strip("/").split("/")[-1] == BRIEF_PATH
    page = st.navigation(all_pages(), position="hidden" if opens_brief else "sidebar")
    if page.url_path != BRIEF_PATH:
        draw_sidebar(known_models(), evidence_origins)
    with opened_through_app():
        page.run()
    warm_torch()


def require_app() -> None:
    """Take a run that reached a page without app.py through the door.

    A folder called pages/ puts Streamlit into its old multi-page mode until some session of the process has called
    `st.navigation`: a deep link as the first request then runs the page's script alone, without sidebar or sign-in.
    """
    if not came_through_app():
        open_app()
        st.stop()
