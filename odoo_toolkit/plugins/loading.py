"""Admitting plugins: found by name, imported within a time, checked, and put to use.

A plugin that cannot be used leaves everything else as it is. What was wrong is kept, to be told.
"""

from __future__ import annotations

import functools
import importlib
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import attrs

from odoo_toolkit import app_models
from odoo_toolkit.app_models import OWN_APPS
from odoo_toolkit.plugins.claims import problems_of, toolset_problems
from odoo_toolkit.plugins.plugin import Plugin
from odoo_toolkit.plugins.toml_files import FileError, read_file
from odoo_toolkit.wizards.catalog import add_wizards

logger = logging.getLogger(__name__)

#: The group of entry points that plugins are found by.
GROUP = "odoo_toolkit.plugins"

#: Seconds within which a plugin must be imported.
PATIENCE = 10.0


@attrs.frozen(kw_only=True)
class Refused:
    """A plugin that is not used.

    Attributes:
        name: by which it was admitted: a name, or the path of a file.
        reason: what is wrong with it, in plain sentences.
    """

    name: str
    reason: str

    @property
    def toolset(self) -> str:
        """The name that its toolset would have had, as far as its own name tells."""
        return Path(self.name).stem


@attrs.frozen(kw_only=True)
class Loaded:
    """The plugins that are used, each with the class of its toolset, and those that are not."""

    plugins: tuple[Plugin, ...] = ()
    toolsets: dict[str, Any] = attrs.Factory(dict)
    refused: tuple[Refused, ...] = ()

    def named(self, name: str) -> Plugin | None:
        """Return a plugin by its name; None where there is none."""
        return next((plugin for plugin in self.plugins if plugin.name == name), None)


class _Wrong(Exception):  # noqa: N818 - it is told, not raised to anybody
    """A plugin cannot be used."""


def load(
    names: Iterable[str] = (), files: Iterable[str | Path] = (), *, patience: float = PATIENCE
) -> Loaded:
    """Put plugins to use, and say which cannot be used and why; nothing is raised.

    What was put to use before and is not among these any more is taken away.

    >>> load(["rental"]).refused
    ()

    Args:
        names: of entry points in the group ``odoo_toolkit.plugins``.
        files: paths of TOML files.
        patience: seconds within which each must be imported.
    """
    plugins: list[Plugin] = []
    toolsets: dict[str, Any] = {}
    refused: list[Refused] = []
    for name, find in [
        *((name, functools.partial(_by_name, name, patience)) for name in names),
        *((str(path), functools.partial(_of_file, path, patience)) for path in files),
    ]:
        try:
            plugin, toolset = find()
            if problems := _besides(plugin, plugins):
                raise _Wrong(" ".join(problems))
        except _Wrong as wrong:
            reason = " ".join(wrong.args)
            refused.append(Refused(name=name, reason=reason))
            logger.warning("The plugin %s is not used: %s", name, reason)
            continue
        plugins.append(plugin)
        if toolset is not None:
            toolsets[plugin.name] = toolset
    _use(plugins)
    return Loaded(plugins=tuple(plugins), toolsets=toolsets, refused=tuple(refused))


def find_plugin(name: str, patience: float = PATIENCE) -> tuple[Plugin | None, list[str]]:
    """Return a plugin by its name or the path of its file, and what is wrong with it.

    Nothing of it is put to use.
    """
    try:
        find = _of_file if is_file(name) else _by_name
        plugin, _ = find(name, patience)
    except _Wrong as wrong:
        return None, list(wrong.args)
    return plugin, []


def is_file(name: str) -> bool:
    """Whether a name is that of a TOML file."""
    return name.endswith(".toml") or "/" in name or "\\" in name


def _use(plugins: Sequence[Plugin]) -> None:
    for before in set(app_models.APPS) - OWN_APPS:
        app_models.add(before, ())
    for plugin in plugins:
        app_models.add(plugin.name, plugin.models)
    add_wizards([wizard for plugin in plugins for wizard in plugin.wizards])


def _besides(plugin: Plugin, others: Sequence[Plugin]) -> list[str]:
    """Return what keeps a plugin from being used beside others."""
    if any(other.name == plugin.name for other in others):
        return [f"There is another plugin named {plugin.name!r}."]
    mine = {model.name for model in plugin.models}
    wizards = {wizard.model for wizard in plugin.wizards}
    return [
        f"The plugin {other.name} already describes {name}."
        for other in others
        for name in sorted(
            (mine & {model.name for model in other.models})
            | (wizards & {wizard.model for wizard in other.wizards})
        )
    ]


def _of_file(path: str | Path, patience: float) -> tuple[Plugin, Any]:
    try:
        plugin = read_file(path)
    except FileError as error:
        raise _Wrong(*error.problems) from None
    return _checked(lambda: plugin, str(path), patience), None


def _by_name(name: str, patience: float) -> tuple[Plugin, Any]:
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        others = sorted({point.name for point in entry_points(group=GROUP)})
        there = f"The plugins are {', '.join(others)}." if others else "There are no plugins."
        raise _Wrong(
            f"No installed package has a plugin {name!r}, an entry point in the group {GROUP}."
            f" {there}"
        )
    if len(found) > 1:
        packages = ", ".join(sorted(_package(point) for point in found))
        raise _Wrong(f"Several packages have a plugin {name!r}: {packages}. Remove all but one.")
    plugin = _checked(found[0].load, found[0].value, patience, name)
    return plugin, _toolset(plugin, patience)


def _checked(
    load_it: Callable[[], Any], what: str, patience: float, name: str | None = None
) -> Plugin:
    def load_plugin() -> tuple[Any, list[str]]:
        plugin = load_it()
        return plugin, problems_of(plugin, name)

    plugin, problems = _imported(load_plugin, what, patience)
    if problems:
        raise _Wrong(*problems)
    assert isinstance(plugin, Plugin)  # noqa: S101 - it was checked
    return plugin


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _toolset(plugin: Plugin, patience: float) -> Any:
    if not plugin.toolset:
        return None
    module, _, name = plugin.toolset.partition(":")

    def load_toolset() -> tuple[Any, list[str]]:
        toolset = getattr(importlib.import_module(module), name)
        return toolset, list(toolset_problems(plugin, toolset))

    toolset, problems = _imported(load_toolset, plugin.toolset, patience)
    if problems:
        raise _Wrong(*problems)
    return toolset


def _imported(load_it: Callable[[], Any], what: str, patience: float) -> Any:
    """Return what somebody else's code makes, or say how it failed or that it takes too long.

    It runs in a thread of its own: a thread cannot be ended, but it need not be waited for.
    """
    made: list[Any] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            made.append(load_it())
        except BaseException as error:  # also SystemExit: it is not the server's to end for it
            failed.append(error)

    thread = threading.Thread(target=work, name=f"import of {what}", daemon=True)
    thread.start()
    thread.join(patience)
    if thread.is_alive():
        raise _Wrong(
            f"{what} took longer than {patience:g} seconds to import. Do long work in its"
            " functions."
        )
    if failed:
        logger.debug("%s", what, exc_info=failed[0])
        kind, text = type(failed[0]).__name__, str(failed[0])[:500]
        raise _Wrong(f"{what} cannot be imported: {kind}: {text}".rstrip(": ") + ".")
    return made[0]
