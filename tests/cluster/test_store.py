"""What several processes do to one store at once; with PostgreSQL, and with a file of SQLite."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest

from odoo_toolkit.configuration import Secret
from odoo_toolkit.databases import Database
from odoo_toolkit.errors import ConfigurationError, OdooError
from odoo_toolkit_mcp import files
from odoo_toolkit_mcp.accounts import stored_files
from odoo_toolkit_mcp.accounts.attempts import Attempts, Bound
from odoo_toolkit_mcp.accounts.grants import Account, Grants
from odoo_toolkit_mcp.accounts.store import FORM, open_store, tidy
from odoo_toolkit_mcp.accounts.stored_files import StoredFiles
from odoo_toolkit_mcp.accounts.stored_rates import StoredRates
from odoo_toolkit_mcp.accounts.used_nonces import SpentInStore
from odoo_toolkit_mcp.accounts.vault import Vault
from odoo_toolkit_mcp.settings import ServerSettings
from tests.cluster.running import StorePostgres, store_postgres
from tests.provisioning import postgres

pytestmark = pytest.mark.cluster

KEYS = ["1" * 32, "2" * 32]
AT_ONCE = 8


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[StorePostgres]:
    """A PostgreSQL that may be restarted."""
    if postgres._find_programs() is None:
        pytest.skip("PostgreSQL is not installed here.")
    with store_postgres() as store:
        yield store


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the store is; each test has an empty one."""
    if request.param == "sqlite":
        yield str(tmp_path / "accounts.sqlite")
        return
    store: StorePostgres = request.getfixturevalue("own_postgres")
    yield store.address
    with psycopg.connect(store.address) as connection:
        connection.execute("DROP SCHEMA odoo_toolkit_accounts CASCADE")


@pytest.fixture
def stores(place: str) -> list[Database]:
    """The store, as several processes have it."""
    return [open_store(place) for _ in range(AT_ONCE)]


def at_once(act: Callable[[Database], Any], stores: list[Database]) -> list[Any]:
    """Do something in all processes at the same moment; return what comes of it."""
    barrier = threading.Barrier(len(stores))

    def begin(store: Database) -> Any:
        barrier.wait()
        return act(store)

    with ThreadPoolExecutor(len(stores)) as threads:
        return list(threads.map(begin, stores))


def test_a_limit_is_never_exceeded_by_calls_at_once(stores: list[Database]) -> None:
    settings = ServerSettings(rate_limit_rpm=5, rate_limit_rph=5)
    counted = at_once(
        lambda store: [StoredRates(store, "main")("ann", "read", settings) for _ in range(3)],
        stores,
    )
    assert sum(wait == 0 for waits in counted for wait in waits) == 5
    assert StoredRates(stores[0], "main")("bob", "read", settings) == 0


def test_reads_and_writes_have_limits_of_their_own(stores: list[Database]) -> None:
    settings = ServerSettings(rate_limit_rpm=5, rate_limit_rph=50, rate_limit_write_rpm=1)
    rates = StoredRates(stores[0], "main")
    kinds: list[Any] = ["create", "write", "read", "read", "read", "read", "read"]
    allowed = [rates("ann", kind, settings) == 0 for kind in kinds]
    assert allowed == [True, False, True, True, True, True, False]


def test_attempts_at_once_are_bounded(stores: list[Database]) -> None:
    bounds = [("login ann", Bound(3, 900.0)), ("address 1", Bound(5, 900.0))]
    taken = at_once(
        # In either order: two that wait for each other would end in an error.
        lambda store: Attempts(store).take(bounds[:: 1 if store is stores[0] else -1]),
        stores,
    )
    assert sum(wait == 0 for wait in taken) == 3


def test_a_seal_is_spent_once(stores: list[Database]) -> None:
    assert sum(at_once(lambda store: SpentInStore(store)("number", 1e12), stores)) == 1


def keep_account(grants: Grants, key: str) -> Account:
    return grants.keep_account(
        instance="main",
        uid=2,
        login="ann",
        name="Ann",
        key=Secret(key),
        key_id=None,
        key_ends=None,
        groups=[],
    )


def test_a_refused_key_does_not_take_the_next_one_with_it(stores: list[Database]) -> None:
    """One process learns that a key is of no use while its owner signs in at another."""
    vault = Vault(KEYS)
    here, there = Grants(stores[0], vault), Grants(stores[1], vault)
    seen = keep_account(here, "old")
    keep_account(there, "new")
    here.drop_key(seen.id, "Odoo refuses the key", seen.key)
    after = there.account(seen.id)
    assert after.key.reveal() == "new"
    here.drop_key(seen.id, "Odoo refuses the key", after.key)
    gone = there.account(seen.id)
    assert gone.key is None


def test_older_groups_and_many_connections_cover_nothing_up(stores: list[Database]) -> None:
    here, there = (Grants(store, Vault(KEYS)) for store in stores[:2])
    account = keep_account(here, "key")
    there.note_groups(account.id, ["later"], account.checked + 60)
    here.note_groups(account.id, ["earlier"], account.checked + 30)
    assert keep_account(here, "key").groups == ("later",)
    asked: dict[str, Any] = {"client_name": "Program", "scopes": [], "resource": None, "code": {}}
    for number in range(210):
        here.grant(account, client=f"client {number}", **asked)
    assert [grant.id for grant in there.grants()] == list(range(210, 10, -1))
    first = there.find_grant(1)
    assert first.client == "client 0"


def test_sealing_anew_keeps_a_key_that_comes_meanwhile(
    stores: list[Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault(KEYS)
    here = Grants(stores[0], vault)
    account = keep_account(here, "old")
    renew = vault.renew
    others: list[threading.Thread] = []

    def renewed(sealed: str) -> str:
        other = threading.Thread(
            target=keep_account, args=(Grants(stores[1], Vault(KEYS)), "new"), daemon=True
        )
        other.start()
        # A file has one writer: the other one comes after.
        other.join(1 if "Sqlite" in type(stores[0]).__name__ else 10)
        others.append(other)
        return renew(sealed)

    monkeypatch.setattr(vault, "renew", renewed)
    here.rotate_keys()
    for other in others:
        other.join(60)
    after = here.account(account.id)
    assert after.key.reveal() == "new"


def token_of(address: str | None) -> str:
    assert address
    return address.removeprefix(files.KEPT)


def test_a_file_is_read_at_another_process_by_its_owner_only(stores: list[Database]) -> None:
    vault = Vault(KEYS)
    token = token_of(StoredFiles(stores[0], vault, "main 0").keep("ann", b"\0secret", "a/b"))
    there = StoredFiles(stores[1], vault, "main 0")
    found = there.get("ann", token)
    assert (found.content, found.mimetype) == (b"\0secret", "a/b")
    assert there.get("bob", token) is None
    assert there.get("ann", token + "x") is None
    assert StoredFiles(stores[1], vault, "main 1").get("ann", token) is None


def test_a_file_is_sealed_and_opened_as_long_as_its_key_is_there(stores: list[Database]) -> None:
    old, new = KEYS
    token = token_of(StoredFiles(stores[0], Vault([old]), "main 0").keep("ann", b"secret", None))
    with stores[0].reading() as session:
        row = session.execute("SELECT hash, sealed FROM file").fetchone()
    assert b"secret" not in bytes(row["sealed"])
    assert token not in row["hash"]
    assert StoredFiles(stores[0], Vault([new, old]), "main 0").get("ann", token) is not None
    assert StoredFiles(stores[0], Vault([new]), "main 0").get("ann", token) is None


def test_files_of_one_owner_and_of_all_are_bounded(
    stores: list[Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 2)
    monkeypatch.setattr(files, "MOST_BYTES_IN_ALL", 10)
    kept = StoredFiles(stores[0], Vault(KEYS), "main 0")
    anns = [token_of(kept.keep("ann", b"four", None)) for _ in range(3)]
    assert [kept.get("ann", token) is None for token in anns] == [True, False, False]
    bobs = token_of(kept.keep("bob", b"four", None))
    assert [kept.get("ann", token) is None for token in anns] == [True, True, False]
    assert kept.get("bob", bobs) is not None


def test_a_file_ends_with_its_time(stores: list[Database], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = StoredFiles(stores[0], Vault(KEYS), "main 0")
    token = token_of(kept.keep("ann", b"1", None))
    later = stored_files.now() + files.LIFETIME + 1
    monkeypatch.setattr(stored_files, "now", lambda: later)
    assert kept.get("ann", token) is None
    monkeypatch.setattr("odoo_toolkit_mcp.accounts.store.now", lambda: later)
    tidy(stores[0], 1)
    with stores[0].reading() as session:
        assert session.execute("SELECT count(*) AS count FROM file").fetchone()["count"] == 0


def test_more_threads_than_connections_wait_for_one(own_postgres: StorePostgres) -> None:
    store = open_store(own_postgres.address)
    spend = SpentInStore(store)
    with ThreadPoolExecutor(20) as threads:
        assert all(threads.map(lambda number: spend(f"many {number}", 1e12), range(200)))
    with psycopg.connect(own_postgres.address) as connection:
        count = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        ).fetchone()
    assert count[0] >= 2
    store.close()


def test_an_earlier_version_goes_on_until_it_is_restarted(
    own_postgres: StorePostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an upgrade of one process after the other."""
    earlier = open_store(own_postgres.address)
    longer = attrs.evolve(FORM, steps=(*FORM.steps, "CREATE TABLE later (id BIGINT);"))
    with monkeypatch.context() as patch:
        patch.setattr("odoo_toolkit_mcp.accounts.store.FORM", longer)
        open_store(own_postgres.address)
    earlier.close()
    assert SpentInStore(earlier)("after the upgrade", 1e12)
    with pytest.raises(ConfigurationError, match="newer version"):
        open_store(own_postgres.address)
    with psycopg.connect(own_postgres.address) as connection:
        connection.execute("DROP SCHEMA odoo_toolkit_accounts CASCADE")


def test_a_crash_of_postgresql_is_an_error_and_then_over(own_postgres: StorePostgres) -> None:
    store = open_store(own_postgres.address)
    spend = SpentInStore(store)
    assert spend("before", 1e12)
    own_postgres.stop("immediate")
    with pytest.raises(OdooError) as caught:
        spend("meanwhile", 1e12)
    assert caught.value.code == "STORE_ERROR"
    own_postgres.start()
    assert not spend("before", 1e12)
    assert spend("meanwhile", 1e12)


def test_a_connection_that_is_lost_within_a_change_leaves_nothing(
    own_postgres: StorePostgres,
) -> None:
    store = open_store(own_postgres.address)

    def change() -> None:
        with store.writing() as session:
            session.execute("INSERT INTO spent (number, ends) VALUES ('half', 1)")
            own = session.execute("SELECT pg_backend_pid() AS pid").fetchone()["pid"]
            with psycopg.connect(own_postgres.address) as connection:
                connection.execute("SELECT pg_terminate_backend(%s, 10000)", [own])
            session.execute("INSERT INTO spent (number, ends) VALUES ('other half', 1)")

    with pytest.raises(OdooError) as caught:
        change()
    assert caught.value.code == "STORE_ERROR"
    with store.reading() as session:
        found = session.execute(
            "SELECT number FROM spent WHERE number IN ('half', 'other half')"
        ).fetchall()
    assert found == []
