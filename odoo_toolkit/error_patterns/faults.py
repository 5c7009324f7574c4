"""From what a server answers when it refuses a call, to the error that says what to do next.

:func:`fault_from_jsonrpc`, :func:`fault_from_json2` and :func:`fault_from_xmlrpc` read the same
facts out of the three protocols; :func:`classify` finds them in the table of known answers.
:func:`~odoo_toolkit.error_patterns.http.http_error` is for answers that are not the protocol's.
"""

from __future__ import annotations

import ast
import builtins
import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from odoo_toolkit.error_patterns.by_exception import BY_EXCEPTION
from odoo_toolkit.error_patterns.english import ENGLISH
from odoo_toolkit.error_patterns.http import http_error
from odoo_toolkit.error_patterns.table import ANY_LANGUAGE, Pattern
from odoo_toolkit.error_patterns.text import plain
from odoo_toolkit.errors import OdooError, make_error

_log = logging.getLogger(__name__)

#: The known answers; the first that fits decides.
PATTERNS: tuple[Pattern, ...] = ANY_LANGUAGE + ENGLISH + BY_EXCEPTION

_LONGEST_DETAIL = 200
_LISTS = frozenset({"ids", "fields", "groups"})


@attrs.frozen(kw_only=True)
class Fault:
    """What a transport read of a failure that the server told in its protocol.

    Attributes:
        name: of the exception, such as ``odoo.exceptions.UserError``; "" where unknown.
        message: the server's words; may have several lines.
        arguments: of the exception.
        http_status: of a JSON-2 answer.
        fault_code: of an XML-RPC fault.
        debug: the server's traceback; for the log only.
    """

    name: str
    message: str
    arguments: tuple[Any, ...] = ()
    http_status: int | None = None
    fault_code: int | str | None = None
    debug: str = attrs.field(default="", repr=False)


def fault_from_jsonrpc(error: Any) -> Fault:
    """Read the ``error`` object of a JSON-RPC answer.

    Its own code says little (200 to Odoo 18, 0 in 19) but for 100, an expired session, and 404.
    """
    error = error if isinstance(error, Mapping) else {"message": str(error)}
    data = error.get("data")
    fault = _fault_from_object(data if isinstance(data, Mapping) else {})
    name = fault.name or _JSONRPC_CODES.get(str(error.get("code")), "")
    return attrs.evolve(fault, name=name, message=fault.message or str(error.get("message") or ""))


_JSONRPC_CODES = {
    "100": "odoo.http.SessionExpiredException",
    "404": "werkzeug.exceptions.NotFound",
}


def fault_from_json2(status: int, body: Any) -> Fault:
    """Read the JSON body of a JSON-2 answer whose HTTP status is not 2xx."""
    body = body if isinstance(body, Mapping) else {"message": str(body or "")}
    return attrs.evolve(_fault_from_object(body), http_status=status)


def _fault_from_object(data: Mapping[str, Any]) -> Fault:
    arguments = data.get("arguments")
    return Fault(
        name=str(data.get("name") or ""),
        message=str(data.get("message") or ""),
        arguments=tuple(arguments) if isinstance(arguments, (list, tuple)) else (),
        debug=str(data.get("debug") or ""),
    )


def fault_from_xmlrpc(fault_code: int | str, fault_string: str) -> Fault:
    """Read an XML-RPC fault.

    The codes 2, 3 and 4 are Odoo's own exceptions, with their message. Code 1 is any other one:
    the string is the whole traceback, and its end has the exception and the message.
    """
    name = _XMLRPC_NAMES.get(str(fault_code), "")
    if not name:
        name, message = _end_of_traceback(fault_string)
        return Fault(name=name, message=message, fault_code=fault_code, debug=fault_string)
    arguments = _redirect_arguments(fault_string)
    if arguments:
        name, fault_string = "odoo.exceptions.RedirectWarning", str(arguments[0])
    return Fault(name=name, message=fault_string, arguments=arguments, fault_code=fault_code)


_XMLRPC_NAMES = {
    "2": "odoo.exceptions.UserError",
    "3": "odoo.exceptions.AccessDenied",
    "4": "odoo.exceptions.AccessError",
}


def _redirect_arguments(text: str) -> tuple[Any, ...]:
    """A RedirectWarning has no words of its own over XML-RPC, but the tuple of its arguments."""
    if not re.match(r"\(['\"]", text):
        return ()
    try:
        arguments = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    return arguments if isinstance(arguments, tuple) and len(arguments) > 2 else ()


def _end_of_traceback(text: str) -> tuple[str, str]:
    """Return the name of the exception and its message, which may have several lines."""
    last_frame = text.rfind('\n  File "')
    if last_frame < 0 and "Traceback" in text[:40]:
        last_frame = 0
    lines = text[max(last_frame, 0) :].strip("\n").split("\n")
    if last_frame >= 0:
        # The frames and their source are indented, the exception is not.
        lines = lines[1:]
        while lines and (not lines[0] or lines[0][0].isspace()):
            lines.pop(0)
    name, _, message = "\n".join(lines).partition(": ")
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name.strip()):
        return "", ("" if last_frame >= 0 else text.strip())
    name = name.strip()
    return (f"builtins.{name}" if hasattr(builtins, name) else name), message.strip()


def is_void_result(fault: Fault) -> bool:
    """Whether the fault means that the method returned None, which XML-RPC cannot carry.

    The method ran and was committed: a success. A None inside of a list or a dictionary is
    reported by the same words; then the answer is lost, and this is False.
    """
    return (
        fault.name == "builtins.TypeError"
        and fault.message.startswith("cannot marshal None")
        and not re.search(r"in dump_(array|struct)\b", fault.debug)
    )


def classify(
    fault: Fault, *, model: str, method: str, ids: Iterable[int] | None = None
) -> OdooError:
    """Return the error for what the server answered to a call.

    Args:
        fault: what the transport read.
        model: model that was called; "" for a call of the server itself, such as a login.
        method: method that was called.
        ids: records it was called on.

    Returns:
        The error of the first entry of :data:`PATTERNS` that fits. ``details`` has ``model`` and
        ``method``, the ``ids`` of the call, and what the message tells: ``field``, ``label``,
        ``constraint``, ``missing_ids``, ``groups``, ... Where the message speaks of another model
        than the one called, ``model`` is that one and ``called_model`` the other.
    """
    _log.debug("%s.%s failed: %r %s", model, method, fault, fault.debug)
    if not fault.name and fault.http_status is not None:
        # JSON, but not Odoo's: a gateway in front of it has answered.
        error = http_error(fault.http_status, content_type="application/json")
        error.details |= {"model": model, "method": method}
        return error
    message = fault.message[:5000]
    if fault.name.endswith("RedirectWarning"):
        # Its message is followed by the action, the button and the context, a line each.
        first = fault.arguments[0] if fault.arguments else message.partition("\n")[0]
        message = str(first)[:5000]
    pattern, groups = _find(fault, message, method)
    if pattern.code == "NOT_FOUND" and "ids" in groups:
        groups["missing_ids"] = groups.pop("ids")
    details: dict[str, Any] = {"model": model, "method": method} if model else {"method": method}
    if ids is not None:
        details["ids"] = list(ids)
    if groups.get("model", model) != model:
        details["called_model"] = model
    details |= {**groups, **pattern.details}
    facts = {key: _text(value) for key, value in details.items()}
    facts["ids"] = facts.get("missing_ids") or facts.get("ids", "")
    facts.setdefault("model", "the server")
    facts["said"] = plain(message)
    said = facts["said"] if pattern.say is None else _fill(pattern.say, facts)
    return make_error(
        pattern.code,
        said or f"Odoo rejected {method} of {facts['model']} without a reason.",
        suggestion=_fill(pattern.suggest, facts),
        details=details,
        outcome=pattern.outcome,
        retry=pattern.retry,
    )


def _find(fault: Fault, message: str, method: str) -> tuple[Pattern, dict[str, Any]]:
    """Return the first entry that fits, and what its groups caught."""
    for pattern in PATTERNS:
        if pattern.exception is not None and not re.search(pattern.exception, fault.name):
            continue
        if pattern.method is not None and not re.match(pattern.method, method):
            continue
        groups: dict[str, Any] = {}
        if pattern.message is not None:
            match = re.search(pattern.message, message, re.DOTALL)
            if match is None:
                continue
            groups = {
                key.rstrip("_"): value
                for key, value in match.groupdict().items()
                if value is not None
            }
            called = groups.pop("called", method)
            if called.rpartition(".")[2] != method:
                continue
        return pattern, {key: _detail(key, value) for key, value in groups.items()}
    raise AssertionError("the last entry of PATTERNS fits everything")  # pragma: no cover


def _detail(key: str, text: str) -> Any:
    if key not in _LISTS:
        return plain(text, _LONGEST_DETAIL)
    # "- Administration/Settings", "- login (allowed for groups 'Settings', 'Users')", "a,b"
    items = re.split(r"\n" if "\n" in text or key == "groups" else ",", text)
    names = [re.sub(r" \(.*", "", item).strip(" \t-") for item in items]
    if key == "ids":
        return [int(name) for name in names if name.isdecimal() and len(name) < 20]
    return [plain(name, _LONGEST_DETAIL) for name in names if name]


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


class _Facts(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


def _fill(template: str, facts: Mapping[str, str]) -> str:
    return plain(template.format_map(_Facts(facts)).rstrip(" :"))


_UNSURE = "The change may have been applied."


def maybe_applied(error: OdooError) -> OdooError:
    """Return the connection error of a write in its honest form: nobody knows what became of it."""
    if error.outcome == "maybe_applied" and error.message.endswith(_UNSURE):
        return error
    details = {key: value for key, value in error.details.items() if key != "retry_after"}
    where = f" of {details['model']}" if details.get("model") else ""
    honest = make_error(
        error.code,
        f"{error.message} {_UNSURE}",
        suggestion=f"Do not repeat the call yet. First search for the record{where} with "
        "search_read, and check whether the change is there.",
        details=details,
        outcome="maybe_applied",
        retry=False,
    )
    honest.__cause__ = error.__cause__
    return honest
