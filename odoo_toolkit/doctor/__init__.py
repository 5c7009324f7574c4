"""What is right and what is wrong with a connection to Odoo, step by step, and what to do."""

from odoo_toolkit.doctor.diagnosis import Diagnosis, Step
from odoo_toolkit.doctor.examination import diagnose, wrong_settings

__all__ = ["Diagnosis", "Step", "diagnose", "wrong_settings"]
