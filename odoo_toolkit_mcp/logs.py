"""The log on standard error, as text or as JSON, without the credentials."""

from __future__ import annotations

import datetime
import json
import logging
import sys
from collections.abc import Sequence
from typing import Any

from odoo_toolkit.configuration import Secret
from odoo_toolkit.display.visible_text import in_one_line
from odoo_toolkit.policy.contents import HIDDEN, text_in_brief
from odoo_toolkit_mcp import request_ids


class WithoutSecrets(logging.Formatter):
    """Formats log records, tracebacks included, with the credentials blotted out.

    Args:
        secrets: the credentials.
    """

    def __init__(self, secrets: Sequence[Secret | None]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s%(request)s: %(message)s")
        revealed = {secret.reveal() for secret in secrets if secret}
        # An audit line in the log is JSON, in which a quotation mark has a backslash before it.
        revealed |= {json.dumps(secret, ensure_ascii=False)[1:-1] for secret in revealed}
        self._secrets = sorted(revealed, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        ids = " ".join(str(value) for value in request_ids.current().values())
        record.request = f" [{ids}]" if ids else ""
        return self.masked(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of logging
        """Return the message of a record in one line: what Odoo says might look like another."""
        record.message = in_one_line(record.message)
        return super().formatMessage(record)

    def masked(self, text: str) -> str:
        """Return a text without the credentials, and without files and secrets of others."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text_in_brief(text)


class JsonLines(WithoutSecrets):
    """Formats each log record as one JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        when = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        entry: dict[str, Any] = {
            "time": when.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            # Masked before it becomes JSON, which a credential such as a comma would break.
            "message": self.masked(record.getMessage()),
            **request_ids.current(),
        }
        if record.exc_info:
            entry["exception"] = self.masked(self.formatException(record.exc_info))
        # In ASCII, as nobody knows which encoding standard error has.
        return json.dumps(entry)


def log_to_stderr(level: str, form: str, secrets: Sequence[Secret | None]) -> None:
    """Log to stderr: stdout belongs to the protocol.

    Args:
        level: debug, info, warning or error; of the toolkit's own packages, others only warn.
        form: text or json.
        secrets: credentials that must not appear.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(secrets) if form == "json" else WithoutSecrets(secrets))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    # Python's own warnings would stand between the lines as text.
    logging.captureWarnings(form == "json")
    for package in ("odoo_toolkit", "odoo_toolkit_mcp"):
        logging.getLogger(package).setLevel(level.upper())
