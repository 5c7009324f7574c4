"""What holds for all tests: results are typed as they say; how several processes share the work."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from tests import typed_results
from tests.live import own
from tests.selection import begin_with_the_longest, of_other_versions

# Journals and the like of the programs that tests start.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="odoo-toolkit-state-")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice of versions."""
    parser.addoption(
        "--all-versions",
        action="store_true",
        help="run each test on every Odoo that runs; "
        "else on the newest, and those marked every_version on the oldest, too",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the types of all results of tools, wherever a test makes one."""
    typed_results.watch()
    config.option.loadscopereorder = False  # the order is that of the collection


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave other versions to other runs, and begin with what takes longest."""
    left_out = of_other_versions(config, items)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        dropped = set(left_out)
        items[:] = [item for item in items if item not in dropped]
    if hasattr(config, "workerinput"):
        begin_with_the_longest(items)


def pytest_unconfigure() -> None:
    """Stop the servers that this process started."""
    own.close()


@pytest.fixture(autouse=True)
def _levels_of_the_log() -> Iterator[None]:
    """What a command sets for its log, ends with its test."""
    loggers = [logging.getLogger(name) for name in ("odoo_toolkit", "odoo_toolkit_mcp")]
    before = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return how the processes share the tests."""
    from tests.selection import ByFileAndServer

    return ByFileAndServer(config, log)
