"""A plan is for every mode, and writes nothing in any: the database is the same afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import attrs
import pytest

from odoo_toolkit import Connection, OdooError, connect
from odoo_toolkit.apps import sales
from odoo_toolkit.plans import Plan
from tests.attacks.database import LOGIN_TABLES, Database, unchanged
from tests.attacks.policies import Noting, Raw
from tests.kit.catalogue import CASES, operation
from tests.live.servers import Server, credentials


class AskedError(Exception):
    """What an operation was asked to do; it is not done."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args)
        self.named = named


def ask(*args: Any, **named: Any) -> None:
    """Stand for an operation.

    Raises:
        AskedError: always.
    """
    raise AskedError(*args, **named)


def given(plain: Connection) -> Iterator[tuple[str, Any, AskedError]]:
    """Yield each operation of the catalogue, and what it is given, prepared by an administrator."""
    for name, case in CASES.items():
        home, attribute = operation(name)
        function = getattr(home, attribute)
        missing = case.needs and not plain.schema.has_model(case.needs)
        if missing or plain.version.major < case.since or not hasattr(function, "plan"):
            continue
        number = case.prepare(plain)
        with (
            mock.patch.object(home, attribute, ask),
            pytest.raises(AskedError) as asked,
        ):
            case.do(plain, number)
        yield name, function, asked.value


@pytest.fixture(scope="module")
def operations(own_server: Server) -> list[tuple[str, Any, AskedError]]:
    """Prepared once for both users, as a plan leaves everything as it is."""
    admin = own_server.user("admin")
    # Odoo 19 wants the password for checking in.
    with connect(**{**credentials(own_server, admin), "password": admin.password}) as plain:
        return list(given(plain))


def test_plans_in_readonly_mode_write_nothing(
    operations: list[tuple[str, Any, AskedError]], reader: Noting, role: str, database: Database
) -> None:
    planned: list[str] = []
    odd: dict[str, Any] = {}
    # What a login writes on its own has nothing to do with the plan.
    with unchanged(database, LOGIN_TABLES):
        for name, function, asked in operations:
            reader.sent.clear()
            _, *arguments = asked.args
            try:
                made = function.plan(reader, *arguments, **asked.named)
            except OdooError as error:
                odd[name] = (error.code, error.message)
            else:
                planned.append(name)
                if isinstance(made, Plan) and made.calls:
                    assert "mode" in (made.needs or ""), name
            assert [call.method for call in reader.sent if not call.reads] == [], name
    # A record may be in no state for it, but the mode is never the reason.
    wrong = ("MODE_VIOLATION", "UNKNOWN_ERROR")
    assert {name: said for name, said in odd.items() if said[0] in wrong} == {}
    assert len(planned) > (80 if role == "admin" else 40), odd


def test_what_a_list_closes_is_not_planned(reader: Noting, role: str, raw: Raw) -> None:
    (order,) = raw("sale.order", "search", [["state", "=", "draft"]], limit=1)
    allowed = reader.policy
    reader.policy = attrs.evolve(allowed, model_blocklist="sale.order")
    try:
        with pytest.raises(OdooError) as caught:
            sales.confirm_order.plan(reader, order_id=order)
    finally:
        reader.policy = allowed
    assert caught.value.code == "MODEL_BLOCKED"
