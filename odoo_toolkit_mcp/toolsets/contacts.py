"""Contacts: whose number it is, companies with their people, and which are there twice."""

from __future__ import annotations

from odoo_toolkit.apps import contacts
from odoo_toolkit_mcp.toolsets.base import BaseToolset, Tool, ToolsetMetadata

TOOLS = (
    Tool(
        name="odoo_contacts_identify_contact",
        title="Identify a contact",
        description="Identify the contact with a phone number or e-mail address: the person, the"
        " company, its open orders, unpaid invoices and the latest message. Numbers"
        " match in any notation. For a known contact, pass only contact. To find"
        " contacts by part of a name, use odoo_core_deep_search.",
        function=contacts.identify_contact,
        access="read",
    ),
    Tool(
        name="odoo_contacts_create_company",
        title="Create a company with people and addresses",
        description="Create a company with its people and its invoice, delivery and other addresses"
        " in one call. If similar contacts exist, it creates nothing and the error lists them,"
        " unless you pass allow_duplicates. For a single contact, use odoo_core_create on"
        " res.partner.",
        function=contacts.create_company,
        access="create",
        creates="res.partner",
    ),
    Tool(
        name="odoo_contacts_find_duplicates",
        title="Find duplicate contacts",
        description="Find duplicates of one contact, or among all contacts, by e-mail, phone, VAT"
        " number and name. Each pair has a score and reasons. To merge duplicates, use"
        " odoo_contacts_merge_contacts.",
        function=contacts.find_duplicates,
        access="read",
    ),
    Tool(
        name="odoo_contacts_merge_contacts",
        title="Merge duplicate contacts",
        description="Merge duplicates into one contact with Odoo's own wizard: orders, invoices,"
        " messages and people are moved, and the duplicates are deleted. This cannot be undone, so"
        " use dry_run first. To find duplicates, use odoo_contacts_find_duplicates.",
        function=contacts.merge_contacts,
        access="delete",
        needs="create base.partner.merge.automatic.wizard",
        consequence="This deletes the duplicates and moves everything linked to them. It cannot be"
        " undone.",
    ),
)


class ContactsToolset(BaseToolset):
    """Tools for contacts."""

    about = ToolsetMetadata(
        name="contacts",
        description="Identify contacts, find and merge duplicates",
        depends_on=("core",),
        tags=("business",),
    )
    tools = TOOLS
