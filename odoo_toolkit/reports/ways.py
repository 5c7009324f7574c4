"""What a way of getting a PDF is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import attrs

from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.lost_answers import send
from odoo_toolkit.reports.listing import Report
from odoo_toolkit.reports.pdf import Document

#: Seconds that one PDF may take. The first after a start of Odoo has to wait for the style sheets
#: to be compiled, and Odoo itself gives up after two minutes.
TIMEOUT = 120.0


class Unavailable(Exception):  # noqa: N818 - another way is taken; nothing may be wrong
    """This way does not lead to the PDF; the message tells people why."""


@attrs.define(kw_only=True)
class Job:
    """What is to be printed.

    Attributes:
        context: extends the base context.
        warnings: what a way has to tell of what it did, added as it does it.
    """

    odoo: Odoo
    report: Report
    context: Mapping[str, Any]
    warnings: list[str] = attrs.Factory(list)

    def step(
        self, model: str, method: str, ids: Sequence[int] | None = None, **options: Any
    ) -> Call:
        """Return a call that is judged by the model that is printed."""
        return Call(
            model=model,
            method=method,
            ids=ids,
            acts_on=self.report.model,
            step=True,
            timeout=TIMEOUT,
            **options,
        )

    def remove(self, call: Call, told: str) -> None:
        """Remove what was only for printing; where that fails, it is told."""
        try:
            send(self.odoo, call, [])
        except OdooError as error:
            self.warnings.append(f"{told}: {error.message}")


Fetch = Callable[[int], Document]
"""Returns the PDF of one record. Raises Unavailable, or the OdooError that printing failed with."""

Way = Callable[[Job], AbstractContextManager[Fetch]]
"""Opens a way for one job, and tidies up at the end. Raises Unavailable."""


def require(job: Job, *calls: Call) -> None:
    """Give up a way, before its first call, if the policy forbids one of its writing calls.

    Raises:
        Unavailable: it does.
    """
    for call in calls:
        try:
            job.odoo.check(call)
        except AccessError as error:
            raise Unavailable(error.message) from None


def write_refusal(job: Job) -> AccessError | None:
    """Return why nothing may be written on the printed model; None in full mode, or if it may."""
    policy = job.odoo.policy
    return None if policy.mode == "full" else policy.model_problem(job.report.model, "write")
