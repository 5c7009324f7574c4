"""What holds for all tests: results are typed as they say; how several processes share the work."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from tests import typed_results
from tests.live.servers import find_servers

# Journals and the like of the programs that tests start.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="odoo-toolkit-state-")

_NAMES = sorted((re.escape(server.name) for server in find_servers()), key=len, reverse=True)
_SERVER = re.compile(rf"\[.*?\b({'|'.join(_NAMES)})\b" if _NAMES else r"(?!)")


def pytest_configure(config: pytest.Config) -> None:
    """Check the types of all results of tools, wherever a test makes one."""
    typed_results.watch()


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
    """Give each server's tests to one process, because they count each other's records.

    Every other file of tests stays together, too: its fixtures are made once.
    """
    from xdist.scheduler import LoadScopeScheduling

    class PerServer(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            server = _SERVER.search(nodeid)
            return server[1] if server else nodeid.split("::")[0]

    return PerServer(config, log)
