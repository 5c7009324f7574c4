"""Errors of prompts, completions and resources, which have no result to put them in."""

from __future__ import annotations

import logging

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from odoo_toolkit.errors import OdooError
from odoo_toolkit_mcp.hints import error_object

logger = logging.getLogger(__name__)

#: What the caller cannot mend by asking for something else.
_NOT_MENDABLE = ("connection", "configuration", "unknown")


def mcp_error(asked_for: str, error: Exception) -> MCPError:
    """Return the protocol's error for an exception, the error object of the toolkit as its data.

    Args:
        asked_for: what was asked for, for the log and the message.
        error: what went wrong. The text of an exception that nobody foresaw stays in the log.
    """
    if not isinstance(error, OdooError):
        logger.debug("%s failed", asked_for, exc_info=error)
        error = OdooError(
            f"{asked_for} failed in a way that the toolkit does not know.",
            suggestion="The server's log has the details at level debug.",
        )
    mendable = error.category not in _NOT_MENDABLE
    level = logging.WARNING if mendable else logging.ERROR
    logger.log(level, "%s: %s: %s", asked_for, error.code, error.message)
    code = INVALID_PARAMS if mendable else INTERNAL_ERROR
    return MCPError(code, error.message, error_object(error))
