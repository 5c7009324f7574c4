"""Plugins: apps of others, for the modules that a real Odoo has besides those that we know.

A plugin is a package with an entry point in the group ``odoo_toolkit.plugins``, whose object is a
:class:`Plugin`, or a TOML file. Nothing of it is used before somebody admits it by name.
"""

from odoo_toolkit.plugins.loading import GROUP, Loaded, Refused, load
from odoo_toolkit.plugins.plugin import Declared, Plugin, PluginPrompt

__all__ = ["GROUP", "Declared", "Loaded", "Plugin", "PluginPrompt", "Refused", "load"]
