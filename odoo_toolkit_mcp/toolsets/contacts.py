"""Contacts: whose number it is, and which are there twice."""

from __future__ import annotations

from odoo_toolkit.apps import contacts
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_contacts_identify_contact",
        title="Whose phone number or e-mail address it is",
        description="Tell whom a phone number or e-mail address belongs to: the person, the"
        " company, its open orders, unpaid invoices and the last message. Numbers match however"
        " they were typed. To find contacts by name, use odoo_core_deep_search.",
        function=contacts.identify_contact,
        access="read",
    ),
    Tool(
        name="odoo_contacts_find_duplicates",
        title="Find duplicate contacts",
        description="Find contacts that seem to be there twice, among all of them or of one"
        " contact, by e-mail, phone, VAT number and name; each pair with a score and the reasons."
        " Writes nothing.",
        function=contacts.find_duplicates,
        access="read",
    ),
    Tool(
        name="odoo_contacts_merge_contacts",
        title="Merge duplicate contacts",
        description="Merge duplicates into one contact with Odoo's own wizard: orders, invoices,"
        " messages and people move to it, the duplicates are gone. Cannot be undone: call it with"
        " dry_run first, and find duplicates with odoo_contacts_find_duplicates.",
        function=contacts.merge_contacts,
        access="delete",
        consequence="The merged contacts are deleted, and everything that points to them moves;"
        " this cannot be undone.",
    ),
)


class ContactsToolset(BaseToolset):
    """Tools for contacts."""

    about = ToolsetMetadata(
        name="contacts",
        description="Identify contacts, find and merge duplicates, create companies with people",
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
