"""The record that messages, activities and attachments belong to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooError, ValidationError
from odoo_toolkit.records.results import RecordName

T = TypeVar("T")

RecordId = Annotated[int, Ge(1), Doc("Id of the record.")]


def check_id(record_id: int, argument: str) -> None:
    """Refuse what is not a record id.

    Raises:
        ValidationError: it is not a whole number from 1 on.
    """
    # True is an int in Python, and would be taken for record 1.
    if isinstance(record_id, bool) or not isinstance(record_id, int) or record_id < 1:
        raise ValidationError(
            f"{argument} is {record_id!r}, which is not a record id.",
            suggestion="Ids are whole numbers from 1 on.",
            details={"field": argument},
        )


def check_owner(odoo: Odoo, model: str, record_id: int) -> None:
    """Refuse a record that does not exist or that the user may not see; one round trip.

    Asked of the record itself: searches for what belongs to it find nothing, and Odoo 14 to 18
    even attach files to records that do not exist.

    Raises:
        NotFoundError: no such record for this user, or no such model.
        AccessError: Odoo or the policy does not allow it to be read.
    """
    check_id(record_id, "record_id")
    found = odoo.call(
        Call(
            model=model,
            method="search",
            arguments={"domain": [["id", "=", record_id]]},
            context={"active_test": False},
        )
    )
    if not found:
        raise NotFoundError(
            f"{model} has no record with id {record_id}, or this user may not see it.",
            suggestion=f"Look the record up with odoo_core_search_read on {model}.",
            details={"model": model, "ids": [record_id]},
        )


def check_has(odoo: Odoo, model: str, field: str, what: str) -> None:
    """Refuse a model that lacks the field by which it would have a chatter or activities."""
    # Asked before the schema, so that what is blocked is refused as such.
    odoo.check(Call(model=model, method="search", arguments={"domain": []}))
    if field not in odoo.schema.fields(model):
        raise ValidationError(
            f"{model} has no {what}.",
            suggestion=f"Only models with a field {field} have; such as res.partner."
            " Choose the document that the record belongs to.",
            details={"model": model},
        )


def reading_of(owner: str, model: str, method: str, **arguments: Any) -> Call:
    """Return a read of what belongs to records of ``owner``."""
    return Call(model=model, method=method, arguments=arguments, acts_on=owner, step=True)


def afterwards(read: Callable[[], T], warnings: list[str], what: str) -> T | None:
    """Read what was written; where that fails, the write is still a success."""
    try:
        return read()
    except OdooError as error:
        warnings.append(f"It was done, but the {what} could not be read: {error.message}")
        return None


def record_name(value: Any) -> RecordName | None:
    """Return a many2one value as read, None where it is empty."""
    return RecordName(id=value[0], name=value[1]) if value else None


def returned_id(answer: Any) -> int | None:
    """Return the id of a record that a method returned, in the form of any version.

    An id, a list of ids (19), or the record as text: ``mail.activity(45,)`` (14 to 18).
    """
    if isinstance(answer, str):
        found = re.search(r"\((\d+)", answer)
        return int(found[1]) if found else None
    if isinstance(answer, list):
        answer = answer[0] if answer else None
    return answer if isinstance(answer, int) and not isinstance(answer, bool) else None
