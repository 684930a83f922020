"""The answer: the best next act, and every figure that goes with it (model sections 8 and 12)."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from analysis.errors import ScenarioError
from analysis.model.breakeven import (
    Region,
    TeamRange,
    break_even_jobs,
    break_even_spend,
    spend_regions,
    team_range,
    test_pays_from,
    worth_acting_from,
)
from analysis.model.cashflow import cash_by_month, discounted, internal_rate, payback_month
from analysis.model.effort import ActivityCost, revalidation_cost
from analysis.model.evaluation import ACTS, Evaluation, best_act, evaluate, recommended_acts
from analysis.model.scenario import Scenario
from analysis.model.success import success_beta
from analysis.model.testing import likely, value_information
from analysis.model.unit_cost import CONTRADICTORY_I2

MODEL_VERSION = "1"
_TOO_EXTREME = "these inputs are too large to calculate with together; check growth, horizon and spreads"


@dataclass(frozen=True, slots=True)
class Decision:
    """Hold the outputs of the model; the names and units are those of the JSON. None means never, or not defined."""

    decision: str
    recommendation: str
    values_usd: dict[str, float]
    net_value_of_test_usd: float
    unit_cost_baseline_usd: float | None
    unit_cost_candidate_usd: float | None
    baseline_status: str
    candidate_status: str
    ratio_median: float
    ratio_mean: float
    log_ratio_mean: float
    log_ratio_sd: float
    saving_share_mean: float
    saving_share_90: tuple[float, float]
    probability_saving_positive: float
    success_probability: float
    success_beta: tuple[float, float]
    validation_cost_usd: float
    validation_hours: float
    validation_compute_usd: float
    validation_months: float
    migration_cost_usd: float
    revalidation_usd_per_month: float
    stranded_commitment_usd: float
    npv_if_success_usd: float
    payback_month: float | None
    payback_month_discounted: float | None
    irr_monthly: float | None
    break_even_ratio: float | None
    break_even_spend_usd: float | None
    break_even_jobs_per_week: float | None
    worth_acting_from_usd: float | None
    test_pays_from_usd: float | None
    probability_go: float
    ratio_if_go: float | None
    value_if_go_usd: float | None
    payback_month_if_go: float | None
    workload_spend_usd: float
    validation_breakdown: tuple[ActivityCost, ...]
    evpi_usd: float
    evppi_technical_usd: float
    evppi_ratio_usd: float
    evsi_usd: float
    spend_regions: tuple[Region, ...]
    team_range: TeamRange
    monthly_spend_usd: float
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers, lists and dictionaries, ready for JSON."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def read_decision(values: dict[str, Any]) -> Decision:
    """Return the decision that `as_dict` wrote; the reverse of it."""
    return Decision(
        **{
            **values,
            "saving_share_90": tuple(values["saving_share_90"]),
            "success_beta": tuple(values["success_beta"]),
            "validation_breakdown": tuple(ActivityCost(**item) for item in values["validation_breakdown"]),
            "spend_regions": tuple(Region(**region) for region in values["spend_regions"]),
            "team_range": TeamRange(**values["team_range"]),
            "warnings": tuple(values["warnings"]),
        }
    )


def decide(scenario: Scenario) -> Decision:
    """Return the best next act and all that supports it.

    Raises:
        ScenarioError: if inputs that are each allowed overflow together.
    """
    try:
        with np.errstate(all="ignore"):  # what overflows is refused below
            point = evaluate(scenario)
    except (OverflowError, ZeroDivisionError):
        raise ScenarioError("", _TOO_EXTREME) from None
    figures = (point.test_usd, point.migrate_usd, point.npv_if_success_usd, point.belief.ratio_mean)
    if not all(math.isfinite(figure) for figure in (*figures, point.belief.sd, point.test_cost.months)):
        raise ScenarioError("", _TOO_EXTREME)
    values = {"do_nothing": 0.0, "test": point.test_usd, "migrate": point.migrate_usd}
    act = best_act(point.test_usd, point.migrate_usd)
    recommendation, gate = _recommend(scenario, point, act)
    regions = spend_regions(scenario)
    return Decision(
        decision=act,
        recommendation=recommendation,
        values_usd=values,
        net_value_of_test_usd=point.test_usd - max(0.0, point.migrate_usd),
        **_evidence(scenario, point),
        **_costs(scenario, point),
        **_returns(scenario, point),
        break_even_spend_usd=break_even_spend(scenario),
        break_even_jobs_per_week=break_even_jobs(scenario),
        worth_acting_from_usd=worth_acting_from(regions),
        test_pays_from_usd=test_pays_from(scenario),
        spend_regions=regions,
        team_range=team_range(scenario),
        workload_spend_usd=point.bill.movable_usd,
        monthly_spend_usd=point.bill.spend_usd,
        warnings=(*_warnings(scenario, point), *gate),
    )


def _recommend(scenario: Scenario, point: Evaluation, act: str) -> tuple[str, tuple[str, ...]]:
    recommended = ACTS[int(recommended_acts(scenario, point, ())[()])]
    return recommended, () if recommended == act else ("migrate_gated_no_own_benchmark",)


def _evidence(scenario: Scenario, point: Evaluation) -> dict[str, Any]:
    belief = point.belief
    return {
        "unit_cost_baseline_usd": point.baseline.usd_per_unit,
        "unit_cost_candidate_usd": point.candidate.usd_per_unit,
        "baseline_status": point.baseline.status,
        "candidate_status": point.candidate.status,
        "ratio_median": belief.ratio_median,
        "ratio_mean": belief.ratio_mean,
        "log_ratio_mean": belief.mean,
        "log_ratio_sd": belief.sd,
        "saving_share_mean": 1 - belief.ratio_mean,
        "saving_share_90": belief.saving_90,
        "probability_saving_positive": belief.probability_saving,
        "success_probability": point.p_success,
        "success_beta": success_beta(scenario),
    }


def _costs(scenario: Scenario, point: Evaluation) -> dict[str, Any]:
    information = value_information(point.now, point.belief, point.p_success, scenario.test)
    return {
        "validation_cost_usd": point.test_cost.usd,
        "validation_hours": point.test_cost.hours,
        "validation_compute_usd": point.test_cost.compute_usd,
        "validation_months": point.test_cost.months,
        "validation_breakdown": point.test_cost.activities,
        "migration_cost_usd": point.after_test.cost_usd,
        "revalidation_usd_per_month": revalidation_cost(scenario),
        "stranded_commitment_usd": point.after_test.stranded_usd,
        "evpi_usd": information.evpi,
        "evppi_technical_usd": information.evppi_technical,
        "evppi_ratio_usd": information.evppi_ratio,
        "evsi_usd": information.evsi,
    }


def _returns(scenario: Scenario, point: Evaluation) -> dict[str, Any]:
    horizon, annual = scenario.finance.horizon_months, scenario.finance.annual_discount
    plan, outcome, test_usd = point.after_test, point.outcome, point.test_cost.usd
    cash = cash_by_month(plan, point.belief.ratio_mean, test_usd, horizon)
    goes = likely(outcome.probability_go)
    ratio_if_go = outcome.ratio_go / outcome.probability_go if goes else None
    return {
        "npv_if_success_usd": point.npv_if_success_usd,
        "payback_month": payback_month(cash),
        "payback_month_discounted": payback_month(discounted(cash, annual)),
        "irr_monthly": internal_rate(cash),
        "break_even_ratio": plan.avoided_usd / plan.work_usd if plan.work_usd > 0 else None,
        "probability_go": outcome.probability_go,
        "ratio_if_go": ratio_if_go,
        "value_if_go_usd": outcome.value_usd / outcome.probability_go - test_usd if goes else None,
        "payback_month_if_go": None
        if ratio_if_go is None
        else payback_month(cash_by_month(plan, ratio_if_go, test_usd, horizon)),
    }


def _warnings(scenario: Scenario, point: Evaluation) -> tuple[str, ...]:
    found = [
        f"{side}_{status}"
        for side, status in (("baseline", point.baseline.status), ("candidate", point.candidate.status))
        if status in ("latency_missing", "slo_not_met")
    ]
    if point.pooled is not None and point.pooled.count > 1 and point.pooled.i2 > CONTRADICTORY_I2:
        found.append("contradictory_benchmarks")
    stated, jobs_usd = scenario.spend.monthly_gpu_usd, point.bill.job_spend_usd
    if stated is not None and jobs_usd is not None and jobs_usd > stated * (1 + 1e-6):
        found.append("job_spend_exceeds_monthly_spend")
    if scenario.commitment.monthly_usd > point.bill.spend_usd:
        found.append("commitment_exceeds_spend")
    return tuple(found)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return float(value) if isinstance(value, float) else value  # numpy's floats are floats, but print otherwise
