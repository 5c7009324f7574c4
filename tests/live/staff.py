"""An employee and a boss of a test's own."""

from __future__ import annotations

import uuid
from typing import Any

import attrs

import odoo_toolkit as toolkit
from odoo_toolkit import Odoo
from tests.kit.live_tapes import Open
from tests.kit.users import take_email


@attrs.frozen
class Staff:
    """Users without further rights, but that one is the other's manager.

    Attributes:
        tag: ends both names, which nobody else has.
    """

    emp: Odoo
    boss: Odoo
    emp_id: int
    boss_id: int
    tag: str


def new_staff(opened: Open, admin: Odoo) -> Staff:
    """Make an employee and a boss."""
    tag = uuid.uuid4().hex[:8]
    emp, boss = (opened(f"{name} {tag} in base.group_user") for name in ("Clerk", "Chief"))
    boss_id = employee(opened, admin, boss, f"Toolkit Chief {tag}")
    emp_id = employee(opened, admin, emp, f"Toolkit Clerk {tag}", parent_id=boss_id)
    return Staff(emp, boss, emp_id, boss_id, tag)


def employee(opened: Open, admin: Odoo, user: Odoo, name: str, **values: Any) -> int:
    """Make an employee of a user."""
    # Odoo 14 lets nobody decide without an e-mail address.
    take_email(opened, user, f"{name.replace(' ', '-').lower()}@example.com")
    made = toolkit.create(admin, "hr.employee", {"name": name, "user_id": user.uid, **values}).id
    assert made
    return made
