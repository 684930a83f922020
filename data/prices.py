"""The shipped price table and the facts of instance types: each figure with its own date and source."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REFERENCE = Path(__file__).parent / "reference"
DEFAULT_REGION = "us-east-2"
_PREFERENCE = ("capacity_block", "on_demand")


@dataclass(frozen=True, slots=True)
class Price:
    """Hold one published price of a whole instance, in USD per hour, as of an ISO date."""

    instance_type: str
    region: str
    purchase_option: str
    usd_per_hour: float
    as_of: str
    source: str
    accelerator: str
    accelerator_count: int


@dataclass(frozen=True, slots=True)
class Instance:
    """Hold what is known of an instance type; peak figures are the vendor's, None where no source gave one."""

    instance_type: str
    accelerator: str
    accelerator_count: int
    accelerator_memory_gib: float | None
    vcpus: int | None
    memory_gib: float | None
    bf16_dense_tflops_per_accelerator: float | None


@dataclass(frozen=True, slots=True)
class Assumption:
    """Hold a published figure that stands behind a scenario field; value, low and high as the source gives them."""

    key: str
    field: str
    value: str
    unit: str
    low: str
    high: str
    kind: str
    source: str
    as_of: str
    note: str


def _rows(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def price_table() -> tuple[Price, ...]:
    """Return every price that is shipped."""
    return tuple(
        Price(
            row["instance_type"],
            row["region"],
            row["purchase_option"],
            float(row["usd_per_hour"]),
            row["as_of"],
            row["source"],
            row["accelerator"],
            int(row["accelerator_count"]),
        )
        for row in _rows("instances.csv")
        if row["usd_per_hour"]
    )


@cache
def _instances() -> dict[str, Instance]:
    return {
        row["instance_type"].lower(): Instance(
            row["instance_type"],
            row["accelerator"],
            int(row["accelerator_count"]),
            _number(row["accelerator_memory_gib"]),
            int(row["vcpus"]) if row["vcpus"] else None,
            _number(row["memory_gib"]),
            _number(row["bf16_dense_tflops_per_accelerator"]),
        )
        for row in _rows("instances.csv")
    }


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def instance(instance_type: str) -> Instance | None:
    """Return the facts of an instance type, None where the table does not list it."""
    return _instances().get(instance_type.lower())


def instance_types() -> tuple[str, ...]:
    """Return the names of all instance types in the table."""
    return tuple(facts.instance_type for facts in _instances().values())


def propose_price(instance_type: str, region: str = DEFAULT_REGION) -> Price | None:
    """Return the capacity-block price in this region, else the on-demand price, else None; never another region's."""
    offers = {
        price.purchase_option: price
        for price in price_table()
        if price.instance_type == instance_type.lower() and price.region == region
    }
    return next((offers[option] for option in _PREFERENCE if option in offers), None)


@cache
def assumptions() -> tuple[Assumption, ...]:
    """Return the published figures that stand behind scenario fields."""
    return tuple(Assumption(**row) for row in _rows("assumptions.csv"))
