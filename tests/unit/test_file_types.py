"""No file is left to guess: what nobody says the type of is given one, or refused."""

from __future__ import annotations

import gzip
import itertools
from typing import Any

import pytest

from odoo_toolkit.arguments.reading import wired
from odoo_toolkit.call import Call
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.file_content import stored_type
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.files import UNKNOWN_TYPE, decided_type, is_harmless, served_as_code
from tests.kit.hostile_files import ACTIVE_NAMES, BAD_TYPES, PAGE, POLYGLOTS, b64

GOOD_TYPES = [
    *("text/plain", "text/plain; charset=utf-8", "text/csv", "application/pdf", "image/png"),
    *("application/zip", "video/mp4", "application/vnd.ms-excel", UNKNOWN_TYPE, "TEXT/PLAIN"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
]
DOORS = ["ir.attachment", "product.document", "mrp.document"]


def fields_of(model: str) -> dict[str, Field]:
    kinds: dict[str, tuple[str, str | None]] = {
        "name": ("char", None),
        "mimetype": ("char", None),
        "datas": ("binary", None),
        "db_datas": ("binary", None),
        "logo": ("binary", None),
        "attachment_ids": ("many2many", "ir.attachment"),
    }
    return {
        name: Field(name=name, type=kind, relation=relation, string=name)
        for name, (kind, relation) in kinds.items()
    }


def sent(policy: Policy, model: str, method: str, values: Any) -> Any:
    """Return what of a caller's values is sent."""
    name, ids = ("vals_list", None) if method == "create" else ("vals", [1])
    call = Call(model=model, method=method, ids=ids, arguments={name: values})
    return wired(policy.admitted(call, fields_of)).arguments[name]


RULES = {
    "full": Policy(),
    "full with a list": Policy(field_blocklist="secret"),
    "unprotected with a list": Policy(protect=False, model_blocklist="a.b"),
    "restricted": Policy(
        mode="restricted", write_allowlist=[*DOORS, "res.partner", "mail.message", "ir.attachment"]
    ),
}


@pytest.fixture(params=RULES)
def policy(request: pytest.FixtureRequest) -> Policy:
    return RULES[request.param]


@pytest.mark.parametrize("content", POLYGLOTS)
def test_a_file_goes_out_with_a_type(policy: Policy, content: str) -> None:
    given: list[dict[str, Any]] = [
        {},
        *({"mimetype": declared} for declared in ("", False, "application/octet-stream")),
    ]
    for door, declared, method in itertools.product(DOORS, given, ("create", "write")):
        values = {"datas": b64(POLYGLOTS[content]), **declared}
        if method == "create":
            values["name"] = "a"
        made = sent(policy, door, method, values)["mimetype"]
        assert made in ("text/plain", UNKNOWN_TYPE), (door, declared, method)


def test_each_of_several_files_goes_out_with_a_type(policy: Policy) -> None:
    files = [{"name": "a", "datas": b64(one)} for one in POLYGLOTS.values()]
    types = {file["mimetype"] for file in sent(policy, "ir.attachment", "create", files)}
    assert types <= {"text/plain", UNKNOWN_TYPE}


def test_a_name_does_not_make_it_a_page(policy: Policy) -> None:
    for name in ACTIVE_NAMES:
        for values in ({"name": name}, {"name": name, "datas": b64(b"\0" + PAGE)}):
            made = sent(policy, "ir.attachment", "create", values)
            assert made["mimetype"] in ("text/plain", UNKNOWN_TYPE), name


@pytest.mark.parametrize("mimetype", BAD_TYPES)
def test_a_type_that_is_not_known_to_be_harmless_is_refused(policy: Policy, mimetype: str) -> None:
    for values in ({"name": "a", "mimetype": mimetype, "datas": "QUJD"}, {"mimetype": mimetype}):
        for method in ("create", "write"):
            with pytest.raises(AccessError) as caught:
                sent(policy, "ir.attachment", method, values)
            assert caught.value.code == "FIELD_BLOCKED"


@pytest.mark.parametrize("mimetype", GOOD_TYPES)
def test_a_type_that_is_known_is_sent(policy: Policy, mimetype: str) -> None:
    values = {"name": "a.html", "mimetype": mimetype, "datas": b64(PAGE)}
    assert sent(policy, "ir.attachment", "create", values)["mimetype"] == mimetype


@pytest.mark.parametrize("content", POLYGLOTS)
def test_a_file_within_other_values_says_what_it_is(policy: Policy, content: str) -> None:
    file = {"name": "a", "datas": b64(POLYGLOTS[content])}
    message = {"name": "x", "attachment_ids": [[0, 0, file]]}
    with pytest.raises(AccessError):
        sent(policy, "mail.message", "create", message)
    file["mimetype"] = "text/plain"
    assert sent(policy, "mail.message", "create", message)["attachment_ids"][0][2] == file


@pytest.mark.parametrize("content", POLYGLOTS)
def test_a_binary_field_takes_no_page(policy: Policy, content: str) -> None:
    """It has no type: Odoo guesses what it serves from there."""
    for method in ("create", "write"):
        with pytest.raises(AccessError) as caught:
            sent(policy, "res.partner", method, {"logo": b64(POLYGLOTS[content])})
        assert caught.value.suggestion


@pytest.mark.parametrize("content", POLYGLOTS)
def test_a_loaded_row_brings_no_page(content: str) -> None:
    rows = [[b64(POLYGLOTS[content])]]
    load = {"fields": ["logo"], "data": rows}
    with pytest.raises(AccessError):
        Policy().admitted(Call(model="res.partner", method="load", arguments=load), fields_of)


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n<svg>",
        b"%PDF-1.4\n<html>",
        b"GIF89a/*<html>*/",
        b"PK\x03\x04<html>",
        b"RIFF\0\0\0\0WEBP<",
        b"a;b\n1;2\n",
        gzip.compress(PAGE, mtime=0),
        b"",
    ],
)
def test_a_binary_field_takes_pictures_and_files(policy: Policy, content: bytes) -> None:
    """What they begin with tells all versions what they are."""
    values = {"logo": b64(content)}
    assert sent(policy, "res.partner", "write", values) == values


@pytest.mark.parametrize("content", POLYGLOTS)
def test_files_of_a_message_are_not_guessed(content: str) -> None:
    page = POLYGLOTS[content]

    def post(name: str, data: bytes) -> Call:
        kwargs = {"body": "x", "attachments": [[name, data.decode("latin-1")]]}
        call = Call(
            model="res.partner", method="message_post", ids=[1], arguments=kwargs, access="execute"
        )
        return Policy().admitted(call, fields_of)

    for name in ("a", "a.html", "a.bin.unknown"):
        with pytest.raises(OdooError):
            post(name, page)
    assert post("a.txt", page)
    assert post("a.pdf", b"%PDF-1.4")


def test_a_script_without_protection_does_as_it_likes() -> None:
    values = {"name": "a.html", "datas": b64(PAGE)}
    assert sent(Policy(protect=False), "ir.attachment", "create", values) == values


def test_the_tables_agree() -> None:
    for mimetype in BAD_TYPES:
        assert served_as_code({"mimetype": mimetype}) == "mimetype"
    for name in ("a.pdf", "a.csv", "a.png", "a.txt", "a.mp4", "a.ics", "a.zip"):
        assert is_harmless(decided_type(name, b""))
        assert stored_type(name, None, b"\0")[1] is None
    assert stored_type("a", "application/x-thing", b"\0")[0] == UNKNOWN_TYPE
    assert stored_type("a.eml", "message/rfc822", b"From: a")[0] == "text/plain"
