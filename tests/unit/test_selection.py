"""Which tests a run has: the newest Odoo's, on the oldest what is marked, and all asked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import selection
from tests.live.servers import Server

SERVERS = [
    Server(f"odoo-{version}" if version else "mine", "http://x", "db", "a", "b", version=version)
    for version in ("19", "16", "14", "")
]


def item(*markers: str, file: str = "tests/live/test_x.py", **parameters: Any) -> Any:
    return SimpleNamespace(
        get_closest_marker=lambda name: name if name in markers else None,
        callspec=SimpleNamespace(params=parameters),
        path=Path("/checkout") / file,
    )


def config(*args: str, keyword: str = "", markers: str = "", everything: bool = False) -> Any:
    return SimpleNamespace(
        option=SimpleNamespace(keyword=keyword, markexpr=markers),
        args=list(args),
        invocation_params=SimpleNamespace(dir=Path("/checkout")),
        getoption=lambda name: everything,
    )


@pytest.fixture
def items(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A test on each server, marked and not."""
    monkeypatch.setattr(selection, "SERVERS", SERVERS)
    return [
        item(*markers, server=server) for markers in ((), ("every_version",)) for server in SERVERS
    ]


def test_the_files_that_take_longest_are_there() -> None:
    root = Path(__file__).parents[2]
    assert [name for name in selection.LONGEST if not (root / name).exists()] == []


def names(items: list[Any], left_out: list[Any]) -> list[str]:
    return [one.callspec.params["server"].name for one in items if one not in left_out]


def test_the_newest_runs_all_and_the_oldest_what_is_marked(items: list[Any]) -> None:
    left_out = selection.of_fuller_runs(config("tests"), items)
    assert names(items, left_out) == ["odoo-19", "mine", "odoo-19", "odoo-14", "mine"]


@pytest.mark.parametrize(
    "asked",
    [
        config("tests", everything=True),
        config("tests", keyword="odoo-16 and not admin"),
        config("tests/live/test_x.py::test_y[odoo-16]"),
    ],
    ids=["everything", "by a word", "by its name"],
)
def test_what_is_asked_for_is_not_left_out(items: list[Any], asked: Any) -> None:
    assert selection.of_fuller_runs(asked, items) == []


@pytest.mark.parametrize(
    ("marker", "parameter", "ordinary", "other"),
    [("every_user", "user", "admin", "demo"), ("every_era", "era", "auto", "legacy")],
)
def test_other_users_and_eras_run_what_is_marked(
    marker: str, parameter: str, ordinary: str, other: str
) -> None:
    tests = [
        item(*markers, **{parameter: way})
        for markers in ((), (marker,))
        for way in (ordinary, other)
    ]
    left_out = selection.of_fuller_runs(config("tests"), tests)
    assert [tests.index(one) for one in left_out] == [1]


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        (config("tests"), True),
        (config("tests/live"), True),
        (config("tests/live/test_x.py"), False),
        (config("tests/live/test_x.py::test_y"), False),
        (config("tests", markers="attack"), False),
        (config("tests", everything=True), False),
    ],
)
def test_a_gates_tests_are_its_own_unless_they_are_named(asked: Any, left_out: bool) -> None:
    own, other = item("attack"), item()
    assert selection.of_other_gates(asked, [own, other]) == ([own] if left_out else [])


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        (config("tests"), True),
        (config("tests/live"), True),
        (config("tests/live/test_x.py"), False),
        (config("tests", everything=True), False),
    ],
)
@pytest.mark.parametrize("marker", ["recorded", "long"])
def test_what_is_recorded_or_long_asks_no_odoo_unless_it_is_named(
    marker: str, asked: Any, left_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a server, it runs."""
    monkeypatch.setattr(selection, "SERVERS", SERVERS)
    own, played, other = item(marker, server=SERVERS[0]), item(marker), item()
    found = selection.of_fuller_runs(asked, [own, played, other])
    assert found == ([own] if left_out else [])
