"""Files through every door, as a real Odoo stores and serves them: never as a page or script."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from odoo_toolkit import Odoo, OdooError, create, execute, write
from odoo_toolkit.chatter.attachments import upload
from odoo_toolkit.policy.files import is_harmless
from odoo_toolkit.reports.by_session import check_login
from tests.attacks.policies import Noting, Raw, connected, raw
from tests.kit.hostile_files import ACTIVE_NAMES, BAD_TYPES, POLYGLOTS, b64
from tests.live.conftest import admin, server, suffix
from tests.live.servers import Server

__all__ = ["admin", "raw", "server", "suffix"]

FILE = "ir.attachment"
NAMES = ["a", "a.bin", *ACTIVE_NAMES]

#: The doors by which a caller stores a file: connection, name, type, content in base64, owner.
DOORS: dict[str, Callable[[Odoo, str, Any, str, int], object]] = {
    "upload": lambda o, n, t, c, r: upload(o, "res.partner", r, n, c, t or None),
    "create": lambda o, n, t, c, r: create(o, FILE, _file(n, t, c, r)),
    "create several": lambda o, n, t, c, r: create(o, FILE, [_file(n, t, c, r)] * 2),
    "execute": lambda o, n, t, c, r: execute(o, FILE, "create", [_file(n, t, c, r)]),
    "write": lambda o, n, t, c, r: write(o, FILE, [_plain(o, r)], _file(n, t, c, r)),
    "write content": lambda o, n, t, c, r: write(o, FILE, [_plain(o, r)], {"datas": c}),
    "write bytes": lambda o, n, t, c, r: write(o, FILE, [_plain(o, r)], {"db_datas": c}),
    "copy": lambda o, n, t, c, r: execute(o, FILE, "copy", [[_plain(o, r)], _file(n, t, c, r)]),
    "web_save": lambda o, n, t, c, r: execute(o, FILE, "web_save", [[], _file(n, t, c, r), {}]),
    "by context": lambda o, n, t, c, r: create(
        o, FILE, {"name": "a", "res_model": "res.partner", "res_id": r}, _defaults(n, t, c)
    ),
    "within a message": lambda o, n, t, c, r: create(
        o,
        "mail.message",
        {
            "model": "res.partner",
            "res_id": r,
            "attachment_ids": [[0, 0, _file(n, t, c, r)]],
        },
    ),
    "of a message": lambda o, n, t, c, r: execute(
        o, "res.partner", "message_post", [[r]], {"body": "x", "attachments": [[n, c]]}
    ),
}


def _file(name: str, mimetype: Any, content: str, owner: int) -> dict[str, Any]:
    values = {"name": name, "datas": content, "res_model": "res.partner", "res_id": owner}
    return values if mimetype is None else {**values, "mimetype": mimetype}


def _plain(odoo: Odoo, owner: int) -> int:
    made = upload(odoo, "res.partner", owner, "plain.txt", b64(b"plain"))
    return made.id


def _defaults(name: str, mimetype: Any, content: str) -> dict[str, Any]:
    given = {"default_name": name, "default_datas": content}
    return given if mimetype is None else {**given, "default_mimetype": mimetype}


@pytest.fixture
def owner(raw: Raw, suffix: str) -> Iterator[int]:
    with raw.record("res.partner", {"name": f"Files {suffix}"}) as made:
        yield made
        files = [["res_model", "=", "res.partner"], ["res_id", "=", made]]
        raw.clean(FILE, [*files, ["res_field", "=", False]])


@pytest.fixture(scope="module")
def writer(server: Server) -> Iterator[Noting]:
    """An administrator, whose pages Odoo keeps as such; by password, which opens a web session."""
    with connected(replace(server, api_key=""), mode="full") as odoo:
        yield odoo


@pytest.mark.parametrize("door", DOORS)
def test_no_file_is_stored_or_served_as_a_page(
    door: str, writer: Noting, raw: Raw, owner: int, server: Server
) -> None:
    contents = list(POLYGLOTS.values())
    # Each content once without a name or type, each name and type once with a page behind text.
    tried: list[tuple[str, Any, bytes]] = [("a", None, content) for content in contents]
    tried += [(name, None, contents[1]) for name in NAMES]
    tried += [("a", declared, contents[1]) for declared in ["", "application/octet-stream"]]
    if door in ("upload", "create", "within a message"):
        tried += [("a", declared, contents[1]) for declared in BAD_TYPES]
    for name, declared, content in tried:
        with contextlib.suppress(OdooError):
            DOORS[door](writer, name, declared, b64(content), owner)
    stored = raw(
        FILE,
        "search_read",
        [["res_model", "=", "res.partner"], ["res_id", "=", owner], ["res_field", "=", False]],
        ["name", "mimetype"],
    )
    wrong = [
        (row["name"], row["mimetype"])
        for row in stored
        if not is_harmless(row["mimetype"]) and "octet-stream" not in row["mimetype"]
    ]
    assert wrong == []
    for row in stored[:4]:
        path = f"/web/content/{row['id']}"
        answer = writer.web_session.get(path, timeout=120, before_login=lambda: check_login(writer))
        kind = answer.headers["Content-Type"].partition(";")[0]
        assert (
            answer.status_code != 200
            or not answer.content
            or (is_harmless(kind) or "octet-stream" in kind)
        )


def test_no_binary_field_takes_a_page(writer: Noting, raw: Raw, owner: int) -> None:
    for content in POLYGLOTS.values():
        page = b64(content)
        for attack in (
            lambda page=page: write(writer, "res.partner", [owner], {"image_1920": page}),
            lambda page=page: execute(
                writer, "res.partner", "write", [[owner], {"image_1920": page}]
            ),
            lambda page=page: execute(
                writer, "res.partner", "load", [[".id", "image_1920"], [[str(owner), page]]]
            ),
        ):
            with pytest.raises(OdooError):
                attack()
    assert not raw.value("res.partner", owner, "image_1920")
