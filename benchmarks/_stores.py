"""Stores of many made-up runs, as a nightly job leaves them, filled past the readers: only reading is measured."""

from pathlib import Path

from data.store import Store, open_store

NIGHTS = 365
MODELS, CONFIGURATIONS = 10, 6


def make_store(path: Path, runs: int) -> Store:
    """Return a store with so many runs of ten models on two platforms, in a year's nightly files."""
    store = open_store(path)
    with store.transaction() as cursor:
        cursor.execute(
            """INSERT INTO uploads (upload_id, file, sha256, kind, format, rows_read, rows_loaded, rows_refused,
                   rows_counted, demo, uploaded_at, overrides, provenance, warnings, problems)
               SELECT lpad(night::VARCHAR, 16, '0'), format('night_{}.csv', night), md5(night::VARCHAR), 'benchmark',
                   'crossover-csv', n, n, 0, n, false, TIMESTAMP '2026-01-01' + INTERVAL 1 DAY * night,
                   '{}', '{}', '[]', '[]'
               FROM (SELECT range AS night, $runs // $nights AS n FROM range($nights))""",
            {"runs": runs, "nights": NIGHTS},
        )
        cursor.execute(
            """INSERT INTO benchmark_runs (upload_id, counted, source_line, model, platform, software_path,
                   instance_type, accelerator_count, precision, engine, sdk_version, concurrency, input_tokens,
                   output_tokens, measured_at, e2e_ms_p99, output_tok_per_s, error_rate)
               SELECT lpad((i * $nights // $runs)::VARCHAR, 16, '0'), true, i + 2,
                   format('model-{}', (i // 2) % $models), p.platform, p.path, p.instance, p.chips, 'bf16', 'engine',
                   format('{}.{}', p.platform, i * 8 // $runs), 2 ** ((i // (2 * $models)) % $configurations)::INTEGER,
                   1024, 256, TIMESTAMP '2026-01-01' + INTERVAL 1 DAY * (i * $nights // $runs),
                   500 + (hash(i) % 100) + 40 * ((i // (2 * $models)) % $configurations),
                   (1 + (hash(i + 7) % 1000) / 10000) * 1000 * (1 + (i // (2 * $models)) % $configurations),
                   CASE WHEN hash(i + 3) % 50 = 0 THEN 0.2 ELSE 0 END
               FROM (SELECT range AS i FROM range($runs)) JOIN (VALUES
                   (0, 'cuda', 'cuda', 'p5.48xlarge', 8), (1, 'neuron', 'native', 'trn2.48xlarge', 16)
               ) p(side, platform, path, instance, chips) ON i % 2 = p.side""",
            {"runs": runs, "nights": NIGHTS, "models": MODELS, "configurations": CONFIGURATIONS},
        )
    store.set_setting("demo_loaded", "never")
    with store.cursor() as cursor:
        cursor.execute("CHECKPOINT")
    return store
