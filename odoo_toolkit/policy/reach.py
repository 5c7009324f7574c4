"""What a field shows of other models and fields: followed through the schema, step by step.

A related or inherited field (``res.users.email`` is a field of ``res.partner``) is open only if
every model and field on its path is. While a list closes something, what cannot be followed is
closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from odoo_toolkit.errors import AccessError, OdooConnectionError, OdooError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.owners import HOLDS_OLD_VALUES, TELLS_OLD_VALUES, is_owned, reaches_others
from odoo_toolkit.policy.refusals import field_refusal, model_refusal

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules

#: Related fields that lead to related fields that lead to ...
_DEEPEST = 6

_TEXTS = frozenset({"char", "text", "html"})
_SHOWN_NAMES = frozenset({"display_name", "name", "complete_name"})


@attrs.frozen
class Closed:
    """What of a field's path is closed: a model, or a field (of a model, where it is another's).

    ``field`` is None where a model is; ``told`` is False where nothing is known of what is there.
    """

    model: str | None = None
    field: str | None = None
    told: bool = True

    def refusal(self, policy: Rules, field: Field, model: str, named_in: str) -> AccessError:
        """Return the error for naming the field whose path it is on."""
        if self.field is not None or self.model is None:
            return field_refusal(field.name, model, named_in)
        why = "which is closed" if self.told else "of which it cannot be told whether it is open"
        return model_refusal(
            policy,
            self.model,
            f"{named_in}: {field.name}",
            message=f"The field {field.name} of {model} may not be used: it shows what is in"
            f" {self.model}, {why}.",
            suggestion="" if self.told else "Leave it out of fields, filters, sorting and values.",
        )


class Readable(Mapping[str, Field]):
    """The fields of a model that may be read, each judged when it is first asked for.

    Args:
        fields: all of them.
        judged: returns one as it may be used, None where it is closed.
    """

    def __init__(
        self, fields: Mapping[str, Field], judged: Callable[[Field], Field | None]
    ) -> None:
        self._fields, self._judge = fields, judged
        self._judged: dict[str, Field | None] = {}

    def __getitem__(self, name: str) -> Field:
        field = self._fields[name]
        if name not in self._judged:
            self._judged[name] = self._judge(field)
        judged = self._judged[name]
        if judged is None:
            raise KeyError(name)
        return judged

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._fields if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def closed_in(
    policy: Rules, model: str, field: Field, fields_of: FieldsOf, depth: int = 0
) -> Closed | None:
    """Return what is closed of what a field shows; None where all of it is open.

    Without a list that closes models or fields, names alone decide, and nothing is asked.

    Args:
        policy: what is closed.
        model: the field's.
        field: as the server describes it.
        fields_of: the schema of a model by its name.
        depth: how many related fields have led here.
    """
    if policy.field_closed(field):
        return Closed(field=field.name)
    if not policy.closes:
        return None
    if policy.field_blocklist and (model, field.name) in TELLS_OLD_VALUES:
        return Closed(field=field.name)
    if field.related:
        return _along(policy, model, field, fields_of, depth)
    if field.store or field.type not in _TEXTS or field.name in _SHOWN_NAMES:
        return None
    for path in field.depends:
        closed = _depended(policy, model, path.split("."), fields_of)
        if closed is not None:
            return closed
    return None


def end_of(model: str, names: Sequence[str], fields_of: FieldsOf) -> tuple[str, Field] | None:
    """Return the field at the end of a path and its model; None where it cannot be followed."""
    here: str | None = model
    field: Field | None = None
    for name in names:
        field = _field(here, name, fields_of) if here else None
        if field is None or here is None:
            return None
        model, here = here, field.relation
    return None if field is None else (model, field)


def _along(
    policy: Rules, model: str, related: Field, fields_of: FieldsOf, depth: int
) -> Closed | None:
    """Judge what is on the path of a related field, and what is at its end.

    Where the other model merely is not on the allowlist, two things stay: a stored copy, which is
    a value of its own model, and the name of a record that a relation shows anyway.
    """
    here = model
    for index, name in enumerate(related.related):
        field = _field(here, name, fields_of) if depth < _DEEPEST else None
        if field is None:
            return None if related.store else Closed(model=here, told=False)
        closed = closed_in(policy, here, field, fields_of, depth + 1)
        if closed is not None or index == len(related.related) - 1:
            return closed
        closed = _followed(policy, here, field, related)
        if closed is not None:
            return closed
        here = str(field.relation)
    return None


def _depended(
    policy: Rules, model: str, names: Sequence[str], fields_of: FieldsOf
) -> Closed | None:
    """Judge the models on a path that a text is computed from, but for their records' names."""
    here = model
    for name in names:
        field = _field(here, name, fields_of)
        if field is None:
            return None
        if policy.field_blocklist and field.relation in HOLDS_OLD_VALUES:
            return Closed(model=field.relation)
        if name == names[-1] or names[-1] in _SHOWN_NAMES or not field.relation:
            return None
        if not policy.model_allowed(field.relation):
            return Closed(model=field.relation)
        here = field.relation
    return None


def _followed(policy: Rules, model: str, field: Field, related: Field) -> Closed | None:
    relation = field.relation
    if not relation:
        return Closed(field=field.name)
    if policy.model_blocked(relation):
        return Closed(model=relation)
    if related.store:
        return None
    # An alias that a record inherits is its own, whatever others belong to.
    others = reaches_others(field) and not is_owned(model) and relation != "mail.alias"
    shown = len(related.related) == 2 and related.related[1] in _SHOWN_NAMES
    is_open = shown or policy.model_allowed(relation)
    return Closed(model=relation) if others or not is_open else None


def _field(model: str, name: str, fields_of: FieldsOf) -> Field | None:
    """Return a field; None where this user is not told of it."""
    try:
        return fields_of(model).get(name)
    except OdooError as error:
        if isinstance(error, OdooConnectionError):
            raise
        return None
