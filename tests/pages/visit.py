"""Open a page as a visitor does, read what it shows, and compute what it should show."""

import base64
import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from analysis.model.decision import Decision
from analysis.model.evidence import Filled, decide_filled, fill_scenario, gather_evidence
from analysis.model.reading import read_scenario
from data.evidence import StoreEvidence
from data.ingest import Report, load
from data.store import Store

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
LEADS = {"do_nothing": "Do nothing", "test": "Run the test", "migrate": "Migrate"}
BASE_URL = "http://crossover.example:8501"
START: dict[str, Any] = {
    "team": {"engineers": 6},
    "jobs": {"jobs_per_week": 10.0, "hours_per_job": 6.0, "instances": 1.0, "price_per_instance_hour": 41.53},
    "spend": {"monthly_gpu_usd": 50_000.0},
    "vendor": {"more_work_per_dollar": 0.7},
    "finance": {"horizon_months": 24},
    "baseline": "cuda",
    "candidate": "neuron",
}
SWEEPS = {"cuda": ("sweep_cuda.csv", "p5.48xlarge"), "neuron": ("sweep_neuron.csv", "trn2.48xlarge")}
MODEL = "made-up-8b"


class SettledPages(PagesManager):
    """AppTest forgets before every run that the app uses st.navigation; a server remembers it."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        PagesManager.uses_pages_directory = False


def open_page(name: str = "", **query: str) -> AppTest:
    """Open a page by a link, in a session of its own."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.context = {"url": f"{BASE_URL}/{name}"}
    for key, value in query.items():
        app.query_params[key] = value
    if name:
        app.switch_page(f"pages/{name}.py")
    return checked(app.run())


def go_to(app: AppTest, name: str) -> AppTest:
    """Follow the navigation to another page of the same session."""
    return checked(app.switch_page(f"pages/{name or 'decision'}.py").run())


def checked(app: AppTest) -> AppTest:
    """Fail where the script did, or where a page shows a code instead of words."""
    assert [error.value for error in app.exception] == []
    codes = [text for text in map(shown, said(app)) if re.fullmatch(r"(:material/\w+: )?[a-z]+(_[a-z]+)+", text)]
    assert codes == []
    return app


def set_number(app: AppTest, key: str, value: float | int | None) -> AppTest:
    """Type a number at the left."""
    return checked(app.number_input(key=key).set_value(value).run())


def press(app: AppTest, key: str) -> AppTest:
    """Press the button whose key begins so."""
    return checked(next(button for button in app.button if str(button.key).startswith(key)).click().run())


def upload(app: AppTest, kind: str, *files: tuple[str, bytes]) -> AppTest:
    """Drop files into the page's box, in place of those in it."""
    box = app.file_uploader(key=f"{kind}_files")
    return checked(box.set_value([(name, content, "application/octet-stream") for name, content in files]).run())


def edit(app: AppTest, **cells: str) -> AppTest:
    """Type into the value column of the assumptions table; `effort__setup="30"` stands for effort.setup."""
    editor = app.data_editor[0]
    names = editor.value["Input"].tolist()
    rows = {names.index(name.replace("__", ".")): {"Value": text} for name, text in cells.items()}
    states = app._tree.get_widget_states()
    state = json.dumps({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    states.widgets.append(WidgetState(id=editor.proto.id, string_value=state))
    return checked(app._run(states))


def said(block: Any) -> list[str]:
    """Return every sentence of a page or of a block, markdown as it is written."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "info", "success", "warning", "error")
    return [str(element.value) for kind in kinds for element in block.get(kind)]


def shown(markdown: str) -> str:
    """Return a text as a reader sees it: what is escaped shows as it is written."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


def text_of(app: AppTest, key: str | None = None) -> str:
    """Return the text of the page, or of a keyed container, as a reader sees it."""
    block = app.get_by_key(key) if key else app
    return shown("\n".join(said(block)))


def errors(app: AppTest) -> list[str]:
    """Return the errors of the page as a reader sees them."""
    return [shown(error.value) for error in app.error]


def table_with(block: Any, column: str) -> Any:
    """Return the first table that has such a column."""
    return next(table.value for table in block.get("dataframe") if column in table.value)


def has_key(app: AppTest, key: str) -> bool:
    """Tell whether the page has a keyed container or widget."""
    try:
        app.get_by_key(key)
    except KeyError:
        return False
    return True


def act(app: AppTest) -> str:
    """Return the recommended act as the verdict words it."""
    lead = app.get_by_key("verdict").header[0].value
    return next(name for name, words in LEADS.items() if words in lead)


def traces(app: AppTest, chart: str) -> dict[str, dict[str, Any]]:
    """Return what a chart draws, by the name of each line; coordinates as lists of numbers."""
    figure = json.loads(app.get_by_key(f"{chart}_figure").proto.spec)
    return {
        trace["name"]: {**trace, **{axis: numbers(trace[axis]) for axis in ("x", "y") if axis in trace}}
        for trace in figure["data"]
    }


def numbers(values: Any) -> list[Any]:
    """Return the values of an axis, which Plotly may send as bytes."""
    if isinstance(values, Mapping):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return list(values)


def scenario(**changes: Any) -> dict[str, Any]:
    """Return what the app states at the start, with changes: `team__engineers=3`."""
    stated = copy.deepcopy(START)
    for name, value in changes.items():
        section, _, field = name.partition("__")
        if field:
            stated.setdefault(section, {})[field] = value
        else:
            stated[section] = value
    return stated


def expected(store: Store, stated: Mapping[str, Any]) -> tuple[Filled, Decision]:
    """Return the scenario completed from the store and the decision on it, without the app."""
    filled = fill_scenario(dict(stated), gather_evidence(StoreEvidence(store), read_scenario(stated)))
    return filled, decide_filled(filled)


def sweep(platform: str) -> tuple[str, bytes]:
    """Return name and content of a made-up load sweep on a platform."""
    name = SWEEPS[platform][0]
    return name, (FIXTURES / name).read_bytes()


def load_sweeps(store: Store, **stated: Any) -> list[Report]:
    """Load the made-up sweeps of both platforms past the page."""
    return [
        load(store, *sweep(platform), {**answers(platform), "model": MODEL, **stated})
        for platform in ("cuda", "neuron")
    ]


def answers(platform: str) -> dict[str, Any]:
    """Return what the sweep of a platform does not say itself."""
    return {"model": MODEL, "platform": platform, "instance_type": SWEEPS[platform][1], "precision": "bf16"}


def run_file(*rows: Mapping[str, Any], **common: Any) -> bytes:
    """Return a canonical CSV of benchmark runs."""
    whole = [{"model": MODEL, "precision": "bf16", "concurrency": 32, **common, **row} for row in rows]
    header = list(dict.fromkeys(name for row in whole for name in row))
    lines = [",".join(header), *(",".join(str(row.get(name, "")) for name in header) for row in whole)]
    return ("\n".join(lines) + "\n").encode()


def both(cuda: Mapping[str, Any] | None = None, neuron: Mapping[str, Any] | None = None, **common: Any) -> bytes:
    """Return a file of one run on each platform, each with what it has of its own."""
    sides = {
        "cuda": {"platform": "cuda", "instance_type": "p5.48xlarge", "output_tok_per_s": 3000},
        "neuron": {"platform": "neuron", "instance_type": "trn2.48xlarge", "output_tok_per_s": 3100},
    }
    lengths = {"input_tokens": 1024, "output_tokens": 256}
    return run_file({**sides["cuda"], **(cuda or {})}, {**sides["neuron"], **(neuron or {})}, **{**lengths, **common})


def widgets(app: AppTest) -> Iterator[Any]:
    """Yield the inputs at the left."""
    yield from app.sidebar.number_input
    yield from app.sidebar.selectbox
