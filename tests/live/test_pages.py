"""The examples of the documentation's pages run, and print what the pages say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.builder.outputs import PAGES, run
from odoo_toolkit import Policy, connect, search_read, write
from odoo_toolkit.change_history import lost_answers
from tests.attacks.servers import copied
from tests.live.own import can_be_copied
from tests.live.servers import Server, credentials

pytestmark = pytest.mark.examples

#: The version that the outputs of the pages are of.
SHOWN = "19"


@pytest.fixture(scope="module")
def demo(server: Server) -> Iterator[Server]:
    """A copy of the server with nothing but its demo data: the examples write."""
    if not can_be_copied(server):
        pytest.skip(f"{server.name} is not provisioned here, so it cannot be copied.")
    with copied(server) as copy:
        _allow_bank_lines(copy.server)
        yield copy.server


def _allow_bank_lines(server: Server) -> None:
    """Give the administrator the permission that Odoo wants for booking bank lines."""
    user = credentials(server, server.user("admin"))
    with connect(policy=Policy(protect=False), **user) as odoo:
        name = "group_account_basic" if odoo.version.major >= 18 else "group_account_user"
        group = search_read(
            odoo, "ir.model.data", [["module", "=", "account"], ["name", "=", name]], ["res_id"]
        )[0]["res_id"]
        field = "group_ids" if odoo.version.major >= 19 else "groups_id"
        write(odoo, "res.users", [odoo.uid], {field: [[4, group]]})


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_examples_print_what_the_page_shows(
    page: Path, demo: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines with digits depend on the day and the database, all others must be printed.

    Of other versions the demo data differ: there the examples must run, and print something.
    """
    monkeypatch.chdir(tmp_path)
    # The example of a lost answer ran on the server before, too: two creations alike within
    # minutes are not told apart.
    lost_answers._creations.clear()
    monkeypatch.delenv("ODOO_API_KEY", raising=False)
    monkeypatch.setenv("ODOO_URL", demo.url)
    monkeypatch.setenv("ODOO_DB", demo.db)
    monkeypatch.setenv("ODOO_USERNAME", demo.login)
    monkeypatch.setenv("ODOO_PASSWORD", demo.password)

    missing, shown_anything = [], False
    for example, printed in run(page.read_text("utf-8"), str(page)):
        shown = (example["output"] or "").split("```text\n")[-1].rpartition("```")[0]
        shown_anything |= bool(shown)
        assert bool(shown.strip()) == bool(printed.strip()), printed
        if demo.version == SHOWN:
            words = [line for line in shown.splitlines() if not any(map(str.isdigit, line))]
            missing += [line for line in words if line.rstrip() not in printed]
    assert shown_anything
    assert missing == []
