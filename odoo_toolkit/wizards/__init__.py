"""Wizards: the dialogs in which Odoo asks a question before it acts.

:func:`answer_wizard` answers one for the toolkit's operations (callers have
:func:`odoo_toolkit.run_wizard`), :func:`describe_wizard` tells what it asks, and
:mod:`~odoo_toolkit.wizards.catalog` has the ones that are known.
"""

from odoo_toolkit.wizards.catalog import KnownWizard, WizardField, known_wizard
from odoo_toolkit.wizards.description import WizardDescription, describe_wizard
from odoo_toolkit.wizards.protocol import WizardOutcome, answer_wizard

__all__ = [
    "KnownWizard",
    "WizardDescription",
    "WizardField",
    "WizardOutcome",
    "answer_wizard",
    "describe_wizard",
    "known_wizard",
]
