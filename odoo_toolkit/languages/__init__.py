"""The languages of an Odoo, and the texts of its records in each."""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.languages.installed import (
    ActivatedLanguage,
    Language,
    LanguagesResult,
    activate_language,
    get_languages,
)
from odoo_toolkit.languages.translations import TranslationsResult, get_translations, translate

__all__ = [
    "ActivatedLanguage",
    "Language",
    "LanguagesResult",
    "TranslationsResult",
    "activate_language",
    "get_languages",
    "get_translations",
    "translate",
]

readable_signatures(globals())
