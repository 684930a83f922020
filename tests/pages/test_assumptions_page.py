"""Assumptions: every input with its kind and source, and what happens to what is typed into the table."""

from analysis.model.reading import input_names
from data.store import Store
from tests.pages.visit import (
    LEADS,
    act,
    edit,
    errors,
    expected,
    go_to,
    has_key,
    open_page,
    press,
    scenario,
    set_number,
    text_of,
)

COLUMNS = ["Meaning", "Value", "Unit", "Kind", "Plausible", "Source", "Input"]


def table(app):
    """Return the editable table by input."""
    return app.data_editor[0].value.set_index("Input")


def stated_table(app):
    """Return the table of what stands at the left and comes from evidence, by input."""
    return app.dataframe[-1].value.set_index("Input")


def test_every_input_of_the_model_stands_in_one_of_the_tables_with_its_kind() -> None:
    app = open_page("assumptions")
    assert [list(rows.columns) for rows in (app.data_editor[0].value, app.dataframe[-1].value)] == [COLUMNS, COLUMNS]
    editable, stated = table(app), stated_table(app)
    assert set(editable.index) | set(stated.index) == set(input_names())
    assert not set(editable.index) & set(stated.index)
    for rows in (editable, stated):
        assert set(rows["Kind"]) <= {"assumed", "derived", "measured", "stated", "changed by you"}
        assert (rows["Meaning"] != "").all()
        assert (rows["Unit"] != "").all()
        assert (rows["Source"] != "").all()
    effort = editable.loc["effort.setup"]
    assert effort[["Value", "Unit", "Kind", "Source"]].tolist() == ["24", "h", "assumed", "our estimate; edit it"]
    assert stated.loc["spend.monthly_gpu_usd", "Kind"] == "assumed"
    assert stated.loc["benchmarks.baseline", ["Value", "Kind", "Source"]].tolist() == [
        "3 entries",
        "measured",
        "demo_cuda_p5.csv",
    ]
    assert editable.loc["workload.share_native", "Kind"] == "derived"


def test_on_an_empty_store_nothing_is_called_measured(bare_store: Store) -> None:
    app = open_page("assumptions")
    stated = stated_table(app)
    assert "measured" not in {*table(app)["Kind"], *stated["Kind"]}
    for side in ("baseline", "candidate"):
        assert stated.loc[f"benchmarks.{side}", ["Value", "Kind"]].tolist() == ["0 entries", "assumed"]
    stated = stated_table(set_number(app, "team_engineers", 9))
    assert stated.loc["team.engineers", ["Value", "Kind", "Source"]].tolist() == ["9", "stated", "you"]


def test_an_edit_changes_the_answer_stands_in_the_address_and_can_be_taken_back(store: Store) -> None:
    before = text_of(open_page(), "verdict")
    app = edit(open_page("assumptions"), effort__setup="400", vendor__haircut=" 0 ")
    assert app.query_params["a"] == "effort.setup:400,vendor.haircut:0"
    assert table(app).loc["effort.setup", ["Value", "Kind"]].tolist() == ["400", "changed by you"]
    decided = go_to(app, "")
    _, decision = expected(store, scenario(effort__setup=400, vendor__haircut=0))
    assert act(decided) == decision.recommendation
    assert text_of(decided, "verdict") != before
    app = press(go_to(app, "assumptions"), "reset_assumptions")
    assert "a" not in app.query_params
    assert "changed by you" not in set(table(app)["Kind"])
    assert not has_key(app, "reset_assumptions")
    assert text_of(go_to(app, ""), "verdict") == before


def test_a_cleared_cell_returns_to_the_default() -> None:
    app = edit(edit(open_page("assumptions"), effort__setup="400", test__runs="9"), effort__setup="")
    assert app.query_params["a"] == "test.runs:9"
    assert table(app).loc["effort.setup", "Value"] == "24"


REFUSED = {
    "effort__setup": ("-4", "effort.setup = -4: setup must be at least 0."),
    "effort__report": ("lots", "effort.report = lots: report must be a number."),
    "effort__per_tool": ("NaN", "effort.per_tool = NaN: per_tool must be a finite number."),
    "test__runs": ("2.5", "test.runs = 2.5: runs must be a whole number."),
    "vendor__haircut": ("50", "vendor.haircut = 50: haircut must be in [0,1]."),
    "workload__path": ("zork", "workload.path = zork: path must be one of native, xla."),
    "policy__require_own_benchmark": (
        "yes",
        "policy.require_own_benchmark = yes: require_own_benchmark must be true or false.",
    ),
}


def test_values_that_cannot_be_used_are_named_and_left_as_they_were() -> None:
    app = open_page("assumptions")
    before = table(app)
    app = edit(app, **{name: text for name, (text, _) in REFUSED.items()})
    assert errors(app) == [message for _, message in REFUSED.values()]
    assert table(app).equals(before)
    assert "a" not in app.query_params
    assert list(edit(app, effort__report="9").error) == [], "it is said once"


def test_of_two_edits_the_good_one_counts() -> None:
    app = edit(open_page("assumptions"), effort__setup="x", effort__report="9")
    assert len(app.error) == 1
    assert app.query_params["a"] == "effort.report:9"


def test_a_link_with_the_changes_of_the_table_gives_the_same_table_and_answer() -> None:
    app = edit(
        open_page("assumptions"), workload__path="xla", effort__setup="33.5", policy__require_own_benchmark="false"
    )
    again = open_page("assumptions", a=app.query_params["a"])
    assert table(again).equals(table(app))
    assert text_of(go_to(again, ""), "verdict") == text_of(go_to(app, ""), "verdict")


def test_clearing_a_cell_that_another_needs_leaves_a_page_that_can_still_be_used() -> None:
    app = edit(edit(open_page("assumptions"), evidence__trials="10"), evidence__successes="3")
    app = edit(app, evidence__trials="")
    assert errors(app) == ["evidence.successes: successes must be at most trials"]
    assert table(app).loc[["evidence.trials", "evidence.successes"], "Value"].tolist() == ["0", "3"]
    app = edit(app, evidence__successes="")
    assert errors(app) == []
    assert "a" not in app.query_params


def test_inputs_at_odds_can_be_put_right_on_this_page() -> None:
    app = edit(open_page("assumptions"), timing__horizon_months="20")
    app = set_number(app, "finance_horizon_months", 12)
    assert errors(app) == ["timing.horizon_months: horizon_months must be at most finance.horizon_months"]
    assert table(app).loc["timing.horizon_months", ["Value", "Kind"]].tolist() == ["20", "changed by you"]
    assert errors(go_to(app, "")) == errors(app), "and every other page says it too"
    app = press(go_to(app, "assumptions"), "reset_assumptions")
    assert errors(app) == []
    assert act(go_to(app, "")) in LEADS


def test_an_edit_that_another_input_contradicts_is_kept_and_the_contradiction_said() -> None:
    app = edit(open_page("assumptions"), evidence__successes="3")
    assert errors(app) == ["evidence.successes: successes must be at most trials"]
    assert table(app).loc["evidence.successes", ["Value", "Kind"]].tolist() == ["3", "changed by you"]
    assert app.query_params["a"] == "evidence.successes:3"
    app = edit(app, evidence__trials="10")
    assert errors(app) == []
    assert table(app).loc[["evidence.trials", "evidence.successes"], "Value"].tolist() == ["10", "3"]


def test_shares_that_add_to_one_can_be_stated() -> None:
    app = edit(open_page("assumptions"), workload__share_native="0.9", workload__share_fallback="0.1")
    assert errors(app) == []
    assert table(app).loc[["workload.share_native", "workload.share_fallback"], "Value"].tolist() == ["0.9", "0.1"]
