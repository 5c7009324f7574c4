"""What is never told: files and secrets, by the names of their fields and by their form."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from odoo_toolkit.change_history import kept_results
from odoo_toolkit.policy.contents import (
    file_bytes,
    in_brief,
    lines_in_brief,
    replaced,
    text_in_brief,
)

SECRET = "swordfish"
SHORT, LONG = (base64.b64encode(SECRET.encode() * n).decode() for n in (1, 20))
PICTURE = f'<p>Hi <img src="data:image/png;base64,{SHORT}"> there</p>'
TOKEN = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg": 1}', b"x" * 9, b"y")
)


def forms(name: str, value: Any) -> Iterator[Any]:
    """Yield the forms in which a field is given a value."""
    yield {name: value}
    yield [{name: value}]
    yield {"line_ids": [[0, 0, {name: value}], [1, 7, {"child_ids": [[0, 0, {name: value}]]}]]}
    yield {"line_ids": {"1": {name: value}}}
    yield {"vals_list": [{"name": "x", name: [value]}]}
    yield {"fields": ["name", name, f"line_ids/{name}"], "data": [["x", value, value]]}
    yield [["name", "=", "x"], [f"line_ids.{name}", "=", value]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, SHORT) for name in ("datas", "db_datas", "content_base64", "image_1920")],
        *[(name, SHORT) for name in ("avatar_128", "x_scan")],
        *[(name, f"{SECRET}, not base64") for name in ("datas", "content_base64", "x_scan")],
        ("raw", SECRET),
        ("datas", SECRET.encode()),
        *[(name, SECRET) for name in ("password", "new_passwd", "api_key", "apikey", "x_pwd")],
        *[(name, SECRET) for name in ("token", "x_access_token", "client_secret", "smtp_pass")],
        ("comment", f"The password: {SECRET}"),
        ("comment", f"https://example.com/my/orders/1?access_token={SECRET}&x=1"),
        ("website", f"https://bob:{SECRET}@example.com/"),
        ("comment", f'{{"api_key": "{SECRET}"}}'),
        ("comment", LONG),
        ("comment", f"Before {base64.encodebytes(SECRET.encode() * 20).decode()}"),
        ("comment", PICTURE),
        ("comment", f"It is {TOKEN}"),
        ("comment", f"Authorization: Bearer {SECRET}"),
    ],
)
def test_no_form_of_a_value_tells_a_file_or_a_secret(name: str, value: Any) -> None:
    for given in forms(name, value):
        told = json.dumps(replaced(given, lambda n, v: in_brief(n, v, frozenset({"x_scan"}))))
        assert not any(part in told for part in (SECRET, SHORT, LONG[:40], TOKEN)), told


@pytest.mark.parametrize(
    "value",
    [
        {"name": "Ann", "comment": "Ten desks, see SO0042", "active": True, "credit_limit": 1.5},
        {"website": "https://example.com/a/b?page=2", "email": "ann@example.com", "ref": "abcd"},
        {"password_reset": False, "token_count": 2, "category_id": [[6, 0, [1, 2]]]},
        ["&", ["name", "ilike", "pass"], ["id", "in", [1, 2]]],
        {"body": "<p>The token is with Bob; a secret meeting. Password reset on Monday</p>"},
    ],
)
def test_other_values_are_told_whole(value: Any) -> None:
    assert replaced(value, in_brief) == value


def test_the_form_of_a_log_line_stays() -> None:
    line = f"odoo_core_write: VALUE_ERROR: 'data:image/png;base64,{SHORT}' of {LONG} is wrong."
    assert text_in_brief(line) == (
        "odoo_core_write: VALUE_ERROR: 'data:image/png;base64,<9 bytes>' of <180 bytes> is wrong."
    )


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("datas", SHORT, SECRET.encode()),
        ("datas", f"{LONG[:76]}\n{LONG[76:]}\n", SECRET.encode() * 20),
        ("raw", "é", "é".encode()),
        ("datas", "ann@example.com", None),
        ("datas", "abcde", None),
    ],
)
def test_the_file_is_what_odoo_stores(name: str, text: str, data: bytes | None) -> None:
    assert file_bytes(text, name) == data


def test_a_result_with_a_picture_in_its_text_is_not_kept() -> None:
    assert kept_results.as_text({"comment": PICTURE}) is None
    assert kept_results.as_text({"comment": "<p>Hi</p>"})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("  password: two words", "  password: ***"),
        ('a: {"login": "x", "password": "two words"}', 'a: {"login": "x", "password": "***"}'),
        ('domain: [["api_key", "=", "two words"]]', 'domain: [["api_key", "=", "***"]]'),
        ("- Bob: new_passwd: two words -> others", "- Bob: new_passwd: ***"),
        ("- Bob: note: api_key=abc", "- Bob: note: api_key=***"),
        ("amount: 1.50", "amount: 1.50"),
        ('name: {"no": json', 'name: {"no": json'),
        (f"a: {'[' * 9000}", f"a: {'[' * 9000}"),
        ("", ""),
    ],
)
def test_lines_of_names_and_values_are_told_without_secrets(line: str, told: str) -> None:
    assert lines_in_brief(f"Title\n{line}") == f"Title\n{told}"
