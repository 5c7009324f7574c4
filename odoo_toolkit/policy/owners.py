"""Records that belong to records of other models: messages, files, activities, default values, ...

Whoever may not see a model must not see its messages either, nor a closed field's tracked values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy.tables import (
    BLOCKED_FIELD_SUFFIXES,
    BLOCKED_FIELDS,
    BLOCKED_MODELS,
    FILE_MODELS,
    NEVER_WRITTEN,
    OWNERS,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy import Policy
    from odoo_toolkit.policy.names import FieldsOf

#: Where Odoo shows the files behind binary fields only to who asks for them by these.
_FILE_FIELDS = frozenset({"id", "res_field"})


def is_owned(model: str | None) -> bool:
    """Whether records of a model belong to records of other models."""
    return model in OWNERS


def reaches_others(field: Field) -> bool:
    """Whether following a relation leads to what belongs to records of other models.

    ``message_ids`` and the like do not: their inverse is the id of the very record.
    """
    return is_owned(field.relation) and not (
        field.type == "one2many" and field.relation_field == "res_id"
    )


def record_filter(
    policy: Policy, model: str, domain: Sequence[Any], fields_of: FieldsOf
) -> list[Any]:
    """Return the domain to AND onto a search, so that what is closed stays unseen.

    Args:
        policy: what is closed.
        model: the model that is searched, such as ``ir.attachment``.
        domain: what it is searched by.
        fields_of: the schema of a model by its name.

    Returns:
        A domain; empty for models whose records stand for themselves. Records that belong to no
        model stay (``not in`` keeps empty values on every version).
    """
    owner = OWNERS.get(model)
    if owner is None:
        return []
    if policy.closes and not owner.model and not owner.field:
        raise _inseparable(model)
    path = _present(owner.model, model, fields_of, policy.closes)
    found = _model_filter(policy, path) if path else []
    if model in FILE_MODELS:
        found += _file_filter(policy, domain)
    elif policy.field_blocklist and (path := _present(owner.field, model, fields_of, True)):
        found.append([path, "not in", _closed_fields(policy)])
    return found


def change_filter(model: str) -> list[Any]:
    """Return the domain of the records of a model that may be changed at all.

    A file with an address of its own is part of Odoo's pages; so is one of a model that is never
    written.
    """
    if model not in FILE_MODELS:
        return []
    found: list[Any] = [["url", "=", False], ["res_field", "=", False]]
    for pattern in NEVER_WRITTEN:
        like = pattern.replace("_", "\\_").replace("*", "%")
        found += ["|", ["res_model", "=", False], "!", ["res_model", "=like", like]]
    return found


def _present(paths: Iterable[str], model: str, fields_of: FieldsOf, must_exist: bool) -> str | None:
    """Return the first of several paths that this server has.

    Raises:
        AccessError: it has none of them, and the records cannot be told apart without.
    """
    paths = tuple(paths)
    if not paths:
        return None
    if len(paths) == 1 and "." not in paths[0]:
        return paths[0]
    described = fields_of(model)
    for path in paths:
        if path.split(".")[0] in described:
            return path
    if not must_exist:
        return None
    raise _inseparable(model)


def _inseparable(model: str) -> AccessError:
    return AccessError(
        f"{model} may not be accessed: what belongs to closed models or fields cannot be told"
        " apart in it.",
        code="MODEL_BLOCKED",
        suggestion="Leave it out; what it holds is managed by the administrator in Odoo.",
        details={"model": model, "named_in": "model"},
    )


def _model_filter(policy: Policy, path: str) -> list[Any]:
    if policy.model_allowlist:
        allowed = sorted(policy.model_allowlist - policy.model_blocklist - set(BLOCKED_MODELS))
        return ["|", [path, "=", False], [path, "in", allowed]]
    if "." in path and not policy.model_blocklist:
        return []  # what always is closed has neither messages nor tracked values
    return [[path, "not in", sorted({*BLOCKED_MODELS, *policy.model_blocklist})]]


def _file_filter(policy: Policy, domain: Sequence[Any]) -> list[Any]:
    """Keep the files behind closed binary fields unseen, whatever the domain or context."""
    by_field = any(
        isinstance(leaf, (list, tuple)) and leaf and leaf[0] in _FILE_FIELDS for leaf in domain
    )
    if not by_field:
        # Odoo's own rule, which a context key can switch off.
        return [["res_field", "=", False]]
    found: list[Any] = [["res_field", "not in", _closed_fields(policy)]]
    for suffix in BLOCKED_FIELD_SUFFIXES:
        pattern = "%" + suffix.replace("_", "\\_")
        found += ["|", ["res_field", "=", False], "!", ["res_field", "=ilike", pattern]]
    return found


def _closed_fields(policy: Policy) -> list[str]:
    return sorted(BLOCKED_FIELDS | policy.field_blocklist)


def without_names(rows: Any, fields: Mapping[str, Field]) -> Any:
    """Return rows that were read, without the names of what belongs to other models' records.

    The name of a message is the name of its record, or begins its text.

    Args:
        rows: as ``read`` and ``search_read`` return them.
        fields: of their model.
    """
    hidden = [
        field for field in fields.values() if field.type == "many2one" and is_owned(field.relation)
    ]
    if not hidden or not isinstance(rows, list):
        return rows
    for row in rows:
        for field in hidden:
            value = row.get(field.name)
            if isinstance(value, (list, tuple)) and len(value) == 2:
                row[field.name] = [value[0], f"{field.relation},{value[0]}"]
    return rows
