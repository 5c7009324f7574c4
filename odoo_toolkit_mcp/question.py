"""A question to a person before a tool continues, and the error after a no."""

from __future__ import annotations

import attrs

from odoo_toolkit.errors import ValidationError


@attrs.frozen(kw_only=True)
class Question:
    """A question to a person before a tool continues.

    Attributes:
        message: what will happen, with the names of the records.
        digest: stands for the message, the call with its arguments and records, and who makes it.
        of_another: whether not this person is asked, but another one.
    """

    message: str
    digest: str
    of_another: bool = False


def not_confirmed() -> ValidationError:
    """Return the error that says that the person has said no."""
    return ValidationError(
        "The user did not confirm this. Nothing was done.",
        suggestion="Do not repeat the call unless the user asks for it.",
        outcome="not_sent",
        retry=False,
    )
