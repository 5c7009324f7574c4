"""The employee directory, and the employee of the connected user."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, NotFoundError, invalid
from odoo_toolkit.records.results import RecordName
from odoo_toolkit.values.search_text import literal

#: What any internal user may read on all versions; ``hr.employee`` itself differs by version.
PUBLIC = "hr.employee.public"

_SHOWN = op.words("name job_title department_id parent_id work_email work_phone mobile_phone")
_SEARCHED = ("name", "job_title", "department_id", "work_email", "work_phone", "mobile_phone")


@attrs.frozen(kw_only=True)
class Person(op.Shown):
    """An employee in the directory. None means empty or hidden.

    Attributes:
        mobile_phone: Work mobile phone.
    """

    id: int
    name: str
    job_title: str | None = None
    department: RecordName | None = None
    manager: RecordName | None = None
    work_email: str | None = None
    work_phone: str | None = None
    mobile_phone: str | None = None


@attrs.frozen(kw_only=True)
class People(op.Shown):
    """Employees by name. ``has_more`` says whether there are others."""

    people: list[Person]
    count: int
    has_more: bool


def find_people(
    odoo: Odoo,
    *,
    query: Annotated[str, Doc("Words in name, job, department, e-mail or phone.")] = "",
    manager: Annotated[str | None, Doc("Part of a name.")] = None,
    limit: Annotated[int, Ge(1), op.AtMost(50), Doc("Maximum number of people.")] = 10,
) -> People:
    """Find employees in the directory that every internal user can read.

    >>> [person.name for person in find_people(odoo, query="head of sales").people]
    ['Bo Birch']

    Each word of ``query`` must occur in the name, job, department, work e-mail or phone. Without a
    query, you get all employees. It takes 1 request.

    Raises:
        NotFoundError: The module ``hr`` is not installed.
        AccessError: Odoo or the policy does not allow it.
    """
    described = odoo.policy.readable_fields(PUBLIC, odoo.schema.fields)
    searched = [field for field in _SEARCHED if field in described]
    domain: list[Any] = []
    for word in query.split():
        domain += ["|"] * (len(searched) - 1)
        domain += [[field, "ilike", literal(word)] for field in searched]
    if manager and manager.strip():
        domain.append(["parent_id", "ilike", literal(manager.strip())])
    most = min(limit, 50)
    rows = op.read_rows(
        odoo, PUBLIC, domain, _SHOWN, limit=most + 1, order="name, id", active_test=True
    )
    people = [op.filled(Person, row, manager=row["parent_id"]) for row in rows[:most]]
    return People(people=people, count=len(people), has_more=len(rows) > most)


def own_employee(odoo: Odoo, acts_on: str) -> RecordName:
    """Return the employee that the connected user is.

    Args:
        odoo: the connection.
        acts_on: the model of the operation, by which lists of models judge the reading.

    Raises:
        ValidationError: the user is none.
    """
    call = op.Call(
        model="res.users",
        method="read",
        ids=(odoo.uid,),
        arguments={"fields": ["employee_id"]},
        acts_on=acts_on,
        step=True,
    )
    found = odoo.call(call)[0]["employee_id"]
    if not found:
        raise invalid(
            "employee_id",
            "The connected user is not an employee in Odoo.",
            "Ask HR to link the user to an employee, or connect as a user who is an employee.",
            user_id=odoo.uid,
        )
    return RecordName(id=found[0], name=found[1])


def named_employee(
    odoo: Odoo, employee_id: int | None, employee_name: str | None, acts_on: str
) -> RecordName:
    """Return the employee that arguments mean, as the directory has them.

    Args:
        odoo: the connection.
        employee_id: of the employee; or
        employee_name: their name. Without both, the connected user's own is meant.
        acts_on: the model of the operation, by which lists of models judge the reading.

    Raises:
        AmbiguousNameError: several employees have the name.
        NotFoundError: there is no such employee, or they left.
        ValidationError: both were given.
    """
    if employee_id is None and employee_name is None:
        return own_employee(odoo, acts_on)
    wanted = op.Wanted(model=PUBLIC, field="employee_id", id=employee_id, name=employee_name)
    domain = [["id", "=", op.resolve(odoo, wanted)]]
    rows = op.read_rows(odoo, PUBLIC, domain, ["name"], acts_on=acts_on, active_test=True)
    if not rows:
        raise NotFoundError(
            f"There is no employee with id {employee_id}, or this user cannot see them.",
            suggestion="find_people finds employees by name.",
            details={"model": PUBLIC, "field": "employee_id", "id": employee_id},
        )
    return RecordName(id=rows[0]["id"], name=rows[0]["name"])


@contextmanager
def denied_as(told: AccessError | None) -> Iterator[None]:
    """Raise an error that says who is allowed, where Odoo's access rights refuse; None for none."""
    try:
        yield
    except AccessError as error:
        if told is None or error.code != AccessError.default_code:
            raise
        raise told from error


def check_one_of(value: Any, allowed: Collection[str], field: str) -> None:
    """Refuse a value that is not among the allowed ones."""
    if value not in allowed:
        todo = f"Choose one of {', '.join(allowed)}."
        raise invalid(field, f"{field} cannot be {str(value)[:40]!r}.", todo)
