"""Operators by state: by time, by calls, and as distinct operators."""

import pytest

from analysis.coverage.summary import summarise
from tests.analysis.builders import operators

ROWS = (
    ("aten.mm", "native", 10, 600.0),
    ("aten.sort", "fallback", 30, 250.0),
    ("aten.sort", "native", 20, 50.0),
    ("toy.op", "unsupported", 5, 50.0),
    ("toy.new", "unknown", 35, 1000.0),
)


def test_shares_are_of_time_and_leave_out_what_nobody_knows():
    found = summarise(operators(*ROWS))
    assert found.basis == "time_us"
    assert found.shares() == pytest.approx({"native": 650 / 950, "fallback": 250 / 950, "unsupported": 50 / 950})
    assert sum(found.shares().values()) == pytest.approx(1)
    assert found.share_unknown() == pytest.approx(1000 / 1950)


def test_shares_are_of_calls_where_time_is_not_complete():
    rows = (*ROWS[:-1], ("toy.new", "unknown", 35, None))
    found = summarise(operators(*rows))
    assert (found.basis, found.time_us) == ("calls", None)
    assert found.shares() == pytest.approx({"native": 30 / 65, "fallback": 30 / 65, "unsupported": 5 / 65})
    assert found.share_unknown() == pytest.approx(0.35)


def test_the_count_of_operators_is_never_a_basis():
    found = summarise(operators(*((name, status, None, None) for name, status, _, _ in ROWS)))
    assert (found.basis, found.shares(), found.share_unknown()) == (None, None, None)
    assert found.counts["unsupported"] == 1


def test_an_operator_counts_once_by_its_worst_state():
    found = summarise(operators(*ROWS))
    assert found.counts == {"native": 1, "fallback": 1, "unsupported": 1, "unknown": 1}
    mixed = summarise(operators(("a", "native", 1, 1.0), ("a", "unsupported", 1, 1.0), ("a", "fallback", 1, 1.0)))
    assert mixed.counts == {"native": 0, "fallback": 0, "unsupported": 1, "unknown": 0}
    assert mixed.unsupported_ops == 1
    assert mixed.time_us == {"native": 1, "fallback": 1, "unsupported": 1, "unknown": 0}
    unsure = summarise(operators(("a", "native", 1, 1.0), ("a", "unknown", 1, 1.0)))
    assert unsure.counts["unknown"] == 1


def test_blockers_are_what_fails_and_falls_back_worst_first():
    found = summarise(operators(*ROWS, ("b.op", "unsupported", 1, 70.0), ("c.op", "fallback", 1, 900.0)))
    assert list(found.blockers["operator"]) == ["b.op", "toy.op", "c.op", "aten.sort"]
    assert list(found.blockers.columns) == ["operator", "status", "calls", "time_us", "reason"]


def test_an_unfamiliar_or_missing_state_is_unknown():
    found = summarise(operators(("a", "emulated", 3, 1.0), ("b", None, 1, 3.0), ("c", "native", 4, 4.0)))
    assert found.counts == {"native": 1, "fallback": 0, "unsupported": 0, "unknown": 2}
    assert found.share_unknown() == pytest.approx(0.5)
    assert found.shares()["native"] == 1


def test_all_unknown_says_nothing_of_shares():
    found = summarise(operators(("a", "unknown", 1, 5.0)))
    assert found.shares() is None
    assert found.share_unknown() == 1


def test_support_lists_and_other_blockers_are_not_what_a_model_uses():
    rows = operators(("a", "unsupported", None, None), role="status")
    assert summarise(rows) is None
    assert summarise(rows.iloc[:0]) is None


def test_where_all_runs_natively_there_are_no_blockers():
    assert summarise(operators(("aten.mm", "native", 1, 1.0))).blockers.empty
