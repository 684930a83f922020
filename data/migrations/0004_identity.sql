-- Rows are compared by their values when they are counted; a stored hash of each cost more than the rows themselves.
ALTER TABLE benchmark_runs DROP COLUMN row_hash;
ALTER TABLE operator_rows DROP COLUMN row_hash;
