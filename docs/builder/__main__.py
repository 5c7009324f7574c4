"""Build the documentation's site: ``python -m docs.builder`` writes it to ``build/site``.

The pages are those of ``docs/`` and what this folder makes from the code: the reference of
functions, tools, settings and errors. They are put together in ``build/docs``, so that nothing
made stands between the sources. Whatever Sphinx warns of ends the build: a broken link, a page
that is in no menu, a docstring that it does not understand.
"""

from __future__ import annotations

import functools
import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from docs.builder import commands, errors, functions, settings, tools
from docs.builder.apps import business_apps, guide
from docs.builder.keywords import entries

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

#: Pages that stand beside ``docs/``.
BESIDE = ("CHANGELOG.md", "SECURITY.md")

#: Where the menu of ``index.md`` has the guides of the business apps, and those of which it names
#: none.
_APPS = "(the guides of the business apps)"
_MORE = "(the guides that are not named above)"

#: A link that shows the name of a file; on the site it shows the title of the page or section.
_FILE_NAME = re.compile(r"\[[\w./-]+\.md\](?=\()")

_TITLE = re.compile(r"^# .*\n", re.MULTILINE)

_LINK = re.compile(r"\[(?P<text>[^]\n]*)\]\((?P<target>\.\./[^)#\s]*)(?P<anchor>[^)\s]*)\)")


def main() -> int:
    """Build the site and return Sphinx's exit code."""
    pages, site = ROOT / "build" / "docs", ROOT / "build" / "site"
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    put_together(pages)
    kept = f"{pages}.read"
    options = ["-W", "--keep-going", "--quiet", "-c", str(HERE), "-d", kept]
    return build_main([*options, str(pages), str(site)])


def put_together(folder: Path) -> None:
    """Write the sources of all pages into a folder."""
    skipped = shutil.ignore_patterns("builder", "__pycache__")
    shutil.copytree(ROOT / "docs", folder, ignore=skipped)
    for name in BESIDE:
        text = (ROOT / name).read_text("utf-8")
        (folder / name).write_text(text.replace("](docs/", "]("), "utf-8")
    for page in folder.rglob("*.md"):
        within = functools.partial(_within, page.parent, folder)
        text = _FILE_NAME.sub("[]", _LINK.sub(within, page.read_text("utf-8")))
        text = tools.with_overviews(text)
        title = _TITLE.search(text)
        if title:
            words = entries(str(page.relative_to(folder).with_suffix("")))
            text = text[: title.end()] + words + text[title.end() :]
        page.write_text(text, "utf-8")
    index = (HERE / "index.md").read_text("utf-8")
    named = set(index.splitlines())
    guides = dict.fromkeys(guide(app) for app in business_apps())
    index = index.replace(_APPS, "\n".join(one for one in guides if one not in named))
    listed = set(index.split())
    more = [
        name for name in sorted(page.stem for page in folder.glob("*.md")) if name not in listed
    ]
    (folder / "index.md").write_text(index.replace(_MORE, "\n".join(more)), "utf-8")
    reference = folder / "reference"
    reference.mkdir(exist_ok=True)
    for module in (functions, tools, commands, settings, errors):
        for name, text in module.pages().items():
            (reference / name).write_text(text, "utf-8")


def _within(folder: Path, pages: Path, link: re.Match[str]) -> str:
    """Return a link that stays within the pages: of one to other files the text alone is left."""
    target = (folder / link["target"]).resolve()
    if target.is_relative_to(pages):
        return link[0]
    if target.name in BESIDE:
        up = "../" * len(folder.relative_to(pages).parts)
        return f"[{link['text']}]({up}{target.name}{link['anchor']})"
    return link["text"]


if __name__ == "__main__":
    sys.exit(main())
