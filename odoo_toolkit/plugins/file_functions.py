"""The functions that the tools of a TOML file are: get, list, create, update, and its buttons.

Their parameters follow from the fields of the connected Odoo. Each is an operation like those of
the apps: its steps are stated, and the plan, the policy and the history have them from there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import attrs
from annotated_doc import Doc
from annotated_types import Ge

from odoo_toolkit.annotations import AtMost, DryRun, annotate
from odoo_toolkit.arguments import to_wire
from odoo_toolkit.call import Access
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.results import Shown
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.fields import Field
from odoo_toolkit.operations.documents import (
    Document,
    Row,
    afterwards,
    filled,
    find,
    row_after,
    shows,
    state_error,
    stored_otherwise,
)
from odoo_toolkit.operations.lines import (
    NamesOrIds,
    checked_day,
    end_of_day,
    start_of_day,
    wanted_each,
)
from odoo_toolkit.operations.steps import Done, Step, operate, permit
from odoo_toolkit.plans import Plan, operation
from odoo_toolkit.plugins.file_models import FileButton, FileModel
from odoo_toolkit.records import search_read
from odoo_toolkit.records.arguments import readable_of
from odoo_toolkit.records.names import Wanted, resolve_all
from odoo_toolkit.records.results import RecordName, SearchResult
from odoo_toolkit.values.plain_text import written_text

_TEXTS = ("char", "text", "html")
_NUMBERS = ("integer", "float", "monetary")
_DAYS = ("date", "datetime")

#: Type of a field -> what an argument or a value of an answer is; others cannot be named.
SHOWN_TYPES: Mapping[str, Any] = {
    **dict.fromkeys((*_TEXTS, *_DAYS, "selection"), str),
    "integer": int,
    "float": float,
    "monetary": float,
    "boolean": bool,
    "many2one": RecordName,
    "many2many": list[int],
    "one2many": list[int],
}

#: What an argument says of how it is written.
_FORMS = {
    "date": " YYYY-MM-DD.",
    "datetime": " ISO 8601. Without a time zone, the time is in UTC.",
    "html": " Plain text.",
}

#: Types that a file's tools write; lines need a plugin in Python.
WRITTEN_TYPES = frozenset(SHOWN_TYPES) - {"one2many"}
FILTERED_TYPES = frozenset(SHOWN_TYPES) - {"one2many", "many2many"}


@attrs.frozen(kw_only=True)
class FileTool:
    """A function of a file's, and what is told of it."""

    name: str
    title: str
    description: str
    function: Callable[..., Any]
    access: Access
    creates: str = ""
    ask: bool = False


def tools_of(
    plugin: str, model: FileModel, described: Mapping[str, Field], reads: frozenset[str]
) -> Iterator[FileTool]:
    """Yield the tools of a model.

    Args:
        plugin: the name of the plugin.
        model: as the file has it.
        described: its fields, as Odoo has them.
        reads: the models whose records are found by name.
    """
    made = _Functions(plugin, model, described, reads)
    noun, many, key = model.noun, model.plural.replace("_", " "), model.key
    yield FileTool(
        name=f"odoo_{plugin}_get_{key}",
        title=f"Get a {noun}",
        description=f"Get a {noun} by its id or name: {', '.join(model.fields)}.",
        function=made.get(),
        access="read",
    )
    yield FileTool(
        name=f"odoo_{plugin}_list_{model.plural}",
        title=f"List {many}",
        description=f"List {many}, each with {', '.join(model.listed)}.",
        function=made.listing(),
        access="read",
    )
    if model.create:
        yield FileTool(
            name=f"odoo_{plugin}_create_{key}",
            title=f"Create a {noun}",
            description=f"Create a {noun}. Odoo fills in the fields that are not given.",
            function=made.create(),
            access="create",
            creates=model.model,
        )
    if model.update:
        yield FileTool(
            name=f"odoo_{plugin}_update_{key}",
            title=f"Change a {noun}",
            description=f"Change fields of a {noun}: {', '.join(model.update)}. Fields that are"
            " not given stay as they are.",
            function=made.update(),
            access="write",
        )
    for button in model.buttons:
        says = button.description or f"Move a {noun} to {' or '.join(button.to)}."
        when = f" It must be {' or '.join(button.sources)}." if button.sources else ""
        yield FileTool(
            name=f"odoo_{plugin}_{button.key}_{key}",
            title=f"{button.key.replace('_', ' ').capitalize()} a {noun}",
            description=f"{says}{when}",
            function=made.press(button),
            access="write",
            ask=button.ask,
        )


class _Functions:
    """Makes the functions of one model."""

    def __init__(
        self, plugin: str, model: FileModel, described: Mapping[str, Field], reads: frozenset[str]
    ) -> None:
        self._plugin, self._model, self._reads = plugin, model, reads
        self._described = described
        fields = (*model.fields, *([model.state] if model.buttons else ()), "display_name")
        self._document = Document(
            model=model.model,
            noun=model.noun,
            argument=f"{model.key}_id",
            fields=tuple(dict.fromkeys(fields)),
            numbered=model.numbered,
        )
        self._result = _result_class(model, described)

    # Functions ---------------------------------------------------------------------------------

    def get(self) -> Callable[..., Any]:
        def get(odoo: Odoo, given: Mapping[str, Any]) -> Any:
            return self._told(self._found(odoo, given), None, [])

        return self._function(f"get_{self._model.key}", get, self._means(), self._result)

    def listing(self) -> Callable[..., Any]:
        model = self._model

        def listed(odoo: Odoo, given: Mapping[str, Any]) -> SearchResult:
            limit, offset = given.get("limit", 80), given.get("offset", 0)
            domain = self._domain(odoo, given)
            return search_read(
                odoo, model.model, domain, list(model.listed), limit=limit, offset=offset
            )

        parameters = [p for name in model.filter for p in self._filters(self._described[name])]
        parameters += [
            _parameter("limit", Annotated[int, Ge(1), AtMost(500), Doc("Most records.")], 80),
            _parameter("offset", Annotated[int, Ge(0), Doc("Records to skip.")], 0),
        ]
        return self._function(f"list_{model.plural}", listed, parameters, SearchResult)

    def create(self) -> Callable[..., Any]:
        model, document = self._model, self._document
        step = Step(model=model.model, method="create", says=f"{model.noun.capitalize()} created")

        def create(odoo: Odoo, given: Mapping[str, Any]) -> Any:
            dry_run = given.get("dry_run", False)
            permit(odoo, step, dry_run=dry_run)
            values = self._values(odoo, model.create, given)

            def result(done: Done) -> Any:
                row = row_after(odoo, document, done, display_name=f"{model.noun} {done.id}")
                self._compare(odoo, done, values)
                message = f"Created {self._label(row)}."
                return self._told(row, message, done.warnings)

            would = f"Would create a {model.noun}."
            steps = [step.of(vals_list=values)]
            return operate(odoo, steps, (), result, message=would, dry_run=dry_run)

        return self._operation(f"create_{model.key}", create, self._writes(model.create))

    def update(self) -> Callable[..., Any]:
        model, document = self._model, self._document
        step = Step(model=model.model, method="write", says=f"{model.noun.capitalize()} changed")

        def update(odoo: Odoo, given: Mapping[str, Any]) -> Any:
            dry_run = given.get("dry_run", False)
            permit(odoo, step, dry_run=dry_run)
            values = self._values(odoo, model.update, given)
            if not values:
                raise ValidationError(
                    "There is nothing to change.",
                    suggestion=f"Pass one of {', '.join(model.update)}.",
                    code="MISSING_REQUIRED_FIELD",
                    details={"fields": list(model.update)},
                )
            row = self._found(odoo, given)
            what = self._label(row)

            def result(done: Done) -> Any:
                now = row_after(odoo, document, done, display_name=row["display_name"])
                self._compare(odoo, done, values)
                return self._told(now, f"Changed {what}.", done.warnings)

            would = f"Would change {', '.join(values)} of {what}."
            steps = [step.of(vals=values)]
            return operate(odoo, steps, [row["id"]], result, message=would, dry_run=dry_run)

        parameters = [*self._means(), *self._writes(model.update)]
        return self._operation(f"update_{model.key}", update, parameters)

    def press(self, button: FileButton) -> Callable[..., Any]:
        model, document = self._model, self._document
        step = Step(
            model=model.model,
            method=button.method,
            says=f"{button.key.replace('_', ' ').capitalize()} done",
            seen=shows(document, **{model.state: button.to}),
        )

        def press(odoo: Odoo, given: Mapping[str, Any]) -> Any:
            dry_run = given.get("dry_run", False)
            permit(odoo, step, dry_run=dry_run)
            row = self._found(odoo, given)
            what, state = self._label(row), row[model.state]
            if state in button.to:
                return self._told(row, f"{what} is already {state}.", [])
            if button.sources and state not in button.sources:
                raise state_error(
                    document,
                    {**row, "state": state},
                    f"{what} is {state}: {button.key} is for {' or '.join(button.sources)}.",
                    "First bring it to that state, or choose another button.",
                )

            def result(done: Done) -> Any:
                now = row_after(odoo, document, done, display_name=row["display_name"])
                there = now.get(model.state)
                if there is not None and there not in button.to:
                    done.warnings.append(f"Odoo left it {there}: {button.method} had no effect.")
                return self._told(now, f"{what} is now {there or 'as it is'}.", done.warnings)

            would = f"Would move {what} from {state} to {' or '.join(button.to)}."
            return operate(odoo, [step], [row["id"]], result, message=would, dry_run=dry_run)

        return self._operation(f"{button.key}_{model.key}", press, self._means())

    # What they have in common ------------------------------------------------------------------

    def _found(self, odoo: Odoo, given: Mapping[str, Any]) -> Row:
        key = self._model.key
        return find(odoo, self._document, given.get(f"{key}_id"), given.get(f"{key}_name"))

    def _label(self, row: Row) -> str:
        shown = row["display_name"] or f"{self._model.noun} {row['id']}"
        return str(shown) if self._model.numbered else f"{shown!r} ({row['id']})"

    def _told(self, row: Row, message: str | None, warnings: Sequence[str]) -> Any:
        return filled(self._result, row, message=message, warnings=list(warnings))

    def _compare(self, odoo: Odoo, done: Done, values: Mapping[str, Any]) -> None:
        model, given = self._model.model, {done.id: values}
        found = afterwards(lambda: stored_otherwise(odoo, model, given, model), done.warnings)
        done.warnings.extend(map(str, found or ()))

    def _values(self, odoo: Odoo, names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is to be written; names of records are looked up."""
        fields = [self._described[name] for name in names]
        wanted: list[tuple[Field, list[Wanted]]] = []
        values: dict[str, Any] = {}
        for field in fields:
            said = given.get(field.name)
            if field.type == "many2one":
                by_name = given.get(_by_name(field)) if self._finds(field) else None
                if said is not None or by_name is not None:
                    one = Wanted(model=str(field.relation), field=field.name, id=said, name=by_name)
                    wanted.append((field, [one]))
            elif field.type == "many2many" and said is not None:
                wanted.append((field, wanted_each(str(field.relation), said, field.name)))
            elif said is not None:
                texts = field.type in _TEXTS and isinstance(said, str)
                values[field.name] = written_text(field, said) if texts else said
        ids = iter(resolve_all(odoo, [one for _, each in wanted for one in each], required=True))
        for field, each in wanted:
            found = [next(ids) for _ in each]
            values[field.name] = found if field.type == "many2many" else found[0]
        ordered = {name: values[name] for name in names if name in values}
        model = self._model.model
        return to_wire(ordered, model, self._described, fields_of=readable_of(odoo))

    def _domain(self, odoo: Odoo, given: Mapping[str, Any]) -> list[Any]:
        domain: list[Any] = []
        named = [
            Wanted(
                model=str(field.relation),
                field=name,
                id=given.get(name),
                name=given.get(_by_name(field)) if self._finds(field) else None,
            )
            for name in self._model.filter
            if (field := self._described[name]).type == "many2one"
        ]
        for one, found in zip(named, resolve_all(odoo, named, required=False), strict=True):
            if found is not None:
                domain.append([one.field, "=", found])
        for name in self._model.filter:
            field = self._described[name]
            if field.type in _DAYS:
                first, last = (checked_day(given.get(p), p) for p in _ends(name))
                if field.type == "datetime":
                    first = first and start_of_day(odoo, first)
                    last = last and end_of_day(odoo, last)
                domain += [[name, ">=", first]] if first else []
                domain += [[name, "<=", last]] if last else []
            elif field.type in _NUMBERS:
                least, most = (given.get(p) for p in _ends(name))
                domain += [[name, ">=", least]] if least is not None else []
                domain += [[name, "<=", most]] if most is not None else []
            elif field.type != "many2one" and (said := given.get(name)) is not None:
                domain.append([name, "ilike" if field.type in _TEXTS else "=", said])
        return domain

    # Parameters --------------------------------------------------------------------------------

    def _finds(self, field: Field) -> bool:
        """Whether the records that a field points to are found by name."""
        return field.relation in self._reads

    def _means(self) -> list[inspect.Parameter]:
        key, noun = self._model.key, self._model.noun
        return [
            _optional(f"{key}_id", int, f"Id of the {noun}."),
            _optional(f"{key}_name", str, "Its name, instead of the id."),
        ]

    def _writes(self, names: Sequence[str]) -> list[inspect.Parameter]:
        return [p for name in names for p in self._written(self._described[name])]

    def _written(self, field: Field) -> Iterator[inspect.Parameter]:
        if field.type == "many2one":
            yield from self._link(field)
        elif field.type == "many2many" and self._finds(field):
            yield _optional(field.name, NamesOrIds, f"{field.string}: ids or names.")
        elif field.type == "many2many":
            yield _optional(field.name, list[int], f"{field.string}: ids.")
        else:
            yield _optional(field.name, _scalar(field), _words(field))

    def _filters(self, field: Field) -> Iterator[inspect.Parameter]:
        if field.type == "many2one":
            yield from self._link(field)
        elif field.type in (*_DAYS, *_NUMBERS):
            kind = str if field.type in _DAYS else SHOWN_TYPES[field.type]
            form = " YYYY-MM-DD." if field.type in _DAYS else ""
            first, last = _ends(field.name)
            yield _optional(first, kind, f"{field.string}, from this on.{form}")
            yield _optional(last, kind, f"{field.string}, up to this.{form}")
        else:
            words = f"{field.string}: a part of it." if field.type in _TEXTS else _words(field)
            yield _optional(field.name, _scalar(field), words)

    def _link(self, field: Field) -> Iterator[inspect.Parameter]:
        yield _optional(field.name, int, f"{field.string}: its id.")
        if self._finds(field):
            yield _optional(_by_name(field), str, "Its name, instead of the id.")

    # Making them -------------------------------------------------------------------------------

    def _operation(
        self,
        name: str,
        act: Callable[[Odoo, Mapping[str, Any]], Any],
        parameters: Sequence[inspect.Parameter],
    ) -> Callable[..., Any]:
        dry_run = _parameter("dry_run", DryRun, False)
        made = self._function(name, act, [*parameters, dry_run], self._result | Plan)
        return operation(made)

    def _function(
        self,
        name: str,
        act: Callable[[Odoo, Mapping[str, Any]], Any],
        parameters: Sequence[inspect.Parameter],
        returns: Any,
    ) -> Callable[..., Any]:
        def function(odoo: Odoo, **given: Any) -> Any:
            return act(odoo, {key: said for key, said in given.items() if said is not None})

        connection = inspect.Parameter(
            "odoo", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Odoo
        )
        function.__name__ = function.__qualname__ = name
        function.__module__ = f"odoo_toolkit.plugins.{self._plugin}"
        named = {p.name: p.annotation for p in (connection, *parameters)}
        annotate(function, {**named, "return": returns})
        function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [connection, *parameters], return_annotation=returns
        )
        return function


def _result_class(model: FileModel, described: Mapping[str, Field]) -> type:
    """Return the class of a record as it is now; None is what is empty or could not be read."""
    shown: dict[str, Any] = {"id": int}
    for name in model.fields:
        field = described[name]
        short = name.removesuffix("_id")
        linked = field.type == "many2one" and short not in described
        if name != "id":
            shown[short if linked else name] = SHOWN_TYPES[field.type] | None
    shown |= {"message": str | None, "url": str | None, "warnings": list[str]}
    defaults = {name: None for name in shown if name not in ("id", "warnings")}
    namespace: dict[str, Any] = {"__annotations__": shown, "__module__": __name__, **defaults}
    namespace["warnings"] = attrs.Factory(list)
    made = type(f"{model.key.title().replace('_', '')}Result", (Shown,), namespace)
    return attrs.frozen(kw_only=True)(made)


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _optional(name: str, kind: Any, words: str) -> inspect.Parameter:
    # Some kinds have None in them already.
    hint = kind if kind is NamesOrIds else kind | None
    return _parameter(name, Annotated[hint, Doc(words)], None)


def _scalar(field: Field) -> Any:
    values = tuple(value for value, _ in field.selection if isinstance(value, str) and value)
    if field.type == "selection" and values:
        return Literal[values]
    return SHOWN_TYPES[field.type]


def _words(field: Field) -> str:
    return f"{field.string or field.name}.{_FORMS.get(field.type, '')}"


def _by_name(field: Field) -> str:
    return f"{field.name.removesuffix('_id')}_name"


def _ends(name: str) -> tuple[str, str]:
    return f"{name}_from", f"{name}_to"
