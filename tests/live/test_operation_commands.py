"""Business operations as commands, on a real Odoo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from odoo_toolkit import Connection, Odoo, create, read
from odoo_toolkit.change_history import History
from odoo_toolkit.cli import connecting
from odoo_toolkit.cli.commands import commands
from odoo_toolkit.cli.profiles import Chosen
from tests.kit.live_tapes import Open
from tests.live.products import stored

pytestmark = [pytest.mark.every_version, pytest.mark.recorded]

Run = Callable[..., Result]

#: Of a connection that the test opens in its place.
SETTINGS = {
    "ODOO_URL": "http://odoo.test",
    "ODOO_DB": "odoo",
    "ODOO_USERNAME": "admin",
    "ODOO_PASSWORD": "admin",
}


@pytest.fixture
def run(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line as the administrator, who may write."""

    def open_odoo(found: Chosen) -> Connection:
        history = History(tmp_path / "history.sqlite")
        odoo = opened("admin", policy=found.policy, history=history)
        for name in ("under_way", "written", "stopping"):
            setattr(odoo, name, getattr(connecting.WatchedOdoo, name))
        return odoo

    monkeypatch.setattr(connecting, "open_odoo", open_odoo)
    for name, text in SETTINGS.items():
        monkeypatch.setenv(name, text)
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Result:
        return CliRunner().invoke(
            commands, ["--mode", "full", *words], catch_exceptions=False, input=""
        )

    return run


@pytest.fixture
def made(admin: Odoo, suffix: str) -> dict[str, int]:
    """A customer and a product whose names have blanks, quotes and an @ in them."""
    product = {"name": f'19" @ "{suffix}" board', "list_price": 10.0, "default_code": suffix}
    return {
        "partner": create(admin, "res.partner", {"name": f"O'Brien & Söhne {suffix}"}).id,
        "product": create(admin, "product.product", {**product, **stored(admin)}).id,
    }


def test_an_order_is_made_confirmed_and_taken_back(
    run: Run, admin: Odoo, made: dict[str, int], suffix: str
) -> None:
    """Names are as people write them, whatever a shell thinks of their signs."""
    partner, line = f"O'Brien & Söhne {suffix}", f'2 x \'19" @ "{suffix}" board\' @ 7.5 -10%'
    words = ("sales", "create-order", "--partner", partner, "--line", line)
    planned = run(*words, "--line", f"[{suffix}]", "--dry-run", "--table")
    assert planned.exit_code == 0, planned.stderr
    assert f"partner         {partner}" in planned.stdout
    assert "amount_untaxed  23.50" in planned.stdout

    order = json.loads(run(*words, "--yes").stdout)
    assert (order["partner"]["id"], order["amount_untaxed"]) == (made["partner"], 13.5)
    confirmed = run("sales", "confirm-order", order["name"], "--yes", "--json")
    told = json.loads(confirmed.stdout)
    assert (told["state"], told["undo"]["possible"]) == ("sale", "full")
    entry = str(told["undo"]["entry"])
    assert f"odoo-toolkit undo {entry}" in confirmed.stderr
    assert run("sales", "confirm-order", order["name"], "--yes").exit_code == 9
    assert run("undo", entry, "--yes").exit_code == 0
    assert read(admin, "sale.order", [order["id"]], ["state"]).records[0]["state"] != "sale"


def test_a_file_of_lines_is_an_order_or_nothing(
    run: Run, made: dict[str, int], suffix: str, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(f"product_name,quantity,price_unit\n[{suffix}],3,5\n", "utf-8")
    bad.write_text(good.read_text("utf-8") + f"Without {suffix},1,\n", "utf-8")
    words = ("purchase", "create-order", "--partner", str(made["partner"]), "--yes", "--lines")
    wrong = run(*words, str(bad))
    assert wrong.exit_code == 6
    assert f"'Without {suffix}' (product_id of line 2)" in wrong.stderr
    assert run("history").stdout == ""
    (line,) = json.loads(run(*words, str(good)).stdout)["lines"]
    assert (line["quantity"], line["price_unit"]) == (3, 5)


def test_what_failed_of_several_is_the_exit_status(
    run: Run, made: dict[str, int], suffix: str
) -> None:
    words = ("sales", "create-order", "--partner", str(made["partner"]), "--line", f"[{suffix}]")
    orders = [json.loads(run(*words, "--yes").stdout)["name"] for _ in range(2)]
    assert run("sales", "cancel-order", orders[1], "--yes").exit_code == 0
    done = run("sales", "process-orders", *orders, "--steps", "confirm", "--yes", "--table")
    assert done.exit_code == 12, done.stderr
    assert orders[1] in done.stdout


#: A command for each operation that reads, besides those of single documents. ``partner`` and
#: ``product`` are what the test has made.
READS: tuple[tuple[str, ...], ...] = (
    ("accounting", "get-report", "trial_balance", "--limit", "3"),
    ("accounting", "get-statement", "partner"),
    ("calendar", "find-times", "partner", "--days", "3"),
    ("calendar", "get-agenda", "--days", "2"),
    ("contacts", "find-duplicates", "partner"),
    ("contacts", "identify-contact", "--contact", "partner"),
    ("hr", "find-people", "--limit", "2"),
    ("hr", "get-leave-balance"),
    ("hr", "list-leaves"),
    ("inventory", "find-late-transfers", "--limit", "2"),
    ("inventory", "get-reordering-rules", "--limit", "2"),
    ("inventory", "get-stock", "product"),
    ("products", "get-customer-price", "product", "--partner", "partner"),
    ("project", "get-hours"),
    ("purchase", "get-supply", "product"),
)


@pytest.mark.parametrize("words", READS, ids=lambda words: " ".join(words[:2]))
def test_what_reads_prints_what_it_found(
    run: Run, made: dict[str, int], words: tuple[str, ...]
) -> None:
    given = [str(made.get(word, word)) for word in words]
    as_json, as_table = run(*given, "--json"), run(*given, "--table")
    for result in (as_json, as_table):
        assert result.exit_code == 0, result.stderr
    assert json.loads(as_json.stdout)
    assert as_table.stdout.strip()
