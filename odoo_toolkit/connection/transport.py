"""What every transport offers, whatever its wire protocol."""

from __future__ import annotations

from typing import Any, Protocol

from odoo_toolkit.connection.call import Call


class Transport(Protocol):
    """Carries calls to one Odoo database as one user; safe to use from many threads."""

    name: str

    def authenticate(self) -> int:
        """Prove who we are and return the user's id."""

    def send(self, call: Call) -> Any:
        """Send one call and return what the method returned, None included."""

    def close(self) -> None:
        """Release the connections."""
