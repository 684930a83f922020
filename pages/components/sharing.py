"""Freeze a decision behind a link, and read it back."""

import json
import os
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from analysis.errors import ScenarioError
from analysis.figures.theme import Chart
from analysis.model.decision import MODEL_VERSION, Decision, read_decision
from analysis.model.flips import Flip
from analysis.model.reading import read_scenario
from analysis.model.scenario import Scenario
from analysis.words.evidence import describe_evidence, price_contrast
from data.queries import uploads
from data.shares import Share, load_share, save_share
from pages.components.answer import Answer
from pages.components.charts import decision_charts
from pages.components.navigation import BRIEF_PATH
from pages.components.ranges import stated_ranges
from pages.components.scenario import live_query
from pages.components.session import get_store
from pages.components.version import APP_VERSION

PAYLOAD_VERSION = 1


@dataclass(frozen=True, slots=True)
class SharedDecision:
    """A decision as it was shared: scenario with its evidence, result, charts, and what it stood on."""

    share: Share
    scenario: Scenario
    decision: Decision
    flips: tuple[Flip, ...]
    charts: dict[str, Chart]
    evidence: list[str]
    contrast: str | None
    files: list[dict[str, str]]
    versions: dict[str, str]
    live_query: dict[str, str]


class ShareUnreadableError(Exception):
    """Say that a share was written by another version, in a form that this one cannot show."""


def share_button() -> bool:
    """Draw the button that shares the present decision; tell whether it was pressed in this run."""
    return st.button("Share", key="share", icon=":material/link:", help="Freeze this answer behind a link.")


def draw_share_link(answer: Answer) -> None:
    """Store the decision and show the link to it."""
    share_id = save_share(get_store(), _payload(answer))
    link = f"{_base_url()}/{BRIEF_PATH}?{urlencode({'share': share_id})}"
    with st.container(key="share_link", border=True):
        st.markdown("Anybody who reaches this server can read it; what it shows stays as it is now.")
        st.code(link, language=None)
        st.link_button("Open the brief", link, icon=":material/open_in_new:")


def read_share(share_id: str) -> SharedDecision:
    """Return a shared decision.

    Raises:
        ShareNotFoundError: if there is none of this id.
        ShareUnreadableError: if another version of the app wrote it in a form that this one does not know.
    """
    share = load_share(get_store(), share_id)
    payload: dict[str, Any] = share.payload
    try:
        return SharedDecision(
            share=share,
            scenario=read_scenario(payload["scenario"]),
            decision=read_decision(payload["decision"]),
            flips=tuple(Flip(**flip) for flip in payload["flips"]),
            charts={key: Chart(**chart) for key, chart in payload["charts"].items()},
            evidence=payload["evidence"],
            contrast=payload["contrast"],
            files=payload["files"],
            versions=payload["versions"],
            live_query=payload["live_query"],
        )
    except (KeyError, TypeError, ScenarioError) as error:
        version = payload.get("versions", {}).get("app", "unknown")
        raise ShareUnreadableError(
            f"This page was shared by version {version} of the app; this is {APP_VERSION} and cannot show it."
        ) from error


def live_link(shared: SharedDecision) -> str:
    """Return the address that opens the shared scenario on the Decision page, with today's data."""
    return f"{_base_url()}/?{urlencode(shared.live_query)}"


def _payload(answer: Answer) -> dict[str, Any]:
    """Return all that the brief shows, as plain JSON: nothing of it is calculated again when it is opened."""
    payload = {
        "payload_version": PAYLOAD_VERSION,
        "scenario": {**answer.filled.scenario.model_dump(mode="json"), "ranges": stated_ranges()},
        "decision": answer.decision.as_dict(),
        "flips": [asdict(flip) for flip in answer.flips],
        "charts": {key: _frozen(chart) for key, chart in decision_charts(answer).items()},
        "evidence": describe_evidence(answer.evidence),
        "contrast": price_contrast(answer.evidence.comparison),
        "origins": answer.filled.origins,
        "files": _files(answer),
        "versions": {"app": APP_VERSION, "model": MODEL_VERSION, "data": answer.dataset_hash},
        "live_query": live_query(),
    }
    plain: dict[str, Any] = json.loads(json.dumps(payload, allow_nan=False))
    return plain


def _frozen(chart: Chart) -> dict[str, Any]:
    # As plain lists: plotly's own JSON packs arrays into bytes, which it does not unpack a second time.
    spec = json.loads(json.dumps(chart.spec, default=lambda array: array.tolist()))
    return {"spec": spec, "title": chart.title, "alt": chart.alt}


def _files(answer: Answer) -> list[dict[str, str]]:
    """Return name and hash of the files that the answer stands on, and of no others."""
    used = {name for c in answer.evidence.comparison.configurations for name in c.files} | {answer.evidence.report}
    active = uploads(get_store())
    active = active[active["withdrawn_at"].isna() & active["file"].isin(used)]
    files: list[dict[str, str]] = active[["file", "sha256"]].to_dict("records")
    return files


def _base_url() -> str:
    stated = os.environ.get("CROSSOVER_BASE_URL", "").rstrip("/")
    if stated:
        return stated
    parts = urlsplit(st.context.url or "http://localhost:8501")
    return f"{parts.scheme}://{parts.netloc}"
