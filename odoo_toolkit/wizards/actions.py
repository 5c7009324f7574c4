"""Action dictionaries: what a method returns when a client is to open something."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from odoo_toolkit.call import asking
from odoo_toolkit.compat import words
from odoo_toolkit.errors import OdooError
from odoo_toolkit.wizards.catalog import known_wizard

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo

#: What is told of an action; the rest concerns the web client.
_KEPT = words(
    "type name res_model res_id view_mode target domain context url report_name tag params"
)


def is_action(result: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a method returned an action."""
    return isinstance(result, dict) and str(result.get("type", "")).startswith("ir.actions.")


def is_wizard_action(odoo: Odoo, result: Any) -> bool:
    """Whether a method returned a wizard to be answered: a dialog on a transient model.

    Costs no round trip for known wizards, and one for others.
    """
    if not is_action(result) or result["type"] != "ir.actions.act_window":
        return False
    model = result.get("res_model")
    if result.get("target") != "new" or not model:
        return False
    return known_wizard(model, odoo.version.major) is not None or is_transient(odoo, model)


def is_transient(odoo: Odoo, model: str, *, untold: bool = True) -> bool:
    """Whether a model is one of wizards; one round trip, from 17 on only the first time.

    Args:
        odoo: the connection.
        model: its name.
        untold: what is taken for true where Odoo does not tell this user.
    """
    try:
        # The list that everybody may see leaves transient models out, but not on every 16.
        if odoo.version.major >= 16 and model not in odoo.schema.models():
            return True
        if odoo.version.major >= 17:
            return False
        domain = [["model", "=", model], ["transient", "=", True]]
        return bool(odoo.call(asking("ir.model", "search_count", domain=domain)))
    except OdooError:
        # Odoo 15 and 16 do not tell ordinary users. Dialogs on other models are rare.
        return untold


def action_context(action: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the context that an action carries.

    Actions stored in the database carry it as text, in which names such as ``active_id`` stand
    for values; text that holds more than that is left out.

    Args:
        action: as a method returned it.
        names: what the names stand for.
    """
    context = action.get("context") or {}
    if isinstance(context, Mapping):
        return dict(context)
    try:
        tree = _Names(names).visit(ast.parse(str(context).strip(), mode="eval"))
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return {}
    return dict(value) if isinstance(value, Mapping) else {}


class _Names(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._names:
            return node
        return ast.parse(repr(self._names[node.id]), mode="eval").body


def kept(action: Mapping[str, Any]) -> dict[str, Any]:
    """Return what there is to know of an action, with a sentence under ``summary``."""
    told = {key: action[key] for key in _KEPT if action.get(key) not in (None, False)}
    return {**told, "summary": summarize_action(action)}


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
