"""What every test may ask for."""

from pathlib import Path

import pytest


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    """Name a store that does not exist yet."""
    return tmp_path / "store" / "crossover.duckdb"
