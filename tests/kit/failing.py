"""Calls that fail, on a real Odoo and where one is played."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from odoo_toolkit import Connection
from odoo_toolkit.call import Call
from odoo_toolkit.errors import make_error


@contextmanager
def refused(odoo: Connection, model: str, method: str, *ids: int) -> Iterator[None]:
    """Refuse a method of a model without asking Odoo: of these records, or of all."""
    transport = odoo._connected().transport
    send = transport.send

    def answer(call: Call) -> object:
        if (call.model, call.method) == (model, method) and (not ids or call.ids == ids):
            raise make_error("ACCESS_DENIED", "No.")
        return send(call)

    with mock.patch.object(transport, "send", answer):
        yield
