{
    "name": "Helpdesk (test stand-in)",
    "summary": "The public field names of the helpdesk models, to test against",
    "description": "A small test addon; it holds nothing of the Enterprise module of that name.",
    "version": "1.0",
    "category": "Hidden",
    "author": "Odoo toolkit",
    "license": "LGPL-3",
    "depends": ["mail"],
    "data": ["security/ir.model.access.csv", "data/helpdesk.xml"],
    "demo": ["demo/helpdesk.xml"],
    "installable": True,
}
