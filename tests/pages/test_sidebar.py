"""The inputs at the left, the same on every page, and the address: a link that cannot be used says so."""

import re

import pytest

from data.store import Store
from tests.pages.visit import (
    LEADS,
    act,
    go_to,
    has_key,
    load_sweeps,
    open_page,
    said,
    set_number,
    shown,
    text_of,
    widgets,
)

KEYS = {
    "team_engineers",
    "jobs_jobs_per_week",
    "jobs_hours_per_job",
    "jobs_instances",
    "jobs_price_per_instance_hour",
    "spend_monthly_gpu_usd",
    "baseline",
    "candidate",
    "benchmarks_model",
    "vendor_more_work_per_dollar",
    "benchmarks_slo_ms",
    "workload_custom_kernels",
    "workload_unsupported_ops",
    "finance_horizon_months",
}
START = {
    "team_engineers": 6,
    "jobs_jobs_per_week": 10,
    "jobs_hours_per_job": 6,
    "jobs_instances": 1,
    "jobs_price_per_instance_hour": 41.53,
    "spend_monthly_gpu_usd": 50_000,
    "vendor_more_work_per_dollar": 0.7,
    "benchmarks_slo_ms": None,
    "workload_custom_kernels": None,
    "workload_unsupported_ops": None,
    "finance_horizon_months": 24,
    "baseline": "cuda",
    "candidate": "neuron",
    "benchmarks_model": None,
}
PAGES = ("", "benchmarks", "coverage", "assumptions", "sensitivity")


@pytest.mark.parametrize("page", PAGES)
def test_every_input_stands_on_every_page_with_its_start_value(page: str) -> None:
    values = {widget.key: widget.value for widget in widgets(open_page(page))}
    assert set(values) == KEYS
    assert values == START


def test_the_brief_has_no_inputs() -> None:
    assert list(widgets(open_page("brief"))) == []


@pytest.mark.parametrize("bare", [False, True], ids=["demo", "empty"])
def test_every_number_has_unit_range_and_kind(request: pytest.FixtureRequest, bare: bool) -> None:
    if bare:
        request.getfixturevalue("bare_store")
    app = open_page()
    kinds = {}
    for field in app.sidebar.number_input:
        kind = re.search(r":gray-badge\[(\w+)\]", field.label)
        assert kind, field.label
        kinds[field.key] = kind[1]
        assert re.search(r"Range [\d.,-]+ to [\d.,-]+(e\+\d+)?\.", field.help.replace("1e+", "1")), field.help
        assert f"Now {kind[1]}" in field.help
        assert field.min is not None
        assert field.max is not None
    assert set(kinds.values()) <= {"assumed", "derived", "measured", "you"}
    assert kinds.pop("workload_unsupported_ops") == ("assumed" if bare else "derived")
    assert set(kinds.values()) == {"assumed"}
    badges = {box.key: re.search(r":gray-badge\[(\w+)\]", box.label) for box in app.sidebar.selectbox}
    assert badges["baseline"][1] == badges["candidate"][1] == "assumed"


def test_what_a_user_types_is_marked_as_theirs_and_what_was_measured_stands_in_the_empty_field(store: Store) -> None:
    app = open_page()
    assert app.number_input(key="workload_unsupported_ops").placeholder == "0 (derived)"
    app = set_number(set_number(app, "team_engineers", 9), "workload_unsupported_ops", 3)
    assert ":gray-badge[you]" in app.number_input(key="team_engineers").label
    assert ":gray-badge[you]" in app.number_input(key="workload_unsupported_ops").label
    assert ":gray-badge[assumed]" in app.number_input(key="jobs_instances").label


def test_what_was_typed_stays_when_the_page_changes() -> None:
    app = set_number(open_page(), "spend_monthly_gpu_usd", 123_000.0)
    app = set_number(app, "benchmarks_slo_ms", 800.0)
    for page in ("benchmarks", "coverage", "assumptions", ""):
        app = go_to(app, page)
        assert app.number_input(key="spend_monthly_gpu_usd").value == 123_000
        assert app.number_input(key="benchmarks_slo_ms").value == 800


@pytest.mark.parametrize("page", ["", "coverage"])
def test_a_link_states_every_input_on_every_page(store: Store, page: str) -> None:
    load_sweeps(store)
    stated = {
        "team_engineers": 3,
        "jobs_jobs_per_week": 40,
        "jobs_hours_per_job": 2.5,
        "jobs_instances": 2,
        "jobs_price_per_instance_hour": 30.5,
        "spend_monthly_gpu_usd": 90_000,
        "vendor_more_work_per_dollar": 0.4,
        "benchmarks_slo_ms": 2500,
        "workload_custom_kernels": 2,
        "workload_unsupported_ops": 4,
        "finance_horizon_months": 36,
        "benchmarks_model": "made-up-8b",
    }
    app = open_page(page, **{key: str(value) for key, value in stated.items()})
    assert {key: app.sidebar.get_by_key(key).value for key in stated} == stated
    assert list(app.warning) == []


REFUSED = (
    {"team_engineers": "0", "jobs_jobs_per_week": "nan", "spend_monthly_gpu_usd": "-1", "benchmarks_model": "no-such"},
    {"team_engineers": "6.5", "jobs_jobs_per_week": "1e9", "spend_monthly_gpu_usd": "inf", "baseline": "abacus"},
    {"team_engineers": "many", "finance_horizon_months": "100000", "benchmarks_slo_ms": "0", "candidate": ""},
)


@pytest.mark.parametrize("query", REFUSED)
def test_a_link_that_is_out_of_range_says_so_and_the_start_values_count(query: dict[str, str]) -> None:
    app = open_page(**query)
    (warning,) = app.warning
    for key, value in query.items():
        assert f"{key}={value}" in shown(warning.value)
        assert app.sidebar.get_by_key(key).value == START[key]
    assert act(app) in LEADS
    assert list(set_number(app, "jobs_instances", 2.0).warning) == [], "it is said once"


def test_parameters_that_nobody_knows_are_left_alone() -> None:
    app = open_page("assumptions", utm_source="mail", zork="<script>alert(1)</script>")
    assert list(app.warning) == []
    assert "alert(1)" not in text_of(app)


def test_what_a_link_states_is_marked_as_stated_from_the_first_sight() -> None:
    app = open_page(team_engineers="9", candidate="rocm")
    assert list(app.warning) == []
    assert ":gray-badge[you]" in app.number_input(key="team_engineers").label
    assert ":gray-badge[you]" in app.selectbox(key="candidate").label


GOOD = "effort.setup:200,test.runs:9,policy.require_own_benchmark:false"
BAD = {
    "effort.setup:-4": "effort.setup:-4 (setup must be at least 0)",
    "effort.setup": "effort.setup (setup must be a number)",
    "effort.setup:many": "effort.setup:many (setup must be a number)",
    "effort.setup:NaN": "effort.setup:NaN (setup must be a finite number)",
    "effort.setup:1e999": "effort.setup:1e999 (setup must be a finite number)",
    "effort.sutup:4": "effort.sutup:4 (not in the table of assumptions; did you mean effort.setup?)",
    "zork.x:1": "zork.x:1 (not in the table of assumptions)",
    "x.y.z:1": "x.y.z:1 (not in the table of assumptions)",
    ".:1": ".:1 (not in the table of assumptions)",
    "team.engineers:9": "team.engineers:9 (not in the table of assumptions",
    "test.runs:2.5": "test.runs:2.5 (runs must be a whole number)",
    "workload.path:zork": "workload.path:zork (path must be one of native, xla)",
}


def test_a_link_brings_the_changes_of_the_table() -> None:
    plain, changed = open_page(), open_page(a=GOOD)
    assert list(changed.warning) == []
    assert text_of(changed, "verdict") != text_of(plain, "verdict")
    assert changed.query_params["a"] == GOOD
    table = go_to(changed, "assumptions").data_editor[0].value.set_index("Input")
    assert table.loc["effort.setup", ["Value", "Kind"]].tolist() == ["200", "changed by you"]
    assert table.loc["policy.require_own_benchmark", "Value"] == "false"


def test_changes_that_cannot_be_used_are_named_and_the_others_count() -> None:
    app = open_page(a=",".join([*BAD, "", "test.runs:9"]))
    (warning,) = app.warning
    assert [words for words in BAD.values() if words not in shown(warning.value)] == []
    assert app.query_params["a"] == "test.runs:9"
    assert act(app) in LEADS


@pytest.mark.parametrize("text", ["baseline:rocm", "effort:5", "spend"])
def test_a_change_without_a_section_is_named_like_any_other(text: str) -> None:
    app = open_page(a=f"{text},test.runs:9")
    assert f"{text} (not in the table of assumptions" in shown(app.warning[0].value)
    assert app.query_params["a"] == "test.runs:9"


def test_the_table_s_parameter_cannot_fix_a_field_of_the_sidebar_behind_its_back() -> None:
    app = set_number(open_page(a="spend.monthly_gpu_usd:900000"), "spend_monthly_gpu_usd", 20_000.0)
    assert "you: $20,000" in text_of(app)


def test_a_platform_that_came_with_the_link_and_was_taken_is_not_called_refused() -> None:
    app = open_page(baseline="rocm")
    assert app.selectbox(key="baseline").value == "rocm"
    assert list(app.warning) == []


PICTURE = "![x](http://e.example/x.png)"


@pytest.mark.parametrize("query", [{"a": f"{PICTURE}:1"}, {"benchmarks_model": PICTURE}, {"team_engineers": PICTURE}])
def test_a_link_cannot_put_pictures_or_links_into_a_page(query: dict[str, str]) -> None:
    app = open_page(**query)
    assert app.warning
    assert PICTURE in text_of(app), "it is named as it was written"
    assert [text for text in said(app) if PICTURE in text] == []


def test_a_model_s_name_cannot_put_pictures_or_links_into_a_page(store: Store) -> None:
    load_sweeps(store, model=PICTURE)
    for page in ("", "benchmarks", "coverage"):
        app = open_page(page)
        assert PICTURE in text_of(app), page
        assert [text for text in said(app) if PICTURE in text] == [], page


def test_no_jobs_can_be_stated(store: Store) -> None:
    app = open_page()
    if not has_key(app, "jobs"):
        pytest.skip("the app has no switch for jobs")
    app = app.toggle(key="jobs").set_value(False).run()
    assert "no jobs stated" in text_of(app)
    assert act(app) in LEADS
    linked = open_page(jobs="false")
    assert text_of(linked, "verdict") == text_of(app, "verdict")


def test_the_model_is_chosen_among_those_with_runs(store: Store) -> None:
    load_sweeps(store)
    app = open_page()
    assert app.selectbox(key="benchmarks_model").options == ["demo-llm-8b", "made-up-8b"]
    app = app.selectbox(key="benchmarks_model").set_value("demo-llm-8b").run()
    assert "Benchmarks of demo-llm-8b" in text_of(app)
