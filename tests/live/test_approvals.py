"""Operations that wait until another person allows them, on a real Odoo, by every way to them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Connection, connect, create, execute, read, write
from odoo_toolkit.apps import sales
from tests.kit.approvals import Office, call
from tests.live.conftest import server
from tests.live.servers import Server, credentials

__all__ = ["server"]

pytestmark = pytest.mark.anyio

RULES = ("account.move.action_post", "sale.order.action_confirm>100", "*.unlink")


@pytest.fixture
def odoo(server: Server) -> Iterator[Connection]:
    """The administrator, beside the servers."""
    with connect(**credentials(server, server.user("admin"))) as connection:
        yield connection


@pytest.fixture
def office(server: Server, tmp_path: Path) -> Office:
    """Two people."""
    return Office(server, tmp_path, RULES)


def order(odoo: Connection, price: float) -> int:
    """Make a quotation."""
    partner = create(odoo, "res.partner", {"name": f"Buyer {uuid.uuid4().hex[:8]}"}).id
    values = {"name": f"Thing {uuid.uuid4().hex[:8]}", "type": "service"}
    product = create(odoo, "product.product", values).id
    lines = [{"product_id": product, "quantity": 1, "price_unit": price}]
    return sales.create_order(odoo, partner_id=partner, lines=lines).id


def state(odoo: Connection, number: int) -> str:
    """Return the state of an order."""
    return str(read(odoo, "sale.order", [number], ["state"]).records[0]["state"])


def ways(number: int) -> dict[str, dict[str, Any]]:
    """Return the calls that confirm an order."""
    press = {"model": "sale.order", "method": "action_confirm", "args": [[number]]}
    item = {"tool": "odoo_sales_confirm_order", "arguments": {"order_id": number}}
    raw = {"tool": "odoo_core_execute", "arguments": press}
    return {
        "odoo_sales_confirm_order": {"order_id": number},
        "odoo_core_execute": press,
        "odoo_sales_process_orders": {"orders": [number], "steps": ["confirm"]},
        "odoo_core_batch": {"items": [item]},
        "odoo_core_batch, execute": {"items": [raw], "allow_irreversible": True},
    }


async def test_it_is_done_after_another_person_has_said_yes_and_once(
    office: Office, odoo: Connection
) -> None:
    number = order(odoo, 500)
    async with office.person("admin") as asks, office.person("demo") as decides:
        waits = await call(asks, "odoo_sales_confirm_order", order_id=number)
        assert waits["code"] == "APPROVAL_NEEDED"
        assert state(odoo, number) == "draft"
        approval = waits["details"]["approval"]
        again = await call(asks, "odoo_sales_confirm_order", order_id=number)
        assert again["details"]["approval"] == approval
        own = await call(asks, "odoo_core_decide_approval", approval=approval, approve=True)
        assert "themselves" in own["message"]
        (seen,) = (await call(decides, "odoo_core_list_approvals"))["waiting"]
        assert seen["id"] == approval
        assert "575.00" in seen["message"]
        said = await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        assert said["state"] == "approved"
        assert state(odoo, number) == "draft"
        done = await call(asks, "odoo_sales_confirm_order", order_id=number)
        assert done["id"] == number
        assert state(odoo, number) == "sale"
        sales.cancel_order(odoo, order_id=number)
        execute(odoo, "sale.order", "action_draft", [[number]])
        once_more = await call(asks, "odoo_sales_confirm_order", order_id=number)
        assert once_more["details"]["approval"] != approval


async def test_every_way_to_it_is_stopped_before_anything_is_sent(
    office: Office, odoo: Connection
) -> None:
    number = order(odoo, 500)
    async with office.person("admin") as asks:
        for way, arguments in ways(number).items():
            answer = await call(asks, way.partition(",")[0], **arguments)
            assert answer.get("code") == "APPROVAL_NEEDED", (way, answer)
            assert state(odoo, number) == "draft", way
        partner = create(odoo, "res.partner", {"name": "Stays"}).id
        removed = await call(asks, "odoo_core_unlink", model="res.partner", ids=[partner])
        assert removed["code"] == "APPROVAL_NEEDED"
        assert read(odoo, "res.partner", [partner], ["name"]).records


async def test_a_plan_whose_records_changed_is_asked_for_anew(
    office: Office, odoo: Connection
) -> None:
    number = order(odoo, 500)
    async with office.person("admin") as asks, office.person("demo") as decides:
        waits = await call(asks, "odoo_sales_confirm_order", order_id=number)
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        (line,) = read(odoo, "sale.order", [number], ["order_line"]).records[0]["order_line"]
        write(odoo, "sale.order.line", [line], {"price_unit": 5000})
        anew = await call(asks, "odoo_sales_confirm_order", order_id=number)
        assert anew["code"] == "APPROVAL_NEEDED"
        assert anew["details"]["approval"] != approval
        assert state(odoo, number) == "draft"


async def test_a_no_stays_a_no_and_small_amounts_need_no_yes(
    office: Office, odoo: Connection
) -> None:
    large, small = order(odoo, 500), order(odoo, 5)
    async with office.person("admin") as asks, office.person("demo") as decides:
        waits = await call(asks, "odoo_sales_confirm_order", order_id=large)
        approval = waits["details"]["approval"]
        await call(decides, "odoo_core_decide_approval", approval=approval, approve=False)
        refused = await call(asks, "odoo_sales_confirm_order", order_id=large)
        assert "has refused this" in refused["message"]
        late = await call(decides, "odoo_core_decide_approval", approval=approval, approve=True)
        assert "decided upon already" in late["message"]
        assert state(odoo, large) == "draft"
        await call(asks, "odoo_sales_confirm_order", order_id=small)
        assert state(odoo, small) == "sale"
