"""Sensitivity: charts, words and ranges are those of the model for the same scenario."""

import json
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from analysis.figures.timing import ACTION_NAMES
from analysis.model.ranges import input_ranges
from analysis.model.timing import plan_timing
from analysis.model.tornado import draw_tornado
from analysis.model.uncertainty import simulate
from analysis.model.worth import value_of_information
from analysis.words.doubt import input_labels, word_flips, word_worth
from analysis.words.numbers import ACT_NAMES, money
from data.store import Store
from tests.pages.visit import (
    checked,
    expected,
    go_to,
    has_key,
    open_page,
    press,
    scenario,
    set_number,
    text_of,
    traces,
)

CHARTS = (
    "act_probability_chart",
    "fan_chart",
    "npv_chart",
    "net_value_chart",
    "tornado_chart",
    "sobol_chart",
    "team_map",
    "jobs_map",
    "runs_chart",
    "duration_chart",
    "policy_chart",
    "months_chart",
)
LABELS = input_labels()


@pytest.fixture(scope="module", autouse=True)
def few_sobol_draws():
    """Indices of 1,024 draws take seconds a page; what they are is tested with the model."""
    with pytest.MonkeyPatch.context() as patch:
        from analysis.model import sobol

        quick = sobol.compute_sobol_indices
        patch.setattr("pages.components.doubt.compute_sobol_indices", lambda start: quick(start, draws=16))
        yield


def edit_ranges(app: AppTest, **cells: dict[str, float | None]) -> AppTest:
    """Type into the table of ranges; `effort__setup={"Low": 10}` stands for the row of effort.setup."""
    editor = app.data_editor[0]
    names = editor.value["Input"].tolist()
    rows = {names.index(LABELS[name.replace("__", ".")]): values for name, values in cells.items()}
    states = app._tree.get_widget_states()
    state = json.dumps({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    states.widgets.append(WidgetState(id=editor.proto.id, string_value=state))
    return checked(app._run(states))


def row(app: AppTest, name: str) -> dict[str, Any]:
    table = app.data_editor[0].value
    return table[table["Input"] == LABELS[name]].iloc[0].to_dict()


def test_every_chart_and_every_sentence_is_the_model_s(store: Store) -> None:
    app = open_page("sensitivity")
    filled, decision = expected(store, scenario())
    start = filled.scenario
    for chart in CHARTS:
        assert text_of(app, chart).strip("*\n"), chart
    words = text_of(app)
    assert word_flips(decision, draw_tornado(start)) in words
    assert word_worth(value_of_information(start)) in words
    outcome, timing = simulate(start), plan_timing(start)
    acts = traces(app, "act_probability_chart")
    assert {name: bar["x"][0] for name, bar in acts.items()} == {
        ACT_NAMES[act]: pytest.approx(chance) for act, chance in outcome.act_probability.items()
    }
    assert traces(app, "fan_chart")["Median"]["y"] == pytest.approx(outcome.cash_usd[2], rel=1e-9)
    assert money(outcome.npv_if_success_usd.mean) in text_of(app, "npv_chart")
    assert f"{outcome.draws:,} quasi-random draws of {len(outcome.inputs)} inputs" in words
    if timing.expected_month_given_acts is not None:
        assert f"Today: {ACTION_NAMES[timing.action_now].lower()}" in text_of(app, "policy_chart")
    assert app.dataframe[0].value["Output"].nunique() == 3, "elasticities of three outputs"


def test_the_table_holds_every_range(store: Store) -> None:
    app = open_page("sensitivity")
    ranges = input_ranges(expected(store, scenario())[0].scenario)
    table = app.data_editor[0].value
    assert table["Input"].tolist() == [LABELS[r.name] for r in ranges]
    assert table["Low"].tolist() == [r.low for r in ranges]
    assert table["High"].tolist() == [r.high for r in ranges]
    assert not has_key(app, "reset_ranges")


def test_a_range_typed_in_counts_stays_and_goes_into_the_address(store: Store) -> None:
    app = open_page("sensitivity")
    app = edit_ranges(app, effort__setup={"Low": 20, "High": 28})
    assert (row(app, "effort.setup")["Low"], row(app, "effort.setup")["High"]) == (20, 28)
    assert app.query_params["r"] == "effort.setup:20~28"
    stated = {**scenario(), "ranges": {"effort.setup": {"low": 20.0, "high": 28.0}}}
    outcome = simulate(expected(store, stated)[0].scenario)
    assert traces(app, "fan_chart")["Median"]["y"] == pytest.approx(outcome.cash_usd[2], rel=1e-9)
    app = go_to(go_to(app, ""), "sensitivity")
    assert row(app, "effort.setup")["Low"] == 20
    again = open_page("sensitivity", r="effort.setup:20~28")
    assert row(again, "effort.setup")["High"] == 28
    assert row(press(again, "reset_ranges"), "effort.setup")["High"] == 60


def test_a_measured_deviation_is_taken_and_can_be_cleared() -> None:
    app = edit_ranges(open_page("sensitivity"), effort__setup={"Measured s.d.": 2.0})
    assert app.query_params["r"] == "effort.setup:sd2"
    assert row(app, "effort.setup")["Low"] == pytest.approx(24 - 2 * 6**0.5)
    app = edit_ranges(app, effort__setup={"Measured s.d.": None})
    assert row(app, "effort.setup")["Low"] == 8


def test_doubt_about_the_inputs_leaves_the_answer_as_it_is() -> None:
    plain, stated = open_page(), open_page(r="effort.setup:20~28")
    assert text_of(plain, "verdict") == text_of(stated, "verdict")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("effort.setup:30~60", "low ≤ value ≤ high must hold for effort.setup"),
        ("vendor.haircut:0~2", "haircut must be in [0,1]"),
        ("workload.share_native:0.5~1", "not a number that varies by itself"),
    ],
)
def test_a_range_that_cannot_hold_is_said_and_can_be_reset(link: str, words: str) -> None:
    app = open_page("sensitivity", r=link)
    assert any(words in error.value for error in app.error)
    assert not has_key(app, "fan_chart")
    app = press(app, "reset_ranges")
    assert list(app.error) == []
    assert has_key(app, "fan_chart")
    assert "r" not in app.query_params


@pytest.mark.parametrize("link", ["effort.setup:low", "effort.setup:1~2~3", "effort.setup:sd-1", "nonsense", "x:nan~1"])
def test_a_range_that_cannot_be_read_is_said_and_left_out(link: str) -> None:
    app = open_page("sensitivity", r=link)
    assert any("ranges that cannot be read" in warning.value for warning in app.warning)
    assert has_key(app, "fan_chart")


def test_the_other_output_of_the_tornado() -> None:
    app = open_page("sensitivity")
    net = traces(app, "tornado_chart")["Input at its low"]["base"]
    app = checked(app.segmented_control(key="tornado_output").set_value("NPV if it succeeds").run())
    npv = traces(app, "tornado_chart")["Input at its low"]["base"]
    assert net != npv


def test_without_jobs_there_is_no_map_over_them() -> None:
    app = open_page("sensitivity", jobs="false")
    assert has_key(app, "team_map")
    assert not has_key(app, "jobs_map")


@pytest.mark.parametrize(("key", "value"), [("spend_monthly_gpu_usd", 0.0), ("team_engineers", 200)])
def test_extreme_inputs_have_charts(key: str, value: float) -> None:
    app = set_number(open_page("sensitivity"), key, value)
    assert has_key(app, "fan_chart")
    assert list(app.error) == []
