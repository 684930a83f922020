"""What a name says about the platform, where it leaves no doubt."""

from __future__ import annotations

import re

_MAKERS = {
    "cuda": ("nvidia", "tesla", "geforce", "rtx"),
    "rocm": ("amd ", "instinct", "radeon"),
    "tpu": ("tpu",),
}
_STARTS = {"cuda": ("h1", "h2", "a1", "b2", "b3", "l4", "t4", "v1", "gb", "gh"), "rocm": ("mi",)}
_CHIP = re.compile(
    r"(?<![A-Z])(GB[23]00|GH200|B[23]00|H[128]00|A100|A10G?|A[34]0|L40S?|L4|T4|V100|MI\d{3}[A-Z]?)(?![A-Z\d])",
    re.IGNORECASE,
)
# TorchNeuron runs on Trn2 and Trn3 only; what ran on an older family went through the XLA path.
_XLA_ONLY = re.compile(r"(inf1|inf2|trn1|trn1n)\.\w+", re.IGNORECASE)


def platform(chip: str) -> str | None:
    """Return the platform of a chip such as «MI300X» or «Nvidia Tesla T4»; None for a name that is not known."""
    name = chip.strip().lower()
    for found, words in _MAKERS.items():
        if any(word in name for word in words):
            return found
    return next((found for found, starts in _STARTS.items() if name.startswith(starts)), None)


def chip_in(text: str) -> str | None:
    """Return the one chip that a text names, e.g. B200 in «1xXE9680Lx8B200-SXM»; None for none or several."""
    found = {match.upper() for match in _CHIP.findall(text)}
    return found.pop() if len(found) == 1 else None


def neuron_path(instance: str) -> str | None:
    """Return `neuron-xla` for instance families that native PyTorch on Neuron does not support, else None."""
    return "neuron-xla" if _XLA_ONLY.fullmatch(instance.strip()) else None
