"""People: who they are, and what they do for themselves, such as taking time off."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.hr.attendance import AttendanceResult, check_in_out
from odoo_toolkit.apps.hr.decisions import decide_leave
from odoo_toolkit.apps.hr.expense_reports import (
    ExpensePayment,
    ExpensesResult,
    ReportedExpense,
    process_expenses,
)
from odoo_toolkit.apps.hr.expenses import ExpenseResult, create_expense, decide_expense
from odoo_toolkit.apps.hr.granting import AllocationResult, AllocationRow, create_allocation
from odoo_toolkit.apps.hr.leave import (
    Balance,
    LeaveBalances,
    LeaveResult,
    LeaveRow,
    get_leave_balance,
    request_leave,
)
from odoo_toolkit.apps.hr.listing import EmployeeLeaves, LeaveTotal, list_leaves
from odoo_toolkit.apps.hr.people import People, Person, find_people

__all__ = [
    "AllocationResult",
    "AllocationRow",
    "AttendanceResult",
    "Balance",
    "EmployeeLeaves",
    "ExpensePayment",
    "ExpenseResult",
    "ExpensesResult",
    "LeaveBalances",
    "LeaveResult",
    "LeaveRow",
    "LeaveTotal",
    "People",
    "Person",
    "ReportedExpense",
    "check_in_out",
    "create_allocation",
    "create_expense",
    "decide_expense",
    "decide_leave",
    "find_people",
    "get_leave_balance",
    "list_leaves",
    "process_expenses",
    "request_leave",
]

readable_signatures(globals())
