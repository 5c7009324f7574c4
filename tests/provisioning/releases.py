"""The Odoo releases that can be provisioned, and what the toolkit itself runs on, as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MODULES = (
    "base",
    "sale_management",
    "account",
    "stock",
    "crm",
    "project",
    "hr_timesheet",
    "purchase",
    "sale_stock",
    "mrp",
    "hr_holidays",
    "hr_expense",
    "hr_attendance",
    "helpdesk",  # the small test addon of this folder: the real one is Enterprise
)

CHART_OF_ACCOUNTS = "l10n_generic_coa"  # from 17 on, "account" brings one

# Odoo's packages link to files of these: without them the login page or the reports break.
LINKED_PACKAGES = (
    "libjs-jquery",
    "libjs-jquery-ui",
    "libjs-jquery-form",
    "libjs-underscore",
    "fonts-font-awesome",
    "fonts-glyphicons-halflings",
    "fonts-inconsolata",
    "fonts-roboto-unhinted",
    "fonts-ocr-b",
)


@dataclass(frozen=True)
class Release:
    """One Odoo release: where its code comes from, and what it needs to run."""

    version: str
    pythons: tuple[str, ...]
    modules: tuple[str, ...]
    server_words: tuple[str, ...]
    """What follows the start program's name to run the server."""
    first_start_options: tuple[str, ...]
    """What asks for demo data, where it does not come by default."""
    second_port_option: str = "gevent_port"
    """What the port of long polling, or of websockets, is called in the configuration."""
    package: str = ""
    """Debian's name for it; empty where Debian carries none and a source tree has to be given."""
    package_version: str = ""
    """The version that tests are written for; another one only if Debian has this no longer."""
    suite: str = ""
    linked_packages: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ("base", "web")
    """What a server loads before it has a database: Odoo's default."""

    @property
    def name(self) -> str:
        """The name under which the server is listed, which is also its folder's."""
        return f"odoo-{self.version}"

    @property
    def requirements(self) -> Path:
        """The file that names what Odoo needs from the Python package index."""
        return Path(__file__).parent / "requirements" / f"{self.name}.txt"

    @property
    def database(self) -> str:
        """The name of the server's database."""
        return f"odoo{self.version}"


ODOO_19 = Release(
    version="19",
    package="odoo-19",
    package_version="19.0.0+dfsg-1",
    suite="sid",
    linked_packages=(*LINKED_PACKAGES, "fonts-montserrat"),
    pythons=("3.12", "3.11", "3.13"),
    modules=MODULES,
    server_words=("server",),
    first_start_options=("--with-demo",),
    loaded=("base", "rpc", "web"),
)

ODOO_18 = Release(
    version="18",
    pythons=("3.11",),
    modules=MODULES,
    server_words=("server",),
    first_start_options=(),
)

ODOO_17 = Release(
    version="17",
    pythons=("3.11",),
    modules=MODULES,
    server_words=("server",),
    first_start_options=(),
)

ODOO_16 = Release(
    version="16",
    pythons=("3.11",),
    modules=(*MODULES, CHART_OF_ACCOUNTS),
    server_words=("server",),
    first_start_options=(),
)

ODOO_15 = Release(
    version="15",
    pythons=("3.9",),
    modules=(*MODULES, CHART_OF_ACCOUNTS),
    server_words=("server",),
    first_start_options=(),
    second_port_option="longpolling_port",
)

ODOO_14 = Release(
    version="14",
    package="odoo-14",
    package_version="14.0.0+dfsg.2-7+deb11u2",
    suite="bullseye",
    linked_packages=LINKED_PACKAGES,
    pythons=("3.9",),
    modules=(*MODULES, CHART_OF_ACCOUNTS),
    server_words=(),
    first_start_options=(),
    second_port_option="longpolling_port",
)

# For the checkout's own environment, not for an Odoo.
DEVELOPMENT_PYTHONS = ("3.11", "3.12", "3.13", "3.14")

RELEASES = {one.version: one for one in (ODOO_19, ODOO_18, ODOO_17, ODOO_16, ODOO_15, ODOO_14)}
