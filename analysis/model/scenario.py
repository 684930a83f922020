"""Every input of the decision model, in one place: names, units, defaults, plausible ranges, sources.

A `Scenario` is what a file, a link or the sidebar states; whatever it leaves out takes the default shown here.
"""

from functools import cached_property
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from analysis.model.inputs import Count, NonNegative, Positive, Section, number, one_of, refusal, share

WORK_METRICS = (
    "output_tok_per_s",
    "total_tok_per_s",
    "req_per_s",
    "samples_per_s",
    "train_seq_per_s",
    "time_to_train_s",
)
LATENCY_METRICS = tuple(
    f"{latency}_ms_{statistic}"
    for latency in ("ttft", "tpot", "itl", "e2e")
    for statistic in ("mean", "p50", "p90", "p95", "p99")
)
LIKE_WITH_LIKE = "capacity blocks of p5.48xlarge and trn2.48xlarge, us-east-2, July 2026: like with like"


class Spend(Section):
    """What the GPU bill is and which part of it could move."""

    monthly_gpu_usd: float | None = number(None, "USD/month", "Monthly GPU spend", ge=0)
    growth_monthly: float = number(0.0, "per month", "Growth of the bill", low=-0.03, high=0.05, gt=-1)
    migratable_share: float | None = share(None, "Part of the workload that could move", low=0.3, high=0.95)
    follow_on_share: float = share(0.2, "Part of the rest that would follow later", low=0.0, high=0.7)


class Jobs(Section):
    """The workload under test, as jobs."""

    jobs_per_week: float = number(..., "jobs/week", "Jobs per week", ge=0)
    hours_per_job: float = number(..., "h", "Hours per job", ge=0)
    instances: float = number(..., "instances", "Instances per job", ge=0)
    price_per_instance_hour: float = number(..., "USD/h", "Price per instance-hour", ge=0)


class Commitment(Section):
    """GPU spend that is owed whether or not the work moves."""

    monthly_usd: float = number(0.0, "USD/month", "Committed GPU spend", ge=0)
    months_left: float = number(0.0, "months", "Months left of the commitment", ge=0)
    portable_share: float = share(0.0, "Part of the commitment usable on the candidate")


class Team(Section):
    """Who does the work."""

    engineers: Count = number(6, "engineers", "Team size", ge=1)
    loaded_usd_per_hour: float = number(120.0, "USD/h", "Cost of an engineer-hour", low=70.0, high=200.0, ge=0)
    engaged_max: Count = number(4, "engineers", "Most engineers engaged in the test", ge=1)
    hours_per_week_available: float = number(20.0, "h/week", "Hours a week each has for the test", gt=0)


class Workload(Section):
    """What is to be tested, and how much of it the candidate runs."""

    services: Count = number(2, "services", "Services that would move", ge=1)
    services_tested: Count = number(1, "services", "Services in the test", ge=1)
    unsupported_ops: Count = number(0, "operators", "Unsupported operators", ge=0)
    custom_kernels: Count = number(0, "kernels", "Custom CUDA kernels", ge=0)
    cuda_only_tools: Count = number(0, "tools", "CUDA-only tools in use", ge=0)
    path: str = number("native", "path", "Software path of the candidate", pattern="^(native|xla)$")
    share_native: float = share(1.0, "Share of time in native operators")
    share_fallback: float = share(0.0, "Share of time in operators that fall back")
    share_unsupported: float = share(0.0, "Share of time in operators that fail")
    fallback_slowdown: float = number(20.0, "times", "Slowdown by a fallback", low=5.0, high=100.0, ge=1)
    end_to_end_measured: bool = number(True, "yes/no", "The benchmark ran the whole model, fallbacks included")
    compile_hours_per_job: float = number(0.0, "h", "Cold compile per job", ge=0)
    cache_miss_rate: float = share(0.0, "Jobs that compile cold")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.services_tested > self.services:
            raise refusal("services_tested", "services_tested must be at most services")
        if abs(self.share_native + self.share_fallback + self.share_unsupported - 1) > 1e-6:
            raise refusal("share_native", "share_native, share_fallback and share_unsupported must add to 1")
        if self.share_native + self.share_fallback <= 0:
            raise refusal("share_native", "share_native + share_fallback must be greater than 0")
        return self


class Configuration(Section):
    """One measured configuration of one platform, with its repeated runs at one load.

    Very many runs are summed up: `throughput_runs` then holds their geometric mean alone, `runs` how many they are,
    `sd_log` the sample standard deviation of ln(units/s), and `latency_ms_runs` the worst latency.
    """

    name: str = number("", "name", "Configuration")
    price_per_hour: float = number(..., "USD/h", "Price per instance-hour, as billed", gt=0)
    throughput_runs: tuple[Positive, ...] = number(..., "units/s", "Throughput of each run", min_length=1, strict=False)
    latency_ms_runs: tuple[NonNegative, ...] = number((), "ms", "Latency of each run", strict=False)
    utilisation: float = number(1.0, "share", "Share of paid time doing useful work", gt=0, le=1)
    runs: Count | None = number(None, "runs", "Runs of which the one throughput is the geometric mean", ge=2)
    sd_log: float | None = number(None, "ln", "Standard deviation of ln(units/s) over those runs", ge=0)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.runs is None) != (self.sd_log is None):
            raise refusal("runs", "runs and sd_log are stated together")
        if self.runs is not None and len(self.throughput_runs) > 1:
            raise refusal("throughput_runs", "throughput_runs must hold one mean where runs is stated")
        return self

    @property
    def run_count(self) -> int:
        """How many runs were measured."""
        return self.runs or len(self.throughput_runs)

    @cached_property
    def log_throughput(self) -> tuple[float, float | None]:
        """Mean and sample standard deviation of ln(units/s) over the runs; one run has no deviation."""
        logs = np.log(np.asarray(self.throughput_runs, dtype=np.float64))
        deviation = float(logs.std(ddof=1)) if len(logs) > 1 else self.sd_log
        return float(logs.mean()), deviation


class Observation(Section):
    """A cost ratio that somebody else measured."""

    log_ratio: float = number(..., "ln", "ln(cost on candidate / cost on baseline)")
    se: float = number(..., "ln", "Standard error of it", gt=0)


class Benchmarks(Section):
    """What was measured, and by which objective it is judged."""

    baseline: tuple[Configuration, ...] = number((), "runs", "Measured on the baseline", strict=False)
    candidate: tuple[Configuration, ...] = number((), "runs", "Measured on the candidate", strict=False)
    slo_ms: float | None = number(None, "ms", "Latency objective (SLO)", gt=0)
    external: tuple[Observation, ...] = number((), "ratios", "Ratios measured by others", strict=False)
    slo_metric: Annotated[str, one_of(LATENCY_METRICS)] = number(
        "e2e_ms_p99", "column", "Latency that the objective is about"
    )
    region: str = number("us-east-2", "region", "Region of the price table")
    utilisation: float = number(1.0, "share", "Share of paid time doing useful work, both sides", gt=0, le=1)
    metric: Annotated[str | None, one_of(WORK_METRICS)] = number(None, "column", "Unit of work")
    model: str | None = number(None, "name", "Model compared")
    quality_tolerance: float = number(0.0, "quality units", "Quality that may be lost", ge=0)
    max_error_rate: float = share(0.05, "Failed requests above which a run does not count")


class Vendor(Section):
    """What is claimed before anything is measured."""

    more_work_per_dollar: float | None = number(None, "share", "Vendor's claim: more work per dollar", gt=-1)
    haircut: float = share(0.5, "Part of the claim not believed", low=0.0, high=1.0)
    sd_log: float = number(0.35, "ln", "Doubt about the cost ratio before measuring", low=0.2, high=0.5, gt=0)


class Evidence(Section):
    """How like ports have gone before."""

    successes: float = number(0.0, "ports", "Like ports that succeeded", ge=0)
    trials: float = number(0.0, "ports", "Like ports tried", ge=0)
    relevance: float = share(0.5, "How alike they are")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.successes > self.trials:
            raise refusal("successes", "successes must be at most trials")
        return self


class SuccessPrior(Section):
    """The chance that a port succeeds technically, and what lowers it."""

    p_base: float = number(0.85, "probability", "Chance of success, nothing in the way", low=0.6, high=0.95, gt=0, lt=1)
    alpha: float = number(2.0, "exponent", "Weight of the native share", low=1.0, high=4.0, ge=0)
    q_unsupported: float = share(0.97, "Factor per unsupported operator", low=0.9, high=0.99)
    q_kernel: float = share(0.85, "Factor per custom kernel", low=0.6, high=0.95)
    q_tool: float = share(0.95, "Factor per CUDA-only tool", low=0.8, high=0.99)
    q_slo_missed: float = share(0.25, "Factor where every configuration misses the SLO", low=0.0, high=0.5)
    concentration: float = number(4.0, "ports", "Weight of this prior, as a number of ports", gt=0)


class Effort(Section):
    """Hours of work, by activity."""

    setup: float = number(24.0, "h", "Set up accounts, instances and images", low=8.0, high=60.0, ge=0)
    learn_per_engineer: float = number(16.0, "h", "Learning, per engaged engineer", low=8.0, high=40.0, ge=0)
    report: float = number(8.0, "h", "Report", low=4.0, high=16.0, ge=0)
    review_per_engineer: float = number(4.0, "h", "Review, per engineer", low=2.0, high=8.0, ge=0)
    port_per_service: float = number(24.0, "h", "Port, per service tested", low=8.0, high=80.0, ge=0)
    parity_per_service: float = number(16.0, "h", "Check outputs, per service tested", low=8.0, high=40.0, ge=0)
    bench_per_service: float = number(24.0, "h", "Benchmark, per service tested", low=12.0, high=60.0, ge=0)
    per_unsupported_op: float = number(8.0, "h", "Per unsupported operator", low=2.0, high=24.0, ge=0)
    per_kernel: float = number(80.0, "h", "Per custom kernel", low=24.0, high=240.0, ge=0)
    per_tool: float = number(24.0, "h", "Per CUDA-only tool", low=8.0, high=80.0, ge=0)
    coordination: float = number(0.05, "share", "Extra effort per further engaged engineer", ge=0)
    xla_multiplier: float = number(1.5, "times", "Effort on the legacy XLA path", low=1.2, high=2.5, ge=0)
    wait_share: float = share(0.25, "Part of compile time that somebody waits for")
    migrate_per_service: float = number(60.0, "h", "Migrate, per service", low=24.0, high=160.0, ge=0)
    train_per_engineer: float = number(6.0, "h", "Training, per engineer", low=2.0, high=16.0, ge=0)
    ops_fixed: float = number(40.0, "h", "Monitoring, images, runbooks", low=16.0, high=120.0, ge=0)


class TestPlan(Section):
    """The bounded test: how long, how telling, how many accelerator hours."""

    __test__ = False  # pytest would collect a class of this name

    duration_months: float | None = number(None, "months", "Duration; empty: from the effort", ge=0)
    sensitivity: float = share(0.9, "Chance that a port which works passes", low=0.7, high=0.98)
    specificity: float = share(0.85, "Chance that a port which fails is found out", low=0.6, high=0.95)
    runs: Count = number(5, "runs", "Runs per platform", ge=0)
    run_sd_log: float = number(0.05, "ln", "Spread between runs", low=0.02, high=0.15, ge=0)
    transfer_sd_log: float = number(0.1, "ln", "What a bench misses of production", low=0.05, high=0.25, ge=0)
    baseline_hours: float = number(40.0, "h", "Baseline instance-hours", low=10.0, high=150.0, ge=0)
    candidate_hours: float = number(80.0, "h", "Candidate instance-hours", low=20.0, high=300.0, ge=0)
    compile_hours_per_service: float = number(6.0, "h", "Compile hours, per service", low=1.0, high=30.0, ge=0)
    min_billed_hours: float = number(
        24.0, "h", "Fewest hours billed", ge=0, source="capacity blocks come in whole days (AWS EC2 user guide, 2025)"
    )
    baseline_usd_per_hour: float = number(41.53, "USD/h", "Baseline price in the test", ge=0, source=LIKE_WITH_LIKE)
    candidate_usd_per_hour: float = number(35.76, "USD/h", "Candidate price in the test", ge=0, source=LIKE_WITH_LIKE)
    compile_usd_per_hour: float = number(35.76, "USD/h", "Price of the compile machine", ge=0, source=LIKE_WITH_LIKE)
    reuse: float = share(0.5, "Part of the test's work that a migration reuses")


class Migration(Section):
    """What moving takes, and what it costs if it fails."""

    months: float = number(1.5, "months", "Months from the decision to the first traffic", low=0.5, high=4.0, ge=0)
    ramp_months: float = number(3.0, "months", "Months from first to full traffic", low=1.0, high=6.0, ge=0)
    parallel_months: float = number(1.0, "months", "Months of running both", low=1.0, high=2.0, ge=0)
    parallel_share: float = share(0.5, "Part of the traffic run on both", low=0.25, high=1.0)
    data_gb: float = number(0.0, "GB", "Data to move", ge=0)
    usd_per_gb: float = number(0.02, "USD/GB", "Price of moving data", ge=0)
    failure_loss_factor: float = number(1.0, "times", "Migration cost lost on failure", low=0.5, high=1.5, ge=0)
    failure_extra_usd: float = number(0.0, "USD", "Other loss on failure", ge=0)
    failure_double_run_months: float = number(
        2.0, "months", "Months of double running on failure", low=1.0, high=4.0, ge=0
    )


class Recurring(Section):
    """What each new SDK release costs once production depends on it."""

    releases_per_year: float = number(7.0, "releases/year", "SDK releases", low=4.0, high=12.0, ge=0)
    adopted_share: float = share(0.5, "Part of the releases adopted", low=0.25, high=1.0)
    hours_per_service: float = number(6.0, "h", "Validation per release and service", low=2.0, high=16.0, ge=0)
    compute_usd_per_service: float = number(200.0, "USD", "Accelerator cost per release and service", ge=0)


class Finance(Section):
    """How far ahead, and what later money is worth."""

    annual_discount: float = number(0.10, "per year", "Discount rate", low=0.05, high=0.20, gt=-1)
    horizon_months: Count = number(24, "months", "Horizon", low=12, high=36, ge=1, le=600)


class Timing(Section):
    """How waiting changes the odds."""

    release_prob_per_month: float = share(0.58, "Chance of an SDK release in a month", low=0.33, high=1.0)
    gap_closed_per_release: float = share(0.10, "Part of the remaining gap a release closes", low=0.03, high=0.2)
    horizon_months: Count | None = number(None, "months", "Months in which to act; empty: the horizon", ge=1)


class Policy(Section):
    """What the team insists on."""

    require_own_benchmark: bool = number(True, "yes/no", "No migration without an own benchmark of both platforms")


class Range(Section):
    """What the user holds plausible of one input: low and high, or a measured standard deviation."""

    low: float | None = None
    high: float | None = None
    sd: float | None = Field(None, ge=0)


class Scenario(Section):
    """Hold every input of one decision.

    `ranges` replaces the shipped low and high of inputs, by their dotted names; only the doubt depends on it.
    """

    spend: Spend = Spend()
    jobs: Jobs | None = None
    commitment: Commitment = Commitment()
    team: Team = Team()
    workload: Workload = Workload()
    benchmarks: Benchmarks = Benchmarks()
    vendor: Vendor = Vendor()
    evidence: Evidence = Evidence()
    success_prior: SuccessPrior = SuccessPrior()
    effort: Effort = Effort()
    test: TestPlan = TestPlan()
    migration: Migration = Migration()
    recurring: Recurring = Recurring()
    finance: Finance = Finance()
    timing: Timing = Timing()
    policy: Policy = Policy()
    ranges: dict[str, Range] = Field(default_factory=dict)
    baseline: str = Field("cuda", min_length=1, json_schema_extra={"unit": "platform", "label": "Baseline"})
    candidate: str = Field("neuron", min_length=1, json_schema_extra={"unit": "platform", "label": "Candidate"})

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.timing.horizon_months is not None and self.timing.horizon_months > self.finance.horizon_months:
            raise refusal("timing.horizon_months", "horizon_months must be at most finance.horizon_months")
        return self

    def replace(self, values: dict[str, Any]) -> Self:
        """Return a copy with inputs replaced by dotted name, unchecked; arrays may stand in for numbers."""
        sections: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            section, field = name.split(".")
            sections.setdefault(section, {})[field] = value
        update = {name: getattr(self, name).model_copy(update=fields) for name, fields in sections.items()}
        return self.model_copy(update=update)
