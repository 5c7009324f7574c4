"""The page of plans that wait for one's decision: one's own, and those of others for approvers.

A plan is shown as a question shows it. A decision names the plan that was shown, counts once, and
is good for exactly that plan: the caller's next call carries it out, at whichever process.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal

import attrs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from odoo_toolkit.errors import OdooError, is_refusal
from odoo_toolkit_mcp.accounts.activity import Activity
from odoo_toolkit_mcp.accounts.beside import beside
from odoo_toolkit_mcp.accounts.grants import Account
from odoo_toolkit_mcp.accounts.odoo_users import with_key
from odoo_toolkit_mcp.accounts.store import aside
from odoo_toolkit_mcp.accounts.team import APPROVALS, Instance
from odoo_toolkit_mcp.accounts.waiting_plans import Whose, approves, noting, opened, waiting
from odoo_toolkit_mcp.accounts.web import PageError, number_of, text_of
from odoo_toolkit_mcp.accounts.wording import for_people

if TYPE_CHECKING:
    from odoo_toolkit.change_history.approvals import Approval
    from odoo_toolkit_mcp.accounts.me import MyPages
    from odoo_toolkit_mcp.accounts.provider import Provider
    from odoo_toolkit_mcp.accounts.web import Pages

#: What each decision is called once it is made, by what a form says.
_DECISIONS: dict[str, Literal["approved", "refused"]] = {"yes": "approved", "no": "refused"}

_NEXT: dict[tuple[Whose, str], tuple[str, str]] = {
    ("own", "approved"): (
        "Confirmed",
        "Now tell your assistant to go on. It can carry out this plan once, within an hour.",
    ),
    ("own", "refused"): ("Refused", "The server does not carry out this plan."),
    ("others", "approved"): (
        "Approved",
        "{who} can now tell the assistant to go on. It can carry out this plan once.",
    ),
    ("others", "refused"): ("Refused", "The server does not carry out this plan of {who}."),
}


class ApprovalPages:
    """The pages below ``/me/approvals``.

    Args:
        provider: notes what is decided.
        pages: makes the pages.
        mine: knows who is signed in.
    """

    def __init__(self, provider: Provider, pages: Pages, mine: MyPages) -> None:
        self._provider = provider
        self._team = provider.team
        self._pages = pages
        self._mine = mine

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        guarded = self._pages.guarded
        return [
            Route(APPROVALS, guarded(self.show), methods=["GET"]),
            Route(f"{APPROVALS}/decide", guarded(self.decide), methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show the plans that wait, or the form to sign in."""
        account = await self._mine.account(request)
        if account is None or account.key is None:
            return self._mine.form(request, then=APPROVALS)
        instance = self._team.instances[account.instance]
        return self._pages.show(
            request,
            "approvals.html",
            account=account,
            instance=instance,
            waiting=await aside(waiting, instance, account),
            stamp=_stamp,
        )

    async def decide(self, request: Request) -> Response:
        """Take a decision on the plan that was shown."""
        account, form = await self._mine.posted(request)
        number, decision = (
            number_of(text_of(form, "plan", 20)),
            _DECISIONS.get(text_of(form, "decision")),
        )
        whose: Whose = "own" if text_of(form, "whose") == "own" else "others"
        if number is None or decision is None:
            raise PageError("This plan does not exist", "Choose a plan on the page.", 404)
        account = await self._now(request, account)
        instance = self._team.instances[account.instance]
        found = await aside(
            _decide,
            instance,
            account,
            self._provider.activity,
            whose=whose,
            number=number,
            stamp=text_of(form, "stamp"),
            decision=decision,
        )
        title, text = _NEXT[whose, decision]
        return self._pages.show(
            request,
            "message.html",
            title=title,
            text=text.format(who=found.who),
            link=APPROVALS,
        )

    async def _now(self, request: Request, account: Account) -> Account:
        """Return an account as Odoo knows its user now: a decision is final.

        Raises:
            PageError: Odoo does not take the user's key any more, or no rule admits the user.
        """
        instance = self._team.instances[account.instance]
        if account.key is None:
            raise PageError("You are no longer signed in", f"Open {APPROVALS} and sign in.", 403)
        try:
            # No limit of sign-ins counts it, as strangers reach those.
            key = account.key.reveal()
            user = await beside("look", instance.odoo, with_key, instance, account.login, key)
        except OdooError as error:
            if is_refusal(error):
                # Odoo counts failed logins of this machine: this browser makes no other one.
                await self._mine.end_session(request)
            raise PageError("Nothing was decided", for_people(error), 403) from error
        if user.uid != account.uid or not instance.may_admit(user.login, user.groups):
            raise PageError("You are not allowed here", "Ask this server's administrator.", 403)
        return attrs.evolve(account, login=user.login, groups=user.groups)


def _decide(
    instance: Instance,
    account: Account,
    activity: Activity,
    *,
    whose: Whose,
    number: int,
    stamp: str,
    decision: Literal["approved", "refused"],
) -> Approval:
    """Note the decision of a person on a plan, and return the plan.

    Raises:
        PageError: it is not this person who decides, it is decided already, or the plan is not the
            one that was shown.
    """
    own = whose == "own"
    if not own and not approves(instance, account.login):
        raise PageError(
            "You do not decide on this", "The administrator lists the approvers in team.toml.", 403
        )
    note = noting(activity, instance, account)
    with opened(instance, note) as plans:
        approvals = plans.get(whose)
        found = approvals.get(number) if approvals else None
        # Of what is not theirs, nobody is told that it exists.
        if approvals is None or found is None or (own and found.uid != account.uid):
            raise PageError("This plan no longer exists", f"Open {APPROVALS} again.", 404)
        if not own and found.uid == account.uid:
            raise PageError(
                "You cannot approve your own plan", "Another approver has to decide.", 403
            )
        if stamp != _stamp(found):
            raise PageError("This plan has changed", f"Open {APPROVALS} again.", 409)
        if found.state == "waiting" and approvals.decide(number, decision, account.login.lower()):
            return found
        found = approvals.get(number) or found
        raise PageError(
            "This plan is already decided",
            f"{found.decider or 'Another person'} decided first: {_STATES[found.state]}.",
            409,
        )


#: What a plan's state is called.
_STATES = {
    "waiting": "waiting",
    "approved": "approved",
    "refused": "refused",
    "used": "approved, and done",
}


def _stamp(plan: Approval) -> str:
    """Return what stands for a plan as it is shown."""
    shown = f"{plan.id} {plan.uid} {plan.asked} {plan.message}"
    return hashlib.sha256(shown.encode()).hexdigest()
