"""Copies of real servers: what they share with the dump stays as it is, and nothing is left."""

from __future__ import annotations

import hashlib
import xmlrpc.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.own import can_be_copied
from tests.live.servers import find_servers
from tests.provisioning import copies, database, layout, postgres
from tests.provisioning.cache import cache_folder
from tests.provisioning.database import Installation
from tests.provisioning.odoo_server import Server
from tests.provisioning.releases import RELEASES, Release

COPIED = [one.version for one in find_servers() if can_be_copied(one)]
pytestmark = [
    pytest.mark.skipif(not COPIED, reason="no provisioned server runs"),
    pytest.mark.needs_odoo,
]


@pytest.fixture(scope="module", params=[version for version in ("19", "14") if version in COPIED])
def release(request: pytest.FixtureRequest) -> Release:
    """The oldest and the newest Odoo."""
    return RELEASES[request.param]


@pytest.fixture(scope="module")
def copy(release: Release) -> Iterator[Server]:
    """A copy that the tests may do anything with."""
    with copies.copied(release) as entry:
        yield entry


def _call(server: Server, model: str, method: str, *arguments: Any) -> Any:
    proxy = xmlrpc.client.ServerProxy(f"{server['url']}/xmlrpc/2/object", allow_none=True)
    return proxy.execute_kw(server["db"], 2, server["password"], model, method, list(arguments))


def _kept(release: Release) -> Path:
    root = layout.root_folder(release)
    return database.kept_dump(Installation(release, root, Path())) / "filestore"


def _files(folder: Path) -> dict[str, str]:
    """Return the digest of each file of a file store, by its name."""
    return {
        path.name: hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.parent.name != "checklist"
    }


def test_the_files_of_a_dump_outlive_what_its_copies_do(release: Release, copy: Server) -> None:
    """A copy's files are links: Odoo removes its own, writes new ones, changes none in place."""
    kept = _kept(release)
    before = _files(kept)
    assert before == {name: name for name in before}
    [folder] = (cache_folder() / release.name / "copies").glob(f"*/data/filestore/{copy['db']}")
    # small ones, so that the answer is; those of fields are found by their ids only
    sql = "FROM ir_attachment WHERE store_fname IS NOT NULL AND file_size BETWEEN 500 AND 5000"
    name = postgres.execute(copy["db"], f"SELECT store_fname {sql} ORDER BY id LIMIT 1")
    sql = f"SELECT id FROM ir_attachment WHERE store_fname = '{name}'"
    users = [int(one) for one in postgres.execute(copy["db"], sql).splitlines()]
    assert (folder / name).stat().st_ino == (kept / name).stat().st_ino
    # the same contents once more, other contents, and then none at all
    [row] = _call(copy, "ir.attachment", "read", users[:1], ["datas"])
    values = {"name": "another", "datas": row["datas"]}
    another = _call(copy, "ir.attachment", "create", values)
    _call(copy, "ir.attachment", "write", [another], {"datas": "b3RoZXI="})
    _call(copy, "ir.attachment", "unlink", users)
    _collect_garbage(copy)
    assert not (folder / name).exists()
    assert _files(kept) == before


def test_a_password_is_hashed_once_also_when_odoo_stores_it(release: Release, copy: Server) -> None:
    """Odoo would store one anew at a login that it deems too weakly hashed."""
    _call(copy, "res.users", "create", {"name": "New", "login": "new", "password": "new"})
    assert _call(copy, "res.users", "search_count", [["login", "=", "new"]]) == 1
    sql = "SELECT split_part(password, '$', 3) FROM res_users WHERE login = '{}'"
    assert postgres.execute(copy["db"], sql.format("admin")) == "1"
    if int(release.version) >= 16:  # before, it hashes so little that nothing is gained
        assert postgres.execute(copy["db"], sql.format("new")) == "1"


def _collect_garbage(server: Server) -> None:
    """Do what Odoo does every day, which removes the files that no attachment has any more."""
    job = [["model", "=", "ir.cron"], ["module", "=", "base"], ["name", "=", "autovacuum_job"]]
    [row] = _call(server, "ir.model.data", "search_read", job, ["res_id"])
    _call(server, "ir.cron", "method_direct_trigger", [row["res_id"]])
