"""How many operations of one user wait, and which of them are found."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from odoo_toolkit.change_history import History
from odoo_toolkit.change_history.approvals import MOST_WAITING, SHOWN, Approvals
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.errors import StateError
from odoo_toolkit_mcp.requests import history_for
from odoo_toolkit_mcp.settings import ServerSettings


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    found = History(tmp_path / "history.sqlite")
    yield found
    found.store.close()


def ask(approvals: Approvals, uid: int, number: int = 0) -> int:
    told = {"who": f"user {uid}", "client": "", "operation": "", "message": ""}
    return approvals.ask(f"{uid} {number}", uid=uid, **told).id


@pytest.mark.parametrize("approvers", [None, ["olga"]])
def test_one_user_may_have_so_many_waiting(history: History, approvers: list[str] | None) -> None:
    approvals = Approvals(history, "db", approvers)
    numbers = [ask(approvals, 1, number) for number in range(MOST_WAITING)]
    with pytest.raises(StateError, match="wait already") as told:
        ask(approvals, 1)
    assert ("approver" in (told.value.suggestion or "")) == (approvers is not None)
    ask(approvals, 2)
    approvals.decide(numbers[0], "refused", "olga")
    ask(approvals, 1)


def test_many_calls_at_once_do_not_pass_the_bound(history: History) -> None:
    approvals = Approvals(history, "db", None)

    def asked(number: int) -> bool:
        try:
            return bool(ask(approvals, 1, number))
        except StateError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(asked, range(3 * MOST_WAITING))) == MOST_WAITING


def test_ones_own_hide_none_of_others(history: History) -> None:
    approvals = Approvals(history, "db", ["olga"])
    first = ask(approvals, 1)
    for number in range(SHOWN):
        uid = 2 + number // MOST_WAITING
        ask(approvals, uid, number)
    with history.store.database.writing() as session:
        session.execute("UPDATE approval SET uid = 2 WHERE uid <> 1")
    assert [one.id for one in approvals.waiting(but=2)] == [first]
    assert [one.id for one in approvals.waiting(1)] == [first]
    assert len(approvals.waiting()) == SHOWN


def test_a_plugin_that_asks_before_it_reads_has_a_history(tmp_path: Path) -> None:
    place = str(tmp_path / "history.sqlite")
    connection = ConnectionSettings(url="http://odoo", database="db", history=place)
    assert history_for(connection, ServerSettings(mode="readonly")) is None
    for given in ({"plugins": ("x",)}, {"plugin_files": ("x.toml",)}):
        assert history_for(connection, ServerSettings(mode="readonly", **given))
