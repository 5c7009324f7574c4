"""What the server says of its models: fields, models, modules; cached and thread-safe."""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from odoo_toolkit.app_models import MODULES
from odoo_toolkit.call import Call, asking
from odoo_toolkit.compat import GONE_MODELS, RENAMED_MODELS
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError
from odoo_toolkit.fields import ATTRIBUTES, Field, FieldsOf, other_names, parse_fields

#: Seconds after which a description is asked for again: modules get installed, fields added.
LIFETIME = 600.0


class Schema:
    """Descriptions of models, asked from the server once and kept for a while.

    Several threads that need the same description make one request together.

    Args:
        call: sends a call to the server.
        major: tells the server's major version.
        model_allowed: whether a model may be named to the caller.
    """

    def __init__(
        self,
        call: Callable[[Call], Any],
        major: Callable[[], int],
        model_allowed: Callable[[str], bool],
    ) -> None:
        self._call, self._major, self._model_allowed = call, major, model_allowed
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._kept: dict[str, tuple[float, Any]] = {}
        #: Returns the fields of a model; none where they cannot be had.
        self.described: FieldsOf = partial(self.fields, missing={})

    def fields(self, model: str, missing: Mapping[str, Field] | None = None) -> Mapping[str, Field]:
        """Return the fields of a model, as the connected user may see them.

        Args:
            model: technical name.
            missing: what is returned where they cannot be had; without it, that is an error.

        Raises:
            NotFoundError: there is no such model (UNKNOWN_MODEL, with ``did_you_mean``).
            AccessError: the user cannot read the model.
        """
        key = f"fields {model}"
        kept = self._kept.get(key)
        if kept and time.monotonic() - kept[0] < LIFETIME:  # as of nearly every question
            fields: Mapping[str, Field] = kept[1]
            return fields
        try:
            asked: Mapping[str, Field] = self.remember(key, lambda: self._ask_fields(model))
        except OdooError:
            if missing is None:
                raise
            return missing
        return asked

    def files(self, *, only: bool = False) -> frozenset[str]:
        """Return the names of the fields with files, of all models that were asked for.

        Args:
            only: not those that are the name of something else on another of these models.
        """
        described = [held for key, (_, held) in list(self._kept.items()) if key[:7] == "fields "]
        named = [(name, field.type) for held in described for name, field in held.items()]
        others = {name for name, kind in named if only and kind != "binary"}
        return frozenset(name for name, kind in named if kind == "binary") - others

    def has_model(self, model: str) -> bool:
        """Whether the model exists and the user may read it."""
        try:
            self.fields(model)
        except (NotFoundError, AccessError):
            return False
        return True

    def models(self) -> Mapping[str, str]:
        """Return the label of each model that the user may read, as far as the server tells.

        From 16 on any user may ask; on 14 everybody may read ``ir.model``; on 15 only users with
        Settings rights may.

        Raises:
            AccessError: the server does not tell this user.
        """
        models: Mapping[str, str] = self.remember(
            "models", lambda: MappingProxyType(self._ask_models())
        )
        return models

    def module_installed(self, module: str, *, alone: bool = False) -> bool:
        """Whether a module is installed, found out in a way that works for ordinary users.

        The module's main model is asked for; for modules without a known one, the list of
        modules is read, which on 14 and 15 needs Settings rights.

        Args:
            module: its technical name.
            alone: ask for one field, as the model's others are not used next.

        Raises:
            AccessError: the list of modules is not readable and nothing else tells.
        """
        if told := MODULES.get(module):
            name, field = told.name, told.module_field
            if alone and f"fields {name}" not in self._kept:
                return self._has_field(name, field)
            return self.has_model(name) and field in self.fields(name)
        found = self._call(
            asking(
                "ir.module.module",
                "search_count",
                domain=[["name", "=", module], ["state", "=", "installed"]],
            )
        )
        return bool(found)

    def may(self, model: str, operation: str) -> bool:
        """Whether the user's access rights allow an operation on a model, as far as Odoo tells.

        Args:
            model: such as ``res.partner``.
            operation: read, write, create or unlink.
        """
        try:
            return self.ask_right(model, operation)
        except OdooError:
            return False

    def ask_right(self, model: str, operation: str) -> bool:
        """Ask whether the user's access rights allow an operation on a model at all.

        Args:
            model: such as ``res.partner``.
            operation: read, write, create or unlink.

        Raises:
            OdooError: Odoo does not tell, such as of a model that it does not have.
        """
        call = asking(model, "has_access", (), operation=operation)
        # has_access came in 18, where check_access_rights became deprecated.
        if self._major() < 18:
            call = asking(model, "check_access_rights", operation=operation, raise_exception=False)
        return bool(self._call(call))

    def forget(self, model: str | None = None) -> None:
        """Drop what is kept of a model, or everything."""
        with self._lock:
            if model is None:
                self._kept.clear()
            else:
                self._kept.pop(f"fields {model}", None)

    def remember(self, key: str, ask: Callable[[], Any]) -> Any:
        """Return what is kept under a key; ask for it where it is missing or too old.

        Args:
            key: what it is, and of which model: ``form sale.order``.
            ask: gets it; what it raises is raised, and not kept.
        """
        kept = self._kept.get(key)
        if kept and time.monotonic() - kept[0] < LIFETIME:
            return kept[1]
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            kept = self._kept.get(key)
            if kept and time.monotonic() - kept[0] < LIFETIME:
                return kept[1]
            answer = ask()
            self._kept[key] = (time.monotonic(), answer)
            return answer

    def _ask_fields(self, model: str) -> Mapping[str, Field]:
        call = asking(model, "fields_get", allfields=[], attributes=list(ATTRIBUTES))
        try:
            return MappingProxyType(parse_fields(self._call(call)))
        except NotFoundError as error:
            self._suggest_model(model, error)
            raise

    def _has_field(self, model: str, field: str) -> bool:
        try:
            found = self._call(asking(model, "fields_get", allfields=[field], attributes=["type"]))
        except (NotFoundError, AccessError):
            return False
        return field in found

    def _suggest_model(self, model: str, error: OdooError) -> None:
        try:
            names = self.models() if self._tells_models else self._listed_models()
            renamed = [name for name in other_names(model, RENAMED_MODELS) if name in names]
            near = renamed or difflib.get_close_matches(model, names, n=3)
        except OdooError:
            return
        allowed = [
            name
            for name in near
            if self._model_allowed(name) and (self._tells_models or self.may(name, "read"))
        ]
        if allowed:
            error.details["did_you_mean"] = allowed
            error.message += f" Did you mean {' or '.join(allowed)}?"
        if model in GONE_MODELS:
            error.message += f" {GONE_MODELS[model]}"

    @property
    def _tells_models(self) -> bool:
        """Whether the server itself tells which models a user may read: from 16 on."""
        return self._major() >= 16

    def _ask_models(self) -> Mapping[str, str]:
        if self._tells_models:
            call = asking("ir.model", "get_available_models")
            return {row["model"]: row["display_name"] for row in self._call(call)}
        labels = self._listed_models()
        # The list holds abstract models and models that the user cannot read, too.
        readable = side_by_side(
            [lambda model=model: self.may(model, "read") for model in labels]  # type: ignore[misc]
        )
        return {model: labels[model] for model, may in zip(labels, readable, strict=True) if may}

    def _listed_models(self) -> Mapping[str, str]:
        """Return the label of each model in ``ir.model``, which all may read on 14 only."""

        def ask() -> Mapping[str, str]:
            call = asking(
                "ir.model",
                "search_read",
                domain=[["transient", "=", False]],
                fields=["model", "name"],
            )
            return {row["model"]: row["name"] for row in self._call(call)}

        models: Mapping[str, str] = self.remember("listed models", ask)
        return models
