"""Decision: what the page shows is what the model says to the same scenario."""

import math

import pytest

from analysis.model.flips import find_flips
from analysis.words.evidence import WARNINGS
from analysis.words.numbers import ACT_NAMES, exact_money, money, number, payback, percent
from data.ingest import load, remove_demo
from data.store import Store
from tests.pages.visit import (
    act,
    both,
    expected,
    has_key,
    load_sweeps,
    open_page,
    press,
    run_file,
    said,
    scenario,
    set_number,
    text_of,
    traces,
)

CHARTS = ("break_even_chart", "jobs_chart", "cash_chart", "validation_cost_chart")
CHANGES = (
    {},
    {"team__engineers": 2, "effort__setup": 200.0, "test__runs": 9},
    {"spend__monthly_gpu_usd": 400_000.0, "jobs__jobs_per_week": 100.0},
    {"spend__monthly_gpu_usd": 0.0, "jobs__jobs_per_week": 0.0},
    {"workload__custom_kernels": 3, "finance__horizon_months": 60, "vendor__more_work_per_dollar": 2.0},
    {"benchmarks__slo_ms": 3000.0},
    {"benchmarks__slo_ms": 10.0},
)


def open_with(changes: dict[str, float]):
    """Open the page by a link that states the changes as the app writes them."""
    left = {name.replace("__", "_"): str(v) for name, v in changes.items() if not name.startswith(("effort", "test"))}
    table = ",".join(f"{n.replace('__', '.')}:{v}" for n, v in changes.items() if n.replace("__", "_") not in left)
    return open_page(**left, **({"a": table} if table else {}))


def check_figures(app, store: Store, changes: dict[str, float], saving_kind: str) -> None:
    """Compare verdict, figures and charts with the model's own output."""
    filled, decision = expected(store, scenario(**changes))
    horizon = filled.scenario.finance.horizon_months
    assert act(app) == decision.recommendation
    verdict = app.get_by_key("verdict")
    exact = verdict.header[0].help.replace("\\$", "$")
    for usd in (decision.values_usd["test"], decision.values_usd["migrate"], decision.validation_cost_usd):
        assert exact_money(usd) in exact
    words = text_of(app, "verdict")
    assert money(decision.validation_cost_usd) in words
    page = text_of(app)
    assert f"you: {money(decision.monthly_spend_usd)}" in page
    mean, (low, high) = decision.saving_share_mean, decision.saving_share_90
    assert f"#### {percent(mean)}" in page or (mean < 0 and f"#### none: {percent(-mean)} dearer" in page)
    assert f"{percent(low)} to {percent(high)} with 90 % · {saving_kind}\n" in page
    assert f"#### {percent(decision.probability_go)}" in page
    assert f"that it works: {percent(decision.success_probability)}" in page
    assert f"#### {payback(decision.payback_month_if_go, horizon)}" in page
    pays_from = decision.worth_acting_from_usd
    if pays_from:
        assert f"#### {money(pays_from)} a month" in page
    you = traces(app, "break_even_chart")["You"]
    assert you["x"] == [pytest.approx(decision.monthly_spend_usd)]
    assert you["y"] == [pytest.approx(decision.values_usd[decision.recommendation], abs=1e-3)]
    team = traces(app, "validation_cost_chart")["You"]
    assert team["x"] == [str(filled.scenario.team.engineers)]
    assert team["y"] == [pytest.approx(decision.validation_cost_usd)]
    cash = traces(app, "cash_chart")
    assert len(cash["If the test says no"]["y"]) == horizon + 1
    assert cash["If the test says no"]["y"][0] == pytest.approx(-decision.validation_cost_usd)
    usd = {name: float(text.replace("$", "").replace(",", "")) for name, text in cost_table(app)["USD"].items()}
    assert cost_table(app).loc["Total", "USD"] == exact_money(decision.validation_cost_usd)
    assert usd.pop("Total") == pytest.approx(sum(usd.values()), abs=0.005 * (len(usd) + 1))


def cost_table(app):
    """Return what the test costs, by activity."""
    table = app.table[-1].value
    assert table.index.name == "Activity"
    return table


@pytest.mark.parametrize("changes", CHANGES, ids=lambda c: ", ".join(c) or "start")
def test_figures_are_the_model_s_on_demo_data(store: Store, changes: dict[str, float]) -> None:
    no_candidate_is_fast_enough = "benchmarks__slo_ms" in changes
    check_figures(open_with(changes), store, changes, "assumed" if no_candidate_is_fast_enough else "demo")


@pytest.mark.parametrize("changes", CHANGES[2:4], ids=lambda c: ", ".join(c) or "start")
def test_figures_are_the_model_s_on_an_empty_store(bare_store: Store, changes: dict[str, float]) -> None:
    app = open_with(changes)
    check_figures(app, bare_store, changes, "assumed")
    assert not has_key(app, "demo_banner")
    assert "Evidence: No benchmark that counts yet · no coverage report" in text_of(app)


def test_figures_are_the_model_s_on_uploads(bare_store: Store) -> None:
    load_sweeps(bare_store)
    app = open_page()
    check_figures(app, bare_store, {}, "derived from runs and claim")
    assert act(app) == "migrate"
    assert "Benchmarks of made-up-8b: NVIDIA CUDA: 3 runs, Trainium, TorchNeuron: 3 runs" in text_of(app)


def test_the_start_state_of_a_first_start_has_four_charts_and_says_that_the_data_is_a_demonstration() -> None:
    app = open_page()
    for chart in CHARTS:
        assert text_of(app, chart).strip("*\n"), chart
    assert "The measurements shown are a demonstration" in text_of(app, "demo_banner")
    assert WARNINGS["demo_data"] in text_of(app)


def test_one_click_removes_the_demo_data_and_the_answer_changes(store: Store) -> None:
    app = press(open_page(), "remove_demo")
    assert not has_key(app, "demo_banner")
    check_figures(app, store, {}, "assumed")
    assert "no coverage report" in text_of(app)
    assert not has_key(open_page(), "demo_banner"), "for a new visitor too"


FLIPS = {
    "team_engineers": (2, 30),
    "jobs_jobs_per_week": (3.0, 12.0),
    "spend_monthly_gpu_usd": (20_000.0, 60_000.0),
}


@pytest.mark.parametrize("key", FLIPS)
@pytest.mark.parametrize("with_demo", [True, False], ids=["demo", "empty"])
def test_each_main_input_alone_flips_the_act_within_the_range_of_its_field(
    store: Store, key: str, with_demo: bool
) -> None:
    if not with_demo:
        remove_demo(store)
    app = open_page()
    before, figures = act(app), {chart: traces(app, chart)["You"] for chart in ("break_even_chart", "jobs_chart")}
    acts = []
    for value in FLIPS[key]:
        field = app.number_input(key=key)
        assert field.min <= value <= field.max
        app = set_number(app, key, value)
        acts.append(act(app))
        if acts[-1] != before:
            break
    assert before not in acts[-1:], f"{key} left the act at {before} at all of {FLIPS[key]}"
    assert any(traces(app, chart)["You"] != you for chart, you in figures.items()), "no chart moved"
    section, _, field_name = key.partition("_")
    check_figures(app, store, {f"{section}__{field_name}": value}, "demo" if with_demo else "assumed")


def test_the_verdict_names_the_nearest_flips_and_the_table_lists_all(store: Store) -> None:
    app = open_page()
    flips = find_flips(expected(store, scenario())[0].scenario)
    table = app.table[0].value
    assert table.index.name == "Input"
    assert table.index.is_unique
    assert table["Now"].tolist() == [number(flip.now) for flip in flips]
    assert table["Flips at"].tolist() == [number(flip.value) for flip in flips]
    assert table["The answer becomes"].tolist() == [ACT_NAMES[flip.act] for flip in flips]
    spend = next(flip for flip in flips if flip.name == "spend.monthly_gpu_usd")
    assert f"{money(spend.value)} a month of GPU spend" in text_of(app, "verdict")
    there = set_number(app, "spend_monthly_gpu_usd", math.ceil(spend.value))
    assert act(there) == spend.act


# Each code that the model or the comparison can emit, and what brings it about: a file on a store without demo data,
# and a link.
SLOW, FAST = {"e2e_ms_p99": 9000}, {"e2e_ms_p99": 100}
CASES: dict[tuple[str, ...], tuple[bytes, dict[str, str]]] = {
    ("migrate_gated_no_own_benchmark",): (b"", {"a": "test.baseline_hours:20000"}),
    ("job_spend_exceeds_monthly_spend", "commitment_exceeds_spend"): (
        b"",
        {"spend_monthly_gpu_usd": "1000", "a": "commitment.monthly_usd:90000"},
    ),
    ("baseline_latency_missing", "candidate_slo_not_met"): (both(neuron=SLOW), {"benchmarks_slo_ms": "5000"}),
    ("candidate_latency_missing", "baseline_slo_not_met"): (both(cuda=SLOW), {"benchmarks_slo_ms": "5000"}),
    ("precision_differs", "lengths_unknown", "purchase_options_differ"): (
        both(cuda={"precision": "fp8", "instance_type": "g6.48xlarge"}, input_tokens="", output_tokens=""),
        {},
    ),
    ("quality_not_kept",): (
        both(cuda={"quality_value": 0.9}, neuron={"quality_value": 0.5}, quality_metric="accuracy"),
        {},
    ),
    ("quality_unknown",): (both(cuda={"quality_value": 0.9}, quality_metric="accuracy"), {}),
    ("measured_far_apart",): (both({"measured_at": "2025-09-01"}, {"measured_at": "2026-09-01"}), {}),
    ("region_unknown",): (both(), {"a": "benchmarks.region:atlantis-1"}),
    ("several_lengths",): (both() + both(input_tokens=8000).split(b"\n", 1)[1], {}),
}
# Ratios measured by others come only with a scenario file, so no page reaches this one.
NOT_ON_PAGES = {"contradictory_benchmarks"}


@pytest.mark.parametrize("codes", CASES, ids=", ".join)
def test_every_warning_is_said_in_words(bare_store: Store, codes: tuple[str, ...]) -> None:
    content, query = CASES[codes]
    if content:
        assert load(bare_store, "runs.csv", content, {}).rows_loaded
    app = open_page(**query)
    assert {code for code in WARNINGS if f":material/warning: {WARNINGS[code]}" in said(app)} == set(codes)


def test_no_warning_is_left_out_here() -> None:
    assert {code for codes in CASES for code in codes} | NOT_ON_PAGES | {"demo_data"} == set(WARNINGS)


@pytest.mark.parametrize(
    ("cuda", "neuron", "slo", "said"),
    [
        (
            {"e2e_ms_p99": 100},
            SLOW,
            "5000",
            "Every measured configuration of the candidate misses the latency objective.",
        ),
        (
            SLOW,
            {"e2e_ms_p99": 100},
            "5000",
            "Every measured configuration of the baseline misses the latency objective.",
        ),
        ({}, SLOW, "5000", "No run of the baseline says its latency"),
    ],
)
def test_a_missed_objective_is_said_first(bare_store: Store, cuda, neuron, slo: str, said: str) -> None:
    load(bare_store, "runs.csv", both(cuda=cuda, neuron=neuron), {})
    app = open_page(benchmarks_slo_ms=slo)
    assert app.get_by_key("verdict").markdown[0].value.startswith(f"**{said}")


def test_quality_that_is_not_kept_is_said_first(bare_store: Store) -> None:
    quality = {"quality_metric": "accuracy"}
    content = both(cuda={"quality_value": 0.9}, neuron={"quality_value": 0.5}, **quality)
    assert load(bare_store, "runs.csv", content, {}).rows_loaded == 2
    assert "does not keep the baseline's quality" in text_of(open_page(), "verdict")


def test_a_store_that_another_process_holds_is_named_with_the_remedy(store: Store, monkeypatch) -> None:
    from data import store as store_module
    from data.errors import StoreBusyError

    def busy(*_: object) -> Store:
        raise StoreBusyError("The store /x is open in process 7. Stop it, or use another file: CROSSOVER_DB=PATH.")

    store.close()
    monkeypatch.setattr(store_module, "_connect", busy)
    app = open_page()
    assert [error.value for error in app.error] == [
        "The store /x is open in process 7. Stop it, or use another file: CROSSOVER_DB=PATH."
    ]


def test_a_run_of_another_model_does_not_mix_in(bare_store: Store) -> None:
    load_sweeps(bare_store)
    load(
        bare_store,
        "other.csv",
        run_file({"platform": "cuda", "instance_type": "p5.48xlarge", "req_per_s": 9}, model="z"),
        {},
    )
    app = open_page(benchmarks_model="z")
    assert "Benchmarks of z: NVIDIA CUDA: 1 run, Trainium, TorchNeuron: none" in text_of(app)
    check_figures(app, bare_store, {"benchmarks__model": "z"}, "assumed")
