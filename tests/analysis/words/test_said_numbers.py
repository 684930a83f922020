"""Numbers as a person says them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.words.numbers import ACT_NAMES, exact_money, money, number, payback, percent, platform, span


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        (0, "$0"),
        (0.004, "$0"),
        (-0.004, "$0"),
        (0.27, "$0.27"),
        (-0.27, "−$0.27"),
        (99.99, "$99.99"),
        (100, "$100"),
        (999.6, "$1,000"),
        (16_552, "$16,600"),
        (-2_314, "−$2,310"),
        (1_234_567, "$1,230,000"),
        (1e9, "$1,000,000,000"),
    ],
)
def test_money(usd, said):
    assert money(usd) == said


@settings(deadline=None)
@given(st.floats(100, 1e12))
def test_money_is_right_to_three_digits(usd):
    said = float(money(usd).replace("$", "").replace(",", ""))
    assert said == pytest.approx(usd, rel=0.0051)
    assert money(-usd) == f"−{money(usd)}"


@pytest.mark.parametrize(("usd", "said"), [(0, "$0.00"), (1234.567, "$1,234.57"), (-3, "−$3.00")])
def test_exact_money(usd, said):
    assert exact_money(usd) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0 %"),
        (0.004, "under 1 %"),
        (0.006, "1 %"),
        (0.4118, "41 %"),
        (-0.36, "−36 %"),
        (0.994, "99 %"),
        (0.999, "over 99 %"),
        (1, "100 %"),
        (12.5, "1,250 %"),
    ],
)
def test_percent(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(
    ("months", "said"),
    [
        (0.01, "1 working day"),
        (3 / 5 * 168 / 730, "3 working days"),
        (168 / 730, "1 week"),
        (2 * 168 / 730, "2 weeks"),
        (2.5 * 168 / 730, "2½ weeks"),
        (1.5, "6½ weeks"),
        (2.2, "2.2 months"),
        (4.2, "4 months"),
        (23.7, "24 months"),
    ],
)
def test_span(months, said):
    assert span(months) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (0.25, "0.25"), (7, "7"), (12.34, "12.3"), (-1.5, "-1.5"), (1234.6, "1,235")]
)
def test_number(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("month", "said"),
    [(None, "not within 24 months"), (0, "at once"), (1.2, "1 month"), (7.8, "8 months"), (0.8, "1 month")],
)
def test_payback(month, said):
    assert payback(month, 24) == said


def test_a_payback_within_days_is_not_no_months():
    assert not payback(0.3, 24).startswith("0")


def test_names():
    assert platform("cuda") == "NVIDIA CUDA"
    assert platform("neuron") != platform("neuron-xla")
    assert platform("my-board") == "my-board"
    assert list(ACT_NAMES) == ["do_nothing", "test", "migrate"]
