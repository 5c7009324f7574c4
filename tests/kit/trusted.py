"""A pytest plugin: no test passes, fails or is skipped by chance without the run saying so.

- A skip fails unless ``tests/allowed_skips.toml`` allows it.
- A test that fails runs once more, only to report whether it is flaky. The run fails all the same.
- Hypothesis has no deadline, as a deadline depends on the load. With ``CI`` set, it always tries
  the same examples.

pytest-timeout gives each test its limit; see ``timeout`` in pyproject.toml.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Generator, Iterable
from functools import cache
from pathlib import Path

import attrs
import hypothesis
import pytest
import tomlkit
from _pytest.runner import runtestprotocol
from _pytest.terminal import TerminalReporter

ALLOWED_SKIPS = Path(__file__).parents[1] / "allowed_skips.toml"

#: Failures of one process that are tried again. More of them have one cause.
TRIED_AGAIN = 10

AGAIN = "tried again"
_tried = pytest.StashKey[int]()

hypothesis.settings.register_profile("any load", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "any load")


@attrs.frozen(kw_only=True)
class AllowedSkip:
    """A skip that is no failure.

    Attributes:
        tests: pattern of the tests' ids, as a shell has them.
        reason: regular expression that the whole reason matches.
        because: why it is right to skip them.
        own_servers: whether it is only allowed with servers that ``ODOO_TEST_SERVERS`` names.
    """

    tests: str
    reason: str
    because: str
    own_servers: bool = False


@cache
def allowed_skips(path: Path = ALLOWED_SKIPS) -> list[AllowedSkip]:
    """Return the skips that the file allows."""
    content = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
    return [AllowedSkip(**entry) for entry in content["skip"]]


def may_skip(test: str, reason: str, allowed: Iterable[AllowedSkip], own_servers: bool) -> bool:
    """Tell whether a test may be skipped for a reason."""
    return any(
        fnmatch.fnmatchcase(test, one.tests)
        and re.fullmatch(one.reason, reason, re.DOTALL)
        and (own_servers or not one.own_servers)
        for one in allowed
    )


def fail_unlisted_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a skip that is not allowed a failure."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = said.removeprefix("Skipped: ")
    own_servers = bool(os.environ.get("ODOO_TEST_SERVERS"))
    if not may_skip(report.nodeid, reason, allowed_skips(), own_servers):
        report.outcome = "failed"
        report.longrepr = (
            f"Skipped: {reason}\ntests/{ALLOWED_SKIPS.name} does not allow this skip. Remove the"
            " cause, or add the skip to the file and say why it is right."
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that skips itself without leave."""
    report = yield
    fail_unlisted_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a file that skips itself without leave."""
    report = yield
    fail_unlisted_skip(report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test; if it fails, run it once more and add the outcome to the report."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    failed = [report for report in reports if report.failed]
    if failed:
        failed[0].user_properties.append((AGAIN, _outcome_of_repeat(item, nextitem, failed[0])))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _outcome_of_repeat(
    item: pytest.Item, nextitem: pytest.Item | None, first: pytest.TestReport
) -> str:
    """Return how a test ends that is run again with fixtures of its own."""
    tried = item.config.stash.get(_tried, 0)
    crash = getattr(first.longrepr, "reprcrash", None)
    timed_out = "Timeout (>" in getattr(crash, "message", "")  # pytest-timeout stops a test once
    if tried >= TRIED_AGAIN or timed_out or item.config.getoption("usepdb"):
        return "not tried"
    item.config.stash[_tried] = tried + 1
    # Wider fixtures may be what failed: all are made again.
    item.session._setupstate.teardown_exact(None)
    item._initrequest()  # type: ignore[attr-defined]
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    return next((r.outcome for r in reports if r.outcome != "passed"), "passed")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Name the tests that failed and passed when they were tried again."""
    reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
    flaky = [
        f"{report.nodeid} ({report.when}): failed, then passed"
        for report in reports
        if (AGAIN, "passed") in getattr(report, "user_properties", [])
    ]
    if flaky:
        terminalreporter.section("flaky")
        for line in flaky:
            terminalreporter.write_line(line)
