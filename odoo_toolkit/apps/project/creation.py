"""A function that creates a project with its stages, tasks and dependencies in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, TypedDict

import attrs
from annotated_doc import Doc
from annotated_types import Ge, Len

from odoo_toolkit import operations as op
from odoo_toolkit.apps.project.tasks import STAGE, TASK, assigned, choice, deadline
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import NotFoundError, OdooConnectionError, OdooError, invalid
from odoo_toolkit.fields import Field, similar_names
from odoo_toolkit.records.results import RecordName

#: Most tasks of one call.
MOST_TASKS = 200


class TaskLine(TypedDict, total=False):
    """A task of a new project. Only ``name`` is required."""

    name: Annotated[str, Doc("Name, different for each task.")]
    stage: Annotated[str, Doc("One of the stages. Default: the first.")]
    users: Annotated[op.NamesOrIds, Doc("Assignees, by name or id. Odoo 14: only one.")]
    date_deadline: Annotated[
        str, Doc("A date. Odoo 17 and later: also a datetime. A date means 12:00 UTC.")
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
        raise invalid(field, f"{field} must be a list of names.")
    names = [name.strip() for name in given]
    _check_different(names, field)
    return names


def _check_different(names: Sequence[str], field: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise invalid(
                field,
                f"{field} contains {name!r} twice.",
                "Give each one a unique name, because tasks refer to it.",
                name=name,
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
        suggestion=f"Choose one of {', '.join(names[:40])}."
        if names
        else f"Add the {noun} to this call.",
        details={"field": field, "name": said[:60], "did_you_mean": near},
    )


def checked_tasks(tasks: Sequence[TaskLine], columns: Mapping[str, bool]) -> list[dict[str, Any]]:
    """Return the tasks as plain Python, each naming others as these are named."""
    if not tasks:
        return []
    lines = op.check_lines(tasks, TaskLine.__annotations__, "tasks")
    if len(lines) > MOST_TASKS:
        raise invalid(
            "tasks",
            f"The maximum is {MOST_TASKS} tasks in one call, got {len(lines)}.",
            "Pass fewer tasks, and add the others with create_task or an import.",
        )
    for index, line in enumerate(lines):
        if not isinstance(line.get("name"), str) or not line["name"].strip():
            raise invalid(f"tasks[{index}].name", f"tasks[{index}] has no name.")
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
            raise invalid(field, f"{field} must be a list of names.")
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
        raise invalid(
            field,
            f"The tasks depend on each other in a circle ({field}): {circle}.",
            "Remove one of these dependencies.",
            tasks=error.args[1],
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
            raise invalid(field, f"{field} must not be negative.")
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


USER = "res.users"

#: Most tasks that the message of a plan names.
_TOLD = 40

#: The state of a task from 17 on while one that it depends on is open, and those that end it.
_WAITS, _ENDED = "04_waiting_normal", ("1_done", "1_canceled")

PROJECT = op.Document(
    model="project.project",
    noun="project",
    argument="project_id",
    fields="name partner_id user_id date_start date privacy_visibility message_partner_ids",
)
CREATE = op.Step(model=PROJECT.model, method="create", says="Project created")
MAKE = op.Step(
    model=TASK.model,
    method="create",
    says="Tasks created",
    fails="The project is there, but not all of its tasks are",
)
LINK = op.Step(
    model=TASK.model,
    method="write",
    says="Dependencies set",
    fails="Not all dependencies are set",
)

_SHOWN = (*TASK.fields, "depend_on_ids", "planned_hours", "allocated_hours")


@attrs.frozen(kw_only=True)
class ProjectTask(op.Shown):
    """A task of a project, as stored in Odoo.

    Attributes:
        users: Assignees.
        date_deadline: A date on Odoo 16 and earlier, a datetime in UTC on Odoo 17 and later.
        state: On Odoo 17 and later such as 01_in_progress, or 04_waiting_normal while it waits for
            another task. On Odoo 16 and earlier normal, done or blocked, without regard to
            dependencies.
        depends_on: Tasks that must be done before.
    """

    id: int
    name: str
    stage: RecordName | None = None
    users: list[RecordName] = attrs.Factory(list)
    date_deadline: str | None = None
    state: str | None = None
    priority: str | None = None
    planned_hours: float | None = None
    parent: RecordName | None = None
    depends_on: list[RecordName] = attrs.Factory(list)


@attrs.frozen(kw_only=True)
class ProjectResult(op.Shown):
    """A project, as stored in Odoo.

    Attributes:
        manager: User who is responsible.
        visibility: Users who can see it, as an Odoo value such as ``employees``.
        stages: Stages, in order.
        tasks: Tasks, in your order.
        warnings: Differences between your request and the stored values.
    """

    id: int
    name: str
    message: str
    partner: RecordName | None = None
    manager: RecordName | None = None
    date_start: str | None = None
    date_end: str | None = None
    visibility: str | None = None
    stages: list[RecordName] = attrs.Factory(list)
    tasks: list[ProjectTask] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


@attrs.define(kw_only=True)
class _Made:
    """What the steps have made so far, by name."""

    stages: dict[str, int] = attrs.Factory(dict)
    tasks: dict[str, int] = attrs.Factory(dict)


@attrs.frozen(kw_only=True)
class _Tasks(op.Step):
    """Makes tasks of the new project, whose stages and parents are there by then."""

    rows: tuple[dict[str, Any], ...]
    made: _Made

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return the creation; what has no id yet goes by its name."""
        values = []
        for row in self.rows:
            links = {"project_id": ids[0]}
            if stage := row["stage"]:
                links["stage_id"] = self.made.stages.get(stage, f"the stage {stage!r}")
            if parent := row["parent"]:
                links["parent_id"] = self.made.tasks.get(parent, f"the task {parent!r}")
            values.append({**row["values"], **links})
        return op.Step.calls(self.of(vals_list=values), odoo, ids)

    @property
    def makes(self) -> bool:
        """No: the record that the operation is about is the project."""
        return False

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Find the stages, make the tasks, and remember their ids."""
        if not self.made.stages and any(row["stage"] for row in self.rows):
            self.made.stages |= {row["name"]: row["id"] for row in read_stages(odoo, ids[0])}
        (call,) = self.calls(odoo, ids)
        answer = op.send(odoo, call, warnings)
        names = [row["name"] for row in self.rows]
        self.made.tasks |= dict(zip(names, answer, strict=True))
        return answer


@attrs.frozen(kw_only=True)
class _Dependencies(op.Step):
    """Sets what tasks depend on, when they are there: so set, they wait from Odoo 17 on."""

    rows: tuple[dict[str, Any], ...]
    made: _Made

    def calls(self, odoo: Odoo, ids: Sequence[Any]) -> list[op.Call]:
        """Return one change for each task that depends on others."""
        known = self.made.tasks
        found = []
        for row in self.rows:
            before = [known.get(name, f"the task {name!r}") for name in row["depends_on"]]
            step = self.of(vals={"depend_on_ids": [[6, 0, before]]})
            task = known.get(row["name"], f"the task {row['name']!r}")
            found += op.Step.calls(step, odoo, [task])
        return found

    def make(self, odoo: Odoo, ids: Sequence[int], warnings: list[str]) -> Any:
        """Write them, one after the other."""
        return [op.send(odoo, call, warnings) for call in self.calls(odoo, ids)]


def read_stages(odoo: Odoo, project: int) -> list[op.Row]:
    """Return the stages of a project, in order."""
    domain = [["project_ids", "in", [project]]]
    return op.read_rows(
        odoo, STAGE, domain, ["name"], acts_on=PROJECT.model, order="sequence, id", active_test=True
    )


_DAY = op.JsonSchema({"type": "string"})


@op.operation
def create_project(
    odoo: Odoo,
    *,
    name: Annotated[str, Len(1), Doc("Title.")],
    stages: Annotated[Sequence[str], Doc("Names of its stages, in order.")] = (),
    closed_stages: Annotated[Sequence[str], Doc("Done stages, folded on the board.")] = (),
    tasks: Annotated[Sequence[TaskLine], Doc("Its tasks, up to 200.")] = (),
    partner: Annotated[op.NameOrId, Doc("The customer, by name or id.")] = None,
    manager: Annotated[op.NameOrId, Doc("Responsible user. Default: the connected user.")] = None,
    date_start: Annotated[str | date | None, _DAY, Doc("YYYY-MM-DD")] = None,
    date_end: Annotated[str | date | None, _DAY, Doc("YYYY-MM-DD. Needs date_start.")] = None,
    description: Annotated[str | None, Doc("Plain text.")] = None,
    dry_run: op.DryRun = False,
) -> ProjectResult | op.Plan:
    """Create a project with its stages and tasks, their deadlines, assignees and dependencies.

    >>> made = create_project(
    ...     odoo,
    ...     name="Move",
    ...     stages=["To do", "Done"],
    ...     tasks=[{"name": "Pack"}, {"name": "Drive", "depends_on": ["Pack"]}],
    ... )
    >>> [(task.name, [before.name for before in task.depends_on]) for task in made.tasks]
    [('Pack', []), ('Drive', ['Pack'])]

    Each task has a unique ``name``, because tasks refer to each other by name. Optional keys are
    ``stage``, ``users``, ``date_deadline``, ``depends_on``, ``parent``, ``priority``,
    ``planned_hours`` and ``description``. Stages are new and belong to this project only. On Odoo
    16 and earlier, tasks in ``closed_stages`` count as closed.

    Dependencies are set after all tasks exist, because on Odoo 17 and later a task waits for others
    only then. If a later step fails, ``warnings`` says so. Odoo notifies the assignees.

    It takes 2 requests, 1 for each kind of record that you name, 2 to create, 1 for each dependent
    task and each level of subtasks, and 3 or 4 to read the result.

    Raises:
        AmbiguousNameError: A name matches several records. Nothing was written.
        NotFoundError: The customer or user does not exist, or a task names a stage or task that is
            not in this call. Nothing was written.
        ValidationError: An argument is wrong, tasks depend on each other in a circle, or this
            version has no dependencies. Nothing was written.
        AccessError: Odoo or the policy does not allow it.
    """
    name = op.checked_name(name, "Set name to the name of the project.")
    columns = checked_stages(stages, closed_stages)
    lines = checked_tasks(tasks, columns)
    begins, ends = op.checked_day(date_start, "date_start"), op.checked_day(date_end, "date_end")
    if ends and (not begins or ends < begins):
        raise invalid("date_end", "date_end needs a date_start on or before it.")
    depending = [line for line in lines if line.get("depends_on")]
    op.permit(
        odoo,
        CREATE.of(vals_list={"name": name, **_stages(columns)}),
        *([MAKE.of(vals_list={"name": name})] if lines else []),
        *([LINK.of(vals={"depend_on_ids": []})] if depending else []),
        dry_run=dry_run,
    )
    described = odoo.schema.fields(TASK.model)
    if depending and "depend_on_ids" not in described:
        raise invalid(
            "depends_on",
            "Odoo 14 does not support dependencies between tasks.",
            "Omit depends_on. To show the order of tasks, use their names or descriptions.",
        )
    values = [values_of(described, line, index) for index, line in enumerate(lines)]
    wanted = [
        op.wanted_each(USER, line.get("users"), f"tasks[{index}].users")
        for index, line in enumerate(lines)
    ]
    own = op.wanted_links(partner=("res.partner", partner), manager=(USER, manager))
    found, alike = op.gather(
        lambda: op.linked_ids(odoo, [*own, *(item for part in wanted for item in part)]),
        lambda: op.read_rows(odoo, PROJECT.model, [["name", "=", name]], ["name"], limit=1),
    )
    ids = iter(found)
    links = {item.field: next(ids) for item in own}
    people = [[user for user in dict.fromkeys(next(ids) for _ in part) if user] for part in wanted]
    for row, users in zip(values, people, strict=True):
        # Without them, Odoo would assign most of the tasks to the caller.
        row |= assigned(described, users)
    rows = tuple(
        {
            "name": line["name"],
            "stage": line.get("stage") or next(iter(columns), None),
            "parent": line.get("parent"),
            "depends_on": line.get("depends_on") or [],
            "users": users,
            "values": row,
        }
        for line, row, users in zip(lines, values, people, strict=True)
    )
    project: dict[str, Any] = {"name": name}
    project |= {"partner_id": links["partner"]} if "partner" in links else {}
    project |= {"user_id": links["manager"]} if "manager" in links else {}
    project |= {"date_start": begins} if begins else {}
    project |= {"date": ends} if ends else {}
    if description and description.strip():
        field = odoo.schema.fields(PROJECT.model)["description"]
        project["description"] = op.written_text(field, description)
    project |= _stages(columns)
    if depending:
        project["allow_task_dependencies"] = True
    made = _Made()
    steps: list[op.Step] = [CREATE.of(vals_list=project)]
    steps += [_making(made, level) for level in levels(rows)]
    if depending:
        linking = tuple(row for row in rows if row["depends_on"])
        steps.append(_Dependencies(**_common(LINK), rows=linking, made=made))
    same = [f"The project {name!r} already exists (id {row['id']})." for row in alike]

    def result(done: op.Done) -> ProjectResult:
        done.warnings.extend(same)
        return _result(odoo, done, project, columns, rows, made)

    told: list[str] = []
    if dry_run:
        told = [_told(odoo, name, links, begins, ends, columns, rows), *_visible(odoo)]
    would = " ".join([*told, *same])
    return op.operate(odoo, steps, (), result, message=would, dry_run=dry_run)


def _stages(columns: Mapping[str, bool]) -> dict[str, Any]:
    """Return the values that make the stages."""
    rows = [
        {"name": stage, "sequence": place, **({"fold": True} if closed else {})}
        for place, (stage, closed) in enumerate(columns.items(), 1)
    ]
    return {"type_ids": [[0, 0, row] for row in rows]} if rows else {}


def _common(step: op.Step) -> dict[str, Any]:
    return {name: getattr(step, name) for name in ("model", "method", "says", "fails")}


def _making(made: _Made, level: Sequence[dict[str, Any]]) -> op.Step:
    return _Tasks(**_common(MAKE), rows=tuple(level), made=made)


# What is said of it ------------------------------------------------------------------------------


def _told(
    odoo: Odoo,
    name: str,
    links: Mapping[str, int | None],
    begins: str | None,
    ends: str | None,
    columns: Mapping[str, bool],
    rows: Sequence[dict[str, Any]],
) -> str:
    """Return what the dry run says, with the names of all who are linked."""
    linked = {*(user for row in rows for user in row["users"]), links.get("manager")}
    shown = _names(odoo, USER, sorted(user for user in linked if user))
    parts = [f"Would create the project {name!r}"]
    if customer := links.get("partner"):
        parts.append(f" for {_names(odoo, 'res.partner', [customer])[customer]}")
    if boss := links.get("manager"):
        parts.append(f", managed by {shown[boss]}")
    if begins:
        parts.append(f", from {begins}" + (f" to {ends}" if ends else ""))
    stages = [f"{stage} (closed)" if closed else stage for stage, closed in columns.items()]
    parts.append(f", with {len(stages)} stages ({', '.join(stages)})" if stages else "")
    parts.append(f" and {len(rows)} tasks: " if rows else ".")
    tasks = []
    for row in rows[:_TOLD]:
        facts = [row["stage"]] if row["stage"] else []
        facts += [shown[user] for user in row["users"]]
        if day := row["values"].get("date_deadline"):
            facts.append(f"by {day}" if len(day) == 10 else f"by {day} UTC")
        facts += [f"part of {row['parent']!r}"] if row["parent"] else []
        facts += [f"after {', '.join(map(repr, row['depends_on']))}"] if row["depends_on"] else []
        tasks.append(f"{row['name']!r}" + (f" ({', '.join(facts)})" if facts else ""))
    more = f"; and {len(rows) - _TOLD} more" if len(rows) > _TOLD else ""
    notified = " Odoo notifies the assignees." if any(row["users"] for row in rows) else ""
    return "".join(parts) + "; ".join(tasks) + (f"{more}.{notified}" if rows else "")


def _visible(odoo: Odoo) -> list[str]:
    """Say who would see the project, as Odoo sets it by default; one round trip."""
    field = "privacy_visibility"
    known = odoo.policy.readable_fields(PROJECT.model, odoo.schema.fields)
    if field not in known:
        return []
    call = op.Call(
        model=PROJECT.model,
        method="default_get",
        arguments={"fields": [field]},
        access="read",
        acts_on=PROJECT.model,
        step=True,
    )
    try:
        value = odoo.call(call).get(field)
    except OdooConnectionError:
        raise
    except OdooError:
        return []
    labels = dict(known[field].selection)
    return [f"Visible to: {labels.get(value, value)} ({field} {value!r})."] if value else []


def _names(odoo: Odoo, model: str, ids: Sequence[int]) -> dict[int, str]:
    if not ids:
        return {}
    rows = op.read_rows(
        odoo, model, [["id", "in", list(ids)]], ["display_name"], acts_on=PROJECT.model
    )
    return {**{n: f"id {n}" for n in ids}, **{row["id"]: row["display_name"] for row in rows}}


# What became of it -------------------------------------------------------------------------------


def _result(
    odoo: Odoo,
    done: op.Done,
    project: Mapping[str, Any],
    columns: Mapping[str, bool],
    rows: Sequence[dict[str, Any]],
    made: _Made,
) -> ProjectResult:
    """Read everything back, and name each difference."""
    warnings = done.warnings

    def tasks() -> list[op.Row]:
        domain = [["project_id", "=", done.id]]
        return op.read_rows(odoo, TASK.model, domain, _SHOWN, order="id") if rows else []

    row, stages, stored = op.gather(
        lambda: op.row_after(odoo, PROJECT, done, name=project["name"]),
        lambda: op.afterwards(partial(read_stages, odoo, done.id), warnings, "its stages"),
        lambda: op.afterwards(tasks, warnings, "its tasks"),
    )
    linked = {user for task in stored or () for user in task.get("user_ids") or ()}
    names = op.afterwards(lambda: _names(odoo, USER, sorted(linked)), warnings, "the users") or {}
    if stages is not None and [stage["name"] for stage in stages] != list(columns):
        shown = ", ".join(stage["name"] for stage in stages) or "none"
        warnings.append(f"The project has these stages: {shown}.")
    warnings += op.not_taken(row, {key: project.get(key) for key in ("partner_id", "user_id")})
    for key, field in (("date_start", "date_start"), ("date", "date_end")):
        if key in project and key in row and row[key] != project[key]:
            warnings.append(f"{field} is {row[key]} instead of {project[key]}.")
    customer = row.get("partner_id")
    if customer and customer.id in (row.get("message_partner_ids") or ()):
        warnings.append(
            f"{customer.name} follows the project and receives Odoo's messages about it."
        )
    by_id = {task["id"]: task for task in stored or ()}
    listed = []
    for asked in rows:
        task = by_id.get(made.tasks.get(asked["name"], 0))
        if task is None:
            if stored is not None:
                warnings.append(f"The task {asked['name']!r} does not exist.")
            continue
        warnings += _differences(asked, task, by_id, made)
        listed.append(_task(task, by_id, names))
    return op.filled(
        ProjectResult,
        row,
        message=f"Created the project {project['name']!r} with ID {done.id}, {len(columns)} stages"
        f" and {len(listed)} tasks.{_seen_by(row.get('privacy_visibility'))}",
        partner=customer,
        manager=row.get("user_id"),
        date_end=row.get("date"),
        visibility=row.get("privacy_visibility"),
        stages=[RecordName(id=stage["id"], name=stage["name"]) for stage in stages or ()],
        tasks=listed,
        warnings=warnings,
    )


def _seen_by(visibility: str | None) -> str:
    return f" Odoo set its visibility to {visibility!r}." if visibility else ""


def _users(task: op.Row) -> list[int]:
    if task["user_ids"] is None:
        return [task["user_id"].id] if task["user_id"] else []
    return list(task["user_ids"])


def _task(task: op.Row, by_id: Mapping[int, op.Row], names: Mapping[int, str]) -> ProjectTask:
    users = [RecordName(id=user, name=names.get(user, f"id {user}")) for user in _users(task)]
    if task["user_ids"] is None and task["user_id"]:
        users = [task["user_id"]]
    before = [by_id[n] for n in task["depend_on_ids"] or () if n in by_id]
    hours = task["allocated_hours"]
    return op.filled(
        ProjectTask,
        task,
        users=users,
        state=task["state"] or task["kanban_state"],
        planned_hours=task["planned_hours"] if hours is None else hours,
        depends_on=[RecordName(id=row["id"], name=row["name"]) for row in before],
    )


def _differences(
    asked: Mapping[str, Any], task: op.Row, by_id: Mapping[int, op.Row], made: _Made
) -> list[str]:
    """Say in what a stored task differs from what was asked for."""
    what = f"The task {asked['name']!r}"
    told = []
    if (stage := asked["stage"]) and (task["stage_id"] is None or task["stage_id"].name != stage):
        shown = task["stage_id"].name if task["stage_id"] else "no stage"
        told.append(f"{what} is in {shown} instead of {stage}.")
    if asked["users"] and sorted(_users(task)) != sorted(asked["users"]):
        told.append(f"{what} is assigned to {_users(task)} instead of {asked['users']}.")
    if (parent := asked["parent"]) and (
        task["parent_id"] is None or task["parent_id"].id != made.tasks.get(parent)
    ):
        told.append(f"{what} is not a subtask of {parent!r}.")
    before = [made.tasks.get(name, 0) for name in asked["depends_on"]]
    if missing := [n for n in before if n not in (task["depend_on_ids"] or ())]:
        names = [name for name in asked["depends_on"] if made.tasks.get(name, 0) in missing]
        told.append(f"{what} does not depend on {', '.join(map(repr, names))}.")
    elif before and task["state"] is not None:
        waits = any(by_id[n]["state"] not in _ENDED for n in before if n in by_id)
        if waits != (task["state"] == _WAITS):
            told.append(f"{what} has the state {task['state']}.")
    for field in ("priority", "allocated_hours", "planned_hours"):
        value = asked["values"].get(field)
        if value is not None and task[field] is not None and task[field] != value:
            told.append(f"{what} has {field} {task[field]} instead of {value}.")
    wanted = str(asked["values"].get("date_deadline") or "")
    shown = str(task["date_deadline"] or "").replace("T", " ").rstrip("Z")
    if wanted and shown[: len(wanted)] != wanted:
        told.append(f"{what} has the deadline {task['date_deadline']} instead of {wanted}.")
    return told
