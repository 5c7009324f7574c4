"""Where in a call a model or a field is named: data only."""

from __future__ import annotations

from typing import Literal

#: Fields and parameters that hold the name of a model.
MODEL_NAME_FIELDS: frozenset[str] = frozenset(
    {
        "active_model",
        "comodel_name",
        "model",
        "model_name",
        "related_model",
        "relation",
        "render_model",
        "res_model",
        "res_model_name",
    }
)

Kind = Literal[
    "fields", "domain", "order", "specification", "values", "context", "text", "data", "files"
]

#: What a named argument holds, of whatever method.
ARGUMENT_KINDS: dict[str, Kind] = {
    "aggregates": "fields",
    "allfields": "fields",
    "args": "domain",
    "attachments": "files",
    "body": "text",
    "context": "context",
    "data": "data",
    "default": "values",
    "domain": "domain",
    "feedback": "text",
    "field": "fields",
    "field_name": "fields",
    "field_names": "fields",
    "field_onchange": "fields",
    "fields": "fields",
    "fields_list": "fields",
    "fields_spec": "specification",
    "fields_to_export": "fields",
    "fname": "fields",
    "fnames": "fields",
    "group_by": "fields",
    "groupby": "fields",
    "having": "domain",
    "note": "text",
    "order": "order",
    "orderby": "order",
    "specification": "specification",
    "subject": "text",
    "summary": "text",
    "vals": "values",
    "vals_list": "values",
    "values": "values",
}

#: By these, all of a record's fields come back when none is named.
READS_ALL_FIELDS: frozenset[str] = frozenset({"read", "search_read", "web_search_read"})
