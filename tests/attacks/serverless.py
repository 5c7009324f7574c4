"""A connection without a server, for what must not leave the process: it notes what would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.policy import Policy
from odoo_toolkit.testing import FakeServer
from odoo_toolkit.values import ReadOptions
from tests.attacks.policies import Noting

#: model -> field -> type and, of a relation, the model it leads to and the field there. Each is
#: stored, and may be searched, sorted and grouped by, so that nothing but the policy stands in an
#: attack's way.
FIELDS: dict[str, dict[str, str]] = {
    "res.partner": {
        "name": "char",
        "email": "char",
        "phone": "char",
        "vat": "char",
        "comment": "html",
        "color": "integer",
        "credit_limit": "float",
        "active": "boolean",
        "date": "date",
        "password": "char",
        "signup_token": "char",
        "image_1920": "binary",
        "country_id": "many2one res.country",
        "parent_id": "many2one res.partner",
        "child_ids": "one2many res.partner partner_id",
        "user_ids": "one2many res.users partner_id",
        "user_id": "many2one res.users",
        "category_id": "many2many res.partner.category",
        "bank_ids": "one2many res.partner.bank partner_id",
        "cron_id": "many2one ir.cron",
        "lead_ids": "one2many crm.lead partner_id",
        "activity_ids": "one2many mail.activity partner_id",
        "reference": "reference",
    },
    "res.country": {"name": "char", "code": "char", "partner_id": "many2one res.partner"},
    "res.partner.category": {"name": "char", "parent_id": "many2one res.partner.category"},
    "res.partner.bank": {"acc_number": "char", "partner_id": "many2one res.partner"},
    "res.users": {
        "name": "char",
        "login": "char",
        "email": "char",
        "password": "char",
        "partner_id": "many2one res.partner",
    },
    "crm.lead": {"name": "char", "email": "char", "partner_id": "many2one res.partner"},
    "mail.activity": {
        "summary": "char",
        "res_model": "char",
        "res_model_id": "many2one ir.model",
        "res_id": "integer",
    },
    "mail.message": {
        "subject": "char",
        "body": "html",
        "model": "char",
        "res_id": "integer",
        "author_id": "many2one res.partner",
        "mail_server_id": "many2one ir.mail_server",
    },
    "ir.attachment": {
        "name": "char",
        "res_model": "char",
        "res_field": "char",
        "res_id": "integer",
        "datas": "binary",
    },
    "ir.model": {"name": "char", "model": "char"},
}

#: What a method answers that has nothing to answer.
NOTHING: dict[str, Any] = {
    "search_count": 0,
    "create": [1],
    "write": True,
    "default_get": {},
    "load": {"ids": [1], "messages": []},
}


def _answer(call: Call) -> Any:
    """Answer for models that hold nothing; what is to be changed is there all the same."""
    domain = call.arguments.get("domain")
    if call.method == "search" and call.internal and domain and domain[0][:2] == ["id", "in"]:
        return domain[0][2]
    return NOTHING.get(call.method, [])


class Serverless(Noting):
    """A connection whose server has the models of ``FIELDS``, and nothing in them.

    Args:
        policy: what may be called.
        options: how values are shown, and the most records that are read.
        fields: further fields of ``res.partner``.
        major: version.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        options: ReadOptions | None = None,
        *,
        fields: Mapping[str, str] | None = None,
        major: int = 19,
        **settings: Any,
    ) -> None:
        server = FakeServer(
            {**FIELDS, "res.partner": {**FIELDS["res.partner"], **(fields or {})}},
            version=major,
            otherwise=_answer,
        )
        super().__init__(
            ConnectionSettings(url="http://odoo.test", username="ann", **settings),
            policy=policy,
            options=options,
            transport=server,
        )
