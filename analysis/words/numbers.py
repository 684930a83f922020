"""Numbers as a person says them: $16,600, 41 %, 2½ weeks. Exact values are shown on hover where these are used."""

import math

WEEKS_PER_MONTH = 730.0 / 168.0
ACT_NAMES = {"do_nothing": "Do nothing", "test": "Run the test", "migrate": "Migrate"}
PLATFORM_NAMES = {
    "cuda": "NVIDIA CUDA",
    "neuron": "Trainium, TorchNeuron",
    "neuron-xla": "Trainium, legacy XLA",
    "rocm": "AMD ROCm",
    "mps": "Apple MPS",
    "xpu": "Intel XPU",
    "tpu": "Google TPU",
    "cpu": "CPU",
}


def money(usd: float) -> str:
    """Return an amount rounded to three significant digits: $16,600, −$2,310, $0.27."""
    sign = "−" if usd < 0 else ""
    size = abs(usd)
    if size < 0.005:
        return "$0"
    if size < 100:
        return f"{sign}${size:,.2f}"
    digits = 2 - math.floor(math.log10(size))
    return f"{sign}${round(size, digits):,.0f}"


def exact_money(usd: float) -> str:
    """Return an amount to the cent."""
    return f"{'−' if usd < 0 else ''}${abs(usd):,.2f}"


def percent(share: float) -> str:
    """Return a share as whole percents: 41 %, −36 %; less than one percent is said so, never 0 or 100."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 < share < 1:
        return "over 99 %"
    if -0.005 < share < 0:
        return "about 0 %"
    return f"{'−' if round(share * 100) < 0 else ''}{abs(round(share * 100)):,} %"


def span(months: float) -> str:
    """Return a duration as a person says it: 3 days, 2½ weeks, 4 months."""
    weeks = months * WEEKS_PER_MONTH
    if weeks < 0.9:
        days = max(1, round(weeks * 5))
        return f"{days} working day{'s' if days > 1 else ''}"
    if weeks < 8:
        halves = round(weeks * 2)
        whole, half = divmod(halves, 2)
        return f"{whole}{'½' if half else ''} week{'' if halves == 2 else 's'}"
    return f"{months:.0f} months" if months >= 3 else f"{months:.1f} months"


def number(value: float) -> str:
    """Return a plain number with at most three significant digits and thousands separators."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def payback(month: float | None, horizon_months: int) -> str:
    """Return a payback: 8 months, or «not within 24 months»."""
    if month is None:
        return f"not within {horizon_months} months"
    if month < 0.5:
        return "under a month" if month > 0 else "at once"
    return f"{month:.0f} month{'' if round(month) == 1 else 's'}"


def platform(name: str) -> str:
    """Return the name by which people know a platform."""
    return PLATFORM_NAMES.get(name, name)
