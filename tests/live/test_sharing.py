"""A connection in other processes, and HTTP connections that users share, on real servers."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from odoo_toolkit import (
    AccessError,
    Connection,
    Domain,
    NotFoundError,
    Odoo,
    Policy,
    Pool,
    aggregate,
    changes,
    connect,
    count,
    export,
    iterate,
    read,
    run_queries,
    search_read,
)
from odoo_toolkit.apps.sales import confirm_order
from tests.live.servers import Server, credentials, ordinary_user

COMPANIES = Domain().equals("is_company", True) & [["active", "=", True]]


def countries(odoo: Odoo) -> tuple[int, int]:
    """Return who asks, and how many countries there are: no test adds one."""
    return odoo.uid, count(odoo, "res.country").count


def readers(odoo: Odoo) -> int:
    """Try what the policy forbids."""
    return count(odoo, "res.users").count


def unnamed(odoo: Odoo) -> str | None:
    """Confirm an order that does not exist."""
    return confirm_order(odoo, order_name="No such order").state


@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_another_process_asks_as_the_same_user(admin: Odoo, server: Server, how: str) -> None:
    here = countries(admin)
    guarded = connect(
        **credentials(server, server.user("admin")), policy=Policy(model_blocklist="res.users")
    )
    context = multiprocessing.get_context(how)
    with guarded, ProcessPoolExecutor(2, mp_context=context) as workers:
        assert [*workers.map(countries, [admin] * 4)] == [here] * 4
        # What the policy closes and what Odoo does not find comes back as what it is.
        with pytest.raises(AccessError) as refused:
            workers.submit(readers, guarded).result()
        assert refused.value.code == "MODEL_BLOCKED"
        with pytest.raises(NotFoundError) as missing:
            workers.submit(unnamed, admin).result()
        assert missing.value.suggestion
    assert countries(admin) == here


def test_users_share_connections_and_nothing_else(server: Server) -> None:
    ordinary, administrator = ordinary_user(server), server.user("admin")
    unguarded = Policy(protect=False)  # Odoo's rights alone
    with Pool() as pool:
        other = connect(**credentials(server, ordinary), policy=unguarded, pool=pool)
        admin = connect(**credentials(server, administrator), policy=unguarded, pool=pool)
        for _ in range(2):
            for odoo, login in ((other, ordinary.login), (admin, administrator.login)):
                assert read(odoo, "res.users", [odoo.uid], ["login"])[0]["login"] == login
            with pytest.raises(AccessError):
                count(other, "ir.cron")
            assert count(admin, "ir.cron").count
        manager = pool.adapter(other.settings).poolmanager
        (used,) = [manager.pools[key] for key in manager.pools.keys()]  # noqa: SIM118 - no mapping
        # All that was sent; how long the server keeps a connection open is its own affair.
        assert used.num_requests > 10
        assert used.num_connections < used.num_requests / 2


def test_a_built_domain_is_taken_everywhere(odoo: Connection, tmp_path: Path) -> None:
    # Those that are there: others make some meanwhile.
    (last,) = search_read(odoo, "res.partner", fields=["id"], limit=1, order="id desc").records
    built = COMPANIES & [["id", "<=", last["id"]]]
    plain = built.build()
    number = count(odoo, "res.partner", plain).count
    assert number
    assert count(odoo, "res.partner", built).count == number
    found = search_read(odoo, "res.partner", built, ["name"], limit=None, order="name")
    again = search_read(odoo, "res.partner", plain, ["name"], limit=None, order="name")
    assert [*found] == [*again]
    assert len([*iterate(odoo, "res.partner", built, ["name"])]) == number
    asked = run_queries(odoo, [{"model": "res.partner", "domain": built, "count": True}])
    assert asked[0].count == number
    by_country = aggregate(odoo, "res.partner", built, ["country_id"])
    assert sum(row["count"] for row in by_country) == number
    path = tmp_path / "companies.csv"
    assert export(odoo, "res.partner", built, ["name"], str(path)).rows == number
    cursor = changes(odoo, "res.partner", domain=built).cursor
    assert changes(odoo, "res.partner", cursor, domain=built).deleted == []
    assert odoo["res.partner"].count(~built | plain).count >= number
