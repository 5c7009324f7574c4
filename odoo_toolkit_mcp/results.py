"""From what the library returns or raises to the result of a tool call, or the protocol's error."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic_core import PydanticSerializationError, from_json, to_json

from odoo_toolkit.errors import OdooError
from odoo_toolkit.policy.rules import IN_A_SCRIPT

if TYPE_CHECKING:
    from odoo_toolkit.records.names import AmbiguousNameError
    from odoo_toolkit_mcp.files import Delivered

logger = logging.getLogger(__name__)


#: Of prompts, completions and resources: what the caller cannot mend by asking for something else.
_NOT_MENDABLE = ("connection", "configuration", "unknown")

#: How the library names a rule, which here is a setting of whoever runs the server.
_RULE = re.compile(r'Policy\((\w+)=(?:"\w+"|\.\.\.)\)')

#: code, words of the library's suggestion, and what is added where both fit.
_HINTS = (
    (
        "VALIDATION_ERROR",
        "max_bytes",
        "The administrator can change this limit with ODOO_MCP_ATTACHMENT_MAX_MB.",
    ),
    (
        "UNKNOWN_ERROR",
        "set the folder",
        "The administrator can change this folder with ODOO_MCP_DOWNLOAD_DIR.",
    ),
    ("INVALID_DOMAIN", "", "The prompt odoo_domain_help shows all operators."),
)


def success(
    result: Any, delivered: Delivered | None = None, undo: Mapping[str, Any] | None = None
) -> CallToolResult:
    """Return the result of a tool from the attrs object that the library function returned.

    The same JSON object is in ``structuredContent`` and, compact, in the text.

    Args:
        result: what the function returned.
        delivered: the file in it: its blocks follow the text, which then lacks its content.
        undo: how what was written is taken back.
    """
    data = _as_data(result)
    if isinstance(data, dict) and isinstance(data.get("needs"), str):  # of a plan
        data["needs"] = for_server(data["needs"])
    if undo and isinstance(data, dict):
        data.setdefault("undo", dict(undo))
    if delivered is None:
        return _result(data, is_error=False)
    if not delivered.inline:
        data.pop("content_base64", None)
    data |= delivered.added
    if delivered.warning:
        data["warnings"] = [*data.get("warnings", ()), delivered.warning]
    answer = _result(data, is_error=False)
    answer.content.extend(delivered.blocks)
    return answer


def with_data(result: CallToolResult, data: dict[str, Any]) -> CallToolResult:
    """Return a result with other data in its text and structured content; all else stays."""
    answer = _result(data, is_error=bool(result.is_error))
    content = [*answer.content, *result.content[1:]]
    shown = {"content": content, "structured_content": answer.structured_content}
    return result.model_copy(update=shown)


def without_calls(result: CallToolResult) -> CallToolResult:
    """Return a plan without its calls, if its documents or its items say what they do.

    People are shown the calls before they confirm. A model reads the documents alone.
    """
    data = result.structured_content or {}
    if data.get("dry_run") is not True or not (data.get("documents") or data.get("items")):
        return result
    if "calls" not in data:
        return result
    return with_data(result, {name: value for name, value in data.items() if name != "calls"})


def json_text(result: Any) -> str:
    """Return what a library function returned as the text of a resource: the same JSON."""
    return _json(_as_data(result))


def disambiguation(error: AmbiguousNameError) -> CallToolResult:
    """Return the object that asks to choose among the matches of a name: nothing was written."""
    return _result(error.disambiguation(), is_error=False)


def failure(tool: str, error: OdooError, undo: Mapping[str, Any] | None = None) -> CallToolResult:
    """Return an isError result with the error object, and log what happened.

    ``undo`` says how what was written before the error is taken back.
    """
    # What the caller can mend is a warning; the rest is for whoever runs the server.
    mendable = error.category not in ("access", "connection", "configuration", "unknown")
    level = logging.WARNING if mendable else logging.ERROR
    logger.log(level, "%s: %s: %s", tool, error.code, error.message)
    # The suggestion may name other functions: which tool was called must not be guessed.
    told = {**error_object(error), "tool": tool}
    return _result({**told, "undo": dict(undo)} if undo else told, is_error=True)


def unexpected(tool: str, error: Exception) -> CallToolResult:
    """Return an isError result for an exception that nobody foresaw, without its text.

    The text may hold anything; it goes to the log, at debug level, with the traceback.
    """
    logger.debug("%s failed", tool, exc_info=error)
    return failure(
        tool,
        OdooError(
            f"{tool} failed with an unexpected error.",
            suggestion="For details, see the server's log at level debug. If this was a change,"
            " check in Odoo whether it was made before you repeat it.",
        ),
    )


def mcp_error(asked_for: str, error: Exception) -> MCPError:
    """Return the protocol's error for an exception, the error object of the toolkit as its data.

    Prompts, completions and resources have no result to put it in.

    Args:
        asked_for: what was asked for, for the log and the message.
        error: what went wrong. The text of an exception that nobody foresaw stays in the log.
    """
    if not isinstance(error, OdooError):
        logger.debug("%s failed", asked_for, exc_info=error)
        error = OdooError(
            f"{asked_for} failed with an unexpected error.",
            suggestion="For details, see the server's log at level debug.",
        )
    mendable = error.category not in _NOT_MENDABLE
    level = logging.WARNING if mendable else logging.ERROR
    logger.log(level, "%s: %s: %s", asked_for, error.code, error.message)
    code = INVALID_PARAMS if mendable else INTERNAL_ERROR
    return MCPError(code, error.message, error_object(error))


def error_object(error: OdooError) -> dict[str, Any]:
    """Return the error object of the library, with what this server knows in the suggestion."""
    told = error.to_dict()
    added = [
        more for code, words, more in _HINTS if code == error.code and words in error.suggestion
    ]
    return {**told, "suggestion": for_server(" ".join([error.suggestion, *added]).strip())}


def for_server(text: str) -> str:
    """Return a text of the library with the settings of the server in place of its rules."""
    text = text.replace(IN_A_SCRIPT, "")
    return _RULE.sub(
        lambda rule: f"the setting ODOO_MCP_{rule[1].upper()}, which whoever runs this server sets",
        text,
    )


def _result(data: Any, *, is_error: bool) -> CallToolResult:
    text = _json(data)
    return CallToolResult(
        content=[TextContent(text=text)],
        # Read back, so that both say the same and nothing unserialisable reaches the protocol.
        structured_content=from_json(text),
        is_error=is_error,
    )


def _json(data: Any) -> str:
    try:
        return to_json(data, bytes_mode="base64", inf_nan_mode="null", fallback=str).decode()
    except (PydanticSerializationError, ValueError):
        # Lone surrogates: half a character that UTF-8 cannot carry.
        text = json.dumps(data, default=str, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace").decode()


def _as_data(result: Any) -> Any:
    # Imported here: the server must be able to start without it.
    from odoo_toolkit.records.plain_results import as_data

    return as_data(result)
