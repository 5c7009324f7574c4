"""People, and what they do for themselves: time off, attendance, expenses."""

from __future__ import annotations

from odoo_toolkit.apps import hr
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_hr_find_people",
        title="Find people",
        description="Find employees in the directory: job, department, manager, work e-mail"
        " and phone.",
        function=hr.find_people,
        access="read",
    ),
    Tool(
        name="odoo_hr_get_leave_balance",
        title="Get time off balance",
        description="Get the connected user's balance for each time off type, and their upcoming"
        " requests.",
        function=hr.get_leave_balance,
        access="read",
        module="hr_holidays",
    ),
    Tool(
        name="odoo_hr_list_leaves",
        title="List time off",
        description="List the time off requests of an employee or a department, each in words, such"
        " as 'approved Sick Time Off, 2030-01-07 to 2030-01-09'. Use it to see which time off"
        " overlaps given days. The result also contains totals by type and allocations. For the"
        " balance of the connected user, use odoo_hr_get_leave_balance.",
        function=hr.list_leaves,
        access="read",
        needs="read hr.leave",
        module="hr_holidays",
    ),
    Tool(
        name="odoo_hr_request_leave",
        title="Request time off",
        description="Request time off, if enough is left. half_day and hours are for a single"
        " day. To withdraw a request, use odoo_hr_decide_leave.",
        function=hr.request_leave,
        access="create",
        module="hr_holidays",
        creates="hr.leave",
    ),
    Tool(
        name="odoo_hr_decide_leave",
        title="Decide on time off",
        description="Approve or refuse a time off request, or withdraw your own. On Odoo 16 and"
        " later, you can also withdraw an approved one.",
        function=hr.decide_leave,
        access="write",
        needs="write hr.leave",
        asks="destroying",
        module="hr_holidays",
    ),
    Tool(
        name="odoo_hr_create_allocation",
        title="Allocate time off",
        description="Allocate days of a time off type to an employee, as a Time Off officer, and"
        " approve them if approve is set. To take days, use odoo_hr_request_leave.",
        function=hr.create_allocation,
        access="create",
        module="hr_holidays",
        creates="hr.leave.allocation",
    ),
    Tool(
        name="odoo_hr_create_expense",
        title="Create expense",
        description="Create an expense of the connected user, with its receipt.",
        function=hr.create_expense,
        access="create",
        module="hr_expense",
        creates="hr.expense",
    ),
    Tool(
        name="odoo_hr_decide_expense",
        title="Decide on an expense",
        description="Submit, approve or refuse an expense.",
        function=hr.decide_expense,
        access="write",
        needs="read hr.expense",
        module="hr_expense",
    ),
    Tool(
        name="odoo_hr_process_expenses",
        title="Process several expenses",
        description="Submit several expenses of one employee together. With until, also approve,"
        " post and pay them. On Odoo 18 and earlier, they go into one expense report. Use dry_run"
        " first, and show the expenses. For a single expense, or to refuse one, use"
        " odoo_hr_decide_expense.",
        function=hr.process_expenses,
        access="write",
        needs="read hr.expense",
        module="hr_expense",
    ),
    Tool(
        name="odoo_hr_check_in_out",
        title="Check in or out",
        description="Check the connected user in or out of work now.",
        function=hr.check_in_out,
        access="write",
        module="hr_attendance",
    ),
)


class HrToolset(BaseToolset):
    """Tools for employees; each is there where its Odoo module is."""

    about = ToolsetMetadata(
        name="hr",
        description="Find people; the connected user's time off, attendance and expenses",
        required_modules=("hr",),
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
