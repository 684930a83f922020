"""Which price a run is costed at."""

import pandas as pd
import pytest

from analysis.model.pricing import PricedInstance, price_runs, read_prices
from tests.analysis.builders import cuda, neuron, runs

BLOCK, DEMAND = "capacity_block", "on_demand"


def offers(**instances):
    return {
        name.replace("_", "."): tuple(PricedInstance(usd, option, f"{option} of {name}") for option, usd in prices)
        for name, prices in instances.items()
    }


def priced(frame, table):
    found, warnings = price_runs(frame, table, frame["platform"].notna())
    return [
        (None if pd.isna(price) else price, None if pd.isna(option) else option)
        for price, option in zip(found["price"], found["purchase_option"], strict=True)
    ], warnings


BARE = runs(cuda(price_usd_per_hour=None), neuron(price_usd_per_hour=None))


def test_a_price_that_comes_with_the_run_comes_first():
    frame = runs(cuda(price_usd_per_hour=77.0), neuron(price_usd_per_hour=None))
    found, warnings = priced(frame, offers(gpu_big=[(BLOCK, 40)], trn_big=[(BLOCK, 30)]))
    assert found == [(77, "stated"), (30, BLOCK)]
    assert warnings == ()


def test_a_capacity_block_before_on_demand():
    table = offers(gpu_big=[(DEMAND, 55), (BLOCK, 40)], trn_big=[(DEMAND, 44), (BLOCK, 30)])
    assert priced(BARE, table) == ([(40, BLOCK), (30, BLOCK)], ())


def test_the_option_that_both_sides_have():
    table = offers(gpu_big=[(BLOCK, 40), (DEMAND, 55)], trn_big=[(DEMAND, 44)])
    assert priced(BARE, table) == ([(55, DEMAND), (44, DEMAND)], ())


def test_no_common_option_is_said():
    table = offers(gpu_big=[(BLOCK, 40)], trn_big=[(DEMAND, 44)])
    assert priced(BARE, table) == ([(40, BLOCK), (44, DEMAND)], ("purchase_options_differ",))


@pytest.mark.parametrize("table", [{}, offers(gpu_big=[(BLOCK, 40)])])
def test_a_run_without_any_price_has_none(table):
    found, warnings = priced(BARE, table)
    assert found[1] == (None, None)
    assert warnings == ()


def test_an_instance_type_not_stated_has_no_shipped_price():
    frame = runs(cuda(price_usd_per_hour=None, instance_type=None), neuron())
    assert priced(frame, offers(gpu_big=[(BLOCK, 40)]))[0] == [(None, None), (30, "stated")]


def test_the_label_says_where_a_price_is_from():
    table = offers(gpu_big=[(BLOCK, 40)])
    frame = runs(cuda(price_usd_per_hour=None), neuron())
    found, _ = price_runs(frame, table, frame["platform"].notna())
    assert list(found["price_label"]) == ["capacity_block of gpu_big", "stated with the upload"]


def test_the_table_is_read_by_instance_type():
    table = pd.DataFrame(
        [("gpu.big", BLOCK, 40, "a"), ("trn.big", BLOCK, 30, "b"), ("gpu.big", DEMAND, 55, "c")],
        columns=["instance_type", "purchase_option", "usd_per_hour", "label"],
    )
    assert read_prices(table) == {
        "gpu.big": (PricedInstance(40.0, BLOCK, "a"), PricedInstance(55.0, DEMAND, "c")),
        "trn.big": (PricedInstance(30.0, BLOCK, "b"),),
    }
    assert read_prices(table.iloc[:0]) == {}
