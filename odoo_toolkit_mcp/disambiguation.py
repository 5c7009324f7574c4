"""When a name means several records: ask the person, in either protocol era, or say what to choose.

A client of the handshake era is asked while the call waits. A client of the stateless era gets the
question as the call's result and repeats the call with the answer; answers to earlier questions
travel in the request state.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from odoo_toolkit_mcp.untrusted import cleaned

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from typing_extensions import TypeIs

    from odoo_toolkit.records.names import AmbiguousNameError

#: An argument that takes an id: ``partner_id`` or ``lines[2].product_id``.
_PLACE = re.compile(r"^(?:(?P<list>\w+)\[(?P<index>\d+)\]\.)?(?P<label>\w+)_id$")
_CHOICE = re.compile(r"\(id (?P<id>\d+)\)$")


def is_ambiguous(outcome: object) -> TypeIs[AmbiguousNameError]:
    """Whether a name meant several records."""
    from odoo_toolkit.records.names import AmbiguousNameError

    return isinstance(outcome, AmbiguousNameError)


def can_be_asked(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the person behind the client can be shown a form."""
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    # A client that names no kind at all takes forms.
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or ctx.session.can_send_request


def chosen(arguments: Mapping[str, Any], params: CallToolRequestParams) -> dict[str, Any]:
    """Return a call's arguments with the answers that came with it in place of the names."""
    result = dict(arguments)
    for place, record_id in choices(params).items():
        result = with_choice(result, place, record_id) or result
    return result


async def ask(
    ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams, error: AmbiguousNameError
) -> int | InputRequiredResult | None:
    """Ask which record is meant.

    Returns:
        The id of the chosen record; or the result by which a client of the stateless era is
        asked; or None where nobody can be asked, or the person did not choose.
    """
    if not can_be_asked(ctx):
        return None
    if with_choice(params.arguments or {}, error.field, 0) is None:
        return None
    if error.field in (params.input_responses or {}):
        # The person was asked and chose nothing.
        return None
    schema: Any = {
        "type": "object",
        "properties": {
            "record": {
                "type": "string",
                "title": "Which one?",
                "enum": [
                    f"{cleaned(choice)} (id {match['id']})"
                    for match, choice in zip(error.matches, error.choices(), strict=True)
                ],
            }
        },
        "required": ["record"],
    }
    message = f"{error.message.split(' Give ')[0]} Which one do you mean?"
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        request = ElicitRequestFormParams(message=message, requested_schema=schema)
        return InputRequiredResult(
            input_requests={error.field: ElicitRequest(params=request)},
            request_state=json.dumps(choices(params)),
        )
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return _record_id(answer)


def with_choice(arguments: Mapping[str, Any], place: str, record_id: int) -> dict[str, Any] | None:
    """Return arguments in which an id replaces the name it was chosen for.

    None where the arguments have no name at that place.
    """
    match = _PLACE.match(place)
    if not match:
        return None
    result = copy.deepcopy(dict(arguments))
    target: Any = result
    if match["list"]:
        rows = result.get(match["list"])
        index = int(match["index"])
        target = rows[index] if isinstance(rows, list) and index < len(rows) else None
    name = f"{match['label']}_name"
    if not isinstance(target, dict) or name not in target:
        return None
    del target[name]
    target[f"{match['label']}_id"] = record_id
    return result


def state_of(params: CallToolRequestParams) -> dict[str, Any]:
    """Return what travelled in a call's request state; anybody may have written it."""
    try:
        state = json.loads(params.request_state or "{}")
    except (ValueError, RecursionError):
        state = {}
    return state if isinstance(state, dict) else {}


def choices(params: CallToolRequestParams) -> dict[str, int]:
    """Return place -> id, from this call's answers and those of earlier rounds."""
    found = {
        place: record_id
        for place, record_id in state_of(params).items()
        if isinstance(record_id, int) and not isinstance(record_id, bool) and record_id > 0
    }
    for place, answer in (params.input_responses or {}).items():
        record_id = _record_id(answer)
        if record_id is not None:
            found[place] = record_id
    return found


def _record_id(answer: object) -> int | None:
    if not isinstance(answer, ElicitResult) or answer.action != "accept":
        return None
    match = _CHOICE.search(str((answer.content or {}).get("record", "")))
    return int(match["id"]) if match else None
