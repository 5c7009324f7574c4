"""One JSON line for each call to Odoo that somebody may ask about later, and each tool stopped."""

from __future__ import annotations

import datetime
import json
import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.policy.contents import HIDDEN, in_brief, lines_in_brief, replaced
from odoo_toolkit_mcp import request_ids

if TYPE_CHECKING:
    from odoo_toolkit.call import Call
    from odoo_toolkit.change_history.approvals import Approval, Happening
    from odoo_toolkit.client import CallEvent
    from odoo_toolkit.policy import Policy
    from odoo_toolkit_mcp.settings import ServerSettings

logger = logging.getLogger(__name__)

#: Why a call was not carried out, where nobody knows what its values are: they may be the
#: passwords for which it was refused. Of these calls the names are recorded.
_REFUSED = frozenset(
    {
        *("MODE_VIOLATION", "MODEL_BLOCKED", "FIELD_BLOCKED", "METHOD_BLOCKED", "ACCESS_DENIED"),
        *("VALIDATION_ERROR", "VALUE_ERROR", "INVALID_FIELD", "INVALID_SELECTION"),
        *("INVALID_DOMAIN", "UNKNOWN_MODEL", "UNKNOWN_METHOD"),
    }
)

#: What the name of an argument or field, or a path of fields, looks like.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}")
_MOST_NAMES = 100


@attrs.frozen
class Caller:
    """On whose behalf Odoo is called.

    Attributes:
        session_id: of the server's run.
        tool: the tool's name; for what is no tool, the request's.
        client: over HTTP, the client that sent it.
        about: more of who that is.
        changes: the calls made so far that are no mere reads.
        log: which records what happens to plans of these calls, if anything does.
    """

    session_id: str
    tool: str
    client: str | None = None
    about: Mapping[str, Any] = attrs.field(factory=dict)
    changes: list[dict[str, Any]] = attrs.field(factory=list, eq=False)
    log: AuditLog | None = attrs.field(default=None, eq=False)


#: Set around each tool call; worker threads inherit it.
caller: ContextVar[Caller | None] = ContextVar("odoo_toolkit_mcp_caller", default=None)


class AuditLog:
    """Writes the audit lines of a server: where it is told, else to a file or the log on stderr.

    Args:
        settings: what is recorded, and where.
        policy: knows the fields that nobody may see.
        note: takes each line, in place of file and log.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(
        self,
        settings: ServerSettings,
        policy: Policy,
        note: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self._recorded = {
            "read": settings.audit_reads,
            "delete": settings.audit_deletes,
        }
        self._others = settings.audit_writes
        self._policy = policy
        self._note = note
        self._lock = threading.Lock()
        self._file = None
        if note:
            return
        if settings.audit_file:
            # Only the owner may read it: it holds business data.
            descriptor = os.open(
                settings.audit_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode=0o600
            )
            self._file = os.fdopen(descriptor, "a", encoding="utf-8", errors="replace")
        else:
            logger.setLevel(logging.INFO)

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()

    def record(self, event: CallEvent) -> None:
        """Write the line of one call, unless calls of its kind are not recorded."""
        who = caller.get()
        if who and not event.call.reads:
            who.changes.append(_change(event))
        if self._recorded.get(event.call.access, self._others):
            self._write(self._entry(event))

    def record_cancelled(self, who: Caller, access: str) -> None:
        """Write that a tool was stopped, and what it had done until then.

        Args:
            who: the caller of its calls.
            access: the tool's kind; where calls of that kind are not recorded, this is neither,
                unless something was changed.
        """
        if not who.changes and not self._recorded.get(access, self._others):
            return
        entry = _begun(who, None, "cancelled")
        entry |= {"changes": list(who.changes), "success": False, "error_code": "CANCELLED"}
        self._write(entry)

    def record_happening(self, who: Caller, happening: Happening, approval: Approval) -> None:
        """Write what happens to a plan that waits for a person."""
        entry = _begun(who, None, approval.operation) | of_plan(happening, approval)
        self._write({**entry, "success": True})

    def _write(self, entry: dict[str, Any]) -> None:
        if self._note:
            self._note(entry)
            return
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        if self._file is None:
            logger.info("%s", line)
            return
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def _entry(self, event: CallEvent) -> dict[str, Any]:
        call = event.call
        entry = _begun(caller.get(), str(call.model)[:100], str(call.method)[:100])
        if call.ids is not None:
            entry["ids"] = [i for i in call.ids if isinstance(i, int)]
        if event.error_code in _REFUSED or self._closed(call):
            entry["names"] = _names(call)
        else:
            entry |= self._shown(call, event.files())
        entry["result_ids"] = _result_ids(event)
        entry["success"] = event.success
        if event.error_code:
            entry["error_code"] = event.error_code
        entry["duration_ms"] = event.duration_ms
        entry["odoo_uid"] = event.uid
        return entry

    def _closed(self, call: Call) -> bool:
        blocked = self._policy.model_blocked(call.model)
        return blocked or not self._policy.model_allowed(call.acts_on or call.model)

    def _shown(self, call: Call, files: frozenset[str]) -> dict[str, Any]:
        """Return what a call reads by, or writes, without files and secrets."""

        def tell(name: str, value: Any) -> Any:
            closed = bool(name) and self._policy.field_blocked(name)
            return HIDDEN if closed else in_brief(name, value, files)

        arguments = self._policy.redact({**call.arguments})
        if call.access == "read":
            return {
                name: replaced(value, tell, name)
                for name, value in arguments.items()
                if name == "domain"
            }
        values = arguments.get("vals", arguments.get("vals_list", arguments))
        shown = {"values": replaced(values, tell)}
        if call.positional:
            shown["arguments"] = replaced(self._policy.redact(list(call.positional)), tell)
        return shown


def record_happening(happening: Happening, approval: Approval) -> None:
    """Write what happens to a plan that waits for a person, if its caller's calls are recorded."""
    who = caller.get()
    if who and who.log:
        who.log.record_happening(who, happening, approval)


def of_plan(happening: Happening, approval: Approval) -> dict[str, Any]:
    """Return what the audit says of a plan that waits for a person; once, what the plan is."""
    plan = {"plan": lines_in_brief(approval.message)} if happening == "asked" else {}
    return {
        "event": f"plan {happening}",
        "approval": approval.id,
        "asked_by": approval.who,
        "asked_uid": approval.uid,
        "decided_by": approval.decider,
        "operation": approval.operation,
        **plan,
    }


def _begun(who: Caller | None, model: str | None, operation: str) -> dict[str, Any]:
    """Return what each line begins with."""
    entry: dict[str, Any] = {
        "timestamp": datetime.datetime.now(datetime.UTC).isoformat(),
        "session_id": who.session_id if who else None,
        "tool": who.tool if who else None,
        "model": model,
        "operation": operation,
        **request_ids.current(),
    }
    if who and who.client:
        entry["client"] = who.client
    if who:
        entry |= who.about
    return entry


def _change(event: CallEvent) -> dict[str, Any]:
    call = event.call
    ids = list(call.ids) if call.ids is not None else _result_ids(event)
    return {"model": call.model, "operation": call.method, "ids": ids, "success": event.success}


def _names(call: Call) -> list[str]:
    """Return the names of a call's arguments and of the fields in them, without any value."""
    found = [*_keys(dict(call.arguments)), *_keys(call.positional), *_keys(dict(call.context))]
    found += _paths(call.arguments.get("domain"))
    names = (name for name in found if isinstance(name, str) and _NAME.fullmatch(name))
    return list(dict.fromkeys(names))[:_MOST_NAMES]


def _keys(value: object) -> Iterator[object]:
    """Yield the keys of all objects in a value."""
    if isinstance(value, Mapping):
        yield from value
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _keys(item)


def _paths(domain: object) -> Iterator[object]:
    """Yield what the conditions of a domain are about."""
    if isinstance(domain, (list, tuple)):
        for item in domain:
            if isinstance(item, (list, tuple)) and len(item) == 3:
                yield item[0]


def _result_ids(event: CallEvent) -> list[int]:
    """Return the ids of the records that a call returned, or made."""
    result = event.result
    rows = result if isinstance(result, list) else [result]
    ids = [row.get("id") if isinstance(row, Mapping) else row for row in rows]
    if event.call.access not in ("read", "create") or event.call.method == "search_count":
        return []
    return [i for i in ids if isinstance(i, int) and not isinstance(i, bool)]
