"""Benchmarks: what becomes of a file that is dropped in, and what is shown of it."""

import hashlib

import pytest

from analysis.words.evidence import REASONS
from analysis.words.numbers import money
from data.ingest import load
from data.queries import benchmark_runs, uploads
from data.store import Store
from tests.pages.visit import (
    MODEL,
    ROOT,
    SWEEPS,
    act,
    answers,
    both,
    go_to,
    has_key,
    load_sweeps,
    open_page,
    press,
    run_file,
    set_number,
    sweep,
    table_with,
    text_of,
    traces,
    upload,
)

COST = {"cuda": 41.528 / 3.6 / 5000 * 1000, "neuron": 35.7608 / 3.6 / 5600 * 1000}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"


@pytest.fixture
def known_model(store: Store) -> None:
    """Make the model's name one to choose: AppTest cannot type a new one, the browser test does."""
    load(store, "known.csv", run_file({"platform": "rocm", "instance_type": "mine", "req_per_s": 1}), {})


def answer_form(app, platform: str, **other: str):
    """Answer what the sweep of a platform does not say, as a user does, and press Load."""
    _, content = sweep(platform)
    prefix = f"ask_{hashlib.sha256(content).hexdigest()[:12]}"
    for need, value in {**answers(platform), **other}.items():
        app.selectbox(key=f"{prefix}_{need}").set_value(value)
    return press(app.run(), f"{prefix}_load")


def active(store: Store) -> list[str]:
    """Return the names of the uploads that count."""
    listed = uploads(store)
    return sorted(listed[listed["withdrawn_at"].isna()]["file"])


def test_an_empty_store_says_what_to_do(bare_store: Store) -> None:
    text = text_of(open_page("benchmarks"))
    assert "No model has runs on both NVIDIA CUDA and Trainium, TorchNeuron yet. Upload one file of each" in text
    assert not has_key(open_page("benchmarks"), "unit_cost_chart")


def test_demo_data_is_marked_wherever_it_shows(store: Store) -> None:
    app = open_page("benchmarks")
    assert "made-up numbers" in text_of(app, "demo_banner")
    assert text_of(app).count(":orange-badge[demo]") == 3  # the banner and two files
    assert table_with(app, "Counts")["Demo"].all()


@pytest.mark.usefixtures("known_model")
def test_two_sweeps_become_one_comparison_and_another_verdict(store: Store) -> None:
    app = open_page("benchmarks")
    before = act(go_to(app, ""))
    app = upload(go_to(app, "benchmarks"), "benchmark", sweep("cuda"), sweep("neuron"))
    report = text_of(app, "upload_report")
    assert report.count(":orange-badge[waiting]") == 2
    assert report.count("rows read 3, loaded 0, refused 0") == 2
    assert not [name for name in active(store) if name.startswith("sweep")]
    app = answer_form(answer_form(app, "cuda"), "neuron")
    report = text_of(app, "upload_report")
    for platform in ("cuda", "neuron"):
        digest = hashlib.sha256(sweep(platform)[1]).hexdigest()
        line = f"Format load-summary · rows read 3, loaded 3, refused 0 · SHA-256 {digest[:16]}…"
        assert line in report
    assert report.count(":green-badge[loaded]") == 2
    assert "throughput_total_tok_s equals the output throughput" in report
    runs = benchmark_runs(store, MODEL)
    runs = runs[runs["file"].str.startswith("sweep")]
    assert runs.groupby("platform")["instance_type"].unique().map(list).to_dict() == {
        platform: [SWEEPS[platform][1]] for platform in ("cuda", "neuron")
    }
    check_comparison(app)
    assert before == "do_nothing"
    assert act(go_to(app, "")) == "migrate"


def check_comparison(app) -> None:
    """Compare sentence, chart and table with costs worked out from price and throughput."""
    text = text_of(app)
    assert "By hourly price alone the candidate is 14 % cheaper" in text
    assert f"the candidate is {1 - COST['neuron'] / COST['cuda']:.0%} cheaper".replace("%", " %") in text
    assert f"({money(COST['neuron'])} against {money(COST['cuda'])})" in text
    bars = traces(app, "unit_cost_chart")
    assert bars["NVIDIA CUDA"]["x"] == ["8 · bf16", "32 · bf16", "64 · bf16"]
    assert min(bars["NVIDIA CUDA"]["y"]) == pytest.approx(COST["cuda"])
    assert min(bars["Trainium, TorchNeuron"]["y"]) == pytest.approx(COST["neuron"])
    table = table_with(app, "Counts")
    assert {"output_tok_per_s, mean", "Worst e2e_ms_p99"} <= set(table)
    assert table["Cost (USD)"].min() == pytest.approx(COST["neuron"])
    assert set(table["Counts"]) == {"yes"}
    assert set(table["Price from"]) == {"capacity block, us-east-2, 2026-07-22"}


def test_nothing_is_loaded_before_every_question_is_answered(store: Store) -> None:
    app = upload(open_page("benchmarks"), "benchmark", sweep("cuda"))
    load_button = next(button for button in app.button if str(button.key).endswith("_load"))
    assert load_button.disabled
    assert "Still to be stated: model, platform, instance_type, precision" in text_of(app, "upload_report")
    prefix = str(load_button.key).removesuffix("_load")
    app.selectbox(key=f"{prefix}_instance_type").set_value("p5.48xlarge").run()
    assert "Empty: capacity block, us-east-2, 2026-07-22, $41.528/h." in text_of(app)
    assert benchmark_runs(store, MODEL).empty


@pytest.mark.usefixtures("known_model")
def test_a_stated_price_counts_before_the_table(store: Store) -> None:
    app = upload(open_page("benchmarks"), "benchmark", sweep("cuda"))
    prefix = next(str(b.key).removesuffix("_load") for b in app.button if str(b.key).endswith("_load"))
    app.number_input(key=f"{prefix}_price_usd_per_hour").set_value(20.0)
    app = answer_form(app, "cuda")
    runs = benchmark_runs(store, MODEL).groupby("platform")["price_usd_per_hour"].unique()
    assert runs["cuda"].tolist() == [20.0]
    assert "price_usd_per_hour 20.0" in text_of(app)


@pytest.mark.usefixtures("known_model")
def test_a_platform_that_does_not_run_on_the_instance_is_refused(store: Store) -> None:
    app = upload(open_page("benchmarks"), "benchmark", sweep("cuda"))
    app = answer_form(app, "cuda", instance_type="trn2.48xlarge")
    report = text_of(app, "upload_report")
    assert ":red-badge[refused]" in report
    assert "Platform cuda does not run on trn2" in report
    assert set(benchmark_runs(store, MODEL)["platform"]) == {"rocm"}
    report = text_of(answer_form(app, "cuda"), "upload_report")
    assert ":green-badge[loaded]" in report, "the form is still there, to be put right"
    assert set(benchmark_runs(store, MODEL)["platform"]) == {"rocm", "cuda"}


CANONICAL = both()
BAD_CELLS = run_file(
    {"platform": "cuda", "instance_type": "p5.48xlarge", "output_tok_per_s": 3000},
    {"platform": "cuda", "instance_type": "p5.48xlarge", "output_tok_per_s": "fast"},
    {"platform": "gpu", "instance_type": "p5.48xlarge", "output_tok_per_s": 3000},
)


def test_good_rows_are_loaded_and_each_refusal_has_line_and_column(store: Store) -> None:
    app = upload(open_page("benchmarks"), "benchmark", ("cells.csv", BAD_CELLS))
    report = text_of(app, "upload_report")
    assert ":green-badge[loaded in part]" in report
    assert "Format crossover-csv · rows read 3, loaded 1, refused 2" in report
    assert "- Line 3, column output_tok_per_s" in report
    assert "- Line 4, column platform" in report
    assert len(benchmark_runs(store, MODEL)) == 1


def test_many_refusals_are_listed_as_a_table(store: Store) -> None:
    row = {"platform": "cuda", "instance_type": "p5.48xlarge", "req_per_s": 9, "output_tok_per_s": "fast"}
    app = upload(open_page("benchmarks"), "benchmark", ("cells.csv", run_file(*[row] * 300)))
    assert "Refused: 300, the first 200 shown" in text_of(app, "upload_report")
    table = app.get_by_key("upload_report").dataframe[0].value
    assert table["line"].tolist() == list(range(2, 202))
    assert set(table["column"]) == {"output_tok_per_s"}


BAD_FILES = {
    "empty.csv": (b"", "The file is empty"),
    "blank.csv": (b"\n \n", "The file is empty"),
    "picture.csv": (PNG, "This is not a text file"),
    "header_only.csv": (CANONICAL.split(b"\n")[0] + b"\n", "No reader knows this file"),
    "cut.json": (b'{"model_id": "x", "output_throughput": 12.5, "mean_ttft', "The JSON cannot be read"),
    "letter.txt": (b"Dear team,\nplease find the results below.\n", "No reader knows this"),
}
UNKNOWN_TABLES = {
    "other.csv": b"city,people\nUlm,128000\nBonn,336000\n",
    "twice.csv": b"model,model\na,b\n",
}


@pytest.mark.parametrize("page", ["benchmarks", "coverage"])
def test_bad_files_end_in_a_reason_each_and_change_nothing(store: Store, page: str) -> None:
    kind = {"benchmarks": "benchmark", "coverage": "operators"}[page]
    before = active(store)
    app = upload(open_page(page), kind, *((name, content) for name, (content, _) in BAD_FILES.items()))
    report = text_of(app, "upload_report")
    parts = report.split(":red-badge[refused]")
    assert len(parts) == len(BAD_FILES) + 1
    for content, reason in BAD_FILES.values():
        assert reason in report
        assert hashlib.sha256(content).hexdigest()[:16] in report
    assert active(store) == before
    assert text_of(app).count("** :orange-badge[demo]") == {"benchmarks": 2, "coverage": 1}[page], "the page goes on"


def test_an_unknown_table_is_asked_about_where_it_can_be_a_benchmark(store: Store) -> None:
    before = active(store)
    text = text_of(upload(open_page("benchmarks"), "benchmark", *UNKNOWN_TABLES.items()), "upload_report")
    assert text.count(":orange-badge[waiting] for what its columns mean") == len(UNKNOWN_TABLES)
    text = text_of(upload(open_page("coverage"), "operators", *UNKNOWN_TABLES.items()), "upload_report")
    assert text.count(":red-badge[refused]") == len(UNKNOWN_TABLES)
    assert text.count("No reader knows this table") == len(UNKNOWN_TABLES)
    assert active(store) == before


def test_one_bad_file_does_not_hold_up_a_good_one(store: Store) -> None:
    app = upload(open_page("benchmarks"), "benchmark", ("picture.csv", PNG), ("good.csv", CANONICAL))
    report = text_of(app, "upload_report")
    assert report.count(":red-badge[refused]") == 1
    assert report.count(":green-badge[loaded]") == 1
    assert "good.csv" in active(store)


def test_the_same_file_again_changes_nothing(store: Store) -> None:
    upload(open_page("benchmarks"), "benchmark", ("runs.csv", CANONICAL))
    before = uploads(store).to_dict("records")
    app = upload(open_page("benchmarks"), "benchmark", ("renamed.csv", CANONICAL))
    assert ":blue-badge[already loaded] nothing changed" in text_of(app, "upload_report")
    assert uploads(store).to_dict("records") == before


def test_a_file_that_was_loaded_with_answers_is_recognised_before_anything_is_asked(store: Store) -> None:
    load_sweeps(store)
    app = upload(open_page("benchmarks"), "benchmark", sweep("cuda"))
    assert ":blue-badge[already loaded]" in text_of(app, "upload_report")
    assert not [button for button in app.button if str(button.key).endswith("_load")]


def test_an_upload_can_be_withdrawn_and_restored(bare_store: Store) -> None:
    load_sweeps(bare_store)
    app = open_page("benchmarks")
    newest = uploads(bare_store).iloc[0]
    app = press(app, f"withdraw_{newest['upload_id']}")
    assert active(bare_store) == [SWEEPS["cuda"][0]]
    assert f"**{newest['file']}** :gray-badge[withdrawn]" in text_of(app)
    assert "No model has runs on both" in text_of(app)
    app = press(app, f"restore_{newest['upload_id']}")
    assert len(active(bare_store)) == 2
    check_comparison(app)


def test_a_file_that_is_withdrawn_while_it_still_lies_in_the_box_stays_withdrawn(bare_store: Store) -> None:
    app = upload(open_page("benchmarks"), "benchmark", ("runs.csv", CANONICAL))
    assert active(bare_store) == ["runs.csv"]
    app = press(app, "withdraw_")
    assert active(bare_store) == []
    set_number(app, "team_engineers", 7)
    assert active(bare_store) == []


def test_the_objective_is_drawn_and_its_limits_are_said(bare_store: Store) -> None:
    load_sweeps(bare_store)
    app = open_page("benchmarks", benchmarks_slo_ms="3000")
    assert "the objective is 3,000 ms" in text_of(app, "latency_chart")
    figure = app.get_by_key("latency_chart_figure").proto.spec
    assert '"y0":3000' in figure.replace(" ", "").replace("3000.0", "3000")
    latency = traces(app, "latency_chart")
    assert latency["NVIDIA CUDA"]["y"] == [pytest.approx(1000 * s) for s in (2.4166, 3.0208, 3.8666)]


EXCLUDED = {
    "metric_missing": both(neuron={"output_tok_per_s": "", "e2e_ms_mean": 100}, cuda={"e2e_ms_mean": 100}),
    "error_rate_high": both(neuron={"completed": 80, "failed": 20}),
    "run_not_valid": both(neuron={"run_valid": "no"}),
    "quality_not_kept": both(cuda={"quality_value": 0.9}, neuron={"quality_value": 0.5}, quality_metric="accuracy"),
    "lengths_differ": both() + b"\n".join(both(input_tokens=9000).split(b"\n")[1:2]) + b"\n",
    "price_missing": both(neuron={"instance_type": "trn9.mega"}),
    "slo_not_met": both(neuron={"e2e_ms_p99": 9000}),
    "latency_missing": both(neuron={"e2e_ms_p99": 100}),
}
SLO_MS = {"slo_not_met": "5000", "latency_missing": "5000"}


@pytest.mark.parametrize("reason", EXCLUDED)
def test_what_does_not_count_says_why(bare_store: Store, reason: str) -> None:
    assert load(bare_store, "runs.csv", EXCLUDED[reason], {}).rows_loaded
    objective = {"benchmarks_slo_ms": SLO_MS[reason]} if reason in SLO_MS else {}
    app = open_page("benchmarks", benchmarks_model=MODEL, **objective)
    assert [text for text in table_with(app, "Counts")["Counts"] if text.startswith(f"no: {REASONS[reason]}")]


def test_no_reason_is_left_out_here() -> None:
    assert set(EXCLUDED) == set(REASONS)


def test_one_side_alone_is_shown_and_the_other_asked_for(bare_store: Store) -> None:
    load(bare_store, *sweep("cuda"), answers("cuda"))
    app = open_page("benchmarks", benchmarks_model=MODEL)
    assert "Nothing that counts was measured on Trainium, TorchNeuron yet" in text_of(app)
    assert traces(app, "unit_cost_chart")["NVIDIA CUDA"]["x"] == ["8 · bf16", "32 · bf16", "64 · bf16"]


CORPUS = ROOT.parent / "shared" / "corpus" / "benchmarks"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_the_published_sweep_of_mimo(bare_store: Store) -> None:
    sides = {
        "cuda": ("mimo_fp8_h100_summary.csv", "p5.48xlarge", "fp8", 41.528),
        "neuron": ("mimo_bf16_trn2_summary.csv", "trn2.48xlarge", "bf16", 35.7608),
    }
    for platform, (name, instance_type, precision, price) in sides.items():
        stated = {"model": "MiMo", "platform": platform, "instance_type": instance_type, "precision": precision}
        content = (CORPUS / name).read_bytes()
        load(bare_store, name, content, {**stated, "price_usd_per_hour": price})
    app = open_page("benchmarks")
    text = text_of(app)
    assert "($76.41 against $15.75)" in text
    assert "At the same concurrency 32 it is $76.41 against $27.51." in text
    assert "The two sides ran at different precision" in text
    assert act(go_to(app, "")) == "do_nothing"


def test_each_pair_is_answered_in_a_sentence_with_its_interval(bare_store: Store) -> None:
    load_sweeps(bare_store)
    app = open_page("benchmarks", benchmarks_slo_ms="5000")
    said = text_of(app, "pairs")
    assert "each at its cheapest" in said
    assert "times the cost, 90 % interval" in said
    assert {"NVIDIA CUDA", "Trainium, TorchNeuron"} <= set(traces(app, "frontier_chart"))
    assert set(traces(app, "price_trap_chart")) == {"hourly price alone", "as measured"}
    assert has_key(app, "break_even_throughput_chart")


def test_an_objective_nobody_meets_says_what_can_be_concluded(bare_store: Store) -> None:
    load_sweeps(bare_store)
    app = open_page("benchmarks", benchmarks_slo_ms="1")
    assert "No cost can be compared under e2e_ms_p99 at most 1 ms" in text_of(app)
    assert not has_key(app, "price_trap_chart")


def test_what_is_left_out_names_its_limit_and_the_user_may_say_otherwise(bare_store: Store) -> None:
    load(bare_store, "runs.csv", EXCLUDED["error_rate_high"], {})
    app = open_page("benchmarks", benchmarks_model=MODEL)
    assert "more of its requests failed than the limit allows (5 %, benchmarks.max_error_rate)" in text_of(
        app, "left_out"
    )
    app.number_input(key="terms_max_error_rate").set_value(0.5).run()
    assert not has_key(app, "left_out")
    assert has_key(app, "price_trap_chart")
    linked = open_page("benchmarks", benchmarks_model=MODEL, a="benchmarks.max_error_rate:0.5")
    assert not has_key(linked, "left_out")


def test_two_models_in_a_file_are_never_mixed(bare_store: Store) -> None:
    load(bare_store, "two.csv", both() + both(model="other-1b").split(b"\n", 1)[1], {})
    app = open_page("benchmarks", benchmarks_model=MODEL)
    assert "Models are never mixed" in text_of(app)
    assert table_with(app, "Counts")["Runs"].sum() == 2
    assert set(table_with(app, "first_measured")["model"]) == {MODEL, "other-1b"}


def test_filters_from_a_link_narrow_history_and_table(bare_store: Store) -> None:
    load_sweeps(bare_store)
    app = open_page("benchmarks", runs_platform="neuron", history_measure="e2e_ms_p99")
    assert set(table_with(app, "sha256")["platform"]) == {"neuron"}
    assert "3 runs." in text_of(app)
    assert "e2e_ms_p99 of 3 configurations" in text_of(app, "history_chart")
    app.multiselect(key="runs_precision").set_value([]).run()
    assert not app.exception


def test_training_stands_beside_inference(bare_store: Store) -> None:
    train = {"output_tok_per_s": "", "input_tokens": "", "output_tokens": "", "concurrency": ""}
    content = both() + b"\n"
    load(bare_store, "infer.csv", content, {})
    load(
        bare_store,
        "train.csv",
        both(cuda={**train, "time_to_train_s": 500}, neuron={**train, "time_to_train_s": 700}),
        {},
    )
    said = text_of(open_page("benchmarks", benchmarks_model=MODEL), "pairs")
    assert "training, each at its cheapest." in said
    assert "Per training run:" in said
    assert "Per million output tokens:" in said
