"""Asks Odoo's database what has come of it all."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.cluster.work import Claim
from tests.provisioning import postgres


def wrong_records(database: str, prefix: str, claims: Sequence[Claim]) -> list[str]:
    """Return where the database is not as it was claimed.

    Args:
        database: of Odoo.
        prefix: of all marks.
        claims: what should be there.
    """
    found: dict[str, list[int]] = {}
    rows = postgres.execute(
        database,
        "SELECT coalesce(json_agg(json_build_array(name, create_uid)), '[]') FROM res_partner"
        f" WHERE name LIKE '{prefix}-%'",
    )
    for mark, uid in json.loads(rows):
        found.setdefault(mark, []).append(uid)
    wrong = []
    for claim in claims:
        makers = found.pop(claim.mark, [])
        fits = {
            "one": len(makers) == 1,
            "none": not makers,
            "at most one": len(makers) <= 1,
        }[claim.expected]
        if not fits:
            wrong.append(f"{claim.mark}: {len(makers)} for {claim.expected}: {claim.why}")
        if any(maker != claim.who for maker in makers):
            wrong.append(f"{claim.mark} was made by {makers}, and not by {claim.who}")
    wrong += [f"{mark}: nobody claims it" for mark in found]
    return wrong
