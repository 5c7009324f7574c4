"""A function that calls any public method of any model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc

from odoo_toolkit.annotations import ANY_JSON, Context, DryRun, JsonSchema, Model
from odoo_toolkit.arguments import Records, Values
from odoo_toolkit.arguments.contexts import checked_context
from odoo_toolkit.arguments.values import VALUES
from odoo_toolkit.call import Call, asking, name_arguments, opened_ids
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.change_history.recording import current
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import (
    MESSAGE_BODY_ESCAPED_SINCE,
    NO_KWARGS_METHODS,
    UNENCODED_FIELDS,
    words,
)
from odoo_toolkit.errors import AccessError, OdooError, ValidationError
from odoo_toolkit.fields import unknown_field_error
from odoo_toolkit.plans import Plan, operation, planned
from odoo_toolkit.policy.tables import is_read_unasked
from odoo_toolkit.records.arguments import check_unbroken, readable_of
from odoo_toolkit.records.omissions import with_left_out, without_unreadable
from odoo_toolkit.records.properties import Definitions, check_new, completed
from odoo_toolkit.records.reading_back import ReturnFields, checked_return_fields, read_back
from odoo_toolkit.records.results import ExecuteResult, Record
from odoo_toolkit.values.scalars import is_id
from odoo_toolkit.wizards.actions import is_action, is_wizard_action, kept
from odoo_toolkit.wizards.description import WizardDescription, describe_wizard

#: Methods that return as many rows as there are, unless a limit is given.
_LIMITED = frozenset(
    words("formatted_read_group name_search read_group search search_read web_search_read")
)

#: Methods that return ids -> the model that they are of; None for the model that was called.
_RETURNING: dict[str, str | None] = {
    "activity_schedule": "mail.activity",
    "copy": None,
    "create": None,
    "message_post": "mail.message",
    "name_create": None,
    "search": None,
}

#: Records, as Odoo writes them into an answer in JSON: ``sale.order(7, 8)``.
_RECORDS = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*)\(([0-9]+,?(?: [0-9]+,?)*)\)")

#: Read methods that return every field, blocked and binary ones too, when none are named.
_READ_ALL = frozenset({"read", "search_read"})

#: Methods whose values make records or change them.
_WRITING = frozenset({"copy", "create", "web_save", "write"})


#: Methods that post a body, and how a tag in one looks.
_POSTING = frozenset({"message_notify", "message_post"})
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@operation
def execute(
    odoo: Odoo,
    model: Model,
    method: Annotated[str, Doc("Public method, e.g. action_confirm, copy.")],
    args: Annotated[
        Sequence[Any],
        JsonSchema({"type": "array", "items": ANY_JSON}),
        Doc("Positional arguments. For record methods, the list of ids comes first."),
    ] = (),
    kwargs: Annotated[
        Mapping[str, Any] | None, JsonSchema({"type": "object"}), Doc("Named arguments.")
    ] = None,
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
    return_fields: ReturnFields = (),
    *,
    dry_run: DryRun = False,
) -> ExecuteResult | Plan:
    """Call a public method of a model.

    >>> execute(odoo, "sale.order", "action_confirm", [[42]])

    The name of the method must not start with an underscore, because Odoo rejects private methods.
    For a method of records, pass the list of ids as the first of ``args``. A button or action
    method that accepts no keyword arguments is called without ``kwargs``, and a warning says so.

    ``return_fields`` are read from the records that the method returned, such as a copy. If it
    returned no records, they are read from the records you called it on. ``read_from`` says which
    records you got. Reading them takes one more request.

    A dry run only asks the policy, because the effect of a method is unknown.

    Returns:
        If the method returned an action, ``result_type`` is ``action`` and ``action`` has it.
        Otherwise ``result_type`` is ``value`` and ``result`` has the value. If the action opens a
        wizard, ``wizard`` has its fields and buttons, and tells how to continue.

    Raises:
        AccessError: Odoo or the policy does not allow it. The readonly and restricted modes allow
            only known read methods.
        NotFoundError: The model, method or record does not exist.
        ValidationError: The arguments do not fit the method.
    """
    named = dict(kwargs or {})
    context = checked_context(named.pop("context", None)) | checked_context(context)
    warnings: list[str] = []
    if named and method in NO_KWARGS_METHODS:
        warnings.append(f"{method} accepts no named arguments. Not sent: {', '.join(named)}.")
        named = {}
    if method in _POSTING and odoo.version.major >= MESSAGE_BODY_ESCAPED_SINCE:
        _warn_of_tags(odoo, method, named, warnings)
    ids, arguments, positional = name_arguments(method, list(args), named)
    if method in _LIMITED and odoo.options.max_limit is not None:
        arguments["limit"] = _limit(odoo.options.max_limit, arguments.get("limit"), warnings)
    call = Call(
        model=model,
        method=method,
        ids=ids,
        arguments=arguments,
        positional=positional,
        context=context,
    )
    call = _with_all_properties(odoo, call, dry_run)
    if method == "load":
        odoo.check(call, planned=dry_run)  # what is closed is refused as that, and noted
        _check_columns(odoo, model, arguments.get("fields"))
        _tell_of_existing(odoo, model, arguments, warnings)
    if dry_run:
        would = f"Would call {method} of {model}" + (f" on {list(ids)}" if ids else "")
        would += "; whether there is such a method, and what it does, shows only then."
        return planned(odoo, [call], would, warnings=warnings)
    if call.reads and (recording := current()):
        # Values of any fields, also of files: a repeat reads again.
        recording.keeps_result = False
    result: Any
    names = checked_return_fields(odoo, model, return_fields, call.context)
    if method in _READ_ALL:
        if problem := odoo.policy.model_problem(model, "read"):
            raise problem
        _check_unbroken(odoo, model, arguments.get("fields"))
    if method in _READ_ALL and not arguments.get("fields"):
        result, _ = with_left_out(odoo, call, warnings, lambda: _read_all(odoo, call, warnings))
    else:
        result, _ = with_left_out(odoo, call, warnings, lambda: send(odoo, call, warnings))
        if method == "create" and isinstance(arguments.get("vals_list"), Mapping):
            (result,) = result
    action = kept(result) if is_action(result) else None
    wizard = _wizard(odoo, call, result, warnings) if action else None
    message = None
    if wizard:
        message = f"Odoo asks a question in {wizard.wizard_model}. Answer it with run_wizard."
    records, read_from = _read_after(odoo, call, result, names, warnings)
    return ExecuteResult(
        result_type="action" if action else "value",
        result=None if action else result,
        message=message,
        action=action,
        wizard=wizard,
        records=records,
        read_from=read_from,
        warnings=warnings,
    )


def _with_all_properties(odoo: Odoo, call: Call, dry_run: bool) -> Call:
    """Complete and check the properties in what a method writes or makes, also in its lines."""
    if call.method not in _WRITING or (name := VALUES[call.method]) not in call.arguments:
        return call
    read = odoo.check(call, planned=dry_run).arguments[name]
    fields_of = readable_of(odoo)
    known: Definitions = {}

    def of_new(values: Any) -> Any:
        if not isinstance(values, Values):
            return values
        return check_new(odoo, call.model, values.wire, call.context, fields_of, known)

    if isinstance(read, Values) and call.ids:
        wanted = dict.fromkeys(call.ids, read.wire)
        whole = list(completed(odoo, call.model, wanted, call.context, fields_of).values())
        if any(one != whole[0] for one in whole):
            raise ValidationError(
                f"These records of {call.model} have different properties. One call would replace "
                "the properties of all of them.",
                suggestion="Use write, which keeps the properties of each record.",
                details={"model": call.model, "fields": sorted(read)},
                outcome="not_sent",
            )
        sent: Any = whole[0]
    else:
        sent = [of_new(one) for one in read.items] if isinstance(read, Records) else of_new(read)
    return attrs.evolve(call, arguments={**call.arguments, name: sent})


def _check_columns(odoo: Odoo, model: str, columns: Any) -> None:
    """Refuse unknown columns of a ``load``, which Odoo 17 and earlier do not name.

    Single properties are refused, too. Odoo 17 and earlier do not take them. Odoo 18 and later read
    the value by the first definition of that name, whichever record it belongs to.

    Raises:
        ValidationError: there is no such field, or it is a single property.
    """
    fields_of = readable_of(odoo)
    for column in columns if isinstance(columns, list) else ():
        here: str | None = model
        for part in str(column).split("/"):
            # Odoo reads country_id.id and country_id:id as country_id/id.
            name, *key = re.split("[.:]", part.strip(), maxsplit=1)
            # Of what is closed nothing is asked: the policy refuses it.
            if here is None or name in ("", "id") or not odoo.policy.model_allowed(here):
                break
            if name not in (described := fields_of(here)):
                raise unknown_field_error(here, name, described)
            if key and described[name].type == "properties":
                raise ValidationError(
                    f"load does not accept a column for a single property: {column!r}.",
                    suggestion=f'Import with upsert, and {name} as JSON: {{"{key[0]}": 7}}.',
                    details={"model": model, "field": str(column)},
                    outcome="not_sent",
                )
            here = described[name].relation


def _warn_of_tags(odoo: Odoo, method: str, named: Mapping[str, Any], warnings: list[str]) -> None:
    """Warn of a body with tags that its readers will see as such."""
    body = named.get("body")
    if isinstance(body, str) and _TAG.search(body) and not named.get("body_is_html"):
        warnings.append(
            f"In Odoo {MESSAGE_BODY_ESCAPED_SINCE} and later, {method} treats the body as plain "
            "text, so readers see the tags. Pass body_is_html: true, or use post_message."
        )


def _tell_of_existing(
    odoo: Odoo, model: str, arguments: Mapping[str, Any], warnings: list[str]
) -> None:
    """Say which rows name records that exist: Odoo changes these, whoever made them.

    One round trip for rows with external ids; users who cannot read those are told nothing.
    """
    columns, rows = arguments.get("fields"), arguments.get("data")
    if not isinstance(columns, list) or not isinstance(rows, list) or "id" not in columns:
        return
    at = columns.index("id")
    given = {str(row[at]) for row in rows if isinstance(row, list) and len(row) > at and row[at]}
    names = [name.rpartition(".")[::2] for name in given]
    domain = [
        ["model", "=", model],
        ["module", "in", sorted({module for module, _ in names})],
        ["name", "in", sorted({name for _, name in names})],
    ]
    fields = ["complete_name", "res_id"]
    search = asking("ir.model.data", "search_read", domain=domain, fields=fields)
    try:
        found = [row for row in odoo.call(search) if row["complete_name"] in given]
    except AccessError:
        return
    if found:
        listed = ", ".join(
            f"{row['complete_name']} ({model} {row['res_id']})" for row in found[:10]
        )
        more = f" and {len(found) - 10} more" if len(found) > 10 else ""
        warnings.append(
            f"These external ids belong to existing records, which load changes: {listed}{more}."
        )


def _read_after(
    odoo: Odoo, call: Call, result: Any, names: list[str], warnings: list[str]
) -> tuple[list[Record], str | None]:
    """Return the records that a method returned, else those it was called on, and which they are.

    One round trip; none without names of fields.
    """
    found = _returned(call, result)
    model, ids = found or (call.model, list(call.ids or ()))
    if not names or not ids:
        return [], None
    says = "returned" if found else "was called on"
    if model != call.model:
        names = _known_there(odoo, model, names, warnings)
    records = read_back(odoo, model, ids, names, call.context, warnings)
    if found is None and _are_numbers(result):
        warnings.append(f"{call.method} returned numbers, which might be ids.")
    return records, f"{model}: what {call.method} {says}"


def _returned(call: Call, result: Any) -> tuple[str, list[int]] | None:
    """Return model and ids of the records that a method returned; None where it returned none."""
    if is_action(result):
        model, opened = result.get("res_model"), opened_ids(result)
        return (model, opened) if isinstance(model, str) and opened else None
    if isinstance(result, str) and (named := _RECORDS.fullmatch(result)):
        return named[1], [int(number) for number in re.findall("[0-9]+", named[2])]
    if call.method not in _RETURNING:
        return None
    model = _RETURNING[call.method] or call.model
    # name_create returns the id with the name.
    ids = [number for number in _listed(result) if is_id(number)]
    return (model, ids) if ids else None


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _are_numbers(result: Any) -> bool:
    listed = _listed(result)
    return bool(listed) and all(map(is_id, listed))


def _known_there(odoo: Odoo, model: str, names: list[str], warnings: list[str]) -> list[str]:
    """Return those of the names that another model than the expected one has."""
    try:
        described = readable_of(odoo)(model)
    except OdooError as error:
        warnings.append(f"{model} cannot be read: {error.message}")
        return []
    there = [name for name in names if name == "*" or name.partition(".")[0] in described]
    if lacking := [name for name in names if name not in there]:
        warnings.append(f"{model} has no field {', '.join(lacking)}.")
    return there


def _limit(most: int, asked: Any, warnings: list[str]) -> int:
    """Return the limit to send: no more than the connection allows."""
    if type(asked) is int and 0 < asked <= most:
        return asked
    warnings.append(f"The maximum is {most} rows. There may be more.")
    return most


def _check_unbroken(odoo: Odoo, model: str, fields: Any) -> None:
    for name in UNENCODED_FIELDS if isinstance(fields, (list, tuple)) else ():
        if name in fields and (field := odoo.schema.fields(model).get(name)):
            check_unbroken(model, field)


def _read_all(odoo: Odoo, call: Call, warnings: list[str]) -> list[Record]:
    """Read every field that may be shown, which is not what naming none would do."""
    readable = odoo.policy.readable_fields(call.model, odoo.schema.fields)
    names = [name for name, field in readable.items() if is_read_unasked(call.model, field)]

    def fetch(chosen: Sequence[str]) -> list[Record]:
        arguments = {**call.arguments, "fields": list(chosen)}
        rows: list[Record] = odoo.call(attrs.evolve(call, arguments=arguments))
        return rows

    rows, skipped = without_unreadable(fetch, names)
    if skipped:
        warnings.append(f"This user cannot read: {', '.join(skipped)}.")
    return rows


def _wizard(
    odoo: Odoo, call: Call, result: dict[str, Any], warnings: list[str]
) -> WizardDescription | None:
    """Describe the wizard that a method asks to answer, if any."""
    try:
        if is_wizard_action(odoo, result):
            return describe_wizard(odoo, result, (call.model, list(call.ids or ())))
    except OdooError as error:
        # The method itself was carried out: that it cannot be described is no failure of it.
        warnings.append(f"{result['res_model']} needs an answer, but: {error.message}")
    return None
