"""Projects: a project with stages and tasks, one of which is in work and has hours."""

from __future__ import annotations

from evals import records
from evals.database import Database
from evals.task import Answer, Call, Facts, unequal

WORDS = """
Set up the project "Boathouse Refit" for the customer Grebe Holidays with the stages To do, Doing
and Done. Its tasks: "Survey" due {survey}, "Order timber" due {timber}, "Replace decking" due
{decking}. "Order timber" has to wait for "Survey", and "Replace decking" for "Order timber".
Survey has begun: it belongs into the stage Doing, and 2.5 hours were spent on it today ("Walked
the site").
"""
ANSWER = {
    "project": "id of the project, a number",
    "tasks": "an object: the id of each task by its name",
}
SINCE = 15  # on 14 a task cannot wait for another


def prepare(db: Database) -> Facts:
    """Make the customer, and see that the administrator is somebody who can log hours."""
    customer = records.company(db, "Grebe Holidays")
    days = {"survey": 3, "timber": 10, "decking": 24}
    return {
        "customer": customer,
        **{name: records.days_from_now(number) for name, number in days.items()},
    }


def check(db: Database, facts: Facts, answer: Answer) -> list[str]:
    """One project with its stages, and three tasks that wait for each other."""
    project = db.one(
        "project.project", [["name", "=", "Boathouse Refit"]], ["partner_id", "type_ids"]
    )
    if not project:
        return ["there is not exactly one project Boathouse Refit"]
    stages = db.search(
        "project.task.type", [["id", "in", project["type_ids"]]], ["name"], order="sequence, id"
    )
    tasks = {
        one["name"]: one
        for one in db.search(
            "project.task",
            [["project_id", "=", project["id"]]],
            ["name", "date_deadline", "stage_id", "depend_on_ids"],
        )
    }
    faults = unequal("the customer", facts["customer"], (project["partner_id"] or [None])[0])
    faults += unequal("the stages", ["To do", "Doing", "Done"], [one["name"] for one in stages])
    names = ["Survey", "Order timber", "Replace decking"]
    faults += unequal("the tasks", sorted(names), sorted(tasks))
    if faults:
        return faults
    ids = {name: tasks[name]["id"] for name in names}
    for name, due in zip(names, ("survey", "timber", "decking"), strict=True):
        day = str(tasks[name]["date_deadline"])[:10]
        faults += unequal(f"the deadline of {name}", facts[due], day)
    for name, before in zip(names, (None, *names[:2]), strict=True):
        waits = [ids[before]] if before else []
        faults += unequal(f"what {name} waits for", waits, tasks[name]["depend_on_ids"])
    stage = [tasks[name]["stage_id"][1] for name in names]
    faults += unequal("the tasks' stages", ["Doing", "To do", "To do"], stage)
    hours = db.search(
        "account.analytic.line", [["task_id", "in", list(ids.values())]], ["unit_amount", "task_id"]
    )
    logged = [(one["task_id"][0], one["unit_amount"]) for one in hours]
    faults += unequal("the hours", [(ids["Survey"], 2.5)], logged)
    faults += unequal("the project in the answer", project["id"], answer["project"])
    return faults + unequal("the tasks in the answer", ids, dict(answer["tasks"]))


def solve(call: Call, facts: Facts) -> Answer:
    """One call for the project, one for the hours."""
    project = call(
        "odoo_project_create_project",
        name="Boathouse Refit",
        partner="Grebe Holidays",
        stages=["To do", "Doing", "Done"],
        closed_stages=["Done"],
        tasks=[
            {"name": "Survey", "stage": "Doing", "date_deadline": facts["survey"]},
            {
                "name": "Order timber",
                "date_deadline": facts["timber"],
                "depends_on": ["Survey"],
            },
            {
                "name": "Replace decking",
                "date_deadline": facts["decking"],
                "depends_on": ["Order timber"],
            },
        ],
    )
    ids = {task["name"]: task["id"] for task in project["tasks"]}
    call(
        "odoo_project_log_timesheet",
        hours=2.5,
        task_id=ids["Survey"],
        description="Walked the site",
    )
    return {"project": project["id"], "tasks": ids}
