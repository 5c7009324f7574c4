"""The operator's pages: who is connected, what was done, and how to end it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

import anyio
import attrs
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from odoo_toolkit_mcp.accounts.activity import Event, Kind
from odoo_toolkit_mcp.accounts.attempts import NOTED, OPERATOR, OPERATOR_ADDRESS, Attempts
from odoo_toolkit_mcp.accounts.beside import beside
from odoo_toolkit_mcp.accounts.passwords import is_password
from odoo_toolkit_mcp.accounts.provider import Provider
from odoo_toolkit_mcp.accounts.service_accounts import Health, OwnUsers
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import Instance
from odoo_toolkit_mcp.accounts.web import (
    Handler,
    PageError,
    Pages,
    address_of,
    count_try,
    number_of,
    text_of,
    to,
)
from odoo_toolkit_mcp.accounts.web_sessions import OPERATOR as OPERATOR_ID
from odoo_toolkit_mcp.accounts.web_sessions import WebSessions
from odoo_toolkit_mcp.accounts.wording import policy_in_words

if TYPE_CHECKING:
    from odoo_toolkit_mcp.server import OdooServer

#: Events on one page, and in one export.
_SHOWN, _EXPORTED = 100, 50_000

Filters = dict[str, str]


class AdminPages:
    """The pages below ``/admin``.

    Args:
        provider: keeps what was granted.
        pages: makes the pages.
        attempts: counts wrong passwords.
        sessions: of the operator.
        servers: those that run, by instance and rule.
        own_users: know how the instances are.
    """

    def __init__(
        self,
        provider: Provider,
        pages: Pages,
        attempts: Attempts,
        sessions: WebSessions,
        servers: Mapping[tuple[str, int], OdooServer],
        own_users: OwnUsers,
    ) -> None:
        self._provider = provider
        self._team = provider.team
        self._pages = pages
        self._attempts = attempts
        self._sessions = sessions
        self._servers = servers
        self._own_users = own_users

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        shown: dict[str, Handler] = {
            "/admin": self.show,
            "/admin/activity": self.activity,
            "/admin/activity.jsonl": self.export,
        }
        posted: dict[str, Handler] = {
            "/admin/sign-in": self.sign_in,
            "/admin/sign-out": self.sign_out,
            "/admin/revoke": self.revoke,
        }
        guarded = self._pages.guarded
        return [
            *(Route(path, guarded(do), methods=["GET"]) for path, do in shown.items()),
            *(Route(path, guarded(do), methods=["POST"]) for path, do in posted.items()),
        ]

    async def sign_in(self, request: Request) -> Response:
        """Take the operator's password."""
        form = await self._pages.form(request)
        kept = self._team.operator_password
        if not kept:
            raise _no_page()
        address = f"operator {address_of(request, network=48)}"
        bounds = [(address, OPERATOR_ADDRESS)]
        if not self._pages.is_of_operator(request):  # whom strangers are not to keep out
            bounds.append(("operator", OPERATOR))
        try:
            await count_try(self._attempts, *bounds)
        except PageError:
            if not await aside(self._attempts.take, [(f"noted {address}", NOTED)]):
                body = {"address": address_of(request), "why": "too many attempts"}
                await aside(self._provider.activity.note, "operator refused", body=body)
            raise
        if not await beside("page", "", is_password, text_of(form, "password", 1000), kept):
            body = {"address": address_of(request)}
            await aside(self._provider.activity.note, "operator refused", body=body)
            return self._pages.show(
                request, "admin_sign_in.html", 400, problem="The password is wrong."
            )
        await aside(self._attempts.forget, address, last_of=["operator"])
        await aside(self._provider.activity.note, "operator signed in")
        answer = to("/admin")
        session = await aside(self._sessions.begin, OPERATOR_ID, kept)
        self._pages.set_cookie(answer, "admin", session)
        self._pages.remember_operator(answer)
        return answer

    async def sign_out(self, request: Request) -> Response:
        """End the operator's session."""
        await self._pages.form(request)
        kept = self._team.operator_password or ""
        await aside(self._sessions.end, self._pages.cookie(request, "admin"), kept)
        answer = to("/admin")
        self._pages.remove_cookie(answer, "admin")
        return answer

    async def show(self, request: Request) -> Response:
        """Show who is connected, and how the instances are."""
        if not await self._is_operator(request):
            if not self._team.operator_password:
                raise _no_page()
            return self._pages.show(request, "admin_sign_in.html", problem=None)
        grants = await aside(self._provider.grants.grants)
        accounts = await aside(self._provider.grants.accounts)
        policies = []
        for account in accounts:
            instance = self._team.instances.get(account.instance)
            rule = instance.rule_for(account.login, account.groups) if instance else None
            allowed = None
            if instance and rule is not None:
                allowed = policy_in_words(instance.rules[rule].settings, to_operator=True)
            policies.append((account, rule, allowed, instance and instance.by_token))
        health: dict[str, tuple[Instance, Health]] = {}

        async def look(one: Instance) -> None:
            health[one.name] = one, await beside("health", one.odoo, self._own_users.health, one)

        async with anyio.create_task_group() as looks:
            for one in self._team.instances.values():
                looks.start_soon(look, one)
        return self._pages.show(
            request,
            "admin.html",
            grants=grants,
            policies=policies,
            health=[health[name] for name in self._team.instances],
            running=sorted(self._servers),
            instances=self._team.instances,
        )

    async def activity(self, request: Request) -> Response:
        """Show what was done."""
        await self._check(request)
        filters = self._filters(request)
        events = await self._events(filters, _SHOWN)
        older = events[-1].id if len(events) == _SHOWN else None
        return self._pages.show(
            request,
            "admin_activity.html",
            events=events,
            filters=filters,
            kinds=get_args(Kind),
            older=older,
            instances=self._team.instances,
        )

    async def export(self, request: Request) -> Response:
        """Return what was done as a file, one JSON object a line."""
        await self._check(request)
        events = await self._events(self._filters(request), _EXPORTED)
        lines = [
            json.dumps({**attrs.asdict(event), "happened": _exact(event.happened)})
            for event in events
        ]
        return Response(
            "\n".join([*lines, ""]),
            media_type="application/jsonl",
            headers={
                "Content-Disposition": "attachment; filename=activity.jsonl",
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            },
        )

    async def revoke(self, request: Request) -> Response:
        """End one connection, or all of a person and the key with them."""
        form = await self._posted(request)
        connection = number_of(text_of(form, "connection", 20))
        account = number_of(text_of(form, "account", 20))
        grant = await aside(self._provider.grants.find_grant, connection) if connection else None
        if grant:
            await self._provider.end(grant, "revoked by the operator")
        # 0 is the operator, who has no account.
        found = await aside(self._provider.grants.account, account) if account else None
        if account:
            await aside(self._provider.grants.drop_key, account, "revoked by the operator")
            await aside(
                self._provider.activity.note,
                "disconnected",
                instance=found.instance if found else "",
                account=account,
                body={
                    **({"login": found.login} if found else {}),
                    "why": "revoked by the operator",
                },
            )
        return to("/admin")

    def _filters(self, request: Request) -> Filters:
        names = ("instance", "kind", "account", "words", "before")
        given = {name: request.query_params.get(name, "").strip()[:200] for name in names}
        return {name: value for name, value in given.items() if value}

    async def _events(self, filters: Filters, limit: int) -> list[Event]:
        given = {name: filters[name] for name in ("account", "before") if name in filters}
        numbers = {name: number_of(value) for name, value in given.items()}
        if None in numbers.values():
            raise PageError("This is not a number", "Pass the number of an account.", 400)
        return await aside(
            self._provider.activity.latest,
            instance=filters.get("instance"),
            kind=filters.get("kind"),
            words=filters.get("words"),
            account=numbers.get("account"),
            before=numbers.get("before"),
            limit=limit,
        )

    async def _is_operator(self, request: Request) -> bool:
        kept = self._team.operator_password
        if not kept:
            return False
        session = self._pages.cookie(request, "admin")
        return await aside(self._sessions.account, session, kept) == OPERATOR_ID

    async def _check(self, request: Request) -> None:
        if not await self._is_operator(request):
            raise PageError("This page is for administrators", "Sign in at /admin.", 403)

    async def _posted(self, request: Request) -> FormData:
        form = await self._pages.form(request)
        await self._check(request)
        return form


def _exact(seconds: float) -> str:
    """Return a time as programs read it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _no_page() -> PageError:
    return PageError(
        "This server has no admin page",
        "Set operator_password in team.toml to the output of 'serve --hash-password'.",
        404,
    )
