"""Different values in one request: what they leave in the database, and what they must not reach.

A request for all is held against a ``write`` of each record: every row of every table is compared,
so messages, followers, and who changed a record when, are compared as well.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

from odoo_toolkit import OdooError, write, write_many
from tests.attacks.database import LOGIN_TABLES, Database, unchanged
from tests.attacks.net_changes import NetChanges
from tests.attacks.policies import Noting, Raw, connected, has_fields
from tests.live.servers import Server

PARTNER = "res.partner"
RECORDS = 4

Make = Callable[[Raw, int], dict[str, Any]]
Value = Callable[[random.Random], Any]


def texts(*names: str) -> dict[str, Value]:
    """Return fields that take any text."""
    return {name: lambda chance: f"Text {chance.randrange(1000)}" for name in names}


def numbers(*names: str) -> dict[str, Value]:
    """Return fields that take any number."""
    return {name: lambda chance: float(chance.randrange(1, 1000)) for name in names}


def days(*names: str) -> dict[str, Value]:
    """Return fields that take any day."""
    return {
        name: lambda chance: f"2024-0{chance.randrange(1, 9)}-1{chance.randrange(9)}"
        for name in names
    }


@attrs.frozen
class Case:
    """Records that are made alike, and the fields to change; those that a version lacks are left.

    Attributes:
        model: of the records.
        make: the values of a new one.
        fields: field -> makes a value.
        own: whether commands through a field of the model are known to do what a write does.
        alone: versions on which nothing is known to do it.
    """

    model: str
    make: Make
    fields: dict[str, Value]
    own: bool = False
    alone: tuple[int, ...] = ()


def _first(raw: Raw, model: str, *domain: Any) -> int:
    found: int = raw(model, "search", list(domain), limit=1)[0]
    return found


def _customer(raw: Raw) -> int:
    made: int = raw(PARTNER, "create", {"name": "Customer", "is_company": True})
    return made


def _line(raw: Raw, i: int) -> dict[str, Any]:
    order = raw("sale.order", "create", {"partner_id": _first(raw, PARTNER)})
    product = _first(raw, "product.product", ["sale_ok", "=", True])
    return {"order_id": order, "product_id": product, "product_uom_qty": 1}


def _invoice(raw: Raw, i: int) -> dict[str, Any]:
    product = _first(raw, "product.product", ["sale_ok", "=", True])
    line = {"product_id": product, "quantity": 1, "price_unit": 100}
    return {
        "move_type": "out_invoice",
        "partner_id": _first(raw, PARTNER),
        "invoice_date": "2024-02-01",
        "invoice_line_ids": [[0, 0, line]],
    }


def _picking(raw: Raw, i: int) -> dict[str, Any]:
    kind = _first(raw, "stock.picking.type", ["code", "=", "outgoing"])
    (source,) = raw("stock.picking.type", "read", [kind], ["default_location_src_id"])
    return {
        "picking_type_id": kind,
        "location_id": source["default_location_src_id"][0],
        "location_dest_id": _first(raw, "stock.location", ["usage", "=", "customer"]),
        "partner_id": _first(raw, PARTNER),
    }


def one_of(model: str) -> Value:
    """Return a value that is filled in once a server is known: one of the first records."""
    return lambda chance: (model, chance.randrange(3))


CASES: dict[str, Case] = {
    "contact": Case(
        PARTNER,
        lambda raw, i: {"name": f"Contact {i}", "is_company": i % 2 == 0},
        {
            **texts("name", "street", "city", "ref", "comment", "function", "phone"),
            "country_id": one_of("res.country"),
            "category_id": lambda chance: ("res.partner.category", [chance.randrange(3)]),
            "email": lambda chance: f"{chance.randrange(1000)}@example.com",
        },
        own=True,
    ),
    "contact of a company": Case(
        PARTNER,
        lambda raw, i: {"name": f"Contact {i}", "type": "contact", "parent_id": _customer(raw)},
        texts("name", "function", "phone", "comment", "ref"),
        own=True,
    ),
    "product": Case(
        "product.template",
        lambda raw, i: {"name": f"Product {i}", "list_price": i},
        {**texts("name", "default_code"), **numbers("list_price", "standard_price", "weight")},
        own=True,
    ),
    "line of an order": Case(
        "sale.order.line",
        _line,
        {**texts("name"), **numbers("price_unit", "product_uom_qty")},
        alone=(17,),
    ),
    "draft invoice": Case(
        "account.move",
        _invoice,
        {**texts("ref", "narration"), **days("invoice_date", "invoice_date_due")},
    ),
    "task": Case(
        "project.task",
        lambda raw, i: {"name": f"Task {i}", "project_id": _first(raw, "project.project")},
        {
            **texts("name", "description"),
            **days("date_deadline"),
            "priority": lambda chance: "1",
        },
        own=True,
    ),
    "lead": Case(
        "crm.lead",
        lambda raw, i: {
            "name": f"Lead {i}",
            "type": "opportunity",
            "partner_id": _customer(raw),
        },
        {
            **texts("name", "description", "contact_name"),
            **numbers("expected_revenue"),
            "stage_id": one_of("crm.stage"),
            "email_from": lambda chance: f"{chance.randrange(1000)}@example.com",
        },
    ),
    "delivery": Case(
        "stock.picking", _picking, {**texts("origin", "note"), **days("scheduled_date")}, own=True
    ),
    "employee": Case(
        "hr.employee",
        lambda raw, i: {"name": f"Employee {i}"},
        texts("name", "work_phone", "job_title", "work_email"),
        own=True,
    ),
}


@pytest.fixture(scope="module")
def odoo(own_server: Server) -> Iterator[Noting]:
    """The administrator without lists."""
    with connected(own_server) as connection:
        yield connection


@pytest.fixture(scope="module")
def net(database: Database) -> Iterator[NetChanges]:
    """What is written to the copied server's database."""
    noted = NetChanges(database)
    yield noted
    noted.close()


def sent(odoo: Noting) -> list[str]:
    """Return the methods of the calls that wrote."""
    return [call.method for call in odoo.sent if not call.reads]


def fields_of_rows() -> Iterator[Any]:
    """Return each case with the same fields in all rows, and some with different ones.

    The latter stand for what is written by commands of another model, by an import, and one by one
    on a version: `make attack` tries different fields with all.
    """
    for name in CASES:
        yield pytest.param(name, False, id=f"{name}-same fields")
        stands = name in ("contact", "draft invoice", "line of an order")
        marks = () if stands else pytest.mark.attack
        yield pytest.param(name, True, marks=marks, id=f"{name}-different fields")


@pytest.mark.every_version
@pytest.mark.parametrize(("name", "mixed"), fields_of_rows())
def test_one_request_for_all_leaves_what_a_write_of_each_leaves(
    odoo: Noting, raw: Raw, net: NetChanges, name: str, mixed: bool
) -> None:
    case = CASES[name]
    chance = random.Random(f"{name} {mixed}")
    fields = [field for field in case.fields if has_fields(odoo, case.model, field)]
    rows: list[dict[str, Any]] = []
    for index in range(RECORDS):
        count = chance.randrange(1, len(fields)) if mixed else len(fields)
        chosen = [fields[index % len(fields)], *chance.sample(fields, count)]
        rows.append(
            {field: _filled(raw, case.fields[field](chance)) for field in sorted(set(chosen))}
        )

    def made() -> list[int]:
        return [
            net.made(f"record {i}", lambda i=i: raw(case.model, "create", case.make(raw, i)))
            for i in range(RECORDS)
        ]

    ids = made()
    alone = net.of(
        lambda: [write(odoo, case.model, [n], row) for n, row in zip(ids, rows, strict=True)]
    )
    ids = made()
    given = [{".id": n, **row} for n, row in zip(ids, rows, strict=True)]
    odoo.sent.clear()
    together = net.of(lambda: write_many(odoo, case.model, given, notify=True))
    assert (together - alone, alone - together) == (Counter(), Counter())
    assert alone
    if odoo.version.major >= 19:
        assert sent(odoo) == ["web_save_multi"]
    elif odoo.version.major in case.alone:
        assert sent(odoo) == ["write"] * RECORDS
    elif not mixed:
        # What a record holds already is not written, and then its fields are others.
        assert "load" in sent(odoo)
    elif case.own and (name != "product" or has_fields(odoo, case.model, "optional_product_ids")):
        assert len(sent(odoo)) < RECORDS


def _filled(raw: Raw, value: Any) -> Any:
    """Return a value, with ids in place of what stands for records."""
    if not isinstance(value, tuple):
        return value
    model, place = value
    first = raw(model, "search", [], limit=3, order="id")
    return [first[one] for one in place] if isinstance(place, list) else first[place]


def test_a_record_of_another_model_would_be_changed_by_it(raw: Raw, net: NetChanges) -> None:
    """Why commands go through no such record: its row says that it was changed."""
    tag = raw("res.partner.category", "create", {"name": "Tag"})
    ids = [raw(PARTNER, "create", {"name": "Contact"}) for _ in range(2)]
    commands = [[1, number, {"ref": f"R{number}"}] for number in ids]
    found = net.of(lambda: raw("res.partner.category", "write", [tag], {"partner_ids": commands}))
    assert any(f"res_partner_category {tag}" in one for one in found)


# What it must not reach ------------------------------------------------------------------------

CLOSED = "crm.lead"
RULES: dict[str, Any] = {"model_blocklist": CLOSED, "field_blocklist": "ref"}


@pytest.fixture(scope="module")
def contacts(raw: Raw) -> list[int]:
    """Three contacts."""
    made: list[int] = raw(PARTNER, "create", [{"name": f"Attacked {i}"} for i in range(3)])
    return made


@pytest.fixture(scope="module")
def foreign(raw: Raw) -> int:
    """A contact of a company that only the administrator works for."""
    company = raw("res.company", "create", {"name": "Foreign"})
    made: int = raw(PARTNER, "create", {"name": "Foreign contact", "company_id": company})
    return made


def attacks(ids: list[int], foreign: int) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Return rows of which none may be written, with the model of each."""
    one, two, three = ids
    return {
        "a closed model": (CLOSED, [{".id": 1, "name": "x"}, {".id": 2, "name": "y"}]),
        "a closed field": (PARTNER, [{".id": one, "name": "x"}, {".id": two, "ref": "y"}]),
        "commands on a closed model": (
            PARTNER,
            [{".id": one, "name": "x"}, {".id": two, "opportunity_ids": [[1, 1, {"name": "x"}]]}],
        ),
        "commands on a closed field": (
            PARTNER,
            [
                {".id": one, "name": "x"},
                {".id": two, "child_ids": [[1, three, {"ref": "Attack"}]]},
            ],
        ),
        "a new line of a closed model": (
            PARTNER,
            [{".id": one, "opportunity_ids": [[0, 0, {"name": "x"}]]}, {".id": two, "name": "x"}],
        ),
        "rights": (
            "res.users",
            [{".id": 2, "groups_id": [[4, 1]]}, {".id": 1, "group_ids": [[4, 1]]}],
        ),
        "Odoo's own fields": (
            PARTNER,
            [{".id": one, "write_uid": 1}, {".id": two, "create_uid": 1}],
        ),
        "no field": (PARTNER, [{".id": one, "name": "x"}, {".id": two, "nonsense": "y"}]),
        "the same record twice": (PARTNER, [{".id": one, "name": "x"}, {".id": one, "name": "y"}]),
        "0": (PARTNER, [{".id": 0, "name": "x"}, {".id": 0, "name": "y"}]),
        "a negative number": (PARTNER, [{".id": -one, "name": "x"}, {".id": -two, "name": "y"}]),
        "yes": (PARTNER, [{".id": True, "name": "x"}, {".id": True, "name": "y"}]),
        "a fraction": (PARTNER, [{".id": one + 0.5, "name": "x"}, {".id": two + 0.5, "name": "y"}]),
        "a list": (PARTNER, [{".id": [one], "name": "x"}, {".id": [two], "name": "y"}]),
        "no record": (PARTNER, [{".id": 2**31 - 1, "name": "x"}, {".id": 2**31 - 2, "name": "y"}]),
        "too large": (PARTNER, [{".id": 2**63, "name": "x"}, {".id": 2**64, "name": "y"}]),
    }


@pytest.mark.parametrize("whole", [False, True], ids=["rows alone", "all or nothing"])
def test_nothing_of_what_is_refused_is_written(
    own_server: Server, database: Database, contacts: list[int], foreign: int, whole: bool
) -> None:
    passed: list[str] = []
    outcomes: set[str] = set()
    with connected(own_server, **RULES) as odoo, unchanged(database, LOGIN_TABLES):
        for name, (model, rows) in attacks(contacts, foreign).items():
            for notify in (True, False):
                odoo.sent.clear()
                try:
                    result = write_many(odoo, model, rows, notify=notify, all_or_nothing=whole)
                except OdooError as error:
                    outcomes.add(error.outcome)
                else:
                    # The one row of a pair that is right, alone.
                    passed += [name] if result.updated else []
                assert sent(odoo) == [], name
    assert passed == []
    assert outcomes <= {"not_sent", "refused"}


@pytest.mark.parametrize("whole", [False, True], ids=["rows alone", "all or nothing"])
def test_who_may_not_write_a_record_does_not_write_it_with_others(
    own_server: Server, database: Database, raw: Raw, foreign: int, whole: bool
) -> None:
    """A user, and a contact of a company that is not the user's, between contacts that are."""
    with connected(own_server, "demo") as demo:
        own = [raw(PARTNER, "create", {"name": f"Own {i}"}) for i in range(3)]
        try:
            write(demo, PARTNER, [own[0]], {"name": "Changed"})
        except OdooError as error:
            pytest.skip(f"demo may not write contacts: {error}")
        try:
            write(demo, PARTNER, [foreign], {"name": "Changed"})
        except OdooError:
            pass
        else:
            pytest.skip("demo works for every company")
        numbers = [own[0], foreign, own[1], own[2]]
        rows = [{".id": n, "name": f"New {n}", "city": f"C{n}"} for n in numbers]
        before = raw(PARTNER, "read", numbers, ["name", "city", "write_date"])
        result = write_many(demo, PARTNER, rows, notify=True, all_or_nothing=whole)
        after = raw(PARTNER, "read", numbers, ["name", "city", "write_date"])
        assert after[1] == before[1]
        assert result.statuses[1] == "failed"
        if whole:
            assert after == before
            assert result.updated == 0
        else:
            assert [row["name"] for row in after if row["id"] != foreign] == [
                f"New {n}" for n in own
            ]


@pytest.mark.parametrize("mode", ["restricted", "readonly"])
def test_a_mode_allows_no_more_than_a_write(
    own_server: Server, database: Database, contacts: list[int], raw: Raw, mode: str
) -> None:
    rows = [{".id": n, "name": f"Mode {mode} {n}"} for n in contacts]
    rules = {"mode": mode, "write_allowlist": "crm.tag"}
    with connected(own_server, **rules) as odoo, unchanged(database, LOGIN_TABLES):
        for model in (PARTNER, "crm.tag") if mode == "readonly" else (PARTNER,):
            with pytest.raises(OdooError):
                write_many(odoo, model, rows, notify=True)
        assert sent(odoo) == []
