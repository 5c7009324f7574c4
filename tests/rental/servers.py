"""Copies of the servers that run, with the module ``rental`` installed, each watched and alone."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from typing import Any

import pytest

from tests.attacks.database import Database
from tests.attacks.policies import Raw
from tests.attacks.servers import Copy
from tests.live.own import can_be_copied, opened
from tests.live.servers import Server
from tests.provisioning import copies
from tests.provisioning.releases import RELEASES
from tests.rental.installed import ADDON


@functools.cache
def _installed(server: Server) -> Copy:
    entry = opened(copies.copied(RELEASES[server.version], addons=[ADDON]))
    database = opened(contextlib.closing(Database(entry["db"]).watch()))
    return Copy(replace(server, url=entry["url"], db=entry["db"]), database)


@pytest.fixture(scope="session")
def rental(server: Server) -> Copy:
    """A copy of each provisioned server with the module, and its database."""
    if not can_be_copied(server):
        pytest.skip(f"{server.name} was not provisioned here: its database cannot be copied.")
    return _installed(server)


class Rented:
    """A contract to try things on: made without the toolkit."""

    def __init__(self, raw: Raw, state: str = "draft") -> None:
        self._raw = raw
        partner = raw("res.partner", "create", {"name": "Rental customer"})
        equipment = raw("rental.equipment", "create", {"name": "Drill", "daily_price": 10.0})
        values = {"partner_id": partner, "equipment_id": equipment, "state": state}
        self.partner, self.equipment = partner, equipment
        self.id: int = raw("rental.contract", "create", values)
        self.name: str = raw.value("rental.contract", self.id, "name")

    def value(self, field: str) -> Any:
        """Return a field of it now."""
        return self._raw.value("rental.contract", self.id, field)
