"""The pages on which a person signs in with Odoo, and allows what a client asks for, or not.

First page: which database, and login with password or key. Odoo is asked. Second page: as whom,
which client, what it may do by the rules. Only a yes there makes a key and gives the client its
code.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

import anyio
import attrs
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from odoo_toolkit.errors import OdooError, RateLimitError, is_refusal
from odoo_toolkit_mcp.accounts.attempts import ADDRESS, LOGIN, NOTED, ODOO, UNDER_WAY, Attempts
from odoo_toolkit_mcp.accounts.beside import beside
from odoo_toolkit_mcp.accounts.clients import is_loopback_address
from odoo_toolkit_mcp.accounts.grants import Account
from odoo_toolkit_mcp.accounts.odoo_users import (
    UNUSED,
    SignedIn,
    forget,
    key_for,
    key_name,
    shares_login,
    with_key,
    with_password,
)
from odoo_toolkit_mcp.accounts.provider import Provider
from odoo_toolkit_mcp.accounts.requests import AuthorizationRequest
from odoo_toolkit_mcp.accounts.service_accounts import goes_on_counting
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import Instance
from odoo_toolkit_mcp.accounts.vault import hashed
from odoo_toolkit_mcp.accounts.web import (
    PageError,
    Pages,
    address_of,
    count_try,
    text_of,
    to,
    too_many,
)
from odoo_toolkit_mcp.accounts.web_sessions import WebSessions
from odoo_toolkit_mcp.accounts.wording import for_people, policy_in_words

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds that a refusal takes, or a multiple: Odoo takes longer for a login that there is, which
#: would tell who has one. Where Odoo is slow they are twice as many as it has taken of late.
REFUSAL = 3.0

#: Seconds for which that counts, and the most that count: Odoo may just have been started.
_LATE, _SLOWEST = 3600.0, 10.0

#: How often, and after how many seconds each, it is looked whether it is one's turn.
_TURNS, _TURN = 150, 0.2

#: As the tests replace it.
pause = anyio.sleep

#: What becomes of a key that another one has replaced, as the activity tells it.
OUT_OF_USE = (
    "The key is still in Odoo. Remove it at /me, or sign in with your password in an hour or later."
)


class SignIn:
    """The pages of signing in.

    Args:
        provider: knows the requests and keeps what is granted.
        pages: makes the pages.
        attempts: counts what was wrong.
        sessions: of people who are signed in to the pages of this server.
    """

    def __init__(
        self, provider: Provider, pages: Pages, attempts: Attempts, sessions: WebSessions
    ) -> None:
        self._provider = provider
        self._team = provider.team
        self._pages = pages
        self._attempts = attempts
        self._sessions = sessions
        #: Odoo -> when, and how many seconds the slowest login of late has taken.
        self._slowest: dict[str, tuple[float, float]] = {}

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        guarded = self._pages.guarded
        return [
            Route("/sign-in", guarded(self.show), methods=["GET"]),
            Route("/sign-in", guarded(self.sign_in), methods=["POST"]),
            Route("/consent", guarded(self.ask), methods=["GET"]),
            Route("/consent", guarded(self.answer), methods=["POST"]),
        ]

    # The first page.

    async def show(self, request: Request) -> Response:
        """Show the form."""
        token = request.query_params.get("request", "")
        asked = await self._asked(token)
        return await self._form(request, token, asked)

    async def _form(
        self,
        request: Request,
        token: str,
        asked: AuthorizationRequest,
        problem: str | None = None,
        **given: str,
    ) -> Response:
        account = await self._known_account(request)
        offered = self._team.instances_at(asked.resource)
        if account and account.instance not in offered:
            account = None
        return self._pages.show(
            request,
            "sign_in.html",
            200 if problem is None else 400,
            request_token=token,
            asked=asked,
            goes_to=where(asked.redirect_uri),
            team=self._team,
            instances=offered,
            known=account,
            known_title=self._team.instances[account.instance].title if account else "",
            problem=problem,
            given=given,
        )

    async def sign_in(self, request: Request) -> Response:
        """Take login and password, or key; nothing is granted by this."""
        form = await self._pages.form(request)
        token = text_of(form, "request", 200)
        asked = await self._asked(token)
        offered = self._team.instances_at(asked.resource)
        if text_of(form, "known"):
            account = await self._known_account(request)
            if account is None or account.instance not in offered:
                raise PageError("You are no longer signed in here", "Sign in with Odoo.", 403)
            user = SignedIn(
                instance=account.instance,
                uid=account.uid,
                login=account.login,
                name=account.name,
                groups=account.groups,
                asked=account.checked,
                account=account.id,
            )
        else:
            instance = self.instance(form, offered)
            try:
                user = await self.signed_in(request, instance, form)
            except OdooError as error:
                problem = for_people(error)
                login = text_of(form, "login", 200)
                return await self._form(
                    request, token, asked, problem, instance=instance.name, login=login
                )
        if self._team.instances[user.instance].rule_for(user.login, user.groups) is None:
            await self._forget(user)
            await self._provider.note("not admitted", instance=user.instance, login=user.login)
            raise PageError(
                "You are not allowed here",
                "Odoo accepts your login, but no rule of this server allows your user. Ask its"
                " administrator.",
                403,
            )
        before = asked.user
        asked.user, asked.browser = attrs.asdict(user), hashed(self._pages.browser(request) or "")
        if not await aside(self._provider.requests.update, token, asked):
            await self._forget(user)
            raise _gone()
        if before:  # somebody has gone back, and signed in once more
            await self._forget(_signed_in(before))
        return to(f"/consent?{urlencode({'request': token})}")

    def instance(self, form: FormData, offered: Mapping[str, Instance]) -> Instance:
        """Return the instance that a form names.

        Args:
            form: that a browser has sent.
            offered: the instances of which the page lets people choose.

        Raises:
            PageError: there is none of that name.
        """
        found = offered.get(text_of(form, "instance"))
        if found is None:
            raise PageError("This database does not exist", "Choose a database in the list.")
        return found

    async def signed_in(self, request: Request, instance: Instance, form: FormData) -> SignedIn:
        """Return who has filled in a form.

        Raises:
            OdooError: Odoo does not accept it, or cannot be asked.
            PageError: something is missing, or there were too many tries.
        """
        login = text_of(form, "login", 200).strip()
        password, key = text_of(form, "password", 1000), text_of(form, "key", 200).strip()
        with_a_key = bool(key) and self._team.with_key
        if not login or not (with_a_key or (password and self._team.with_password)):
            raise PageError("Something is missing", "Enter your login and a password or key.")
        if with_a_key:
            return await self.try_login(request, instance, login, with_key, instance, login, key)
        code = text_of(form, "code", 20).replace(" ", "")
        return await self.try_login(
            request, instance, login, with_password, instance, login, password, code
        )

    async def try_login(
        self,
        request: Request,
        instance: Instance,
        login: str,
        function: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a function that tries somebody's password or key, unless there were too many tries.

        Args:
            request: of the browser that tries.
            instance, login: whose password or key.
            function: with its arguments.

        Raises:
            OdooError: Odoo does not accept it, or cannot be asked.
            PageError: there were too many tries.
        """
        who, address = f"login {instance.odoo} {login.lower()}", f"address {address_of(request)}"
        try:
            await count_try(self._attempts, (who, LOGIN), (address, ADDRESS))
        except PageError:
            await self._note_too_many(instance, login, address_of(request))
            raise
        begun = monotonic()
        try:
            answer = await beside(
                "sign in", instance.odoo, self._try, instance, partial(function, *args, **kwargs)
            )
        except OdooError as error:
            if _is_wrong(error):
                await self._note_refusal(instance, login, address_of(request))
            else:  # it was not the person who was wrong
                await aside(self._attempts.forget, last_of=[who, address])
            _, slowest = self._slowest.get(instance.odoo, (0.0, 0.0))
            held = max(REFUSAL, 2 * slowest)
            await pause(held - (monotonic() - begun) % held)
            if isinstance(error, RateLimitError):
                await self._note_too_many(instance, login, address_of(request))
                raise too_many(float(error.details.get("retry_after") or ODOO.seconds)) from None
            raise
        await aside(self._attempts.forget, who, last_of=[address])
        return answer

    def _try(self, instance: Instance, function: Callable[[], T]) -> T:
        """Run a function that logs in to an Odoo, which counts failures of all people together.

        Raises:
            RateLimitError: one more, and Odoo would take no login of this machine for a while.
        """
        odoo = f"odoo {instance.odoo}"
        with self._turn(odoo):
            if wait := self._attempts.wait((odoo, ODOO)):
                raise RateLimitError("Too many logins have failed.", details={"retry_after": wait})
            begun = monotonic()
            try:
                answer = function()
            except OdooError as error:
                if _is_wrong(error):
                    self._note_time(instance, begun)
                    if goes_on_counting(instance):
                        self._attempts.note(odoo)
                raise
            self._note_time(instance, begun)
            self._attempts.forget(odoo)
            return answer

    def _note_time(self, instance: Instance, begun: float) -> None:
        """Note how long Odoo has taken for a login, unless another was slower of late."""
        moment = monotonic()
        then, slowest = self._slowest.get(instance.odoo, (0.0, 0.0))
        took = min(moment - begun, _SLOWEST)
        if took >= slowest or moment - then > _LATE:
            self._slowest[instance.odoo] = moment, took

    @contextmanager
    def _turn(self, odoo: str) -> Iterator[None]:
        """Wait until few others log in to an Odoo; they may be at other processes.

        Raises:
            RateLimitError: they take too long.
        """
        under_way = f"{odoo} now"
        for _ in range(_TURNS):
            if not self._attempts.take([(under_way, UNDER_WAY)]):
                break
            sleep(_TURN)
        else:
            raise RateLimitError(
                "Too many users are signing in now. Try again in a minute.",
                details={"retry_after": 60.0},
            )
        try:
            yield
        finally:
            self._attempts.forget(last_of=[under_way])

    async def _note_refusal(self, instance: Instance, login: str, address: str) -> None:
        """Note who was refused: in its own log, Odoo has the address of this server only."""
        logger.warning("Odoo rejected the sign-in of %r from %s.", login, address)
        await self._provider.note(
            "sign-in refused", instance=instance.name, login=login, address=address
        )

    async def _note_too_many(self, instance: Instance, login: str, address: str) -> None:
        """Note a sign-in beyond the limits, once a minute for each address."""
        if await aside(self._attempts.take, [(f"noted {address}", NOTED)]):
            return
        logger.warning("Too many sign-ins: the server has not tried %r from %s.", login, address)
        await self._provider.note(
            "sign-in refused",
            instance=instance.name,
            login=login,
            address=address,
            why="too many attempts",
        )

    async def forget_unanswered(self) -> None:
        """End the sessions in Odoo of sign-ins that nobody has answered in time."""
        for asked in await aside(self._provider.requests.take_ended):
            if asked.user:
                await self._forget(_signed_in(asked.user))

    async def _forget(self, user: SignedIn) -> None:
        """End what was begun in Odoo for somebody who is granted nothing."""
        instance = self._team.instances.get(user.instance)
        if instance is None:
            return
        try:
            await beside("page", instance.odoo, forget, instance, user)
        except OdooError as error:
            # Odoo forgets it by itself, later.
            logger.info("The server could not end a session of %s: %s", user.login, error.message)

    async def _known_account(self, request: Request) -> Account | None:
        """Return the account that this browser is signed in to, if its key can be used."""
        session = self._pages.cookie(request, "me")
        account = await self._provider.account_now(await aside(self._sessions.account, session))
        return account if account and account.key else None

    # The second page.

    async def ask(self, request: Request) -> Response:
        """Show what a yes would allow."""
        token = request.query_params.get("request", "")
        asked, user, instance = await self._answered(request, token)
        rule = instance.rule_for(user.login, user.groups)
        if rule is None:
            raise PageError("You are not allowed here", "Ask this server's administrator.", 403)
        return self._pages.show(
            request,
            "consent.html",
            request_token=token,
            asked=asked,
            goes_to=where(asked.redirect_uri),
            user=user,
            instance=instance,
            allows=policy_in_words(instance.rules[rule].settings),
            makes_key=user.session is not None,
            is_local=is_loopback_address(asked.redirect_uri),
            days=f"{self._team.refresh_days:g}",
            is_portal=user.session is not None and "base.group_portal" in user.groups,
        )

    async def answer(self, request: Request) -> Response:
        """Take the yes or no, and send the browser back to the client."""
        form = await self._pages.form(request)
        token = text_of(form, "request", 200)
        _, user, instance = await self._answered(request, token)
        asked = await aside(self._provider.requests.take, token)
        if asked is None:
            raise _gone()
        if text_of(form, "answer") != "allow":
            await self._forget(user)
            return self._back(
                asked, error="access_denied", error_description="The user denied access."
            )
        if instance.rule_for(user.login, user.groups) is None:
            await self._forget(user)
            return self._back(asked, error="access_denied", error_description="Not admitted.")
        account = await self.account_for(instance, user)
        if instance.rule_for(account.login, account.groups) is None:  # which may be later ones
            return self._back(asked, error="access_denied", error_description="Not admitted.")
        code = await aside(
            self._provider.grants.grant,
            account,
            client=asked.client,
            client_name=asked.client_name,
            scopes=asked.scopes,
            resource=asked.resource,
            code={
                "code_challenge": asked.code_challenge,
                "redirect_uri": asked.redirect_uri,
                "explicit": asked.explicit,
            },
        )
        await aside(self._provider.clients.note_use, asked.client)
        goes_to = where(asked.redirect_uri)
        await self._provider.note("connected", account, client=asked.client_name, goes_to=goes_to)
        return self._back(asked, code=code)

    async def account_for(self, instance: Instance, user: SignedIn) -> Account:
        """Return the account of who has signed in, with a key that can be used.

        Raises:
            PageError: Odoo has not made one, or it could not be kept.
        """
        if user.account is not None:
            known = await aside(self._provider.grants.account, user.account)
            if known is None or known.key is None:
                raise PageError("You are no longer connected", "Start again with your own login.")
            return known
        known = await aside(self._provider.grants.account_of, instance.name, user.uid)
        grants, odoo = self._provider.grants, instance.odoo
        left = await aside(grants.left_keys, known.id, for_seconds=UNUSED) if known else []
        try:
            keys = [one.key_id for one in left]
            made = await beside(
                "page", odoo, key_for, instance, user, self._team.public_url, known, keys
            )
            shared = False
            if self._team.issuer:  # whose token would not say which of two such users is meant
                shared = await beside("page", odoo, shares_login, instance, user.login, made.key)
        except OdooError as error:
            raise PageError(
                "Odoo has not created a key",
                f"{for_people(error)} The app has no access yet. Start again.",
                502,
            ) from error
        if shared:
            raise PageError(
                "The login of another Odoo user differs only in upper and lower case",
                f"Several users have the login {user.login}. Ask your Odoo administrator to change"
                " one of the logins. If Odoo has just created an API key for you, remove it under"
                " Account Security.",
                409,
            )
        if made.warning:
            await self._provider.note(
                "warning", instance=instance.name, login=user.login, told=made.warning
            )
        before = known.key_id if known else None
        try:
            account = await aside(
                grants.keep_account,
                instance=instance.name,
                uid=user.uid,
                login=user.login,
                name=user.name,
                key=made.key,
                key_id=made.key_id,
                key_ends=made.ends,
                groups=user.groups,
                checked=user.asked,
            )
        except OdooError as error:
            if made.key_id in (None, before):
                raise
            logger.error(
                "The server created the API key %s of %s, but cannot use it: %s",
                made.key_id,
                user.login,
                error.message,
            )
            raise PageError(
                "This server could not store your key",
                f"Odoo has created an API key named {key_name(self._team.public_url)} that does not"
                " work. In Odoo, under Account Security, remove the newest key of that name. The"
                " app has no access yet. Start again in a minute. If it fails again, ask this"
                " server's administrator to check its log.",
                503,
            ) from error
        await self.note_removed(account, made.removed)
        if before and before != made.key_id:
            await self._provider.note("key out of use", account, key_id=before, to_do=OUT_OF_USE)
        return account

    async def note_removed(self, account: Account, key_ids: Sequence[int]) -> None:
        """Note that keys which served no more are not in Odoo any more."""
        if not key_ids:
            return
        await aside(self._provider.grants.forget_left_keys, account.id, key_ids)
        for key_id in key_ids:
            await self._provider.note("key removed", account, key_id=key_id)

    def _back(self, asked: AuthorizationRequest, **values: str) -> Response:
        """Send the browser back to the client; the issuer tells it who answers (RFC 9207)."""
        values["iss"] = self._team.public_url
        if asked.state is not None:
            values["state"] = asked.state
        parts = urlsplit(asked.redirect_uri)
        query = "&".join(filter(None, [parts.query, urlencode(values)]))
        return RedirectResponse(
            urlunsplit(parts._replace(query=query)), 303, headers={"Cache-Control": "no-store"}
        )

    async def _asked(self, token: str) -> AuthorizationRequest:
        asked = await aside(self._provider.requests.find, token)
        if asked is None:
            raise _gone()
        return asked

    async def _answered(
        self, request: Request, token: str
    ) -> tuple[AuthorizationRequest, SignedIn, Instance]:
        """Return a request whose person has signed in, in this browser."""
        asked = await self._asked(token)
        if asked.user is None or asked.browser != hashed(self._pages.browser(request) or ""):
            raise PageError(
                "This sign-in belongs to another browser",
                f"Start again in {asked.client_name}.",
                403,
            )
        user = _signed_in(asked.user)
        instance = self._team.instances.get(user.instance)
        if instance is None:
            raise PageError("This database no longer exists", "Start again.", 400)
        return asked, user, instance


def _signed_in(kept: dict[str, Any]) -> SignedIn:
    """Return who has signed in, as a request has kept it."""
    return SignedIn(**{**kept, "groups": tuple(kept["groups"])})


def _is_wrong(error: OdooError) -> bool:
    """Whether a password, key or code was wrong: a code is asked for after a right password."""
    return is_refusal(error) and error.details.get("reason") != "second_factor"


def where(address: str) -> str:
    """Return what a person should know of where the browser goes: the host, or the app."""
    parts = urlsplit(address)
    if parts.scheme in ("http", "https"):
        return parts.netloc
    return f"the app on your computer that opens {parts.scheme}: links"


def _gone() -> PageError:
    return PageError(
        "This sign-in has expired",
        "You have already answered it, or it is older than 15 minutes. Start again in your app.",
        410,
    )
