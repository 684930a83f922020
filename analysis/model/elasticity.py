"""By how many percent an output moves when an input moves by one percent: reverse-mode derivatives of the whole model.

A kink (max, ceil, clip) near the point has a derivative on each side: those inputs are marked, not averaged.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.model.arrays import maximum
from analysis.model.evaluation import Evaluation, evaluate
from analysis.model.reading import input_names
from analysis.model.scenario import Scenario

OUTPUTS = ("npv_if_success_usd", "net_value_of_test_usd", "validation_cost_usd")
KINK_REACH = 1e-3
_KINK_TOLERANCE = 1e-2
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Elasticity:
    """Derivative and elasticity of one output by one input.

    `derivative` is in units of the output per unit of the input; `elasticity` is percent per percent, None where the
    output is 0. `near_kink` tells that the derivative changes within 0.1 % of the input's value.
    """

    output: str
    name: str
    derivative: float
    elasticity: float | None
    near_kink: bool


def compute_elasticities(scenario: Scenario) -> tuple[Elasticity, ...]:
    """Return derivative and elasticity of OUTPUTS by every real-valued input that enters the formulas."""
    names = real_inputs(scenario)
    base = [input_value(scenario, name) for name in names]
    table = _shifted(base)
    outputs, slopes = _differentiate(scenario, names, table)
    found = []
    for output in OUTPUTS:
        amount = float(outputs[output][0])
        for i, name in enumerate(names):
            slope = slopes[output][i]
            if slope is None:  # the input does not enter this output
                continue
            here, rows = float(slope[0]), (1 + 2 * i, 2 + 2 * i)
            kink = any(
                _differs(here, float(slope[row]), base[i], amount)
                or _steps(here, float(outputs[output][row]) - amount, float(table[row, i]) - base[i], amount)
                for row in rows
            )
            found.append(Elasticity(output, name, here, here * base[i] / amount if amount else None, kink))
    return tuple(found)


def _differs(here: float, beside: float, value: float, amount: float) -> bool:
    """Tell whether the slope is another one beside the point, by more than rounding."""
    scale = max(abs(here), abs(beside))
    return abs(beside - here) > _KINK_TOLERANCE * scale and scale * abs(value) > _ROUNDING * abs(amount)


def _steps(slope: float, change: float, shift: float, amount: float) -> bool:
    """Tell whether the output itself jumps on the way, so that no slope describes it."""
    jump = abs(change - slope * shift)
    return jump > _KINK_TOLERANCE * abs(slope * shift) and jump > 1e-5 * max(abs(amount), 1.0)


def real_inputs(scenario: Scenario) -> tuple[str, ...]:
    """Return the names of inputs that are real numbers and have a value (an objective is a threshold: left out)."""
    names = (name for name in input_names() if "." in name and not name.startswith("benchmarks."))
    return tuple(name for name in names if type(input_value(scenario, name)) is float)


def input_value(scenario: Scenario, name: str) -> Any:
    """Return the value of an input by its dotted name."""
    section, _, field = name.partition(".")
    return getattr(getattr(scenario, section), field, None)


def _shifted(base: list[float]) -> NDArray[np.float64]:
    """Return one row an evaluation: the base, then each input a little below and a little above, the others held."""
    table = np.tile(np.array(base), (1 + 2 * len(base), 1))
    for i, value in enumerate(base):
        if value:
            table[1 + 2 * i, i] = value * (1 - KINK_REACH)
            table[2 + 2 * i, i] = value * (1 + KINK_REACH)
    return table


def _differentiate(
    scenario: Scenario, names: tuple[str, ...], table: NDArray[np.float64]
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return each output at each row, and its derivative by each input at each row."""
    import torch

    leaves = [torch.tensor(column, requires_grad=True) for column in table.T]
    point = evaluate(scenario.replace(dict(zip(names, leaves, strict=True))))
    outputs = _outputs(point)
    slopes = {}
    for output, values in outputs.items():
        grads = torch.autograd.grad(values.sum(), leaves, retain_graph=True, allow_unused=True)
        slopes[output] = [None if grad is None else grad.numpy() for grad in grads]
    return {output: values.detach().numpy() for output, values in outputs.items()}, slopes


def _outputs(point: Evaluation) -> dict[str, Any]:
    return {
        "npv_if_success_usd": point.npv_if_success_usd,
        "net_value_of_test_usd": point.test_usd - maximum(point.migrate_usd, 0.0),
        "validation_cost_usd": point.test_cost.usd,
    }
