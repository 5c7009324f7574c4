"""A plugin for the module ``rental``: contracts, from the quotation to the return."""

from pathlib import Path

from odoo_toolkit.plugins import Declared, Plugin, PluginPrompt

from .models import MODELS, WIZARDS
from .operations import due_back

PLUGIN = Plugin(
    name="rental",
    description="Rent equipment out and take it back",
    toolkit="0.1",
    declared=Declared(
        reads="res.partner rental.equipment",
        steps={"rental.contract": "create action_confirm action_hand_over action_draft"},
        wizards={"rental.return": "action_done"},
    ),
    models=MODELS,
    wizards=WIZARDS,
    toolset="odoo_rental.toolset:RentalToolset",
    prompts=(
        PluginPrompt(
            name="odoo_rental_due_back",
            title="Equipment due back",
            description="What is out and should be back by a day",
            arguments={"day": "The day, as YYYY-MM-DD"},
            text=due_back,
        ),
    ),
    skills=Path(__file__).parent / "skills",
)
