"""Source trees: which are taken, what of them runs, and when one has to be named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.provisioning import layout, ports, postgres, sources
from tests.provisioning.__main__ import main, source_trees
from tests.provisioning.cache import ProvisioningError
from tests.provisioning.database import Installation, write_configuration
from tests.provisioning.releases import RELEASES

ODOO_16 = RELEASES["16"]
RELEASE_FILE = "version_info = (16, 0, 0, FINAL, 0, '')\n"
FREE, ENTERPRISE = "{'license': 'LGPL-3'}", "{'license': 'OEEL-1'}"

CHECKOUT = {
    "odoo-bin": "start",
    "README.md": "not copied",
    "odoo/release.py": RELEASE_FILE,
    "odoo/__pycache__/release.pyc": "not copied",
    "odoo/addons/base/__manifest__.py": FREE,
    "addons/account/__manifest__.py": FREE,
    "addons/account/models/move.py": "move",
    "addons/paid/__manifest__.py": ENTERPRISE,
    "addons/paid/models/paid.py": "paid",
    "addons/web/__manifest__.py": FREE,
    "addons/web/static/fonts/lato/Lato.woff": "font",
    ".git/HEAD": "ref",
}
ARCHIVE = {
    "setup/odoo": "start",
    "odoo/release.py": RELEASE_FILE,
    "odoo/addons/base/__manifest__.py": FREE,
    "odoo/addons/account/__manifest__.py": FREE,
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(folder))
    return folder


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _content(root: Path) -> dict[str, str]:
    """Return what runs: the start program, and the files of the package without its name."""
    package = layout.packages(root) / "odoo"
    files = {
        str(path.relative_to(package)): path.read_text(encoding="utf-8")
        for path in package.rglob("*")
        if path.is_file()
    }
    return {"": layout.program(root).read_text(encoding="utf-8"), **files}


def test_a_checkout_is_laid_out_as_debians_package_is(tmp_path: Path) -> None:
    """All addons are in the package; history, caches and what is around Odoo is not copied."""
    tree = _write(tmp_path / "tree", CHECKOUT)
    assert _content(sources.lay_out(ODOO_16, tree)) == {
        "": "start",
        "release.py": RELEASE_FILE,
        "addons/base/__manifest__.py": FREE,
        "addons/account/__manifest__.py": FREE,
        "addons/account/models/move.py": "move",
        "addons/web/__manifest__.py": FREE,
    }


def test_the_given_tree_stays_as_it_is(tmp_path: Path) -> None:
    """What is left out or taken away is so in the copy only."""
    tree = _write(tmp_path / "tree", CHECKOUT)
    sources.lay_out(ODOO_16, tree)
    assert {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()} == {
        *CHECKOUT
    }


def test_an_archive_with_all_addons_in_the_package_is_taken(tmp_path: Path) -> None:
    """There the start program is below "setup", and nothing is beside the package."""
    root = sources.lay_out(ODOO_16, _write(tmp_path / "tree", ARCHIVE))
    assert sorted(_content(root)) == [
        "",
        "addons/account/__manifest__.py",
        "addons/base/__manifest__.py",
        "release.py",
    ]


def test_a_tree_that_was_given_once_need_not_be_named_again(tmp_path: Path) -> None:
    """What was copied runs, even where the tree itself is gone."""
    tree = _write(tmp_path / "tree", CHECKOUT)
    root = sources.lay_out(ODOO_16, tree)
    tree.rename(tmp_path / "elsewhere")
    assert sources.lay_out(ODOO_16, None) == root


def test_without_a_tree_the_error_says_what_to_give() -> None:
    """The person learns why one is needed, where one comes from, and how it is named."""
    with pytest.raises(ProvisioningError) as raised:
        sources.lay_out(ODOO_16, None)
    assert "--branch 16.0" in str(raised.value)
    assert "start 16 --source odoo-16.0" in str(raised.value)


def test_the_same_tree_is_not_copied_again_and_a_changed_one_is(tmp_path: Path) -> None:
    """A tree is told by what it holds: another version of it gets a database of its own."""
    tree = _write(tmp_path / "tree", CHECKOUT)
    root = sources.lay_out(ODOO_16, tree)
    first = layout.version(root)
    same = _write(tmp_path / "same", CHECKOUT)
    assert not sources.has_other_code(ODOO_16, same)
    changed = _write(tmp_path / "changed", {**CHECKOUT, "addons/account/models/move.py": "new"})
    assert sources.has_other_code(ODOO_16, changed)
    sources.lay_out(ODOO_16, changed)
    assert _content(root)["addons/account/models/move.py"] == "new"
    assert layout.version(root) != first


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("(17, 0, 0, FINAL, 0, '')", r"is Odoo 17\.0, not 16\.0"),
        ("('saas~16', 3, 0, FINAL, 0, '')", r"is Odoo 'saas~16'\.3, not 16\.0"),
        ("unknown()", "of an unknown version"),
    ],
)
def test_a_tree_of_another_version_is_refused(tmp_path: Path, version: str, said: str) -> None:
    """Before anything is copied."""
    files = {**CHECKOUT, "odoo/release.py": f"version_info = {version}\n"}
    with pytest.raises(ProvisioningError, match=said):
        sources.lay_out(ODOO_16, _write(tmp_path / "tree", files))
    assert not layout.root_folder(ODOO_16).exists()


@pytest.mark.parametrize("missing", ["odoo-bin", "odoo/release.py"])
def test_a_folder_that_is_not_a_tree_is_refused(tmp_path: Path, missing: str) -> None:
    """A folder of addons, or one that is not there, is named in the error."""
    tree = _write(tmp_path / "tree", CHECKOUT)
    (tree / missing).unlink()
    with pytest.raises(ProvisioningError, match="is not a source tree of Odoo"):
        sources.lay_out(ODOO_16, tree)


def test_a_tree_is_named_for_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several with the version before them; one alone as it is, also beside Debian's releases."""
    monkeypatch.chdir(tmp_path)
    three = [RELEASES[version] for version in ("19", "16", "17")]
    assert source_trees(["16=a", "17=/b"], three) == {"16": tmp_path / "a", "17": Path("/b")}
    assert source_trees(["a"], three[:2]) == {"16": tmp_path / "a"}
    assert source_trees([], three) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["a"], "--source 16=PATH --source 17=PATH"),
        (["15=a"], "--source 16=PATH --source 17=PATH"),
        (["19=a"], "--source 16=PATH --source 17=PATH"),
        (["16=a", "16=b"], "--source 16=PATH --source 17=PATH"),
    ],
)
def test_a_tree_whose_version_is_not_clear_is_refused(given: list[str], said: str) -> None:
    """No version before it, one that is not started, one that Debian carries, one named twice."""
    with pytest.raises(ProvisioningError, match=said):
        source_trees(given, [RELEASES[version] for version in ("19", "16", "17")])


def test_copies_without_a_command_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """What to run on them comes after two dashes."""
    assert main(["copies", "16", "--"]) == 1
    assert "copies 16 17 -- COMMAND" in capsys.readouterr().err


def test_only_what_was_started_can_be_copied(capsys: pytest.CaptureFixture[str]) -> None:
    """The error says how to start it."""
    assert main(["copies", "16", "--", "true"]) == 1
    assert "python -m tests.provisioning start 16" in capsys.readouterr().err


@pytest.mark.parametrize(("version", "name"), [("15", "longpolling_port"), ("16", "gevent_port")])
def test_servers_with_workers_do_not_meet_on_a_port(
    cache: Path, monkeypatch: pytest.MonkeyPatch, version: str, name: str
) -> None:
    """Such a server has a second port, which must be none that is given to another server."""
    monkeypatch.setattr(postgres, "socket_folder", lambda: cache / "socket")
    installation = Installation(RELEASES[version], cache / "root", cache / "python", "1")
    for port in (ports.SERVERS[0], ports.SERVERS[-1]):
        write_configuration(installation, port, workers=2)
        lines = installation.configuration.read_text(encoding="utf-8").splitlines()
        options = dict(line.split(" = ") for line in lines[1:])
        assert options["http_port"] == str(port)
        assert int(options[name]) not in ports.SERVERS
