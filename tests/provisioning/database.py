"""A server's database: made with demo data once, kept as a dump, restored from then on."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.provisioning import layout, ports, postgres
from tests.provisioning.cache import (
    FullDiscError,
    ProvisioningError,
    cache_folder,
    folder_made_whole,
    locked,
    progress,
    read_json,
    run,
    shown_mark,
    step,
    write_json,
)
from tests.provisioning.releases import Release

ADDONS = Path(__file__).parent / "addons"
QUICK = Path(__file__).parent / "quick"
"""A module for the servers of copies only: it needs no database made anew."""
DEMO_USERS = ("admin", "demo", "portal")
"""Logins of the demo data, which are their passwords as well."""
TEMPLATE = "template-"
"""What the names of templates begin with; the name of the dump's folder follows."""

MAKE_KEYS = """
import inspect, json
def make_key(user):
    keys = env["res.users.apikeys"].with_user(env.ref(user)).sudo()
    forever = [None] if "expiration_date" in inspect.signature(keys._generate).parameters else []
    return keys._generate("rpc", "Odoo toolkit tests", *forever)
made = {name: make_key("base.user_" + name) for name in ("admin", "demo")}
env.cr.commit()
print("KEYS", json.dumps(made))
"""


@dataclass(frozen=True)
class Installation:
    """A release made ready on this machine: what it takes to run its programs."""

    release: Release
    root: Path
    python: Path
    copy: str = ""
    """Names a copy for tests that need a server of their own; empty for the server itself."""

    @property
    def name(self) -> str:
        """What the server is called; its folder below the cache folder has the same name."""
        return f"{self.release.name}/copies/{self.copy}" if self.copy else self.release.name

    @property
    def folder(self) -> Path:
        """The folder of everything that belongs to this server."""
        return cache_folder() / self.name

    @property
    def database(self) -> str:
        """The name of the server's database."""
        return f"{self.release.database}-{self.copy}" if self.copy else self.release.database

    @property
    def configuration(self) -> Path:
        """Odoo's configuration file."""
        return self.folder / "odoo.conf"

    @property
    def filestore(self) -> Path:
        """The folder where Odoo keeps the database's attachments."""
        return self.folder / "data" / "filestore" / self.database

    def command(self, *words: str) -> list[str]:
        """Return the command that runs Odoo's start program with *words*."""
        program = str(layout.program(self.root))
        return [str(self.python), program, *words, "-c", str(self.configuration)]

    def environment(self) -> dict[str, str]:
        """Return the variables that Odoo's start program needs."""
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700, exist_ok=True)
        return {
            "PYTHONPATH": str(layout.packages(self.root)),
            "PYTHONUNBUFFERED": "1",
            # wkhtmltopdf makes the PDFs and would otherwise look for a display
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_RUNTIME_DIR": str(runtime),
        }


def write_configuration(installation: Installation, port: int, workers: int = 0) -> None:
    """Write Odoo's configuration file, and copy the test addons to where it says.

    A copy's server also loads ``quick_passwords``: see ``make_passwords_quick``.
    """
    folder = installation.folder
    addons = folder / "addons"
    # a copy: the server must not change under another checkout that shares this cache
    for one in [ADDONS, QUICK] if installation.copy else [ADDONS]:
        shutil.copytree(one, addons, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.pyc"))
    (folder / "data").mkdir(parents=True, exist_ok=True)
    core_addons = layout.packages(installation.root) / "odoo/addons"
    options = {
        "addons_path": f"{core_addons},{addons}",
        "data_dir": folder / "data",
        "db_host": postgres.socket_folder(),
        "db_port": 5432,
        "db_user": postgres.ROLE,
        "db_name": installation.database,
        "http_interface": "127.0.0.1",
        "http_port": port,
        "workers": workers,
        # of the further process that a server with workers has; the default is one for all servers
        installation.release.second_port_option: port + ports.SECOND,
        "server_wide_modules": ",".join(
            [*installation.release.loaded, *(["quick_passwords"] if installation.copy else [])]
        ),
        "max_cron_threads": 0,
        # nothing listens there: a mail of a test must never leave this machine
        "smtp_server": "127.0.0.1",
        "smtp_port": 1,
        # Odoo would otherwise restart itself in the middle of a long test
        "limit_time_real": 1200,
        "limit_time_cpu": 1200,
        "limit_memory_soft": 4 * 2**30,
    }
    lines = [f"{name} = {value}\n" for name, value in options.items()]
    installation.configuration.write_text("[options]\n" + "".join(lines), encoding="utf-8")


def prepare_database(installation: Installation, fresh: bool) -> dict[str, str]:
    """Make sure that the database is there: as it is, from its dump, or made anew.

    Args:
        installation: The release that the database is for.
        fresh: Whether to throw away the database that is there.

    Returns:
        The API keys of the users ``admin`` and ``demo``.
    """
    release = installation.release
    kept = kept_dump(installation)
    marker = installation.folder / "database.json"
    keys: dict[str, str] = read_json(kept / "keys.json", {})
    is_there = postgres.database_exists(release.database) and installation.filestore.exists()
    if keys and is_there and not fresh and read_json(marker, "") == kept.name:
        return keys
    for mark in (marker, shown_mark(release.name, release.database)):
        mark.unlink(missing_ok=True)
    if not keys:
        return _make(installation, kept, marker)
    with step("Restoring the database from its dump ...", release.name):
        keys = _restore(installation, kept)
    write_json(marker, kept.name)
    return keys


def last_module(log: str) -> str:
    """Return what is done to the module that a log named last, and which of how many it is.

    It is "" before the first one.
    """
    found = re.findall(r"Loading module (\w+) \((\d+)/(\d+)\)", log)
    if not found:
        return ""
    name, number, count = found[-1]
    # "base" comes alone, before the others are known
    return (
        f"Installing module {name}" + (f" ({number} of {count})" if count != "1" else "") + " ..."
    )


def kept_dump(installation: Installation) -> Path:
    """Return the folder of the dump that the release's databases are restored from."""
    return dump_folder(installation.release, layout.version(installation.root))


def dump_folder(release: Release, version: str) -> Path:
    """Return the folder of the dump of a release whose code is of a version."""
    return cache_folder() / "dumps" / f"{release.name}-{_contents_id(release, version)}"


def restore_copy(installation: Installation) -> dict[str, str]:
    """Make a copy's database from what was kept, which must be there, and return its API keys.

    Raises:
        ProvisioningError: There is no dump.
    """
    kept = kept_dump(installation)
    if not kept.exists():
        raise ProvisioningError(f"{kept} is not there: start {installation.release.name} once.")
    return _restore(installation, kept)


def make_passwords_quick(installation: Installation) -> None:
    """Hash the passwords of a copy's demo data once.

    From 16 on, Odoo hashes 350,000 or 600,000 times, which is half a second of work: also at a
    login with an API key, and at the first call after a user was made.
    """
    hashes = ", ".join(f"('{login}', '{_quick_hash(login)}')" for login in DEMO_USERS)
    postgres.execute(
        installation.database,
        f"UPDATE res_users SET password = hash FROM (VALUES {hashes}) AS quick (name, hash)"
        " WHERE login = name",
    )


def _quick_hash(password: str) -> str:
    """Return a password hashed once, in the form in which Odoo stores it."""
    salt = b"copy"
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 1)
    said = [base64.b64encode(one, b"./").decode().rstrip("=") for one in (salt, hashed)]
    return "$".join(["", "pbkdf2-sha512", "1", *said])


def _restore(installation: Installation, kept: Path) -> dict[str, str]:
    """Put a database and its attachments back to what was kept; return the API keys."""
    _drop(installation)
    _copy_template(kept, installation.database)
    # Odoo names these files after their contents, and never writes into one that is there
    shutil.copytree(kept / "filestore", installation.filestore, copy_function=_link)
    keys: dict[str, str] = read_json(kept / "keys.json", {})
    return keys


def _copy_template(kept: Path, database: str) -> None:
    """Make a database from the template of a dump; make the template first where it is missing.

    Copying takes less than a second; restoring the dump takes ten.
    """
    template = TEMPLATE + kept.name
    lock = _template_lock(kept)
    if postgres.database_exists(template):
        try:
            with locked(lock, shared=True):
                postgres.copy(template, database)
            return
        except FullDiscError:
            raise
        except ProvisioningError:
            pass  # it is looked at below, by one process
    with locked(lock, "Another process is restoring the dump; waiting for it to finish ..."):
        if not postgres.database_exists(template):  # or else another process has just made it
            _make_template(kept, template)
        try:
            postgres.copy(template, database)
        except FullDiscError:
            raise
        except ProvisioningError as error:
            progress(f"{error}\nThe template may be damaged: making it again ...", kept.name)
            _make_template(kept, template)
            postgres.copy(template, database)


def _template_lock(kept: Path) -> str:
    return f"dumps/{kept.name}.lock"


def _make_template(kept: Path, template: str) -> None:
    """Restore a dump as a template; whoever is interrupted leaves none of that name."""
    for leftover in postgres.databases(TEMPLATE):
        dump = leftover.removeprefix(TEMPLATE).removesuffix(".partial")
        if not (kept.parent / dump).exists():  # it was thrown away
            postgres.drop(leftover)
    partial = template + ".partial"
    postgres.drop(partial)
    try:
        postgres.restore(partial, kept / "database.dump")
    except FullDiscError:
        raise
    except ProvisioningError as error:
        raise ProvisioningError(
            f"{error}\n{kept} is damaged: delete it, and start again."
        ) from error
    postgres.drop(template)
    postgres.seal(partial, template)


def _link(source: str, target: str) -> None:
    """Make a file that is the same one as *source*, or a copy where that cannot be."""
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(source, target)


def _drop(installation: Installation) -> None:
    """Remove the database and its attachments, if they are there."""
    postgres.drop(installation.database)
    shutil.rmtree(installation.filestore, ignore_errors=True)


def _contents_id(release: Release, version: str) -> str:
    """Return a name for what the database is made of: Odoo's code, modules, test addons."""
    addons = hashlib.sha256()
    for path in sorted(ADDONS.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            addons.update(str(path.relative_to(ADDONS)).encode() + path.read_bytes())
    modules = ",".join(release.modules)
    whole = f"{version} {modules} {addons.hexdigest()} {MAKE_KEYS}"
    return f"{version}-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def _make(installation: Installation, kept: Path, marker: Path) -> dict[str, str]:
    """Make the database with its modules, demo data and API keys, and keep a dump of it."""
    release = installation.release
    _drop(installation)
    log_path = installation.folder / "install.log"
    with step(
        "Making a database with demo data: two to seven minutes, once ...",
        release.name,
        log_path,
        lambda: last_module(log_path.read_text(encoding="utf-8", errors="replace")),
    ) as log:
        run(
            [
                *installation.command(*release.server_words),
                *release.first_start_options,
                *("-i", ",".join(release.modules), "--stop-after-init"),
            ],
            env=installation.environment(),
            log=log,
            failure=f"The database of Odoo {release.version} could not be made.",
        )
    with step("Making API keys for admin and demo ...", release.name):
        said = run(
            installation.command("shell"),
            env=installation.environment(),
            text_in=MAKE_KEYS,
            failure=f"Odoo {release.version} made no API keys.",
        )
    lines = [line for line in said.splitlines() if line.startswith("KEYS ")]
    if not lines:
        raise ProvisioningError(
            f"Odoo {release.version} made no API keys: {log_path} may say what is amiss."
        )
    keys: dict[str, str] = json.loads(lines[0].removeprefix("KEYS "))
    with step("Keeping a dump of the database ...", release.name):
        with folder_made_whole(kept) as folder:
            postgres.dump(release.database, folder / "database.dump")
            shutil.copytree(installation.filestore, folder / "filestore")
            write_json(folder / "keys.json", keys)
        # the database itself becomes the template, which saves restoring the dump
        template = TEMPLATE + kept.name
        with locked(_template_lock(kept)):
            postgres.drop(template)
            postgres.seal(release.database, template)
        _restore(installation, kept)
    write_json(marker, kept.name)
    return keys
