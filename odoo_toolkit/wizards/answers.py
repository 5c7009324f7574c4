"""Whether what a caller answers a known wizard with is understood: then it is a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odoo_toolkit.arguments import read_commands
from odoo_toolkit.errors import ValidationError
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.calls import KNOWN_KEYS, check_showing
from odoo_toolkit.policy.names import holds_template
from odoo_toolkit.wizards.catalog import KnownWizard

_ACTIVE = frozenset({"active_model", "active_id", "active_ids"})


def as_step(
    policy: Policy,
    known: KnownWizard,
    values: Mapping[str, Any],
    source: tuple[str, Sequence[int]] | None,
    method: str,
    context: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Return the context with which a caller's answers to a wizard are sent as a step.

    While the mode or a list binds, only the catalogue's questions are answered, with plain values,
    on records of the wizard's own source; of the context only what it needs is kept.

    Args:
        policy: decides what binds.
        known: the wizard.
        values: the answers.
        source: model and ids of the records that it acts on.
        method: the button.
        context: of the call, ``active_*`` included.

    Returns:
        None where it is not understood: then it is a free call, and judged by itself.

    Raises:
        AccessError: a key of the context could show what is closed.
    """
    model = source[0] if source else context.get("active_model", known.source_model)
    if method not in known.buttons or model != known.source_model:
        return None
    if policy.renders(known.model) and holds_template([values, context]):
        return None
    if policy.mode == "full" and not policy.closes:
        check_showing(policy, context)
        return dict(context)
    asked = {name: value for name, value in values.items() if value is not None}
    if known.beyond or not source or not (asked.keys() <= known.fields.keys()):
        return None
    if not all(map(_is_plain, asked.values())):
        return None
    needed = {*known.context_keys, *(f"default_{name}" for name in known.fields)} - _ACTIVE
    kept = {key: value for key, value in context.items() if key in needed}
    if not all(map(_is_plain, kept.values())):
        # Without it, the wizard would do something else.
        return None
    kept |= {
        key: context[key]
        for key, (fits, _) in KNOWN_KEYS.items()
        if key in context and fits(context[key])
    }
    ids = list(source[1])
    return {**kept, "active_model": model, "active_id": ids[0], "active_ids": ids}


def _is_plain(value: Any) -> bool:
    """Whether a value is a scalar, or says which records are meant and no more."""
    if value is None or isinstance(value, (str, int, float)):
        return True
    try:
        commands = read_commands(value, "values")
    except ValidationError:
        return False
    return all(command.kind in ("link", "set") for command in commands)
