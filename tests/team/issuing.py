"""People whom an issuer of somebody else's signs in, and what they do at a team's server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.mcp.issuer import Issuer
from tests.team.harness import Person, RunningTeam, call
from tests.team.people import password_of

#: What the tests ask for; the Odoo of most of them is made up, and does not answer it.
WHO = "odoo_core_get_user"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    """An authorization server."""
    issuer = Issuer()
    yield issuer
    issuer.stop()


def table(issuer: Issuer, **more: Any) -> dict[str, Any]:
    """Return what a team's file says of an issuer."""
    return {"url": issuer.url, "scopes": ["odoo"], **more}


def token_of(
    issuer: Issuer, team: RunningTeam, login: Any = "ann", path: str = "/mcp", **changed: Any
) -> str:
    """Return a token for an address of the endpoint, right but for what is changed."""
    right = {"email": login, "email_verified": True, "client_id": "Claude", "aud": team.url + path}
    return issuer.token(**{**right, **changed})


def asked(team: RunningTeam, token: str, path: str = "/mcp") -> requests.Response:
    """Call a tool with a token."""
    return call(team.url, token, WHO, path=path)


def key_given(team: RunningTeam, login: str = "ann", instance: str = "main", **form: str) -> Person:
    """Return somebody who has signed in to /me, where a key is kept."""
    person = Person(team.url)
    given = form or {"password": password_of(login)}
    answer = person.post(
        "/me/sign-in", person.get("/me"), **{"instance": instance, "login": login, **given}
    )
    assert answer.status_code == 303, answer.text
    return person


def why(answer: requests.Response) -> str:
    """Return why a token is of no use, as the client is told it."""
    assert answer.status_code == 403, answer.text
    told: str = answer.json()["error"]["message"]
    return told
