"""What a script shows that does not catch an error: its own line, what happened, what to do."""

from __future__ import annotations

import subprocess
import sys

from odoo_toolkit.errors import ValidationError

SCRIPT = """
from odoo_toolkit import OdooError, connect, search_read
from odoo_toolkit.testing import FakeServer

try:
    connect(url="http://127.0.0.1:1", username="ann", password="x", reconnect_attempts=0)
except OdooError:
    odoo = FakeServer({"res.partner": {"name": "char"}}, records={"res.partner": []}).connect()

def report():
    return search_read(odoo, "res.partner", [["nam", "=", "x"]], ["name"])

WORK
"""


def run(*options: str, work: str = "report()", before: str = "") -> list[str]:
    script = before + SCRIPT.replace("WORK", work)
    done = subprocess.run(
        [sys.executable, *options, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    return done.stderr.strip().splitlines()


def test_an_error_says_what_to_do() -> None:
    assert str(ValidationError("No.", suggestion="Try.")) == "No.\nTry."
    assert str(ValidationError("No.")) == "No."


def test_a_script_ends_with_its_own_lines_and_what_to_do() -> None:
    lines = run()
    assert [line for line in lines if line.startswith("  File")] == [
        '  File "<string>", line 13, in <module>',
        '  File "<string>", line 11, in report',
    ]
    assert "has no field 'nam'" in lines[-2]
    assert "fields_get" in lines[-1]


def test_whoever_develops_sees_all_of_it() -> None:
    shown = run("-X", "dev")
    assert any("odoo_toolkit" in line for line in shown if line.startswith("  File"))


def test_other_errors_and_another_hook_stay_as_they_are() -> None:
    assert run(work="1 / 0")[-1].startswith("ZeroDivisionError")
    mine = "import sys\nsys.excepthook = lambda *a: print('mine', file=sys.stderr)\n"
    assert run(before=mine)[-1] == "mine"
