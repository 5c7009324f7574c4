"""What a form view shows: its fields, its buttons, and when each button is hidden."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import make_error

#: When something is hidden: a domain, as to Odoo 16, or a Python expression, as from 17 on.
Condition = list[Any] | str

#: The condition of what is never shown.
_ALWAYS = "True"


@attrs.frozen(kw_only=True)
class Button:
    """A button that calls a method of the form's model.

    Attributes:
        method: what it calls.
        label: what is written on it; the method's name where nothing is.
        hidden_when: each of these hides it; the conditions of what it stands in are among them.
        confirm: the question that the web client asks first.
        context: what it adds to the context, as the view has it.
    """

    method: str
    label: str
    hidden_when: tuple[Condition, ...] = ()
    confirm: str = ""
    context: str = ""


@attrs.frozen(kw_only=True)
class Form:
    """What a form view shows, in its order; a button may stand there several times.

    Attributes:
        hidden: the fields that it holds without ever showing them.
    """

    fields: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    hidden: tuple[str, ...] = ()


def read_form(odoo: Odoo, model: str, view_id: int | bool = False) -> Form:
    """Ask the server for a form view of a model, as the connected user sees it.

    Raises:
        AccessError: the user cannot read the model.
        NotFoundError: there is no such model.
        OdooError: the view cannot be had or makes no sense.
    """
    # From 16 on get_view; the method before it was removed there.
    method = "get_view" if odoo.version.major >= 16 else "fields_view_get"
    arguments = {"view_id": view_id, "view_type": "form"}
    answer = odoo.call(Call(model=model, method=method, arguments=arguments, internal=True))
    try:
        return parse_form(answer["arch"])
    except (ElementTree.ParseError, KeyError, TypeError) as error:
        raise make_error(
            "UNKNOWN_ERROR", f"The toolkit cannot read the server's form view of {model}."
        ) from error


def main_form(odoo: Odoo, model: str) -> Form:
    """Return the ordinary form of a model; asked for once and kept for a while.

    Raises:
        AccessError: Odoo or the policy does not allow the model.
        NotFoundError: there is no such model.
    """
    odoo.check(Call(model=model, method="fields_get"))
    form: Form = odoo.schema.remember(f"form {model}", lambda: read_form(odoo, model))
    return form


def parse_form(arch: str) -> Form:
    """Return what the XML of a form view shows; what is never visible is left out.

    Raises:
        xml.etree.ElementTree.ParseError: it is no XML.
    """
    # The text is the server's own, already parsed and written out again by it.
    form = ElementTree.fromstring(arch)  # noqa: S314
    shown = list(_shown(form, ()))
    fields = tuple(dict.fromkeys(item for item in shown if isinstance(item, str)))
    return Form(
        fields=fields,
        buttons=tuple(item for item in shown if isinstance(item, Button)),
        hidden=tuple(name for name in dict.fromkeys(_held(form)) if name not in fields),
    )


def _held(element: ElementTree.Element) -> Iterator[str]:
    """Yield the names of all fields within an element, but not those of its lines."""
    for child in element:
        if child.tag == "field":
            yield child.get("name") or ""
        else:
            yield from _held(child)


def _shown(
    element: ElementTree.Element, hidden_when: tuple[Condition, ...]
) -> Iterator[str | Button]:
    """Yield the names of the fields, and the buttons, within an element."""
    for child in element:
        condition = _hidden_when(child)
        if condition == _ALWAYS:
            continue
        conditions = (*hidden_when, condition) if condition else hidden_when
        name = child.get("name") or ""
        if child.tag == "field":
            # What is inside belongs to the lines of another model.
            yield name
            continue
        if child.tag == "button" and child.get("type") == "object" and name:
            written = child.get("string") or "".join(child.itertext())
            yield Button(
                method=name,
                label=" ".join(written.split()) or name,
                hidden_when=conditions,
                confirm=child.get("confirm") or "",
                context=child.get("context") or "",
            )
        yield from _shown(child, conditions)


def _hidden_when(element: ElementTree.Element) -> Condition:
    """Return when an element is hidden; empty for never."""
    invisible = " ".join((element.get("invisible") or "").split())
    if invisible in ("1", "True"):
        return _ALWAYS
    if modifiers := element.get("modifiers"):  # to 16: what attrs and states came to
        condition = json.loads(modifiers).get("invisible")
        return _ALWAYS if condition is True else condition or ""
    if states := element.get("states"):
        return [["state", "not in", [state.strip() for state in states.split(",")]]]
    return "" if invisible in ("0", "False") else invisible
