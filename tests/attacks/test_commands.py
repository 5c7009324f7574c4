"""Lines, messages and followers are not deleted by any form of a value, in any method or depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from odoo_toolkit import execute, write
from tests.attacks.database import Database, unchanged
from tests.attacks.policies import Attack, Noting, Raw, connected, passing
from tests.live.servers import Server

PARTNER, PRODUCT, ORDER = "res.partner", "product.product", "sale.order"

#: Fields of lines, some of them through a parent or through an inverse.
FIELDS = {
    "child_ids": PARTNER,
    "bank_ids": PARTNER,
    "message_ids": PARTNER,
    "message_follower_ids": PARTNER,
    "message_partner_ids": PARTNER,
    "activity_ids": PARTNER,
    "seller_ids": PRODUCT,
    "order_line": ORDER,
}

#: Value of a field with the line ``a`` and further ones, which takes lines away.
FORMS: dict[str, Callable[[int], Any]] = {
    "false": lambda a: False,
    "null": lambda a: None,
    "zero": lambda a: 0,
    "an empty string": lambda a: "",
    "an empty object": lambda a: {},
    "true": lambda a: True,
    "an id": lambda a: a,
    "ids": lambda a: [a],
    "ids as floats": lambda a: [float(a)],
    "ids as texts": lambda a: [str(a)],
    "ids and false": lambda a: [a, False],
    "false in a list": lambda a: [False],
    "a record as read": lambda a: [{"id": a, "display_name": "x"}],
    "a lone clear": lambda a: [5],
    "a lone clear of three": lambda a: [5, 0, 0],
    "a lone delete": lambda a: [2, a],
    "a lone set": lambda a: [6, 0, [a]],
    "clear": lambda a: [[5]],
    "clear of three": lambda a: [[5, 0, 0]],
    "clear by a float": lambda a: [[5.0]],
    "clear as a tuple": lambda a: ((5,),),
    "clear after a link": lambda a: [[4, a], [5]],
    "set": lambda a: [[6, 0, [a]]],
    "set none": lambda a: [[6, False, []]],
    "set false": lambda a: [[6, 0, False]],
    "set of one": lambda a: [[6, 0, a]],
    "delete": lambda a: [[2, a]],
    "delete by floats": lambda a: [[2.0, float(a)]],
    "delete by texts": lambda a: [["2", str(a)]],
    "delete in a list": lambda a: [[[2, a]]],
    "delete among ids": lambda a: [a, [2, a]],
    "delete after an unknown": lambda a: [[7], [2, a]],
    "unlink": lambda a: [[3, a]],
    "unlink of several": lambda a: [[3, [a]]],
    "true and a clear within": lambda a: [[True, a, {"child_ids": False}], [5]],
}

Way = Callable[[str, int, dict[str, Any]], Attack]


def _called(method: str, *more: Any, listed: bool = False) -> Way:
    def way(model: str, record: int, values: dict[str, Any]) -> Attack:
        arguments = [[record], [values] if listed else values, *more]
        return lambda odoo: execute(odoo, model, method, arguments)

    return way


WAYS: dict[str, Way] = {
    "write function": lambda model, record, values: (
        lambda odoo: write(odoo, model, [record], values)
    ),
    "write": _called("write"),
    "web_save": _called("web_save", {}),
    "web_save_multi": _called("web_save_multi", {}, listed=True),
    "update": _called("update"),
    "write by name": lambda model, record, values: (
        lambda odoo: execute(odoo, model, "write", [[record]], {"vals": values})
    ),
}


@pytest.fixture(scope="module")
def records(own_server: Server) -> Iterator[dict[str, tuple[int, int]]]:
    """Each field -> a record, and one of its lines."""
    raw = Raw(own_server)
    with ExitStack() as stack:

        def make(model: str, **values: Any) -> int:
            return stack.enter_context(raw.record(model, values))

        other = make(PARTNER, name="Follower", email="follower@example.com")
        partner = make(PARTNER, name="Contact")
        make(PARTNER, name="Child", parent_id=partner)
        make("res.partner.bank", acc_number="BE71096123456769", partner_id=partner)
        raw(PARTNER, "message_subscribe", [partner], partner_ids=[other])
        raw(PARTNER, "message_post", [partner], body="Hello")
        has = raw("product.supplierinfo", "fields_get", ["partner_id"])
        line = {"partner_id" if has else "name": other}
        product = make(PRODUCT, name="Product", seller_ids=[[0, 0, line]])
        lines = [[0, 0, {"product_id": product, "product_uom_qty": 1}]]
        order = make(ORDER, partner_id=partner, order_line=lines)
        own = {PARTNER: partner, PRODUCT: product, ORDER: order}
        found = {}
        for field, model in FIELDS.items():
            lines = raw.value(model, own[model], field)
            found[field] = (own[model], lines[0] if lines else 1)
        yield found


def attacks(records: dict[str, tuple[int, int]]) -> Iterator[tuple[str, Attack]]:
    """Yield each form in a write, and each way with the forms that Odoo takes for clear."""
    for field, model in FIELDS.items():
        record, line = records[field]
        for form, value in FORMS.items():
            ways = WAYS if form in ("false", "ids", "clear") else {"write": WAYS["write"]}
            for way, made in ways.items():
                yield f"{field}, {form}, {way}", made(model, record, {field: value(line)})


def nested(records: dict[str, tuple[int, int]]) -> Iterator[tuple[str, Attack]]:
    """Yield forms in the values of commands, two deep; and of a new record that shows another's."""
    partner, child = records["child_ids"]
    for form, value in FORMS.items():
        inner = {"bank_ids": value(records["bank_ids"][1])}
        own = [[1, child, {"child_ids": [[1, partner, inner]]}]]
        yield f"nested {form}", WAYS["write"](PARTNER, partner, {"child_ids": own})
        yield f"nested {form}, web_save", WAYS["web_save"](PARTNER, partner, {"child_ids": own})


def with_parent(raw: Raw, records: dict[str, tuple[int, int]]) -> Iterator[tuple[str, Attack]]:
    """Yield ways to empty a template's lines by making a variant of it."""
    product, line = records["seller_ids"]
    template = raw.value(PRODUCT, product, "product_tmpl_id")[0]
    for form in ("false", "null", "clear", "set none", "ids", "delete"):
        values = {"product_tmpl_id": template, "seller_ids": FORMS[form](line)}

        def attack(odoo: Any, values: dict[str, Any] = values) -> Any:
            return execute(odoo, PRODUCT, "create", [values])

        yield f"a variant, {form}", attack


def assert_refused(odoo: Noting, database: Database, found: Iterator[tuple[str, Attack]]) -> None:
    with unchanged(database):
        assert passing(odoo, dict(found)) == []


LINES = (
    "res.partner.bank,mail.message,mail.followers,mail.activity,product.supplierinfo,"
    "sale.order.line"
)

POLICIES: dict[str, dict[str, Any]] = {
    "restricted": {"mode": "restricted", "write_allowlist": f"{PARTNER},{PRODUCT},{ORDER},{LINES}"},
    "a blocked unlink": {"method_blocklist": "unlink"},
    "a blocked unlink, unprotected": {"method_blocklist": "unlink", "protect": False},
}


@pytest.mark.parametrize("rules", POLICIES.values(), ids=POLICIES)
def test_no_form_deletes_where_deleting_is_closed(
    own_server: Server,
    raw: Raw,
    database: Database,
    records: dict[str, tuple[int, int]],
    rules: dict[str, Any],
) -> None:
    with connected(own_server, **rules) as odoo:
        assert_refused(odoo, database, attacks(records))
        assert_refused(odoo, database, nested(records))
        assert_refused(odoo, database, with_parent(raw, records))


CLOSED: dict[str, dict[str, Any]] = {
    "allowlist": {"model_allowlist": f"{PARTNER},{PRODUCT},product.template,{ORDER}"},
    "blocklist": {"model_blocklist": LINES},
}


@pytest.mark.parametrize("rules", CLOSED.values(), ids=CLOSED)
def test_no_form_reaches_lines_of_closed_models(
    own_server: Server,
    raw: Raw,
    database: Database,
    records: dict[str, tuple[int, int]],
    rules: dict[str, Any],
) -> None:
    """In full mode, too; the contacts themselves are open here."""
    with connected(own_server, **rules) as odoo:
        found = [one for one in attacks(records) if not one[0].startswith(_OPEN)]
        assert_refused(odoo, database, iter(found))
        assert_refused(odoo, database, nested(records))
        assert_refused(odoo, database, with_parent(raw, records))


#: Their lines are contacts.
_OPEN = ("child_ids", "message_partner_ids")


def test_what_links_and_makes_passes_in_restricted_mode(
    own_server: Server, records: dict[str, tuple[int, int]]
) -> None:
    partner, child = records["child_ids"]
    raw = Raw(own_server)
    with (
        raw.record("res.partner.category", {"name": "One"}) as category,
        connected(own_server, mode="restricted", write_allowlist=PARTNER) as odoo,
    ):
        for value in ([[4, category]], [category], [[6, 0, [category]]], False, [[5]]):
            execute(odoo, PARTNER, "write", [[partner], {"category_id": value}])
            left = [category] if value not in (False, [[5]]) else []
            assert raw.value(PARTNER, partner, "category_id") == left
        lines = [[0, 0, {"name": "x", "child_ids": False}], [4, child], [1, child, {"color": 3}]]
        execute(odoo, PARTNER, "write", [[partner], {"child_ids": lines}])
        assert len(raw.value(PARTNER, partner, "child_ids")) == 2


def test_these_attacks_would_be_sent_where_nothing_is_closed(
    own_server: Server, raw: Raw, records: dict[str, tuple[int, int]]
) -> None:
    """So it is the policy that refuses them above. What cannot be read is refused by all."""
    read = ("false", "null", "ids", "clear", "set", "delete", "unlink")
    with connected(own_server, dry=True) as odoo:
        sent = passing(odoo, dict(attacks(records)))
        assert {f"{field}, {form}, write" for field in FIELDS for form in read} <= {*sent}
        sent = passing(odoo, dict(nested(records)))
        assert {f"nested {form}" for form in read} <= {*sent}
        assert len(passing(odoo, dict(with_parent(raw, records)))) == len(
            dict(with_parent(raw, records))
        )
