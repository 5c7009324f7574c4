"""Contacts: duplicates found and merged, companies with their people, and whose number it is."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.apps.contacts.companies import (
    CompanyContact,
    CompanyResult,
    NewAddress,
    NewPerson,
    create_company,
)
from odoo_toolkit.apps.contacts.duplicates import (
    DuplicateContact,
    DuplicateGroup,
    DuplicatePair,
    DuplicatesResult,
    find_duplicates,
)
from odoo_toolkit.apps.contacts.identification import (
    Account,
    IdentifiedContact,
    IdentifyResult,
    LastContact,
    OpenDocument,
    identify_contact,
)
from odoo_toolkit.apps.contacts.merging import MergeResult, merge_contacts

__all__ = [
    "Account",
    "CompanyContact",
    "CompanyResult",
    "DuplicateContact",
    "DuplicateGroup",
    "DuplicatePair",
    "DuplicatesResult",
    "IdentifiedContact",
    "IdentifyResult",
    "LastContact",
    "MergeResult",
    "NewAddress",
    "NewPerson",
    "OpenDocument",
    "create_company",
    "find_duplicates",
    "identify_contact",
    "merge_contacts",
]

readable_signatures(globals())
