"""What holds for all tests: results are typed as they say; how several processes share the work."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from odoo_toolkit import databases
from tests import selection, typed_results
from tests.live import own

pytest_plugins = ["tests.kit.trusted", "tests.kit.market"]

# No test cuts the power: waiting for the disk takes most of the time of tests that keep a journal.
databases._SYNC = "OFF"

# What tests and programs write to the folder for temporary files is much and small: in memory,
# where there is enough of it.
_MEMORY = Path("/dev/shm")
if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 4 * 1024**3:
    os.environ.setdefault("TMPDIR", str(_MEMORY))
    tempfile.tempdir = None  # pytest has asked for it before

# Garbage is looked for seldom: each look walks over all that tests were imported with.
gc.set_threshold(100_000, 20, 20)

# Journals and the like of the programs that tests start.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="odoo-toolkit-state-")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice of all ways to run a test."""
    parser.addoption(
        "--everything",
        action="store_true",
        help="run each test on every Odoo that runs, as every user and in every era of MCP",
    )
    parser.addoption(
        "--receipt", metavar="NAME", help="write what came of the run to tests/receipts/NAME.json"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the types of all results of tools, wherever a test makes one; count for the receipt."""
    typed_results.watch()
    if config.option.receipt and not hasattr(config, "workerinput"):
        from tests.receipts import FOLDER, Receipt

        config.pluginmanager.register(Receipt(FOLDER / f"{config.option.receipt}.json"))
    config.option.loadscopereorder = False  # the order is that of the collection


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to other runs what is theirs, and begin with what takes longest."""
    for item in items:
        selection.mark(item)
    for choose in (selection.of_other_gates, selection.of_fuller_runs):
        left_out = set(choose(config, items))
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    if hasattr(config, "workerinput"):
        selection.begin_with_the_longest(items)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of all later looks for garbage."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Stop the servers that this process started, and remove what its programs kept."""
    own.close()
    shutil.rmtree(os.environ["XDG_STATE_HOME"], ignore_errors=True)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say where the time went, added up over all processes and all parameters of a test."""
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                function = report.nodeid.partition("[")[0]
                seconds[function] += report.duration
                tests[function] += report.when == "call"
    folders = {name: name.partition("::")[0].rpartition("/")[0] for name in seconds}
    if len(set(folders.values())) > 1:
        for title, group in (("by folder", folders), ("of the ten slowest", {})):
            terminalreporter.section(f"seconds {title}")
            for name, (sum_, count) in _sums(seconds, tests, group):
                terminalreporter.write_line(f"{sum_:8.0f} s  {count:6} tests  {name}")


def _sums(
    seconds: Counter[str], tests: Counter[str], groups: dict[str, str]
) -> list[tuple[str, tuple[float, int]]]:
    """Return the ten groups that took longest, with their seconds and the number of their tests."""
    sums: dict[str, tuple[float, int]] = {}
    for name, taken in seconds.items():
        group = groups.get(name, name)
        before, count = sums.get(group, (0.0, 0))
        sums[group] = (before + taken, count + tests[name])
    return sorted(sums.items(), key=lambda item: -item[1][0])[:10]


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
