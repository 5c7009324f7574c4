"""Projects, tasks and timesheets."""

from odoo_toolkit.app_models.model import AppModel, Relation

MODELS = (
    AppModel(
        "project.task",
        "Task",
        module="project",
        nouns="task",
        meanings="""
            overdue|late: date_deadline < today & state not in 1_done,1_canceled \
                / date_deadline < today & is_closed = false \
                / date_deadline < today & stage_id.fold = false
            open|unfinished|pending|ongoing|not done|to do|todo: \
                state not in 1_done,1_canceled / is_closed = false / stage_id.fold = false
            done|finished|completed|closed: \
                state = 1_done / is_closed = true / stage_id.fold = true
        """,
        searched=7,
        search_fields="name",
        deep_fields="description",
        # user_id became user_ids in 15.
        key_fields="id name project_id stage_id user_ids user_id date_deadline priority",
        found_through=(Relation("project.project", "project_id"), Relation("res.partner")),
        disambiguation_fields="project_id stage_id partner_id date_deadline",
    ),
    AppModel(
        "project.project",
        "Project",
        disambiguation_fields="partner_id user_id",
    ),
    AppModel("project.task.type", "Task Stage"),
    AppModel("project.sale.line.employee.map", module="sale_timesheet"),
    AppModel(
        "account.analytic.line", "Analytic Line", module="hr_timesheet", module_field="task_id"
    ),
)
