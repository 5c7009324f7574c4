"""The search of the documentation's site finds the page that a reader looks for.

The site is that of ``python -m docs.builder``; ``make docs`` builds it and runs this.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser

from docs.builder.keywords import KEYWORDS

pytestmark = [pytest.mark.browser, pytest.mark.anyio]

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"

#: What a reader types -> the page that must be among the first three results.
QUERIES = {
    "undo": "undo",
    "rollback": "undo",
    "revert a change": "undo",
    "undo invoice": "undo-operations",
    "change history": "undo",
    "permission": "permissions",
    "permissions": "permissions",
    "block a model": "permissions",
    "idempotency": "errors",
    "idempotency key": "errors",
    "retry": "errors",
    "lost response": "errors",
    "pagination": "library",
    "troubleshooting": "troubleshooting",
    "connection refused": "troubleshooting",
    "certificate": "troubleshooting",
    "quickstart": "start/script",
    "python quickstart": "start/script",
    "install": "install",
    "docker": "operating",
    "api key": "connecting",
    "claude": "start/chat",
    "jupyter": "start/notebook",
    "pandas": "start/notebook",
    "dataframe": "start/notebook",
    "excel": "export",
    "export csv": "export",
    "import csv": "recipes",
    "upsert": "import",
    "price list": "recipes",
    "domain": "domains",
    "filter": "domains",
    "group by": "aggregate",
    "sales by month": "aggregate",
    "data warehouse": "sync",
    "power bi": "bi",
    "metabase": "bi",
    "n8n": "automation",
    "zapier": "automation",
    "make.com": "automation",
    "incremental changes": "changes",
    "dry run": "dry-run",
    "errors": "errors",
    "audit log": "monitoring",
    "prompt injection": "permissions",
    "sso": "team-sign-in",
    "sign in": "team-sign-in",
    "high availability": "operating",
    "metrics": "monitoring",
    "nginx": "operating",
    "pdf": "reports",
    "payment reminder": "recipes",
    "restock": "recipes",
    "vendor bill": "recipes",
    "multi-company": "connecting",
    "attachment": "attachments",
    "translation": "values",
    "wizard": "wizards",
    "deep search": "domains",
    "send invoice": "reports",
    "helpdesk": "project",
    "calendar": "chatter",
    "merge contacts": "crm",
    "count stock": "inventory",
    "testing": "testing",
    "plugin": "plugins",
    "odoorpc": "compare",
    "faq": "troubleshooting",
    "exit status": "cli",
    "backup": "team-backup",
    "leaked key": "team-backup",
    "approval": "confirmation",
    "doctor": "troubleshooting",
    "bank reconciliation": "payments",
    "profile": "cli",
    "team": "team",
    "find by name": "domains",
}

_SEARCH = """query => {
    const [words, terms, excluded, shown, objects] = Search._parseQuery(query);
    const found = Search._performSearch(words, terms, excluded, shown, objects);
    const pages = found.reverse().map(each => each[0]);
    return [...new Set(pages)];
}"""


async def test_a_page_is_among_the_first_three_results(browser: Browser) -> None:
    assert (SITE / "searchindex.js").exists(), "Build the site first: python -m docs.builder"
    page = await browser.new_page()
    await page.goto((SITE / "search.html").as_uri())
    await page.wait_for_function("Search.hasIndex()")
    found = {query: await page.evaluate(_SEARCH, query) for query in QUERIES}
    await page.close()

    wrong = {
        query: f"{found[query].index(wanted) + 1 if wanted in found[query] else 'none'} of "
        f"{len(found[query])}, after {found[query][:3]}"
        for query, wanted in QUERIES.items()
        if wanted not in found[query][:3]
    }
    assert not wrong, "\n".join(f"{query}: {place}" for query, place in wrong.items())


def test_keywords_are_of_pages_that_exist() -> None:
    assert [page for page in KEYWORDS if not (ROOT / f"docs/{page}.md").is_file()] == []
