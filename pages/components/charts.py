"""The charts of a decision, by the key of their container."""

from analysis.figures.cash import draw_cash
from analysis.figures.theme import Chart
from analysis.figures.validation import draw_validation
from analysis.figures.values import draw_jobs, draw_spend
from analysis.model.curves import cash_paths, cost_by_team, value_by_jobs, value_by_spend
from pages.components.answer import Answer


def decision_charts(answer: Answer) -> dict[str, Chart]:
    """Return break-even by spend and by jobs (where there are jobs), cumulative cash, and the cost of the test."""
    scenario, decision = answer.filled.scenario, answer.decision
    horizon, pays_from = scenario.finance.horizon_months, decision.worth_acting_from_usd
    charts = {"break_even_chart": draw_spend(value_by_spend(scenario, pays_from), pays_from, horizon)}
    jobs = value_by_jobs(scenario, decision.break_even_jobs_per_week)
    if jobs:
        charts["jobs_chart"] = draw_jobs(jobs, horizon)
    charts["cash_chart"] = draw_cash(cash_paths(scenario), horizon)
    charts["validation_cost_chart"] = draw_validation(cost_by_team(scenario))
    return charts
