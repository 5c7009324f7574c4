"""Records that belong to records of other models: messages, files, activities, default values, ...

Whoever may not see a model must not see its messages either, nor a closed field's tracked values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.arguments.domain_shape import together
from odoo_toolkit.errors import AccessError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.tables import (
    BLOCKED_FIELD_SUFFIXES,
    BLOCKED_FIELDS,
    BLOCKED_MODELS,
    FILE_MODELS,
    NEVER_WRITTEN,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules


@attrs.frozen
class Owner:
    """Where a model names the model, and the field, of the records that its own belong to.

    Attributes:
        model: paths to the model's name; the first that a server has is taken.
        field: paths to the name of the field that it is about, if it is about one.
    """

    model: tuple[str, ...] = ()
    field: tuple[str, ...] = ()


def _owned(names: str, *paths: str) -> dict[str, Owner]:
    return dict.fromkeys(names.split(), Owner(paths))


#: Models whose records belong to records of other models. Of those without a path it cannot be
#: told to which.
OWNERS: dict[str, Owner] = {
    **dict.fromkeys(FILE_MODELS, Owner(("res_model",), ("res_field",))),
    **_owned("ir.actions.report ir.model ir.model.data ir.ui.view mail.mail mail.message", "model"),
    **_owned("mail.scheduled.message mail.template mailing.trace sms.template", "model"),
    **_owned("snailmail.letter", "model"),
    **_owned("calendar.event ir.actions.act_window mail.activity mail.followers", "res_model"),
    **_owned("privacy.lookup.wizard.line rating.rating", "res_model"),
    **_owned("chatbot.message mail.group.message mail.message.schedule", "mail_message_id.model"),
    **_owned("mail.notification mail.resend.message sms.sms", "mail_message_id.model"),
    **_owned("mail.message.link.preview mail.message.reaction", "message_id.model"),
    **_owned("mail.message.translation", "message_id.model"),
    # From 18 on it belongs to no message, and its address is no model's name.
    **_owned("mail.link.preview", "message_id.model", "source_url"),
    **_owned("data_recycle.record", "res_model_name"),
    **_owned("ir.exports", "resource"),
    **_owned("ir.filters", "model_id"),
    **_owned("ir.ui.view.custom", "ref_id.model"),
    **_owned("mail.alias", "alias_model_id.model"),
    **_owned("ir.translation privacy.log"),
    "crm.lead.scoring.frequency": Owner((), ("variable",)),
    "ir.default": Owner(("field_id.model",), ("field_id.name",)),
    "ir.exports.line": Owner(("export_id.resource",), ("name",)),
    "ir.model.fields": Owner(("model",), ("name",)),
    "ir.model.fields.selection": Owner(("field_id.model",), ("field_id.name",)),
    "ir.property": Owner(("fields_id.model",), ("fields_id.name",)),
    "mail.tracking.value": Owner(("mail_message_id.model",), ("field_id.name", "field.name")),
}

#: Their records hold what fields of other records held before.
HOLDS_OLD_VALUES = frozenset({"mail.tracking.value"})
#: Texts in which such values are written out: the e-mail that tells of a change.
TELLS_OLD_VALUES = frozenset({("mail.mail", "body_html"), ("mail.mail", "body_content")})

_PROPERTIES = frozenset({"properties", "properties_definition"})

#: Where Odoo shows the files behind binary fields only to who asks for them by these.
_FILE_FIELDS = frozenset({"id", "res_field"})
_NO_FIELD = ["res_field", "=", False]


def is_owned(model: str | None) -> bool:
    """Whether records of a model belong to records of other models."""
    return model in OWNERS


def is_separable(model: str) -> bool:
    """Whether every record is either found or kept unseen: its owner stands in itself.

    Of paths with dots, Odoo to 18 finds records without a first step by neither.
    """
    owner = OWNERS[model]
    return not any("." in path for path in (*owner.model, *owner.field))


def reaches_others(field: Field) -> bool:
    """Whether following a relation leads to what belongs to records of other models.

    ``message_ids`` and the like do not: their inverse is the id of the very record.
    """
    return is_owned(field.relation) and not (
        field.type == "one2many" and field.relation_field == "res_id"
    )


def record_filter(
    policy: Rules, model: str, domain: Sequence[Any], fields_of: FieldsOf
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


def hidden_filter(
    policy: Rules, model: str, domain: Sequence[Any], fields_of: FieldsOf
) -> list[Any]:
    """Return the domain of what :func:`record_filter` keeps unseen; empty where that is nothing.

    Of files, those behind binary fields are not meant: Odoo itself does not find them.

    Args: as of :func:`record_filter`.
    """
    found = record_filter(policy, model, domain, fields_of)
    own = [leaf for leaf in found if leaf == _NO_FIELD]
    closed = [leaf for leaf in found if leaf != _NO_FIELD]
    if not closed or _is_about_open(policy, OWNERS[model], domain):
        return []
    return ["!", *together(closed), *own]


def _is_about_open(policy: Rules, owner: Owner, domain: Sequence[Any]) -> bool:
    """Whether a domain finds only what belongs to models that it names, all of them open."""
    plain = all(isinstance(leaf, (list, tuple)) and len(leaf) == 3 for leaf in domain)
    if (policy.field_blocklist and owner.field) or not plain:
        return False
    named = [leaf[2] for leaf in domain if leaf[0] in owner.model and leaf[1] in ("=", "in")]
    return not _asks_by_file(domain) and any(
        all(
            name is False or (isinstance(name, str) and policy.model_allowed(name))
            for name in (value if isinstance(value, list) else [value])
        )
        for value in named
    )


def change_filter(policy: Rules, model: str) -> list[Any]:
    """Return the domain of the records of a model that may be changed at all.

    A file with an address of its own is part of Odoo's pages; so is one of a model that is never
    written.
    """
    if not policy.protect or model not in FILE_MODELS:
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
        f"{model} cannot be accessed: the toolkit cannot check which of its records belong to "
        "blocked models or fields.",
        code="MODEL_BLOCKED",
        suggestion="Omit it, or connect with a Policy that blocks no models or fields.",
        details={"model": model, "named_in": "model"},
    )


def _model_filter(policy: Rules, path: str) -> list[Any]:
    if policy.model_allowlist:
        allowed = sorted(filter(policy.model_allowed, policy.model_allowlist))
        return ["|", [path, "=", False], [path, "in", allowed]]
    if "." in path and not policy.model_blocklist:
        return []  # what always is closed has neither messages nor tracked values
    closed = {*(BLOCKED_MODELS if policy.protect else ()), *policy.model_blocklist}
    return [[path, "not in", sorted(closed)]] if closed else []


def _file_filter(policy: Rules, domain: Sequence[Any]) -> list[Any]:
    """Keep the files behind closed binary fields unseen, whatever the domain or context."""
    if not policy.guards:
        return []
    if not _asks_by_file(domain):
        # Odoo's own rule, which a context key can switch off.
        return [_NO_FIELD]
    found: list[Any] = [["res_field", "not in", _closed_fields(policy)]]
    for suffix in BLOCKED_FIELD_SUFFIXES if policy.protect else ():
        pattern = "%" + suffix.replace("_", "\\_")
        found += ["|", ["res_field", "=", False], "!", ["res_field", "=ilike", pattern]]
    return found


def _asks_by_file(domain: Sequence[Any]) -> bool:
    return any(
        isinstance(leaf, (list, tuple)) and leaf and leaf[0] in _FILE_FIELDS for leaf in domain
    )


def _closed_fields(policy: Rules) -> list[str]:
    return sorted(policy.field_blocklist | (BLOCKED_FIELDS if policy.protect else frozenset()))


def open_properties(value: Any, closed: Callable[[str], bool], ids: bool = False) -> Any:
    """Return properties, or their definitions, without those that lead to closed models.

    Args:
        value: a list of properties, each with its definition.
        closed: whether a model is.
        ids: whether they stay, and only the names of their records go: who writes properties back
            must write all of them.
    """
    if not isinstance(value, list):
        return value
    kept = []
    for one in value:
        comodel = one.get("comodel") if isinstance(one, Mapping) else None
        if not isinstance(comodel, str) or not closed(comodel):
            kept.append(one)
        elif ids:
            held = {key: _nameless(one[key], comodel) for key in ("value", "default") if key in one}
            kept.append({**one, **held})
    return kept


def _nameless(value: Any, model: str) -> Any:
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[1], str):
            return [value[0], f"{model},{value[0]}"]
        return [_nameless(item, model) for item in value]
    return value


def without_closed_properties(
    rows: Any, fields: Mapping[str, Field], closed: Callable[[str], bool], ids: bool = False
) -> Any:
    """Return rows that were read without properties that lead to closed models.

    Args:
        rows: as ``read`` and ``search_read`` return them, or ``default_get`` one of them.
        fields: of their model.
        closed: whether a model is.
        ids: as of :func:`open_properties`.
    """
    for row in rows if isinstance(rows, list) else [rows]:
        for name in row if isinstance(row, dict) else ():
            if name in fields and fields[name].type in _PROPERTIES:
                row[name] = open_properties(row[name], closed, ids)
    return rows


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
