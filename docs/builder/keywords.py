"""Words under which the site's search also finds a page, besides those in its text and titles."""

from __future__ import annotations

#: Page -> other words for its subject. A page has them once, in the place that readers look for.
KEYWORDS: dict[str, tuple[str, ...]] = {
    "start/script": ("quickstart", "getting started", "tutorial"),
    "start/chat": ("quickstart", "claude", "cursor", "vs code", "chatgpt", "mcp client"),
    "start/notebook": ("quickstart", "jupyter", "notebook", "dataframe", "pandas"),
    "start/odoo-for-python": ("glossary",),
    "undo": ("rollback", "revert", "revert a change", "undo", "history", "journal"),
    "permissions": ("permission", "permissions", "access rights", "readonly", "restricted"),
    "idempotency": ("idempotency", "idempotency key", "retry", "timeout", "lost response"),
    "reading": ("pagination", "paging", "limit", "offset"),
    "troubleshooting": (
        "error",
        "debug",
        "help",
        "ssl",
        "certificate",
        "connection refused",
        "doctor",
    ),
    "import": ("upsert", "csv", "bulk import"),
    "undo-operations": ("undo invoice", "undo order", "undo payment"),
    "recipes/import-customers": ("import csv", "import contacts"),
    "aggregate": ("group by", "sum", "read_group"),
    "sync": ("data warehouse", "etl", "duckdb", "bigquery", "postgres", "dlt"),
    "changes": ("incremental", "delta", "webhook", "cursor"),
    "confirmation": ("confirm", "elicitation", "approval", "four eyes", "second person"),
    "audit": ("audit log", "logging"),
    "prompt-injection": ("injection", "untrusted"),
    "team": ("team", "shared server", "multi-user"),
    "team-backup": ("backup", "restore", "key rotation", "leak", "leaked key"),
    "team-sign-in": ("sign in", "login page", "oauth"),
    "team-sso": ("single sign-on", "sso", "keycloak", "entra", "saml", "oidc"),
    "team-cluster": ("high availability", "load balancer", "multiple workers"),
    "monitoring": ("metrics", "prometheus", "grafana", "health check"),
    "operating": ("systemd", "nginx", "deploy", "deployment", "docker", "container"),
    "install": ("install", "pip", "extras"),
    "testing": ("mock", "fake server", "unit tests", "pytest"),
    "recipes/chase-invoices": ("payment reminder", "dunning"),
    "recipes/restock": ("reorder", "replenishment"),
    "recipes/several-companies": ("multi-company", "multicompany"),
    "domains": ("filter", "domain", "where", "find by name"),
    "stubs": ("autocomplete", "type hints", "mypy"),
    "cli": ("command line", "exit status", "exit code", "profile", "shell", "terminal", "bash"),
    "server": ("mcp server", "tool list", "areas"),
    "compare": (
        "alternatives",
        "odoorpc vs",
        "benchmark",
        "odoorpc",
        "odooly",
        "erppeek",
        "migrate",
    ),
    "connecting": ("api key", "authentication", "password", "proxy", "rate limit"),
    "errors": ("errors", "exceptions", "error handling"),
    "batch": ("transaction", "all or nothing"),
    "dry-run": ("preview", "dry run"),
    "versions": ("odoo version", "upgrade"),
    "things-to-ask": ("example prompts", "questions"),
    "export": ("export csv", "excel", "xlsx", "spreadsheet"),
    "reports": ("pdf", "print"),
    "attachments": ("upload", "attachment"),
    "payments": ("bank reconciliation"),
    "mail": ("e-mail", "send invoice"),
    "inventory": ("stock", "count stock"),
}


def entries(page: str) -> str:
    """Return the directive that enters a page's words into the site's index."""
    words = KEYWORDS.get(page, ())
    listed = ", ".join(f"! {word}" for word in words)
    return f"\n```{{index}} {listed}\n```\n" if words else ""
