"""Changing and copying orders: what is sent on each version, and what is refused."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from odoo_toolkit.apps import sales
from odoo_toolkit.errors import NotFoundError, StateError, ValidationError
from odoo_toolkit.policy import Policy
from tests.unit.fake_sales import FIELDS
from tests.unit.operation_checks import check_seen_when_lost, check_told_when_lost, writes
from tests.unit.scripted import VERSIONS, Scripted, contents

COMBO = "combo_item_id"


def shop(major: int = 19, policy: Policy | None = None, **changes: Any) -> Scripted:
    """A server with one order of two chairs, a note and a desk."""
    models = deepcopy(FIELDS[str(major)])
    models["sale.order"]["order_line"]["relation_field"] = "order_id"
    models["sale.order.line"][COMBO] = {"type": "many2one", "relation": "product.combo.item"}
    taxes = "tax_ids" if "tax_ids" in models["sale.order.line"] else "tax_id"
    line = {"order_id": 12, "discount": 0.0, "price_subtotal": 0.0, taxes: [1]}
    records = {
        "sale.order": [
            {
                "id": 12,
                "name": "S00012",
                "state": "draft",
                "partner_id": 7,
                "amount_untaxed": 300.0,
                "amount_tax": 45.0,
                "amount_total": 345.0,
                "note": "<p>As <b>agreed</b></p>",
                "pricelist_id": 4,
                "client_order_ref": "PO 1",
                **changes,
            }
        ],
        "sale.order.line": [
            {"id": 1, "product_id": 3, "name": "Chair", "product_uom_qty": 2.0, **line}
            | {"price_unit": 100.0, "sequence": 10, "discount": 5.0},
            {"id": 2, "display_type": "line_note", "name": "By hand", **line, "sequence": 11},
            {"id": 4, "product_id": 6, "name": "Desk", "product_uom_qty": 1.0, **line}
            | {"price_unit": 110.0, "sequence": 12},
        ],
        "product.product": [
            {"id": 3, "name": "Chair", "sale_ok": True},
            {"id": 6, "name": "Desk", "sale_ok": True},
            {"id": 8, "name": "Desk lamp", "sale_ok": True},
        ],
        "res.partner": [{"id": 7, "name": "Acme"}, {"id": 9, "name": "Zork"}],
        "account.payment.term": [{"id": 5, "name": "30 Days"}],
    }
    names = {
        model: {"name": "char", "sale_ok": "boolean"}
        for model in ("product.product", "res.partner", "account.payment.term")
    }
    return Scripted(major, None, policy, models | names, records=records)


def lines(odoo: Scripted) -> list[dict[str, Any]]:
    """The lines as the server has them."""
    return odoo.server.records["sale.order.line"]


def test_a_product_that_the_order_lacks_is_told_with_its_lines() -> None:
    """Its id, which a search would give, is no way out; in ``remove`` it would mean a line."""
    with pytest.raises(NotFoundError, match="has no line with the product 'Sofa'") as raised:
        sales.update_order(shop(19), order_id=12, remove=["Sofa"])
    assert "Set line_id to one of these: 1 " in raised.value.suggestion
    assert "search_read" not in raised.value.suggestion


def test_a_name_of_several_lines_to_remove_is_told_with_these_lines() -> None:
    odoo = shop(19)
    odoo.server.records["product.product"][0]["name"] = "Desk stool"
    odoo.server.records["product.product"][1]["name"] = "Desk shelf"
    with pytest.raises(ValidationError, match="several lines with the product 'desk'") as raised:
        sales.update_order(odoo, order_id=12, remove=["desk"])
    assert raised.value.details == {"field": "remove[0]", "lines": [1, 4]}
    assert lines(odoo)[0]["product_uom_qty"] == 2.0


@pytest.mark.parametrize("major", VERSIONS)
def test_lines_are_added_changed_and_removed_by_product(major: int) -> None:
    odoo = shop(major)
    result = sales.update_order(
        odoo,
        order_name="S00012",
        add=[{"product_name": "desk lamp", "quantity": 3}, {"section": "Thanks"}],
        change=[{"product_name": "chair", "quantity": 4, "discount": 10}],
        remove=["desk", 2],
        client_order_ref="PO 7",
        commitment_date="2030-06-30T10:00:00Z",
        payment_term_name="30 days",
        note="a < b",
    )
    [write] = writes(odoo)
    assert write.ids == (12,)
    html = FIELDS[str(major)]["sale.order"]["note"]["type"] == "html"
    assert contents(write) == {
        "client_order_ref": "PO 7",
        "commitment_date": "2030-06-30 10:00:00",
        "note": "<p>a &lt; b</p>" if html else "a < b",
        "payment_term_id": 5,
        "order_line": [
            [1, 1, {"product_uom_qty": 4, "discount": 10}],
            [2, 4, 0],
            [2, 2, 0],
            [0, 0, {"product_uom_qty": 3, "product_id": 8, "sequence": 12}],
            [0, 0, {"display_type": "line_section", "name": "Thanks", "sequence": 12}],
        ],
    }
    assert [(line.kind, line.quantity) for line in result.lines or ()] == [
        (None, 4),
        (None, 3),
        ("section", 0),
    ]
    assert (result.client_order_ref, result.commitment_date) == ("PO 7", "2030-06-30T10:00:00Z")
    assert result.payment_term.name == "30 Days"
    assert (result.confirmed, result.warnings) == (False, [])


def test_a_price_that_odoo_computes_anew_is_told() -> None:
    odoo = shop()

    def write(call: Any) -> Any:
        lines(odoo)[0].update(product_uom_qty=50.0, price_unit=80.0)
        return True

    odoo.answers["sale.order", "write"] = write
    change = {"line_id": 1, "quantity": 50}
    result = sales.update_order(odoo, order_id=12, change=[change])
    assert result.warnings == [
        "The price of Chair is now 80 instead of 100, because Odoo calculated it again."
    ]
    odoo = shop()
    odoo.answers["sale.order", "write"] = write
    result = sales.update_order(odoo, order_id=12, change=[{**change, "price_unit": 80}])
    assert result.warnings == []


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, ValidationError),
        ({"add": [{"product_name": "desk lamp", "quantity": -1}]}, ValidationError),
        ({"add": [{"section": "Chairs", "quantity": 1}]}, ValidationError),
        ({"add": [{"section": " "}]}, ValidationError),
        ({"add": [{"product_name": "Sofa"}]}, NotFoundError),
        ({"change": [{"product_name": "desk lamp", "quantity": 1}]}, NotFoundError),
        ({"change": [{"product_id": 8, "quantity": 1}]}, ValidationError),
        ({"change": [{"line_id": 99, "quantity": 1}]}, ValidationError),
        ({"change": [{"line_id": 1}]}, ValidationError),
        ({"change": [{"quantity": 1}]}, ValidationError),
        ({"change": [{"line_id": 1, "product_id": 3, "quantity": 1}]}, ValidationError),
        ({"change": [{"line_id": 1, "quantity": -1}]}, ValidationError),
        ({"change": [{"line_id": 1, "discount": 101}]}, ValidationError),
        ({"change": [{"line_id": 1, "amount": 1}]}, ValidationError),
        ({"change": [{"line_id": 1, "name": " "}]}, ValidationError),
        ({"change": [{"line_id": 2, "quantity": 1}]}, ValidationError),
        ({"change": [{"line_id": 1, "quantity": 1}], "remove": ["chair"]}, ValidationError),
        ({"remove": ["Sofa"]}, NotFoundError),
        ({"remove": [99]}, ValidationError),
        ({"payment_term_name": "Never"}, NotFoundError),
    ],
)
def test_what_is_wrong_changes_nothing(changes: dict[str, Any], error: type[Exception]) -> None:
    odoo = shop()
    before = deepcopy(odoo.server.records["sale.order"] + lines(odoo))
    with pytest.raises(error):
        sales.update_order(odoo, order_id=12, **changes)
    assert odoo.server.records["sale.order"] + lines(odoo) == before


def test_of_two_lines_with_one_product_one_must_be_chosen() -> None:
    odoo = shop()
    lines(odoo)[2]["product_id"] = 3
    with pytest.raises(ValidationError, match="several lines") as raised:
        sales.update_order(odoo, order_id=12, remove=["Chair"])
    assert raised.value.details["lines"] == [1, 4]
    assert "4 Chair (1 at 110)" in raised.value.suggestion
    assert writes(odoo) == []


@pytest.mark.parametrize("major", VERSIONS)
def test_a_locked_or_cancelled_order_is_not_changed(major: int) -> None:
    for state in ("done", "cancel"):
        odoo = shop(major, state=state)
        with pytest.raises(StateError) as raised:
            sales.update_order(odoo, order_id=12, remove=["Chair"])
        assert raised.value.details["current_state"] == state
        assert ("action_draft" in raised.value.suggestion) is (state == "cancel")
        assert writes(odoo) == []
    sales.update_order(shop(major, state="sent"), order_id=12, remove=["Chair"])


def test_down_payments_are_not_copied_and_combinations_not_by_lines() -> None:
    odoo = shop()
    lines(odoo)[2]["is_downpayment"] = True
    sales.copy_order(odoo, order_id=12)
    assert len(contents(writes(odoo)[0])["order_line"]) == 2
    odoo = shop()
    lines(odoo)[2][COMBO] = 1
    with pytest.raises(ValidationError, match="combo product"):
        sales.copy_order(odoo, order_id=12)
    assert writes(odoo) == []


def test_copying_takes_eight_round_trips_of_which_three_are_beside_others() -> None:
    odoo = shop()
    sales.copy_order(odoo, order_name="S00012", partner_name="Zork", remove=["desk"])
    # Found; head and lines; two kinds of names; made; read back with lines.
    assert len(odoo.sent) == 8


OPERATIONS: list[Any] = [
    lambda odoo, **more: sales.update_order(
        odoo, order_id=12, add=[{"product_id": 8}], remove=["desk"], **more
    ),
    lambda odoo, **more: sales.update_order(odoo, order_id=12, client_order_ref="PO 7", **more),
    lambda odoo, **more: sales.copy_order(odoo, order_id=12, remove=["desk"], **more),
]


@pytest.mark.parametrize(
    ("method", "operation"), [*zip(["write", "write", "create"], OPERATIONS, strict=True)]
)
def test_a_lost_answer_is_looked_for(
    method: str, operation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_seen_when_lost(shop(), method, operation, monkeypatch)
    error = check_told_when_lost(shop(), method, operation, monkeypatch)
    # Lines could be added twice.
    assert "safe" not in error.suggestion.lower() or "not" in error.suggestion


@pytest.mark.parametrize("major", VERSIONS)
def test_what_stands_above_and_below_the_lines_is_made_and_read(major: int) -> None:
    odoo = shop(major)
    result = sales.create_order(
        odoo,
        lines=[{"section": "Light"}, {"product_id": 8}],
        partner_id=7,
        client_order_ref="PO 3",
        commitment_date="2030-06-30",
        payment_term_name="30 Days",
        note="At once",
    )
    values = contents(writes(odoo)[0])
    assert values["order_line"][0] == [0, 0, {"display_type": "line_section", "name": "Light"}]
    assert (values["client_order_ref"], values["payment_term_id"]) == ("PO 3", 5)
    assert values["commitment_date"] == "2030-06-30 00:00:00"
    assert (result.client_order_ref, result.note) == ("PO 3", "At once")
    odoo.server.records["sale.order"][-1] |= {"name": "S00013", "state": "draft"}
    order = sales.get_order(odoo, order_id=result.id)
    assert (order.client_order_ref, order.note) == ("PO 3", "At once")
    assert (order.payment_term, order.commitment_date) == (
        result.payment_term,
        result.commitment_date,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"remove": ["desk"]},
        {"add": [{"product_id": 8}]},
        {"change": [{"line_id": 1, "quantity": 9}]},
        {"change": [{"line_id": 1, "name": "Armchair"}]},
    ],
)
def test_lines_that_are_as_before_were_not_changed(
    changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(odoo: Scripted) -> Any:
        return sales.update_order(odoo, order_id=12, **changes)

    check_seen_when_lost(shop(), "write", change, monkeypatch)
    check_told_when_lost(shop(), "write", change, monkeypatch)
