"""``odoo://model/...``: what a model is like."""

from __future__ import annotations

from odoo_toolkit import records
from odoo_toolkit.client import Odoo
from odoo_toolkit.model_guide import ModelMethods, ModelStates, model_methods, model_states
from odoo_toolkit.records.results import FieldsResult
from odoo_toolkit_mcp.resources.uris import ResourceUri


def fields(odoo: Odoo, uri: ResourceUri) -> FieldsResult:
    """Return the fields of a model."""
    return records.fields_get(odoo, uri.model)


def methods(odoo: Odoo, uri: ResourceUri) -> ModelMethods:
    """Return the methods of a model."""
    return model_methods(odoo, uri.model)


def states(odoo: Odoo, uri: ResourceUri) -> ModelStates:
    """Return the states of a model, and the transitions between them."""
    return model_states(odoo, uri.model)
