"""What one must know to work with a model, read from the server itself."""

from odoo_toolkit.model_guide.methods import ModelMethod, ModelMethods, model_methods
from odoo_toolkit.model_guide.states import ModelState, ModelStates, model_states

__all__ = [
    "ModelMethod",
    "ModelMethods",
    "ModelState",
    "ModelStates",
    "model_methods",
    "model_states",
]
