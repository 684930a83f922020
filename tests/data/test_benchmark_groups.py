"""Groups of like runs say to the decision what the runs say one by one."""

import itertools
import math
import random

import pytest

from analysis.model.evidence import decide_filled, fill_scenario, gather_comparisons, gather_evidence
from analysis.model.reading import read_scenario
from data import benchmarks
from data.evidence import StoreEvidence
from data.ingest import load

HEADER = (
    "model,platform,instance_type,precision,concurrency,input_tokens,output_tokens,output_tok_per_s,req_per_s,"
    "e2e_ms_p99,error_rate,quality_metric,quality_value,price_usd_per_hour,measured_at,sdk_version"
)


def file_of(seed: int, rows: int) -> bytes:
    """Return a made-up nightly file with all that can set a run aside in it."""
    draw = random.Random(seed)
    lines = [HEADER]
    for _ in range(rows):
        platform = draw.choice(["cuda", "neuron"])
        instance = {"cuda": "p5.48xlarge", "neuron": "trn2.48xlarge"}[platform]
        length = draw.choice([1024, 1024, 1030, 4096, ""])
        rate = "" if draw.random() < 0.1 else f"{draw.lognormvariate(7, 0.2):.3f}"
        latency = "" if draw.random() < 0.05 else f"{draw.uniform(300, 900):.1f}"
        quality = draw.choice(["accuracy,0.8", "accuracy,0.8", "accuracy,0.79", ",", "f1,0.3"])
        error = draw.choice(["", "0", "0.05", "0.2"])
        price = draw.choice(["", "", "30"])
        lines.append(
            f"toy,{platform},{instance},bf16,{draw.choice([8, 32])},{length},256,{rate},{draw.uniform(1, 9):.2f},"
            f"{latency},{error},{quality},{price},2026-0{draw.randint(1, 9)}-01,{draw.choice(['1.0', '2.0'])}"
        )
    return "\n".join(lines).encode()


def close(one: object, other: object) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)
    return one == other


@pytest.mark.parametrize("seed", range(6))
def test_groups_and_single_runs_decide_alike(store, seed):
    for night in range(3):
        load(store, f"night_{night}.csv", file_of(10 * seed + night, 60))
    limits = {"slo_ms": [None, 700][seed % 2], "quality_tolerance": [0.0, 0.02][seed // 2 % 2]}
    stated = {"benchmarks": {**limits, "max_error_rate": [0.05, 0.5][seed // 3]}}
    scenario = read_scenario(stated)
    single, grouped = (gather_evidence(StoreEvidence(store, most), scenario) for most in (10**6, 0))
    assert sum(c.runs for c in grouped.comparison.configurations) == 180
    facts = [
        [
            (
                c.platform,
                c.name,
                c.excluded or "",
                c.runs,
                c.latency_status,
                (c.input_tokens or 0) // 1000,
                str(c.price),
            )
            for c in evidence.comparison.configurations
        ]
        for evidence in (single, grouped)
    ]
    assert sorted(facts[0], key=str) == sorted(facts[1], key=str)
    assert set(single.comparison.warnings) == set(grouped.comparison.warnings)
    decisions = [decide_filled(fill_scenario(stated, evidence)).as_dict() for evidence in (single, grouped)]
    assert close(*decisions)


def test_groups_are_few_and_name_their_files(store):
    for night in range(3):
        load(store, f"night_{night}.csv", file_of(night, 60))
    cuts = benchmarks.Cuts("e2e_ms_p99", 0.05, 0.0)
    groups = benchmarks.run_groups(store, "toy", "cuda", "neuron", cuts)
    assert groups["runs"].sum() == benchmarks.count_runs(store, "toy", ("cuda", "neuron")) == 180
    assert len(groups) < 180
    assert set(itertools.chain(*groups["files"])) == {f"night_{night}.csv" for night in range(3)}
    with pytest.raises(ValueError, match="no latency column"):
        benchmarks.run_groups(store, "toy", "cuda", "neuron", benchmarks.Cuts("1; DROP TABLE uploads", 0.05, 0.0))


def test_very_many_runs_reach_the_model_as_their_mean_and_spread(store):
    load(store, "night.csv", file_of(1, 200))
    scenario = read_scenario({"benchmarks": {"max_error_rate": 1.0}})
    comparisons = gather_comparisons(StoreEvidence(store, 0), scenario)
    filled = fill_scenario({}, gather_evidence(StoreEvidence(store, 0), scenario)).scenario.benchmarks
    many = next(c for c in filled.baseline if c.runs)
    assert len(many.throughput_runs) == 1
    assert many.run_count == many.runs > 1
    assert many.sd_log > 0
    assert all(c.counted("cuda") and c.counted("neuron") for c in comparisons)
