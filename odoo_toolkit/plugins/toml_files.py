"""A plugin without Python: a TOML file that names models, fields, states and buttons.

The file is data. What its tools send to Odoo is all that it names, and nothing in it is evaluated.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from odoo_toolkit.app_models import APPS, OWN_APPS
from odoo_toolkit.plugins.file_models import FileButton, FileModel
from odoo_toolkit.plugins.plugin import Declared, Plugin

#: Bytes of the largest file that is looked at.
MOST_BYTES = 256 * 1024

_WORD = re.compile(r"[a-z][a-z0-9_]{0,30}")
_FIELD = re.compile(r"[a-z_][a-z0-9_]{0,62}")

#: Names of arguments that each tool has, whatever the model.
TAKEN = frozenset({"id", "dry_run", "idempotency_key", "limit", "offset", "order", "odoo"})

#: What the tools of every model are called; a button has another name.
VERBS = frozenset({"get", "list", "create", "update"})


class FileError(ValueError):
    """The file cannot be used; ``problems`` has everything that is wrong with it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def read_file(path: str | Path) -> Plugin:
    """Return the plugin that a TOML file describes.

    Raises:
        FileError: it cannot be read, or something in it is wrong; all of it is told.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise FileError([f"It is larger than {MOST_BYTES} bytes."])
        data = tomlkit.parse(content.decode("utf-8")).unwrap()
    except OSError as error:
        raise FileError([f"It cannot be read: {error.strerror or error}."]) from None
    except (UnicodeDecodeError, TOMLKitError, RecursionError) as error:
        raise FileError([f"It is not TOML: {error}."]) from None
    return _Reader().plugin(data)


class _Reader:
    """Reads the tables of a file, and gathers what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def plugin(self, data: Mapping[str, Any]) -> Plugin:
        self._keys(data, ("plugin", "models"), "the file")
        head = self._table(data.get("plugin"), "[plugin]")
        known = ("name", "description", "toolkit", "version", "module", "min_odoo", "max_odoo")
        self._keys(head, (*known, "reads"), "[plugin]")
        text = {
            key: self._text(head, key, "[plugin]", needed=key != "version")
            for key in ("name", "description", "toolkit", "version", "module")
        }
        reads = self._names(head, "reads", "[plugin]", _MODEL_NAME)
        oldest, newest = (self._version(head, key) for key in ("min_odoo", "max_odoo"))
        tables = self._table(data.get("models"), "[models]")
        models = tuple(self._model(key, told) for key, told in tables.items())
        if not models and not self.problems:
            self.problems.append("It has no [models.NAME].")
        self._same([model.model for model in models], "model")
        if self.problems:
            raise FileError(self.problems)
        ours = [model for app in OWN_APPS for model in APPS[app]]
        # Of a model that the toolkit knows, the toolkit tells; so of a module.
        told = [model for model in models if model.model not in {one.name for one in ours}]
        module = text["module"] if text["module"] not in {one.module for one in ours} else ""
        return Plugin(
            name=text["name"],
            description=text["description"],
            toolkit=text["toolkit"],
            version=text["version"] or "1.0.0",
            declared=_declared(models, reads),
            models=tuple(model.facts("" if place else module) for place, model in enumerate(told)),
            file_models=models,
            odoo_module=text["module"],
            min_odoo=oldest,
            max_odoo=newest,
        )

    def _model(self, key: str, told: Any) -> FileModel:
        where = f"[models.{key}]"
        table = self._table(told, where)
        names = ("fields", "list", "filter", "create", "update", "search")
        known = ("model", "noun", "plural", "state", "numbered", "buttons", *names)
        self._keys(table, known, where)
        if not _WORD.fullmatch(key):
            self.problems.append(
                f"{where}: a name must consist of lower-case letters, digits and _."
            )
        fields = {name: self._names(table, name, where, _FIELD) for name in names}
        if not fields["fields"]:
            self.problems.append(f"{where}: fields must list the fields to show.")
        buttons = self._table(table.get("buttons", {}), f"[models.{key}.buttons]")
        noun = self._text(table, "noun", where) or key.replace("_", " ")
        model = FileModel(
            key=key,
            model=self._text(table, "model", where, needed=True, form=_MODEL_NAME),
            noun=noun,
            plural=self._text(table, "plural", where, form=_WORD) or f"{key}s",
            state=self._text(table, "state", where, form=_FIELD) or "state",
            numbered=self._flag(table, "numbered", where),
            buttons=tuple(self._button(key, name, of) for name, of in buttons.items()),
            listed=fields.pop("list") or fields["fields"][:8],
            **fields,
        )
        keys = [button.key for button in model.buttons]
        for button in model.buttons:
            if button.undo and button.undo not in keys:
                self.problems.append(
                    f"[models.{key}.buttons.{button.key}]: undo is {button.undo!r}, which is not "
                    f"another button of {key}."
                )
        self._clashes(model, where)
        return model

    def _clashes(self, model: FileModel, where: str) -> None:
        own = {f"{model.key}_id", f"{model.key}_name"}
        for name in {*model.create, *model.update, *model.filter} & (TAKEN | own):
            self.problems.append(
                f"{where}: the field {name} has the same name as an argument of the tools."
                + (" Choose another name for the model." if name in own else "")
            )

    def _button(self, of: str, key: str, told: Any) -> FileButton:
        where = f"[models.{of}.buttons.{key}]"
        table = self._table(told, where)
        self._keys(table, ("method", "from", "to", "description", "undo", "ask"), where)
        if not _WORD.fullmatch(key) or key in VERBS:
            self.problems.append(
                f"{where}: the name of a button must consist of lower-case letters, digits and _, "
                f"and must not be {', '.join(sorted(VERBS))}."
            )
        to = self._names(table, "to", where)
        if not to:
            self.problems.append(f"{where}: to must list the states that the button leads to.")
        return FileButton(
            key=key,
            method=self._text(table, "method", where, needed=True),
            to=to,
            sources=self._names(table, "from", where),
            description=self._text(table, "description", where),
            undo=self._text(table, "undo", where),
            ask=self._flag(table, "ask", where),
        )

    # The parts of a table.

    def _keys(self, table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
        names = list(known)
        for key in table:
            if key not in names:
                near = difflib.get_close_matches(key, names, n=1)
                meant = f" Did you mean {near[0]}?" if near else f" Choose from {', '.join(names)}."
                self.problems.append(f"{where} has the unknown key {key!r}.{meant}")

    def _table(self, told: Any, where: str) -> Mapping[str, Any]:
        if isinstance(told, Mapping):
            return told
        self.problems.append(f"{where} must be a table.")
        return {}

    def _text(
        self,
        table: Mapping[str, Any],
        key: str,
        where: str,
        *,
        needed: bool = False,
        form: re.Pattern[str] | None = None,
    ) -> str:
        told = table.get(key, "")
        wrong = not isinstance(told, str) or (needed and not told.strip())
        if wrong or (told and form and not form.fullmatch(told)):
            missing = needed and key not in table
            self.problems.append(
                f"{where}: {key} is missing." if missing else f"{where}: {key} cannot be {told!r}."
            )
            return ""
        return str(told).strip()

    def _flag(self, table: Mapping[str, Any], key: str, where: str) -> bool:
        told = table.get(key, False)
        if not isinstance(told, bool):
            self.problems.append(f"{where}: {key} must be true or false.")
        return told is True

    def _version(self, table: Mapping[str, Any], key: str) -> int | None:
        told = table.get(key)
        if told is not None and (type(told) is not int or not 0 < told < 100):
            self.problems.append(f"[plugin]: {key} must be a version of Odoo, such as 16.")
            return None
        return told

    def _names(
        self,
        table: Mapping[str, Any],
        key: str,
        where: str,
        form: re.Pattern[str] | None = None,
    ) -> tuple[str, ...]:
        told = table.get(key, [])
        if not isinstance(told, list) or not all(isinstance(one, str) and one for one in told):
            self.problems.append(f"{where}: {key} must be a list of names.")
            return ()
        for name in told:
            if form and not form.fullmatch(name):
                self.problems.append(f"{where}: {key} contains {name!r}, which is not a name.")
        self._same(told, f"name in {key} of {where}")
        return tuple(told)

    def _same(self, names: list[str], what: str) -> None:
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.problems.append(f"The {what} {name!r} is listed twice.")


_MODEL_NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")


def _declared(models: Iterable[FileModel], reads: Iterable[str]) -> Declared:
    """Return what the tools of some models send: that, and nothing else, may be sent."""
    steps = {
        model.model: (
            *(["create"] if model.create else []),
            *(["write"] if model.update else []),
            *(button.method for button in model.buttons),
        )
        for model in models
    }
    return Declared(reads=reads, steps=steps)
