"""All derivatives of the net value of the test by reverse mode, against one forward pass without them.

Both at the same 1,024 draws, every real-valued input a tensor; the derivatives include a forward pass of their own.
"""

import torch
from _measure import in_turns, report

from analysis.model.arrays import maximum
from analysis.model.elasticity import input_value, real_inputs
from analysis.model.evaluation import evaluate
from analysis.model.reading import read_scenario

DRAWS, ROUNDS, GOAL = 1024, 15, 4.0
START = read_scenario({"vendor": {"more_work_per_dollar": 0.7}})
NAMES = real_inputs(START)


def forward(leaves):
    point = evaluate(START.replace(dict(zip(NAMES, leaves, strict=True))))
    return point.test_usd - maximum(point.migrate_usd, 0.0)


def main() -> None:
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    spread = 1 + 0.02 * (torch.rand((len(NAMES), DRAWS), generator=generator, dtype=torch.float64) - 1.0)
    values = [input_value(START, name) * row for name, row in zip(NAMES, spread, strict=True)]
    leaves = [value.clone().requires_grad_() for value in values]

    def gradients():
        return torch.autograd.grad(forward(leaves).sum(), leaves, allow_unused=True)

    found = [gradient for gradient in gradients() if gradient is not None]
    if not all(torch.isfinite(gradient).all() for gradient in found):
        raise RuntimeError("a derivative is not finite")
    ours, other = in_turns(gradients, lambda: forward(values), ROUNDS)
    shape = {"inputs": len(found), "draws": DRAWS, "n": ROUNDS}
    report("gradients", ours * 1e3, other * 1e3, ours / other, "ms", GOAL, **shape)


if __name__ == "__main__":
    main()
