"""An Odoo whose records are in memory: enough of searching to show what a search finds.

Fields are those recorded from Odoo 14 to 19; domains are evaluated as Odoo's documentation says.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from odoo_toolkit.call import Call
from odoo_toolkit.client import CallEvent, Odoo
from odoo_toolkit.connection.settings import ConnectionSettings
from odoo_toolkit.connection.version import ServerVersion
from odoo_toolkit.errors import make_error
from odoo_toolkit.policy import Policy
from odoo_toolkit.values import ReadOptions

Row = dict[str, Any]

FIELDS: dict[str, dict[str, dict[str, Row]]] = json.loads(
    (Path(__file__).parent.parent / "recorded/deep_search_fields.json").read_text("utf-8")
)


class MemoryOdoo(Odoo):
    """A connection to records in memory.

    Attributes:
        tables: records by model, in Odoo's order.
        calls: what was sent, without the descriptions of fields.
        refuse: by model, the code of the error that its searches end in.
        secret: fields that the user may not read, although they are described.
        unaccent: whether accents do not matter.
    """

    def __init__(
        self,
        tables: dict[str, list[Row]],
        *,
        version: int = 19,
        policy: Policy | None = None,
        options: ReadOptions | None = None,
        on_call: Callable[[CallEvent], None] | None = None,
    ) -> None:
        super().__init__(
            ConnectionSettings(url="http://127.0.0.1", username="ann", password="x"),
            policy=policy,
            options=options,
            on_call=on_call,
        )
        self._version = ServerVersion(major=version, full=f"{version}.0")
        self.described = {model: dict(f) for model, f in FIELDS[str(version)].items()}
        self.tables = tables
        self.calls: list[Call] = []
        self.refuse: dict[str, str] = {}
        self.secret: set[str] = set()
        self.unaccent = True

    @property
    def version(self) -> ServerVersion:
        return self._version

    def asked(self, model: str) -> list[Call]:
        """Return the calls of one model."""
        return [call for call in self.calls if call.model == model]

    def _send(self, call: Call) -> Any:
        if call.model not in self.described:
            raise make_error("UNKNOWN_MODEL", f"There is no model {call.model}.")
        if call.method == "fields_get":
            if self.refuse.get(call.model) == "ACCESS_DENIED":
                raise make_error("ACCESS_DENIED", f"You may not read {call.model}.")
            return self.described[call.model]
        self.calls.append(call)
        if call.model in self.refuse:
            raise make_error(self.refuse[call.model], f"{call.model} failed.")
        return getattr(self, f"_{call.method}")(call.model, call.arguments)

    def _search_read(self, model: str, arguments: Any) -> list[Row]:
        if secret := self.secret & set(arguments["fields"]):
            raise make_error("ACCESS_DENIED", "No.", details={"fields": sorted(secret)})
        rows = self._matching(model, arguments["domain"])[: arguments["limit"]]
        return [{n: self._value(model, row, n) for n in arguments["fields"]} for row in rows]

    def _search_count(self, model: str, arguments: Any) -> int:
        return len(self._matching(model, arguments["domain"]))

    def _name_search(self, model: str, arguments: Any) -> list[list[Any]]:
        name = [["name", arguments["operator"], arguments["name"]]]
        rows = self._matching(model, name) if "name" in self.described[model] else []
        return [[row["id"], row["name"]] for row in rows[: arguments["limit"]]]

    def _value(self, model: str, row: Row, name: str) -> Any:
        value = row.get(name, False)
        relation = self.described[model][name].get("relation")
        if value and relation and isinstance(value, int):
            names = [r["name"] for r in self.tables.get(relation, ()) if r["id"] == value]
            return [value, *(names or ["?"])]
        return value

    def _matching(self, model: str, domain: list[Any]) -> list[Row]:
        return [row for row in self.tables.get(model, ()) if self._holds(domain, row)]

    def _holds(self, domain: list[Any], row: Row) -> bool:
        stack: list[bool] = []
        for item in reversed(domain):
            if item == "!":
                stack.append(not stack.pop())
            elif item in ("&", "|"):
                one, other = stack.pop(), stack.pop()
                stack.append((one and other) if item == "&" else (one or other))
            else:
                stack.append(self._compare(row, *item))
        return all(stack)

    def _compare(self, row: Row, field: Any, operator: str, value: Any) -> bool:
        if not isinstance(field, str):
            return bool(field == value)
        own = row.get(field, False)
        match operator:
            case "=":
                return bool(own == value)
            case "in":
                return own in value
            case "not in":
                return own not in value
            case "child_of":
                return bool(own and set(value) & set(self._parents(own)))
            case "ilike":
                return self._like(own, f"%{value}%")
            case "=ilike":
                return self._like(own, value)
        raise AssertionError(f"the operator {operator} is not known here")

    def _parents(self, partner: int) -> list[int]:
        row = next(row for row in self.tables["res.partner"] if row["id"] == partner)
        return [partner, *(self._parents(row["parent_id"]) if row.get("parent_id") else [])]

    def _like(self, text: Any, pattern: str) -> bool:
        tokens = re.findall(r"\\.|.", pattern, re.DOTALL)
        wild = {"%": ".*", "_": "."}
        regex = "".join(wild.get(t, re.escape(self._fold(t[-1]))) for t in tokens)
        return bool(text) and re.fullmatch(regex, self._fold(text), re.DOTALL) is not None

    def _fold(self, text: str) -> str:
        if self.unaccent:
            plain = unicodedata.normalize("NFKD", text)
            text = "".join(c for c in plain if not unicodedata.combining(c))
        return text.lower()
