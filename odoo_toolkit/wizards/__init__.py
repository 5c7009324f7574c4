"""Wizards: the dialogs in which Odoo asks a question before it acts.

:func:`run_wizard` answers one, :func:`describe_wizard` tells what it asks, and
:mod:`~odoo_toolkit.wizards.catalog` has the ones that are known.
"""

from odoo_toolkit.wizards.catalog import KnownWizard, WizardField, known_wizard
from odoo_toolkit.wizards.description import WizardDescription, describe_wizard
from odoo_toolkit.wizards.protocol import WizardOutcome, run_wizard

__all__ = [
    "KnownWizard",
    "WizardDescription",
    "WizardField",
    "WizardOutcome",
    "describe_wizard",
    "known_wizard",
    "run_wizard",
]
