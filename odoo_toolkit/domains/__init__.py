"""Domains: Odoo's filters. Building them, and checking them before anything is sent."""

from odoo_toolkit.domains.domain import DOMAIN_HELP, Domain, check_domain, resolve_domain

__all__ = ["DOMAIN_HELP", "Domain", "check_domain", "resolve_domain"]
