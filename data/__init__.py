"""Everything stored: reading files, the DuckDB store, named queries, shipped facts."""
