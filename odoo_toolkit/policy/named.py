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

_ARGUMENTS: dict[Kind, str] = {
    "context": "context",
    "data": "data",
    "domain": "args domain having",
    "fields": "aggregates allfields field field_name field_names field_onchange fields fields_list"
    " fields_to_export fname fnames group_by groupby",
    "files": "attachments",
    "order": "order orderby",
    "specification": "fields_spec specification",
    "text": "body feedback note subject summary",
    "values": "default vals vals_list values",
}
#: What a named argument holds, of whatever method.
ARGUMENT_KINDS = {name: kind for kind, names in _ARGUMENTS.items() for name in names.split()}

#: By these, all of a record's fields come back when none is named.
READS_ALL_FIELDS: frozenset[str] = frozenset({"read", "search_read", "web_search_read"})
