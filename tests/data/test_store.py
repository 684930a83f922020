import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from data.errors import DataError, StoreBusyError
from data.store import migrations, open_store, schema_version

ROOT = Path(__file__).parents[2]


def test_a_fresh_store_has_every_migration(store):
    assert schema_version(store) == migrations()[-1][0]
    assert [number for number, _, _ in migrations()] == list(range(1, len(migrations()) + 1))


def test_a_process_has_one_store_a_path(store):
    assert open_store(store.path) is store
    assert open_store(store.path.parent / "." / store.path.name) is store


def test_the_default_path_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("CROSSOVER_DB", str(tmp_path / "deep" / "er" / "x.duckdb"))
    opened = open_store()
    opened.close()
    assert (tmp_path / "deep" / "er" / "x.duckdb").exists()


def test_settings(store):
    assert store.get_setting("a") is None
    store.set_setting("a", "1")
    store.set_setting("a", "2")
    assert store.get_setting("a") == "2"


def test_a_transaction_that_raises_leaves_nothing(store):
    def write_and_fail() -> None:
        with store.transaction() as cursor:
            cursor.execute("INSERT INTO settings VALUES ('a', '1')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert store.get_setting("a") is None


def test_reopening_keeps_the_data(tmp_path):
    first = open_store(tmp_path / "x.duckdb")
    first.set_setting("a", "1")
    first.close()
    second = open_store(tmp_path / "x.duckdb")
    assert second.get_setting("a") == "1"
    second.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{folder}/../secret.txt')",
        "SELECT * FROM read_blob('{folder}/link')",
        "SELECT * FROM glob('/*')",
        "ATTACH '{folder}/other.duckdb'",
        "COPY settings TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "PRAGMA enable_external_access = true",
    ],
)
def test_nothing_outside_the_store_can_be_reached(store, statement):
    folder = store.path.parent
    (folder / "link").symlink_to("/etc/passwd")
    with store.cursor() as cursor, pytest.raises(duckdb.Error):
        cursor.execute(statement.format(folder=folder))


def test_readers_on_many_threads_get_their_own_answers(store):
    def ask(number: int) -> bool:
        with store.cursor() as cursor:
            return cursor.execute("SELECT sum(?::BIGINT) FROM range(500)", [number]).fetchone() == (500 * number,)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(1600)))


def test_writers_on_many_threads_lose_nothing(store):
    def write(number: int) -> None:
        store.set_setting(f"key {number}", str(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(80)))
    with store.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM settings").fetchone() == (80,)


def test_a_store_in_another_process_is_busy(tmp_path):
    path = tmp_path / "busy.duckdb"
    script = f"from data.store import open_store; open_store({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreBusyError) as caught:
            open_store(path)
        holder.communicate("\n")
    assert str(path) in str(caught.value)
    assert f"process {holder.pid}" in str(caught.value)
    assert "CROSSOVER_DB" in str(caught.value)
    open_store(path).close()


def test_a_store_of_newer_code_is_refused(tmp_path):
    path = tmp_path / "new.duckdb"
    opened = open_store(path)
    with opened.transaction() as cursor:
        cursor.execute("INSERT INTO schema_migrations VALUES (9999, '9999_later.sql', now()::TIMESTAMP)")
    opened.close()
    with pytest.raises(DataError, match="version 9999"):
        open_store(path)
    with pytest.raises(DataError, match="version 9999"):
        open_store(path)


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "text.duckdb"
    path.write_text("not a database, " * 1000)
    with pytest.raises(DataError, match="cannot be opened"):
        open_store(path)
    with pytest.raises(DataError, match="cannot be opened"):
        open_store(tmp_path / "text.duckdb" / "below.duckdb")


def test_a_new_store_opens_after_a_crash(tmp_path):
    path = tmp_path / "crashed.duckdb"
    running = open_store(path)
    running.set_setting("a", "1")
    for part in tmp_path.glob("crashed.duckdb*"):  # as they lie on the disk when the process is killed
        (tmp_path / part.name.replace("crashed", "found")).write_bytes(part.read_bytes())
    found = open_store(tmp_path / "found.duckdb")
    assert (found.get_setting("a"), schema_version(found)) == ("1", schema_version(running))
    found.close()
    running.close()
