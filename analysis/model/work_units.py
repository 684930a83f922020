"""The units in which work is counted, in the order in which they are preferred (model section 16)."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """A unit of work: the column that gives it per second, and the multiple of it in which cost is quoted.

    `kind` is inference or training: the two are never compared with one another.
    """

    column: str
    quantity: float
    label: str
    kind: str = "inference"
    inverse: bool = False

    def per_second(self, runs: pd.DataFrame) -> "pd.Series[float]":
        """Return units of work per second of each run; missing where the run does not say."""
        if self.column not in runs:
            return pd.Series(float("nan"), index=runs.index, dtype=float)
        values = pd.to_numeric(runs[self.column]).astype(float)
        values = values.where(values > 0)
        return 1.0 / values if self.inverse else values


WORK_UNITS = (
    WorkUnit("output_tok_per_s", 1e6, "million output tokens"),
    WorkUnit("total_tok_per_s", 1e6, "million tokens, input and output"),
    WorkUnit("req_per_s", 1e3, "thousand requests"),
    WorkUnit("samples_per_s", 1e3, "thousand samples"),
    WorkUnit("train_seq_per_s", 1e3, "thousand training sequences", "training"),
    WorkUnit("time_to_train_s", 1.0, "training run", "training", inverse=True),
)


def runs_of_kind(runs: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the runs that state work of a kind; those that state none at all belong to inference."""
    states = {
        name: pd.concat([unit.per_second(runs).notna() for unit in WORK_UNITS if unit.kind == name], axis=1).any(axis=1)
        for name in ("inference", "training")
    }
    wanted = states["training"] if kind == "training" else states["inference"] | ~states["training"]
    return runs[wanted].reset_index(drop=True)
