"""Templates of databases, on a cluster of the test's own: copied, made again, never half made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.provisioning import copies, database, layout, postgres, pythons
from tests.provisioning.cache import FullDiscError, ProvisioningError, write_json
from tests.provisioning.database import TEMPLATE, Installation
from tests.provisioning.releases import RELEASES

ROOT = Path(__file__).parents[2]
RELEASE = RELEASES["19"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder with a cluster that runs."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("ODOO_TOOLKIT_CACHE", str(folder))
        if postgres._find_programs() is None:
            pytest.skip("no PostgreSQL is installed")
        layout.root_folder(RELEASE).mkdir(parents=True)
        layout.write_version(layout.root_folder(RELEASE), "19.0-test")
        postgres.start()
        yield folder
        postgres.stop()
        shutil.rmtree(postgres.cluster_folder())


@pytest.fixture
def kept(cluster: Path) -> Iterator[Path]:
    """A dump of a small database, of which there is no template yet."""
    kept = database.kept_dump(_copy("1"))
    (kept / "filestore/ab").mkdir(parents=True)
    (kept / "filestore/ab/abcd").write_text("file", encoding="utf-8")
    write_json(kept / "keys.json", {"admin": "a", "demo": "b"})
    postgres._as_role("createdb", "first")
    postgres.execute("first", "CREATE TABLE told AS SELECT 42 AS answer")
    postgres.dump("first", kept / "database.dump")
    postgres.drop("first")
    yield kept
    for name in postgres.databases("odoo19"), postgres.databases(TEMPLATE):
        for one in name:
            postgres.drop(one)
    shutil.rmtree(kept.parent)
    shutil.rmtree(cluster / RELEASE.name / "copies", ignore_errors=True)


def _copy(name: str) -> Installation:
    return Installation(RELEASE, layout.root_folder(RELEASE), Path("python"), name)


def _answer(installation: Installation) -> str:
    return postgres.execute(installation.database, "SELECT answer FROM told")


def test_a_copy_has_what_the_dump_has(kept: Path) -> None:
    """Its files are the dump's, without a second copy on the disc."""
    keys = database.restore_copy(_copy("1"))
    assert keys == {"admin": "a", "demo": "b"}
    assert _answer(_copy("1")) == "42"
    file = _copy("1").filestore / "ab/abcd"
    assert file.samefile(kept / "filestore/ab/abcd")


def test_files_are_copied_where_links_cannot_be(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On another file system, or on one that has no hard links."""

    def refuse(*_: str) -> None:
        raise OSError

    monkeypatch.setattr("os.link", refuse)
    database.restore_copy(_copy("1"))
    file = _copy("1").filestore / "ab/abcd"
    assert file.read_text() == "file"
    assert not file.samefile(kept / "filestore/ab/abcd")


def test_the_dump_is_restored_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next copy is one of the template, to which nobody can connect."""
    database.restore_copy(_copy("1"))
    monkeypatch.setattr(postgres, "restore", None)
    database.restore_copy(_copy("2"))
    assert _answer(_copy("2")) == "42"
    with pytest.raises(ProvisioningError, match="not currently accepting connections"):
        postgres.execute(TEMPLATE + kept.name, "SELECT 1")


def test_processes_make_the_template_once(kept: Path) -> None:
    """Those that come at the same time wait for it, and copy at the same time."""
    code = (
        "from tests.provisioning import database, postgres\n"
        "from tests.provisioning.test_templates import _answer, _copy\n"
        "import os; copy = _copy(str(os.getpid())); restore = postgres.restore\n"
        "def counted(*words): print('restored'); restore(*words)\n"
        "postgres.restore = counted; database.restore_copy(copy); print(_answer(copy))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(3)
    ]
    said = " ".join(process.communicate()[0] for process in processes).split()
    assert sorted(said) == ["42", "42", "42", "restored"]


def test_a_template_that_was_half_made_is_made_again(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes one for whole whose process was killed."""

    def killed(name: str, _: Path) -> None:
        postgres._as_role("createdb", name)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(postgres, "restore", killed)
        with pytest.raises(KeyboardInterrupt):
            database.restore_copy(_copy("1"))
    assert postgres.databases(TEMPLATE) == [f"{TEMPLATE}{kept.name}.partial"]
    database.restore_copy(_copy("1"))
    assert _answer(_copy("1")) == "42"
    assert postgres.databases(TEMPLATE) == [f"{TEMPLATE}{kept.name}"]


def test_a_template_that_is_damaged_is_made_again(kept: Path) -> None:
    """Its files may be gone after the machine has crashed, as they are not forced to the disc."""
    database.restore_copy(_copy("1"))
    sql = f"SELECT oid FROM pg_database WHERE datname = '{TEMPLATE}{kept.name}'"
    number = postgres.execute("postgres", sql)
    shutil.rmtree(postgres.cluster_folder() / "data/base" / number)
    database.restore_copy(_copy("2"))
    assert _answer(_copy("2")) == "42"


def test_a_template_goes_with_its_dump(kept: Path) -> None:
    """Otherwise the cluster grows with each change of the test addons."""
    database.restore_copy(_copy("1"))
    other = kept.with_name("odoo-19-other")
    shutil.copytree(kept, other)
    shutil.rmtree(kept)
    database._copy_template(other, "odoo19-other")
    assert postgres.databases(TEMPLATE) == [f"{TEMPLATE}{other.name}"]
    kept.mkdir()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes have no /proc here")
def test_a_cluster_whose_process_ended_unheard_is_started_again(cluster: Path) -> None:
    """As on a machine that was copied while it ran: another process has its number now."""
    data = postgres.cluster_folder() / "data"
    left = data / "postmaster.pid"
    said = left.read_text(encoding="utf-8").split("\n", 1)[1]
    postgres.stop()
    left.write_text(f"{os.getpid()}\n{said}", encoding="utf-8")
    assert not postgres.is_running()
    postgres.start()
    assert postgres.is_running()
    assert postgres.execute("postgres", "SELECT 1") == "1"


def test_what_a_killed_run_left_is_removed_once_the_cluster_runs(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it stays: a run whose machine was cut off keeps no later one from starting."""
    monkeypatch.setattr(pythons, "environment_of", lambda _: Path("python"))
    copy = Installation(RELEASE, layout.root_folder(RELEASE), Path("python"), "999999999")
    database.restore_copy(copy)
    postgres.stop()
    try:
        copies.remove_left_behind()
        assert copy.folder.exists()
    finally:
        postgres.start()
    copies.remove_left_behind()
    assert not copy.folder.exists()
    assert not postgres.database_exists(copy.database)


def test_a_full_disc_is_not_taken_for_damage(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is made again for which there is no room, nor told to be deleted."""
    database.restore_copy(_copy("1"))

    def fill(*_: object) -> None:
        raise FullDiscError("A disc is full.")

    monkeypatch.setattr(postgres, "copy", fill)
    monkeypatch.setattr(postgres, "restore", fill)
    with pytest.raises(FullDiscError, match=r"^A disc is full\.$"):
        database.restore_copy(_copy("2"))
    assert postgres.database_exists(TEMPLATE + kept.name)
    postgres.drop(TEMPLATE + kept.name)
    with pytest.raises(FullDiscError, match=r"^A disc is full\.$"):
        database.restore_copy(_copy("2"))


def test_a_damaged_dump_is_named(kept: Path) -> None:
    """Whoever reads the error knows what to delete, and no template is left of it."""
    (kept / "database.dump").write_bytes(b"PGDMP")
    with pytest.raises(ProvisioningError, match=f"{kept} is damaged: delete it"):
        database.restore_copy(_copy("1"))
    assert f"{TEMPLATE}{kept.name}" not in postgres.databases(TEMPLATE)
