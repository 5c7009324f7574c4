"""What hangs on any record: messages, activities and attachments, and the record that has them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.call import Access, Call
from odoo_toolkit.change_history.lost_answers import creating, made_since, or_seen
from odoo_toolkit.change_history.recording import note_made
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import ValidationError, invalid
from odoo_toolkit.operations.documents import Document, Row, not_found, read_all, read_rows
from odoo_toolkit.operations.lines import IdOrName, wanted_each
from odoo_toolkit.operations.steps import Step
from odoo_toolkit.records.names import resolve_all
from odoo_toolkit.values.html_text import html_to_text
from odoo_toolkit.values.scalars import is_id

RecordId = Annotated[int, Ge(1), Doc("Id of the record.")]

#: Records that one call writes something on.
MOST_RECORDS = 100

#: What a method does to what belongs to a record; others change it.
_ACCESS: dict[str, Access] = {"create": "create", "unlink": "delete"}


# The record ----------------------------------------------------------------------------------


def check_id(record_id: int, argument: str) -> None:
    """Refuse what is not a record id.

    Raises:
        ValidationError: it is not a whole number from 1 on.
    """
    if not is_id(record_id):
        raise invalid(
            argument,
            f"{argument} must be a record id, got {record_id!r}.",
            "Pass a positive integer.",
        )


def check_exist(odoo: Odoo, kind: Document, ids: Sequence[int], *, internal: bool = False) -> None:
    """Refuse records that do not exist or that the user cannot see; one round trip.

    Raises:
        NotFoundError: one does not exist for this user, or there is no such model.
        AccessError: Odoo or the policy does not allow it to be read.
    """
    found = odoo.call(
        Call(
            model=kind.model,
            method="search",
            arguments={"domain": [*kind.domain, ["id", "in", list(ids)]]},
            context={"active_test": False},
            internal=internal,
        )
    )
    if missing := [number for number in ids if number not in found]:
        raise not_found(kind, missing)


def beside_owner(odoo: Odoo, model: str, record_id: int, *asked: Callable[[], Any]) -> list[Any]:
    """Return what functions return, run while it is looked whether the record is there.

    Asked of the record itself: searches for what belongs to it find nothing, and Odoo 14 to 18
    even attach files to records that do not exist.

    Raises:
        NotFoundError: no such record for this user, or no such model.
        AccessError: Odoo or the policy does not allow it to be read.
    """
    check_id(record_id, "record_id")
    owner = Document(model=model, noun=f"{model} record", argument="record_id", fields=())
    return side_by_side([lambda: check_exist(odoo, owner, [record_id]), *asked])[1:]


def read_several(odoo: Odoo, model: str, records: Sequence[IdOrName] | None) -> list[Row]:
    """Return ids and display names of records that are given by name or id, each once.

    Raises:
        AmbiguousNameError: a name matches several records.
        NotFoundError: there is no such record.
        ValidationError: there are none, too many, or one twice.
    """
    wanted = wanted_each(model, records, "records")
    if not 1 <= len(wanted) <= MOST_RECORDS:
        raise invalid("records", f"Pass 1 to {MOST_RECORDS} records, not {len(wanted)}.")
    ids = [number for number in resolve_all(odoo, wanted) if number is not None]
    if twice := sorted({number for number in ids if ids.count(number) > 1}):
        raise invalid(
            "records",
            f"These records are listed twice: {model} {', '.join(map(str, twice))}.",
            "List each record once.",
            ids=twice,
        )
    named = Document(
        model=model, noun=f"{model} record", argument="records", fields=("display_name",)
    )
    return read_all(odoo, named, ids)


def check_has(odoo: Odoo, model: str, field: str, what: str) -> None:
    """Refuse a model that lacks the field by which it would have a chatter or activities."""
    # Asked before the schema, so that what is blocked is refused as such.
    odoo.check(Call(model=model, method="search", arguments={"domain": []}))
    if field not in odoo.schema.fields(model):
        raise ValidationError(
            f"{model} has no {what}.",
            suggestion="Choose the document that the record belongs to. Only models with a field "
            f"{field} have them, such as res.partner.",
            details={"model": model},
        )


# What belongs to it --------------------------------------------------------------------------


def find_owned(odoo: Odoo, kind: Document, record_id: int, where: str) -> dict[str, Any]:
    """Return what is known of something by its id, whatever it belongs to.

    Args:
        odoo: the connection.
        kind: what is looked for.
        record_id: its id.
        where: where to look when it is not found.

    Raises:
        NotFoundError: it is not there for this user, or the policy closes it.
    """
    check_id(record_id, kind.argument)
    rows = _owned(odoo, kind, record_id)
    # The file behind a binary field is as closed as the field.
    if not rows or odoo.policy.field_blocked(rows[0].get("res_field") or ""):
        error = not_found(kind, [record_id])
        error.suggestion = where
        raise error
    return rows[0]


def is_there(odoo: Odoo, kind: Document, record_id: int) -> bool:
    """Whether something that was found by its id still is."""
    return bool(_owned(odoo, kind, record_id))


def _owned(odoo: Odoo, kind: Document, record_id: int) -> list[dict[str, Any]]:
    domain = [["id", "=", record_id]]
    # The policy's filter is applied here, because the call is judged by what it belongs to, which
    # only its answer tells.
    domain = [*odoo.record_filter(kind.model, domain), *domain]
    rows: list[dict[str, Any]] = odoo.call(
        Call(
            model=kind.model,
            method="search_read",
            arguments={"domain": domain, "fields": list(kind.fields)},
            step=True,
            internal=True,
        )
    )
    return rows


# Changes -------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class OwnedStep(Step):
    """A step about something that belongs to a record, by which the policy judges it.

    Attributes:
        owner: the model that it belongs to; None where it belongs to none.
    """

    owner: str | None

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing call."""
        access = _ACCESS.get(self.method, "write")
        return [
            attrs.evolve(call, access=access, acts_on=self.owner)
            for call in super().calls(odoo, ids)
        ]


@attrs.frozen(kw_only=True)
class MakesOwned(OwnedStep):
    """A step that makes something that belongs to a record.

    When its answer is lost, what it has made is looked for, see
    :mod:`odoo_toolkit.change_history.lost_answers`.

    Attributes:
        kind: the model of what is made.
        like: values that it will have.
        html: what its texts will say, by field.
        record: the record that it acts on; the operation's where it is None.
    """

    record: int | None = None
    kind: str = ""
    like: Mapping[str, Any] = attrs.field(factory=dict)
    html: Mapping[str, str] = attrs.field(factory=dict)

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[Call]:
        """Return the writing call."""
        return super().calls(odoo, ids if self.record is None else (self.record,))

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> list[int]:
        """Do it, and return the id of what was made; none where Odoo told none."""
        (call,) = self.calls(odoo, ids)
        started = time.time()
        with creating(odoo, self.kind, [self.like, self.html]) as creation:

            def seen() -> list[int] | None:
                since = made_since(odoo, started)
                if since is None:
                    return None
                domain = [*([name, "=", value] for name, value in self.like.items()), *since]
                rows = read_rows(odoo, self.kind, domain, ["id", *self.html], acts_on=self.owner)
                texts = self.html.items()
                alike = [row["id"] for row in rows if all(says(row[n], html) for n, html in texts)]
                new = creation.own(alike)
                return new if len(new) == 1 else None

            def made() -> list[int]:
                number = returned_id(odoo.call(call))
                return [] if number is None else [number]

            answer: list[int] = or_seen(made, seen, warnings)
            creation.ids = frozenset(answer)
        note_made(self.kind, answer)
        return answer


@attrs.frozen(kw_only=True)
class EndsOwned(OwnedStep):
    """A step after which something that belongs to a record is gone, such as ``unlink``.

    When its answer is lost, it is looked whether it has gone; repeating it finds it gone, too.

    Attributes:
        kind: what it is.
    """

    kind: Document

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Do it, and return what the method returned."""
        ((call,), (record_id,)) = self.calls(odoo, ids), ids
        return or_seen(
            lambda: odoo.call(call),
            lambda: None if is_there(odoo, self.kind, record_id) else True,
            warnings,
            safe=True,
        )


def returned_id(answer: Any) -> int | None:
    """Return the id of a record that a method returned, in the form of any version.

    An id, a list of ids (19), or the record as text: ``mail.activity(45,)`` (14 to 18).
    """
    if isinstance(answer, str):
        found = re.search(r"\((\d+)", answer)
        return int(found[1]) if found else None
    first = (answer or [None])[0] if isinstance(answer, list) else answer
    return first if is_id(first) else None


def says(text: str | None, html: str) -> bool:
    """Whether a stored text is the one that was written as HTML, which Odoo cleans."""
    return (text or "").split() == html_to_text(html).split()
