"""Finding records by words when it is not known where they stand."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.deep_search.asking import SearchLogEntry
from odoo_toolkit.deep_search.search import DeepSearchResult, deep_search

__all__ = ["DeepSearchResult", "SearchLogEntry", "deep_search"]

readable_signatures(globals())
