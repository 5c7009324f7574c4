"""Runs the calls of a fuzz, and looks after each whether the database is the same."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from random import Random
from typing import Any

import attrs

from odoo_toolkit import AccessError, Odoo, OdooError, Policy, ValidationError, execute
from odoo_toolkit.fields import parse_fields
from tests.attacks.database import Database
from tests.attacks.fuzz_calls import reading_calls
from tests.attacks.policies import Raw
from tests.provisioning.cache import cache_folder

#: Set by ``make attack``: every model and every name, where a usual run takes a sample.
EVERYTHING = "ODOO_TOOLKIT_ATTACK_ALL"
#: Every so many models make the sample.
STRIDE = 30

_METHOD = re.compile(r"^    def ([A-Za-z]\w*)\(self", re.MULTILINE)
_BUTTON = re.compile(r"<button[^>]*\bname=\"([A-Za-z]\w*)\"")


@attrs.define
class Outcome:
    """What came of a fuzz: how the calls went, and after which ones the database had changed."""

    calls: Counter[str] = attrs.Factory(Counter)
    changes: list[str] = attrs.Factory(list)


def sample(names: Sequence[str], stride: int = STRIDE) -> list[str]:
    """Return all names under ``make attack``, else one of every so many."""
    return list(names if os.environ.get(EVERYTHING) else names[::stride])


def fuzz(
    odoo: Odoo, user: Raw, database: Database, models: Collection[str], *, defaults: bool = True
) -> Outcome:
    """Read models in every way, and compare the database after each call.

    Args:
        odoo: whose policy is tried.
        user: the same user without the toolkit, who finds records to read.
        database: the server's, watched.
        models: technical names.
        defaults: whether to ask for default values, too.
    """
    outcome = Outcome()
    for model in models:
        ids = _records(user, model)
        calls = _calls(odoo, model, ids, defaults, outcome)
        if odoo.policy.model_blocked(model):
            calls = iter(list(calls))  # to describe a closed model is this test's doing
        before = database.state()
        for name, action in calls:
            try:
                action()
            except (AccessError, ValidationError):
                outcome.calls["refused"] += 1
            except OdooError:
                outcome.calls["failed"] += 1
            else:
                outcome.calls["answered"] += 1
            if changed := database.changes(before):
                outcome.changes.append(f"{model} {name}: " + "\n  ".join(changed))
                before = database.state()
    return outcome


def _calls(
    odoo: Odoo, model: str, ids: Sequence[int], defaults: bool, outcome: Outcome
) -> Iterator[tuple[str, Any]]:
    try:
        # By the model's name, so that what is found is found again when the model is tried alone.
        yield from reading_calls(odoo, model, ids, Random(model), defaults=defaults)
    except OdooError:
        outcome.calls["closed"] += 1


def _records(user: Raw, model: str) -> list[int]:
    """Return some records to read; of a wizard one that is opened now, where that can be done."""
    try:
        found: list[int] = user(model, "search", [], limit=3)
        return found or [user(model, "create", {})]
    except Exception:  # not this user's, without a table, or in need of values
        return []


def writing_fields(
    user: Raw, database: Database, models: Collection[str], policy: Policy
) -> set[tuple[str, str]]:
    """Return the computed fields that change the database when they are read.

    Read without the toolkit, all of a model at once; where something changed, by halves.

    Args:
        user: reads.
        database: the server's, watched.
        models: technical names.
        policy: what is closed is not looked at.
    """
    found: set[tuple[str, str]] = set()

    def changes(model: str, ids: Sequence[int], names: Sequence[str]) -> bool:
        before = database.counters()
        with contextlib.suppress(Exception):  # a field that fails hides others only until halved
            user(model, "read", list(ids), list(names))
            return database.counters() != before
        return len(names) > 1 or database.counters() != before

    def halve(model: str, ids: Sequence[int], names: Sequence[str]) -> None:
        if not names or not changes(model, ids, names):
            return
        if len(names) == 1:
            found.add((model, names[0]))
            return
        middle = len(names) // 2
        halve(model, ids, names[:middle])
        halve(model, ids, names[middle:])

    for model in models:
        if policy.model_blocked(model):
            continue
        with contextlib.suppress(Exception):  # not this user's
            described = parse_fields(user(model, "fields_get"))
            open_fields = policy.readable_fields(model, lambda _, fields=described: fields)
            if ids := _records(user, model):
                halve(model, ids, [n for n, field in open_fields.items() if not field.store])
    return found


def models_of(raw: Raw) -> list[str]:
    """Return the names of all models."""
    return sorted(row["model"] for row in raw("ir.model", "search_read", [], ["model"]))


def wizards_of(raw: Raw) -> list[str]:
    """Return the names of the transient models."""
    rows = raw("ir.model", "search_read", [["transient", "=", True]], ["model"])
    return sorted(row["model"] for row in rows)


def method_names(release: str) -> list[str]:
    """Return every public method's name that the sources and views of a provisioned Odoo have."""
    root = cache_folder() / release / "root/usr/lib/python3/dist-packages/odoo"
    names: set[str] = set()
    for path in root.rglob("*.py"):
        if "tests" not in path.parts:
            names.update(_METHOD.findall(path.read_text(encoding="utf-8", errors="replace")))
    for path in root.rglob("views/*.xml"):
        names.update(_BUTTON.findall(path.read_text(encoding="utf-8", errors="replace")))
    return sorted(names)


def passed(
    odoo: Any, models: Sequence[str], names: Collection[str], **call: Any
) -> dict[str, list[str]]:
    """Return which methods left the process although a refusal is due: name -> what was sent."""
    found: dict[str, list[str]] = {}
    for index, name in enumerate(sorted(names)):
        odoo.sent.clear()
        refused = False
        try:
            execute(odoo, models[index % len(models)], name, [[1]], **call)
        except (AccessError, ValidationError):
            refused = True
        except OdooError:
            pass
        if odoo.callers() or not refused:
            found[name] = odoo.callers()
    return found
