"""From what a server answers when it refuses a call, to the error that says what to do next."""

from odoo_toolkit.error_patterns.faults import (
    PATTERNS,
    Fault,
    classify,
    fault_from_json2,
    fault_from_jsonrpc,
    fault_from_xmlrpc,
    is_void_result,
    maybe_applied,
)
from odoo_toolkit.error_patterns.http import http_error

__all__ = [
    "PATTERNS",
    "Fault",
    "classify",
    "fault_from_json2",
    "fault_from_jsonrpc",
    "fault_from_xmlrpc",
    "http_error",
    "is_void_result",
    "maybe_applied",
]
