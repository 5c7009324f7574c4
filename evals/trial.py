"""One trial by hand: a copy of Odoo in the state that tasks need, and a desk with their words.

python -m evals.trial start FOLDER [--odoo 19] [--kind everyday] [--task NAME ...]
python -m evals.trial start FOLDER --address FILE      a database of yours; it is changed
python -m evals.trial stop FOLDER                      ends the bridge, and removes the copy
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from evals import bridge
from evals.assistants import put_command
from evals.database import Address, Database
from evals.folders import Folders
from evals.processes import end_process, wait_for
from evals.task import KINDS, Task, all_tasks, prepare_all
from tests.provisioning.copies import copied
from tests.provisioning.releases import RELEASES

START_SECONDS = 300
DESK_WORDS = """\
# Tasks

You work in the Odoo of a company, by the tools of a server. `./odoo tools` lists them,
`./odoo tools NAME` describes one, `./odoo call NAME '{"json": "arguments"}'` calls one. Use nothing
else to reach Odoo. Nobody answers questions: decide as a careful person would, and where something
cannot be done, say so in the answer and leave things as they are.

Do the tasks in their order. Write the answer to each into the file that it names, as JSON and
nothing else. Numbers are JSON numbers.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.trial",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["start", "keep", "stop"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--odoo", choices=list(RELEASES), default="19", help="the version")
    parser.add_argument("--address", type=Path, help="JSON with url, db, login, secret")
    parser.add_argument("--kind", choices=KINDS, default="everyday")
    parser.add_argument("--task", action="append", default=[], help="only this one; repeatable")
    chosen = parser.parse_args(arguments)
    folders = Folders(chosen.folder)
    if chosen.action == "stop":
        return stop(folders)
    if chosen.action == "keep":
        return keep(folders, chosen.odoo)
    if folders.root.exists() and any(folders.root.iterdir()):
        print(f"{folders.root} is not empty. Stop that trial and take another folder.")
        return 1
    folders.answers.mkdir(parents=True)
    if chosen.address:
        Address.read(chosen.address).save(folders.address)
    elif not start_copy(folders, chosen.odoo):
        return 1
    try:
        db = Database(Address.read(folders.address))
        tasks = chosen_tasks(db.version, chosen.kind, chosen.task)
        prepare(folders, db, tasks)
    except BaseException:
        stop(folders)
        raise
    print(f"{len(tasks)} tasks for Odoo {db.version} are on the desk: {folders.desk}")
    print(f"Now: python -m evals.bridge start {chosen.folder}")
    return 0


def chosen_tasks(version: int, kind: str, names: list[str]) -> list[Task]:
    """Return the tasks of a kind, or those named, that hold on a version.

    Raises:
        SystemExit: A name is not a task's.
    """
    tasks = all_tasks()
    unknown = [name for name in names if name not in tasks]
    if unknown:
        raise SystemExit(f"No such task: {', '.join(unknown)}. There are: {', '.join(tasks)}")
    wanted = [task for task in tasks.values() if task.name in names or not names]
    return [task for task in wanted if (names or task.kind == kind) and task.since <= version]


def prepare(folders: Folders, db: Database, tasks: list[Task]) -> None:
    """Put the database into the state the tasks need, and their words on the desk."""
    facts = prepare_all(db, tasks)
    words = [DESK_WORDS]
    for task in tasks:
        text = task.text(facts[task.name])
        words.append(f"\n## {task.name}\n\n{text}\nInto the file `answers/{task.name}.json`.\n")
    settings = {name: value for task in tasks for name, value in task.settings.items()}
    folders.settings.write_text(json.dumps(settings), encoding="utf-8")
    folders.facts.write_text(json.dumps(facts, indent=1), encoding="utf-8")
    folders.tasks.write_text("\n".join(words), encoding="utf-8")
    put_command(folders.desk)


def start_copy(folders: Folders, version: str) -> bool:
    """Start a copy of Odoo that lives until the trial is stopped; tell whether it runs."""
    with folders.copy_log.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "evals.trial", "keep", str(folders.root), "--odoo", version],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    folders.copy_pid.write_text(str(process.pid), encoding="utf-8")
    if wait_for(folders.address.exists, process, START_SECONDS):
        return True
    print(f"The copy did not start:\n{folders.copy_log.read_text(encoding='utf-8')}")
    return False


def keep(folders: Folders, version: str) -> int:
    """Keep a copy until this process is ended; then the copy is removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with copied(RELEASES[version]) as server:
        address = Address(
            server["url"], server["db"], server["login"], server["api_key"] or server["password"]
        )
        # written elsewhere first: whoever waits for the file finds it whole
        address.save(folders.address.with_suffix(".new"))
        folders.address.with_suffix(".new").replace(folders.address)
        while True:
            time.sleep(3600)


def stop(folders: Folders) -> int:
    """End the bridge and remove the copy; answers, log and result stay."""
    bridge.stop(folders)
    end_process(folders.copy_pid, "evals.trial")
    shutil.rmtree(folders.desk / "__pycache__", ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
