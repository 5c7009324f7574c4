"""What can go wrong, as exceptions that say what to do next.

::

    OdooError
    ├── ValidationError       the input is wrong: a field, a value, a domain
    ├── AccessError           Odoo or the policy does not allow it
    ├── NotFoundError         no such record, model or method
    ├── ConstraintError       the database refuses: unique, check, foreign key
    ├── StateError            the record's state does not allow it now
    ├── WizardRequiredError   Odoo asks a question first
    ├── OdooConnectionError   Odoo could not be reached, or did not answer properly
    ├── RateLimitError        too many calls
    └── ConfigurationError    the settings are wrong

Catch :class:`OdooError` for all of them. ``error.code`` has the exact code, and
``error.to_dict()`` returns the object that the MCP server sends.
"""

from __future__ import annotations

import copyreg
import os
import sys
import traceback
from collections.abc import Mapping
from itertools import pairwise
from types import TracebackType
from typing import Any, Literal

from odoo_toolkit.display.visible_text import visible

_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")

Outcome = Literal["not_sent", "refused", "rolled_back", "maybe_applied"]
"""What became of the call: it never reached the server; the server refused it before the method
ran; the method failed and its transaction was undone; or nobody knows."""


class OdooError(Exception):
    """A call to Odoo failed.

    Args:
        message: What happened, in one or two sentences.
        code: Error code, one of :data:`CODES`.
        suggestion: What to do next.
        details: machine-readable data, such as ``model``, ``field`` and ``did_you_mean``.
        outcome: True if the call was applied on the server.
        retry: True if another attempt can help. Default: that of the code in :data:`CODES`.
    """

    default_code = "UNKNOWN_ERROR"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        suggestion: str = "",
        details: Mapping[str, Any] | None = None,
        outcome: Outcome = "refused",
        retry: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.category, code_retry = CODES[self.code][:2]
        self.suggestion = suggestion
        self.details = dict(details or {})
        self.outcome = outcome
        self.retry = code_retry if retry is None else retry

    def __str__(self) -> str:
        # A script that does not catch it ends with this: what to do belongs to it.
        return visible("\n".join(filter(None, (self.message, self.suggestion))))

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew without __init__, whose arguments differ between the classes.
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a stack trace: where, what, and what to do.

        The stack trace is there nevertheless: ``traceback.print_last()``.
        """
        lines = [f"{type(self).__name__} ({self.code}): {self.message}"]
        if self.suggestion:
            lines.append(self.suggestion)
        frames = traceback.extract_tb(self.__traceback__)
        for frame, inner in pairwise(frames):
            if inner.filename.startswith(_LIBRARY):
                lines.append(f"Line {frame.lineno}: {frame.line}")
                break
        return list(map(visible, lines))

    def to_dict(self) -> dict[str, Any]:
        """Return the error object: error, category, code, message, suggestion, retry, details."""
        data: dict[str, Any] = {
            "error": True,
            "category": self.category,
            "code": self.code,
            "message": self.message,
            "suggestion": self.suggestion,
            "retry": self.retry,
        }
        if self.details:
            data["details"] = self.details
        return data


class ValidationError(OdooError, ValueError):
    """The input is wrong. Nothing was written."""

    default_code = "VALIDATION_ERROR"


class AccessError(OdooError):
    """Odoo's access rights or the toolkit's policy do not allow the call."""

    default_code = "ACCESS_DENIED"


class NotFoundError(OdooError, LookupError):
    """The record, model or method does not exist."""

    default_code = "NOT_FOUND"


class ConstraintError(OdooError):
    """A rule of the database or the model rejects the values."""

    default_code = "CONSTRAINT_ERROR"


class StateError(OdooError):
    """The state of the record does not allow this."""

    default_code = "STATE_ERROR"


class WizardRequiredError(OdooError):
    """Odoo opened a wizard that you must answer first."""

    default_code = "WIZARD_REQUIRED"


class OdooConnectionError(OdooError):
    """Odoo could not be reached, or its response was not understood.

    ``error.outcome`` says whether a write may have been applied nevertheless.
    """

    default_code = "CONNECTION_ERROR"


class RateLimitError(OdooError):
    """There were too many calls. ``details["retry_after"]`` has the seconds to wait."""

    default_code = "RATE_LIMITED"


class ConfigurationError(OdooError, ValueError):
    """The settings are wrong. ``details["problems"]`` lists every problem."""

    default_code = "CONFIG_ERROR"


#: code -> (category, whether trying again, changed or later, can help, class)
CODES: dict[str, tuple[str, bool, type[OdooError]]] = {
    "VALIDATION_ERROR": ("validation", True, ValidationError),
    "USER_ERROR": ("validation", True, ValidationError),
    "VALUE_ERROR": ("validation", True, ValidationError),
    "MISSING_REQUIRED_FIELD": ("validation", True, ValidationError),
    "INVALID_FIELD": ("validation", True, ValidationError),
    "INVALID_SELECTION": ("validation", True, ValidationError),
    "INVALID_DOMAIN": ("validation", True, ValidationError),
    "REDIRECT_WARNING": ("validation", True, ValidationError),
    "ACCESS_DENIED": ("access", False, AccessError),
    "MODE_VIOLATION": ("access", False, AccessError),
    "MODEL_BLOCKED": ("access", False, AccessError),
    "FIELD_BLOCKED": ("access", False, AccessError),
    "METHOD_BLOCKED": ("access", False, AccessError),
    "NOT_FOUND": ("not_found", True, NotFoundError),
    "UNKNOWN_MODEL": ("not_found", True, NotFoundError),
    "UNKNOWN_METHOD": ("not_found", True, NotFoundError),
    "CONSTRAINT_ERROR": ("constraint", True, ConstraintError),
    "UNIQUE_VIOLATION": ("constraint", True, ConstraintError),
    "CHECK_CONSTRAINT": ("constraint", True, ConstraintError),
    "FK_VIOLATION": ("constraint", True, ConstraintError),
    "STATE_ERROR": ("state", True, StateError),
    "KEY_RUNNING": ("state", True, StateError),
    "APPROVAL_NEEDED": ("state", True, StateError),
    "CONFIRMATION_NEEDED": ("state", True, StateError),
    "KEY_DONE": ("state", False, StateError),
    "KEY_UNCONFIRMED": ("state", False, StateError),
    "WIZARD_REQUIRED": ("wizard", True, WizardRequiredError),
    "CONNECTION_ERROR": ("connection", True, OdooConnectionError),
    "CONNECTION_REFUSED": ("connection", True, OdooConnectionError),
    "TIMEOUT": ("connection", True, OdooConnectionError),
    "SESSION_EXPIRED": ("connection", True, OdooConnectionError),
    "ENDPOINT_NOT_FOUND": ("connection", True, OdooConnectionError),
    "SERVER_ERROR": ("connection", True, OdooConnectionError),
    "RATE_LIMITED": ("rate_limit", True, RateLimitError),
    "HISTORY_ERROR": ("configuration", True, ConfigurationError),
    "STORE_ERROR": ("configuration", True, ConfigurationError),
    "CONFIG_ERROR": ("configuration", False, ConfigurationError),
    "UNKNOWN_ERROR": ("unknown", False, OdooError),
}


def make_error(code: str, message: str, **options: Any) -> OdooError:
    """Return an error of the class that belongs to a code.

    Args:
        code: Error code, one of :data:`CODES`.
        message: What happened, in one or two sentences.
        options: Other arguments of :class:`OdooError`.
    """
    return CODES[code][2](message, code=code, **options)


def invalid(field: str, message: str, suggestion: str = "", **details: Any) -> ValidationError:
    """Return the error for an argument that is wrong.

    Args:
        field: Name of the argument, such as ``lines[2].quantity``.
        message: What is wrong with it.
        suggestion: What to do next.
        details: More machine-readable data.
    """
    return ValidationError(message, suggestion=suggestion, details={"field": field, **details})


def is_refusal(error: OdooError | None) -> bool:
    """Return whether Odoo itself rejected a call, and not a proxy or firewall before it.

    Args:
        error: Error of the call.
    """
    return isinstance(error, AccessError) and "http_status" not in error.details


def shorten_uncaught() -> None:
    """Show only your own lines if your script does not catch an :class:`OdooError`.

    Lines of the library would not help you. To see all of them, run ``python -X dev``. If another
    tool shows uncaught errors, nothing changes.
    """
    if sys.excepthook is sys.__excepthook__ and not sys.flags.dev_mode:
        sys.excepthook = _show_uncaught


def _show_uncaught(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if isinstance(error, OdooError):
        frames: list[TracebackType] = []
        while trace is not None and not _is_ours(trace):
            frames.append(trace)
            trace = trace.tb_next
        short: TracebackType | None = None
        for frame in reversed(frames):
            short = TracebackType(short, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
        trace, error.__traceback__ = short, short
        for cause in (error.__cause__, error.__context__):
            if cause is not None and _is_ours(cause.__traceback__):
                error.__cause__ = None  # it is told by the error; this suppresses both
    sys.__excepthook__(kind, error, trace)


def _is_ours(trace: TracebackType | None) -> bool:
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(_LIBRARY)
