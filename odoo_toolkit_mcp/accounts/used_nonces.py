"""Remembers in the store what was used, and how often somebody called: for all processes."""

from __future__ import annotations

from odoo_toolkit.databases import Database


class SpentInStore:
    """Notes the numbers of used seals, so that no process takes one a second time.

    Args:
        store: where they are kept.
    """

    def __init__(self, store: Database) -> None:
        self._store = store

    def __call__(self, number: str, ends: float) -> bool:
        """Use a seal up; return whether it was not before."""
        with self._store.writing() as session:
            done = session.execute(
                "INSERT INTO spent (number, ends) VALUES (?, ?) ON CONFLICT (number) DO NOTHING",
                [number, ends],
            )
            return done.rowcount == 1
