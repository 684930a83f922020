import pytest

from analysis.model.success import success_beta, success_probability
from tests.analysis.builders import scenario


def test_the_prior_by_hand():
    work = {
        "share_native": 0.8,
        "share_fallback": 0.2,
        "unsupported_ops": 3,
        "custom_kernels": 2,
        "cuda_only_tools": 1,
    }
    prior = {"p_base": 0.9, "alpha": 1.5, "q_unsupported": 0.9, "q_kernel": 0.8, "q_tool": 0.7, "concentration": 10}
    mean = 0.9 * 0.8**1.5 * 0.9**3 * 0.8**2 * 0.7
    a, b = success_beta(scenario(workload=work, success_prior=prior))
    assert (a, b) == (pytest.approx(10 * mean), pytest.approx(10 * (1 - mean)))


def test_like_ports_count_by_their_relevance():
    past = {"successes": 3, "trials": 4, "relevance": 0.25}
    a, b = success_beta(scenario(evidence=past))
    assert (a, b) == (pytest.approx(3.4 + 0.75), pytest.approx(0.6 + 0.25))
    assert success_probability(scenario(evidence=past), "ok") == pytest.approx(4.15 / 5)


@pytest.mark.parametrize(("share", "edge"), [(0.0, 1e-6), (1.0, 0.85)])
def test_nothing_native_is_nearly_hopeless_and_never_impossible(share, edge):
    work = {"share_native": share, "share_fallback": 1 - share}
    assert success_probability(scenario(workload=work), "ok") == pytest.approx(edge)


def test_success_is_never_certain():
    prior = {"p_base": 1 - 1e-9}
    assert success_probability(scenario(success_prior=prior), "ok") == pytest.approx(1 - 1e-6)


@pytest.mark.parametrize(
    ("status", "factor"), [("ok", 1), ("no_configuration", 1), ("latency_missing", 1), ("slo_not_met", 0.25)]
)
def test_only_a_measured_miss_of_the_objective_lowers_the_chance(status, factor):
    assert success_probability(scenario(), status) == pytest.approx(0.85 * factor)
