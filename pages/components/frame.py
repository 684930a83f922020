"""The frame of a figure: its takeaway as the title, the picture, and the sentence for whom cannot see it."""

import streamlit as st

from analysis.figures.theme import Chart

_CONFIG = {"displaylogo": False, "displayModeBar": False, "scrollZoom": False, "responsive": True}


def draw_chart(chart: Chart, key: str) -> None:
    """Draw a figure in a container that scripts find by its key."""
    with st.container(key=key, border=True, height="stretch"):
        st.markdown(f"**{chart.title.replace('$', chr(92) + '$')}**")
        st.plotly_chart(chart.spec, key=f"{key}_figure", config=_CONFIG, alt=chart.alt)
