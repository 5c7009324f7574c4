"""The command ``odoo-toolkit`` on a real Odoo, as a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import Odoo, count, create, search_read, unlink
from tests.kit.command import COMMAND, environment
from tests.live.servers import Server, User, ordinary_user

Run = Callable[..., subprocess.CompletedProcess[str]]

FULL = ("--mode", "full")

#: Seconds after which a test gives up waiting for what should have happened.
PATIENCE = 60


@pytest.fixture
def run(server: Server, tmp_path: Path) -> Run:
    """Run a command line as the administrator, or with other settings."""

    def run(
        *arguments: str,
        input: str = "",  # noqa: A002
        user: User | None = None,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            env=environment(server, user or server.user("admin"), **more),
            cwd=tmp_path,
            input=input,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 2,
            check=False,
        )

    return run


@pytest.fixture
def made(admin: Odoo, suffix: str) -> Iterator[str]:
    """A word for names of contacts, all of which go in the end."""
    yield suffix
    if rows := found(admin, suffix):
        unlink(admin, "res.partner", [row["id"] for row in rows])


def found(admin: Odoo, suffix: str) -> list[dict[str, Any]]:
    domain = [["name", "ilike", suffix]]
    context = {"active_test": False}
    fields = ["name", "ref", "phone", "country_id"]
    return search_read(
        admin, "res.partner", domain, fields, limit=None, order="id", context=context
    ).records


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_what_is_read_is_what_the_library_reads(run: Run, admin: Odoo) -> None:
    fields = ["name", "code", "currency_id"]
    there = search_read(admin, "res.country", [["code", "in", ["BE", "PT"]]], fields, order="code")
    asked = ("search", "res.country", '[["code", "in", ["BE", "PT"]]]', "--order", "code")
    done = run(*asked, "-f", "name,code", "-f", "currency_id")
    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done.stdout) == there.records
    belgium = there.records[0]
    currency = belgium["currency_id"]
    done = run("search", "res.country", "code=BE", f"currency_id={currency['id']}", "--csv")
    assert done.stdout.splitlines()[1].startswith(str(belgium["id"]))
    every = count(admin, "res.country").count
    assert run("count", "res.country").stdout == f"{every}\n"
    assert len(run("search", "res.country", "--all", "-f", "code").stdout.splitlines()) == every
    groups = run("aggregate", "res.country", "code=BE", "--by", "currency_id", "--csv").stdout
    assert groups == (
        f"currency_id,currency_id.name,count\n{currency['id']},{currency['name']},1\n"
    )
    told = lines(run("fields", "res.country", "currency_id").stdout)
    assert told[0]["relation"] == "res.currency"
    assert "res.country" in [row["model"] for row in lines(run("models", "country").stdout)]


def test_nothing_is_written_unless_the_mode_says_so(run: Run, admin: Odoo, made: str) -> None:
    partner = create(admin, "res.partner", {"name": f"Quiet {made}", "phone": "1"}).id
    before = found(admin, made)
    for arguments in (
        ("create", "res.partner", f"name=New {made}"),
        ("write", "res.partner", str(partner), "phone=2"),
        ("call", "res.partner", "unlink", "--ids", str(partner)),
        ("call", "res.partner", "copy", "--ids", str(partner)),
        ("import", "res.partner", "-", "--key", "name"),
        ("create", "res.partner", f"name=New {made}", "--mode", "restricted"),
    ):
        done = run(*arguments, input=f"name,phone\nQuiet {made},2\n")
        assert (done.returncode, done.stdout) == (5, ""), arguments
    for arguments in (
        ("create", "res.partner", f"name=New {made}"),
        ("write", "res.partner", str(partner), "phone=2"),
        ("import", "res.partner", "-", "--key", "name"),
    ):
        done = run(*arguments, "--dry-run", *FULL, input=f"name,phone\nQuiet {made},2\n")
        assert done.returncode == 0, done.stderr
    assert found(admin, made) == before


def test_records_are_created_and_changed(run: Run, admin: Odoo, made: str) -> None:
    country = search_read(admin, "res.country", [["code", "=", "BE"]], ["id"]).records[0]["id"]
    done = run(
        "create", "res.partner", f"name=Ann {made}", "ref=007", f"country_id={country}", *FULL
    )
    partner = int(done.stdout)
    (row,) = found(admin, made)
    assert (row["id"], row["ref"], row["country_id"]["id"]) == (partner, "007", country)
    done = run("write", "res.partner", str(partner), "ref=", "phone=+32 1", *FULL)
    assert done.stdout == f"{partner}\n"
    (row,) = found(admin, made)
    assert (row["ref"] or None, row["phone"]) == (None, "+32 1")


def test_what_is_exported_is_imported_again_and_changes_nothing(
    run: Run, admin: Odoo, made: str
) -> None:
    values = [{"name": f"P{n} {made}", "ref": f"{made}{n}", "phone": "1"} for n in range(5)]
    create(admin, "res.partner", values)
    exported = run("export", "res.partner", f"name~{made}", "-f", "name,ref,country_id", "--csv")
    assert len(exported.stdout.splitlines()) == 6
    again = ("import", "res.partner", "-", "--key", "id", *FULL)
    assert json.loads(run(*again, input=exported.stdout).stdout)["unchanged"] == 5
    changed = exported.stdout.replace(f"P3 {made}", f"Changed {made}")
    told = json.loads(run(*again, input=changed).stdout)
    assert (told["updated"], told["unchanged"]) == (1, 4)
    assert [row["name"] for row in found(admin, made)].count(f"Changed {made}") == 1


def test_ctrl_c_in_the_middle_of_an_import_tells_what_is_done(
    server: Server, admin: Odoo, made: str, tmp_path: Path
) -> None:
    rows = 400
    table = "name,ref\n" + "".join(f"P{n} {made},{made}{n}\n" for n in range(rows))
    (tmp_path / "rows.csv").write_text(table)
    arguments = ["import", "res.partner", "rows.csv", "--key", "ref", "--batch", "2", *FULL]
    started = subprocess.Popen(
        [*COMMAND, *arguments],
        env=environment(server, server.user("admin")),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + PATIENCE
    while not count(admin, "res.partner", [["ref", "=like", f"{made}%"]]).count:
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < end
    started.send_signal(signal.SIGINT)
    printed, said = started.communicate(timeout=PATIENCE)
    assert started.returncode == 130
    told = json.loads(printed)
    there = found(admin, made)
    assert 0 < told["created"] == len(there) < rows
    assert told["created"] + len(told["remaining"]) == rows
    assert [i for i in told["ids"] if i] == [row["id"] for row in there]
    assert f"{len(told['remaining'])} rows remaining, 0 unconfirmed." in said


def test_the_pdf_of_a_report(run: Run, admin: Odoo, tmp_path: Path) -> None:
    reports = [row["report_name"] for row in lines(run("report", "--list", "sale.order").stdout)]
    assert "sale.report_saleorder" in reports
    order = search_read(admin, "sale.order", [], ["id"], limit=1, order="id").records[0]["id"]
    done = run("report", "sale.report_saleorder", str(order), "-o", "order.pdf")
    assert (done.returncode, done.stdout) == (0, "order.pdf\n"), done.stderr
    assert (tmp_path / "order.pdf").read_bytes().startswith(b"%PDF-")
    assert run("report", "sale.report_saleorder", "999999999", "-o", "no.pdf").returncode == 6
    assert not (tmp_path / "no.pdf").exists()


def test_a_profile_with_a_key_of_its_own(run: Run, server: Server, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path), "ODOO_PASSWORD": "wrong"}
    user = server.user("admin")
    added = run(
        *("profiles", "add", "shop", "--url", server.url, "--database", server.db),
        *("--username", user.login, "--key", "file", "--password"),
        input=f"{user.password}\n",
        **home,
    )
    assert (added.returncode, added.stdout) == (0, "")
    assert run("count", "res.country", **home).returncode == 5
    assert run("count", "res.country", "--profile", "shop", **home).returncode == 0
    assert run("count", "res.country", **home, ODOO_PROFILE="shop").returncode == 0
    (tmp_path / "odoo-toolkit" / "profiles.ini").chmod(0o644)
    refused = run("count", "res.country", "--profile", "shop", **home)
    assert refused.returncode == 3
    assert user.password not in refused.stdout


@pytest.mark.parametrize(
    ("arguments", "settings", "status"),
    [
        (("count", "no.such.model"), {}, 6),
        (("search", "res.country", "nam=x"), {}, 7),
        (("search", "res.country", "-f", "nam"), {}, 7),
        (("count", "res.country", "id=x"), {}, 7),
        (("write", "res.partner", "999999999", "name=x", *FULL), {}, 6),
        (("create", "res.country", "code=ZZ", *FULL), {}, 7),
        (("create", "res.country", "name=Belgium 2", "code=BE", *FULL), {}, 8),
        (("create", "ir.config_parameter", "key=x", "value=y", *FULL), {}, 5),
        (("call", "res.country", "no_such_method", *FULL), {}, 6),
        (("count", "res.country"), {"ODOO_PASSWORD": "wrong"}, 5),
        (("count", "res.country"), {"ODOO_DB": "no_such_database"}, None),
        (("count", "res.country"), {"ODOO_URL": "http://127.0.0.1:1"}, 4),
        (("count", "res.country"), {"ODOO_URL": ""}, 3),
    ],
)
def test_what_is_wrong_has_its_exit_status_and_prints_no_data(
    run: Run, arguments: tuple[str, ...], settings: dict[str, str], status: int | None
) -> None:
    done = run(*arguments, **settings)
    # That a database is not there, the versions say differently.
    assert done.returncode in ((status,) if status else (3, 4, 5, 6))
    assert done.stdout == ""
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_ordinary_user_may_do_no_more_than_in_odoo(
    run: Run, server: Server, admin: Odoo, made: str
) -> None:
    user = ordinary_user(server)
    before = found(admin, made)
    done = run("create", "res.partner", f"name=X {made}", *FULL, user=user)
    assert (done.returncode, done.stdout) == (5, "")
    assert run("search", "ir.model.access", *FULL, user=user).returncode == 5
    assert run("count", "res.country", user=user).returncode == 0
    assert found(admin, made) == before
