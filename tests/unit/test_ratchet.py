"""What the toolkit costs to read and to run: these figures only fall.

Code lines are those without docstrings, comments and blanks. Judgements and Python calls are those
of a flow that was run before, so that descriptions are known; calls are of the toolkit's own code.
A judgement is one of all that a call holds: whether a method may be called at all is not counted.
An ability that is new raises a figure: by hand, and its commit says which.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import attrs
import pytest

from odoo_toolkit import Policy, search_read, upsert
from odoo_toolkit.apps import sales
from odoo_toolkit.policy.judging import Judge
from odoo_toolkit.policy.unknown_arguments import Walk
from tests.unit.fake_import import contacts
from tests.unit.fake_shop import shop

FIGURES = {
    "code lines of the library": 66027,
    "code lines of the adapter": 10138,
    "code lines of the server for a team": 5943,
    "files at the library's root": 17,
    "import lines of the library, per mille": 88,
    "judgements of an order": 5,
    "judgements of an order's dry run": 7,
    "judgements of an import of 50 rows": 4,
    "judgements of an import of 1 row": 4,
    "judgements of a search in readonly mode": 1,
    "Python calls of an order": 514,
    "Python calls of an imported row": 51,
    "per cent of an order's Python calls that are the policy's": 20,
    "per cent of an import's Python calls that are the policy's": 12,
}

ROOT = Path(__file__).parents[2]
LIBRARY, ADAPTER = ROOT / "odoo_toolkit", ROOT / "odoo_toolkit_mcp"
TEAM = ADAPTER / "accounts"
ROWS = 50


@pytest.mark.parametrize("name", FIGURES)
def test_no_figure_rises(name: str) -> None:
    assert figures()[name] <= FIGURES[name], f"{name}: {figures()[name]}"


@cache
def figures() -> dict[str, int]:
    library, adapter, team = map(lines, (LIBRARY, ADAPTER, TEAM))
    order, plan, rows, row, search = map(run, (ordered, planned, imported, upserted, searched))
    of_a_row = (rows.calls - row.calls) // (ROWS - 1)
    return dict(
        zip(
            FIGURES,
            (
                library[0],
                adapter[0] - team[0],
                team[0],
                len([*LIBRARY.glob("*.py")]),
                round(library[1] * 1000 / library[0]),
                *(flow.judgements for flow in (order, plan, rows, row, search)),
                *(order.calls, of_a_row, order.share, rows.share),
            ),
            strict=True,
        )
    )


def lines(folder: Path) -> tuple[int, int]:
    """Return how many code lines a package has, and how many of them import."""
    code = imports = 0
    for path in folder.rglob("*.py"):
        text = path.read_text("utf-8")
        docs, importing = set[int](), set[int]()
        for node in ast.walk(ast.parse(text)):
            body = getattr(node, "body", None)
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                importing |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
            elif isinstance(body, list) and body and _is_text(body[0]):
                docs |= {*range(body[0].lineno, (body[0].end_lineno or 0) + 1)}
        for number, line in enumerate(text.splitlines(), 1):
            code += bool(line.strip()) and line.lstrip()[0] != "#" and number not in docs
        imports += len(importing)
    return code, imports


def _is_text(node: ast.stmt) -> bool:
    value = getattr(node, "value", None)
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


# Flows -------------------------------------------------------------------------------------------


def ordered() -> Callable[[], Any]:
    odoo = shop()
    return lambda: create_order(odoo)


def planned() -> Callable[[], Any]:
    odoo = shop()
    return lambda: create_order(odoo, dry_run=True)


def create_order(odoo: Any, **how: Any) -> None:
    given: Any = [{"product_name": "chair", "quantity": 3, "discount": 10}, {"name": "Thank you"}]
    sales.create_order(odoo, partner_name="acme", lines=given, note="x", confirm=True, **how)


def imported(count: int = ROWS) -> Callable[[], Any]:
    odoo, run = contacts().connect(), iter("ab")

    def act() -> None:
        letter = next(run)
        names = [f"{letter}{index}" for index in range(count)]
        rows = [{"name": name, "email": f"{name}@x.com", "color": 3} for name in names]
        assert upsert(odoo, "res.partner", rows, key="email").created == count

    return act


def upserted() -> Callable[[], Any]:
    return imported(1)


def searched() -> Callable[[], Any]:
    odoo = contacts({"id": 1, "name": "Ann"}).connect(policy=Policy(mode="readonly"))
    return lambda: search_read(odoo, "res.partner", [["name", "ilike", "a"]], ["name"])


@attrs.define
class Flow:
    """What a flow costs: calls that the policy judged, Python calls, and those of the policy."""

    judgements: int = 0
    calls: int = 0
    policys: int = 0

    @property
    def share(self) -> int:
        return round(self.policys * 100 / self.calls)


_JUDGES = {Walk.call.__code__, Judge.judged.__code__}
#: From Python 3.12 on not all of these are calls.
_NO_CALLS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def run(prepared: Callable[[], Callable[[], Any]]) -> Flow:
    """Run a flow for the second time, and return what it costs."""
    act, flow, here, lock = prepared(), Flow(), threading.local(), threading.Lock()
    act()

    def hear(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or code.co_name in _NO_CALLS:
            return
        within = getattr(here, "within", 0)
        if event == "return":
            here.within = max(within - 1, 0)
            return
        policys = within or "/odoo_toolkit/policy/" in code.co_filename
        here.within = within + bool(policys)
        if _is_ours(code.co_filename):
            with lock:
                flow.calls += 1
                flow.policys += bool(policys)
                flow.judgements += code in _JUDGES

    threading.setprofile(hear)
    sys.setprofile(hear)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return flow


def _is_ours(filename: str) -> bool:
    ours = "/odoo_toolkit/" in filename and "/testing/" not in filename
    return ours or filename.startswith("<attrs")
