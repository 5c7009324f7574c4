"""The judge's own way to Odoo: XML-RPC as the administrator, apart from the toolkit it judges."""

from __future__ import annotations

import json
import xmlrpc.client
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Domain = Sequence[Any]


@dataclass(frozen=True)
class Address:
    """Where a database is, and an administrator's login."""

    url: str
    db: str
    login: str
    secret: str
    """The password, or an API key."""

    @classmethod
    def read(cls, file: Path) -> Address:
        """Return the address that a trial's folder keeps."""
        return cls(**json.loads(file.read_text(encoding="utf-8")))

    def save(self, file: Path) -> None:
        """Write the address where ``read`` finds it."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")


class Database:
    """Reads and prepares records.

    Args:
        address: Where, and as whom.

    Raises:
        PermissionError: Odoo refuses the login.
        OSError: Odoo does not answer.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        common = xmlrpc.client.ServerProxy(f"{address.url}/xmlrpc/2/common", allow_none=True)
        info: Any = common.version()
        self.version = int(info["server_version_info"][0])
        self.uid: Any = common.authenticate(address.db, address.login, address.secret, {})
        if not self.uid:
            raise PermissionError(f"{address.url} refuses the login {address.login}.")
        self._object = xmlrpc.client.ServerProxy(f"{address.url}/xmlrpc/2/object", allow_none=True)
        self._fields: dict[str, set[str]] = {}

    def call(self, model: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method; what returns nothing counts as done."""
        try:
            return self._object.execute_kw(
                self.address.db, self.uid, self.address.secret, model, method, args, kwargs
            )
        except xmlrpc.client.Fault as fault:
            # a method that returns None or records has done its work and cannot say so
            if "cannot marshal" in fault.faultString:
                return None
            raise

    def fields(self, model: str) -> set[str]:
        """Return the names of a model's fields on this version."""
        if model not in self._fields:
            self._fields[model] = set(self.call(model, "fields_get", [], ["type"]))
        return self._fields[model]

    def search(
        self, model: str, domain: Domain, fields: Sequence[str] = ("display_name",), **kwargs: Any
    ) -> list[Record]:
        """Return the records that match, archived ones too if the domain says so."""
        found: list[Record] = self.call(model, "search_read", list(domain), list(fields), **kwargs)
        return found

    def one(
        self, model: str, domain: Domain, fields: Sequence[str] = ("display_name",), **kwargs: Any
    ) -> Record | None:
        """Return the one record that matches; None if there is none, or more than one."""
        found = self.search(model, domain, fields, limit=2, **kwargs)
        return found[0] if len(found) == 1 else None

    def get(self, model: str, record: int, fields: Sequence[str]) -> Record:
        """Return a record that is known to be there."""
        rows: list[Record] = self.call(model, "read", [record], list(fields))
        return rows[0]

    def count(self, model: str, domain: Domain) -> int:
        """Return how many records match."""
        return int(self.call(model, "search_count", list(domain)))

    def create(self, model: str, values: Record, **kwargs: Any) -> int:
        """Create a record and return its id."""
        made = self.call(model, "create", [values], **kwargs)
        return int(made[0] if isinstance(made, list) else made)

    def write(self, model: str, record: int, values: Record) -> None:
        """Change a record."""
        self.call(model, "write", [record], values)

    def reference(self, xml_id: str) -> int:
        """Return the id of a record that a module brought, such as ``base.us``."""
        module, _, name = xml_id.partition(".")
        row = self.one("ir.model.data", [["module", "=", module], ["name", "=", name]], ["res_id"])
        if row is None:
            raise LookupError(f"This database has no record {xml_id}.")
        return int(row["res_id"])
