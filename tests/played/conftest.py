"""Fixtures of the live tests, answered from recordings, so that they run without an Odoo.

A module here has the tests of the live module of its name. Those marked ``recorded`` are played: on
the newest version, on the oldest, too, if they are marked ``every_version``, and as the demo user,
too, if they are marked ``every_user``. ``python -m tests.kit.record`` records them.
"""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Connection
from tests.kit import live_tapes
from tests.kit.live_tapes import FOLDER, Open
from tests.kit.recordings import Recordings
from tests.provisioning.releases import RELEASES

HERE = Path(__file__).parent
NEWEST, OLDEST = max(map(int, RELEASES)), min(map(int, RELEASES))

_kept = cache(Recordings.read)


@pytest.hookimpl(tryfirst=True)  # a test has one name, whichever folders are collected
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the versions and the users of a test by its markers."""
    marked = metafunc.definition.get_closest_marker
    if "version" in metafunc.fixturenames:
        metafunc.parametrize("version", [NEWEST, OLDEST] if marked("every_version") else [NEWEST])
    if "login" in metafunc.fixturenames:
        metafunc.parametrize("login", ["admin", "demo"] if marked("every_user") else ["admin"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not recorded, and what is not to be recorded now."""

    recorder = live_tapes.recorder

    def stays(item: Any) -> bool:
        if HERE not in item.path.parents:
            return True
        if item.get_closest_marker("recorded") is None:
            return False
        version = item.callspec.params["version"]
        return not recorder or recorder.records(version, item.path.stem, item.name)

    left_out = [item for item in items if not stays(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if stays(item)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Generator[None, Any, Any]:
    """Note which tests fail: of these no tape is kept, nor looked at to the end."""
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report


@pytest.fixture(autouse=True)  # before all that draws a name
def opened(request: pytest.FixtureRequest, version: int) -> Iterator[Open]:
    """Opens connections of the test's version."""
    test, module, at = request.node, request.node.path.stem, live_tapes.recorder

    def passed() -> bool:
        return not test.failed

    if at:
        context = live_tapes.recorded(module, test.name, at, passed)
    else:
        kept = _kept(version, FOLDER / module)
        context = live_tapes.played(module, test.name, version, kept, passed)
    with context as open_:
        yield open_


@pytest.fixture
def admin(opened: Open) -> Connection:
    """The administrator, for preparing and cleaning up."""
    return opened("preparing")


@pytest.fixture
def odoo(opened: Open, login: str) -> Connection:
    """Each user in turn."""
    return opened(login)


@pytest.fixture
def ordinary(opened: Open) -> Connection:
    """An internal user without further rights."""
    return opened("ordinary")


@pytest.fixture
def suffix(opened: Open) -> str:
    """A word that no other test uses, and the same each time that one is played."""
    return uuid.uuid4().hex[:8]
