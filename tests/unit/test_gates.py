"""Every test is in a gate: a target of make runs it, and the guide says when to run that."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.changed import PARTS, digest
from tests.selection import GATES, OTHER_WAYS

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = dict(re.findall(r"^([a-z-]+):[^\n]*((?:\n(?:\t|#)[^\n]*)*)", MAKEFILE, re.MULTILINE))
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TABLE = [line for line in GUIDE.splitlines() if line.startswith("| ") and "`make " in line]
#: What chooses the tests of 'make check' and of 'make test', which are those of no other gate.
ALWAYS = {"check": "not needs_odoo and not own_gate", "test": "needs_odoo and not own_gate"}


@pytest.mark.parametrize("gate", GATES)
def test_a_target_runs_what_is_marked_for_it(gate: str) -> None:
    own = {"attack": "-m tests.attacks", "proxies": "-m tests.proxies"}
    assert own.get(gate, f"-m {gate}") in TARGETS[gate]


def test_all_else_is_run_by_check_and_test() -> None:
    for target, markers in ALWAYS.items():
        assert f"-m '{markers}'" in TARGETS[target]
    # Only what needs no Odoo is left out by a folder.
    assert re.findall(r"--ignore (\S+)", TARGETS["check"]) == []
    assert re.findall(r"--ignore (\S+)", TARGETS["test"]) == ["tests/unit", "tests/played"]
    assert re.findall(r"--ignore (\S+)", TARGETS["live"]) == ["tests/unit", "tests/attacks"]
    needing = re.compile(r"tests\.live\.conftest import|needs_odoo\b")
    here = Path(__file__)
    assert [
        path.name
        for path in here.parent.glob("*.py")
        if path != here and needing.search(path.read_text("utf-8"))
    ] == []


def test_markers_are_gates_or_say_how_often_a_test_runs() -> None:
    """One that nobody knows would take its tests out of all gates, or into none."""
    declared = (ROOT / "pyproject.toml").read_text("utf-8").split("\nmarkers = [")[1]
    own = re.findall(r'^    "(\w+): ', declared.split("\n]")[0], re.MULTILINE)
    how_often = {*OTHER_WAYS, "every_version", "recorded", "long"}
    assert {*own} == {*GATES, *how_often, "needs_odoo", "own_gate"}


def test_the_folders_of_a_gate_are_marked_for_it() -> None:
    """In folders whose tests all belong to one gate, a new file must not be in another."""
    for folder in ("bench", "cluster", "evals", "proxies", "types"):
        for path in (ROOT / "tests" / folder).glob("test_*.py"):
            marks = [
                ast.unparse(node.value)
                for node in ast.parse(path.read_text("utf-8")).body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
            ]
            assert any(f"pytest.mark.{folder}" in mark for mark in marks), path


def test_the_guide_says_which_change_asks_for_which_gate() -> None:
    named = {gate for line in TABLE for gate in re.findall(r"`make ([a-z-]+)`", line)}
    assert {*GATES, *ALWAYS, "live"} <= named
    assert named <= set(TARGETS)


@pytest.mark.parametrize("part", PARTS)
def test_what_changed_is_told_by_a_digest(part: str) -> None:
    assert digest(part)
    assert part in TARGETS


def test_the_same_files_have_the_same_digest() -> None:
    assert digest("package") == digest("package")
