"""Every function that writes has a case of its way back, or a reason why there is none."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import odoo_toolkit
from odoo_toolkit.app_models import MODELS
from odoo_toolkit.change_history.undo_preview import ANY_MODEL, foretold
from odoo_toolkit.undoing.compensations import way_back
from odoo_toolkit.wizards.catalog import KNOWN_WIZARDS
from tests.kit.catalogue import CASES, NO_WAY_BACK

GUIDE = Path(__file__).parents[2] / "docs" / "undo-operations.md"


def writing() -> dict[str, str]:
    """Return the names of the functions that write -> the app that they are of."""
    found: dict[str, str] = {}
    for module in pkgutil.walk_packages(odoo_toolkit.__path__, "odoo_toolkit."):
        if module.name.endswith(("__main__", ".connect")):
            continue
        loaded = importlib.import_module(module.name)
        for name, function in vars(loaded).items():
            own = getattr(function, "__module__", "") == module.name
            if own and name[0].islower() and hasattr(function, "plan"):
                _, _, app = module.name.partition(".apps.")
                found[f"{app.partition('.')[0]}.{name}" if app else name] = module.name
    return found


def tried() -> set[str]:
    """Return which functions have a case that is taken back."""
    return {name.partition(",")[0] for name, case in CASES.items() if not case.stays}


def short(names: set[str]) -> set[str]:
    """Return names without the module in which files are."""
    return {name.removeprefix("attachments.") for name in names}


def test_every_function_that_writes_has_a_way_back_or_a_reason_for_none() -> None:
    """No function is left out, and none has both."""
    known = short(tried() | set(NO_WAY_BACK))
    assert set(writing()) <= known, set(writing()) - known
    assert not tried() & set(NO_WAY_BACK)
    # run_wizard has no plan: what it would do is the wizard's own description.
    others = {"run_wizard"}
    assert known - set(writing()) <= others, known - set(writing())


def test_the_guide_has_a_row_for_each_of_them() -> None:
    """Its table names every function once, and says of some that nothing takes them back."""
    table = GUIDE.read_text(encoding="utf-8").partition("## Operations")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", table, re.MULTILINE)
    named = [name for row, _ in rows for name in re.findall(r"`([\w.]+)\(\)`", row)]
    assert len(named) == len(set(named)), sorted(n for n in named if named.count(n) > 1)
    assert short(set(named)) == short(tried() | set(NO_WAY_BACK))
    nothing = {
        n for row, how in rows if how == "not possible" for n in re.findall(r"`([\w.]+)\(\)`", row)
    }
    assert nothing == set(NO_WAY_BACK)


@pytest.mark.parametrize("wizard", sorted({(w.model, b) for w in KNOWN_WIZARDS for b in w.buttons}))
def test_every_known_wizard_says_how_its_button_is_taken_back(wizard: tuple[str, str]) -> None:
    """There is a row for each, and its plan says what would be done, or what stays."""
    model, method = wizard
    rows = [row for row in MODELS[model].opposites if row.method == method]
    assert rows
    assert MODELS[model].is_wizard
    told = foretold([(model, "create", {}), (model, method, {})], rows[0].since)
    assert told.actions or told.not_undone


def test_what_is_looked_up_has_a_function() -> None:
    """Every row that names one finds it."""
    rows = [(name, row) for name, model in MODELS.items() for row in model.opposites]
    rows += [("res.partner", row) for row in ANY_MODEL.values()]
    looked_up = [(name, row.method) for name, row in rows if "looked_up" in row.by]
    assert looked_up
    assert all(callable(way_back(*each)) for each in looked_up)


@pytest.mark.parametrize("model", [one for one in MODELS if MODELS[one].moves])
def test_what_leads_to_another_state_than_before_says_so(model: str) -> None:
    """Or it knows the state from before, and leads back to that one."""
    moves = {move.method: move for move in MODELS[model].moves}
    for opposite in MODELS[model].opposites:
        ends = [moves[one].to[0] for one in opposite.by if one in moves]
        if opposite.method not in moves or not ends or not opposite.says.endswith("again"):
            continue
        move = moves[opposite.method]
        # A quotation that was sent, or has been printed, is a quotation.
        others = {*move.sources, *move.also} - {ends[-1], "sent", "draft"}
        assert not others or opposite.notes or opposite.not_undone, (opposite.method, others)
