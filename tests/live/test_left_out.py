"""What the policy leaves out, counted with and without it, adds up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from odoo_toolkit import ConnectionSettings, Odoo, Policy, count, search_read
from odoo_toolkit.connection.settings import connection_settings
from tests.live.conftest import admin, server
from tests.live.servers import Server, credentials

__all__ = ["admin", "server"]

OWNED = ["ir.model.fields", "ir.model", "ir.model.data", "ir.attachment", "mail.followers"]
CONTACTS = ["res.partner", *OWNED, "mail.message"]


def settings(server: Server) -> ConnectionSettings:
    return connection_settings(**credentials(server, server.user("admin")))


@pytest.fixture(scope="module")
def opened(server: Server) -> Iterator[Odoo]:
    with Odoo(settings(server), policy=Policy(protect=False)) as odoo:
        yield odoo


@pytest.fixture(scope="module")
def contacts(server: Server) -> Iterator[Odoo]:
    """Contacts only, and what hangs on them."""
    with Odoo(settings(server), policy=Policy(model_allowlist=CONTACTS)) as odoo:
        yield odoo


@pytest.mark.parametrize("model", OWNED)
@pytest.mark.parametrize("policy", ["admin", "contacts"])
def test_what_is_seen_and_what_is_left_out_add_up(
    request: pytest.FixtureRequest, opened: Odoo, model: str, policy: str
) -> None:
    # Others may write meanwhile; what is of no field and no model hardly changes.
    odoo = request.getfixturevalue(policy)
    for _ in range(3):
        before, seen, after = count(opened, model), count(odoo, model), count(opened, model)
        if before.count == after.count:
            break
    assert isinstance(seen.excluded_count, int)
    assert seen.count + seen.excluded_count == before.count
    assert bool(seen.warnings) == bool(seen.excluded_count)


def test_field_descriptions_of_closed_models_are_left_out_with_a_number(
    admin: Odoo, opened: Odoo
) -> None:
    of_cron = [["model", "=", "ir.cron"]]
    hidden = count(opened, "ir.model.fields", of_cron).count
    found = search_read(admin, "ir.model.fields", fields=["name"], limit=1)
    assert found.excluded_count is not None
    assert found.excluded_count >= hidden > 0


def test_conditions_are_no_way_to_count_what_is_closed(contacts: Odoo, opened: Odoo) -> None:
    about = [["body", "ilike", "order"]]
    found = count(contacts, "mail.message", about)
    assert found.count < count(opened, "mail.message", about).count
    assert found.excluded_count is None
    assert "visible records" in found.warnings[0]


def test_of_open_models_nothing_is_said(contacts: Odoo) -> None:
    found = search_read(contacts, "mail.message", [["model", "=", "res.partner"]], ["id"], limit=1)
    assert (found.excluded_count, found.warnings) == (0, [])
