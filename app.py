"""Crossover: when does testing AWS Trainium instead of NVIDIA GPUs pay off? The door to all pages; no logic here."""

from urllib.parse import urlsplit

import streamlit as st

from data.queries import models
from pages.components.answer import evidence_origins
from pages.components.navigation import BRIEF_PATH, all_pages, mark_opened
from pages.components.scenario import draw_sidebar
from pages.components.session import get_store

st.set_page_config(page_title="Crossover", page_icon="docs/icon.png", layout="wide")
mark_opened()
opens_brief = urlsplit(st.context.url or "").path.strip("/").split("/")[-1] == BRIEF_PATH
page = st.navigation(all_pages(), position="hidden" if opens_brief else "sidebar")
if page.url_path != BRIEF_PATH:
    draw_sidebar(sorted(models(get_store())["model"].unique()), evidence_origins)
page.run()
