"""What the store and the shipped prices say to the decision, read by name."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from data import benchmarks, prices, queries
from data.store import Store


@dataclass(frozen=True, slots=True)
class StoreEvidence:
    """Give the evidence of a store: models, runs, prices and coverage reports, withdrawn uploads left out."""

    store: Store
    most_single_runs: int = 2000

    def models(self) -> pd.DataFrame:
        """Return model, platform, runs, last_upload of what is loaded."""
        return queries.models(self.store)

    def benchmark_runs(
        self,
        model: str,
        *,
        baseline: str,
        candidate: str,
        latency: str,
        max_error_rate: float,
        quality_tolerance: float,
    ) -> pd.DataFrame:
        """Return the runs of a model on two platforms: each of them, or groups of like runs where they are many."""
        if benchmarks.count_runs(self.store, model, (baseline, candidate)) <= self.most_single_runs:
            return queries.benchmark_runs(self.store, model, (baseline, candidate))
        cuts = benchmarks.Cuts(latency, max_error_rate, quality_tolerance)
        return benchmarks.run_groups(self.store, model, baseline, candidate, cuts)

    def prices(self, region: str) -> pd.DataFrame:
        """Return instance_type, purchase_option, usd_per_hour and label of the shipped prices of a region."""
        rows = [
            {
                "instance_type": price.instance_type,
                "purchase_option": price.purchase_option,
                "usd_per_hour": price.usd_per_hour,
                "label": f"{price.purchase_option.replace('_', ' ')}, {price.region}, {price.as_of}",
            }
            for price in prices.price_table()
            if price.region == region
        ]
        return pd.DataFrame(rows, columns=["instance_type", "purchase_option", "usd_per_hour", "label"])

    def newest_coverage(self, model: str | None, backend: str) -> tuple[str, pd.DataFrame] | None:
        """Return name and rows of the newest coverage report for a backend, of that model where one is given.

        Without a model it is the newest of any, but no demo: nothing made up speaks for a model nobody chose.
        """
        reports = queries.coverage_reports(self.store)
        reports = reports[reports["backend"] == backend]
        reports = reports[~reports["demo"].astype(bool)] if model is None else reports[reports["model"] == model]
        if reports.empty:
            return None
        newest = reports.iloc[0]
        rows = queries.operator_rows(self.store, model=newest["model"], backend=backend)
        # One version and one mode: operators of two runs must not be added up.
        same = pd.Series(True, index=rows.index)
        for name in ("upload_id", "model", "version", "mode"):
            same &= rows[name].isna() if pd.isna(newest[name]) else rows[name] == newest[name]
        return str(newest["file"]), rows[same]
