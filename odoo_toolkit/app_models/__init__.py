"""What the toolkit knows of each app's models: one module of plain data for each app.

Each module has a tuple ``MODELS``; a module that is put here is found by itself. Facts of models
that are none of ours come with :func:`add`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from odoo_toolkit.app_models.model import AppModel, Block, Move, Opposite, Relation

__all__ = [
    "APPS",
    "COMMON_MODELS",
    "MODELS",
    "MODULES",
    "AppModel",
    "Block",
    "Move",
    "Opposite",
    "Relation",
    "add",
    "known",
]

_apps: dict[str, tuple[AppModel, ...]] = {
    found.name: import_module(f"{__name__}.{found.name}").MODELS
    for found in pkgutil.iter_modules(__path__)
    if found.name != "model"
}

#: app, by the name of its module here -> its models.
APPS: Mapping[str, tuple[AppModel, ...]] = _apps

#: The apps of this package; of the others, facts can be taken away again.
OWN_APPS = frozenset(APPS)

_models: dict[str, AppModel] = {}
_labels: dict[str, str] = {}
_modules: dict[str, AppModel] = {}

#: name -> what is known of the model.
MODELS: Mapping[str, AppModel] = _models

#: name -> label of the models that most databases have: what an ordinary user of Odoo 15 can be
#: told of, because there neither ``ir.model`` is readable nor ``get_available_models`` exists.
COMMON_MODELS: Mapping[str, str] = _labels

#: Odoo module -> the model that shows whether it is installed, to users who cannot read the list
#: of modules.
MODULES: Mapping[str, AppModel] = _modules


def _fill() -> None:
    told = {
        m.name: m for m in sorted((m for ms in APPS.values() for m in ms), key=lambda m: m.name)
    }
    tables: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
        (_models, told),
        (_labels, {name: m.label for name, m in told.items() if m.label}),
        (_modules, {m.module: m for m in told.values() if m.module}),
    )
    for table, now in tables:
        # A name is at no time missing that was there before: others may be reading.
        table.update(now)
        for gone in table.keys() - now.keys():
            del table[gone]


_fill()


def add(app: str, models: Iterable[AppModel]) -> None:
    """Add what is known of the models of an app that is none of ours; none take away its own.

    Raises:
        ValueError: the app, or what is known of a model, is ours or another app's.
    """
    if app in OWN_APPS:
        raise ValueError(f"The app {app} is part of the toolkit.")
    added = tuple(models)
    others = {m.name for name, ms in APPS.items() if name != app for m in ms}
    if taken := sorted(others & {model.name for model in added}):
        raise ValueError(f"Another app already describes {', '.join(taken)}.")
    _apps.pop(app, None)
    if added:
        _apps[app] = added
    _fill()


def known(model: str) -> AppModel:
    """Return what is known of a model, which may be no more than its name."""
    return MODELS.get(model) or AppModel(model)
