from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.store import Store, open_store

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store.duckdb")
    yield opened
    opened.close()


@pytest.fixture
def fixture_bytes():
    return lambda name: (FIXTURES / name).read_bytes()
