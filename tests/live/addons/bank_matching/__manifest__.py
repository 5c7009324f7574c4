{
    "name": "Bank matching (test)",
    "summary": "Says that bank lines are matched here, as Odoo's accounting app does",
    "version": "1.0",
    "category": "Hidden",
    "author": "Odoo toolkit",
    "license": "LGPL-3",
    "depends": ["account"],
    "installable": True,
}
