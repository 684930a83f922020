"""What may be stated, what each refusal says, and which field it names."""

import json
import math

import pytest

from analysis.errors import ScenarioError
from analysis.model.reading import input_field, input_names, parse_scenario, read_scenario
from tests.analysis import naive

GPU = {"price_per_hour": 50.0, "throughput_runs": [100.0]}
JOBS = {"jobs_per_week": 1, "hours_per_job": 1, "instances": 1, "price_per_instance_hour": 1}


def refused(values):
    with pytest.raises(ScenarioError) as caught:
        read_scenario(values)
    assert str(caught.value) == caught.value.message
    return caught.value.field, caught.value.message


def stated(name, value):
    section, field = name.split(".")
    return {section: ({**JOBS} if section == "jobs" else {}) | {field: value}}


def flat(values):
    return {
        f"{section}.{field}": value
        for section, fields in values.items()
        if isinstance(fields, dict)
        for field, value in fields.items()
    }


def test_every_default_is_the_documented_one():
    found = flat(read_scenario({}).model_dump())
    assert found == {name: () if value == [] else value for name, value in flat(naive.DEFAULTS).items()}
    assert read_scenario({}).jobs is None
    assert (read_scenario({}).baseline, read_scenario({}).candidate) == ("cuda", "neuron")


@pytest.mark.parametrize("section", [*naive.DEFAULTS])
def test_a_section_that_is_null_takes_its_defaults(section):
    assert read_scenario({section: None}) == read_scenario({})


@pytest.mark.parametrize("name", [*flat(naive.DEFAULTS)])
def test_a_field_that_is_null_takes_its_default(name):
    assert read_scenario(stated(name, None)) == read_scenario({})


AT_LEAST_0 = """
spend.monthly_gpu_usd jobs.jobs_per_week jobs.hours_per_job jobs.instances jobs.price_per_instance_hour
commitment.monthly_usd commitment.months_left team.loaded_usd_per_hour workload.unsupported_ops
workload.custom_kernels workload.cuda_only_tools workload.compile_hours_per_job evidence.successes
evidence.trials effort.setup effort.learn_per_engineer effort.report effort.review_per_engineer
effort.port_per_service effort.parity_per_service effort.bench_per_service effort.per_unsupported_op
effort.per_kernel effort.per_tool effort.migrate_per_service effort.train_per_engineer effort.ops_fixed
test.duration_months test.baseline_hours test.candidate_hours test.compile_hours_per_service
test.min_billed_hours test.baseline_usd_per_hour test.candidate_usd_per_hour test.compile_usd_per_hour
migration.months migration.ramp_months migration.parallel_months migration.data_gb migration.usd_per_gb
recurring.releases_per_year recurring.hours_per_service
""".split()  # noqa: SIM905
SHARES = """
spend.migratable_share spend.follow_on_share commitment.portable_share workload.share_native
workload.share_fallback workload.share_unsupported workload.cache_miss_rate vendor.haircut evidence.relevance
success_prior.q_unsupported success_prior.q_kernel success_prior.q_tool success_prior.q_slo_missed
effort.wait_share test.sensitivity test.specificity test.reuse recurring.adopted_share
timing.release_prob_per_month timing.gap_closed_per_release
""".split()  # noqa: SIM905
AT_LEAST_1 = """
team.engineers team.engaged_max workload.services workload.services_tested workload.fallback_slowdown
finance.horizon_months timing.horizon_months
""".split()  # noqa: SIM905
ABOVE_0 = """
vendor.sd_log benchmarks.slo_ms success_prior.concentration team.hours_per_week_available
""".split()  # noqa: SIM905
ABOVE_MINUS_1 = """
spend.growth_monthly vendor.more_work_per_dollar finance.annual_discount
""".split()  # noqa: SIM905
COUNTS = """
team.engineers team.engaged_max workload.services workload.services_tested workload.unsupported_ops
workload.custom_kernels workload.cuda_only_tools test.runs finance.horizon_months timing.horizon_months
""".split()  # noqa: SIM905
BELOW = [
    *((name, -1, "at least 0") for name in AT_LEAST_0),
    *((name, -0.01, "in [0,1]") for name in SHARES),
    *((name, 1.01, "in [0,1]") for name in SHARES),
    *((name, 0, "at least 1") for name in AT_LEAST_1 if name != "finance.horizon_months"),
    *((name, 0, "greater than 0") for name in ABOVE_0),
    *((name, -1, "greater than -1") for name in ABOVE_MINUS_1),
    ("finance.horizon_months", 0, "in [1,600]"),
    ("success_prior.p_base", 0, "in (0,1)"),
    ("success_prior.p_base", 1, "in (0,1)"),
    ("benchmarks.utilisation", 0, "in (0,1]"),
    ("benchmarks.utilisation", 1.2, "in (0,1]"),
]


@pytest.mark.parametrize(("name", "value", "bound"), BELOW)
def test_what_is_out_of_bounds_is_refused_by_name(name, value, bound):
    assert refused(stated(name, value)) == (name, f"{name.split('.')[1]} must be {bound}")


@pytest.mark.parametrize("name", [*AT_LEAST_0])
def test_the_lower_bound_itself_is_allowed(name):
    assert flat(read_scenario(stated(name, 0)).model_dump())[name] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, edge) for name in SHARES if not name.startswith("workload.share") for edge in (0, 1)]
    + [("workload.fallback_slowdown", 1), ("finance.horizon_months", 1), ("finance.horizon_months", 600)],
)
def test_the_ends_of_a_range_are_allowed(name, value):
    assert flat(read_scenario(stated(name, value)).model_dump())[name] == value


@pytest.mark.parametrize("name", [name for name in AT_LEAST_0 + SHARES + ABOVE_MINUS_1 if name not in COUNTS])
def test_nan_and_infinity_are_refused(name):
    for value in (math.nan, math.inf, -math.inf):
        assert refused(stated(name, value)) == (name, f"{name.split('.')[1]} must be a finite number")


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_whole(name):
    section, field = name.split(".")
    others = {"services": 3} if section == "workload" else {}
    assert refused({section: others | {field: 2.5}}) == (name, f"{field} must be a whole number")
    whole = flat(read_scenario({section: others | {field: 2.0}}).model_dump())[name]
    assert whole == 2
    assert type(whole) is int
    for wrong in (math.nan, math.inf, True, "2"):
        assert refused({section: others | {field: wrong}})[0] == name


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"spend": {"monthly_gpu_usd": "50k"}}, "spend.monthly_gpu_usd", "monthly_gpu_usd must be a number"),
        ({"spend": {"monthly_gpu_usd": True}}, "spend.monthly_gpu_usd", "monthly_gpu_usd must be a number"),
        ({"spend": 5}, "spend", "spend must be a section with named fields"),
        ({"spend": [5]}, "spend", "spend must be a section with named fields"),
        ({"policy": {"require_own_benchmark": 1}}, "policy.require_own_benchmark",
         "require_own_benchmark must be true or false"),
        ({"workload": {"path": "both"}}, "workload.path", "path must be one of native, xla"),
        ({"workload": {"path": 3}}, "workload.path", "path must be text"),
        ({"benchmarks": {"baseline": 3}}, "benchmarks.baseline", "baseline must be a list"),
        ({"benchmarks": {"candidate": [3]}}, "benchmarks.candidate[0]",
         "candidate[0] must be a section with named fields"),
        ({"candidate": 7}, "candidate", "candidate must be text"),
    ],
)  # fmt: skip
def test_a_wrong_type_is_refused(values, field, message):
    assert refused(values) == (field, message)


@pytest.mark.parametrize(
    ("values", "field", "near"),
    [
        ({"team": {"enginers": 3}}, "team.enginers", "engineers"),
        ({"spnd": {}}, "spnd", "spend"),
        ({"jobs": JOBS | {"hours_per_jobs": 3}}, "jobs.hours_per_jobs", "hours_per_job"),
        ({"benchmarks": {"baseline": [GPU | {"utilization": 0.5}]}}, "benchmarks.baseline[0].utilization",
         "utilisation"),
        ({"benchmarks": {"external": [{"log_ratio": 0, "se": 1, "log_ratios": 2}]}},
         "benchmarks.external[0].log_ratios", "log_ratio"),
    ],
)  # fmt: skip
def test_what_is_unknown_is_refused_with_the_nearest_name(values, field, near):
    found, message = refused(values)
    assert found == field
    assert message.endswith(f"; did you mean {near}?")


def test_what_is_unknown_and_like_nothing_has_no_suggestion():
    assert refused({"team": {"qqqqq": 1}}) == ("team.qqqqq", "unknown field qqqqq")


@pytest.mark.parametrize("field", JOBS)
def test_jobs_are_whole_or_not_there(field):
    rest = {name: value for name, value in JOBS.items() if name != field}
    assert refused({"jobs": rest}) == (f"jobs.{field}", f"{field} is missing")
    assert refused({"jobs": rest | {field: None}}) == (f"jobs.{field}", f"{field} is missing")


def test_configurations_are_checked_one_by_one():
    def with_second(**values):
        return {"benchmarks": {"baseline": [GPU, GPU | values]}}

    where = "benchmarks.baseline[1]"
    assert refused(with_second(utilisation=1.2)) == (f"{where}.utilisation", "utilisation must be in (0,1]")
    assert refused(with_second(utilisation=0)) == (f"{where}.utilisation", "utilisation must be in (0,1]")
    assert refused(with_second(price_per_hour=0)) == (
        f"{where}.price_per_hour",
        "price_per_hour must be greater than 0",
    )
    runs = f"{where}.throughput_runs"
    assert refused(with_second(throughput_runs=[])) == (runs, "throughput_runs must not be empty")
    field, message = refused(with_second(throughput_runs=[5, 0]))
    assert field == f"{runs}[1]"
    assert message.startswith("throughput_runs[1] must be greater than 0")
    assert refused(with_second(throughput_runs=[5, None]))[0] == f"{runs}[1]"
    assert refused(with_second(throughput_runs=[math.nan]))[0] == f"{runs}[0]"
    assert refused(with_second(latency_ms_runs=[-1]))[0] == f"{where}.latency_ms_runs[0]"
    assert refused({"benchmarks": {"candidate": [{"throughput_runs": [1]}]}}) == (
        "benchmarks.candidate[0].price_per_hour",
        "price_per_hour is missing",
    )
    external = {"benchmarks": {"external": [{"log_ratio": 0.1, "se": 0}]}}
    assert refused(external) == ("benchmarks.external[0].se", "se must be greater than 0")


@pytest.mark.parametrize(
    ("work", "field", "message"),
    [
        ({"services": 2, "services_tested": 3}, "services_tested", "services_tested must be at most services"),
        ({"share_native": 0.9}, "share_native", "must add to 1"),
        ({"share_native": 0.9, "share_fallback": 0.2}, "share_native", "must add to 1"),
        ({"share_native": 0, "share_unsupported": 1}, "share_native", "must be greater than 0"),
    ],
)
def test_inputs_that_contradict_one_another(work, field, message):
    found, said = refused({"workload": work})
    assert found == f"workload.{field}"
    assert said.endswith(message)


def test_shares_may_carry_rounding_errors():
    thirds = {"share_native": 0.3333333, "share_fallback": 0.3333333, "share_unsupported": 0.3333334}
    assert read_scenario({"workload": thirds}).workload.share_fallback == 0.3333333


def test_more_successes_than_trials():
    assert refused({"evidence": {"successes": 2, "trials": 1}}) == (
        "evidence.successes",
        "successes must be at most trials",
    )


def test_acting_after_the_horizon():
    values = {"timing": {"horizon_months": 13}, "finance": {"horizon_months": 12}}
    assert refused(values)[0] == "timing.horizon_months"
    values["timing"]["horizon_months"] = 12
    assert read_scenario(values).timing.horizon_months == 12


@pytest.mark.parametrize("values", [[1], "text", 3, None, True])
def test_a_scenario_is_an_object(values):
    with pytest.raises(ScenarioError, match="JSON object") as caught:
        read_scenario(values)
    assert caught.value.field == ""
    with pytest.raises(ScenarioError, match="JSON object"):
        parse_scenario(json.dumps(values))


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", "[" * 100_000, "{} {}"])
def test_what_is_not_json_is_an_input_error(text):
    with pytest.raises(ScenarioError, match="not valid JSON"):
        parse_scenario(text)


def test_a_number_of_thousands_of_digits_is_an_input_error():
    with pytest.raises(ScenarioError):
        parse_scenario('{"team": {"engineers": 1' + "0" * 5000 + "}}")


def test_numbers_are_read_as_json_writes_them():
    found = parse_scenario('{"spend": {"monthly_gpu_usd": 1e5, "growth_monthly": -2E-2}, "team": {"engineers": 5.0}}')
    assert (found.spend.monthly_gpu_usd, found.spend.growth_monthly, found.team.engineers) == (1e5, -0.02, 5)


def test_a_scenario_cannot_be_changed():
    found = read_scenario({})
    with pytest.raises(Exception, match="frozen"):
        found.spend.monthly_gpu_usd = 3


def test_every_input_has_a_label_a_unit_and_a_plausible_base():
    names = input_names()
    assert len(names) == len(set(names))
    assert {"spend.monthly_gpu_usd", "jobs.instances", "finance.horizon_months", "baseline"} <= set(names)
    assert set(flat(naive.DEFAULTS)) <= set(names)
    for name in names:
        field = input_field(name)
        about = field.json_schema_extra
        assert about["label"], name
        assert about["unit"], name
        low, high = about.get("low"), about.get("high")
        if low is not None and isinstance(field.default, int | float):
            assert low <= field.default <= high, name


def test_asking_for_an_input_that_is_not_there():
    with pytest.raises(ScenarioError, match="did you mean horizon_months") as caught:
        input_field("finance.horizon")
    assert caught.value.field == "finance.horizon"
