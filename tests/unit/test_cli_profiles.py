"""Profiles of the command ``odoo-toolkit``: the file, the keys, and what they may widen."""

from __future__ import annotations

import json
import os
import stat
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit.cli import connecting
from odoo_toolkit.cli.profiles import Chosen, choose
from odoo_toolkit.errors import ConfigurationError
from odoo_toolkit.testing import FakeServer
from tests.unit.fake_shell import Run, run, server

__all__ = ["run", "server"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Rights of files are those of POSIX.")

KEY = "key-that-nobody-sees"

#: Where a test may write nowhere.
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "odoo-toolkit" / "profiles.ini"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch, run: Run, server: FakeServer) -> list[Chosen]:
    """What each command line chose."""
    found: list[Chosen] = []
    opened = connecting.open_odoo

    def open_odoo(chosen: Chosen) -> Any:
        found.append(chosen)
        return opened(chosen)

    monkeypatch.setattr(connecting, "open_odoo", open_odoo)
    for name in ("ODOO_URL", "ODOO_DB", "ODOO_USERNAME", "ODOO_PASSWORD"):
        monkeypatch.delenv(name)
    return found


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A keyring in memory; it holds what is asked of it by service and name."""
    kept: dict[str, str] = {}
    module = types.ModuleType("keyring")
    errors = types.SimpleNamespace(KeyringError=type("KeyringError", (Exception,), {}))
    functions = {
        "get_password": lambda service, name: kept.get(f"{service} {name}"),
        "set_password": lambda service, name, text: kept.update({f"{service} {name}": text}),
        "delete_password": lambda service, name: kept.pop(f"{service} {name}"),
        "errors": errors,
    }
    for name, function in functions.items():
        setattr(module, name, function)
    monkeypatch.setitem(sys.modules, "keyring", module)
    return kept


ADD = ("profiles", "add", "shop", "--url", "https://shop.test", "--username", "ann")


def write(file: Path, text: str, mode: int = 0o600) -> None:
    file.write_text(text)
    file.chmod(mode)


def test_a_profile_is_added_shown_used_and_removed(
    run: Run, file: Path, chosen: list[Chosen]
) -> None:
    added = run(*ADD, "--mode", "full", "--set", "lang=fr_FR", "--key", "file", input=f"{KEY}\n")
    assert (added.exit_code, added.stdout) == (0, "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(run("profiles", "list").stdout) == {
        "profile": "shop",
        "url": "https://shop.test",
        "database": None,
        "username": "ann",
        "mode": "full",
    }
    shown = run("profiles", "show", "shop").stdout
    assert json.loads(shown)["api_key"] == "***"
    assert KEY not in added.output + shown
    assert run("write", "res.partner", "7", "name=x", "--profile", "shop").exit_code == 0
    assert chosen[-1].settings.lang == "fr_FR"
    assert chosen[-1].settings.api_key is not None
    assert chosen[-1].settings.api_key.reveal() == KEY
    assert run("profiles", "remove", "shop").exit_code == 0
    assert file.read_text() == ""
    assert run("count", "res.partner", "--profile", "shop").exit_code == 3


def test_a_profile_that_is_not_there_is_said_with_those_that_are(run: Run, file: Path) -> None:
    assert "No profile exists yet." in run("count", "x", "--profile", "prod").stderr
    write(file, "[test]\nurl = https://a.test\n[shop]\nurl = https://b.test\n")
    for asked in (
        ("count", "res.partner", "--profile", "prod"),
        ("--profile", "prod", "count", "res.partner"),
        ("profiles", "show", "prod"),
        ("profiles", "remove", "prod"),
    ):
        result = run(*asked)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "There is no profile 'prod'" in result.stderr
        assert "Profiles: shop, test." in result.stderr


def test_the_environment_may_name_the_profile(
    run: Run, file: Path, chosen: list[Chosen], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, "[a]\nurl = https://a.test\napi_key = k\n[b]\nurl = https://b.test\napi_key = k\n")
    monkeypatch.setenv("ODOO_PROFILE", "a")
    run("count", "res.partner")
    run("count", "res.partner", "--profile", "b")
    assert [found.settings.url for found in chosen] == ["https://a.test", "https://b.test"]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_keys_that_others_can_read_are_not_used(
    run: Run, file: Path, chosen: list[Chosen], mode: int
) -> None:
    write(file, f"[shop]\nurl = https://shop.test\napi_key = {KEY}\n", mode)
    result = run("count", "res.partner", "--profile", "shop")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"chmod 600 {file}" in result.stderr
    assert KEY not in result.stderr
    assert chosen == []


def test_without_keys_others_may_read_the_file(
    run: Run, file: Path, chosen: list[Chosen], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, "[shop]\nurl = https://shop.test\n", 0o644)
    monkeypatch.setenv("ODOO_API_KEY", KEY)
    assert run("count", "res.partner", "--profile", "shop").exit_code == 0
    assert chosen[0].key_from == "environment"


def test_a_key_of_the_environment_goes_to_no_other_address(
    run: Run, file: Path, chosen: list[Chosen], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, "[shop]\nurl = https://shop.test\n")
    monkeypatch.setenv("ODOO_API_KEY", KEY)
    monkeypatch.setenv("ODOO_URL", "https://other.test")
    result = run("count", "res.partner", "--profile", "shop")
    assert result.exit_code == 3
    assert "another server (ODOO_URL https://other.test)" in result.stderr
    assert chosen == []
    monkeypatch.setenv("ODOO_URL", "https://shop.test/")
    assert run("count", "res.partner", "--profile", "shop").exit_code == 0


def test_of_the_environment_a_profile_takes_nothing_but_its_key(
    run: Run, file: Path, chosen: list[Chosen], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, "[shop]\nurl = https://shop.test\napi_key = k\n")
    for name, value in {"DB": "other", "LANG": "fr_FR", "USERNAME": "bob", "API_KEY": KEY}.items():
        monkeypatch.setenv(f"ODOO_{name}", value)
    run("count", "res.partner", "--profile", "shop")
    settings = chosen[0].settings
    assert (settings.database, settings.lang, settings.username) == (None, "en_US", None)
    assert settings.api_key.reveal() == "k"


def test_a_key_in_the_keyring(
    run: Run, file: Path, chosen: list[Chosen], ring: dict[str, str]
) -> None:
    assert run(*ADD, "--key", "keyring", input=f"{KEY}\n").exit_code == 0
    assert KEY not in file.read_text()
    assert ring == {"odoo-toolkit shop:api_key": KEY}
    assert run("count", "res.partner", "--profile", "shop").exit_code == 0
    assert chosen[0].settings.api_key is not None
    assert chosen[0].settings.api_key.reveal() == KEY
    assert json.loads(run("profiles", "show", "shop").stdout)["key"] == "keyring"
    ring.clear()
    result = run("count", "res.partner", "--profile", "shop")
    assert result.exit_code == 3
    assert "The keyring has no key" in result.stderr
    assert run("profiles", "remove", "shop").exit_code == 0


def test_a_keyring_that_is_not_there_is_said(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    write(file, "[shop]\nurl = https://shop.test\nkey = keyring\n")
    result = run("count", "res.partner", "--profile", "shop")
    assert result.exit_code == 3
    assert "pip install keyring" in result.stderr
    before = file.read_text()
    assert run(*ADD, "--replace", "--key", "keyring", input="k\n").exit_code == 3
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("said", "asked", "used"),
    [
        ("", None, "readonly"),
        ("", "full", "full"),
        ("mode = restricted\n", None, "restricted"),
        ("mode = full\n", "readonly", "readonly"),
        ("mode = readonly\n", "restricted", None),
        ("mode = restricted\n", "full", None),
        ("mode = al\n", None, None),
    ],
)
def test_an_option_widens_nothing_that_a_profile_says(
    run: Run, file: Path, said: str, asked: str | None, used: str | None
) -> None:
    write(file, f"[shop]\nurl = https://shop.test\napi_key = k\n{said}")
    if used is None:
        with pytest.raises(ConfigurationError):
            choose("shop", asked)
    else:
        assert choose("shop", asked).policy.mode == used


def test_the_lists_of_a_profile_bind(run: Run, file: Path, server: FakeServer) -> None:
    write(
        file,
        "[shop]\nurl = https://shop.test\napi_key = k\nmode = restricted\n"
        "write_allowlist = res.partner\nmodel_blocklist = res.country\nfield_blocklist = ref\n",
    )
    profile = ("--profile", "shop")
    assert run("write", "res.partner", "7", "name=x", *profile).exit_code == 0
    assert run("create", "res.partner.category", "name=x", *profile).exit_code == 5
    assert run("search", "res.country", *profile).exit_code == 5
    assert run("search", "res.partner", "ref=007", *profile).exit_code != 0
    assert run("search", "res.partner", "-f", "ref", *profile).exit_code == 5
    assert run("export", "res.partner", "-f", "name,ref", *profile).exit_code == 5
    imported = ("import", "res.partner.category", "-", "--key", "name", *profile)
    assert run(*imported, input="name\nx\n").exit_code == 5
    assert len(server.records["res.partner.category"]) == 1
    assert run("search", "res.partner", "country_id.code=BE", *profile).exit_code == 5


def test_everything_that_is_wrong_in_a_profile_is_said(run: Run, file: Path) -> None:
    write(file, "[shop]\nurl = shop\nlangg = fr_FR\ntimeout = soon\nmode = al\nkey = here\n")
    result = run("count", "res.partner", "--profile", "shop")
    assert result.exit_code == 3
    for said in ("url must be", "Did you mean lang?", "timeout must be", "'al'", "key must be"):
        assert said in result.stderr
    assert "(ODOO_URL)" not in result.stderr


@pytest.mark.parametrize(
    "text", ["url = x\n", "[a]\nsecret-line\n", "[a]\n[a]\n", "[a]\nurl = x\nurl = y\n", "\xff"]
)
def test_a_file_that_holds_no_profiles_is_said_and_its_lines_are_not(
    run: Run, file: Path, text: str
) -> None:
    file.write_bytes(text.encode("latin-1"))
    result = run("profiles", "list")
    assert (result.exit_code, result.stdout) == (3, "")
    assert str(file) in result.stderr
    assert "secret" not in result.stderr
    assert run(*ADD).exit_code == 3
    assert file.read_bytes() == text.encode("latin-1")


def test_adding_and_removing_keep_what_else_is_in_the_file(run: Run, file: Path) -> None:
    before = "# my servers\n[a]\nurl = https://a.test\n\n# the second\n[b]\nurl = https://b.test\n"
    write(file, before)
    assert run(*ADD).exit_code == 0
    assert file.read_text().startswith(before)
    assert run("profiles", "remove", "shop").exit_code == 0
    assert file.read_text() == before
    assert run("profiles", "remove", "a").exit_code == 0
    assert file.read_text() == "# my servers\n# the second\n[b]\nurl = https://b.test\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("profiles", "add", "a b", "--url", "https://a.test"),
        ("profiles", "add", "x]", "--url", "https://a.test"),
        ("profiles", "add", "x", "--url", "a.test"),
        ("profiles", "add", "x", "--url", "https://a.test", "--set", "langg=x"),
        ("profiles", "add", "x", "--url", "https://a.test", "--set", "api_key=x"),
        ("profiles", "add", "x", "--url", "https://a.test", "--set", "lang=x\n[y]"),
        ("profiles", "add", "x", "--url", "https://a.test", "--key", "file"),
        ADD,
    ],
)
def test_what_cannot_be_added_leaves_the_file_as_it_was(
    run: Run, file: Path, arguments: tuple[str, ...]
) -> None:
    write(file, "[shop]\nurl = https://shop.test\n")
    assert run(*arguments).exit_code in (2, 3)
    assert file.read_text() == "[shop]\nurl = https://shop.test\n"
    assert [path.name for path in file.parent.iterdir()] == ["profiles.ini"]


def test_a_folder_that_cannot_be_written_to_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "busy").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "busy"))
    result = run(*ADD)
    assert result.exit_code in (3, 14)
    assert str(tmp_path / "busy") in result.stderr


@pytest.mark.skipif(AS_ROOT, reason="Everything may be written by root.")
def test_a_file_that_may_not_be_written_is_said(run: Run, file: Path) -> None:
    write(file, "[a]\nurl = https://a.test\n")
    file.parent.chmod(0o500)
    result = run(*ADD)
    file.parent.chmod(0o700)
    assert result.exit_code == 14
    assert "Permission denied" in result.stderr
    assert file.read_text() == "[a]\nurl = https://a.test\n"


def test_names_of_profiles_models_fields_and_documents_are_completed(
    run: Run,
    server: FakeServer,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(file, "[shop]\nurl = https://shop.test\napi_key = k\n[test]\nurl = https://a.test\n")

    def completed(*words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", " ".join(["odoo-toolkit", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        monkeypatch.setenv("_ODOO_TOOLKIT_COMPLETE", "bash_complete")
        from odoo_toolkit.cli.commands import commands

        with pytest.raises(SystemExit) as left:
            commands.main([])
        assert left.value.code == 0
        return [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()]

    assert completed("search", "--profile", "s") == ["shop"]
    assert completed("profiles", "remove", "t") == ["test"]
    assert completed("prof") == ["profiles"]
    found = completed("search", "--profile", "shop", "res.partner")
    assert found == ["res.partner", "res.partner.category"]
    found = completed("--profile", "shop", "search", "res.partner", "-f", "name,co")
    assert found == ["name,color", "name,country_id"]
    assert completed("sal") == ["sales"]
    assert completed("sales", "confirm") == ["confirm-order"]
    server.records["sale.order"] += [{"id": n, "name": f"S000{n}"} for n in (41, 42, 51)]
    shop = ("--profile", "shop")
    assert completed(*shop, "sales", "confirm-order", "S0004") == ["S00042", "S00041"]
    assert completed("sales", "confirm-order", *shop, "--order", "S0005") == ["S00051"]
