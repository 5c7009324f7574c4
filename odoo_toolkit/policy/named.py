"""Where in a call a model or a field is named: data only."""

from __future__ import annotations

from typing import Literal

#: Fields and parameters that hold the name of a model.
MODEL_NAME_FIELDS: frozenset[str] = frozenset(
    {
        *("active_model", "comodel_name", "model", "model_name", "related_model", "relation"),
        *("render_model", "res_model", "res_model_name"),
    }
)

Kind = Literal[
    "fields", "domain", "order", "specification", "values", "context", "text", "data", "files"
]

#: What a named argument holds, of whatever method.
ARGUMENT_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("aggregates", "allfields", "field", "field_name", "field_names", "field_onchange", "fields", "fields_list", "fields_to_export", "fname", "fnames", "group_by", "groupby"), "fields"),
    **dict.fromkeys(("args", "domain", "having"), "domain"),
    "attachments": "files",
    **dict.fromkeys(("body", "feedback", "note", "subject", "summary"), "text"),
    "context": "context",
    "data": "data",
    **dict.fromkeys(("default", "vals", "vals_list", "values"), "values"),
    **dict.fromkeys(("fields_spec", "specification"), "specification"),
    **dict.fromkeys(("order", "orderby"), "order"),
}

#: By these, all of a record's fields come back when none is named.
READS_ALL_FIELDS: frozenset[str] = frozenset({"read", "search_read", "web_search_read"})
