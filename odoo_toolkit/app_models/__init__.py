"""What the toolkit knows of each app's models: one module of plain data for each app.

Each module has a tuple ``MODELS``; a module that is put here is found by itself.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

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
    "known",
]

#: app, by the name of its module here -> its models.
APPS: Mapping[str, tuple[AppModel, ...]] = {
    found.name: import_module(f"{__name__}.{found.name}").MODELS
    for found in pkgutil.iter_modules(__path__)
    if found.name != "model"
}

#: name -> what is known of the model.
MODELS: Mapping[str, AppModel] = {
    model.name: model
    for model in sorted(
        (model for models in APPS.values() for model in models),
        key=lambda model: model.name,
    )
}

#: name -> label of the models that most databases have: what an ordinary user of Odoo 15 can be
#: told of, because there neither ``ir.model`` is readable nor ``get_available_models`` exists.
COMMON_MODELS: Mapping[str, str] = {name: m.label for name, m in MODELS.items() if m.label}

#: Odoo module -> the model that shows whether it is installed, to users who cannot read the list
#: of modules.
MODULES: Mapping[str, AppModel] = {m.module: m for m in MODELS.values() if m.module}


def known(model: str) -> AppModel:
    """Return what is known of a model, which may be no more than its name."""
    return MODELS.get(model) or AppModel(model)
