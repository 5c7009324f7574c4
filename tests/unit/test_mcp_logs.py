"""The lines of the log: what is in them, and no credential."""

from __future__ import annotations

import datetime
import json
import logging
import sys
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from odoo_toolkit.configuration import Secret
from odoo_toolkit_mcp import request_ids
from odoo_toolkit_mcp.logs import JsonLines, WithoutSecrets


def record(message: str, *args: object, failed: bool = False) -> logging.LogRecord:
    exc_info: Any = None
    if failed:
        try:
            raise LookupError(message)
        except LookupError:
            exc_info = sys.exc_info()
    return logging.LogRecord("odoo_toolkit.x", logging.WARNING, "f", 1, message, args, exc_info)


def during_request(
    request_id: object, header: str | None, form: logging.Formatter, line: logging.LogRecord
) -> str:
    """Return how a line looks that is logged while a request is worked on."""
    headers = {} if header is None else {"X-Request-Id": header}
    context: Any = SimpleNamespace(
        request_id=request_id, request=SimpleNamespace(headers=headers) if headers else None
    )

    async def log(ctx: object) -> Any:
        return {"line": form.format(line)}

    result: Any = anyio.run(request_ids.noted, context, log)
    return str(result["line"])


def test_json_line_has_time_level_logger_and_message() -> None:
    entry = json.loads(JsonLines([]).format(record("%s of %d", "größe", 2)))

    when = datetime.datetime.fromisoformat(entry.pop("time"))
    assert when.utcoffset() == datetime.timedelta(0)
    assert entry == {"level": "WARNING", "logger": "odoo_toolkit.x", "message": "größe of 2"}


@pytest.mark.parametrize("message", ["two\nlines\r", "\u2028", "\ud800", 'a "quote" \\', "\x00"])
def test_json_line_is_one_line_whatever_the_message(message: str) -> None:
    line = JsonLines([]).format(record(message, failed=True))

    assert len(line.splitlines()) == 1
    assert line.isascii()
    entry = json.loads(line)
    assert entry["message"] == message
    assert "LookupError" in entry["exception"]


@pytest.mark.parametrize(
    "secret", ["swordfish", 'sword"fish', "sword\\fish", ",", '"', "1", "message", "e"]
)
@pytest.mark.parametrize("form", [WithoutSecrets, JsonLines])
def test_credentials_are_blotted_out(form: type[WithoutSecrets], secret: str) -> None:
    """Also within JSON, such as an audit line, and in a traceback; what is left is JSON still."""
    in_json = json.dumps({"x": f"?{secret}?"}, ensure_ascii=False)
    line = form([Secret(secret), None]).format(record(f"<{secret}> {in_json}", failed=True))

    assert f"?{secret}?" not in line
    assert f"<{secret}>" not in line
    assert json.dumps(secret)[1:-1] + "?" not in line
    if form is JsonLines:
        assert json.loads(line)["message"].startswith("<***>")


def test_request_is_named_in_each_line_of_it() -> None:
    entry = json.loads(during_request(7, "req-1", JsonLines([]), record("x")))
    assert (entry["request_id"], entry["http_request_id"]) == (7, "req-1")

    text = during_request(7, "req-1", WithoutSecrets([]), record("x"))
    assert text.endswith(" WARNING odoo_toolkit.x [7 req-1]: x")
    assert WithoutSecrets([]).format(record("x")).endswith(" WARNING odoo_toolkit.x: x")
    assert request_ids.current() == {}


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("4bf92f3577b34da6a3ce929d0e0e4736", True),
        ("00-4bf9:2.f35/77=b3+4d@a6_x", True),
        ("a" * 128, True),
        ("a" * 129, False),
        ("", False),
        ("-x", False),
        ("a b", False),
        ("a\n2026 ERROR forged", False),
        ("é", False),
        ("{}", False),
    ],
)
def test_header_is_taken_where_it_looks_like_an_id(sent: str, told: bool) -> None:
    entry = json.loads(during_request(1, sent, JsonLines([]), record("x")))

    assert entry.get("http_request_id") == (sent if told else None)
    assert entry["request_id"] == 1


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (0, 0),
        (-3, -3),
        ("abc-1", "abc-1"),
        ("a\n] ERROR", "a___ERROR"),
        ("x" * 500, "x" * 128),
        (10**200, "1" + "0" * 127),
    ],
)
def test_id_of_the_json_rpc_request_cannot_forge_a_line(sent: object, told: object) -> None:
    entry = json.loads(during_request(sent, None, JsonLines([]), record("x")))

    assert entry["request_id"] == told
    assert "http_request_id" not in entry


def test_a_notification_has_no_id() -> None:
    entry = json.loads(during_request(None, None, JsonLines([]), record("x")))

    assert "request_id" not in entry
