"""The model written a second time, as plainly as possible: loops over months, and integrals done numerically.

Nothing here shares code with `analysis`: where both agree, two people would have had to make the same mistake.
"""

import copy
import itertools
import math
import statistics
from typing import Any

from scipy.integrate import quad

DEFAULTS: dict[str, Any] = {
    "spend": {"monthly_gpu_usd": None, "growth_monthly": 0.0, "migratable_share": None, "follow_on_share": 0.2},
    "jobs": None,
    "commitment": {"monthly_usd": 0, "months_left": 0, "portable_share": 0},
    "team": {"engineers": 6, "loaded_usd_per_hour": 120, "engaged_max": 4, "hours_per_week_available": 20},
    "workload": {
        "services": 2,
        "services_tested": 1,
        "unsupported_ops": 0,
        "custom_kernels": 0,
        "cuda_only_tools": 0,
        "path": "native",
        "share_native": 1,
        "share_fallback": 0,
        "share_unsupported": 0,
        "fallback_slowdown": 20,
        "end_to_end_measured": True,
        "compile_hours_per_job": 0,
        "cache_miss_rate": 0,
    },
    "benchmarks": {
        "baseline": [],
        "candidate": [],
        "slo_ms": None,
        "external": [],
        "slo_metric": "e2e_ms_p99",
        "region": "us-east-2",
        "utilisation": 1,
        "metric": None,
        "model": None,
        "quality_tolerance": 0,
        "max_error_rate": 0.05,
    },
    "vendor": {"more_work_per_dollar": None, "haircut": 0.5, "sd_log": 0.35},
    "evidence": {"successes": 0, "trials": 0, "relevance": 0.5},
    "success_prior": {
        "p_base": 0.85,
        "alpha": 2,
        "q_unsupported": 0.97,
        "q_kernel": 0.85,
        "q_tool": 0.95,
        "q_slo_missed": 0.25,
        "concentration": 4,
    },
    "effort": {
        "setup": 24,
        "learn_per_engineer": 16,
        "report": 8,
        "review_per_engineer": 4,
        "port_per_service": 24,
        "parity_per_service": 16,
        "bench_per_service": 24,
        "per_unsupported_op": 8,
        "per_kernel": 80,
        "per_tool": 24,
        "coordination": 0.05,
        "xla_multiplier": 1.5,
        "wait_share": 0.25,
        "migrate_per_service": 60,
        "train_per_engineer": 6,
        "ops_fixed": 40,
    },
    "test": {
        "duration_months": None,
        "sensitivity": 0.9,
        "specificity": 0.85,
        "runs": 5,
        "run_sd_log": 0.05,
        "transfer_sd_log": 0.1,
        "baseline_hours": 40,
        "candidate_hours": 80,
        "compile_hours_per_service": 6,
        "min_billed_hours": 24,
        "baseline_usd_per_hour": 41.53,
        "candidate_usd_per_hour": 35.76,
        "compile_usd_per_hour": 35.76,
        "reuse": 0.5,
    },
    "migration": {
        "months": 1.5,
        "ramp_months": 3,
        "parallel_months": 1,
        "parallel_share": 0.5,
        "data_gb": 0,
        "usd_per_gb": 0.02,
        "failure_loss_factor": 1,
        "failure_extra_usd": 0,
        "failure_double_run_months": 2,
    },
    "recurring": {"releases_per_year": 7, "adopted_share": 0.5, "hours_per_service": 6, "compute_usd_per_service": 200},
    "finance": {"annual_discount": 0.1, "horizon_months": 24},
    "timing": {"release_prob_per_month": 0.58, "gap_closed_per_release": 0.1, "horizon_months": None},
    "policy": {"require_own_benchmark": True},
    "baseline": "cuda",
    "candidate": "neuron",
}


def complete(stated: dict[str, Any]) -> dict[str, Any]:
    """Return all inputs: those stated, the defaults for the rest."""
    full = copy.deepcopy(DEFAULTS)
    for section, values in stated.items():
        if values is None:
            continue
        if isinstance(values, dict) and isinstance(full[section], dict):
            full[section].update({name: value for name, value in values.items() if value is not None})
        else:
            full[section] = values
    return full


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def normal_mean_of(f, mean: float, sd: float, upto: float) -> float:
    """Integrate f over a normal distribution, from far below its mean up to `upto`."""
    low, high = mean - 14 * sd, min(upto, mean + 14 * sd)
    if high <= low:
        return 0.0
    parts = [low, *(p for p in (mean - 4 * sd, mean - sd, mean, mean + sd, mean + 4 * sd) if low < p < high), high]
    density = lambda z: math.exp(-(((z - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))  # noqa: E731
    return sum(quad(lambda z: f(z) * density(z), a, b, epsabs=0, epsrel=1e-11)[0] for a, b in itertools.pairwise(parts))


def gain(alpha: float, beta: float, mean: float, variance: float) -> float:
    """E max(0, α − β e^Z) by numerical integration over Z."""
    if alpha <= 0:
        return 0.0
    if variance == 0:
        return max(0.0, alpha - beta * math.exp(mean))
    upto = math.log(alpha / beta) if beta > 0 else math.inf
    return normal_mean_of(lambda z: alpha - beta * math.exp(z), mean, math.sqrt(variance), upto)


def bill(s: dict[str, Any]) -> tuple[float, float, float]:
    """B0, M0 and μ."""
    spend, jobs = s["spend"], s["jobs"]
    if jobs is None:
        b0 = 50_000 if spend["monthly_gpu_usd"] is None else spend["monthly_gpu_usd"]
        m0 = (0.7 if spend["migratable_share"] is None else spend["migratable_share"]) * b0
    else:
        hours_per_month = jobs["jobs_per_week"] * (730 / 7 / 24) * jobs["hours_per_job"] * jobs["instances"]
        cost = hours_per_month * jobs["price_per_instance_hour"]
        b0 = max(cost, spend["monthly_gpu_usd"] or 0)
        m0 = (1 if spend["migratable_share"] is None else spend["migratable_share"]) * cost
        m0 += spend["follow_on_share"] * (b0 - cost)
    return b0, m0, m0 / b0 if b0 > 0 else 0.0


def platform(configurations: list[dict[str, Any]], slo: float | None, run_sd: float):
    """Status, ln cost, variance of it, and price of the cheapest admissible configuration."""
    if not configurations:
        return "no_configuration", None, None, None
    best, missed = None, False
    for c in configurations:
        runs, latencies = c["throughput_runs"], c.get("latency_ms_runs", [])
        over = slo is not None and any(x > slo for x in latencies)
        missed = missed or over
        if over or (slo is not None and len(latencies) < len(runs)):
            continue
        logs = [math.log(x) for x in runs]
        sd = max(1e-6, statistics.stdev(logs)) if len(logs) > 1 else max(1e-6, run_sd)
        cost = math.log(c["price_per_hour"] / 3600 / c.get("utilisation", 1.0)) - sum(logs) / len(logs)
        if best is None or cost < best[1]:
            best = ("ok", cost, sd * sd / len(logs), c["price_per_hour"])
    return best or ("slo_not_met" if missed else "latency_missing", None, None, None)


def pooled(observed: list[tuple[float, float]], tau: float):
    """DerSimonian–Laird: mean, variance and I²."""
    w = [1 / v for _, v in observed]
    ys = [y for y, _ in observed]
    mean = sum(a * y for a, y in zip(w, ys, strict=True)) / sum(w)
    q = sum(a * (y - mean) ** 2 for a, y in zip(w, ys, strict=True))
    df = len(observed) - 1
    between = max(0.0, (q - df) / (sum(w) - sum(a * a for a in w) / sum(w))) if df else 0.0
    w = [1 / (v + between) for _, v in observed]
    mean = sum(a * y for a, y in zip(w, ys, strict=True)) / sum(w)
    return mean, 1 / sum(w) + tau**2, max(0.0, (q - df) / q) if q > 0 else 0.0


def belief(s: dict[str, Any]) -> tuple[float, float, str, str]:
    """Mean and s.d. of ln r, and the status of both platforms."""
    work, vendor, marks, test = s["workload"], s["vendor"], s["benchmarks"], s["test"]
    fn, fc = work["share_native"], work["share_fallback"]
    penalty = math.log((fn + work["fallback_slowdown"] * fc) / (fn + fc))
    base = platform(marks["baseline"], marks["slo_ms"], test["run_sd_log"])
    cand = platform(marks["candidate"], marks["slo_ms"], test["run_sd_log"])
    observed = [(o["log_ratio"], o["se"] ** 2) for o in marks["external"]]
    if base[0] == cand[0] == "ok":
        own = cand[1] - base[1] + (0 if work["end_to_end_measured"] else penalty)
        observed.insert(0, (own, cand[2] + base[2]))
    claim = vendor["more_work_per_dollar"]
    prior = penalty + (0 if claim is None else (1 - vendor["haircut"]) * math.log(1 / (1 + claim)))
    mean, variance = prior, vendor["sd_log"] ** 2
    if observed:
        y, v, _ = pooled(observed, test["transfer_sd_log"])
        precision = 1 / vendor["sd_log"] ** 2 + 1 / v
        mean, variance = (prior / vendor["sd_log"] ** 2 + y / v) / precision, 1 / precision
    jobs, hours = s["jobs"], work["compile_hours_per_job"] * work["cache_miss_rate"]
    if jobs is not None and hours > 0:
        price = cand[3] if cand[0] == "ok" else test["candidate_usd_per_hour"]
        mean = math.log(math.exp(mean) + hours * price / (jobs["hours_per_job"] * jobs["price_per_instance_hour"]))
    return mean, math.sqrt(variance), base[0], cand[0]


def success(s: dict[str, Any], candidate_status: str) -> float:
    prior, work, past = s["success_prior"], s["workload"], s["evidence"]
    m = prior["p_base"] * work["share_native"] ** prior["alpha"]
    for factor, count in (
        ("q_unsupported", "unsupported_ops"),
        ("q_kernel", "custom_kernels"),
        ("q_tool", "cuda_only_tools"),
    ):
        for _ in range(work[count]):
            m *= prior[factor]
    m = min(max(m, 1e-6), 1 - 1e-6)
    a = m * prior["concentration"] + past["relevance"] * past["successes"]
    b = (1 - m) * prior["concentration"] + past["relevance"] * (past["trials"] - past["successes"])
    return a / (a + b) * (prior["q_slo_missed"] if candidate_status == "slo_not_met" else 1)


def test_price(s: dict[str, Any]) -> dict[str, float]:
    """Cost of the test, its engineering part, hours and months."""
    team, work, effort, test = s["team"], s["workload"], s["effort"], s["test"]
    engaged = min(team["engineers"], team["engaged_max"])
    k = (effort["xla_multiplier"] if work["path"] == "xla" else 1) * (1 + effort["coordination"] * (engaged - 1))
    tested, part = work["services_tested"], work["services_tested"] / work["services"]
    inner = effort["setup"] + engaged * effort["learn_per_engineer"] + effort["report"]
    inner += tested * (effort["port_per_service"] + effort["parity_per_service"] + effort["bench_per_service"])
    inner += part * work["unsupported_ops"] * effort["per_unsupported_op"]
    inner += part * work["custom_kernels"] * effort["per_kernel"] + part * work["cuda_only_tools"] * effort["per_tool"]
    compiles = test["compile_hours_per_service"] * tested
    hours = k * inner + team["engineers"] * effort["review_per_engineer"] + effort["wait_share"] * compiles
    billed = lambda h: max(h, test["min_billed_hours"]) if h > 0 else 0  # noqa: E731
    compute = billed(test["baseline_hours"]) * test["baseline_usd_per_hour"]
    compute += billed(test["candidate_hours"]) * test["candidate_usd_per_hour"]
    compute += compiles * test["compile_usd_per_hour"]
    months = (k * inner + effort["wait_share"] * compiles) / (engaged * team["hours_per_week_available"] * 730 / 168)
    if test["duration_months"] is not None:
        months = test["duration_months"]
    engineering = hours * team["loaded_usd_per_hour"]
    return {"usd": engineering + compute, "engineering": engineering, "hours": hours, "months": months}


test_price.__test__ = False  # pytest would collect a function of this name


def migration_price(s: dict[str, Any], credit: float) -> float:
    team, work, effort, move = s["team"], s["workload"], s["effort"], s["migration"]
    hours = work["services"] * effort["migrate_per_service"] + work["unsupported_ops"] * effort["per_unsupported_op"]
    hours += work["custom_kernels"] * effort["per_kernel"] + work["cuda_only_tools"] * effort["per_tool"]
    hours = (hours + effort["ops_fixed"]) * (effort["xla_multiplier"] if work["path"] == "xla" else 1)
    hours += team["engineers"] * effort["train_per_engineer"]
    return max(0, hours * team["loaded_usd_per_hour"] - credit) + move["data_gb"] * move["usd_per_gb"]


def revalidation(s: dict[str, Any]) -> float:
    r = s["recurring"]
    each = r["hours_per_service"] * s["team"]["loaded_usd_per_hour"] + r["compute_usd_per_service"]
    return r["releases_per_year"] * r["adopted_share"] * s["workload"]["services"] * each / 12


def plan(s: dict[str, Any], start: float, credit: float) -> dict[str, Any]:
    """A, b and L of a migration decided in month `start`, and its cash by month without the test, month by month."""
    move, held, horizon = s["migration"], s["commitment"], s["finance"]["horizon_months"]
    b0, _, mu = bill(s)
    g, delta = s["spend"]["growth_monthly"], 1 / (1 + s["finance"]["annual_discount"]) ** (1 / 12)
    go, upkeep, cost = start + move["months"], revalidation(s), migration_price(s, credit)
    a = b = stranded = 0.0
    avoided_by_month, moved_by_month, upkeep_by_month = [], [], []
    for t in range(1, horizon + 1):
        spend = b0 * (1 + g) ** (t - 1)
        ramp = 1.0 if t > go else 0.0
        if move["ramp_months"] > 0:
            ramp = min(1.0, max(0.0, (t - go) / move["ramp_months"]))
        moved = mu * spend * ramp
        owed = held["monthly_usd"] * (1 - held["portable_share"]) if t <= held["months_left"] else 0.0
        avoided = max(owed, spend) - max(owed, spend - moved)
        checked = upkeep if t > go else 0.0
        a += delta**t * (avoided - checked)
        b += delta**t * moved
        stranded += moved - avoided
        avoided_by_month.append(avoided)
        moved_by_month.append(moved)
        upkeep_by_month.append(checked)
    a -= delta**start * cost
    loss = delta**start * (move["failure_loss_factor"] * cost + move["failure_extra_usd"])
    parallel = 0.0
    if go < horizon:
        at_go = mu * b0 * (1 + g) ** max(go - 1, 0)
        parallel = move["parallel_months"] * move["parallel_share"] * at_go
        b += delta**go * parallel
        loss += delta**go * move["failure_double_run_months"] * at_go

    def cash(ratio: float, test_usd: float) -> list[float]:
        flows = [0.0] * (horizon + 1)
        flows[0] -= test_usd
        flows[min(horizon, math.ceil(start))] -= cost
        flows[min(horizon, math.ceil(go))] -= parallel * ratio
        for t in range(1, horizon + 1):
            flows[t] += avoided_by_month[t - 1] - moved_by_month[t - 1] * ratio - upkeep_by_month[t - 1]
        return flows

    return {"A": a, "b": b, "L": loss, "cost": cost, "stranded": stranded, "cash": cash}


def payback(cash: list[float]) -> float | None:
    """Walk forward and remember the last crossing into the black."""
    tolerance = 1e-9 * sum(abs(x) for x in cash)
    running, before, answer, black = 0.0, 0.0, 0.0, True
    for month, x in enumerate(cash):
        before, running = running, running + x
        if running < -tolerance:
            black = False
        elif not black:
            answer, black = month - 1 + before / (before - running), True
    return answer if black else None


def worth_of_testing(s, p: float, mean: float, sd: float, a: float, b: float, loss: float) -> dict[str, float]:
    """W, the chance of a move and E[r · move], by integrating over what the measurement may say."""
    test = s["test"]
    noise = 2 * test["run_sd_log"] ** 2 / max(1, test["runs"]) + test["transfer_sd_log"] ** 2
    remaining = sd**2 * noise / (sd**2 + noise)
    resolved = sd**2 - remaining
    passes = p * test["sensitivity"] + (1 - p) * (1 - test["specificity"])
    worth = go = ratio_go = 0.0
    if passes > 0:
        good = p * test["sensitivity"] / passes
        ratio = lambda m1: math.exp(m1 + remaining / 2)  # noqa: E731
        value = lambda m1: good * (a - b * ratio(m1)) - (1 - good) * loss  # noqa: E731
        alpha, beta = good * a - (1 - good) * loss, good * b
        upto = -math.inf if alpha <= 0 else math.inf if beta <= 0 else math.log(alpha / beta) - remaining / 2
        if resolved > 0:
            spread = math.sqrt(resolved)
            worth += passes * normal_mean_of(value, mean, spread, upto)
            go += passes * normal_mean_of(lambda _: 1.0, mean, spread, upto)
            ratio_go += passes * normal_mean_of(ratio, mean, spread, upto)
        elif value(mean) > 0:
            worth, go, ratio_go = passes * value(mean), passes, passes * ratio(mean)
    if passes < 1:
        good = p * (1 - test["sensitivity"]) / (1 - passes)
        expected = math.exp(mean + sd**2 / 2)
        after = good * (a - b * expected) - (1 - good) * loss
        if after > 0:
            worth += (1 - passes) * after
            go += 1 - passes
            ratio_go += (1 - passes) * expected
    return {"W": worth, "go": go, "ratio_go": ratio_go}


def solve(stated: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of sections 0 to 8 that need no search."""
    s = complete(stated)
    b0, m0, _ = bill(s)
    mean, sd, base, cand = belief(s)
    p, ratio = success(s, cand), math.exp(mean + sd * sd / 2)
    test = test_price(s)
    now, later = plan(s, 0.0, 0.0), plan(s, test["months"], s["test"]["reuse"] * test["engineering"])
    migrate = p * (now["A"] - now["b"] * ratio) - (1 - p) * now["L"]
    outcome = worth_of_testing(s, p, mean, sd, later["A"], later["b"], later["L"])
    alone = worth_of_testing(s, p, mean, sd, now["A"], now["b"], now["L"])
    best, annual = max(0.0, migrate), s["finance"]["annual_discount"]
    cash = later["cash"](ratio, test["usd"])
    discounted = [x / (1 + annual) ** (t / 12) for t, x in enumerate(cash)]
    mixed = p * now["A"] - (1 - p) * now["L"]
    return {
        "monthly_spend_usd": b0,
        "workload_spend_usd": m0,
        "log_ratio_mean": mean,
        "log_ratio_sd": sd,
        "ratio_mean": ratio,
        "baseline_status": base,
        "candidate_status": cand,
        "success_probability": p,
        "validation_cost_usd": test["usd"],
        "validation_hours": test["hours"],
        "validation_months": test["months"],
        "migration_cost_usd": later["cost"],
        "revalidation_usd_per_month": revalidation(s),
        "stranded_commitment_usd": later["stranded"],
        "npv_if_success_usd": later["A"] - later["b"] * ratio - test["usd"],
        "test": outcome["W"] - test["usd"],
        "migrate": migrate,
        "probability_go": outcome["go"],
        "ratio_go": outcome["ratio_go"],
        "worth": outcome["W"],
        "evpi_usd": max(0.0, p * gain(now["A"], now["b"], mean, sd * sd) - best),
        "evppi_technical_usd": max(0.0, p * max(0.0, now["A"] - now["b"] * ratio) - best),
        "evppi_ratio_usd": max(0.0, gain(mixed, p * now["b"], mean, sd * sd) - best),
        "evsi_usd": max(0.0, alone["W"] - best),
        "payback_month": payback(cash),
        "payback_month_discounted": payback(discounted),
        "cash": cash,
        "cash_after_test": lambda r: later["cash"](r, test["usd"]),
    }


def npv_if_success(stated: dict[str, Any]) -> float:
    """Only the value of a test that succeeds, quickly: for scans."""
    s = complete(stated)
    mean, sd, _, _ = belief(s)
    test = test_price(s)
    later = plan(s, test["months"], s["test"]["reuse"] * test["engineering"])
    return later["A"] - later["b"] * math.exp(mean + sd * sd / 2) - test["usd"]
