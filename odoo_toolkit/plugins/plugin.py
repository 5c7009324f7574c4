"""What a plugin is: what is known of its models, and what it may do to Odoo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from odoo_toolkit.app_models import AppModel
    from odoo_toolkit.plugins.file_models import FileModel
    from odoo_toolkit.wizards import KnownWizard


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(given.split() if isinstance(given, str) else given)


def _methods(given: Mapping[str, str | Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {model: _names(methods) for model, methods in given.items()}


@attrs.frozen(kw_only=True)
class Declared:
    """All that a plugin sends to Odoo; what is not here is refused. Names as in ``app_models``.

    >>> Declared(reads="res.partner", steps={"rental.contract": "create write action_confirm"})

    Attributes:
        reads: models that are read, besides those of steps and wizards.
        steps: model -> the methods that change its records: ``create``, ``write``, ``unlink``, and
            what buttons call.
        wizards: model of a wizard -> its buttons.
    """

    reads: tuple[str, ...] = attrs.field(default="", converter=_names)
    steps: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict, converter=_methods)
    wizards: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict, converter=_methods)

    @property
    def models(self) -> frozenset[str]:
        """The models that may be read."""
        return frozenset({*self.reads, *self.steps, *self.wizards})

    def allows(self, model: str, method: str) -> bool:
        """Whether a method that does more than read is declared."""
        if model in self.wizards:
            return method in ("create", "write", *self.wizards[model])
        return method in self.steps.get(model, ())


@attrs.frozen(kw_only=True)
class PluginPrompt:
    """Instructions for a model, made of what is in Odoo.

    Attributes:
        name: ``odoo_{plugin}_{what}``.
        title, description: for people.
        text: makes it; takes the connection and the arguments by name.
        arguments: name of each -> what it is; all are needed.
    """

    name: str
    title: str
    description: str
    text: Callable[..., str]
    arguments: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Plugin:
    """An app of somebody else's, in the form of ours.

    Attributes:
        name: lower-case letters and digits; it is the toolset's name, and that of its area.
        description: one line for people and models.
        toolkit: the version of the toolkit that it was written for, such as ``0.1``.
        declared: what it sends to Odoo.
        version: its own.
        models: what is known of its models, see :class:`~odoo_toolkit.app_models.AppModel`.
        wizards: the dialogs of its module.
        toolset: where the class of its toolset is, ``package.module:Class``; it is imported when
            the server needs it, so that the library does without MCP.
        prompts: instructions for a model.
        skills: a folder with a folder for each skill, which has a ``SKILL.md``.
        file_models: of a TOML file, the models that its tools are made of.
        odoo_module: of a TOML file, the Odoo module that must be installed.
        min_odoo, max_odoo: of a TOML file, the oldest and newest Odoo that it is for.
    """

    name: str
    description: str
    toolkit: str
    declared: Declared
    version: str = "1.0.0"
    models: tuple[AppModel, ...] = ()
    wizards: tuple[KnownWizard, ...] = ()
    toolset: str = ""
    prompts: tuple[PluginPrompt, ...] = ()
    skills: Path | None = None
    file_models: tuple[FileModel, ...] = ()
    odoo_module: str = ""
    min_odoo: int | None = None
    max_odoo: int | None = None
