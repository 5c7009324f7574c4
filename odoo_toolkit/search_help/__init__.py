"""From what somebody looks for, in words, to a domain."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.search_help.suggestion import DomainSuggestion, suggest_domain

__all__ = ["DomainSuggestion", "suggest_domain"]

readable_signatures(globals())
