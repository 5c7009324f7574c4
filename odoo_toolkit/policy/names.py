"""What one name in a call refers to, and whether the policy lets it pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from odoo_toolkit.arguments.values import ids_in
from odoo_toolkit.call import Access, Call
from odoo_toolkit.errors import OdooConnectionError, OdooError, ValidationError
from odoo_toolkit.fields import Field, FieldsOf
from odoo_toolkit.policy.files import SERVED_BY, may_be_markup, served_as_code
from odoo_toolkit.policy.owners import reaches_others
from odoo_toolkit.policy.reach import closed_in, end_of, search_closed
from odoo_toolkit.policy.rules import field_refusal, file_refusal, model_refusal, template_refusal
from odoo_toolkit.policy.tables import (
    COMPOSER_FIELDS,
    COMPOSERS,
    FILE_MODELS,
    LONGEST_NAME,
    MODEL_NAME_FIELDS,
    REFERENCE,
    is_unwritable,
)

if TYPE_CHECKING:
    from odoo_toolkit.policy.rules import Rules

ModelOf = Callable[[int], str | None]
Version = Callable[[], "int | None"]
Path = tuple[Any, ...]
"""Where in the call something is named, such as ("domain", 0, 2)."""

DEPTH = 60
"""Deeper than any honest call, and well within Python's recursion limit."""

MOST_VISITS = 200_000
"""Lists and mappings in one call; a load of 100,000 rows stays below."""

#: Groups and users are found by these; whoever plants one takes the place of theirs.
_EXTERNAL_IDS_OF_RIGHTS = ("base.group", "base.user_")

NO_FIELDS: Mapping[str, Field] = {}
_STEPS = re.compile(r"[./]")
_TEMPLATE = re.compile(
    r"\$\{|\{\{|^[ \t]{0,99}%|<%|<\s{0,9}/?\s{0,9}t\b|\bt-[a-z-]{1,40}\s{0,9}=",
    re.IGNORECASE | re.MULTILINE,
)
KEYS = frozenset({"", "id", ".id"})
NEGATIVE = frozenset({"!=", "<>", "not in"})


def too_large() -> ValidationError:
    """Return the error for what no honest caller sends."""
    return ValidationError(
        "The arguments are too large, or nested too deeply, to be checked.",
        suggestion="Send less data at a time, or nest it less deeply. For many values, use the "
        "operator 'in' with a list.",
    )


def holds_template(value: Any) -> bool:
    """Whether a text, or one within a mapping or list, is a template that Odoo would evaluate."""
    if isinstance(value, str):
        return _TEMPLATE.search(value) is not None
    if isinstance(value, Mapping):
        return any(map(holds_template, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_template, value))


class Names:
    """Judges single names of one call; keeps the schema that it has looked up.

    Args:
        policy: decides.
        call: what they are named in.
        fields_of: the schema of a model by its name; may raise an ``OdooError``.
        model_of: the name of the model that an id of ``ir.model`` stands for, None where that
            cannot be found out.
        version: gives Odoo's major version, where known.
    """

    def __init__(
        self,
        policy: Rules,
        call: Call,
        fields_of: FieldsOf,
        model_of: ModelOf | None = None,
        version: Version | None = None,
    ) -> None:
        self.policy = policy
        self.access: Access = call.access
        self.acts_on = call.acts_on
        self.step = call.step
        self.fields_of = fields_of
        #: The rules of where fields lead to.
        self.about = policy.about(call.acts_on) if policy.model_allowlist else policy
        self._model_of = model_of
        self._version = version
        self._fields: dict[str, Mapping[str, Field]] = {}
        #: Returns the fields of a model; none where they cannot be had.
        self.described: FieldsOf = cache(self._describe)
        self._visits = 0
        self._seen: dict[tuple[str, str | None, int], Any] = {}
        #: Of values: the fields that were judged by name, and those that need not be, by model.
        self._judged: dict[tuple[Any, Any], Field | None] = {}
        self._plain: dict[str | None, Mapping[str, Field]] = {}

    @property
    def version(self) -> int | None:
        """Odoo's major version; known at the latest once a model has been described."""
        return self._version() if self._version else None

    def name(self, name: str, model: str | None, path: Path) -> None:
        """Refuse the name of a closed field."""
        if any(map(self.policy.field_blocked, name.split())):
            raise field_refusal(name, model, show(path))

    def field(self, model: str | None, name: str) -> Field | None:
        """Return a field, None where it is not known."""
        return None if model is None else self.described(model).get(name)

    def _describe(self, model: str) -> Mapping[str, Field]:
        try:
            fields = self.fields_of(model)
        except OdooError as error:
            # Nor would the call itself reach a server that did not even take the question.
            if isinstance(error, OdooConnectionError) and error.outcome == "not_sent":
                raise
            fields = NO_FIELDS
        self._fields[model] = fields
        return fields

    def open_fields(self, model: str) -> Mapping[str, Field]:
        """Return the fields of a model; none of a closed one: of that nothing is asked for, as
        what names it is refused."""
        return NO_FIELDS if self.policy.model_blocked(model) else self.described(model)

    def judge(self, model: str, access: Access, path: Path, acts_on: str | None = None) -> None:
        """Refuse an access to a model that is not allowed."""
        if self.policy.may(model, access, acts_on, self.step):
            return
        refusal = self.policy.model_problem(
            model, access, named_in=show(path), acts_on=acts_on, step=self.step
        )
        if refusal is not None:
            raise refusal

    def followed(self, field: Field, path: Path) -> None:
        """Refuse looking into the records that a relation leads to, where that is not allowed."""
        relation = str(field.relation)
        self.judge(relation, "read", path)
        closes = self.policy.closes or relation in FILE_MODELS
        if not self.step and closes and reaches_others(field):
            raise model_refusal(self.policy, relation, show(path))

    def not_blocklisted(self, model: str, path: Path) -> None:
        """Refuse the name of a model on a blocklist."""
        if self.policy.model_blocked(model):
            self.judge(model, "read", path)

    def field_path(self, model: str | None, expression: str, path: Path) -> Field | None:
        """Judge a path such as ``partner_id.country_id`` or ``line_ids/name``; return its end."""
        here = model
        field: Field | None = None
        if model in self._fields and not self.policy.closes:
            known = self.policy.readable_fields(model, self.described)
            if expression in known:
                return known[expression]
        names = (
            (expression,)
            if expression.isidentifier()
            else [name.strip() for name in _STEPS.split(expression.strip())]
        )
        for index, name in enumerate(names):
            if index and name in KEYS:
                continue  # "partner_id/id" and "partner_id/.id" say no more than "partner_id"
            if field is not None and field.relation:
                self.followed(field, path)
                here = field.relation
            elif index:
                here = None  # an unknown field, or a part such as a date's month: names decide
            self.name(name, here, path)
            field = self.field(here, name)
            if field is not None and here is not None:
                self.shown(here, field, path)
            if field is not None and field.relation:
                self.not_blocklisted(field.relation, path)
        return field

    def shown(self, model: str, field: Field, path: Path) -> None:
        """Refuse a field that is closed, or that shows what is in a closed model or field."""
        closed = closed_in(self.about, model, field, self.fields_of)
        if closed is not None:
            raise closed.refusal(self.policy, field, model, show(path))

    def searched(self, model: str, field: Field) -> None:
        """Refuse to search, sort or group by a field where that looks at what is closed.

        The name that Odoo shows is searched by in a way of its own.
        """
        if field.name == "display_name":
            return
        problem = search_closed(self.about, model, field, self.fields_of)
        if problem is not None:
            raise problem

    def all_fields(self, model: str) -> None:
        """Refuse reading every field of a model where one leads to what is blocked."""
        for field in self.described(model).values():
            if field.relation and self.policy.model_blocked(field.relation):
                raise model_refusal(
                    self.policy,
                    field.relation,
                    f"{model}.{field.name}, read because no fields are named",
                    suggestion="List the fields to read.",
                )

    # Values ----------------------------------------------------------------------------------

    def value_named(self, field: str, operator: str, value: Any, path: Path) -> None:
        """Judge what a condition compares a field with: models and fields are named in values."""
        if operator in NEGATIVE:
            return
        self.model_name(field, value, path)
        if field == "res_field" and isinstance(value, str):
            self.name(value, None, path)
        self.reference(value, path)

    def id_written(self, field: Field, value: Any, path: Path) -> None:
        """Judge the id of ``ir.model`` that a field is to hold: it names a model."""
        if field.relation != "ir.model" or not value or isinstance(value, Mapping):
            return
        if type(value) is not int:  # Odoo 14 takes texts and fractions for ids, too
            raise field_refusal(field.name, None, show(path))
        model = self._model_of(value) if self._model_of is not None else None
        if model is not None:
            self.judge(model, "read", path)
            # What an alias makes of e-mails are records of this model.
            refusal = self.policy.never_written_refusal(model, show(path), self.step)
            if refusal is not None and field.name.startswith("alias_"):
                raise refusal
        elif self.policy.closes_models:
            raise model_refusal(self.policy, f"ir.model {value}", show(path))

    def written(self, model: str | None, name: str, path: Path, depth: int = 0) -> None:
        """Refuse writing a field that holds code, or reaches what is never written.

        A related or inherited field is written into the record that its path leads to.
        """
        if self.policy.protect and is_unwritable(model, name):
            raise field_refusal(name, model, show(path))
        if not (self.policy.mode == "restricted" or self.policy.closes):
            return
        field = self.field(model, name)
        # One that is stored and readonly is a copy: what is written stays in it.
        if field is None or not field.related or (field.store and field.readonly):
            return
        here = model
        for relation in field.related[:-1]:
            followed = self.field(here, relation)
            here = followed.relation if followed is not None else None
            if here is None:
                raise field_refusal(name, model, show(path))
            self.not_blocklisted(here, path)
        if here is None or depth >= DEPTH:
            return
        if not field.store:  # what is stored is a value of its own model, which Odoo hands on
            self.judge(here, "write", path)
        self.written(here, field.related[-1], path, depth + 1)

    def record_written(self, model: str | None, values: Mapping[Any, Any], path: Path) -> None:
        """Judge the values of a record as a whole, where a step has not made them."""
        if self.step or not self.policy.guards:
            return
        if model in FILE_MODELS:
            problem = served_as_code(values)
            if problem in SERVED_BY:
                raise file_refusal(problem, model, show(path))
            if problem:
                raise field_refusal(problem, model, show(path))
            owner = values.get("res_model")
            if isinstance(owner, str):
                refusal = self.policy.never_written_refusal(owner, show(path), self.step)
                if refusal is not None:
                    raise refusal
        elif model in COMPOSERS:
            for name, value in values.items():
                field = self.field(model, str(name))
                rendered = field is not None and self.policy.renders(field.relation)
                if value and (rendered or str(name) in COMPOSER_FIELDS):
                    raise field_refusal(str(name), model, show(path))

    def binary_written(
        self, model: str | None, field: Field | None, value: Any, path: Path
    ) -> None:
        """Refuse for a binary field, which has no type, what Odoo might take for a page."""
        judged = field is not None and field.type == "binary" and model not in FILE_MODELS
        if judged and not self.step and self.policy.guards and may_be_markup(value):
            raise file_refusal(field.name if field else "", model, show(path))

    def rows_written(self, model: str, columns: Any, rows: Any, path: Path) -> None:
        """Judge the rows of a ``load``, where a step has not made them."""
        if self.step:
            return
        if self.policy.guards and (model in FILE_MODELS or model in COMPOSERS):
            raise model_refusal(
                self.policy,
                model,
                show(path),
                suggestion="Create these records instead of loading them.",
            )
        fields = [self.field(model, str(column).partition("/")[0]) for column in columns]
        ends = [end_of(model, str(column).split("/"), self.described) for column in columns]
        for row in rows:
            for column, field, value in zip(columns, fields, row, strict=False):
                self._cell_written(str(column), field, value, path)
            for end, value in zip(ends, row, strict=False):
                self.binary_written(None, end and end[1], value, path)

    def _cell_written(self, column: str, field: Field | None, value: Any, path: Path) -> None:
        self.model_name(column, value, path)
        self.reference(value, path)
        planted = column == "id" and str(value).strip().startswith(_EXTERNAL_IDS_OF_RIGHTS)
        if planted and self.policy.protect:
            raise field_refusal("id", None, show(path))
        if field is not None and field.relation == "ir.model":
            ids = ids_in(value) if column.endswith("/.id") else ()
            for meant in ids or (value,):
                self.id_written(field, meant, path)

    def template(self, model: str | None, value: str, path: Path) -> None:
        """Refuse a text that Odoo would evaluate."""
        judged = model in COMPOSERS and self.policy.guards and not self.step
        if judged and holds_template(value):
            raise template_refusal(str(model), show(path))

    def model_name(self, key: str, value: Any, path: Path) -> None:
        """Judge the model that a value names, where the key says that it names one."""
        if key.removeprefix("default_") in MODEL_NAME_FIELDS and isinstance(value, str):
            name = value.strip()
            if "." in name and len(name) <= LONGEST_NAME:
                self.judge(name, "read", path)

    def blocked_model_text(self, value: str, path: Path) -> None:
        """Refuse a text that is the name of a model on a blocklist."""
        name = value.strip().lower() if len(value) <= LONGEST_NAME else ""
        if "." in name and self.policy.model_blocked(name):
            self.judge(name, "read", path)

    def reference(self, value: Any, path: Path) -> None:
        """Judge the model of a text such as ``res.partner,7``."""
        if not isinstance(value, str) or len(value) > LONGEST_NAME or "," not in value:
            return
        match = REFERENCE.fullmatch(value)
        if match:
            self.judge(match[1], "read", path)

    # Size ------------------------------------------------------------------------------------

    def items(self, value: Mapping[Any, Any], path: Path) -> Iterator[tuple[Any, Any]]:
        """Count a mapping, and return what is in it."""
        self.count(path)
        return iter(value.items())

    def each(self, value: Any, path: Path) -> Iterator[tuple[int, Any]]:
        """Count a list, and return what is in it."""
        self.count(path)
        return enumerate(value)

    def first_time(self, kind: str, model: str | None, value: Any) -> bool:
        """Whether this container has not yet been walked so."""
        key = (kind, model, id(value))
        if key in self._seen:
            return False
        self._seen[key] = value  # kept, so that nothing else gets its id
        return True

    def count(self, path: Path, containers: int = 1) -> None:
        """Keep the walk short, whatever was sent."""
        self._visits += containers
        if len(path) > DEPTH or self._visits > MOST_VISITS:
            raise too_large()


def show(path: Path) -> str:
    """``("domain", 0, 2)`` as ``domain[0][2]``."""
    text = str(path[0])
    for step in path[1:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text[:200]
