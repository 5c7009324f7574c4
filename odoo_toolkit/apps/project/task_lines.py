"""The tasks of a new project, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, TypedDict

from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit import operations as op
from odoo_toolkit.apps.project.tasks import choice, deadline
from odoo_toolkit.errors import NotFoundError, ValidationError
from odoo_toolkit.fields import Field, similar_names

#: Most tasks of one call.
MOST_TASKS = 200


class TaskLine(TypedDict, total=False):
    """A task of a new project. Only ``name`` is required."""

    name: Annotated[str, Doc("Name, different for each task.")]
    stage: Annotated[str, Doc("One of the stages. Default: the first.")]
    users: Annotated[op.NamesOrIds, Doc("Assignees, by name or id. Odoo 14: only one.")]
    date_deadline: Annotated[
        str, Doc("A date. Odoo 17 and later: also a datetime. A date is 12:00 UTC.")
    ]
    depends_on: Annotated[Sequence[str], Doc("Tasks of this call that must be done first.")]
    parent: Annotated[str, Doc("Parent task, from this call.")]
    priority: Annotated[str, Doc("0 or 1. Odoo 19: 0 to 3.")]
    planned_hours: Annotated[float, Ge(0)]
    description: Annotated[str, Doc("Plain text.")]


def checked_stages(stages: Sequence[str], closed: Sequence[str]) -> dict[str, bool]:
    """Return the stages in order, with whether they are closed, or refuse what is wrong."""
    named = [
        _listed(given, field) for given, field in ((stages, "stages"), (closed, "closed_stages"))
    ]
    columns, closing = named
    for name in closing:
        _pick(name, columns, "closed_stages", "stage")
    shut = {_pick(name, columns, "closed_stages", "stage") for name in closing}
    return {name: name in shut for name in columns}


def _listed(given: Sequence[str], field: str) -> list[str]:
    """Return different names, or refuse what is none."""
    if isinstance(given, str) or not all(isinstance(n, str) and n.strip() for n in given):
        raise ValidationError(f"{field} is not a list of names.", details={"field": field})
    names = [name.strip() for name in given]
    _check_different(names, field)
    return names


def _check_different(names: Sequence[str], field: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise ValidationError(
                f"{field} has {name!r} twice.",
                suggestion="Give each a unique name, because tasks refer to it.",
                details={"field": field, "name": name},
            )
        seen.add(name.casefold())


def _pick(name: Any, names: Sequence[str], field: str, noun: str) -> str:
    """Return the one of some names that is meant, in any case."""
    said = str(name).strip()
    for known in names:
        if known.casefold() == said.casefold():
            return known
    lower = {known.lower(): known for known in names}
    near = [lower[found] for found in similar_names(said, list(lower))]
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise NotFoundError(
        f"{field}: there is no {noun} {said[:60]!r} in this call.{hint}",
        suggestion=f"Give one of: {', '.join(names[:40])}." if names else f"Pass the {noun} too.",
        details={"field": field, "name": said[:60], "did_you_mean": near},
    )


def checked_tasks(tasks: Sequence[TaskLine], columns: Mapping[str, bool]) -> list[dict[str, Any]]:
    """Return the tasks as plain Python, each naming others as these are named."""
    if not tasks:
        return []
    lines = op.check_lines(tasks, TaskLine.__annotations__, "tasks")
    if len(lines) > MOST_TASKS:
        raise ValidationError(
            f"{len(lines)} tasks are too many for one call.",
            suggestion=f"Pass up to {MOST_TASKS}, and add others with create_task or an import.",
            details={"field": "tasks"},
        )
    for index, line in enumerate(lines):
        if not isinstance(line.get("name"), str) or not line["name"].strip():
            raise ValidationError(
                f"tasks[{index}] has no name.", details={"field": f"tasks[{index}].name"}
            )
        line["name"] = line["name"].strip()
    names = [line["name"] for line in lines]
    _check_different(names, "tasks")
    for index, line in enumerate(lines):
        if "stage" in line:
            line["stage"] = _pick(line["stage"], list(columns), f"tasks[{index}].stage", "stage")
        if "parent" in line:
            line["parent"] = _pick(line["parent"], names, f"tasks[{index}].parent", "task")
        field = f"tasks[{index}].depends_on"
        before = line.get("depends_on", [])
        if not isinstance(before, list):
            raise ValidationError(f"{field} is not a list of names.", details={"field": field})
        line["depends_on"] = list(dict.fromkeys(_pick(n, names, field, "task") for n in before))
    _check_circles({line["name"]: line["depends_on"] for line in lines}, "depends_on")
    _check_circles(
        {line["name"]: [p] if (p := line.get("parent")) else [] for line in lines}, "parent"
    )
    return lines


def _check_circles(graph: Mapping[str, Sequence[str]], field: str) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise ValidationError(
            f"Tasks form a circle by {field}: {circle}.",
            suggestion="Remove one of these links.",
            details={"field": field, "tasks": error.args[1]},
        ) from None


def values_of(
    described: Mapping[str, Field], line: Mapping[str, Any], index: int
) -> dict[str, Any]:
    """Return the values of a task but for its links."""
    values: dict[str, Any] = {"name": line["name"]}
    if "priority" in line:
        values["priority"] = choice(described["priority"], line["priority"])
    if "date_deadline" in line:
        values["date_deadline"] = deadline(described["date_deadline"], line["date_deadline"])
    if "planned_hours" in line:
        field = f"tasks[{index}].planned_hours"
        hours = op.checked_number(line["planned_hours"], field, positive=False)
        if hours < 0:
            raise ValidationError(f"{field} is below 0.", details={"field": field})
        values[_hours_field(described)] = hours
    if text := line.get("description"):
        values["description"] = op.written_text(described["description"], text)
    return values


def _hours_field(described: Mapping[str, Field]) -> str:
    """Return the field of planned hours, which has been renamed with 17."""
    return "allocated_hours" if "allocated_hours" in described else "planned_hours"


def levels(rows: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield tasks without a parent, then their subtasks, then theirs."""
    done: set[str | None] = {None}
    left = list(rows)
    while left:
        level = [row for row in left if row["parent"] in done]
        yield level
        done |= {row["name"] for row in level}
        left = [row for row in left if row["name"] not in done]
