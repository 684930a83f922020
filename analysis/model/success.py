"""The chance that a port succeeds technically (model section 3)."""

from analysis.model.arrays import clip
from analysis.model.scenario import Scenario

_EDGE = 1e-6


def success_beta(scenario: Scenario) -> tuple[float, float]:
    """Return the parameters (a, b) of the Beta distribution of technical success.

    Success means: it runs, the outputs keep the quality that production needs, the latency objective holds, it can
    be operated.
    """
    prior, work, past = scenario.success_prior, scenario.workload, scenario.evidence
    mean = clip(
        prior.p_base
        * work.share_native**prior.alpha
        * prior.q_unsupported**work.unsupported_ops
        * prior.q_kernel**work.custom_kernels
        * prior.q_tool**work.cuda_only_tools,
        _EDGE,
        1 - _EDGE,
    )
    a = mean * prior.concentration + past.relevance * past.successes
    b = (1 - mean) * prior.concentration + past.relevance * (past.trials - past.successes)
    return a, b


def success_probability(scenario: Scenario, candidate_status: str) -> float:
    """Return the mean of that distribution, lowered where every measured configuration misses the objective."""
    a, b = success_beta(scenario)
    factor = scenario.success_prior.q_slo_missed if candidate_status == "slo_not_met" else 1.0
    return a / (a + b) * factor
