{
    "name": "Equipment Rental (test example)",
    "summary": "A custom module, as the guide to plugins uses it",
    "version": "1.0",
    "category": "Hidden",
    "author": "Odoo toolkit",
    "license": "LGPL-3",
    "depends": ["mail"],
    "data": ["security/ir.model.access.csv", "data/rental.xml", "views/rental.xml"],
    "installable": True,
}
