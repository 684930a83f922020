"""What the test costs, what migrating costs, and what each SDK release costs afterwards (model sections 4 and 5)."""

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.model.arrays import maximum, minimum, where
from analysis.model.scenario import Scenario
from analysis.model.workload import WEEKS_PER_MONTH


@dataclass(frozen=True, slots=True)
class ActivityCost:
    """Hours and USD of one activity of the test."""

    activity: str
    hours: float
    usd: float


@dataclass(frozen=True, slots=True)
class TestCost:
    """Price of the test, in USD, with its hours of work, its duration in months and its activities."""

    __test__ = False  # pytest would collect a class of this name

    usd: float
    hours: float
    engineering_usd: float
    compute_usd: float
    months: float
    activities: tuple[ActivityCost, ...]


def path_multiplier(scenario: Scenario) -> float:
    """Return the factor on effort: 1 on the native path, more on the legacy XLA path."""
    return scenario.effort.xla_multiplier if scenario.workload.path == "xla" else 1.0


def compute_test_cost(scenario: Scenario) -> TestCost:
    """Return what the bounded test costs, by activity."""
    team, work, effort, test = scenario.team, scenario.workload, scenario.effort, scenario.test
    engaged = minimum(team.engineers, team.engaged_max)
    tested_share = work.services_tested / work.services
    factor = path_multiplier(scenario) * (1 + effort.coordination * (engaged - 1))
    compile_hours = test.compile_hours_per_service * work.services_tested
    rate = team.loaded_usd_per_hour
    engaged_hours = {
        "setup": effort.setup,
        "learning": engaged * effort.learn_per_engineer,
        "porting": work.services_tested * effort.port_per_service,
        "parity": work.services_tested * effort.parity_per_service,
        "benchmarking": work.services_tested * effort.bench_per_service,
        "unsupported_operators": tested_share * work.unsupported_ops * effort.per_unsupported_op,
        "custom_kernels": tested_share * work.custom_kernels * effort.per_kernel,
        "cuda_only_tools": tested_share * work.cuda_only_tools * effort.per_tool,
        "report": effort.report,
    }
    other_hours = {
        "review": team.engineers * effort.review_per_engineer,
        "waiting_for_compiles": effort.wait_share * compile_hours,
    }
    compute_usd = {
        "baseline_compute": _billed_hours(test.baseline_hours, test.min_billed_hours) * test.baseline_usd_per_hour,
        "candidate_compute": _billed_hours(test.candidate_hours, test.min_billed_hours) * test.candidate_usd_per_hour,
        "compile_compute": compile_hours * test.compile_usd_per_hour,
    }
    hours_by_activity = {name: factor * hours for name, hours in engaged_hours.items()} | other_hours
    activities = [ActivityCost(name, hours, hours * rate) for name, hours in hours_by_activity.items()]
    activities += [ActivityCost(name, 0.0, usd) for name, usd in compute_usd.items()]
    engaged_total = factor * _sum(engaged_hours.values())
    hours = engaged_total + _sum(other_hours.values())
    work_per_month = engaged * team.hours_per_week_available * WEEKS_PER_MONTH
    months = (engaged_total + other_hours["waiting_for_compiles"]) / work_per_month
    return TestCost(
        usd=hours * rate + _sum(compute_usd.values()),
        hours=hours,
        engineering_usd=hours * rate,
        compute_usd=_sum(compute_usd.values()),
        months=months if test.duration_months is None else test.duration_months,
        activities=tuple(activities),
    )


def migration_cost(scenario: Scenario, credit_usd: float) -> float:
    """Return what migrating costs in USD; a test that went before is credited with the work that carries over."""
    team, work, effort, move = scenario.team, scenario.workload, scenario.effort, scenario.migration
    hours = (
        work.services * effort.migrate_per_service
        + work.unsupported_ops * effort.per_unsupported_op
        + work.custom_kernels * effort.per_kernel
        + work.cuda_only_tools * effort.per_tool
        + effort.ops_fixed
    ) * path_multiplier(scenario) + team.engineers * effort.train_per_engineer
    return maximum(0.0, hours * team.loaded_usd_per_hour - credit_usd) + move.data_gb * move.usd_per_gb


def revalidation_cost(scenario: Scenario) -> float:
    """Return what validating each adopted SDK release costs, in USD per month."""
    recurring, rate = scenario.recurring, scenario.team.loaded_usd_per_hour
    per_service = recurring.hours_per_service * rate + recurring.compute_usd_per_service
    return recurring.releases_per_year / 12 * recurring.adopted_share * scenario.workload.services * per_service


def _billed_hours(hours: float, fewest: float) -> float:
    return where(hours > 0, maximum(hours, fewest), 0.0)


def _sum(values: Iterable[float]) -> float:
    return sum(values, 0.0)
