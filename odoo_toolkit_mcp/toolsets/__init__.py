"""The toolsets, in the order in which their tools are listed."""

from odoo_toolkit_mcp.toolsets.accounting import AccountingToolset
from odoo_toolkit_mcp.toolsets.attachments import AttachmentsToolset
from odoo_toolkit_mcp.toolsets.base import BaseToolset
from odoo_toolkit_mcp.toolsets.calendar import CalendarToolset
from odoo_toolkit_mcp.toolsets.chatter import ChatterToolset
from odoo_toolkit_mcp.toolsets.contacts import ContactsToolset
from odoo_toolkit_mcp.toolsets.core import CoreToolset
from odoo_toolkit_mcp.toolsets.crm import CrmToolset
from odoo_toolkit_mcp.toolsets.helpdesk import HelpdeskToolset
from odoo_toolkit_mcp.toolsets.hr import HrToolset
from odoo_toolkit_mcp.toolsets.inventory import InventoryToolset
from odoo_toolkit_mcp.toolsets.mail import MailToolset
from odoo_toolkit_mcp.toolsets.manufacturing import ManufacturingToolset
from odoo_toolkit_mcp.toolsets.products import ProductsToolset
from odoo_toolkit_mcp.toolsets.project import ProjectToolset
from odoo_toolkit_mcp.toolsets.purchase import PurchaseToolset
from odoo_toolkit_mcp.toolsets.reports import ReportsToolset
from odoo_toolkit_mcp.toolsets.sales import SalesToolset

ALL_TOOLSETS: list[type[BaseToolset]] = [
    CoreToolset,
    ContactsToolset,
    ProductsToolset,
    SalesToolset,
    PurchaseToolset,
    CrmToolset,
    HelpdeskToolset,
    ProjectToolset,
    AccountingToolset,
    InventoryToolset,
    ManufacturingToolset,
    HrToolset,
    CalendarToolset,
    ChatterToolset,
    MailToolset,
    AttachmentsToolset,
    ReportsToolset,
]
