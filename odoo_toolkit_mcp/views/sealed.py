"""Binds what a person confirms in a view to exactly what the view has shown.

A dry run comes with a seal: an encrypted statement of the tool, its arguments, the user, the plan,
and the records in it as they were. A confirmation brings it back, and nothing is sent unless all
of that still holds. A seal is good for one confirmation, within an hour.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from odoo_toolkit.errors import AccessError, NotFoundError, StateError, ValidationError
from odoo_toolkit_mcp.sealing import BrokenSealError, OverdueSealError, Sealing, SpentSealError

if TYPE_CHECKING:
    from odoo_toolkit.client import Odoo
    from odoo_toolkit_mcp.toolsets.base import Tool

#: What a seal of this module is good for.
_KIND = "view"

#: Records that are compared field by field; of others it is only seen that they changed.
_IN_DETAIL = 10

#: Records of one model that are compared, and those read at once; changes that are told.
_MOST, _AT_ONCE, _TOLD = 1000, 100, 10

#: Hexadecimal digits that stand for a whole record, and for one of its values.
_WHOLE, _ONE = 32, 6

#: Fields that change without anybody changing the record's content.
_NOISE = re.compile(
    r"(message|website_message|activity|rating)_|access_(token|url)$|__last_update$"
)

#: Fields with the lines of a document, which are compared as well.
_LINES = re.compile(r"(^|_)(lines?|moves?)(_ids)?$|^move_(raw_)?ids|_line_ids$")

_AGAIN = "Make a new plan, check it, and confirm it."

#: model -> {"fields": their names, "rows": id -> digits for the record and each of its values}.
Records = dict[str, dict[str, Any]]


@attrs.frozen(kw_only=True)
class Seal:
    """What was shown.

    Attributes:
        who: for whom.
        tool: name of the tool.
        arguments: digest of the arguments that the tool would be called with.
        plan: part of the plan -> its digest; empty where no plan was shown.
        records: those of the plan, as they were.
        question: digest of the question that was shown with it, if one was.
    """

    who: str
    tool: str
    arguments: str
    plan: Mapping[str, str] = attrs.field(factory=dict)
    records: Records = attrs.field(factory=dict)
    question: str | None = None


def sealed(sealing: Sealing, shown: Seal) -> str:
    """Return the seal of what is being shown."""
    return sealing.seal(_KIND, attrs.asdict(shown))


def unsealed(
    sealing: Sealing, token: str, who: str, tool: str, arguments: Mapping[str, Any]
) -> Seal:
    """Return what was shown, once.

    Raises:
        ValidationError: it was confirmed before, is too old, was shown to another user, or
            something else is to be done than what was shown.
    """
    try:
        content, use_up = sealing.open(_KIND, token)
    except BrokenSealError:
        raise refusal("This confirmation was altered, or is not of this server") from None
    except OverdueSealError:
        raise refusal("This was shown more than an hour ago") from None
    seal = Seal(**content)
    if seal.who != who:
        raise refusal("This was shown to another user")
    if (seal.tool, seal.arguments) != (tool, digest(arguments)):
        raise refusal("This is not the call that was shown")
    try:
        use_up()
    except SpentSealError:
        raise refusal(
            "This was confirmed before, and is not done a second time",
            "Check in Odoo whether it was done.",
        ) from None
    return seal


def refusal(reason: str, suggestion: str = _AGAIN) -> ValidationError:
    """Return the error that says why a confirmation does not count."""
    return ValidationError(
        f"{reason}. Nothing was done.", suggestion=suggestion, outcome="not_sent", retry=False
    )


def digest(value: Any, digits: int = 64) -> str:
    """Return hexadecimal digits that stand for a value."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def shown_by(
    odoo: Odoo, who: str, tool: Tool, given: Mapping[str, Any], plan: Mapping[str, Any]
) -> Seal:
    """Return what a plan shows; reads its records, which one round trip does for each model.

    Args:
        odoo: the connection.
        who: sees it.
        tool: would be called.
        given: its arguments, without ``dry_run``.
        plan: as JSON.

    Raises:
        OdooError: the records cannot be read for a reason that is not one of rights.
    """
    return Seal(
        who=who,
        tool=tool.name,
        arguments=digest(given),
        plan=_parts(plan),
        records=_records(odoo, _named(plan)),
    )


def check_unchanged(odoo: Odoo, seal: Seal, plan: Mapping[str, Any]) -> None:
    """See that what would be done now is what was shown.

    Args:
        odoo: the connection.
        seal: what was shown.
        plan: what would be done now, as JSON.

    Raises:
        StateError: it is something else, or a record has changed; the error says which.
    """
    wanted = {model: [int(i) for i in known["rows"]] for model, known in seal.records.items()}
    now = _records(odoo, wanted)
    changed = [line for model in wanted for line in _changes(odoo, model, seal.records, now)]
    parts = _parts(plan)
    other = sorted(
        name for name in parts.keys() | seal.plan if parts.get(name) != seal.plan.get(name)
    )
    if not changed and not other:
        return
    told = "; ".join(_in_words(line) for line in changed[:_TOLD])
    more = f"; and {len(changed) - _TOLD} more" if len(changed) > _TOLD else ""
    reason = f"Since this was shown, {told}{more} changed"
    if not changed:
        reason = f"The plan is no longer the one that you saw. It has changed in {', '.join(other)}"
    raise StateError(
        f"{reason}. Nothing was done.",
        suggestion=_AGAIN,
        details={"changed": changed[:_TOLD], "plan": other},
        outcome="not_sent",
        retry=False,
    )


def _parts(plan: Mapping[str, Any]) -> dict[str, str]:
    return {name: digest(part) for name, part in plan.items()}


def _named(plan: Mapping[str, Any]) -> dict[str, list[int]]:
    """Return the records that a plan would change, by model; some names are only known then."""
    named: dict[str, list[int]] = {}
    for call in plan.get("calls", ()):
        known = named.setdefault(call["model"], [])
        known += [i for i in call["ids"] if isinstance(i, int) and i > 0 and i not in known]
    return {model: ids[:_MOST] for model, ids in named.items() if ids}


def _records(odoo: Odoo, named: Mapping[str, list[int]]) -> Records:
    """Return digests of records and their lines, as far as this user may read them."""
    found: Records = {}
    for model, ids in named.items():
        rows = _read(odoo, model, ids)
        if rows is None:
            continue
        found[model] = _digests(rows)
        for line_model, line_ids in _lines(odoo, model, rows).items():
            if line_model not in named and line_ids:
                lines = _read(odoo, line_model, line_ids[:_MOST])
                if lines is not None:
                    found[line_model] = _digests(lines)
    return found


def _read(odoo: Odoo, model: str, ids: list[int]) -> list[dict[str, Any]] | None:
    # Imported here: the server answers before the library's modules are loaded.
    from odoo_toolkit.records.reading import read

    rows: list[dict[str, Any]] = []
    for start in range(0, len(ids), _AT_ONCE):
        try:
            rows += read(odoo, model, ids[start : start + _AT_ONCE]).records
        except (AccessError, NotFoundError):
            return None
    return rows


def _lines(odoo: Odoo, model: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    lines: dict[str, list[int]] = {}
    for name, field in odoo.schema.fields(model).items():
        if field.type == "one2many" and field.relation and _LINES.search(name):
            ids = [i for row in rows for i in row.get(name) or ()]
            known = lines.setdefault(field.relation, [])
            known += [i for i in ids if isinstance(i, int) and i not in known]
    return lines


def _digests(rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = sorted({name for row in rows for name in row if not _NOISE.match(name)} - {"id"})
    few = len(rows) <= _IN_DETAIL
    return {
        "fields": names if few else [],
        "rows": {
            str(row["id"]): digest([row.get(name) for name in names], _WHOLE)
            + "".join(digest(row.get(name), _ONE) for name in names if few)
            for row in rows
        },
    }


def _changes(odoo: Odoo, model: str, before: Records, now: Records) -> list[dict[str, Any]]:
    """Return what is different in the records of a model."""
    names, changed = before[model]["fields"], []
    after = now.get(model, {"fields": [], "rows": {}})
    for record_id, digits in before[model]["rows"].items():
        there = after["rows"].get(record_id)
        if there == digits:
            continue
        line: dict[str, Any] = {"model": model, "id": int(record_id)}
        if there is None:
            line["gone"] = True
        elif names == after["fields"]:
            labels = odoo.schema.fields(model)
            line["fields"] = [
                labels[name].string or name if name in labels else name
                for place, name in enumerate(names)
                if _one(digits, place) != _one(there, place)
                and name not in ("write_date", "write_uid")
            ]
        changed.append(line)
    return changed


def _one(digits: str, place: int) -> str:
    return digits[_WHOLE + place * _ONE :][:_ONE]


def _in_words(line: Mapping[str, Any]) -> str:
    which = f"{line['model']} {line['id']}"
    if line.get("gone"):
        return f"{which} (it is gone)"
    fields = ", ".join(line.get("fields") or ())
    return f"{which} ({fields})" if fields else which
