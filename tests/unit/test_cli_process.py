"""``odoo-toolkit`` as a process of its own: pipes, terminals, a full disc, and what is imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from odoo_toolkit import cli
from tests.unit.fake_shell import ENVIRONMENT

ROOT = Path(cli.__file__).parents[2]

SCRIPT = """
import sys
from odoo_toolkit.cli import connecting, main
from tests.unit.fake_shell import connected_to, depot
server = depot()
server.records["res.partner"] += [
    {"id": 100 + n, "name": "x" * 200, "active": True} for n in range(5000)
]
server.records["res.partner"][0]["name"] = "Zoë"
connecting.WatchedOdoo = connected_to(server)
sys.exit(main(sys.argv[1:]))
"""


def process(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, *arguments]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    return subprocess.Popen(
        command, env=environment, encoding="utf-8", stderr=subprocess.PIPE, **options
    )


@pytest.mark.parametrize("form", ["--jsonl", "--csv", "--json", "--table"])
def test_a_closed_pipe_ends_it_without_a_word(form: str) -> None:
    started = process("search", "res.partner", "--all", form, stdout=subprocess.PIPE)
    assert started.stdout.readline()
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait() == 141


def test_ctrl_c_while_it_is_imported_ends_it_with_the_usual_line() -> None:
    script = """
import sys
from odoo_toolkit.cli import main
class Stopped:
    def find_spec(self, name, path=None, target=None):
        if name == "odoo_toolkit.cli.commands":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Stopped())
sys.exit(main(["models"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**ENVIRONMENT, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "Interrupted: nothing was written.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no /dev/full here.")
def test_a_full_disc_is_said() -> None:
    with open("/dev/full", "w") as full:
        started = process("search", "res.partner", "--all", stdout=full)
        _, said = started.communicate()
    assert "No space left on device" in said
    assert started.returncode == 14


def test_a_terminal_gets_a_table_as_wide_as_it_is() -> None:
    import pty

    ours, theirs = pty.openpty()
    started = process("search", "res.partner", "--limit", "2", stdout=theirs)
    os.close(theirs)
    assert "There are more" in started.stderr.read()
    assert started.wait() == 0
    printed = os.read(ours, 65536).decode()
    os.close(ours)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", printed).split("\r\n")
    assert [line.split() for line in lines[:3]] == [
        ["id", "name", "display_name"],
        # The terminal is said to have letters of ASCII only.
        ["7", "Zo\\xeb", "Zo\\xeb"],
        ["8", "Brandon", "Brandon"],
    ]


def test_without_a_terminal_there_are_no_colours_and_utf_8() -> None:
    started = process("search", "res.partner", "--limit", "2", "--table", stdout=subprocess.PIPE)
    printed, said = started.communicate()
    assert "\x1b" not in printed + said
    assert printed.startswith("id  name")
    assert "Zoë" in printed


def test_importing_the_library_imports_no_click_and_no_rich() -> None:
    code = (
        "import sys, odoo_toolkit, odoo_toolkit.records, odoo_toolkit.cli;"
        "print(sorted({'click', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
