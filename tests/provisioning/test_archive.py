"""Archives of dumps: what another machine takes from one, and what it refuses."""

from __future__ import annotations

import dataclasses
import io
import json
import tarfile
from pathlib import Path

import pytest

from tests.provisioning import archive, database, layout
from tests.provisioning.__main__ import main
from tests.provisioning.archive import pack, unpack
from tests.provisioning.cache import ProvisioningError
from tests.provisioning.releases import RELEASES

ODOO_19, ODOO_16 = RELEASES["19"], RELEASES["16"]
DUMP = {"database.dump": b"dump", "keys.json": b"{}", "filestore/ab/abcd": b"file"}


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive that another machine wrote, with a release of Debian's and one from a tree."""
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path / "there"))
    for release, version in ((ODOO_19, ODOO_19.package_version), (ODOO_16, "16.0+abc")):
        _lay_out(release.version, version)
        for name, content in DUMP.items():
            path = database.dump_folder(release, version) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    pack([ODOO_19, ODOO_16], tmp_path / "dumps.tar.gz")
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path / "here"))
    return tmp_path / "dumps.tar.gz"


def _lay_out(release: str, version: str) -> None:
    root = layout.root_folder(RELEASES[release])
    root.mkdir(parents=True)
    layout.write_version(root, version)


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _unpacked(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "here/dumps").glob("odoo-*")]


def test_another_machine_has_the_dumps_that_were_packed(packed: Path, tmp_path: Path) -> None:
    """Before any Odoo is laid out there, and again without harm; the archive is private."""
    for _ in range(2):
        assert main(["unpack", str(packed)]) == 0
    for release, version in ((ODOO_19, ODOO_19.package_version), (ODOO_16, "16.0+abc")):
        assert _files(database.dump_folder(release, version)) == DUMP
    assert len(_unpacked(tmp_path)) == 2
    assert packed.stat().st_mode & 0o077 == 0


def test_a_release_without_a_dump_is_not_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error says how to make one, and no archive is written."""
    monkeypatch.setenv("ODOO_TOOLKIT_CACHE", str(tmp_path))
    assert main(["pack", "19", "--file", str(tmp_path / "file")]) == 1
    assert "start 19' first" in capsys.readouterr().err
    assert not (tmp_path / "file").exists()


def test_dumps_of_another_odoo_are_refused(packed: Path, tmp_path: Path) -> None:
    """None is taken, not even the one that would fit."""
    _lay_out("16", "16.0+other")
    with pytest.raises(ProvisioningError, match=r"its odoo-16 is 16\.0\+abc, here it is 16\.0"):
        unpack(packed)
    assert _unpacked(tmp_path) == []


def test_dumps_of_another_package_than_the_pinned_one_are_refused(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Odoo need not be laid out for that."""
    monkeypatch.setitem(RELEASES, "19", dataclasses.replace(ODOO_19, package_version="19.0.1"))
    with pytest.raises(ProvisioningError, match=r"here it is 19\.0\.1"):
        unpack(packed)


def test_dumps_with_other_modules_are_refused(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would lack what the tests of this checkout need."""
    monkeypatch.setattr(database, "MAKE_KEYS", "other")
    with pytest.raises(ProvisioningError, match="made with other modules or test addons"):
        unpack(packed)
    assert _unpacked(tmp_path) == []


def test_an_archive_that_was_cut_off_is_refused(packed: Path, tmp_path: Path) -> None:
    """As after a download that broke."""
    content = packed.read_bytes()
    for length in (0, 20, len(content) // 2, len(content) - 30):
        packed.write_bytes(content[:length])
        with pytest.raises(ProvisioningError, match="is damaged"):
            unpack(packed)
    assert _unpacked(tmp_path) == []


def test_an_archive_whose_files_were_changed_is_refused(packed: Path, tmp_path: Path) -> None:
    """Each file is compared with what was packed."""
    changed = tmp_path / "changed.tar.gz"
    with tarfile.open(packed) as source, tarfile.open(changed, "w:gz") as target:
        for member in source:
            content = archive._read(source, member)
            if member.name.endswith("database.dump"):
                content = b"DUMP"
            target.addfile(member, io.BytesIO(content))
    with pytest.raises(ProvisioningError, match="is not as it was"):
        unpack(changed)
    assert _unpacked(tmp_path) == []


@pytest.mark.parametrize("name", ["other.txt", "contents.json"])
def test_another_archive_is_refused(tmp_path: Path, name: str) -> None:
    """One that 'pack' did not write, or whose list of contents is something else."""
    with tarfile.open(tmp_path / "other.tar.gz", "w:gz") as other:
        text = json.dumps([{"release": "13"}]).encode()
        member = tarfile.TarInfo(name)
        member.size = len(text)
        other.addfile(member, io.BytesIO(text))
    with pytest.raises(ProvisioningError, match=r"pack"):
        unpack(tmp_path / "other.tar.gz")
    assert main(["unpack", str(tmp_path / "none")]) == 1
