"""What the unit tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import responses

from tests.unit.wire import Wire


@pytest.fixture(autouse=True)
def _no_settings_of_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("ODOO_"):
            monkeypatch.delenv(name)


@pytest.fixture
def mock() -> Iterator[responses.RequestsMock]:
    """Answers HTTP requests; none goes out."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def wire(mock: responses.RequestsMock) -> Wire:
    """An Odoo 14."""
    return Wire(mock)
