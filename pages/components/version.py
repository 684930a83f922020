"""The version of this app, as pyproject.toml states it."""

import tomllib
from pathlib import Path

_PROJECT = Path(__file__).parents[2] / "pyproject.toml"
APP_VERSION: str = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"]
