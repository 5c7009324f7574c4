"""A private PostgreSQL cluster, reached through a socket in a folder of its own."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
from pathlib import Path

from tests.provisioning import debian
from tests.provisioning.cache import ProvisioningError, cache_folder, command_of, run, step

ROLE = "odoo"  # Odoo refuses to work as the database user "postgres"
OLDEST_VERSION = 13
SOCKET_PATH_LIMIT = 107  # of the operating system, for the whole path of a socket
PLAIN = ("-X", "-q", "-A", "-t")  # options of psql: the values and nothing else

SETTINGS = """
listen_addresses = ''
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 256MB
max_connections = 400
"""

# The tables and indexes whose files are not empty: a template is told to have so many.
COUNT_FILLED = "SELECT count(*) FROM pg_class WHERE pg_relation_size(oid) > 0"
TOLD_OF = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '{}'"

# Debian's package makes and starts a system-wide cluster, unless it is told not to.
INCLUDED = "/etc/postgresql-common/createcluster.d"
PREVENT_MAIN_CLUSTER = (
    f"mkdir -p {INCLUDED} && echo 'create_main_cluster = false' > {INCLUDED}/odoo-toolkit.conf"
)
ALLOW_MAIN_CLUSTER = (
    f"rm -f {INCLUDED}/odoo-toolkit.conf; rmdir --ignore-fail-on-non-empty {INCLUDED}"
)


def cluster_folder() -> Path:
    """Return the folder of the cluster's data, log and socket.

    PostgreSQL refuses to run as root, and the user it runs as then cannot reach a cache folder
    below root's home: root's clusters have a folder below ``/var/lib``, one for each cache.
    """
    if os.geteuid() != 0:
        return cache_folder() / "postgres"
    cache_id = hashlib.sha256(str(cache_folder()).encode()).hexdigest()[:8]
    return Path("/var/lib/odoo-toolkit") / f"postgres-{cache_id}"


def socket_folder() -> Path:
    """Return the folder of the cluster's socket, which only the cluster's user can enter."""
    return cluster_folder() / "socket"


def is_running() -> bool:
    """Tell whether the cluster runs."""
    data = cluster_folder() / "data"
    if not (data / "PG_VERSION").exists() or _names_another_process(data):
        return False
    try:
        _as_cluster_user("pg_ctl", "status", "-D", data)
    except ProvisioningError:
        return False
    return True


def _names_another_process(data: Path) -> bool:
    """Tell whether the cluster's process ended unheard and its number is another process's now.

    So it is after a machine was copied or cut off while PostgreSQL ran. pg_ctl then says that it
    runs, and PostgreSQL refuses to start.
    """
    try:
        pid = (data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0]
    except FileNotFoundError:
        return False
    return Path("/proc/self").exists() and str(data) not in command_of(pid)


def start() -> None:
    """Start the cluster unless it runs; install PostgreSQL and make the cluster when missing."""
    if is_running():
        return
    if _find_programs() is None:
        debian.install(["postgresql"], "PostgreSQL", PREVENT_MAIN_CLUSTER, ALLOW_MAIN_CLUSTER)
    folder = cluster_folder()
    if len(str(socket_folder() / ".s.PGSQL.5432.lock")) > SOCKET_PATH_LIMIT:
        raise ProvisioningError(
            f"{socket_folder()} is too long for the path of a socket: "
            "set ODOO_TOOLKIT_CACHE to a shorter one."
        )
    if not (folder / "data" / "PG_VERSION").exists():
        _make_cluster(folder)
    if _names_another_process(folder / "data"):
        (folder / "data" / "postmaster.pid").unlink()
        (socket_folder() / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
    log = folder / "postgres.log"
    with step("Starting PostgreSQL ..."):
        _as_cluster_user("pg_ctl", "start", "--wait", "-D", folder / "data", "-l", log)


def _make_cluster(folder: Path) -> None:
    """Make an empty cluster in *folder*, owned by the user whom it will run as."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    folder.chmod(0o700)
    socket_folder().mkdir()
    user = _cluster_user()
    if user:
        folder.parent.chmod(0o755)
        for path in (folder, socket_folder()):
            shutil.chown(path, user, pwd.getpwnam(user).pw_gid)
    partial = folder / "data.partial"  # so that one that was interrupted is no cluster
    with step(f"Making a PostgreSQL cluster in {folder} ..."):
        _as_cluster_user(
            *("initdb", "-D", partial, "--username", ROLE, "--auth", "trust", "--no-sync"),
            *("--encoding", "UTF8", "--locale", "C.UTF-8"),
        )
    with (partial / "postgresql.conf").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS + f"unix_socket_directories = '{socket_folder()}'\n")
    partial.rename(folder / "data")


def stop() -> None:
    """Stop the cluster if it runs."""
    if is_running():
        _as_cluster_user("pg_ctl", "stop", "--wait", "-m", "fast", "-D", cluster_folder() / "data")


def database_exists(database: str) -> bool:
    """Tell whether the cluster has a database of that name."""
    return execute("postgres", f"SELECT 1 FROM pg_database WHERE datname = '{database}'") == "1"


def execute(database: str, sql: str) -> str:
    """Run SQL in a database and return what it selects, unadorned."""
    return _as_role("psql", "-v", "ON_ERROR_STOP=1", *PLAIN, "-d", database, "-c", sql).strip()


def psql_command(database: str) -> list[str]:
    """Return the command of a psql that answers what it reads, one statement after the other."""
    return [*_role_command("psql"), *PLAIN, "-d", database]


def drop(database: str) -> None:
    """Drop a database if it exists, ending the connections to it."""
    _as_role("dropdb", "--if-exists", "--force", database)


def dump(database: str, target: Path) -> None:
    """Write a database into one file."""
    _as_role("pg_dump", "-Fc", "-Z", "1", "-f", target, database)


def restore(database: str, source: Path) -> None:
    """Make a new database from a file that ``dump`` wrote."""
    _as_role("createdb", "-T", "template0", database)
    _as_role("pg_restore", "--no-owner", "-j", "2", "-d", database, source)


def seal(database: str, template: str) -> None:
    """Give a database the name of a template, in one step, and let nobody connect to it again."""
    # the copies have the planner's statistics from the start, and no autovacuum disturbs them
    _as_role("vacuumdb", "--quiet", "--analyze", database)
    filled = execute(database, COUNT_FILLED)
    execute(
        "postgres",
        f"COMMENT ON DATABASE \"{database}\" IS '{filled}'; "
        f'ALTER DATABASE "{database}" ALLOW_CONNECTIONS false; '
        f'ALTER DATABASE "{database}" RENAME TO "{template}"',
    )


def copy(template: str, database: str) -> None:
    """Make a new database from a template; several processes may do so at the same time.

    Raises:
        ProvisioningError: There is no such template, or files of it are missing.
    """
    # before 15 there is only this strategy; the other one writes all pages into the log, too
    strategy = ("--strategy", "file_copy") if _version() >= 15 else ()
    _as_role("createdb", "-T", template, *strategy, database)
    told = execute("postgres", TOLD_OF.format(template))
    try:
        found = execute(database, COUNT_FILLED)
    except ProvisioningError as error:
        found = str(error)
    if told and found != told:  # PostgreSQL copies what files there are
        drop(database)
        raise ProvisioningError(
            f"{template} is damaged: it should have {told} tables with content, and has: {found}"
        )


def databases(prefix: str) -> list[str]:
    """Return the names of the databases that begin with *prefix*."""
    sql = f"SELECT datname FROM pg_database WHERE starts_with(datname, '{prefix}')"
    return execute("postgres", sql).splitlines()


def _find_programs() -> Path | None:
    """Return the folder with the newest suitable PostgreSQL's programs, or None."""
    folders = list(Path("/usr/lib/postgresql").glob("*/bin"))
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    suitable = [
        (int(folder.parent.name), folder)
        for folder in folders
        if (folder / "initdb").exists() and (folder / "psql").exists()
        # Debian's folders, and many others, are named after the version
        if folder.parent.name.isdigit() and int(folder.parent.name) >= OLDEST_VERSION
    ]
    data_version = cluster_folder() / "data" / "PG_VERSION"
    if data_version.exists():  # another version could not open the data
        wanted = int(data_version.read_text(encoding="utf-8"))
        suitable = [found for found in suitable if found[0] == wanted]
    return max(suitable)[1] if suitable else None


def _version() -> int:
    """Return PostgreSQL's version."""
    return int(_program("psql").parents[1].name)


def _program(name: str) -> Path:
    """Return the path of one of PostgreSQL's programs."""
    folder = _find_programs()
    if folder is None:
        raise ProvisioningError(
            f"No suitable PostgreSQL (version {OLDEST_VERSION} or later, and the one that made "
            f"{cluster_folder()}) is in /usr/lib/postgresql or on PATH. Install it, or delete "
            "that folder if the PostgreSQL that made it is gone."
        )
    return folder / name


def _cluster_user() -> str | None:
    """Return the user to run the cluster as, when this process's own user must not."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _as_cluster_user(program: str, *words: str | Path) -> str:
    """Run a program of PostgreSQL's as the cluster's user."""
    # pg_ctl's child would keep a pipe open as long as it lives: its output goes to a file.
    with (cache_folder() / "postgres-commands.log").open("a", encoding="utf-8") as log:
        return run(
            [_program(program), *words],
            user=_cluster_user(),
            cwd=cluster_folder(),
            log=log,
            failure=f"PostgreSQL: {program} failed; see also {cluster_folder() / 'postgres.log'}.",
        )


def _role_command(program: str) -> list[str]:
    """Return the command that runs a client program of PostgreSQL's on the cluster."""
    return [str(_program(program)), "-h", str(socket_folder()), "-p", "5432", "-U", ROLE, "-w"]


def _as_role(program: str, *words: str | Path) -> str:
    """Run a client program of PostgreSQL's on the cluster."""
    # The options go first: what follows a database's name is not read as an option.
    return run(
        [*_role_command(program), *words],
        failure=f"PostgreSQL: {program} failed.",
        env={"PGDATABASE": "postgres"},
    )
