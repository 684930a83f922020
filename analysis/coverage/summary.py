"""Summarise the operators that a model uses: four states, by time, by calls and by distinct operators."""

from dataclasses import dataclass

import pandas as pd

STATES = ("native", "fallback", "unsupported", "unknown")
MEASURES = ("time_us", "calls", "operators")


@dataclass(frozen=True, slots=True)
class CoverageSummary:
    """Operators of one model on one backend.

    `counts` are distinct operators by their worst state; `time_us` and `calls` sum by state, None where the report
    does not say them for every operator. `blockers` lists operators that fail or fall back, worst first, with the
    columns operator, status, calls, time_us, reason.
    """

    counts: dict[str, int]
    time_us: dict[str, float] | None
    calls: dict[str, float] | None
    blockers: pd.DataFrame

    @property
    def basis(self) -> str | None:
        """Return what shares are of: time first, then calls; None where the report has neither.

        The count of distinct operators is never a basis: one operator can be most of a step or none of it.
        """
        return "time_us" if self.time_us else "calls" if self.calls else None

    @property
    def unsupported_ops(self) -> int:
        """Number of distinct operators that fail."""
        return self.counts["unsupported"]

    def shares(self) -> dict[str, float] | None:
        """Return the shares native, fallback and unsupported of what is known, adding to 1; None without a basis.

        Operators of unknown state are left out of the whole: `share_unknown` says how much that is.
        """
        totals = self.time_us or self.calls
        if totals is None:
            return None
        known = sum(totals[state] for state in STATES[:3])
        return {state: totals[state] / known for state in STATES[:3]} if known > 0 else None

    def share_unknown(self) -> float | None:
        """Return the share of the basis whose state nobody states."""
        totals = self.time_us or self.calls
        whole = sum(totals.values()) if totals else 0.0
        return totals["unknown"] / whole if totals and whole > 0 else None


def summarise(rows: pd.DataFrame) -> CoverageSummary | None:
    """Return the summary of the rows with role `used`, None where there are none.

    `rows` has the canonical operator columns of one report. An operator that is both supported and unsupported,
    depending on the call, counts once, by its worst state; its calls and time count where each belongs.
    """
    used = rows[rows["role"] == "used"] if not rows.empty else rows
    if used.empty:
        return None
    used = used.assign(status=used["status"].where(used["status"].isin(STATES), "unknown"))
    used = used.assign(rank=used["status"].map(_severity))
    worst = used.sort_values("rank").groupby("operator", sort=False)["status"].last()
    blockers = used[used["status"].isin(["fallback", "unsupported"])]
    order = [name for name in ("rank", "time_us", "calls") if name in blockers]
    shown = [name for name in ("operator", "status", "calls", "time_us", "reason") if name in blockers]
    return CoverageSummary(
        counts={state: int((worst == state).sum()) for state in STATES},
        time_us=_total(used, "time_us"),
        calls=_total(used, "calls"),
        blockers=blockers.sort_values(order, ascending=False)[shown].reset_index(drop=True),
    )


def _severity(status: object) -> int:
    return ("native", "unknown", "fallback", "unsupported").index(str(status))


def _total(used: pd.DataFrame, column: str) -> dict[str, float] | None:
    if column not in used or used[column].isna().any():
        return None
    sums = used.groupby("status")[column].sum()
    return {state: float(sums.get(state, 0.0)) for state in STATES}
