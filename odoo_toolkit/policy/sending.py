"""What is seen to before a call is sent, by asking the server: whose records it would touch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from odoo_toolkit.call import Call, parameter_names
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.policy import owners
from odoo_toolkit.policy.rules import field_refusal
from odoo_toolkit.policy.tables import FILE_MODELS

if TYPE_CHECKING:
    from odoo_toolkit.policy.policy import Policy
    from odoo_toolkit.schema import Schema

#: The context key that says which companies' records are seen.
_COMPANIES = "allowed_company_ids"
#: What of a context decides which records are found.
_FOUND_BY = (_COMPANIES, "active_test")


class Connection(Protocol):
    """What is asked of the connection that a call is sent by."""

    policy: Policy
    schema: Schema

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
    allowed = base_context.get(_COMPANIES)
    if allowed is None:
        return
    for asked in _companies_in([call.context, call.arguments, call.positional]):
        if (
            not asked
            or not isinstance(asked, (list, tuple))
            or not all(type(company) is int and company in allowed for company in asked)
        ):
            raise AccessError(
                f"{_COMPANIES} may name the companies {allowed} only: the settings of this"
                " connection name no others.",
                suggestion="Leave it out, or choose among these.",
                details={"named_in": f"context.{_COMPANIES}"},
            )


def _companies_in(value: Any) -> Iterator[Any]:
    """Yield what contexts within a value name as the companies to see."""
    if isinstance(value, Mapping):
        if _COMPANIES in value:
            yield value[_COMPANIES]
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, (Mapping, list, tuple)):
                yield from _companies_in(item)


def check_external_ids(odoo: Connection, call: Call) -> None:
    """Refuse to load rows under external ids that belong to other models' records.

    Odoo 14 takes them over, and so takes away a group from its users; where it cannot be known
    to whom they belong, only those of imports pass.

    Raises:
        AccessError: it would.
    """
    columns, rows = call.arguments.get("fields"), call.arguments.get("data")
    if call.step or call.method != "load" or not odoo.policy.protect:
        return
    if not isinstance(columns, (list, tuple)) or not isinstance(rows, (list, tuple)):
        return
    if "id" not in columns:
        return
    at = list(columns).index("id")
    given = {str(row[at]) for row in rows if isinstance(row, (list, tuple)) and len(row) > at}
    names = [name.split(".", 1) for name in given if "." in name]
    search = Call(
        model="ir.model.data",
        method="search_read",
        arguments={
            "domain": [["module", "in", [m for m, _ in names]], ["model", "!=", call.model]],
            "fields": ["complete_name"],
        },
        internal=True,
    )
    try:
        others = {row["complete_name"] for row in odoo.call(search)} if names else set()
    except AccessError:
        others = {".".join(name) for name in names if not name[0].startswith("__")}
    if taken := sorted(given & others):
        raise AccessError(
            f"These external ids are not free for {call.model}: {', '.join(taken[:5])}.",
            code="MODEL_BLOCKED",
            suggestion="Use ids of your own, such as __import__.customer_1.",
            details={"model": call.model, "named_in": "data"},
        )


def without_closed_records(odoo: Connection, call: Call) -> Call:
    """Return a call that keeps off the records that belong to closed models.

    A search is narrowed; of records named by their ids it is asked first which may be seen.

    Raises:
        AccessError: one that is named belongs to what is closed.
    """
    policy = odoo.policy
    if call.internal or not policy.guards or not owners.is_owned(call.model):
        return call
    if call.ids:
        return _with_visible(odoo, call)
    if "domain" in (parameter_names(call.method) or ()):
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
        existing = _found(odoo, call.model, of_those)
        if blocked := sorted(existing - visible):
            raise AccessError(
                f"{call.model} {', '.join(map(str, blocked))} belongs to what is closed.",
                code="MODEL_BLOCKED",
                suggestion="Leave these records out.",
                details={"model": call.model, "ids": blocked},
            )
        if call.model in FILE_MODELS and call.reads:
            visible |= _files_of_fields(odoo, call.model, sorted(set(asked) - existing))
    return attrs.evolve(call, ids=[record_id for record_id in asked if record_id in visible])


def _found(odoo: Connection, model: str, domain: list[Any]) -> set[int]:
    search = Call(
        model=model,
        method="search",
        internal=True,
        context={"active_test": False},
        arguments={"domain": domain},
    )
    return set(odoo.call(search))


def _files_of_fields(odoo: Connection, model: str, ids: list[int]) -> set[int]:
    """Return which files behind fields may be read: Odoo 14 does not find them, but reads
    them to those who guess their ids.

    Raises:
        AccessError: one is behind a closed field, or of a closed model.
    """
    fields = ["res_model", "res_field"]
    read = Call(model=model, method="read", ids=ids, arguments={"fields": fields}, internal=True)
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
    """Return how many records the policy keeps out of a search; one round trip at most.

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
    call = Call(model=model, method="search", arguments={"domain": hidden}, internal=True)
    if not domain and counted and owners.is_separable(model):
        found_by = {key: context[key] for key in _FOUND_BY if key in context}
        return int(odoo.call(attrs.evolve(call, method="search_count", context=found_by)))
    one = attrs.evolve(call, arguments={"domain": hidden, "limit": 1})
    return None if odoo.schema.remember(f"left out {model} {hidden}", lambda: odoo.call(one)) else 0
