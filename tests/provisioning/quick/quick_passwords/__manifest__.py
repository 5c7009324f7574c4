{
    "name": "Quick passwords (tests)",
    "summary": "Hashes passwords in no time: loaded by servers that are copies, never installed",
    "version": "1.0",
    "category": "Hidden",
    "author": "Odoo toolkit",
    "license": "LGPL-3",
    "depends": ["base"],
    "installable": False,
}
