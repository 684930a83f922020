"""The documentation holds what the code holds."""

import re
from pathlib import Path

from analysis.model.reading import inputs_markdown
from data.readers import readers

ROOT = Path(__file__).parents[1]


def test_the_model_s_inputs_are_listed_as_they_are():
    text = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    listed = re.search(r"<!-- inputs -->\n(.*?)\n<!-- /inputs -->", text, flags=re.DOTALL)
    assert listed
    assert listed[1] == inputs_markdown(), "paste the output of `python -m analysis inputs` into docs/model.md"


def test_every_format_that_is_read_is_listed_and_no_other():
    text = (ROOT / "docs" / "file-formats.md").read_text(encoding="utf-8")
    tables = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if " formats\n" in part]
    listed = {name for part in tables for name in re.findall(r"^\| `([a-z0-9-]+)`", part, flags=re.MULTILINE)}
    assert listed == {reader.ID for reader in readers()}


def test_every_module_of_the_model_has_its_place_in_the_documentation():
    text = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    modules = {path.name for path in (ROOT / "analysis" / "model").glob("*.py")} - {"__init__.py"}
    assert {name for name in modules if f"`{name}`" not in text} <= {"arrays.py"}
