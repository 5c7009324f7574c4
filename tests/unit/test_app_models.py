"""The tables of what is known of each app's models."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from odoo_toolkit import app_models
from odoo_toolkit.app_models import MODELS, MODULES, AppModel, Move, known
from odoo_toolkit.search_help.meanings import meanings_of
from tests.kit.recordings import Recordings

FILES = {path.stem for path in Path(app_models.__file__).parent.glob("*.py")}
APPS = sorted(FILES - {"__init__", "model"})


def test_each_model_stands_in_one_app_and_is_found() -> None:
    """A new app is a new file and nothing else."""
    told = [model for app in APPS for model in import_module(f"{app_models.__name__}.{app}").MODELS]

    assert max(Counter(model.name for model in told).values()) == 1
    assert {model.name: model for model in told} == dict(MODELS)
    assert [
        m for m, times in Counter(m.module for m in told if m.module).items() if times > 1
    ] == []


def test_the_tables_need_nothing_of_the_library() -> None:
    """They lie below everything that takes its part of them."""
    code = (
        "import sys, odoo_toolkit.app_models\n"
        "print(*(name for name in sys.modules if name.startswith('odoo_toolkit.')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    ).stdout.split()

    assert {name for name in loaded if "app_models" not in name} == {"odoo_toolkit.compat"}


def test_of_other_models_no_more_than_the_name_is_known() -> None:
    assert known("x.y") == AppModel("x.y")
    assert known("x.y").name_fields == ("name",)


def test_a_move_is_that_of_the_version() -> None:
    payment = known("account.payment")

    assert [move.to for move in [payment.move("action_post", 17)] if move] == [("posted",)]
    assert [move.to for move in [payment.move("action_post", 18)] if move] == [
        ("in_process", "paid")
    ]
    assert payment.move("action_validate", 17) is None


#: Rows of a table that hold for some versions: model, method, and the versions that they hold for.
ROWS = {
    (model.name, kind, method): {
        version
        for row in getattr(model, kind)
        if row.method == method
        for version in range(row.since, row.until + 1)
    }
    for model in MODELS.values()
    for kind in ("moves", "opposites")
    for method in {row.method for row in getattr(model, kind)}
}

#: What Odoo dropped and brought back.
BROUGHT_BACK = {("hr.leave.allocation", "moves", "action_approve"): {15, 16, 17}}


def test_no_version_is_forgotten_between_two_rows() -> None:
    holes = {
        key: hole
        for key, versions in ROWS.items()
        if (hole := {*range(min(versions), max(versions))} - versions)
    }

    assert holes == BROUGHT_BACK


@pytest.mark.parametrize("version", range(14, 20))
def test_what_was_pressed_on_a_version_is_told_of_it(version: int) -> None:
    """The recordings of a real Odoo show which methods it has."""
    pressed = {
        (call["model"], call["method"])
        for tape in Recordings.read(version).tapes.values()
        for _, call, *_ in tape.exchanges
    }

    assert [
        (model, kind, method)
        for (model, kind, method), versions in ROWS.items()
        if (model, method) in pressed and version not in versions
    ] == []


def test_moves_are_described_with_their_versions() -> None:
    model = AppModel(
        "x.y",
        moves=(
            Move("done", "a|b", "c", until=16),
            Move("redo", "c", "a|b", also="d", since=17),
        ),
    )

    assert model.describe_moves() == (
        "States of x.y: a, b -> [done] c (Odoo 16 and earlier);"
        " c, d -> [redo] a or b (Odoo 17 and later)."
    )


@pytest.mark.parametrize("model", [name for name, model in MODELS.items() if model.meanings])
def test_every_line_of_the_meanings_means_something(model: str) -> None:
    """A line that is not written as it must be would be passed over in silence."""
    lines = known(model).meanings.strip().splitlines()
    meanings = meanings_of(known(model).meanings)

    assert len(meanings) == len(lines)
    for line, (phrases, ways, implied) in zip(lines, meanings, strict=True):
        operators = re.findall(r" (?:not in|in|=|!=|<=|<|>) ", line.partition(":")[2])
        assert all(said == said.strip() != "" for said in phrases), line
        conditions = sum(map(len, ways)) + len(implied)
        assert conditions == len(operators) > 0, line


def test_modules_are_told_by_their_models() -> None:
    assert MODULES["sale"].name == "sale.order"
    assert (MODULES["hr_timesheet"].name, MODULES["hr_timesheet"].module_field) == (
        "account.analytic.line",
        "task_id",
    )
