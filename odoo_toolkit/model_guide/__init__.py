"""What one must know to work with a model, read from the server itself."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.model_guide.known_models import known_models, model_label
from odoo_toolkit.model_guide.methods import ModelMethod, ModelMethods, model_methods
from odoo_toolkit.model_guide.new_record import NewRecord, new_record, new_record_values
from odoo_toolkit.model_guide.states import ModelState, ModelStates, model_states
from odoo_toolkit.model_guide.usage import (
    has_chatter,
    key_fields,
    listed_fields,
    related_models,
    shown_fields,
    usual_filters,
)

__all__ = [
    "ModelMethod",
    "ModelMethods",
    "ModelState",
    "ModelStates",
    "NewRecord",
    "has_chatter",
    "key_fields",
    "known_models",
    "listed_fields",
    "model_label",
    "model_methods",
    "model_states",
    "new_record",
    "new_record_values",
    "related_models",
    "shown_fields",
    "usual_filters",
]

readable_signatures(globals())
