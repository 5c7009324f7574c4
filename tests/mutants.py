"""Sixty small faults, each in a copy of the code: which tests find them?

``python -m tests.mutants [--seed 1] [--gates unit,mcp,live] [--report FILE]`` makes the same faults
from the same code and seed: a comparison, an operator, a condition or a number is another one. The
gates run in order until one fails; a fault that none finds is written with its place. No gate runs
this: it takes hours. Run it after changing what the gates run.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[1]

#: area -> its code, and patterns of the tests that concern it; ten faults in each.
AREAS: dict[str, tuple[list[str], list[str]]] = {
    "policy": (["odoo_toolkit/policy"], ["unit/test_*policy*.py"]),
    "arguments": (
        ["odoo_toolkit/arguments"],
        [
            f"unit/test_{name}*.py"
            for name in ("commands", "domains", "values", "compared", "order")
        ],
    ),
    "connection": (
        ["odoo_toolkit/connection"],
        [
            f"unit/test_{name}*.py"
            for name in ("http", "pacing", "pool", "client", "transports", "websession")
        ],
    ),
    "importing": (["odoo_toolkit/records/importing"], ["unit/test_import*.py"]),
    "undo": (
        ["odoo_toolkit/taking_back", "odoo_toolkit/ways_back", "odoo_toolkit/undoing"],
        ["unit/test_undo*.py", "unit/test_cli_undo.py", "unit/test_journal.py", "mcp/test_undo.py"],
    ),
    "accounts": (["odoo_toolkit_mcp/accounts"], ["team/test_*.py"]),
}
FAULTS_OF_AREA = 10

#: gate -> what pytest runs; "{own}" stands for the tests of the area.
GATES: dict[str, list[str]] = {
    "own": ["{own}"],
    "unit": ["tests/unit", "tests/mcp"],
    "live": ["tests/team", "tests/attacks", "tests/live"],
}

_OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


@attrs.frozen
class Fault:
    """One change of one expression.

    Attributes:
        area, path, line: where.
        column, end_line, end_column: the rest of the expression's place, columns in bytes.
        before, after: its text.
    """

    area: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    before: str
    after: str

    def apply(self, root: Path) -> None:
        """Write the fault into a copy of the code."""
        file = root / self.path
        lines = file.read_bytes().splitlines(keepends=True)
        head = lines[self.line - 1][: self.column]
        tail = lines[self.end_line - 1][self.end_column :]
        lines[self.line - 1 : self.end_line] = [head + f"({self.after})".encode() + tail]
        file.write_bytes(b"".join(lines))


def changed(node: ast.expr) -> ast.expr | None:
    """Return an expression that differs in one place; None where there is no such place."""
    match node:
        case ast.Compare(left, [operator], comparators) if type(operator) in _OPPOSITE:
            return ast.Compare(left, [_OPPOSITE[type(operator)]()], comparators)  # type: ignore[list-item]
        case ast.BoolOp(operator, values):
            return ast.BoolOp(_OPPOSITE[type(operator)](), values)  # type: ignore[arg-type]
        case ast.BinOp(left, operator, right) if type(operator) in _OPPOSITE:
            return ast.BinOp(left, _OPPOSITE[type(operator)](), right)  # type: ignore[arg-type]
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.IfExp(test, body, orelse):
            return ast.IfExp(test, orelse, body)
        case ast.Constant(bool() as value):
            return ast.Constant(not value)
        case ast.Constant(int() as value):
            return ast.Constant(value + 1)
    return None


def _in_types(tree: ast.AST) -> set[ast.AST]:
    """Return what stands in annotations, which do nothing."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                found.update(ast.walk(part))
        if isinstance(node, ast.JoinedStr):
            found.update(ast.walk(node))  # texts are no behaviour
    return found


def faults_of(area: str, root: Path = ROOT) -> Iterator[Fault]:
    """Return all faults that can be made in an area, in the order of the code."""
    for place in AREAS[area][0]:
        where = root / place
        files = sorted(where.rglob("*.py")) if where.is_dir() else [where.with_suffix(".py")]
        for file in files:
            source = file.read_text(encoding="utf-8")
            tree = ast.parse(source)
            types = _in_types(tree)
            for node in ast.walk(tree):
                if not isinstance(node, ast.expr) or node in types:
                    continue
                other = changed(node)
                if other is None or node.end_lineno is None or node.end_col_offset is None:
                    continue
                yield Fault(
                    area=area,
                    path=str(file.relative_to(root)),
                    line=node.lineno,
                    column=node.col_offset,
                    end_line=node.end_lineno,
                    end_column=node.end_col_offset,
                    before=ast.unparse(node),
                    after=ast.unparse(other),
                )


def chosen(seed: int) -> list[Fault]:
    """Return ten faults of each area, the same ones for the same code and seed."""
    return [
        fault
        for area in AREAS
        for fault in random.Random(f"{seed} {area}").sample([*faults_of(area)], FAULTS_OF_AREA)
    ]


def own_tests(area: str) -> list[str]:
    """Return the tests that concern an area."""
    tests = ROOT / "tests"
    return [
        str(file.relative_to(ROOT))
        for pattern in AREAS[area][1]
        for file in sorted(tests.glob(pattern))
    ]


def finds(gate: str, fault: Fault, root: Path) -> str:
    """Return the test of a gate that finds the fault; nothing if none does."""
    words: list[str] = []
    for word in GATES[gate]:
        words += own_tests(fault.area) if word == "{own}" else [word]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:tests.kit.trusted", *words],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return ""
    named = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return named[0] if named else done.stdout[-300:] + done.stderr[-300:]


def main(words: Sequence[str] | None = None) -> int:
    """Make each fault in turn, run the gates, and write what found it."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gates", default=",".join(GATES))
    parser.add_argument("--report", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--list", action="store_true", help="only say which faults there are")
    given = parser.parse_args(words)
    faults = chosen(given.seed)
    if given.list:
        print(*(f"{f.path}:{f.line}  {f.before}  ->  {f.after}" for f in faults), sep="\n")
        return 0
    known = given.report.read_text("utf-8").splitlines() if given.report.exists() else []
    done = {json.loads(line)["fault"] for line in known}
    with tempfile.TemporaryDirectory() as folder:
        for number, fault in enumerate(faults):
            if number in done:
                continue
            root = Path(folder) / str(number)
            left = shutil.ignore_patterns(".git", ".venv", "build", "*.egg-info", "__pycache__")
            shutil.copytree(ROOT, root, ignore=left)
            fault.apply(root)
            found = {"gate": "", "test": ""}
            for gate in given.gates.split(","):
                if test := finds(gate, fault, root):
                    found = {"gate": gate, "test": test}
                    break
            shutil.rmtree(root)
            line = {"fault": number, **attrs.asdict(fault), **found}
            with given.report.open("a", encoding="utf-8") as report:
                report.write(json.dumps(line) + "\n")
            print(number, fault.path, fault.line, found["gate"] or "not found", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
