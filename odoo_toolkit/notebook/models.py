"""``odoo["sale.order"]``: a model as an object, for notebooks and the shell.

Each method is the function of the same name with the connection and the model filled in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

import attrs

from odoo_toolkit import records
from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.call import Call
from odoo_toolkit.client import Odoo
from odoo_toolkit.display.visible_text import visible
from odoo_toolkit.errors import AccessError, NotFoundError, OdooError
from odoo_toolkit.fields import Field, similar_names, unknown_field_error
from odoo_toolkit.plans import Operation, Plan, Planning
from odoo_toolkit.records.arguments import describe
from odoo_toolkit.records.results import FieldsResult
from odoo_toolkit.search_help.completion import models_like

if TYPE_CHECKING:
    from odoo_toolkit.model_guide import ModelStates

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S", bound=Plan)
S_co = TypeVar("S_co", bound=Plan, covariant=True)


class Connection(Odoo):
    """A connection that also returns models as objects: ``odoo["sale.order"]``.

    :func:`odoo_toolkit.connect` returns it. You can pass it to every function that accepts an
    :class:`~odoo_toolkit.Odoo`.
    """

    def __getitem__(self, model: str) -> Model:
        """Return a model as an object, for notebooks and the shell: ``odoo["sale.order"]``.

        Its fields are asked for, once: one round trip.

        Raises:
            NotFoundError: there is no such model.
            AccessError: Odoo or the policy does not allow it.
        """
        known = Model(self, model)
        known._described()
        return known

    #: With ``__getitem__`` alone, Python would count through the models: 0, 1, 2, ...
    __iter__ = None

    def _ipython_key_completions_(self) -> list[str]:
        try:
            return models_like(self, "")
        except OdooError:
            return []


def _method(
    function: Callable[Concatenate[Odoo, str, P], R], name: str = ""
) -> Callable[Concatenate[Model, P], R]:
    """Return a function as a method of models, which fill in the connection and their name.

    The context of the model goes with each call; one that is given extends it.

    Args:
        function: takes the connection, the model and, among others, a ``context``.
        name: of the method, where it is not that of the function.
    """
    signature = inspect.signature(function)
    _, _, *others = signature.parameters.values()

    @wraps(function)
    def method(model: Model, /, *args: Any, **kwargs: Any) -> R:
        given = signature.bind(model.odoo, model.name, *args, **kwargs)
        context = given.arguments.get("context") or {}
        given.arguments["context"] = {**model.context, **context}
        return cast(Callable[..., R], function)(*given.args, **given.kwargs)

    # What help() shows: the connection and the model are not among the arguments.
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    shown: Any = method
    shown.__name__ = name or function.__name__
    shown.__signature__ = signature.replace(parameters=[first, *others])
    summary = (function.__doc__ or "").partition("\n\n")[0]
    shown.__doc__ = f"{summary}\n\n        See :func:`odoo_toolkit.{function.__name__}`."
    shown.__dict__.pop("plan", None)
    return method


class _Operation(Protocol[P, R_co, S_co]):
    """A method that does something, or only tells what it would do."""

    def __get__(self, model: Model, kind: type[Model]) -> Planning[P, R_co, S_co]: ...


def _operation(function: Operation[Concatenate[Odoo, str, P], R, S]) -> _Operation[P, R, S]:
    """Do the same for a function with the keyword ``dry_run``."""
    return cast("_Operation[P, R, S]", _method(cast(Any, function)))


@attrs.frozen(repr=False)
class Model:
    """A model of a connection: ``odoo["sale.order"]``.

    >>> orders = odoo["sale.order"].with_company("My Company")
    >>> orders.search([["state", "=", "sale"]], ["name", "amount_total"]).to_df()

    Attributes:
        odoo: The connection.
        name: Name of the model, such as ``sale.order``.
        context: Keys that each call adds to the context of the connection.
    """

    odoo: Odoo
    name: str
    context: Mapping[str, Any] = attrs.Factory(dict)

    #: With ``__getitem__`` alone, Python would count through the fields: 0, 1, 2, ...
    __iter__ = None

    def __repr__(self) -> str:
        return f"odoo[{self.name!r}]" + (f".with_context(**{self.context})" if self.context else "")

    def __getitem__(self, field: str) -> Field:
        """Return the description of a field.

        Raises:
            ValidationError: the model has no such field.
        """
        described = self._described()
        if not isinstance(field, str) or field not in described:
            raise unknown_field_error(self.name, str(field), described)
        return described[field]

    def fields(self, search: str = "") -> FieldsResult:
        """Return the fields as a table.

        Args:
            search: Words that must all occur in the name, label or help. Without words, you get
                every field.
        """
        found = records.fields_get(self.odoo, self.name, context=self.context)
        words = search.casefold().split()
        kept = {
            name: told
            for name, told in found.fields.items()
            if all(
                word in f"{name} {told.get('label', '')} {told.get('help', '')}".casefold()
                for word in words
            )
        }
        return FieldsResult(model=self.name, fields=kept, field_count=len(kept))

    search = _method(records.search_read, "search")
    read = _method(records.read)
    count = _method(records.count)
    iterate = _method(records.iterate)
    aggregate = _method(records.aggregate)
    create = _operation(records.create)
    write = _operation(records.write)
    unlink = _operation(records.unlink)
    upsert = _operation(records.upsert)
    execute = _operation(records.execute)
    export = _method(records.export)
    to_arrow = _method(records.to_arrow)
    changes = _method(records.changes)

    def states(self) -> ModelStates:
        """Return the states and the transitions between them. A notebook draws them.

        See :func:`odoo_toolkit.model_guide.model_states`.
        """
        from odoo_toolkit.model_guide import model_states

        return model_states(self.odoo, self.name)

    def with_context(self, **context: Any) -> Model:
        """Return the model with more keys in its context: ``lang="fr_FR"``."""
        return attrs.evolve(self, context={**self.context, **context})

    def with_company(self, company: str | int) -> Model:
        """Return the model with the records of one company. New records belong to it.

        The toolkit sets ``allowed_company_ids``, which works on Odoo 14 to 19. It takes 2 requests.

        Args:
            company: Name or id of one of the user's companies.

        Raises:
            NotFoundError: The user does not belong to this company. ``details["companies"]`` lists
                the user's companies.
            AccessError: The policy does not allow reading the user's companies.
        """
        companies = self._companies()
        fits = [
            key
            for key, name in companies.items()
            if (company == key and company is not True)
            or str(company).casefold() == name.casefold()
        ]
        if len(fits) != 1:
            listed = ", ".join(f"{name} ({key})" for key, name in companies.items())
            problem = "is none of" if not fits else "is the name of several of"
            raise NotFoundError(
                f"{company!r} {problem} this user's companies.",
                suggestion=f"Choose an id from {listed}.",
                details={
                    "companies": companies,
                    "did_you_mean": similar_names(str(company), list(companies.values())),
                },
            )
        return self.with_context(allowed_company_ids=fits)

    def _companies(self) -> dict[int, str]:
        """Return the names of the companies that the user may work for, by id."""
        read = Call(
            model="res.users",
            method="read",
            ids=(self.odoo.uid,),
            arguments={"fields": ["company_ids"]},
            step=True,
        )
        ids = self.odoo.call(read)[0]["company_ids"]
        base = self.odoo.settings.base_context.get("allowed_company_ids") or ids
        named = records.name_get(self.odoo, "res.company", [i for i in ids if i in base])
        return {company.id: company.name for company in named.names}

    def _described(self) -> Mapping[str, Field]:
        return describe(self.odoo, self.name, "fields_get", {}, self.context)

    def _ipython_key_completions_(self) -> list[str]:
        try:
            return list(self._described())
        except OdooError:
            return []

    def _repr_html_(self) -> str:
        try:
            label, number = _label(self.odoo, self.name), f"{len(self._described())} fields"
        except OdooError as error:
            label, number = str(error), ""
        methods = [name for name in dir(type(self)) if name[0] != "_" and name not in _ATTRIBUTES]
        return (
            f"<p><b>{escape(self.name)}</b>: {escape(visible(label))}, {number}</p>"
            f"<p>{', '.join(f'<code>.{name}()</code>' for name in methods)};"
            ' <code>["name of a field"]</code></p>'
        )


_ATTRIBUTES = frozenset(field.name for field in attrs.fields(Model))


def _label(odoo: Odoo, model: str) -> str:
    try:
        return odoo.schema.models().get(model, model)
    except AccessError:  # Odoo 15 tells ordinary users nothing of its models
        return COMMON_MODELS.get(model, model)
