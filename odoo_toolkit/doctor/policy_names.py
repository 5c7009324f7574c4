"""Names in a policy's lists that this Odoo does not have: in a blocklist, they close nothing."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import attrs

from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.doctor.diagnosis import Step, ok, warning
from odoo_toolkit.errors import OdooError
from odoo_toolkit.policy.rules import Rules

_MODELS = ("model_allowlist", "model_blocklist", "write_allowlist")
_FIELDS = "field_blocklist"

#: Whose fields are looked at if Odoo does not list all fields to this user.
_COMMON = (
    *("res.partner", "res.users", "product.template"),
    *("sale.order", "account.move", "hr.employee"),
)


def unknown_names(odoo: Odoo, policies: Iterable[Rules]) -> list[str]:
    """Return a sentence for each model and field in the lists that Odoo does not have.

    It is one request for the models and one for the fields, and more only if a name is not found or
    this user can't read ``ir.model``. Methods are not looked for.

    Args:
        odoo: a connection. Its own policy does not matter.
        policies: whose lists are looked at.
    """
    lists: dict[str, set[str]] = {}
    for policy in policies:
        for name in (*_MODELS, _FIELDS):
            lists.setdefault(name, set()).update(getattr(policy, name))
    fields = {name.lower() for name in lists.pop(_FIELDS, ())}
    models = set[str]().union(*lists.values())
    unknown = _unknown_models(odoo, models) if models else {}
    told = [
        f"The {name.replace('_', ' ')} contains {model!r}, but Odoo has no such model."
        f"{unknown[model] or ' Correct it, or install its app.'}"
        for name, listed in lists.items()
        for model in sorted(listed & unknown.keys())
    ]
    return told + (list(_unknown_fields(odoo, fields)) if fields else [])


def look_at_lists(odoo: Odoo, policy: Rules) -> Step:
    """Return what is wrong with the names in the lists of a policy."""
    if told := unknown_names(odoo, [policy]):
        step = warning(" ".join(told), "Correct the lists. A wrong name has no effect.")
    else:
        step = ok("Odoo has the models and fields in the lists.")
    return attrs.evolve(step, name="lists")


def _unknown_models(odoo: Odoo, models: Collection[str]) -> Mapping[str, str]:
    """Return the models that Odoo does not have, each with the one that may be meant."""
    doubtful = set(models)
    try:
        found = odoo.call(_listed([["model", "in", sorted(models)]]))
        doubtful -= {row["model"] for row in found}
    except OdooError:
        pass  # few users may read it, but each may ask for the fields of a model
    unknown = {}
    for model in sorted(doubtful):
        try:
            odoo.schema.fields(model)
        except OdooError as error:
            if error.code == "UNKNOWN_MODEL":
                unknown[model] = _meant(model, _models(odoo))
    return unknown


def _models(odoo: Odoo) -> Collection[str]:
    """Return the names of all models, as far as Odoo tells them in one request."""
    try:
        return {row["model"] for row in odoo.call(_listed([]))}
    except OdooError:
        pass
    try:
        return odoo.schema.models()
    except OdooError:
        return ()


def _listed(domain: list[Any]) -> Call:
    return asking("ir.model", "search_read", domain=domain, fields=["model"])


def _unknown_fields(odoo: Odoo, fields: Collection[str]) -> Iterator[str]:
    """Yield what is to be said of the fields that no model has, as far as Odoo tells."""
    try:
        missing = set(fields) - _named(odoo, ["name", "in", sorted(fields)])
    except OdooError:
        yield from _not_common(odoo, fields)
        return
    for name in sorted(missing):
        meant = _meant(name, _named(odoo, ["name", "=like", f"{name[:2]}%"]))
        yield f"The field blocklist contains {name!r}, but no model has such a field.{meant}"


def _not_common(odoo: Odoo, fields: Collection[str]) -> Iterator[str]:
    """Yield what is to be said of fields if Odoo does not list the fields of all models."""
    known: set[str] = set()
    for model in _COMMON:
        known.update(odoo.schema.described(model))
        if known.issuperset(fields):
            return
    for name in sorted(set(fields) - known):
        yield (
            f"The toolkit could not find the field {name!r} of the field blocklist, and this user"
            f" can't list the fields of all models.{_meant(name, known)}"
        )


def _named(odoo: Odoo, condition: list[object]) -> set[str]:
    call = asking("ir.model.fields", "search_read", domain=[condition], fields=["name"])
    return {row["name"] for row in odoo.call(call)}


def _meant(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return f" Did you mean {near[0]!r}?" if near else ""
