"""A server with a database of its own: a copy that attacks may ruin and that nobody else writes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.attacks.database import Database
from tests.attacks.policies import Raw
from tests.live.servers import Server
from tests.provisioning import copies
from tests.provisioning.releases import RELEASES


@dataclass(frozen=True)
class Copy:
    """A copied server and its database."""

    server: Server
    database: Database


def as_user(server: Server, role: str) -> Raw:
    """Return a user of a server without the toolkit, for what no policy lets pass."""
    user = server.user(role)
    return Raw(replace(server, login=user.login, password=user.password, api_key=user.api_key))


@contextlib.contextmanager
def copied(server: Server, workers: int = 0) -> Iterator[Copy]:
    """Start a copy of a provisioned server on the demo data, and watch its database.

    With ``workers`` it has so many processes that answer, as hosted servers have; otherwise it
    has threads of one.
    """
    with copies.copied(RELEASES[server.version], workers) as entry:
        database = Database(entry["db"]).watch()
        yield Copy(replace(server, url=entry["url"], db=entry["db"]), database)
        database.close()
