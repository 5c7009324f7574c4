"""What one name in a call refers to, and whether the policy lets it pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from odoo_toolkit.connection.call import Access, Call
from odoo_toolkit.errors import OdooError, ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy.tables import MODEL_NAME_FIELDS

if TYPE_CHECKING:
    from odoo_toolkit.policy import Policy

FieldsOf = Callable[[str], Mapping[str, Field]]
Path = tuple[Any, ...]
"""Where in the call something is named, such as ("domain", 0, 2)."""

_DEPTH = 60
"""Deeper than any honest call, and well within Python's recursion limit."""

_MOST_VISITS = 200_000
"""Lists and mappings in one call; a load of 100,000 rows stays below."""

_LONGEST_NAME = 200
"""Longer text is no model's name, whatever it starts with."""

_NO_FIELDS: Mapping[str, Field] = {}
_STEPS = re.compile(r"\s*[./]\s*")
_REFERENCE = re.compile(r"\s*([a-z0-9_]+(?:\.[a-z0-9_]+)+)\s*,\s*\d+\s*")
_TEMPLATE = re.compile(
    r"\$\{|\{\{|^[ \t]*%|<\s*/?\s*t\b|\bt-[a-z-]+\s*=", re.IGNORECASE | re.MULTILINE
)
KEYS = frozenset({"", "id", ".id"})


class Names:
    """Judges single names of one call; keeps the schema that it has looked up."""

    def __init__(self, policy: Policy, call: Call, fields_of: FieldsOf) -> None:
        self.policy = policy
        self.access: Access = call.access
        self.acts_on = call.acts_on
        self._fields_of = fields_of
        self._fields: dict[str, Mapping[str, Field]] = {}
        self._visits = 0
        self._seen: set[tuple[str, str | None, int]] = set()

    def _name(self, name: str, model: str | None, path: Path) -> None:
        if self.policy.field_blocked(name):
            raise self.policy.field_refusal(name, model, show(path))

    def _field(self, model: str | None, name: str) -> Field | None:
        if model is None:
            return None
        fields = self._fields.get(model)
        if fields is None:
            try:
                fields = self._fields_of(model)
            except OdooError:
                fields = _NO_FIELDS
            self._fields[model] = fields
        return fields.get(name)

    def _judge(self, model: str, access: Access, path: Path, acts_on: str | None = None) -> None:
        refusal = self.policy.model_problem(model, access, named_in=show(path), acts_on=acts_on)
        if refusal is not None:
            raise refusal

    def _not_blocklisted(self, model: str, path: Path) -> None:
        if self.policy.model_blocked(model):
            self._judge(model, "read", path)

    def _field_path(self, model: str | None, expression: str, path: Path) -> Field | None:
        """Judge a path such as ``partner_id.country_id`` or ``line_ids/name``; return its end."""
        here = model
        field: Field | None = None
        names = (expression,) if expression.isidentifier() else _STEPS.split(expression.strip())
        for index, name in enumerate(names):
            if index and name in KEYS:
                continue  # "partner_id/id" and "partner_id/.id" say no more than "partner_id"
            if field is not None and field.relation:
                self._judge(field.relation, "read", path)
                here = field.relation
            elif index:
                here = None  # an unknown field, or a part such as a date's month: names decide
            self._name(name, here, path)
            field = self._field(here, name)
            if field is not None and field.relation:
                self._not_blocklisted(field.relation, path)
        return field

    def _template(self, model: str | None, value: str, path: Path) -> None:
        if model is not None and self.policy.renders(model) and _TEMPLATE.search(value):
            raise self.policy.template_refusal(model, show(path))

    def _model_name(self, key: str, value: Any, path: Path) -> None:
        if key.removeprefix("default_") in MODEL_NAME_FIELDS and isinstance(value, str):
            name = value.strip()
            if "." in name:
                self._judge(name, "read", path)

    def _blocked_model_text(self, value: str, path: Path) -> None:
        name = value.strip().lower() if len(value) <= _LONGEST_NAME else ""
        if "." in name:
            self._not_blocklisted(name, path)

    def _reference(self, value: Any, path: Path) -> None:
        if not isinstance(value, str) or len(value) > _LONGEST_NAME or "," not in value:
            return
        match = _REFERENCE.fullmatch(value)
        if match:
            self._judge(match[1], "read", path)

    def _items(self, value: Mapping[Any, Any], path: Path) -> Iterator[tuple[Any, Any]]:
        self._count(path)
        return iter(value.items())

    def _each(self, value: Any, path: Path) -> Iterator[tuple[int, Any]]:
        self._count(path)
        return enumerate(value)

    def _first_time(self, kind: str, model: str | None, value: Any) -> bool:
        """Whether this container has not yet been walked so; the call keeps it alive."""
        key = (kind, model, id(value))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _count(self, path: Path) -> None:
        """Keep the walk short, whatever was sent."""
        self._visits += 1
        if len(path) > _DEPTH or self._visits > _MOST_VISITS:
            raise ValidationError(
                "The arguments are too large, or nested too deeply, to be checked.",
                suggestion="Send fewer records at a time, in a flatter structure.",
            )


def show(path: Path) -> str:
    """``("domain", 0, 2)`` as ``domain[0][2]``."""
    text = str(path[0])
    for step in path[1:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text[:200]
