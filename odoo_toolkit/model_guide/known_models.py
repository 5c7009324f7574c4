"""What models are called, found out in as few questions as each version allows."""

from __future__ import annotations

from functools import partial

from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.call import asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError

#: From this version on one call tells the models that a user may read, and their labels.
_TELLS_MODELS = 16


def model_label(odoo: Odoo, model: str) -> str:
    """Return what people call a model; its technical name where the server does not tell.

    One round trip the first time. On 15 an ordinary user is not told.
    """
    if odoo.version.major >= _TELLS_MODELS:
        return odoo.schema.models().get(model, model)

    def ask() -> str:
        named = [["model", "=", model]]
        call = asking("ir.model", "search_read", domain=named, fields=["name"], limit=1)
        try:
            rows = odoo.call(call)
        except AccessError:
            rows = []
        return str(rows[0]["name"]) if rows else COMMON_MODELS.get(model, model)

    label: str = odoo.schema.remember(f"label {model}", ask)
    return label


def known_models(odoo: Odoo) -> dict[str, str]:
    """Return the well-known models that the user may read, and their labels.

    One round trip from 16 on. To 15 each of them is asked for, side by side: the whole list would
    take hundreds of questions.
    """
    allowed = [model for model in COMMON_MODELS if odoo.policy.model_allowed(model)]
    if odoo.version.major >= _TELLS_MODELS:
        labels = odoo.schema.models()
        return {model: labels[model] for model in allowed if model in labels}

    def ask() -> list[bool]:
        return side_by_side([partial(odoo.schema.may, model, "read") for model in allowed])

    readable: list[bool] = odoo.schema.remember("well-known models", ask)
    answers = zip(allowed, readable, strict=True)
    return {model: COMMON_MODELS[model] for model, may in answers if may}
