"""Goes through a team's pages with the keys of a keyboard only."""

from __future__ import annotations

from playwright.async_api import Page

#: Presses of Tab after which something is not there.
_MOST = 40

#: What is focused: id and name, and what is written on it.
_FOCUSED = (
    "(e => e && e !== document.body ? `${e.id} ${e.name || ''} ${e.innerText || ''}` : '')"
    "(document.activeElement)"
)


async def go_to(page: Page, words: str) -> None:
    """Press Tab until something is focused that has these words as id, name or text."""
    seen = []
    for _ in range(_MOST):
        await page.keyboard.press("Tab")
        focused = str(await page.evaluate(_FOCUSED))
        if words in focused:
            assert await page.evaluate("getComputedStyle(document.activeElement).outlineStyle") in (
                "solid",
                "auto",
            ), f"{words!r} does not show that it has the focus"
            return
        seen.append(focused)
    raise AssertionError(f"Tab does not lead to {words!r}: {seen}")


async def press(page: Page, words: str) -> None:
    """Go to a button or link and press it."""
    await go_to(page, words)
    async with page.expect_navigation():
        await page.keyboard.press("Enter")


async def fill(page: Page, **values: str) -> None:
    """Go from field to field, as they stand on the page, and type."""
    for name, value in values.items():
        await go_to(page, name)
        if await page.evaluate("document.activeElement.tagName") == "SELECT":
            await page.keyboard.type(value)
        else:
            await page.keyboard.press("Control+A")
            await page.keyboard.type(value)


async def check(page: Page) -> None:
    """Assert that a page fits its window, and names each of its fields."""
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wider) <= 0, f"{page.url} is wider than its window"
    nameless = (
        "[...document.querySelectorAll('input:not([type=hidden]), select')]"
        ".filter(e => !e.labels.length).map(e => e.id)"
    )
    assert await page.evaluate(nameless) == []
    assert await page.locator("h1").count() == 1
