"""Attacks through the items of a batch: none does what it could not do by itself.

The database is compared table by table: an item that is refused has the others not sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from odoo_toolkit import (
    History,
    OdooError,
    batch,
    create,
    execute,
    read,
    undo,
    unlink,
    upsert,
    write,
)
from odoo_toolkit.batching import Item
from odoo_toolkit.connection.settings import connection_settings
from odoo_toolkit_mcp.server import OdooServer
from odoo_toolkit_mcp.settings import ServerSettings
from odoo_toolkit_mcp.toolsets.base import ToolTable
from odoo_toolkit_mcp.toolsets.batching import batch_tool
from tests.attacks.database import LOGIN_TABLES, Database, unchanged
from tests.attacks.policies import Noting, Raw, connected
from tests.live.servers import Server, credentials

PARTNER, CLOSED = "res.partner", "crm.lead"
RULES: dict[str, Any] = {
    "mode": "restricted",
    "model_blocklist": CLOSED,
    "write_allowlist": (PARTNER, CLOSED, "res.users"),
    "field_blocklist": "ref",
}


@pytest.fixture(scope="module")
def odoo(own_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Noting]:
    """A connection of the administrator with lists, and a journal."""
    with connected(own_server, **RULES) as connection:
        connection.history = History(tmp_path_factory.mktemp("journal") / "history.sqlite")
        yield connection


def on(model: str, **values: Any) -> Item:
    return create, {"model": model, "values": {"name": "Attack", **values}}


HARMLESS: Item = (write, {"model": PARTNER, "ids": [1], "values": {"comment": "Attack"}})

ATTACKS: dict[str, Item] = {
    "a closed model": on(CLOSED),
    "changing a closed model": (write, {"model": CLOSED, "ids": [1], "values": {"name": "x"}}),
    "deleting": (unlink, {"model": PARTNER, "ids": [1]}),
    "importing into a closed model": (
        upsert,
        {"model": CLOSED, "rows": [{"name": "x"}], "key": "name"},
    ),
    "a closed field": on(PARTNER, ref="x"),
    "users": on("res.users", login="attack"),
    "rights": (write, {"model": "res.users", "ids": [2], "values": {"groups_id": [[5]]}}),
    "a private method": (execute, {"model": PARTNER, "method": "_write", "args": [[1], {}]}),
    "an unknown method": (execute, {"model": PARTNER, "method": "message_post", "args": [[1]]}),
    "lines of a closed model": on(PARTNER, opportunity_ids=[[0, 0, {"name": "x"}]]),
    "reading": (read, {"model": PARTNER, "ids": [1]}),
    "a batch in a batch": (batch, {"items": [on(PARTNER)]}),
    "undo": (undo, {"entry": 1}),
    "no function of the library": (print, {"model": PARTNER}),
    "a later item": on(PARTNER, parent_id={"id_of_item": 2}),
    "itself": on(PARTNER, parent_id={"id_of_item": 1}),
    "no number": on(PARTNER, parent_id={"id_of_item": "1 or 2"}),
}

#: The mode alone forbids these, and a plan says what it takes.
PLANNED = ("deleting", "an unknown method")


def test_nothing_of_a_refused_batch_is_sent(odoo: Noting, database: Database) -> None:
    """Wherever the attack stands in it, with a yes or without, planned or not."""
    passed: list[str] = []
    outcomes: set[str] = set()
    with unchanged(database, LOGIN_TABLES):
        for name, attack in ATTACKS.items():
            if name == "itself":
                attempts = [[attack, HARMLESS]]
            else:
                attempts = [[HARMLESS, attack], [attack, HARMLESS], [attack]]
            for items in attempts:
                for dry_run in (False,) if name in PLANNED else (False, True):
                    odoo.sent.clear()
                    try:
                        batch(odoo, items, allow_irreversible=True, dry_run=dry_run)
                    except OdooError as error:
                        outcomes.add(error.outcome)
                    else:
                        passed.append(name)
                    assert [one.method for one in odoo.sent if not one.reads] == [], name
    assert passed == []
    assert outcomes <= {"not_sent", "refused"}


@pytest.mark.parametrize(
    "late",
    [
        (create, {"model": CLOSED, "values": {"name": "x", "partner_id": {"id_of_item": 1}}}),
        (unlink, {"model": PARTNER, "ids": [{"id_of_item": 1}]}),
        (write, {"model": PARTNER, "ids": [{"id_of_item": 1}], "values": {"ref": "x"}}),
    ],
    ids=["a closed model", "deleting", "a closed field"],
)
def test_an_item_that_is_looked_at_late_is_judged_as_well(
    odoo: Noting, raw: Raw, late: Item
) -> None:
    """What was made before is taken back as far as the mode allows: it is archived."""
    leads = raw(CLOSED, "search_count", [])
    odoo.sent.clear()
    with pytest.raises(OdooError, match="Item 2") as caught:
        batch(odoo, [on(PARTNER), late], allow_irreversible=True)
    sent = [(one.model, one.method) for one in odoo.sent if not one.reads]
    assert sent in (
        [(PARTNER, "create"), (PARTNER, "write")],
        [(PARTNER, "create"), (PARTNER, "unlink"), (PARTNER, "write")],
    )
    assert caught.value.code in ("MODEL_BLOCKED", "FIELD_BLOCKED", "MODE_VIOLATION")
    assert raw(CLOSED, "search_count", []) == leads


TOOLS: dict[str, dict[str, Any]] = {
    "a hidden tool": {
        "tool": "odoo_core_unlink",
        "arguments": {"model": PARTNER, "ids": [1]},
    },
    "read records or plan": {"tool": "odoo_core_read", "arguments": {"model": PARTNER, "ids": [1]}},
    "itself": {"tool": "odoo_core_batch", "arguments": {"items": []}},
    "undo": {"tool": "odoo_core_undo", "arguments": {"entry": 1}},
    "no tool": {"tool": "__class__", "arguments": {}},
    "a closed model": {
        "tool": "odoo_core_create",
        "arguments": {"model": CLOSED, "values": {"name": "x"}},
    },
    "arguments of the server": {
        "tool": "odoo_core_write",
        "arguments": {"model": PARTNER, "ids": [1], "values": {"name": "x"}, "odoo": None},
    },
}


@pytest.mark.anyio
async def test_tools_as_items(own_server: Server, database: Database, tmp_path: Path) -> None:
    """Each is refused before anything is sent, whatever stands beside it."""
    harmless = {
        "tool": "odoo_core_write",
        "arguments": {"model": PARTNER, "ids": [1], "values": {"comment": "x"}},
    }
    settings = connection_settings(
        **credentials(own_server, own_server.user("admin")),
        history=str(tmp_path / "history.sqlite"),
    )
    rules = {**RULES, "model_blocklist": (CLOSED,), "field_blocklist": ("ref",)}
    async with Client(OdooServer(settings, ServerSettings(**rules))) as client:
        with unchanged(database, LOGIN_TABLES):
            for name, attack in TOOLS.items():
                for items in ([harmless, attack], [attack]):
                    answer = await client.call_tool("odoo_core_batch", {"items": items})
                    assert answer.is_error, name


def test_a_mode_that_hides_it_hides_it() -> None:
    for mode, there in (("readonly", False), ("restricted", True), ("full", True)):
        table = ToolTable(ServerSettings(mode=mode))
        table.add_tools([batch_tool(table)])
        assert ("odoo_core_batch" in table.tools) is there
