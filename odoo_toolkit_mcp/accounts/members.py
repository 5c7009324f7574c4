"""The servers behind the sign-in: one for each instance and rule, made when first needed.

Nothing of one shows in another, because nothing is shared but the seal and the store: each has its
own connections, caches, list of tools and subscriptions.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Receive, Scope, Send

from odoo_toolkit.databases import Database
from odoo_toolkit.errors import OdooError, make_error
from odoo_toolkit_mcp.accounts.activity import Notes
from odoo_toolkit_mcp.accounts.beside import beside
from odoo_toolkit_mcp.accounts.provider import GrantedToken, Provider
from odoo_toolkit_mcp.accounts.stored_files import StoredFiles
from odoo_toolkit_mcp.accounts.stored_rates import StoredRates
from odoo_toolkit_mcp.accounts.team import Team
from odoo_toolkit_mcp.accounts.team_metrics import TeamMetrics
from odoo_toolkit_mcp.bridge import working_for
from odoo_toolkit_mcp.callers import Credentials
from odoo_toolkit_mcp.host import Serving
from odoo_toolkit_mcp.http.app import Endpoint
from odoo_toolkit_mcp.sealing import Sealing
from odoo_toolkit_mcp.server import OdooServer

if TYPE_CHECKING:
    from starlette.requests import Request

    from odoo_toolkit_mcp.accounts.grants import Account, Grant

logger = logging.getLogger(__name__)


class Members:
    """The endpoint: each request goes to the server of its instance and rule.

    Args:
        team: what the server is told.
        store: where calls are counted.
        provider: knows whose keys are of use, and notes what is done.
        sealing: seals what clients bring back to any process.
    """

    def __init__(self, team: Team, store: Database, provider: Provider, sealing: Sealing) -> None:
        self._team = team
        self._store = store
        self._provider = provider
        self._sealing = sealing
        self.metrics = TeamMetrics()
        self._tasks: TaskGroup | None = None
        self._making = anyio.Lock()
        self._endpoints: dict[tuple[str, int], Endpoint] = {}
        self.servers: dict[tuple[str, int], OdooServer] = {}

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Let the servers run, until this is cancelled."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            task_status.started()
            await anyio.sleep_forever()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whose token has been verified."""
        token = _token(scope)
        working_for.set(self._team.instances[token.grant.account.instance].odoo)
        endpoint = await self._endpoint(token)
        await endpoint(scope, receive, send)

    def end_streams(self) -> None:
        """End all streams, which clients would keep open."""
        for key, server in self.servers.items():
            server.end_streams()
            self._endpoints[key].end_streams()

    def close_histories(self) -> None:
        """Close the change histories of all servers; whoever still uses one opens it again."""
        for server in self.servers.values():
            server.requests.close_history()

    def _denied(self, request: Request | None) -> None:
        """Look whether the key of a request still holds, as Odoo has denied something."""
        account, rechecks = _grant(request).account, self._provider.rechecks
        if self._tasks and rechecks.is_due(account, denied=True):
            self._tasks.start_soon(self._recheck, account)

    async def _recheck(self, account: Account) -> None:
        odoo = self._team.instances[account.instance].odoo
        try:
            await beside("look", odoo, self._provider.rechecks, account)
        except OdooError as error:
            # The next request looks again; this task must not end all servers.
            logger.error("%s %s", error.message, error.suggestion or "")

    async def _endpoint(self, token: GrantedToken) -> Endpoint:
        key = (token.grant.account.instance, token.rule)
        async with self._making:
            if key not in self._endpoints:
                if self._tasks is None:
                    raise RuntimeError("The server accepts requests only while run() runs.")
                await self._tasks.start(self._serve, *key)
        return self._endpoints[key]

    async def _serve(
        self, name: str, rule: int, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        instance = self._team.instances[name]
        working_for.set(instance.odoo)
        server = OdooServer(
            instance.connection,
            instance.rules[rule].settings,
            serving=Serving(
                credentials=_credentials,
                about=_about,
                denied=self._denied,
                holds=_holds,
                note=Notes(self._provider.activity, name),
                rates=StoredRates(self._store, name),
                sealing=self._sealing,
                files=StoredFiles(self._store, self._provider.vault, f"{name} {rule}"),
                page=self._team.approvals_page,
            ),
        )
        self.metrics.watch((name, rule), server)
        await server.prepare(patience=0)
        endpoint = Endpoint(server)
        async with endpoint.manager.run():
            self.servers[name, rule], self._endpoints[name, rule] = server, endpoint
            task_status.started()
            await anyio.sleep_forever()


def _token(scope: Scope) -> GrantedToken:
    token = scope["user"].access_token
    if not isinstance(token, GrantedToken):
        raise make_error("ACCESS_DENIED", "The request does not contain a token of this server.")
    return token


def _grant(request: Request | None) -> Grant:
    if request is None:
        raise make_error("ACCESS_DENIED", "This call did not come with an HTTP request.")
    grant: Grant = _token(request.scope).grant
    return grant


async def _holds(request: Request | None) -> bool:
    """Whether the token of a request still grants what it did when that came."""
    if request is None:
        return False
    token = _token(request.scope)
    again = await token.verifier.verify_token(token.token)
    return isinstance(again, GrantedToken) and again.rule == token.rule


def _credentials(request: Request | None) -> Credentials:
    """Return the Odoo user of the grant: nothing that a client sends names one."""
    account = _grant(request).account
    if account.key is None:
        raise make_error("ACCESS_DENIED", "This user's key is no longer valid.")
    return Credentials(account.login, account.key)


def _about(request: Request | None) -> dict[str, Any]:
    grant = _grant(request)
    return {
        "login": grant.account.login,
        "account": grant.account.id,
        "connection": grant.id,
        "program": grant.client_name,
    }
