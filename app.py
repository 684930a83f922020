"""Crossover: when does testing AWS Trainium instead of NVIDIA GPUs pay off? The door to all pages; no logic here."""

from urllib.parse import urlsplit

import streamlit as st

from pages.components.answer import evidence_origins, known_models
from pages.components.navigation import BRIEF_PATH, all_pages, opened_through_app
from pages.components.scenario import draw_sidebar
from pages.components.session import warm_torch

st.set_page_config(page_title="Crossover", page_icon="docs/icon.png", layout="wide")
opens_brief = urlsplit(st.context.url or "").path.strip("/").split("/")[-1] == BRIEF_PATH
page = st.navigation(all_pages(), position="hidden" if opens_brief else "sidebar")
if page.url_path != BRIEF_PATH:
    draw_sidebar(known_models(), evidence_origins)
with opened_through_app():
    page.run()
warm_torch()
