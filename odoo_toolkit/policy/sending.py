"""What is seen to before a call is sent, by asking the server: whose records it would touch."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from odoo_toolkit.arguments import read_commands
from odoo_toolkit.arguments.values import (
    DEFAULT,
    VALUES,
    Record,
    ids_in,
    read_values,
    records_within,
)
from odoo_toolkit.call import PARAMETERS, Call, asking
from odoo_toolkit.compat import FILTERED_AFTER_LIMIT
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.fields import Field
from odoo_toolkit.policy import owners
from odoo_toolkit.policy.rules import field_refusal
from odoo_toolkit.policy.tables import FILE_MODELS

if TYPE_CHECKING:
    from odoo_toolkit.connection.version import ServerVersion
    from odoo_toolkit.policy.policy import Policy
    from odoo_toolkit.schema import Schema

#: The context key that says which companies' records are seen.
COMPANIES = "allowed_company_ids"
#: Arguments of methods that are no fields -> what their ids are of.
_FILES = "attachment_ids"
_ARGUMENTS = {_FILES: "ir.attachment", "parent_id": "mail.message"}
#: Where the schema cannot be had, a field's name decides.
_BY_NAME = {_FILES: Field(name=_FILES, type="many2many", relation=_ARGUMENTS[_FILES])}
#: What of a context decides which records are found.
_FOUND_BY = (COMPANIES, "active_test")


class Connection(Protocol):
    """What is asked of the connection that a call is sent by."""

    policy: Policy
    schema: Schema

    @property
    def version(self) -> ServerVersion:
        """The server's version."""

    def call(self, call: Call) -> Any:
        """Send a call."""

    def record_filter(self, model: str, domain: Sequence[Any] = ()) -> list[Any]:
        """Return what keeps a search off the records of closed models."""


def check_companies(call: Call, base_context: Mapping[str, Any]) -> None:
    """Refuse companies that the settings leave out, wherever a context names them.

    Args:
        call: as it was asked for.
        base_context: of the settings.

    Raises:
        AccessError: it names others, or none, which to Odoo means all.
    """
    allowed = base_context.get(COMPANIES)
    if allowed is None:
        return
    for asked in _companies_in([call.context, call.arguments, call.positional]):
        if (
            not asked
            or not isinstance(asked, (list, tuple))
            or not all(type(company) is int and company in allowed for company in asked)
        ):
            raise AccessError(
                f"{COMPANIES} may only contain the companies {allowed} from the settings of this "
                "connection.",
                suggestion="Omit it, or choose among these companies.",
                details={"named_in": f"context.{COMPANIES}"},
            )


def _companies_in(value: Any) -> Iterator[Any]:
    """Yield what contexts within a value name as the companies to see."""
    if isinstance(value, Mapping):
        if COMPANIES in value:
            yield value[COMPANIES]
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, (Mapping, list, tuple)):
                yield from _companies_in(item)


def _check_external_ids(odoo: Connection, call: Call) -> None:
    """Refuse to load rows under external ids that belong to other models' records.

    Odoo 14 takes them over, and so takes away a group from its users; where it cannot be known
    to whom they belong, only those of imports pass.

    Raises:
        AccessError: it would.
    """
    columns, rows = call.arguments.get("fields"), call.arguments.get("data")
    if call.step or not odoo.policy.protect:
        return
    if not isinstance(columns, (list, tuple)) or not isinstance(rows, (list, tuple)):
        return
    if "id" not in columns:
        return
    at = list(columns).index("id")
    given = {str(row[at]) for row in rows if isinstance(row, (list, tuple)) and len(row) > at}
    names = [name.split(".", 1) for name in given if "." in name]
    search = asking(
        "ir.model.data",
        "search_read",
        domain=[["module", "in", [m for m, _ in names]], ["model", "!=", call.model]],
        fields=["complete_name"],
    )
    try:
        others = {row["complete_name"] for row in odoo.call(search)} if names else set()
    except AccessError:
        others = {".".join(name) for name in names if not name[0].startswith("__")}
    if taken := sorted(given & others):
        raise AccessError(
            f"These external ids cannot be used for {call.model}: {', '.join(taken[:5])}.",
            code="MODEL_BLOCKED",
            suggestion="Choose your own ids, such as __import__.customer_1.",
            details={"model": call.model, "named_in": "data"},
        )


def check_linked(odoo: Connection, call: Call, written: Iterable[Record]) -> None:
    """Refuse values and arguments that lead to files, messages, ... of what is closed.

    A file that is linked to an e-mail goes out with it. One round trip for each model of such
    records; calls that name none cost nothing.

    Args:
        odoo: the connection.
        call: as it was read.
        written: the records that it is given, see :func:`records_written`.

    Raises:
        AccessError: one that is named belongs to what is closed.
    """
    if call.method == "load":
        _check_external_ids(odoo, call)
    made = call.step and not odoo.policy.closes and DEFAULT + _FILES not in call.context
    if call.internal or made or not odoo.policy.guards:
        return
    policy = odoo.policy.about(call.acts_on)
    named: dict[tuple[str, bool], set[int]] = {}
    for model, changed, ids in _linked(odoo, call, written):
        # Without a list, only files of closed fields are closed, which no step links.
        if policy.closes or (model in FILE_MODELS and not call.step):
            named.setdefault((model, changed), set()).update(ids)
    for (model, changed), ids in named.items():
        of_those = [["id", "in", sorted(ids)]]
        allowed = owners.record_filter(policy, model, of_those, odoo.schema.fields)
        if changed:
            allowed += owners.change_filter(policy, model)
        if allowed and ids:
            _refuse_closed(odoo, model, sorted(ids), _found(odoo, model, [*allowed, *of_those]))


def _linked(
    odoo: Connection, call: Call, written: Iterable[Record]
) -> Iterator[tuple[str, bool, Collection[int]]]:
    """Yield models whose records belong to others, whether they are changed, and which."""
    if call.method == "load":
        yield from _loaded(odoo, call)
        return

    yield from _in_values(odoo, written)
    for name, value in call.arguments.items():
        if call.method not in VALUES and (model := _ARGUMENTS.get(name)):
            yield model, False, ids_in(value)
    for key, value in call.context.items():
        name = key[len(DEFAULT) :] if isinstance(key, str) and key.startswith(DEFAULT) else ""
        if name == _FILES:  # it reaches every record that the call makes
            commands = read_commands(value, key, default=True) if value else ()
            yield _ARGUMENTS[name], False, {one for c in commands for one in (c.id, *c.ids) if one}
        elif name:
            given = read_values({name: value}, call.model, odoo.schema.described, key, worded=True)
            yield from _in_values(odoo, records_within([(call.model, (), given, False)]))


def _described(odoo: Connection, model: str) -> Mapping[str, Field]:
    try:
        return odoo.schema.fields(model)
    except OdooError:
        return _BY_NAME


def _in_values(
    odoo: Connection, written: Iterable[Record]
) -> Iterator[tuple[str, bool, Collection[int]]]:
    # A call has the same models in many records.
    described = functools.cache(functools.partial(_described, odoo))
    for model, _, values, _ in written:
        fields = described(model) if values.given else {}
        for name, given in values.given.items():
            relation = fields[name].relation if name in fields else None
            if not relation or relation not in owners.OWNERS or relation == "ir.model":
                continue
            for command in values.lines.get(name, ()):
                if command.kind in ("link", "set", "update", "delete"):
                    ids = command.ids if command.kind == "set" else (command.id,)
                    yield relation, command.kind in ("update", "delete"), ids
            if name not in values.lines:
                yield relation, False, ids_in(given)


def _loaded(odoo: Connection, call: Call) -> Iterator[tuple[str, bool, Collection[int]]]:
    """Yield what the columns of ``load`` lead to; by names or external ids only where all is open.

    Raises:
        AccessError: it cannot be told to what they lead.
    """
    columns, rows = (call.arguments.get(name) or () for name in ("fields", "data"))
    for index, column in enumerate(columns):
        here, names = call.model, str(column).split("/")
        for name, following in zip(names, [*names[1:], ""], strict=True):
            field = _described(odoo, here).get(name)
            if field is None or not field.relation:
                break
            here = field.relation
            if not owners.is_owned(here) or here == "ir.model":
                continue
            if following == ".id":
                yield here, True, ids_in([row[index : index + 1] for row in rows])
            elif odoo.policy.closes and not call.step:
                raise field_refusal(name, call.model, f"fields: {column}")


def without_closed_records(odoo: Connection, call: Call) -> Call:
    """Return a call that keeps off the records that belong to closed models.

    A search is narrowed; of records named by their ids it is asked first which may be seen.

    Raises:
        AccessError: one that is named belongs to what is closed.
    """
    policy = odoo.policy
    if call.internal or not policy.guards:
        return call
    if call.ids:
        return _with_visible(odoo, call)
    if "domain" in PARAMETERS.get(call.method, ()):
        asked = call.arguments.get("domain") or ()
        found = odoo.record_filter(call.model, asked)
        return attrs.evolve(call, arguments={**call.arguments, "domain": [*found, *asked]})
    return call


def _with_visible(odoo: Connection, call: Call) -> Call:
    """Return a call without the attachments, messages, ... that there are not, or refuse it
    for those that belong to what is closed; one round trip where all may be seen."""
    asked = list(call.ids or ())
    of_those = [["id", "in", asked]]
    allowed = odoo.record_filter(call.model, of_those)
    if not call.reads:
        allowed += owners.change_filter(odoo.policy, call.model)
    if not allowed:
        return call
    visible = _found(odoo, call.model, [*allowed, *of_those])
    if not visible.issuperset(asked):
        existing = _refuse_closed(odoo, call.model, asked, visible)
        if call.model in FILE_MODELS and call.reads:
            visible |= _files_of_fields(odoo, call.model, sorted(set(asked) - existing))
    return attrs.evolve(call, ids=[record_id for record_id in asked if record_id in visible])


def _refuse_closed(
    odoo: Connection, model: str, asked: Sequence[int], visible: set[int]
) -> set[int]:
    """Refuse records that are there and not visible; return those that are there."""
    if visible.issuperset(asked):
        return visible
    existing = _found(odoo, model, [["id", "in", list(asked)]])
    if blocked := sorted(existing - visible):
        raise AccessError(
            f"{model} {', '.join(map(str, blocked))} belongs to blocked records.",
            code="MODEL_BLOCKED",
            suggestion="Omit these records.",
            details={"model": model, "ids": blocked},
        )
    return existing


def _found(odoo: Connection, model: str, domain: list[Any]) -> set[int]:
    search = asking(model, "search", context={"active_test": False}, domain=domain)
    return set(odoo.call(search))


def _files_of_fields(odoo: Connection, model: str, ids: list[int]) -> set[int]:
    """Return which files behind fields may be read: Odoo 14 does not find them, but reads
    them to those who guess their ids.

    Raises:
        AccessError: one is behind a closed field, or of a closed model.
    """
    fields = ["res_model", "res_field"]
    read = asking(model, "read", ids, fields=fields)
    try:
        rows = odoo.call(read) if ids else []
    except OdooError:
        return set()
    for row in rows:
        owner, field = row["res_model"] or "", row["res_field"] or ""
        if owner and (problem := odoo.policy.model_problem(owner, "read")):
            raise problem
        if odoo.policy.field_blocked(field):
            raise field_refusal(field, owner, f"{model} {row['id']}")
    return {row["id"] for row in rows}


def left_out(
    odoo: Connection, model: str, domain: Sequence[Any], context: Mapping[str, Any], counted: bool
) -> int | None:
    """Return how many records the policy keeps out of a search; two round trips at most.

    What a number tells of closed records must not depend on conditions, or it would tell what
    is in them: so there is one only where there are none, and where counting is cheap or wanted.

    Args:
        odoo: the connection.
        model: the model that is searched.
        domain: what it is searched by, checked.
        context: of the search.
        counted: whether a number is wanted although it takes Odoo long.

    Returns:
        The number; None where some are kept out, of which it is not told how many there are.
    """
    hidden = owners.hidden_filter(odoo.policy, model, domain, odoo.schema.fields)
    if not hidden:
        return 0
    call = asking(model, "search", domain=hidden)
    if not domain and counted and owners.is_separable(model):
        found_by = {key: context[key] for key in _FOUND_BY if key in context}
        return int(odoo.call(attrs.evolve(call, method="search_count", context=found_by)))

    def any_hidden() -> bool:
        found = odoo.call(attrs.evolve(call, arguments={"domain": hidden, "limit": 1}))
        if not found and model in FILTERED_AFTER_LIMIT:
            # The only one that was looked at may be one that this user cannot see.
            found = odoo.call(attrs.evolve(call, method="search_count"))
        return bool(found)

    return None if odoo.schema.remember(f"left out {model} {hidden}", any_hidden) else 0
