"""The page of each person: what is connected in my name, what was done, and how to end it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from odoo_toolkit.change_history import HistoryEntry
from odoo_toolkit.client import Odoo
from odoo_toolkit.errors import AccessError, OdooError
from odoo_toolkit.plans import Plan
from odoo_toolkit.undoing.functions import history
from odoo_toolkit.undoing.overview import undo_of
from odoo_toolkit.users.user_keys import remove_key
from odoo_toolkit_mcp import audit
from odoo_toolkit_mcp.accounts.activity import Notes
from odoo_toolkit_mcp.accounts.attempts import FORMS, Attempts
from odoo_toolkit_mcp.accounts.beside import beside
from odoo_toolkit_mcp.accounts.grants import Account
from odoo_toolkit_mcp.accounts.odoo_users import UNUSED, SignedIn, forget
from odoo_toolkit_mcp.accounts.provider import Provider
from odoo_toolkit_mcp.accounts.sign_in import SignIn
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import APPROVALS, Instance
from odoo_toolkit_mcp.accounts.waiting_plans import approves, waiting
from odoo_toolkit_mcp.accounts.web import PageError, Pages, count_try, number_of, text_of, to
from odoo_toolkit_mcp.accounts.web_sessions import WebSessions
from odoo_toolkit_mcp.accounts.wording import for_people, policy_in_words, without_code
from odoo_toolkit_mcp.affected import Asking, as_call, run
from odoo_toolkit_mcp.approval_rules import Rules, rules_of
from odoo_toolkit_mcp.question import Question
from odoo_toolkit_mcp.requests import history_for
from odoo_toolkit_mcp.settings import policy_of
from odoo_toolkit_mcp.toolsets.history import UNDO

#: Events and changes on one page.
_SHOWN = 30

#: What the page is called where it is noted which program does something.
_PROGRAM = "/me"


class MyPages:
    """The pages below ``/me``.

    Args:
        provider: keeps what was granted.
        pages: makes the pages.
        sign_in: finds out who somebody is.
        attempts: bounds how often somebody sends forms.
        sessions: of people who are signed in here.
    """

    def __init__(
        self,
        provider: Provider,
        pages: Pages,
        sign_in: SignIn,
        attempts: Attempts,
        sessions: WebSessions,
    ) -> None:
        self._provider = provider
        self._team = provider.team
        self._pages = pages
        self._sign_in = sign_in
        self._attempts = attempts
        self._sessions = sessions

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        guarded = self._pages.guarded
        posts = {
            "/me/sign-in": self.sign_in,
            "/me/sign-out": self.sign_out,
            "/me/disconnect": self.disconnect,
            "/me/remove-key": self.remove_key,
            "/me/undo": self.undo,
        }
        if self._team.issuer:
            posts["/me/allow-again"] = self.allow_again
        return [
            Route("/me", guarded(self.show), methods=["GET"]),
            *(Route(path, guarded(do), methods=["POST"]) for path, do in posts.items()),
        ]

    async def show(self, request: Request, problem: str | None = None) -> Response:
        """Show what is connected, or the form to sign in."""
        account = await self.account(request)
        if account is None:
            return self.form(request)
        grants = await aside(self._provider.grants.grants, account.id)
        ended = await aside(self._provider.grants.ended, account.id) if self._team.issuer else []
        events = await aside(self._provider.activity.latest, account=account.id, limit=_SHOWN)
        instance = self._team.instances[account.instance]
        rule = instance.rule_for(account.login, account.groups)
        return self._pages.show(
            request,
            "me.html",
            account=account,
            instance=instance,
            grants=grants,
            ended=ended,
            by_token=instance.by_token,
            issuer=self._team.issuer,
            left=await aside(self._provider.grants.left_keys, account.id),
            allows=policy_in_words(instance.rules[rule].settings) if rule is not None else None,
            events=events,
            changes=await self._changes(account) if rule is not None else [],
            waiting=await self._waiting(account),
            problem=problem,
        )

    def form(
        self, request: Request, problem: str | None = None, then: str = "/me", **given: str
    ) -> Response:
        """Show the form to sign in.

        Args:
            request: that is answered.
            problem: what was wrong.
            then: page of this server on which the person goes on.
            given: what was filled in before.
        """
        return self._pages.show(
            request,
            "me_sign_in.html",
            200 if problem is None else 400,
            team=self._team,
            instances=self._team.instances,
            problem=problem,
            then=then,
            given=given,
        )

    async def sign_in(self, request: Request) -> Response:
        """Sign in to this page; no client is connected by it.

        Nor is a key made, unless an issuer's tokens need one: then this is where it comes from. Or
        it is one who comes to approve, and is known by the key when deciding.
        """
        form = await self._pages.form(request)
        decides = text_of(form, "then") == APPROVALS
        then = APPROVALS if decides else "/me"
        instance = self._sign_in.instance(form, self._team.instances)
        try:
            user = await self._sign_in.signed_in(request, instance, form)
        except OdooError as error:
            problem = for_people(error)
            login = text_of(form, "login", 200)
            return self.form(request, problem, then, instance=instance.name, login=login)
        found: Account | None = await aside(
            self._provider.grants.account_of, instance.name, user.uid
        )
        if self._team.issuer:
            found = await self._kept(instance, user)
        elif decides and approves(instance, user.login) and not (found and found.key):
            found = await self._with_key(instance, user)
        else:
            found = await self._known(instance, user, found)
        if found is None or (decides and found.key is None):
            approver = f" To approve plans, open {APPROVALS}." * approves(instance, user.login)
            raise PageError(
                "You have no connections",
                f"Add {self._team.resource} to your assistant first.{approver}",
                404,
            )
        answer = to(then)
        self._pages.set_cookie(answer, "me", await aside(self._sessions.begin, found.id))
        return answer

    async def _known(
        self, instance: Instance, user: SignedIn, found: Account | None
    ) -> Account | None:
        """Return the account of who has signed in; keys that serve no more are removed."""
        grants = self._provider.grants
        left = await aside(grants.left_keys, found.id, for_seconds=UNUSED) if found else []
        keys = [one.key_id for one in left]
        removed = await beside("page", instance.odoo, forget, instance, user, keys)
        if found:
            await self._sign_in.note_removed(found, removed)
        return found

    async def _kept(self, instance: Instance, user: SignedIn) -> Account:
        """Keep a key of who has signed in, for the tokens of the issuer."""
        account = await self._with_key(instance, user)
        # What ended as the earlier key did, goes on with this one.
        await aside(self._provider.grants.resume, account.id)
        return account

    async def _with_key(self, instance: Instance, user: SignedIn) -> Account:
        """Keep a key of who has signed in.

        Raises:
            PageError: the user is not let in, or Odoo has not made a key.
        """
        if not instance.may_admit(user.login, user.groups):
            await beside("page", instance.odoo, forget, instance, user)
            raise PageError("You are not allowed here", "Ask this server's administrator.", 403)
        account = await self._sign_in.account_for(instance, user)
        await self._provider.note("key kept", account)
        return account

    async def allow_again(self, request: Request) -> Response:
        """Let a client that was disconnected go on with the tokens of the issuer."""
        account, form = await self.posted(request)
        for grant in await aside(self._provider.grants.ended, account.id):
            if str(grant.id) == text_of(form, "connection", 20):
                await aside(self._provider.grants.resume, account.id, grant_id=grant.id)
                await self._provider.note(
                    "connected", account, client=grant.client_name, connection=grant.id
                )
        return to("/me")

    async def sign_out(self, request: Request) -> Response:
        """Sign out of this page; clients stay connected."""
        await self._pages.form(request)
        await self.end_session(request)
        answer = to("/me")
        self._pages.remove_cookie(answer, "me")
        return answer

    async def end_session(self, request: Request) -> None:
        """End the session of a browser."""
        await aside(self._sessions.end, self._pages.cookie(request, "me"))

    async def disconnect(self, request: Request) -> Response:
        """End what was granted to one client."""
        account, form = await self.posted(request)
        wanted = number_of(text_of(form, "connection", 20))
        grant = await aside(self._provider.grants.find_grant, wanted) if wanted else None
        if grant and grant.account.id == account.id:
            await self._provider.end(grant, "disconnected by the user")
        return to("/me")

    async def remove_key(self, request: Request) -> Response:
        """End everything, and remove the key in Odoo, for which Odoo wants the password.

        A key that serves no more is removed alone.
        """
        account, form = await self.posted(request)
        if (left := number_of(text_of(form, "left", 20))) is not None:
            return await self._remove_left(request, account, left, form)
        if account.key_id is not None:
            problem = await self._removed(request, account, account.key_id, form)
            if problem:
                return await self.show(request, problem)
        await aside(self._provider.grants.drop_key, account.id, "disconnected by the user")
        await self._provider.note("key removed", account)
        return to("/me")

    async def _remove_left(
        self, request: Request, account: Account, key_id: int, form: FormData
    ) -> Response:
        """Remove a key in Odoo that serves no more; nothing is disconnected by it."""
        left = await aside(self._provider.grants.left_keys, account.id)
        if key_id not in [one.key_id for one in left]:
            raise PageError("This key does not exist", "Choose a key on the page.", 404)
        if problem := await self._removed(request, account, key_id, form):
            return await self.show(request, problem)
        await self._sign_in.note_removed(account, [key_id])
        return to("/me")

    async def _removed(
        self, request: Request, account: Account, key_id: int, form: FormData
    ) -> str | None:
        """Remove a key in Odoo; return why that did not work, and None where it is gone."""
        instance = self._team.instances[account.instance]
        settings = instance.connection
        try:
            await self._sign_in.try_login(
                request,
                instance,
                account.login,
                remove_key,
                settings,
                settings.database,
                account.login,
                text_of(form, "password", 1000) or None,
                key_id,
                text_of(form, "code", 20) or None,
            )
        except OdooError as error:
            if error.code != "NOT_FOUND":
                return for_people(error)
        return None

    async def undo(self, request: Request) -> Response:
        """Show what taking a change back would do; with a second yes, do it."""
        account, form = await self.posted(request)
        entry, sure = number_of(text_of(form, "entry", 20)), text_of(form, "sure") == "yes"
        if entry is None:
            raise PageError("This change does not exist", "Choose a change on the page.", 404)
        try:
            done = await self._beside(
                account, lambda odoo, rules: _undo(odoo, rules, entry, dry_run=not sure)
            )
        except OdooError as error:
            raise PageError("This cannot be undone", for_people(error), 409) from error
        return self._pages.show(
            request, "undo.html", entry=entry, sure=sure, done=done, told=_told(done)
        )

    async def _waiting(self, account: Account) -> int:
        """Return how many plans wait for a person; 0 if the change history cannot say."""
        if account.key is None:
            return 0
        try:
            return (await aside(waiting, self._team.instances[account.instance], account)).count
        except OdooError:
            return 0

    async def _changes(self, account: Account) -> list[tuple[HistoryEntry, bool]]:
        """Return the latest changes, and of each whether some of it can be taken back.

        There are none where there is no change history.
        """
        if account.key is None:
            return []
        try:
            changes: list[tuple[HistoryEntry, bool]] = await self._beside(
                account, lambda odoo, _: _latest(odoo) if odoo.history else []
            )
            return changes
        except OdooError:
            return []

    async def _beside(self, account: Account, function: Callable[[Odoo, Rules], Any]) -> Any:
        odoo = self._team.instances[account.instance].odoo
        return await beside("page", odoo, self._with_odoo, account, function)

    def _with_odoo(self, account: Account, function: Callable[[Odoo, Rules], Any]) -> Any:
        """Run a function with the connection of an account, under its policy.

        Raises:
            OdooError: Odoo refuses something, or cannot be asked.
        """
        instance = self._team.instances[account.instance]
        rule = instance.rule_for(account.login, account.groups)
        if rule is None and instance.by_token:
            raise PageError(
                "Your permissions depend on a token",
                "You cannot do that on this page. Ask your assistant to undo the change.",
                403,
            )
        if rule is None or account.key is None:
            raise PageError("You are not allowed here", "Ask this server's administrator.", 403)
        server = instance.rules[rule].settings
        settings = attrs.evolve(
            instance.connection, username=account.login, api_key=account.key, password=None
        )
        policy, history = policy_of(server), history_for(settings, server)
        noted = audit.AuditLog(server, policy, Notes(self._provider.activity, instance.name))
        about = {"login": account.login, "account": account.id, "program": _PROGRAM}
        caller = audit.caller.set(audit.Caller(_PROGRAM, _PROGRAM, about=about))
        try:
            with Odoo(settings, policy=policy, history=history, on_call=noted.record) as odoo:
                return function(odoo, rules_of(server))
        finally:
            audit.caller.reset(caller)
            if history:
                history.store.close()

    async def account(self, request: Request) -> Account | None:
        """Return who is signed in in a browser, if anyone is."""
        session = self._pages.cookie(request, "me")
        return await self._provider.account_now(await aside(self._sessions.account, session))

    async def posted(self, request: Request) -> tuple[Account, FormData]:
        """Return whose form comes from a page, and the form.

        Raises:
            PageError: nobody is signed in, the form is not of a page of this browser, or there were
                too many.
        """
        form = await self._pages.form(request)
        account = await self.account(request)
        if account is None:
            raise PageError("You are no longer signed in", "Open /me and sign in again.", 403)
        await count_try(self._attempts, (f"forms {account.id}", FORMS))
        return account, form


def _undo(odoo: Odoo, rules: Rules, entry: int, *, dry_run: bool) -> Any:
    """Take an entry back, unless that needs the approval of another person.

    Raises:
        AccessError: it does; nothing was done.
    """
    given = {"entry": entry}
    done: Any = UNDO.plan_of(odoo, given)
    waits = bool(rules.found(odoo, map(as_call, done.calls)))
    if not dry_run and not waits:
        done = run(Asking(tool=UNDO, asks="never", given=given, rules=rules), odoo, **given)
    if waits or isinstance(done, Question):
        raise AccessError(
            "Another user must approve this undo, and this page cannot ask for approval. Nothing"
            " was changed.",
            suggestion="Ask your assistant to undo it.",
            outcome="not_sent",
        )
    return done


def _latest(odoo: Odoo) -> list[tuple[HistoryEntry, bool]]:
    found = []
    for entry in history(odoo, limit=_SHOWN):
        way_back = undo_of(odoo, entry)
        found.append((entry, way_back is not None and way_back.possible != "none"))
    return found


#: What an undo, or its plan, says in sentences -> what stands before these on the page.
_SENTENCES = {
    "needs": "Requirements",
    "left": "Not undone",
    "warnings": "Warnings",
    "not_undone": "What can't be undone",
}


def _told(done: Any) -> list[tuple[str, list[str]]]:
    """Return what there is to say of an undo beside its message, by title."""
    said = {name: getattr(done, name, None) or [] for name in _SENTENCES}
    if isinstance(done, Plan) and done.undo:
        said["not_undone"] = done.undo.not_undone
    return [
        (_SENTENCES[name], [*map(without_code, [found] if isinstance(found, str) else found)])
        for name, found in said.items()
        if found
    ]
