"""Sobol indices against published values, another implementation, and cases worked out by hand."""

import numpy as np
import pytest

from analysis.model.sobol import compute_sobol_indices, sobol_indices
from analysis.model.uncertainty import sobol_points
from tests.analysis.builders import scenario

FIRST = (0.3139, 0.4424, 0.0)
TOTAL = (0.5576, 0.4424, 0.2437)
NAMES = ["x1", "x2", "x3"]
CLAIM = {"vendor": {"more_work_per_dollar": 0.7}}


def ishigami(points, a=7.0, b=0.1):
    """Ishigami and Homma (1990), on the unit cube."""
    x = -np.pi + 2 * np.pi * points.numpy()
    return np.sin(x[:, 0]) + a * np.sin(x[:, 1]) ** 2 + b * x[:, 2] ** 4 * np.sin(x[:, 0])


@pytest.fixture(scope="module")
def found():
    return sobol_indices(ishigami, NAMES, 8192, seed=1)


def test_ishigami_has_the_published_indices(found):
    assert [index.first for index in found] == pytest.approx(FIRST, abs=0.01)
    assert [index.total for index in found] == pytest.approx(TOTAL, abs=0.01)
    assert [index.name for index in found] == NAMES


def test_the_intervals_cover_the_published_indices(found):
    for index, first, total in zip(found, FIRST, TOTAL, strict=True):
        assert index.first_interval[0] - 1e-4 <= first <= index.first_interval[1] + 1e-4
        assert index.total_interval[0] - 1e-4 <= total <= index.total_interval[1] + 1e-4
        assert index.total_interval[0] < index.total_interval[1]


def test_intervals_narrow_with_draws(found):
    few = sobol_indices(ishigami, NAMES, 256, seed=1)
    widths = [[i.first_interval[1] - i.first_interval[0] for i in indices] for indices in (found, few)]
    assert np.mean(widths[0]) < np.mean(widths[1]) / 2


def test_the_same_seed_gives_the_same_indices(found):
    assert sobol_indices(ishigami, NAMES, 8192, seed=1) == found
    assert sobol_indices(ishigami, NAMES, 8192, seed=2) != found


def test_a_sum_has_no_interactions():
    weights = np.array([1.0, 2.0, 3.0])
    found = sobol_indices(lambda points: points.numpy() @ weights, NAMES, 2048, seed=0)
    shares = weights**2 / (weights**2).sum()
    assert [index.first for index in found] == pytest.approx(shares, abs=0.01)
    assert [index.total for index in found] == pytest.approx(shares, abs=0.01)


def test_what_does_not_vary_has_indices_of_zero():
    for index in sobol_indices(lambda points: np.full(len(points), 3.0), NAMES, 64, seed=0):
        assert (index.first, index.total) == (0, 0)
        assert index.first_interval == index.total_interval == (0, 0)


def test_salib_agrees(found):
    """SALib's own estimators on the same points."""
    salib = pytest.importorskip("SALib.analyze.sobol")
    points = sobol_points(6, 8192, 1)
    a, b = points[:, :3], points[:, 3:]
    rows = [a]
    for i in range(3):
        rows.append(a.clone())
        rows[-1][:, i] = b[:, i]
    values = np.stack([ishigami(row) for row in [*rows, b]], axis=1).ravel()  # SALib's order: A, A with b_i, B
    problem = {"num_vars": 3, "names": NAMES, "bounds": [[0, 1]] * 3}
    other = salib.analyze(problem, values, calc_second_order=False, seed=1)
    assert [index.first for index in found] == pytest.approx(other["S1"], abs=5e-3)
    assert [index.total for index in found] == pytest.approx(other["ST"], abs=5e-3)
    half = 1.6449 / 1.96  # SALib's intervals are of 95 %
    for index, spread in zip(found, other["ST_conf"], strict=True):
        width = (index.total_interval[1] - index.total_interval[0]) / 2
        assert width == pytest.approx(spread * half, rel=0.35)


def test_indices_of_the_model_name_what_matters():
    ranges = {"effort.report": {"low": 7.9, "high": 8.1}, "vendor.haircut": {"low": 0.0, "high": 1.0}}
    found = compute_sobol_indices(scenario(**CLAIM, ranges=ranges), draws=64, seed=0)
    assert [i.total for i in found] == sorted((i.total for i in found), reverse=True)
    by_name = {i.name: i for i in found}
    assert by_name["vendor.haircut"].total > 0.1 > 1e-3 > by_name["effort.report"].total
    assert by_name["success_prior.q_slo_missed"].total == 0, "no objective, so nothing can miss it"
    assert "finance.horizon_months" not in by_name
    assert all(np.isfinite([i.first, i.total, *i.first_interval, *i.total_interval]).all() for i in found)
