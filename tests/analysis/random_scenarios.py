"""Random valid scenarios, as a user could state them."""

from typing import Any

from hypothesis import strategies as st


def between(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False).map(lambda x: 0.0 if abs(x) < 1e-9 else x)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


share = between(0, 1)
money = st.one_of(st.just(0.0), between(1e3, 1e5), between(1e5, 3e6))


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    runs = draw(st.lists(between(50, 500), min_size=1, max_size=3))
    latencies = draw(st.just([]) | st.lists(between(50, 400), min_size=len(runs), max_size=len(runs)))
    return {
        "price_per_hour": draw(between(5, 100)),
        "throughput_runs": runs,
        "latency_ms_runs": latencies,
        "utilisation": draw(between(0.2, 1)),
    }


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, Any]:
    services = draw(st.integers(1, 6))
    native = draw(st.sampled_from([1.0, 0.98, 0.9, 0.6]))
    fallback = draw(st.sampled_from([0.0, 0.5, 1.0])) * (1 - native)
    return {
        "services": services,
        "services_tested": draw(st.integers(1, services)),
        "unsupported_ops": draw(st.integers(0, 6)),
        "custom_kernels": draw(st.integers(0, 4)),
        "cuda_only_tools": draw(st.integers(0, 3)),
        "path": draw(st.sampled_from(["native", "xla"])),
        "share_native": native,
        "share_fallback": fallback,
        "share_unsupported": 1 - native - fallback,
        "fallback_slowdown": draw(between(1, 60)),
        "end_to_end_measured": draw(st.booleans()),
        "compile_hours_per_job": draw(between(0, 1)),
        "cache_miss_rate": draw(share),
    }


jobs = st.fixed_dictionaries(
    {
        "jobs_per_week": between(0, 200),
        "hours_per_job": between(0.5, 20),
        "instances": st.integers(1, 4),
        "price_per_instance_hour": between(5, 80),
    }
)
benchmarks = st.fixed_dictionaries(
    {
        "baseline": st.lists(configurations(), max_size=2),
        "candidate": st.lists(configurations(), max_size=2),
        "slo_ms": maybe(between(60, 400)),
        "external": st.lists(
            st.fixed_dictionaries({"log_ratio": between(-0.8, 0.5), "se": between(0.05, 0.5)}), max_size=2
        ),
    }
)
tests = st.fixed_dictionaries(
    {
        "duration_months": maybe(between(0, 8)),
        "sensitivity": share,
        "specificity": share,
        "runs": st.integers(0, 20),
        "run_sd_log": between(0.01, 0.3),
        "transfer_sd_log": between(0, 0.3),
        "baseline_hours": between(0, 150),
        "candidate_hours": between(0, 300),
        "reuse": share,
    }
)
scenarios: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "spend": st.fixed_dictionaries(
            {
                "monthly_gpu_usd": money,
                "growth_monthly": between(-0.03, 0.05),
                "migratable_share": maybe(share),
                "follow_on_share": share,
            }
        ),
        "jobs": maybe(jobs),
        "commitment": st.fixed_dictionaries(
            {"monthly_usd": st.just(0.0) | between(0, 2e5), "months_left": between(0, 40), "portable_share": share}
        ),
        "team": st.fixed_dictionaries(
            {"engineers": st.integers(1, 40), "loaded_usd_per_hour": between(50, 200), "engaged_max": st.integers(1, 8)}
        ),
        "workload": workloads(),
        "benchmarks": benchmarks,
        "vendor": st.fixed_dictionaries(
            {"more_work_per_dollar": maybe(between(-0.4, 2)), "haircut": share, "sd_log": between(0.05, 0.8)}
        ),
        "evidence": st.fixed_dictionaries(
            {"successes": st.integers(0, 3), "trials": st.integers(3, 5), "relevance": share}
        ),
        "test": tests,
        "migration": st.fixed_dictionaries(
            {
                "months": between(0, 5),
                "ramp_months": st.just(0.0) | between(0.5, 6),
                "parallel_months": between(0, 2),
                "failure_extra_usd": st.just(0.0) | between(0, 1e5),
                "data_gb": between(0, 1e6),
            }
        ),
        "finance": st.fixed_dictionaries({"annual_discount": between(0, 0.4), "horizon_months": st.integers(1, 40)}),
        "policy": st.fixed_dictionaries({"require_own_benchmark": st.booleans()}),
    }
)
