"""Evidence in a scenario: what is stated stays, what is filled in says where it is from."""

import pandas as pd
import pytest

from analysis.errors import ScenarioError
from analysis.model.evidence import decide_filled, fill_scenario, gather_evidence, input_origin
from analysis.model.reading import read_scenario
from tests.analysis.builders import cuda, neuron, operators, runs


class Store:
    """Stands in for the store: frames as it would give them."""

    def __init__(self, frame=None, report=None):
        self.frame = runs(cuda(), neuron()) if frame is None else frame
        self.report = report
        self.asked = []

    def models(self):
        table = self.frame.groupby(["model", "platform"]).agg(
            runs=("platform", "size"), last_upload=("uploaded_at", "max")
        )
        return table.reset_index()

    def benchmark_runs(self, model, **limits):
        return self.frame[self.frame["model"] == model].reset_index(drop=True)

    def prices(self, region):
        self.asked.append(region)
        return pd.DataFrame(
            [("gpu.big", "on_demand", 50.0, "gpu"), ("trn.big", "on_demand", 20.0, "trn")],
            columns=["instance_type", "purchase_option", "usd_per_hour", "label"],
        )

    def newest_coverage(self, model, backend):
        self.asked.append((model, backend))
        return None if self.report is None else ("ops.csv", self.report)


REPORT = operators(
    ("aten.mm", "native", 60, 700.0),
    ("aten.sort", "fallback", 30, 200.0),
    ("toy.op", "unsupported", 10, 100.0),
)


def filled(stated, **store):
    source = Store(**store)
    return fill_scenario(stated, gather_evidence(source, read_scenario(stated)))


def test_runs_become_configurations():
    found = filled({"benchmarks": {"utilisation": 0.5}}, frame=runs(cuda(e2e_ms_p99=700.0), neuron()))
    (gpu,), (trn,) = found.scenario.benchmarks.baseline, found.scenario.benchmarks.candidate
    assert (gpu.price_per_hour, gpu.throughput_runs, gpu.latency_ms_runs, gpu.utilisation) == (40, (2000,), (700,), 0.5)
    assert (trn.price_per_hour, trn.throughput_runs, trn.latency_ms_runs) == (30, (1800,), ())
    assert found.origins["benchmarks.baseline"] == ("measured", "runs.csv")
    decision = decide_filled(found)
    assert decision.unit_cost_baseline_usd == pytest.approx(40 / 3600 / 2000 / 0.5)


def test_what_does_not_count_stays_out():
    found = filled({}, frame=runs(cuda(), cuda(error_rate=0.5, concurrency=9.0), neuron(error_rate=0.5)))
    assert len(found.scenario.benchmarks.baseline) == 1
    assert found.scenario.benchmarks.candidate == ()
    assert "benchmarks.candidate" not in found.origins


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_stated_runs_are_never_replaced_nor_mixed_with_those_of_the_store(side):
    own = {"price_per_hour": 9.0, "throughput_runs": [5.0]}
    found = filled({"benchmarks": {side: [own]}})
    assert getattr(found.scenario.benchmarks, side)[0].price_per_hour == 9
    other = "candidate" if side == "baseline" else "baseline"
    assert getattr(found.scenario.benchmarks, other) == ()
    assert not [name for name in found.origins if name.startswith("benchmarks.")]
    assert found.warnings == ()


def test_warnings_of_the_evidence_are_among_those_of_the_decision():
    found = filled({}, frame=runs(cuda(demo=True), neuron(precision="fp8")))
    assert set(found.warnings) == {"precision_differs", "demo_data"}
    assert set(found.warnings) <= set(decide_filled(found).warnings)


def test_shipped_prices_of_the_region():
    source = Store(frame=runs(cuda(price_usd_per_hour=None), neuron(price_usd_per_hour=None)))
    stated = {"benchmarks": {"region": "eu-north-1"}}
    found = fill_scenario(stated, gather_evidence(source, read_scenario(stated)))
    assert source.asked[0] == "eu-north-1"
    assert [c[0].price_per_hour for c in (found.scenario.benchmarks.baseline, found.scenario.benchmarks.candidate)] == [
        50,
        20,
    ]


@pytest.mark.parametrize(
    ("candidate", "path"), [("neuron", "native"), ("neuron-xla", "xla"), ("rocm", "native"), ("something", "native")]
)
def test_the_path_follows_from_the_candidate(candidate, path):
    found = filled({"candidate": candidate})
    assert found.scenario.workload.path == path
    assert found.origins["workload.path"][0] == "derived"


def test_a_stated_path_stays():
    found = filled({"candidate": "neuron-xla", "workload": {"path": "native"}})
    assert found.scenario.workload.path == "native"
    assert "workload.path" not in found.origins


def test_coverage_by_time():
    found = filled({}, report=REPORT)
    work = found.scenario.workload
    assert (work.share_native, work.share_fallback, work.share_unsupported) == pytest.approx((0.7, 0.2, 0.1))
    assert work.unsupported_ops == 1
    assert found.origins["workload.share_native"] == ("derived", "share of time in ops.csv")


def test_coverage_by_calls_where_time_is_not_known():
    found = filled({}, report=REPORT.assign(time_us=float("nan")))
    assert found.scenario.workload.share_native == pytest.approx(0.6)
    assert found.origins["workload.share_native"] == ("derived", "share of calls in ops.csv")


def test_without_time_and_calls_only_operators_are_counted():
    found = filled({}, report=REPORT.assign(time_us=float("nan"), calls=float("nan")))
    assert found.scenario.workload.share_native == 1
    assert "workload.share_native" not in found.origins
    assert found.scenario.workload.unsupported_ops == 1


def test_one_stated_share_keeps_all_three():
    """Shares add to 1: half of them from here and half from there would not."""
    stated = {"workload": {"share_native": 0.9, "share_fallback": 0.1}}
    found = filled(stated, report=REPORT)
    assert found.scenario.workload.share_unsupported == 0
    assert found.scenario.workload.unsupported_ops == 1
    assert "workload.share_unsupported" not in found.origins


def test_a_stated_number_of_operators_stays_even_where_it_is_0():
    assert filled({"workload": {"unsupported_ops": 0}}, report=REPORT).scenario.workload.unsupported_ops == 0


def test_null_is_not_stated():
    found = filled({"workload": {"unsupported_ops": None, "share_native": None}, "benchmarks": None}, report=REPORT)
    assert found.scenario.workload.unsupported_ops == 1
    assert found.scenario.workload.share_native == pytest.approx(0.7)
    assert len(found.scenario.benchmarks.baseline) == 1


def test_nothing_that_runs_at_all_states_no_shares():
    """All time in operators that fail: there is nothing to which a slowdown could apply."""
    found = filled({}, report=operators(("toy.op", "unsupported", 1, 5.0)))
    assert found.scenario.workload.share_native == 1
    assert found.scenario.workload.unsupported_ops == 1


def test_a_model_can_be_wanted_and_its_report_is_asked_for():
    source = Store()
    stated = {"benchmarks": {"model": "elsewhere"}, "candidate": "neuron-xla"}
    evidence = gather_evidence(source, read_scenario(stated))
    assert evidence.comparison.configurations == ()
    assert ("elsewhere", "neuron-xla") in source.asked


def test_the_store_alone_chooses_the_model():
    source = Store()
    gather_evidence(source, read_scenario({}))
    assert ("toy-7b", "neuron") in source.asked


def test_without_evidence_the_decision_is_that_of_the_scenario():
    from analysis.model.decision import decide

    stated = {"spend": {"monthly_gpu_usd": 77_000}}
    found = filled(stated, frame=runs(cuda()).iloc[:0])
    assert decide_filled(found).as_dict() == decide(read_scenario(stated)).as_dict()


def test_a_wrong_input_is_refused_before_anything_is_filled_in():
    with pytest.raises(ScenarioError) as caught:
        filled({"workload": {"services": 0}})
    assert caught.value.field == "workload.services"


def test_where_an_input_is_from():
    stated = {"team": {"engineers": 3, "engaged_max": None}, "candidate": "neuron"}
    found = filled(stated, report=REPORT)
    source = "our estimate"
    assert input_origin("team.engineers", stated, found.origins, source) == ("stated", "you")
    assert input_origin("candidate", stated, found.origins, source) == ("stated", "you")
    assert input_origin("team.engaged_max", stated, found.origins, source) == ("assumed", source)
    assert input_origin("benchmarks.candidate", stated, found.origins, source) == ("measured", "runs.csv")
    assert input_origin("workload.unsupported_ops", stated, found.origins, source)[0] == "derived"


def test_filling_leaves_what_was_stated_alone():
    stated = {"workload": {"services": 3}}
    filled(stated, report=REPORT)
    assert stated == {"workload": {"services": 3}}
