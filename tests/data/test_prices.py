import re
from datetime import date

import pytest

from data.prices import REFERENCE, assumptions, instance, instance_types, price_table, propose_price


def test_the_capacity_block_comes_before_on_demand():
    proposed = propose_price("p5.48xlarge")
    assert (proposed.usd_per_hour, proposed.purchase_option, proposed.region) == (41.528, "capacity_block", "us-east-2")
    assert propose_price("trn2.48xlarge").usd_per_hour == 35.7608
    assert propose_price("inf2.xlarge", "us-east-1").purchase_option == "on_demand"


def test_no_region_lends_its_price_to_another():
    assert propose_price("trn2.48xlarge", "eu-north-1") is None
    assert propose_price("no-such-type") is None


def test_every_price_has_its_own_date_and_source():
    for price in price_table():
        assert price.usd_per_hour > 0
        assert date(2025, 1, 1) < date.fromisoformat(price.as_of)
        assert price.source
    options = {
        p.purchase_option: p.as_of for p in price_table() if (p.instance_type, p.region) == ("p5.48xlarge", "us-east-2")
    }
    assert options == {"on_demand": "2026-01-21", "capacity_block": "2026-07-22"}


def test_a_price_stands_once_for_type_region_and_option():
    keys = [(price.instance_type, price.region, price.purchase_option) for price in price_table()]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("name", "accelerator", "count"),
    [("trn2.48xlarge", "AWS Trainium2", 16), ("P5.48XLARGE", "NVIDIA H100", 8), ("trn1.32xlarge", "AWS Trainium", 16)],
)
def test_instances(name, accelerator, count):
    facts = instance(name)
    assert (facts.accelerator, facts.accelerator_count) == (accelerator, count)
    assert name.lower() in instance_types()


def test_unknown_stays_unknown():
    assert instance("no-such-type") is None
    assert instance("g4dn.xlarge").bf16_dense_tflops_per_accelerator is None


def test_assumptions_have_source_and_date():
    for row in assumptions():
        assert row.source
        assert re.match(r"20\d\d", row.as_of)
        assert "." in row.field


def test_reference_files_name_no_path_of_this_machine():
    for path in REFERENCE.iterdir():
        assert not re.search(r"(?<![\w.:/-])/(work|home|tmp)/", path.read_text(encoding="utf-8"))
