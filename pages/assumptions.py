"""Assumptions: every input as a table, with value, unit, plausible range, kind and source; the value can be changed."""

import streamlit as st

from analysis.errors import ScenarioError
from analysis.model.scenario import Scenario
from pages.components.answer import Answer, find_answer, show_error
from pages.components.demo import draw_demo_banner
from pages.components.door import require_app
from pages.components.input_table import COLUMNS, Origins, input_rows, value_reader
from pages.components.scenario import ELSEWHERE, SIDEBAR_NAMES, TABLE_NAMES, changes, parse_value, set_changes
from pages.components.text import literal

require_app()

_VERSION = "_assumptions_version"
_ERRORS = "_assumption_errors"


def take_edits() -> None:
    """Take over what was typed into the table; what an input does not take is said and left as it was."""
    edits = st.session_state[f"assumptions_table_{version()}"]["edited_rows"]
    values, errors = changes(), []
    for row, cells in edits.items():
        name, text = TABLE_NAMES[int(row)], str(cells.get("Value") or "").strip()
        values.pop(name, None)
        try:
            if text:
                values[name] = parse_value(name, text)
        except ScenarioError as error:
            errors.append(f"{name} = {text}: {error.message}.")
    set_changes(values)
    st.session_state[_ERRORS] = errors
    st.session_state[_VERSION] = version() + 1


def version() -> int:
    """Return the number of the present table: a new one forgets what was typed into the last."""
    return int(st.session_state.get(_VERSION, 0))


def reset() -> None:
    """Take back every change made in the table."""
    set_changes({})
    st.session_state[_VERSION] = version() + 1


def ask() -> tuple[Scenario, Origins, Answer | None]:
    """Return scenario and origins of the answer; where inputs contradict one another, say so and return defaults."""
    try:
        answer = find_answer()
    except ScenarioError as error:
        show_error(error)
        return Scenario(), {}, None
    return answer.filled.scenario, answer.filled.origins, answer


st.title("Assumptions", anchor=False)
scenario, origins, answer = ask()
draw_demo_banner(shown=answer is not None and "demo_data" in answer.decision.warnings)
st.markdown(
    "Every input of the decision. What is assumed stays assumed until you state or measure it. "
    "Double-click a value to change it; clear it to return to the default."
)
for problem in st.session_state.pop(_ERRORS, []):
    st.error(literal(problem))
st.data_editor(
    input_rows(TABLE_NAMES, value_reader(scenario), origins),
    hide_index=True,
    height=620,
    column_config=COLUMNS,
    disabled=[name for name in COLUMNS if name != "Value"],
    key=f"assumptions_table_{version()}",
    on_change=take_edits,
)
changed = changes()
if changed:
    st.button(f"Reset {len(changed)} change{'s' if len(changed) > 1 else ''}", key="reset_assumptions", on_click=reset)
st.subheader("From the sidebar and from evidence", anchor=False)
shown = (*SIDEBAR_NAMES, *ELSEWHERE, "benchmarks.external")
st.dataframe(
    input_rows(shown, value_reader(scenario), origins), hide_index=True, column_config=COLUMNS, key="stated_inputs"
)
