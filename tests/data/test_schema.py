from pathlib import Path

import pytest

from data import export, schema
from data.ingest import TABLES

DOCS = Path(__file__).parents[2] / "docs" / "file-formats.md"
DUCKDB_TYPES = {"text": "VARCHAR", "float": "DOUBLE", "int": "BIGINT", "date": "TIMESTAMP"}


@pytest.mark.parametrize("kind", ["benchmark", "operators"])
def test_the_documentation_lists_the_columns_of_the_code(kind):
    text = DOCS.read_text(encoding="utf-8")
    listed = text.split(f"<!-- columns: {kind} -->\n")[1].split("\n<!-- end -->")[0]
    assert listed == schema.markdown(kind), "paste the output of `python -m data columns` into docs/file-formats.md"


@pytest.mark.parametrize("kind", ["benchmark", "operators"])
def test_the_tables_of_the_store_have_the_columns_of_the_code(store, kind):
    with store.cursor() as cursor:
        stored = {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {TABLES[kind]}").fetchall()}
    own = {"upload_id", "counted", "source_line"}
    assert {name: stored[name] for name in schema.names(kind)} == {
        column.name: DUCKDB_TYPES[column.dtype] for column in schema.columns(kind)
    }
    assert set(stored) - set(schema.names(kind)) <= own


@pytest.mark.parametrize("kind", ["benchmark", "operators"])
def test_the_template_has_every_column_in_order(kind):
    assert export.template(kind).splitlines()[0].split(",") == list(schema.names(kind))


def test_names_are_unique_and_settable_names_exist():
    for kind, columns in schema.COLUMNS.items():
        assert len({column.name for column in columns}) == len(columns)
        assert set(schema.SETTABLE[kind]) <= set(schema.names(kind))


def test_did_you_mean():
    assert schema.did_you_mean("platfrom", schema.names("benchmark")) == "Did you mean «platform»?"
    assert schema.did_you_mean("zzzz", schema.names("benchmark")) == ""
