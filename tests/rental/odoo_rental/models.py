"""What is known of the models, and the dialog."""

from odoo_toolkit.app_models import AppModel, Move, Opposite
from odoo_toolkit.wizards import KnownWizard, WizardField

MODELS = (
    AppModel(
        "rental.contract",
        module="rental",
        nouns="rental contract|rental",
        meanings="out|handed over: state = out",
        numbered=True,
        search_fields="name",
        key_fields="id name partner_id equipment_id state",
        dates="date_start date_end",
        disambiguation_fields="partner_id state",
        moves=(
            Move("action_confirm", "draft", "confirmed"),
            Move("action_hand_over", "confirmed", "out"),
            Move("action_draft", "confirmed|cancelled", "draft"),
        ),
        opposites=(Opposite("action_confirm", "action_draft", "a draft again"),),
    ),
    AppModel("rental.equipment", nouns="equipment", name_fields="name code", search_fields="name"),
    AppModel("rental.return", is_wizard=True),
)

WIZARDS = (
    KnownWizard(
        model="rental.return",
        description="Asks in what condition the equipment is.",
        source_model="rental.contract",
        action_method="action_done",
        fields={
            "contract_id": WizardField(type="many2one", relation="rental.contract", required=True),
            "damage": WizardField(type="text", description="What is broken, if anything."),
        },
        context_keys=("default_contract_id",),
        function="return_contract",
    ),
)
