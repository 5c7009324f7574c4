"""What is wrong with the settings of a policy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from odoo_toolkit.policy.policy import Mode, names_of
from odoo_toolkit.policy.shape import IDENTIFIER, MODEL


def policy_problems(
    *,
    mode: str = "full",
    model_allowlist: Iterable[str] = (),
    model_blocklist: Iterable[str] = (),
    write_allowlist: Iterable[str] = (),
    field_blocklist: Iterable[str] = (),
    method_blocklist: Iterable[str] = (),
) -> list[str]:
    """Return everything that is wrong with the settings of a policy, in plain sentences.

    Args: as the attributes of :class:`Policy`.
    """
    problems = []
    if mode not in get_args(Mode):
        problems.append(f"Unknown mode {mode!r}: choose readonly, restricted or full.")
    allowed, blocked, written = map(names_of, (model_allowlist, model_blocklist, write_allowlist))
    if allowed and blocked:
        problems.append("Set the model allowlist or the model blocklist, not both.")
    if allowed and written - allowed:
        problems.append(
            "The write allowlist names models that the model allowlist lacks: "
            + ", ".join(sorted(written - allowed))
            + "."
        )
    for title, names in (
        ("model allowlist", allowed),
        ("model blocklist", blocked),
        ("write allowlist", written),
    ):
        problems += [
            f"{name!r} in the {title} is not the name of a model, such as 'res.partner'."
            for name in sorted(names)
            if not MODEL.fullmatch(name)
        ]
    for title, values in (("field", field_blocklist), ("method", method_blocklist)):
        problems += [
            f"{name!r} in the {title} blocklist is not the name of a {title}."
            for name in sorted(names_of(values))
            if not IDENTIFIER.fullmatch(name)
        ]
    return problems
