"""What users meet in a business operation, they can import.

Where from is one rule: the package root has what the whole library shares (errors, plans, names of
records); ``odoo_toolkit.mail`` has what e-mails are made of; ``odoo_toolkit.apps.<app>`` has what
its own functions take and return besides. What one app returns of another, such as the bill of a
purchase order, comes from that other app.
"""

from __future__ import annotations

import importlib
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

import odoo_toolkit
from docs.builder.apps import business_apps
from odoo_toolkit import mail

_RAISES = re.compile(r"^\s+(\w+(?:Error|Cancelled)):", re.MULTILINE)


def functions(app: str) -> Iterator[Callable[..., Any]]:
    """Yield the public functions of an app."""
    module = importlib.import_module(f"odoo_toolkit.apps.{app}")
    yield from (
        each for name in module.__all__ if inspect.isfunction(each := getattr(module, name))
    )


def classes_in(hint: Any, seen: set[type]) -> set[type]:
    """Return the classes of ours in an annotation, those of their attributes included."""
    for part in typing.get_args(hint):
        classes_in(part, seen)
    ours = isinstance(hint, type) and hint.__module__.startswith("odoo_toolkit")
    if ours and hint not in seen:
        seen.add(hint)
        if attrs.has(hint) or typing.is_typeddict(hint):
            for each in typing.get_type_hints(hint).values():
                classes_in(each, seen)
    return seen


def public_beside(of: type, user: str) -> list[str]:
    """Return the public names of the app that a class is of; none where it is of no app.

    A class of the parts of operations is to be public in each app that uses it.
    """
    _, package, app, *_ = [*of.__module__.split("."), "", ""]
    if package == "operations":
        package, app = "apps", user
    if package == "mail":
        return mail.__all__
    if package != "apps":
        return []
    public: list[str] = importlib.import_module(f"odoo_toolkit.apps.{app}").__all__
    return public


@pytest.mark.parametrize("app", business_apps())
def test_users_can_import_everything_that_they_meet(app: str) -> None:
    missing = set()
    for function in functions(app):
        seen: set[type] = set()
        for hint in typing.get_type_hints(function).values():
            classes_in(hint, seen)
        missing |= {
            f"{each.__module__}.{each.__name__}"
            for each in seen
            if each.__name__ not in {*public_beside(each, app), *odoo_toolkit.__all__}
        }
        raised = _RAISES.findall(inspect.getdoc(function) or "")
        missing |= {name for name in raised if name not in odoo_toolkit.__all__}

    assert not missing, "\n".join(sorted(missing))
