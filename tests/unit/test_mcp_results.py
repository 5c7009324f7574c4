"""Results and errors as a client gets them."""

from __future__ import annotations

import json
import logging
from typing import Any

import attrs
import pytest

from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit_mcp import results


@attrs.frozen
class Inner:
    id: int
    note: str | None = None


@attrs.frozen
class Result:
    records: list[dict[str, Any]]
    inner: Inner
    total: int | None
    count: int = 0
    warnings: list[str] = attrs.Factory(list)


def test_default_values_are_left_out() -> None:
    """Values of records are never defaults: null and false stay."""
    result = results.success(Result([{"a": None, "b": False}], Inner(1), None))

    assert result.structured_content == {
        "records": [{"a": None, "b": False}],
        "inner": {"id": 1},
        "total": None,
    }


def test_text_is_the_same_object_without_blanks() -> None:
    result = results.success(Result([{"name": "Müller & Söhne"}], Inner(1), 2))
    text = result.content[0].text

    assert json.loads(text) == result.structured_content
    assert '": ' not in text
    assert "Müller" in text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (b"\xff\x00", "_wA="),
        ({1}, [1]),
        (2**70, 2**70),
        ("half \ud83d", "half ?"),
    ],
)
def test_whatever_odoo_returns_reaches_the_client(value: Any, expected: Any) -> None:
    """A write that has been made must not fail because its answer is odd."""
    result = results.success(Result([{"x": value}], Inner(1), None))

    assert result.structured_content["records"] == [{"x": expected}]


@pytest.mark.parametrize(
    ("code", "level"),
    [
        ("VALIDATION_ERROR", logging.WARNING),
        ("NOT_FOUND", logging.WARNING),
        ("RATE_LIMITED", logging.WARNING),
        ("ACCESS_DENIED", logging.ERROR),
        ("TIMEOUT", logging.ERROR),
        ("UNKNOWN_ERROR", logging.ERROR),
    ],
)
def test_level_of_the_log_tells_who_can_mend_it(
    code: str, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    result = results.failure("odoo_x", make_error(code, "No.", suggestion="Do."))

    assert result.is_error
    assert [record.levelno for record in caplog.records] == [level]


def test_unexpected_exception_is_only_in_the_debug_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        try:
            raise KeyError("swordfish")
        except KeyError as error:
            result = results.unexpected("odoo_x", error)

    assert result.structured_content["code"] == OdooError.default_code
    assert "swordfish" not in str(result)
    assert [r.levelno for r in caplog.records if "swordfish" in (r.exc_text or "")] == [
        logging.DEBUG
    ]
