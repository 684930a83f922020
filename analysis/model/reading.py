"""Read a scenario from JSON-like data, and say in words which input is wrong."""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from analysis.errors import InputsAtOddsError, ScenarioError
from analysis.model.inputs import ASSUMED, MOST, bounds_text
from analysis.model.scenario import Scenario

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "tuple": "a list",
    "model": "a section with named fields",
    "dict": "a section with named fields",
}


def read_scenario(values: Mapping[str, Any]) -> Scenario:
    """Return the scenario that the values state.

    Raises:
        ScenarioError: for the first input that is unknown, of the wrong type, out of bounds or at odds with another.
    """
    if not isinstance(values, Mapping):
        raise ScenarioError("", "a scenario must be a JSON object with sections")
    try:
        return Scenario.model_validate(dict(values))
    except ValidationError as error:
        raise _as_scenario_error(error.errors()[0]) from None


def parse_scenario(text: str) -> Scenario:
    """Return the scenario that a JSON text states.

    Raises:
        ScenarioError: if the text is not JSON, or for the first input that is wrong.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise ScenarioError("", f"not valid JSON: {error}") from None
    return read_scenario(values)


def input_field(name: str) -> FieldInfo:
    """Return the declaration of an input by its dotted name.

    Raises:
        ScenarioError: if the model has no such input.
    """
    field = _find_field(name.split("."))
    if field is None:
        raise ScenarioError(name, _unknown(name.split(".")))
    return field


def input_names() -> tuple[str, ...]:
    """Return the dotted names of all inputs, in the order of the documentation."""
    names: list[str] = []
    for section, field in Scenario.model_fields.items():
        if section == "ranges":  # says something about inputs, is none itself
            continue
        model = _model_of(field)
        names += [f"{section}.{name}" for name in model.model_fields] if model else [section]
    return tuple(names)


def inputs_markdown() -> str:
    """Return the table of all inputs for the documentation."""
    lines = ["| input | meaning | unit | default | plausible | bounds | source |", "|---|---|---|---|---|---|---|"]
    for name in input_names():
        field = input_field(name)
        about: Any = field.json_schema_extra
        default = "required" if field.is_required() else _shown(field.default)
        plausible = "" if about.get("low") is None else f"{about['low']:g} to {about['high']:g}"
        source = "" if about.get("source") in (None, ASSUMED) else about["source"]
        cells = [f"`{name}`", about["label"], about["unit"], default, plausible, bounds_text(field), source]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _shown(default: Any) -> str:
    if default is None or default == ():
        return "none"
    return str(default).lower() if isinstance(default, bool) else str(default)


def _as_scenario_error(error: ErrorDetails) -> ScenarioError:
    context = error.get("ctx", {})
    if error["type"] == "at_odds":
        path = [*error["loc"], *str(context["field"]).split(".")]
        return InputsAtOddsError(_dotted(path), str(context["message"]))
    return ScenarioError(_dotted(error["loc"]), _message(error, error["loc"]))


def _message(error: ErrorDetails, path: Sequence[int | str]) -> str:
    kind, context, name = error["type"], error.get("ctx", {}), str(path[-1]) if path else "scenario"
    if isinstance(path[-1] if path else None, int):
        name = _dotted(path[-2:])
    field = _find_field(path)
    if kind == "not_known":
        return f"{name} must be one of {context['known']}"
    if kind == "extra_forbidden":
        return _unknown(path)
    if kind == "too_many":
        return f"{name} must be at most {MOST:,}"
    if kind == "missing":
        return f"{name} is missing"
    if kind == "finite_number":
        return f"{name} must be a finite number"
    if kind.startswith(("greater_than", "less_than")):
        return f"{name} must be {(field and bounds_text(field)) or _bound(kind, context)}"
    if kind in ("too_short", "string_too_short"):
        return f"{name} must not be empty"
    if kind == "string_pattern_mismatch":
        return f"{name} must be one of {str(context['pattern']).strip('^$()').replace('|', ', ')}"
    return f"{name} must be {_KINDS.get(kind.split('_')[0], 'valid')}"


def _bound(kind: str, context: Mapping[str, Any]) -> str:
    words = {"greater_than": "greater than", "greater_than_equal": "at least", "less_than": "less than"}
    bound = context.get("gt", context.get("ge", context.get("lt", context.get("le"))))
    return f"{words.get(kind, 'at most')} {bound:g}"


def _unknown(path: Sequence[int | str]) -> str:
    parent = _model_at(path[:-1])
    near = difflib.get_close_matches(str(path[-1]), list(parent.model_fields), n=1) if parent else []
    return f"unknown field {path[-1]}" + (f"; did you mean {near[0]}?" if near else "")


def _dotted(path: Sequence[int | str]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _model_of(field: FieldInfo) -> type[BaseModel] | None:
    options = [field.annotation, *getattr(field.annotation, "__args__", ())]
    return next((o for o in options if isinstance(o, type) and issubclass(o, BaseModel)), None)


def _model_at(path: Sequence[int | str]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Scenario
    for part in path:
        if model is None:
            return None
        if isinstance(part, str):
            field = model.model_fields.get(part)
            model = _model_of(field) if field else None
    return model


def _find_field(path: Sequence[int | str]) -> FieldInfo | None:
    if not path or isinstance(path[-1], int):
        return None
    parent = _model_at(path[:-1])
    return parent.model_fields.get(path[-1]) if parent else None
