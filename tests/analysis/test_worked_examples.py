"""Every worked example that is handed around with the model, in process and through the command line."""

import json
from pathlib import Path

import pytest

from analysis.__main__ import main
from analysis.errors import ScenarioError
from analysis.model.decision import decide
from analysis.model.reading import read_scenario

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "examples" / "decide"
FILES = sorted(FOLDER.glob("*.json"))

pytestmark = pytest.mark.skipif(not FILES, reason="the worked examples are not on this machine")


def agree(name: str, expected: object, got: object) -> None:
    """Compare as the model's documentation says: 1e-6, probabilities 1e-9, switch points of regions 1e-3."""
    if isinstance(expected, dict):
        assert isinstance(got, dict), name
        for key, value in expected.items():
            agree(f"{name}.{key}", value, got[key])
    elif isinstance(expected, list):
        if name.endswith("warnings"):
            assert set(got) == set(expected)
            return
        assert len(got) == len(expected), name
        for i, (one, other) in enumerate(zip(expected, got, strict=True)):
            agree(f"{name}[{i}]", one, other)
    elif isinstance(expected, float):
        region, probability = "spend_regions" in name, "probability" in name
        absolute = 1e-9 if probability else 1e-6 if expected == 0 or abs(expected) < 1e-9 else 0.0
        assert got == pytest.approx(expected, rel=1e-3 if region else 1e-6, abs=absolute), name
        if probability:
            assert abs(got - expected) <= 1e-9, name
    else:
        assert got == expected, name


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def example(request):
    return request.param, json.loads(request.param.read_text(encoding="utf-8"))


def test_decide_agrees(example):
    _, case = example
    expected = case["expected"]
    if "error" in expected:
        with pytest.raises(ScenarioError) as caught:
            read_scenario(case["input"])
        assert caught.value.message == expected["error"]
        return
    got = decide(read_scenario(case["input"])).as_dict()
    expected = {name: value for name, value in expected.items() if name != "timing"}
    assert set(expected) == set(got) - {"timing"}
    agree("", expected, got)


def test_the_command_line_agrees(example, tmp_path, capsys):
    path, case = example
    scenario = tmp_path / path.name
    scenario.write_text(json.dumps(case["input"]), encoding="utf-8")
    status = main(["decide", str(scenario)])
    got = json.loads(capsys.readouterr().out)
    if "error" in case["expected"]:
        assert status == 2
        assert got["error"] == case["expected"]["error"]
        return
    assert status == 0
    agree("", {name: value for name, value in case["expected"].items() if name != "timing"}, got)
