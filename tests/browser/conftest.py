"""Debian's Chromium without a window, installed where it is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.browser.host import Origins, origins
from tests.provisioning import debian
from tests.provisioning.cache import ProvisioningError, locked

PACKAGES = ["chromium", "fonts-dejavu-core"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser; the tests are skipped only where it cannot be had."""
    with locked():
        if not shutil.which("chromium"):
            try:
                debian.check_machine()
                debian.install(PACKAGES, "the browser in which the views are tested")
            except ProvisioningError as error:
                if os.environ.get("CI"):
                    raise
                pytest.skip(f"There is no Chromium, and it cannot be installed: {error}")
    found = shutil.which("chromium")
    assert found
    return found


@pytest.fixture(scope="session")
def at() -> Iterator[Origins]:
    """The two origins of a host."""
    with origins() as found:
        yield found


@pytest.fixture(scope="session")
async def browser(chromium: str, anyio_backend: str) -> AsyncIterator[Browser]:
    """The browser."""
    async with async_playwright() as playwright:
        # As root, Chromium does not start with a sandbox of its own.
        started = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        yield started
        await started.close()


@pytest.fixture
async def page(browser: Browser, anyio_backend: str) -> AsyncIterator[Page]:
    """An empty page of a wide window."""
    found = await browser.new_page(viewport={"width": 760, "height": 900})
    yield found
    await found.close()
