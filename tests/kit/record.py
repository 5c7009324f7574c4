"""Record operations and live tests: ``python -m tests.kit.record 19 14 -k sales``.

Each version is recorded on a copy of its demo data, in a process of its own. Without versions, all
that run are. A scenario that fails keeps the recording that it had, and is named at the end.

With ``--check`` nothing is recorded, and no server is asked: it says which recordings are stale,
when and at which commit they were made, and what is sent now that was not then.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from datetime import UTC, datetime

import attrs

from odoo_toolkit import connect
from odoo_toolkit.change_history import History
from odoo_toolkit.notebook.models import Connection
from tests.kit import live_tapes
from tests.kit.recordings import Recording, Recordings, StaleRecordingError, Tape, standing_still
from tests.kit.scenarios import names, play, play_back
from tests.live.accounting_data import accountant, user_in
from tests.live.servers import Server, User, credentials, find_servers, read_entry
from tests.provisioning.copies import copied
from tests.provisioning.releases import RELEASES
from tests.receipts import commit


def main(arguments: list[str]) -> int:
    """Record versions one after the other, or check them; return how many scenarios failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.kit.record", description=__doc__)
    parser.add_argument("versions", nargs="*", metavar="version", help=", ".join(RELEASES))
    parser.add_argument("-k", default="", help="only what has this in its name")
    parser.add_argument("--check", action="store_true", help="say which are stale; asks no server")
    given = parser.parse_args(arguments)
    if unknown := set(given.versions) - set(RELEASES):
        parser.error(f"Odoo {', '.join(sorted(unknown))} is none of {', '.join(RELEASES)}.")
    running = (server.version for server in find_servers())
    versions = given.versions or (RELEASES if given.check else filter(None, running))
    found = [line for version in versions for line in _each(int(version), given.k, given.check)]
    print(f"{'Stale' if given.check else 'Failed'}: {', '.join(found) or 'none'}")
    return len(found)


def _each(version: int, part: str, check: bool) -> list[str]:
    chosen = [name for name in names(version) if part in name]
    return _stale(version, chosen) if check else _record(version, chosen, part)


def _stale(version: int, chosen: list[str]) -> list[str]:
    """Print what became of scenarios, and return those whose recordings are stale."""
    try:
        recordings = Recordings.read(version)
    except StaleRecordingError as error:
        print(error)
        return [f"all on {version}"]
    found = []
    for name in chosen:
        try:
            play_back(version, name, recordings)
        except Exception as error:
            tape = recordings.tapes.get(name)
            print(f"{name} on {version}, {_recorded(tape)}: {error}\n")
            found.append(f"{name} on {version}")
    return found


def _recorded(tape: Tape | None) -> str:
    if tape is None:
        return "never recorded"
    day = datetime.fromtimestamp(tape.moment, UTC).date()
    return f"recorded on {day} at {tape.commit or 'an unknown commit'}"


def _record(version: int, chosen: list[str], part: str) -> list[str]:
    """Record scenarios and live tests of a version, and return those that failed."""
    recordings = Recordings.read(version)
    failed = []
    with copied(RELEASES[str(version)]) as entry:
        server = read_entry(entry)
        people = {
            "accountant": accountant(server),
            "stock user": user_in(server, "Stock user", "stock.group_stock_user"),
        }
        for name in chosen:
            try:
                recordings.tapes[name] = record(server, people, name, recordings)
            except Exception:
                failed.append(f"{name} on {version}")
                traceback.print_exc()
            print(version, name, *failed[-1:], flush=True)
        if not live_tapes.record(version, server, part):
            failed.append(f"tests/played on {version}")
    if not part:
        kept = recordings.tapes
        recordings.tapes = {name: kept[name] for name in chosen if name in kept}
    recordings.write(version)
    return failed


def record(server: Server, people: dict[str, User], name: str, recordings: Recordings) -> Tape:
    """Run a scenario on a real Odoo, and return what went over the wire."""
    tape = Tape(moment=int(time.time()), commit=commit())

    def opened(user: str, journal: History | None) -> Connection:
        person = people.get(user) or server.user("admin")
        real = connect(**credentials(server, person))
        tape.version = attrs.asdict(real.version)
        transport = Recording(
            real._connected().transport, real.version, real.uid, user, tape, recordings
        )
        return Connection(real.settings, transport=transport, history=journal).connect()

    with standing_still(name, tape.moment):
        play(name, opened)
    return tape


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
