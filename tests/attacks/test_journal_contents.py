"""The file of the journal holds no content of files, no closed values and no passwords."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import History, Odoo, Policy, create, execute, upsert, write
from odoo_toolkit.connection.settings import connection_settings
from tests.attacks.policies import Raw, raw
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server, credentials

__all__ = ["admin", "raw", "server", "suffix"]

pytestmark = pytest.mark.every_version

CONTACT, FILE, USER = "res.partner", "ir.attachment", "res.users"

#: A picture of one pixel: any other text would be no picture to Odoo.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)

Writing = Callable[[Odoo, Raw, str], Any]


def _content(word: str) -> str:
    return base64.b64encode(f"content of {word}".encode()).decode()


def _picture(word: str) -> str:
    return f'<p><img src="data:image/png;base64,{_content(word)}"></p>'


def _pictured(raw: Raw, word: str, **more: Any) -> int:
    made: int = raw(CONTACT, "create", {"name": word, "comment": _picture(f"{word}2"), **more})
    return made


def _contact(odoo: Odoo, word: str) -> int:
    return create(odoo, CONTACT, {"name": f"Contact {word}"}).id


def _file(odoo: Odoo, word: str) -> int:
    return create(odoo, FILE, {"name": f"{word}.txt", "datas": _content(word)}).id


def _user(raw: Raw, word: str) -> int:
    values = {"name": f"User {word}", "login": f"{word}@example.com"}
    made: int = raw(USER, "create", values)
    return made


FILES: dict[str, Writing] = {
    "a file": lambda o, raw, word: _file(o, word),
    "another content": lambda o, raw, word: execute(
        o, FILE, "write", [[_file(o, word)], {"name": "a.txt", "datas": _content(f"{word}2")}]
    ),
    "a nested file": lambda o, raw, word: create(
        o,
        "mail.mail",
        {
            "email_to": "x@example.com",
            "attachment_ids": [[0, 0, {"name": f"{word}.txt", "datas": _content(word)}]],
        },
    ),
    "a nested picture": lambda o, raw, word: create(
        o, CONTACT, {"name": word, "child_ids": [[0, 0, {"name": "Child", "image_1920": PIXEL}]]}
    ),
    "a nested picture that is written": lambda o, raw, word: write(
        o,
        CONTACT,
        [_contact(o, word)],
        {"child_ids": [[0, 0, {"name": "Child", "image_1920": PIXEL}]]},
    ),
    "a picture in a text": lambda o, raw, word: create(
        o, CONTACT, {"name": word, "comment": _picture(word)}
    ),
    "a picture in a text that is written": lambda o, raw, word: write(
        o, CONTACT, [_contact(o, word)], {"comment": _picture(word), "name": word}
    ),
    "a picture in a text that is there": lambda o, raw, word: write(
        o, CONTACT, [_pictured(raw, word)], {"comment": word}
    ),
    "a picture in a line's text": lambda o, raw, word: write(
        o,
        CONTACT,
        [(parent := _contact(o, word))],
        {"child_ids": [[1, _pictured(raw, word, parent_id=parent), {"comment": _picture(word)}]]},
    ),
    "a picture in a text of a keyed call": lambda o, raw, word: create(
        o,
        CONTACT,
        {"name": word, "comment": _picture(word)},
        return_fields=["comment"],
        idempotency_key=f"picture {word}",
    ),
    "what a keyed call reads": lambda o, raw, word: execute(
        o, FILE, "read", [[_file(o, word)], ["datas"]], idempotency_key=f"read {word}"
    ),
    "what a keyed call exports": lambda o, raw, word: execute(
        o, FILE, "export_data", [[_file(o, word)], ["datas"]], idempotency_key=f"export {word}"
    ),
    "what a keyed write reads back": lambda o, raw, word: write(
        o,
        FILE,
        [_file(o, word)],
        {"name": "x"},
        return_fields=["datas"],
        idempotency_key=f"write {word}",
    ),
    "a keyed creation": lambda o, raw, word: create(
        o,
        FILE,
        {"name": f"{word}.txt", "datas": _content(word)},
        return_fields=["datas"],
        idempotency_key=f"create {word}",
    ),
}
PASSWORDS: dict[str, Writing] = {
    "a password": lambda o, raw, word: write(
        o, USER, [_user(raw, word)], {"password": _content(word)}
    ),
    "a password of a new user": lambda o, raw, word: create(
        o, USER, {"name": word, "login": word, "password": _content(word)}
    ),
    "a keyed password": lambda o, raw, word: execute(
        o, USER, "write", [[_user(raw, word)], {"password": _content(word)}], idempotency_key=word
    ),
    "a parameter": lambda o, raw, word: create(
        o, "ir.config_parameter", {"key": f"x.{word}", "value": _content(word)}
    ),
    "another parameter": lambda o, raw, word: write(
        o,
        "ir.config_parameter",
        create(o, "ir.config_parameter", {"key": f"x.{word}", "value": _content(word)}).ids,
        {"value": _content(f"{word}2")},
    ),
    "a parameter that is read": lambda o, raw, word: execute(
        o,
        "ir.config_parameter",
        "search_read",
        [[["id", "=", _parameter(raw, word)]], ["value"]],
        idempotency_key=word,
    ),
    "rows of parameters": lambda o, raw, word: upsert(
        o, "ir.config_parameter", [{"key": f"x.{word}", "value": _content(word)}], key="key"
    ),
}


def _parameter(raw: Raw, word: str) -> int:
    values = {"key": f"x.{word}", "value": _content(word)}
    made: int = raw("ir.config_parameter", "create", values)
    return made


@pytest.mark.parametrize(
    ("name", "protect"),
    [*((name, True) for name in FILES), *((name, False) for name in [*FILES, *PASSWORDS])],
)
def test_the_journal_keeps_no_contents(
    server: Server, raw: Raw, suffix: str, tmp_path: Path, name: str, protect: bool
) -> None:
    path = tmp_path / "history.sqlite"
    settings = connection_settings(**credentials(server, server.user("admin")))
    with Odoo(settings, policy=Policy(protect=protect), history=History(path)) as odoo:
        {**FILES, **PASSWORDS}[name](odoo, raw, suffix)
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    needles = [_content(suffix), _content(f"{suffix}2"), f"content of {suffix}", PIXEL[:60]]
    assert [text for text in needles if text.encode() in kept] == []
    assert b'"method":' in kept
