"""Which hourly price a run is costed at: its own, else the shipped table; bought alike on both sides where possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

OPTIONS = ("capacity_block", "on_demand")
STATED = "stated"


@dataclass(frozen=True, slots=True)
class PricedInstance:
    """USD per instance-hour, how it is bought, and a label that says where and when the price is from.

    `purchase_option` is `stated` for a price that came with the run.
    """

    usd_per_hour: float
    purchase_option: str
    label: str


def read_prices(table: pd.DataFrame) -> dict[str, tuple[PricedInstance, ...]]:
    """Return the offers by instance type, from a table of instance_type, purchase_option, usd_per_hour and label."""
    offers: dict[str, tuple[PricedInstance, ...]] = {}
    for row in table.to_dict("records"):
        offer = PricedInstance(float(row["usd_per_hour"]), str(row["purchase_option"]), str(row["label"]))
        offers[str(row["instance_type"])] = (*offers.get(str(row["instance_type"]), ()), offer)
    return offers


def price_runs(
    runs: pd.DataFrame, prices: Mapping[str, Sequence[PricedInstance]], counted: "pd.Series[bool]"
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the runs with the columns price, purchase_option and price_label, and warnings.

    A price that a run states itself comes first. Otherwise the shipped one: capacity block before on demand, and the
    option that every instance type concerned has, so that both sides are bought alike; where there is no such option
    each takes its own best, with the warning `purchase_options_differ`. Only runs that are `counted` decide on that.
    A run without any price keeps a missing one.
    """
    stated = pd.to_numeric(runs["price_usd_per_hour"]) if "price_usd_per_hour" in runs else pd.Series(index=runs.index)
    stated = stated.astype(float)
    kinds = runs["instance_type"].astype(object)
    needed = [str(kind) for kind in kinds[stated.isna()].dropna().unique() if kind in prices]
    deciding = [str(kind) for kind in kinds[stated.isna() & counted].dropna().unique() if kind in prices]
    offered = [{price.purchase_option for price in prices[kind]} for kind in deciding]
    common = next((o for o in OPTIONS if offered and all(o in options for options in offered)), None)
    chosen = {kind: _pick(prices[kind], common) for kind in needed}
    shipped = kinds.map(lambda kind: chosen.get(kind))
    has_shipped = stated.isna() & shipped.notna()
    priced = runs.assign(
        price=stated.where(~has_shipped, shipped.map(lambda p: p.usd_per_hour if p else None)).astype(float),
        purchase_option=shipped.map(lambda p: p.purchase_option if p else None).where(stated.isna(), STATED),
        price_label=shipped.map(lambda p: p.label if p else None).where(stated.isna(), "stated with the upload"),
    )
    options = set(priced.loc[has_shipped & counted, "purchase_option"])
    return priced, ("purchase_options_differ",) if len(options) > 1 else ()


def _pick(offers: Sequence[PricedInstance], option: str | None) -> PricedInstance | None:
    order = (option, *OPTIONS) if option else OPTIONS
    return next((offer for wanted in order for offer in offers if offer.purchase_option == wanted), None)
