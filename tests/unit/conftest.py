"""What the unit tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import responses

from odoo_toolkit.change_history import lost_answers
from tests.unit.wire import RECORDED, URL, Wire


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


@pytest.fixture
def down(mock: responses.RequestsMock) -> responses.RequestsMock:
    """An Odoo 14 that lets one log in; calls are for the test to add."""
    recorded = RECORDED["14"]
    mock.add("POST", f"{URL}/web/webclient/version_info", json=recorded["version_info"])
    return mock


@pytest.fixture(autouse=True)
def _one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an answer was lost of is looked for once, and not waited for."""
    monkeypatch.setattr(lost_answers, "WAITS", (0.0,))
    # Another test's server is another one, though it has the same address.
    lost_answers._creations.clear()
