"""What every business operation is made of, as the apps import it: ``op.Document``, ``op.Step``."""

from odoo_toolkit.annotations import AtMost as AtMost
from odoo_toolkit.annotations import DryRun as DryRun
from odoo_toolkit.annotations import JsonSchema as JsonSchema
from odoo_toolkit.call import Call as Call
from odoo_toolkit.call import opened_ids as opened_ids
from odoo_toolkit.compat import words as words
from odoo_toolkit.connection.parallel import gather as gather
from odoo_toolkit.connection.parallel import side_by_side as side_by_side
from odoo_toolkit.display.results import Shown as Shown
from odoo_toolkit.operations.companies import *
from odoo_toolkit.operations.compensations import WayBack as WayBack
from odoo_toolkit.operations.confirmed_lines import *
from odoo_toolkit.operations.documents import *
from odoo_toolkit.operations.groups import *
from odoo_toolkit.operations.line_changes import *
from odoo_toolkit.operations.lines import *
from odoo_toolkit.operations.links import *
from odoo_toolkit.operations.lots import *
from odoo_toolkit.operations.preview import *
from odoo_toolkit.operations.processing import *
from odoo_toolkit.operations.steps import *
from odoo_toolkit.operations.units import *
from odoo_toolkit.plans import Plan as Plan
from odoo_toolkit.plans import PlannedCall as PlannedCall
from odoo_toolkit.plans import PlannedChange as PlannedChange
from odoo_toolkit.plans import PlannedDocument as PlannedDocument
from odoo_toolkit.plans import PlannedLine as PlannedLine
from odoo_toolkit.plans import merged as merged
from odoo_toolkit.plans import operation as operation
from odoo_toolkit.plans import operation_with as operation_with
from odoo_toolkit.plans import planned as planned
from odoo_toolkit.records.names import AmbiguousNameError as AmbiguousNameError
from odoo_toolkit.records.names import Wanted as Wanted
from odoo_toolkit.records.names import resolve as resolve
from odoo_toolkit.records.names import resolve_all as resolve_all
from odoo_toolkit.records.time_zones import own_zone as own_zone
from odoo_toolkit.values.plain_text import counted as counted
from odoo_toolkit.values.plain_text import money as money
from odoo_toolkit.values.plain_text import written_text as written_text
