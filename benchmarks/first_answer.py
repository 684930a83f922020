"""From the start of the process to the first answer: as the Decision page does it, against importing torch first.

Each run is a process of its own that imports what the page needs for its answer, Streamlit and the store included, and
decides the scenario with which the app starts.
"""

import statistics
import subprocess
import sys

from _measure import ROOT, report, seconds

ROUNDS, GOAL = 7, 0.5
ANSWER = """
import sys
import streamlit
from pages.components.answer import current_answer
from pages.components.scenario import START
from analysis.model.decision import decide
from analysis.model.reading import read_scenario
stated = {}
for name, value in START.items():
    *section, field = name.split(".")
    (stated.setdefault(section[0], {}) if section else stated)[field] = value
decide(read_scenario(stated))
"""
OURS = ANSWER + 'assert "torch" not in sys.modules\n'
OTHER = "import torch\n" + ANSWER


def start(script: str) -> None:
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True)


def main() -> None:
    start(OURS), start(OTHER)  # once, so that files are in memory
    times = [(seconds(lambda: start(OURS)), seconds(lambda: start(OTHER))) for _ in range(ROUNDS)]
    ours, other = (statistics.median(t[side] for t in times) for side in (0, 1))
    report("first_answer", ours, other, ours / other, "s from process start", GOAL, n=ROUNDS)


if __name__ == "__main__":
    main()
