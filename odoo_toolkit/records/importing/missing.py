"""Records that rows name and that are not there: created before the rows are, where that is asked.

Until then a number that no record has stands for each, so that rows can be checked and compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from odoo_toolkit.app_models import known
from odoo_toolkit.arguments import read_commands, wire
from odoo_toolkit.call import Call
from odoo_toolkit.change_history.lost_answers import send
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import OdooConnectionError, OdooError, RateLimitError, invalid
from odoo_toolkit.fields import FieldsOf
from odoo_toolkit.plans import PlannedCall
from odoo_toolkit.records.importing.cells import Named
from odoo_toolkit.records.importing.columns import Column
from odoo_toolkit.records.importing.relations import CHUNK, Match, suggested
from odoo_toolkit.records.importing.sending import Row
from odoo_toolkit.records.importing.texts import CellError

#: The largest id that a database has; numbers that stand for new records count down from it.
_LAST = 2**31 - 1

#: What Odoo puts between the names on a path, but for locations: "All / Saleable", "WH/Stock".
_BETWEEN, _BETWEEN_LOCATIONS = " / ", "/"


@attrs.define(eq=False)
class Missing:
    """What is to be created.

    Attributes:
        fields: (model, by) -> the field that is given the text, of the models to create in.
        warnings: is told what looks like a slip of the pen.
        trees: models of which each record may lie below another one.

    Raises:
        CellError: of ``stands_for``, where a text is the path of a record in such a tree.
    """

    fields: Mapping[tuple[str, str], str]
    warnings: list[str]
    trees: frozenset[str] = frozenset()
    _ids: dict[tuple[str, str], int] = attrs.Factory(dict)
    _named: dict[int, Named] = attrs.Factory(dict)

    def takes(self, named: Named) -> bool:
        """Whether a record that is not there is to be created."""
        return (named.model, named.by) in self.fields

    def stands_for(self, named: Named, match: Match) -> int:
        """Return the number that stands for a record; one for all that are the same in any case."""
        between = _BETWEEN_LOCATIONS if named.model == "stock.location" else _BETWEEN
        if named.model in self.trees and between in named.text:
            near = f" Did you mean {suggested(match.similar[:3])}?" if match.similar else ""
            raise CellError(
                f"{named.text[:80]!r} is a path, but a new record of {named.model} needs only its "
                f"own name. First create its parents, then create it with its parent.{near}",
                code="NOT_FOUND",
            )
        key = (named.model, named.text.casefold())
        if key not in self._ids:
            self._ids[key] = _LAST - len(self._ids)
            self._named[self._ids[key]] = named
            if match.similar:
                near = suggested(match.similar[:3])
                self.warnings.append(
                    f"{named.text[:80]!r} would be new in {named.model}, which already has {near}."
                )
        return self._ids[key]

    def used(self, rows: Iterable[Row]) -> dict[str, dict[int, str]]:
        """Return the names of the new records that rows need: by model, and by their numbers."""
        numbers: dict[int, None] = {}
        for row in rows if self._named else ():
            for value in row.values.values():
                numbers |= dict.fromkeys(one for one in _ids_in(value) if one in self._named)
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for number in sorted(numbers, reverse=True):
            found[self._named[number].model][number] = self._named[number].text
        return dict(found)

    def check(self, odoo: Odoo, context: Mapping[str, Any], planned: bool = False) -> None:
        """Ask the policy about the records to create.

        Raises:
            AccessError: they may not be.
        """
        for model, field in {model: field for (model, _), field in self.fields.items()}.items():
            texts = [named.text for named in self._named.values() if named.model == model]
            values = [{field: text} for text in texts or [""]]
            arguments = {"vals_list": values}
            call = Call(model=model, method="create", arguments=arguments, context=context)
            odoo.check(call, planned=planned)

    def planned(self, rows: Sequence[Row]) -> tuple[list[PlannedCall], dict[int, str]]:
        """Return what would be created for rows, and what the ids in them then stand for."""
        calls: list[PlannedCall] = []
        stands: dict[int, str] = {}
        for model, names in self.used(rows).items():
            known = [self._named[number] for number in names]
            values = [{self.fields[model, one.by]: one.text} for one in known]
            arguments = {"vals_list": values}
            calls.append(PlannedCall(model=model, method="create", ids=[], arguments=arguments))
            stands |= {number: f"the new {name!r}" for number, name in names.items()}
        return calls, stands

    def create(
        self, odoo: Odoo, rows: Sequence[Row], context: Mapping[str, Any], warnings: list[str]
    ) -> dict[str, list[str]]:
        """Create what rows need, and put the ids into them; rows fail of which Odoo refuses it.

        Returns:
            The names of what was created, by model.

        Raises:
            OdooConnectionError, RateLimitError: the server went away; nothing more was created.
        """
        made: dict[str, list[str]] = {}
        ids: dict[int, int] = {}
        refused: dict[int, OdooError] = {}
        for model, names in self.used(rows).items():
            numbers = list(names)
            for start in range(0, len(numbers), CHUNK):
                chunk = numbers[start : start + CHUNK]
                self._create(odoo, model, chunk, context, warnings, ids, refused)
            made[model] = [name for number, name in names.items() if number in ids]
        for row in rows if ids or refused else ():
            row.values = {name: replaced(value, ids) for name, value in row.values.items()}
            for number in {n for value in row.values.values() for n in _ids_in(value)} & set(
                refused
            ):
                error, named = refused[number], self._named[number]
                row.fail(f"Odoo rejected {named.text!r} of {named.model}: {error.message}")
        return {model: names for model, names in made.items() if names}

    def _create(
        self,
        odoo: Odoo,
        model: str,
        numbers: Sequence[int],
        context: Mapping[str, Any],
        warnings: list[str],
        ids: dict[int, int],
        refused: dict[int, OdooError],
    ) -> None:
        """Create records together; where Odoo refuses, one by one."""
        named = [self._named[number] for number in numbers]
        values = [{self.fields[model, one.by]: one.text} for one in named]
        call = Call(model=model, method="create", arguments={"vals_list": values}, context=context)
        try:
            ids |= dict(zip(numbers, send(odoo, call, warnings), strict=True))
        except (OdooConnectionError, RateLimitError):
            raise
        except OdooError as error:
            if len(numbers) == 1:
                refused[numbers[0]] = error
                return
            for number in numbers:
                self._create(odoo, model, [number], context, warnings, ids, refused)


def missing_of(
    imported: str,
    models: Sequence[str],
    columns: Sequence[Column],
    fields_of: FieldsOf,
    warnings: list[str],
) -> Missing:
    """Return what creates records of these models, as far as columns name them.

    Args:
        imported: the model that is imported into.
        models: those to create in.
        columns: of the rows.
        fields_of: gives the fields of models.
        warnings: is told what looks like a slip of the pen.

    Raises:
        ValidationError: no column names records of a model, or not by a text.
    """
    fields: dict[tuple[str, str], str] = {}
    trees: set[str] = set()
    for model in [models] if isinstance(models, str) else models:
        if model == imported:
            raise invalid(
                "create_missing",
                f"create_missing contains {model}, the model that you import. A row may refer to "
                "a record that another row creates.",
                "Import the rows that others refer to first, without that column.",
                model=model,
            )
        related = [column for column in columns if column.field.relation == model]
        named = [column for column in related if column.by not in ("id", ".id")]
        if not named:
            comodels = dict.fromkeys(str(c.field.relation) for c in columns if c.field.relation)
            raise invalid(
                "create_missing",
                f"create_missing lists {model}, but "
                + ("columns identify its records by id." if related else "no column refers to it."),
                "Pass only models whose records a column identifies by name: "
                f"{', '.join(comodels)}."
                if comodels
                else "Omit it.",
                model=model,
            )
        described = fields_of(model)
        for column in named:
            by = column.by or next(
                (n for n in ("name", *known(model).name_fields) if n in described), ""
            )
            if not by or described[by].type not in ("char", "text") or described[by].readonly:
                raise invalid(
                    "create_missing",
                    f"Records of {model} cannot be created from a name.",
                    f"Create them first, and remove {model} from create_missing.",
                    model=model,
                )
            fields[model, column.by or ""] = by
            parent = described.get("parent_id") or described.get("location_id")
            # The name of a person below a company holds a comma, as many others do.
            if parent and parent.relation == model and model != "res.partner":
                trees.add(model)
    return Missing(fields, warnings, frozenset(trees))


def _ids_in(value: Any) -> list[int]:
    """Return the numbers of records in a value as it is written to Odoo, of a relation or not."""
    if isinstance(value, int):
        return [value]
    if isinstance(value, list):
        commands = read_commands(value, "value")
        return [one for command in commands for one in command.ids or (command.id,)]
    return []


def replaced(value: Any, ids: Mapping[int, Any]) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return ids.get(value, value)
    if isinstance(value, list):
        return wire(
            attrs.evolve(
                command,
                id=ids.get(command.id, command.id),
                ids=tuple(ids.get(one, one) for one in command.ids),
            )
            for command in read_commands(value, "value")
        )
    return value
