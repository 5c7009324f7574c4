"""Every model and every method name: what readonly lets pass changes nothing.

``make test`` takes a sample of the models, ``make attack`` all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit import Policy
from odoo_toolkit.policy.tables import WRITING_FIELDS
from tests.attacks.database import Database, unchanged
from tests.attacks.fuzz import (
    fuzz,
    method_names,
    models_of,
    passed,
    sample,
    wizards_of,
    writing_fields,
)
from tests.attacks.fuzz_calls import HARMLESS
from tests.attacks.policies import Noting, Raw, connected
from tests.attacks.servers import as_user
from tests.live.servers import Server

#: Models of many kinds: documents, masters, wizards, abstract ones, and Odoo's own.
MODELS = (
    *("account.move", "crm.lead", "ir.attachment", "ir.ui.view", "mail.compose.message"),
    *("mail.message", "mail.template", "product.product", "res.partner", "res.users"),
    *("sale.order", "stock.picking", "base", "mail.thread", "ir.qweb", "mail.render.mixin"),
)

#: What a restricted client may call beside what only reads.
WRITES = frozenset({"create", "write", "load"})


@pytest.fixture(scope="module")
def user(own_server: Server, role: str) -> Raw:
    """Each user without the toolkit."""
    return as_user(own_server, role)


@pytest.fixture(scope="module")
def restricted(own_server: Server, role: str) -> Iterator[Noting]:
    """A restricted connection that may write all that is tried."""
    allowed = {"mode": "restricted", "write_allowlist": MODELS}
    with connected(own_server, role, **allowed) as odoo:
        yield odoo


@pytest.fixture(scope="module")
def full(own_server: Server, role: str) -> Iterator[Noting]:
    """A connection in full mode."""
    with connected(own_server, role, mode="full") as odoo:
        yield odoo


def test_reading_any_model_changes_nothing(
    reader: Noting, user: Raw, raw: Raw, database: Database
) -> None:
    """All tables and sequences are the same after each call that readonly lets pass."""
    outcome = fuzz(reader, user, database, sample(models_of(raw), stride=200))
    assert outcome.changes == []
    assert outcome.calls["answered"] > outcome.calls["failed"]


@pytest.mark.attack
def test_reading_any_wizard_changes_nothing(
    reader: Noting, user: Raw, raw: Raw, database: Database
) -> None:
    """Wizards compute much when they are read, and some of it writes."""
    outcome = fuzz(reader, user, database, sample(wizards_of(raw)))
    assert outcome.changes == []
    assert outcome.calls["answered"] > outcome.calls["failed"]


@pytest.mark.attack
@pytest.mark.every_version
def test_no_computed_field_writes_when_it_is_read_but_those_that_are_known(
    user: Raw, raw: Raw, database: Database
) -> None:
    """Read without the toolkit, so that the table of those fields is right on this version."""
    found = writing_fields(user, database, {*sample(models_of(raw)), "account.journal"}, Policy())
    assert found - WRITING_FIELDS == set()


@pytest.mark.attack
def test_reading_in_full_mode_changes_nothing_either(
    full: Noting, user: Raw, raw: Raw, database: Database
) -> None:
    """Defaults apart, which in full mode may take a number as Odoo's own forms do."""
    outcome = fuzz(full, user, database, sample(models_of(raw)), defaults=False)
    assert outcome.changes == []
    assert outcome.calls["answered"] > outcome.calls["failed"]


def test_readonly_sends_no_method_but_the_harmless_ones(
    server: Server, reader: Noting, database: Database
) -> None:
    """Every public method's name that Odoo has, and ways to write one that is known."""
    names = {*method_names(server.name), *disguised(HARMLESS)} - HARMLESS
    with unchanged(database):
        assert passed(reader, MODELS, names) == {}


@pytest.mark.attack
def test_restricted_sends_no_method_but_the_harmless_ones_and_plain_writes(
    server: Server, restricted: Noting, database: Database
) -> None:
    """The list of models to write opens ``create`` and ``write``, and no button."""
    names = {*method_names(server.name), *disguised(HARMLESS | WRITES)} - HARMLESS - WRITES
    with unchanged(database):
        assert passed(restricted, MODELS, names) == {}


def disguised(names: frozenset[str]) -> set[str]:
    """Return names that look like known ones."""
    forms: tuple[Any, ...] = (str.upper, str.title, "{} ".format, "{}\n".format, "_{}".format)
    # a full-width letter, which Unicode takes for the plain one
    wide = {name.replace("a", "\uff41") for name in names if "a" in name}
    return wide | {form(name) for name in names for form in forms}
