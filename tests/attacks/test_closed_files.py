"""Files behind binary fields: as closed as the field, however they are asked for."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import attrs
import pytest

from odoo_toolkit import (
    AccessError,
    Odoo,
    OdooError,
    Policy,
    count,
    create,
    execute,
    read,
    search_read,
    write,
)
from odoo_toolkit.chatter.attachments import get_content, list_attachments
from odoo_toolkit.testing import FakeServer
from tests.attacks.policies import Attack, Noting, Raw, connected, leaks, passing, raw, told
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]

FILE = "ir.attachment"

#: A picture of one pixel, which Odoo keeps as it is.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


@pytest.fixture(scope="module", params=["readonly", "full"])
def closed(request: pytest.FixtureRequest, server: Server) -> Iterator[Noting]:
    with connected(server, mode=request.param, field_blocklist="image_1920") as odoo:
        yield odoo


@attrs.frozen
class Hidden:
    """A file behind a field of a contact, and an ordinary file that says it is its copy."""

    field: str
    owner: int
    file: int
    copy: int
    content: str


@pytest.fixture(params=["image_1920", "signature", "foo_secret"])
def hidden(request: pytest.FixtureRequest, raw: Raw, suffix: str) -> Iterator[Hidden]:
    """Closed by the list, by its name, and by the ending of its name."""
    content = base64.b64encode(f"content {suffix}".encode()).decode()
    with ExitStack() as stack:

        def make(model: str, **values: Any) -> int:
            return stack.enter_context(raw.record(model, values))

        owner = make("res.partner", name=f"Owner {suffix}")
        of_owner = {"res_model": "res.partner", "res_id": owner}
        file = make(FILE, name="file", datas=content, res_field=request.param, **of_owner)
        copy = make(FILE, name="copy", original_id=file, **of_owner)
        yield Hidden(request.param, owner, file, copy, content)


def ways(h: Hidden) -> dict[str, Attack]:
    """Return ways to the content of the file."""
    prefix = h.field[:-2].replace("_", "\\_")
    mine: list[Any] = [["res_model", "=", "res.partner"], ["res_id", "=", h.owner]]
    by_id: list[Any] = ["id", "=", h.file]
    domains: dict[str, list[Any]] = {
        "by id": [by_id],
        "by ids": [["id", "in", [h.file]]],
        "by no id": [*mine, ["id", "!=", 0]],
        "in an or": ["|", by_id, ["id", "=", 0]],
        "in an and": ["&", ["res_id", "=", h.owner], "|", ["id", "=", 0], by_id],
        "not": ["!", ["id", "!=", h.file]],
        "any field": [*mine, ["res_field", "!=", False]],
        "no other field": [*mine, ["res_field", "!=", "image_128"]],
        "not in": [*mine, ["res_field", "not in", ["image_128"]]],
        "in": [*mine, ["res_field", "in", [h.field]]],
        "equal": [*mine, ["res_field", "=", h.field]],
        "like": [*mine, ["res_field", "=like", f"{prefix}%"]],
        "ilike": [*mine, ["res_field", "ilike", h.field[1:-1]]],
        "pattern": [*mine, ["res_field", "=ilike", "_" * len(h.field)]],
        "greater": [*mine, ["res_field", ">=", h.field[:3]]],
        "any": [["original_id", "any", [by_id]], *mine],
        "no condition": mine,
    }
    unchecked = {"skip_res_field_check": True}

    def called(method: str, *arguments: Any) -> Attack:
        return lambda odoo: execute(odoo, FILE, method, arguments)

    def searched(domain: list[Any], **keywords: Any) -> Attack:
        return lambda odoo: search_read(odoo, FILE, domain, ["datas"], **keywords)

    nested: dict[str, Any] = {"original_id": {"fields": {"datas": {}, "index_content": {}}}}
    return {
        **{f"domain: {name}": searched(domain) for name, domain in domains.items()},
        **{
            f"unchecked: {name}": searched(domain, context=unchecked)
            for name, domain in domains.items()
            if name in ("by id", "no condition")
        },
        **{
            f"execute: {name}": called("search_read", domain, ["datas"])
            for name, domain in domains.items()
            if name in ("by id", "in an or", "like")
        },
        "in kwargs": lambda o: execute(
            o, FILE, "search_read", kwargs={"domain": mine, "fields": ["datas"], **_in(unchecked)}
        ),
        "read": lambda o: read(o, FILE, [h.file], ["datas"]),
        "read unchecked": lambda o: read(o, FILE, [h.file], ["datas"], context=unchecked),
        "execute read": called("read", [h.file], ["datas"]),
        "execute read beside": called("read", [h.copy, h.file], ["datas"]),
        "content": lambda o: get_content(o, h.file),
        "attachments": lambda o: list_attachments(o, "res.partner", h.owner),
        "web_read": called("web_read", [h.file], {"datas": {}}),
        "nested": called("web_read", [h.copy], nested),
        "nested search": called("web_search_read", [["id", "=", h.copy]], nested),
        "export_data": called("export_data", [h.file], ["datas"]),
        "nested export": called("export_data", [h.copy], ["original_id/datas"]),
        "copy_data": called("copy_data", [h.file]),
        "groups": called("read_group", [by_id], ["id"], ["datas"]),
    }


def _in(context: dict[str, Any]) -> dict[str, Any]:
    return {"context": context}


def test_no_way_leads_to_the_file_of_a_closed_field(
    admin: Odoo, closed: Noting, hidden: Hidden
) -> None:
    attacks = ways(hidden)
    if hidden.field == "image_1920":  # closed by the list alone, so that the ways can be tried
        assert leaks(admin, closed, attacks, hidden.content) == []
    else:
        telling = [way for way, attack in attacks.items() if hidden.content in told(closed, attack)]
        assert telling == []


def test_no_condition_tells_what_the_file_of_a_closed_field_holds(
    raw: Raw, closed: Noting, hidden: Hidden
) -> None:
    checksum, size = (raw.value(FILE, hidden.file, name) for name in ("checksum", "file_size"))

    def answers(checksum: str, size: int) -> list[Any]:
        conditions: list[list[Any]] = [
            [["id", "=", hidden.file], ["checksum", "=", checksum]],
            [["id", "=", hidden.file], ["file_size", "=", size]],
            [["id", "=", hidden.copy], ["original_id.checksum", "=", checksum]],
        ]
        return [_counted(closed, domain) for domain in conditions]

    assert answers(checksum, size) == answers(checksum[::-1], size + 1)


def _counted(odoo: Odoo, domain: list[Any]) -> Any:
    try:
        return count(odoo, FILE, domain).count
    except OdooError as error:
        return error.code


def test_files_of_open_fields_and_ordinary_files_are_still_read(
    raw: Raw, closed: Noting, suffix: str
) -> None:
    content = base64.b64encode(suffix.encode()).decode()
    with raw.record("res.partner", {"name": suffix}) as owner:
        of_owner = {"res_model": "res.partner", "res_id": owner, "name": suffix, "datas": content}
        with (
            raw.record(FILE, of_owner) as ordinary,
            raw.record(FILE, {**of_owner, "res_field": "image_512"}) as of_field,
        ):
            for file in (ordinary, of_field):
                assert read(closed, FILE, [file], ["datas"]).records[0]["datas"] == content
            assert get_content(closed, ordinary).content_base64 == content


# The signature of an order -------------------------------------------------------------------


@pytest.fixture
def order(raw: Raw, suffix: str) -> Iterator[Hidden]:
    """A signed order."""
    with (
        raw.record("res.partner", {"name": f"Signer {suffix}"}) as partner,
        raw.record(FILE, {"name": "before"}) as before,
        raw.record("sale.order", {"partner_id": partner, "signature": PIXEL}) as made,
        raw.record(FILE, {"name": "after"}) as after,
    ):
        # Odoo 14 finds no files of fields, but reads them to those who guess their ids.
        guessed = list(range(before + 1, after))
        rows = raw(FILE, "read", guessed, ["res_model", "res_id", "res_field"])
        file = next(row["id"] for row in rows if row["res_id"] == made and row["res_field"])
        yield Hidden("signature", made, file, file, PIXEL)


def test_the_signature_of_an_order_is_not_read(closed: Noting, order: Hidden) -> None:
    of_order = [["res_model", "=", "sale.order"], ["res_id", "=", order.owner]]
    attacks = ways(order)
    unchecked = {"skip_res_field_check": True}
    attacks["of the order"] = lambda o: search_read(o, FILE, of_order, ["datas"], context=unchecked)
    attacks["of the order, by execute"] = lambda o: execute(
        o, FILE, "search_read", [of_order, ["datas"]], context=unchecked
    )
    attacks["of the order, by field"] = lambda o: search_read(
        o, FILE, [*of_order, ["res_field", "=like", "signat%"]], ["datas"]
    )
    attacks["in bin_size"] = lambda o: read(
        o, FILE, [order.file], ["datas"], context={"bin_size": False}
    )
    telling = [way for way, attack in attacks.items() if PIXEL in told(closed, attack)]
    assert telling == []


@pytest.mark.parametrize("mode", ["restricted", "full"])
def test_the_signature_of_an_order_is_not_written(
    server: Server, raw: Raw, suffix: str, mode: str
) -> None:
    with ExitStack() as stack:
        partner = stack.enter_context(raw.record("res.partner", {"name": f"Signer {suffix}"}))
        order = stack.enter_context(raw.record("sale.order", {"partner_id": partner}))
        own = stack.enter_context(raw.record(FILE, {"name": "own", "datas": PIXEL}))
        of_order = {"res_model": "sale.order", "res_id": order, "datas": PIXEL, "name": "x"}
        field = {"res_field": "signature"}
        moved = {**of_order, **field}
        attacks: dict[str, Attack] = {
            "create": lambda o: create(o, FILE, moved),
            "create several": lambda o: create(o, FILE, [of_order, moved]),
            "execute": lambda o: execute(o, FILE, "create", [moved]),
            "by context": lambda o: create(
                o, FILE, of_order, context={"default_res_field": "signature"}
            ),
            "write": lambda o: write(o, FILE, [own], moved, context={"allow_readonly": True}),
            "execute write": lambda o: execute(o, FILE, "write", [[own], moved]),
            "spaced": lambda o: execute(
                o, FILE, "create", [{**of_order, "res_field": " Signature "}]
            ),
            "load": lambda o: execute(
                o, FILE, "load", [list(moved), [[str(value) for value in moved.values()]]]
            ),
            "copy": lambda o: execute(o, FILE, "copy", [[own], moved]),
            "message": lambda o: create(
                o,
                "mail.message",
                {"model": "res.partner", "attachment_ids": [[0, 0, moved]]},
            ),
        }
        rules: dict[str, Any] = {"mode": mode, "write_allowlist": f"{FILE},sale.order,mail.message"}
        with connected(server, **rules) as closed:
            passed = passing(closed, attacks)
        signature = raw.value("sale.order", order, "signature")
        for file in raw(FILE, "search", [["res_id", "=", order], ["res_field", "!=", False]]):
            stack.callback(raw, FILE, "unlink", [file])
    assert (passed, signature) == ([], False)


@pytest.mark.parametrize(
    "policy", [Policy(mode="full"), Policy(mode="restricted", write_allowlist=FILE)]
)
@pytest.mark.parametrize(
    ("values", "may_change"),
    [
        ({"res_model": "res.partner"}, True),
        ({"res_model": "res.partner", "res_field": "image_1920"}, False),
        ({"url": "/web/assets/x.js"}, False),
        ({"res_model": "ir.ui.view"}, False),
    ],
    ids=["a document's", "a field's", "a page's", "a view's"],
)
def test_only_files_of_documents_are_changed(
    policy: Policy, values: dict[str, Any], may_change: bool
) -> None:
    fields = dict.fromkeys(("name", "url", "res_field", "res_model"), "char")
    file = {"id": 1, "name": "a", **values}
    odoo = FakeServer({FILE: fields}, records={FILE: [file]}).connect(policy=policy)
    if may_change:
        assert write(odoo, FILE, [1], {"name": "b"}).ids == [1]
    else:
        with pytest.raises(AccessError, match="belongs to blocked records"):
            write(odoo, FILE, [1], {"name": "b"})
