"""Functions that list models and the fields of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from annotated_doc import Doc

from odoo_toolkit.annotations import Context, Fields, Model
from odoo_toolkit.app_models import COMMON_MODELS
from odoo_toolkit.call import Call, asking
from odoo_toolkit.client import Odoo
from odoo_toolkit.connection.parallel import side_by_side
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import unknown_field_error
from odoo_toolkit.records.arguments import admit
from odoo_toolkit.records.results import FieldsResult, ModelsResult, ModelSummary
from odoo_toolkit.values.search_text import folded

#: Attributes told of each field unless others are asked for.
DEFAULT_ATTRIBUTES = ("string", "type", "required", "readonly", "help", "selection", "relation")

#: Attributes that are told of every field; the others only where they say something.
_ALWAYS = frozenset({"string", "type", "required", "readonly"})

#: Attributes that come first, as the columns of a table do.
_FIRST = ("label", "type", "relation", "required", "readonly", "selection")

#: Up to so many models, each is asked what else than reading the user may do with it.
_ACCESS_LIMIT = 10
_OPERATIONS = ("read", "write", "create", "unlink")


def fields_get(
    odoo: Odoo,
    model: Model,
    attributes: Annotated[Fields, Doc("Field attributes. ['*'] for all.")] = DEFAULT_ATTRIBUTES,
    context: Annotated[Context, Doc('Odoo context, such as {"lang": "de_DE"}.')] = None,
    names: Annotated[Fields | None, Doc("Only these fields.")] = None,
    words: Annotated[str | None, Doc("Fields with these words in name, label or help.")] = None,
) -> FieldsResult:
    """Return the fields of a model that the user and the policy can see.

    >>> fields_get(odoo, "res.partner", words="tax id").fields["vat"]["label"]
    'Tax ID'

    Each field has its ``label``, which Odoo calls ``string``. To find a field, pass ``words``. The
    toolkit looks for them in names, labels, help texts and selection values, in any order and
    ignoring case. If no field has all of the words, you get the fields with any of them.

    Raises:
        ValidationError: INVALID_FIELD, none of ``names`` exists. The error suggests similar names.
            If only some do not exist, ``warnings`` says which.
        NotFoundError: The model does not exist.
        AccessError: Odoo or the policy does not allow it.
    """
    every = "*" in attributes
    call = Call(
        model=model,
        method="fields_get",
        arguments={"allfields": [], **({} if every else {"attributes": list(attributes)})},
        context=context or {},
    )
    raw = odoo.call(call)
    readable = odoo.policy.readable_fields(model, odoo.schema.fields)
    warnings: list[str] = []
    if unknown := [name for name in names or () if name not in readable]:
        # What is closed is refused as such, as by a search.
        admit(odoo, Call(model=model, method="search_read", arguments={"fields": unknown}))
        error = unknown_field_error(model, unknown, readable)
        if len(unknown) == len(names or ()):
            raise error
        warnings = [f"{error.message} {error.suggestion}".strip()]
    wanted = readable if names is None else names
    fields = {name: _summary(raw[name]) for name in sorted(raw) if name in wanted}
    if words:
        fields = _with_words(fields, words)
    return FieldsResult(model=model, fields=fields, field_count=len(fields), warnings=warnings)


def _with_words(fields: Mapping[str, dict[str, Any]], words: str) -> dict[str, dict[str, Any]]:
    """Return the fields that have all the words, or where there are none, any of them."""
    looked_for = folded(words.replace("_", " ")).split()
    texts = {
        name: folded(f"{name.replace('_', ' ')} {told.get('label')} {told.get('help')}"
                     f" {told.get('selection')}")
        for name, told in fields.items()
    }  # fmt: skip
    for enough in (all, any):
        found = {
            name: told
            for name, told in fields.items()
            if enough(word in texts[name] for word in looked_for)
        }
        if found:
            return found
    return {}


def _summary(raw: Mapping[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in raw.items() if key in _ALWAYS or value}
    told.pop("name", None)
    if "string" in told:
        told["label"] = told.pop("string")
    return {name: told[name] for name in (*_FIRST, *told) if name in told}


def list_models(
    odoo: Odoo,
    filter: Annotated[str | None, Doc("Part of the model's name or label, e.g. sale.")] = None,  # noqa: A002
    transient: Annotated[bool, Doc("Include wizards (Settings users only).")] = False,
) -> ModelsResult:
    """Return the models that the user can read, without blocked models.

    ``filter`` ignores case. If there are few models, the result also says what the user can do with
    each.

    The list depends on the version. Odoo 16 and later list the readable models to every user in one
    call. Odoo 14 lists all models to every user. On Odoo 15 an ordinary user gets the well-known
    models that they can read.

    Raises:
        OdooError: Odoo did not respond with a list.
    """
    warnings: list[str] = []
    try:
        labels = dict(odoo.schema.models())
    except AccessError:
        labels = _readable_among(odoo, COMMON_MODELS)
        warnings.append(
            f"This user cannot read the list of models on Odoo {odoo.version.major}. Only "
            "well-known models that it can read are listed, and there may be more."
        )
    wizards: dict[str, str] = {}
    if transient:
        try:
            wizards = _transient_models(odoo)
        except AccessError:
            warnings.append("Wizards are not listed: this user cannot read the list of models.")
    wanted = (filter or "").strip().lower()
    found = [
        (name, label)
        for name, label in sorted({**labels, **wizards}.items())
        if (wanted in name.lower() or wanted in label.lower()) and odoo.policy.model_allowed(name)
    ]
    counts = _field_counts(odoo)
    rights = _rights(odoo, [name for name, _ in found]) if len(found) <= _ACCESS_LIMIT else {}
    models = [
        ModelSummary(
            model=name,
            name=label,
            transient=name in wizards,
            field_count=counts.get(name),
            access=rights.get(name, "" if name in wizards else "read"),
        )
        for name, label in found
    ]
    return ModelsResult(models=models, count=len(models), warnings=warnings)


def _transient_models(odoo: Odoo) -> dict[str, str]:
    call = asking(
        "ir.model", "search_read", domain=[["transient", "=", True]], fields=["model", "name"]
    )
    return {row["model"]: row["name"] for row in odoo.call(call)}


def _field_counts(odoo: Odoo) -> dict[str, int]:
    """Return the number of fields of each model; empty where the user cannot know."""
    call = asking("ir.model.fields", "read_group", domain=[], fields=["model"], groupby=["model"])
    try:
        return {row["model"]: row["model_count"] for row in odoo.call(call)}
    except (OdooError, KeyError):
        return {}


def _readable_among(odoo: Odoo, labels: Mapping[str, str]) -> dict[str, str]:
    rights = _rights(odoo, labels, ("read",))
    return {name: labels[name] for name, may in rights.items() if may}


def _rights(
    odoo: Odoo, models: Iterable[str], operations: Iterable[str] = _OPERATIONS
) -> dict[str, str]:
    """Ask side by side what the user may do with each model."""
    questions = [(model, operation) for model in models for operation in operations]
    answers = side_by_side(
        [lambda question=question: odoo.schema.may(*question) for question in questions]  # type: ignore[misc]
    )
    rights: dict[str, list[str]] = {model: [] for model, _ in questions}
    for (model, operation), may in zip(questions, answers, strict=True):
        if may:
            rights[model].append(operation)
    return {model: ",".join(allowed) for model, allowed in rights.items()}
