ALTER TABLE benchmark_runs ADD COLUMN run_valid VARCHAR;
