"""Any public method of any model: the way to what has no function of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import ANY_JSON, Context, JsonSchema, Model
from odoo_toolkit.client import Odoo
from odoo_toolkit.compat import NO_KWARGS_METHODS
from odoo_toolkit.connection.call import Call, name_arguments
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.records.results import ExecuteResult

#: Read methods that return every field, blocked and binary ones too, when none are named.
_READ_ALL = frozenset({"read", "search_read"})

#: What is told of an action; the rest concerns the web client.
_ACTION_KEYS = (
    "type",
    "name",
    "res_model",
    "res_id",
    "view_mode",
    "target",
    "domain",
    "context",
    "url",
    "report_name",
    "tag",
    "params",
)


def execute(
    odoo: Odoo,
    model: Model,
    method: Annotated[str, Doc("Public method, e.g. action_confirm, copy.")],
    args: Annotated[
        Sequence[Any],
        JsonSchema({"type": "array", "items": ANY_JSON}),
        Doc("Positional arguments; for a method of records, the list of ids comes first."),
    ] = (),
    kwargs: Annotated[
        Mapping[str, Any] | None, JsonSchema({"type": "object"}), Doc("Named arguments.")
    ] = None,
    context: Context = None,
) -> ExecuteResult:
    """Call a public method of a model; one round trip.

    >>> execute(odoo, "sale.order", "action_confirm", [[42]])

    Args:
        odoo: the connection.
        model: such as ``sale.order``.
        method: its name must not begin with an underscore: Odoo refuses private methods.
        args: positional arguments, the ids first where the method works on records.
        kwargs: named arguments; button and action methods that take none do not get them
            (REQ-04-26), and the result says so.
        context: extends the base context.

    Returns:
        ``result_type`` is ``action`` with ``action`` when the method returned one, for instance a
        wizard that must be answered before anything happens; else ``value`` with ``result``.

    Raises:
        AccessError: Odoo or the policy does not allow it; in readonly and restricted mode only
            known read methods are allowed.
        NotFoundError: there is no such model, method or record.
        ValidationError: the arguments do not fit.
    """
    named = dict(kwargs or {})
    in_kwargs = named.pop("context", None) or {}
    if not isinstance(in_kwargs, Mapping):
        raise ValidationError("context must be an object.", suggestion="Give it apart.")
    warnings = []
    if named and method in NO_KWARGS_METHODS:
        warnings.append(f"{method} takes no named arguments; not sent: {', '.join(named)}.")
        named = {}
    ids, arguments, positional = name_arguments(method, list(args), named)
    call = Call(
        model=model,
        method=method,
        ids=ids,
        arguments=arguments,
        positional=positional,
        context={**in_kwargs, **(context or {})},
    )
    if method in _READ_ALL and not arguments.get("fields"):
        if problem := odoo.policy.model_problem(model, "read"):
            raise problem
        readable = odoo.policy.readable_fields(model, odoo.schema.fields(model))
        arguments["fields"] = [name for name, field in readable.items() if field.type != "binary"]
    result = odoo.call(call)
    if isinstance(result, dict) and str(result.get("type", "")).startswith("ir.actions."):
        action = {key: result[key] for key in _ACTION_KEYS if result.get(key) not in (None, False)}
        action["summary"] = summarize_action(result)
        return ExecuteResult(result_type="action", action=action, warnings=warnings)
    return ExecuteResult(result_type="value", result=result, warnings=warnings)


def summarize_action(action: Mapping[str, Any]) -> str:
    """Say in a sentence what the web client would do with an action."""
    kind = action.get("type")
    model, record = action.get("res_model"), action.get("res_id")
    if kind == "ir.actions.act_window_close":
        return "Closes the dialog"
    if kind == "ir.actions.act_url":
        return f"Opens the address {action.get('url')}"
    if kind == "ir.actions.report":
        return f"Prints the report {action.get('report_name')}"
    if kind != "ir.actions.act_window":
        return f"Runs the client action {action.get('tag') or action.get('name') or kind}"
    view = str(action.get("view_mode") or "form").split(",")[0]
    if action.get("target") == "new":
        return f"Opens the dialog {model}, which must be answered before anything is done"
    return f"Opens {model} {view} view" + (f" for record {record}" if record else "")
