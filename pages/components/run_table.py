"""All runs: an overview by model, filters that a link keeps, the history of configurations, the rows, and downloads."""

import pandas as pd
import streamlit as st

from analysis.figures.history import draw_history
from data import runs
from data.queries import evidence_version
from data.schema import BY_NAME
from data.store import Store
from pages.components.frame import draw_chart
from pages.components.session import get_store
from pages.components.text import literal

_ROWS_SHOWN = 500
FILTERS = {"model": "Model", "platform": "Platform", "instance_type": "Instance", "precision": "Precision"}


def draw_runs(model: str | None) -> None:
    """Draw overview, filters, history and table of the runs; without a filter the history is that of a model."""
    store = get_store()
    version = evidence_version(store)
    overview = _overview(store, version)
    if overview.empty:
        return
    st.subheader("History and runs", anchor=False)
    if overview["model"].nunique() > 1:
        st.caption("Models are never mixed in a comparison. Choose another at the left.")
    st.dataframe(overview, hide_index=True, key="overview", column_config=_OVERVIEW)
    chosen = _draw_filters(_choices(store, version))
    total = _count(store, version, chosen)
    if not total:
        st.info("No run fits these filters. Clear one of them.")
        return
    _draw_history(store, version, chosen if chosen.models else runs.RunFilter((model,) if model else ()), chosen)
    _draw_rows(store, version, chosen, total)


def _draw_filters(known: pd.DataFrame) -> runs.RunFilter:
    picked = []
    for column, (name, label) in zip(st.columns(len(FILTERS)), FILTERS.items(), strict=True):
        options = sorted(known[name].dropna().unique())
        with column:
            # A link holds the options as they are shown, so they are shown by the names that files have.
            picked.append(
                tuple(st.multiselect(label, options, key=f"runs_{name}", bind="query-params", placeholder="all"))
            )
    return runs.RunFilter(*picked)


def _draw_history(store: Store, version: str, of_model: runs.RunFilter, chosen: runs.RunFilter) -> None:
    measure = st.selectbox(
        "Measure over time", runs.MEASURES, key="history_measure", bind="query-params", help="Any measured column."
    )
    found = runs.RunFilter(of_model.models, chosen.platforms, chosen.instance_types, chosen.precisions)
    history = _history(store, version, found, measure)
    chart = draw_history(history, measure, BY_NAME["benchmark"][measure].unit)
    if chart is None:
        st.info(f"No run here states {measure}.")
        return
    draw_chart(chart, "history_chart")
    undated = int(history["undated"].sum())
    if undated:
        st.caption(f"{undated:,} runs state no date: they stand at the time of their upload.")
    if len(history) >= runs.MOST_POINTS:
        st.caption(f"Only the newest {runs.MOST_POINTS:,} points are drawn; filter to see the rest.")


def _draw_rows(store: Store, version: str, chosen: runs.RunFilter, total: int) -> None:
    table = _rows(store, version, chosen)
    st.caption(
        f"{total:,} runs" + (f", the newest {len(table):,} shown; downloads hold all." if total > len(table) else ".")
    )
    event = st.dataframe(
        table.dropna(axis="columns", how="all"),
        hide_index=True,
        key="run_rows",
        on_select="rerun",
        selection_mode="single-row",
    )
    for index in event.selection.rows:
        row = table.iloc[index]
        line = "line not known" if pd.isna(row["line"]) else f"line {row['line']:.0f}"
        uploaded = f"uploaded {row['uploaded_at']:%Y-%m-%d}"
        st.markdown(f"**{literal(str(row['file']))}**, {line} · SHA-256 `{row['sha256']}` · {uploaded}")
    with st.container(horizontal=True):
        for name, mime, write in (
            ("CSV", "text/csv", runs.as_csv),
            ("Parquet", "application/vnd.apache.parquet", runs.as_parquet),
        ):
            st.download_button(
                f"Download {total:,} runs ({name})",
                lambda write=write: write(runs.rows(store, chosen)),
                f"runs.{name.lower()}",
                mime,
                on_click="ignore",
                key=f"download_{name.lower()}",
            )


@st.cache_resource(max_entries=8, show_spinner="Summing up the runs …")
def _overview(_store: Store, version: str) -> pd.DataFrame:
    return runs.summary(_store)


@st.cache_resource(max_entries=8, show_spinner=False)
def _choices(_store: Store, version: str) -> pd.DataFrame:
    return runs.choices(_store)


@st.cache_resource(max_entries=64, show_spinner="Counting runs …")
def _count(_store: Store, version: str, chosen: runs.RunFilter) -> int:
    return runs.count(_store, chosen)


@st.cache_resource(max_entries=32, show_spinner="Reading the history …")
def _history(_store: Store, version: str, chosen: runs.RunFilter, measure: str) -> pd.DataFrame:
    return runs.history(_store, chosen, measure)


@st.cache_resource(max_entries=16, show_spinner="Reading runs …")
def _rows(_store: Store, version: str, chosen: runs.RunFilter) -> pd.DataFrame:
    return runs.rows(_store, chosen, _ROWS_SHOWN)


_OVERVIEW = {
    "model": st.column_config.TextColumn("Model"),
    "platform": st.column_config.TextColumn("Platform"),
    "runs": st.column_config.NumberColumn("Runs", format="localized"),
    "first_measured": st.column_config.DateColumn("First measured"),
    "last_measured": st.column_config.DateColumn("Last measured"),
    "output_tok_per_s": st.column_config.NumberColumn("Best output tokens/s", format="%.4g"),
    "train_seq_per_s": st.column_config.NumberColumn("Best training sequences/s", format="%.4g"),
    "time_to_train_s": st.column_config.NumberColumn("Shortest time to train (s)", format="%.4g"),
}
