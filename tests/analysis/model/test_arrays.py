"""Inputs that are arrays or tensors: one call at many points gives what many calls at one point give."""

import numpy as np
import pytest

from analysis.model import arrays
from analysis.model.evaluation import evaluate
from tests.analysis.builders import MEASURED, scenario

START = {
    "spend": {"monthly_gpu_usd": 90_000.0, "growth_monthly": 0.01},
    "jobs": {"jobs_per_week": 20.0, "hours_per_job": 5.0, "instances": 2.0, "price_per_instance_hour": 40.0},
    "commitment": {"monthly_usd": 30_000.0, "months_left": 7.0},
    "workload": {"compile_hours_per_job": 0.2, "cache_miss_rate": 0.4, "share_native": 0.97, "share_fallback": 0.03},
    "benchmarks": MEASURED,
}
POINTS = {
    "spend.monthly_gpu_usd": [0.0, 40_000.0, 2e6],
    "spend.growth_monthly": [-0.02, 0.0, 0.04],
    "spend.follow_on_share": [0.0, 0.5, 1.0],
    "jobs.jobs_per_week": [0.0, 3.0, 400.0],
    "jobs.hours_per_job": [0.5, 5.0, 50.0],
    "commitment.monthly_usd": [0.0, 60_000.0, 1e6],
    "commitment.months_left": [0.0, 6.5, 60.0],
    "commitment.portable_share": [0.0, 0.4, 1.0],
    "team.engineers": [1, 4, 90],
    "team.loaded_usd_per_hour": [0.0, 70.0, 200.0],
    "workload.unsupported_ops": [0, 3, 60],
    "workload.custom_kernels": [0, 2, 20],
    "workload.fallback_slowdown": [1.0, 20.0, 100.0],
    "vendor.more_work_per_dollar": [-0.5, 0.0, 3.0],
    "vendor.sd_log": [0.1, 0.35, 0.9],
    "success_prior.p_base": [0.1, 0.5, 0.95],
    "test.duration_months": [0.0, 3.0, 40.0],
    "test.sensitivity": [0.0, 0.5, 1.0],
    "test.runs": [0, 1, 50],
    "test.transfer_sd_log": [0.0, 0.1, 5.0],
    "migration.months": [0.0, 1.5, 30.0],
    "migration.ramp_months": [0.0, 1.0, 6.0],
    "finance.annual_discount": [-0.05, 0.0, 0.3],
}
FIGURES = ("test_usd", "migrate_usd", "npv_if_success_usd", "p_success")


@pytest.mark.parametrize("name", POINTS)
def test_many_points_at_once_are_the_same_as_one_by_one(name):
    start = scenario(**START)
    values = np.array(POINTS[name])
    together = evaluate(start.replace({name: values}))
    for i, value in enumerate(POINTS[name]):
        alone = evaluate(start.replace({name: value}))
        for figure in FIGURES:
            got = np.broadcast_to(getattr(together, figure), values.shape)[i]
            assert got == pytest.approx(getattr(alone, figure), rel=1e-11, abs=1e-6), (figure, value)


def test_two_inputs_at_once_are_paired():
    start = scenario(**START)
    bills, sizes = np.array([1e4, 1e5, 1e6]), np.array([2, 6, 12])
    together = evaluate(start.replace({"spend.monthly_gpu_usd": bills, "team.engineers": sizes}))
    for i in range(3):
        alone = evaluate(start.replace({"spend.monthly_gpu_usd": float(bills[i]), "team.engineers": int(sizes[i])}))
        assert together.test_usd[i] == pytest.approx(alone.test_usd, rel=1e-11)


def test_replacing_leaves_the_original_alone():
    start = scenario(**START)
    other = start.replace({"spend.monthly_gpu_usd": 5.0, "spend.growth_monthly": 0.0, "team.engineers": 2})
    assert (other.spend.monthly_gpu_usd, other.spend.growth_monthly, other.team.engineers) == (5.0, 0.0, 2)
    assert start.spend.monthly_gpu_usd == 90_000
    assert other.workload is start.workload


# Points away from the edges, where a gradient exists.
CONTINUOUS = [name for name in POINTS if name not in ("team.engineers", "test.runs")]


@pytest.mark.parametrize("name", CONTINUOUS)
def test_tensors_give_the_same_numbers_and_finite_gradients(name):
    import torch

    start = scenario(**START)
    values = [float(POINTS[name][1]), 0.99 * POINTS[name][1] + 0.003]
    tensor = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    got, expected = evaluate(start.replace({name: tensor})), evaluate(start.replace({name: np.array(values)}))
    total = 0.0
    for figure in FIGURES:
        value = getattr(got, figure)
        if isinstance(value, torch.Tensor):
            wanted = np.broadcast_to(getattr(expected, figure), value.shape)
            assert value.detach().numpy() == pytest.approx(wanted, rel=1e-10, abs=1e-6), figure
            total = total + value.sum()
    if name != "commitment.months_left":  # it only decides which months are owed: there is no slope
        (slope,) = torch.autograd.grad(total, tensor)
        assert torch.isfinite(slope).all()


def test_a_gradient_is_the_slope():
    import torch

    start = scenario(**START)

    def npv(usd):
        return evaluate(start.replace({"spend.monthly_gpu_usd": usd})).npv_if_success_usd

    usd = torch.tensor(150_000.0, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(npv(usd), usd)
    assert float(slope) == pytest.approx((npv(150_100.0) - npv(149_900.0)) / 200, rel=1e-6)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_functions_are_those_of_either_library(library):
    if library == "torch":
        import torch

        make = lambda *values: torch.tensor(values, dtype=torch.float64)  # noqa: E731
    else:
        make = lambda *values: np.array(values)  # noqa: E731
    x = make(0.5, 2.0)
    assert [float(v) for v in arrays.exp(arrays.log(x))] == pytest.approx([0.5, 2.0])
    assert [float(v) for v in arrays.sqrt(x * x)] == pytest.approx([0.5, 2.0])
    assert [float(v) for v in arrays.ceil(x)] == [1, 2]
    assert [float(v) for v in arrays.clip(x, 1.0, 1.5)] == [1, 1.5]
    assert [float(v) for v in arrays.maximum(x, 1.0)] == [1, 2]
    assert [float(v) for v in arrays.minimum(1.0, x)] == [0.5, 1]
    assert [float(v) for v in arrays.where(x > 1, x, 0.0)] == [0, 2]
    assert [float(v) for v in arrays.ndtr(make(0.0, 1.6448536269514722))] == pytest.approx([0.5, 0.95])
    assert [float(v) for v in arrays.months(3, x)] == [1, 2, 3]
    assert type(arrays.months(3, x)) is type(x)
    assert float(arrays.total(arrays.months(3, x))) == 6
    assert tuple(arrays.by_month(x).shape) == (2, 1)
    assert arrays.by_month(7.0) == 7.0


def test_a_choice_between_numbers_is_a_number():
    assert arrays.where(True, 1.5, 2.5) == 1.5
    assert np.ndim(arrays.where(False, 1.5, 2.5)) == 0
