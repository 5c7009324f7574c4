"""What is wrong with a plugin: what it claims that is ours, and what it reaches for that is closed.

Everything is found before anything of the plugin is used, and told together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odoo_toolkit.app_models import APPS, OWN_APPS, AppModel, Opposite
from odoo_toolkit.compat import words
from odoo_toolkit.installation import version
from odoo_toolkit.plugins.bounds import closed_step
from odoo_toolkit.plugins.plugin import Declared, Plugin
from odoo_toolkit.policy import Policy
from odoo_toolkit.policy.calls import IDENTIFIER, MODEL
from odoo_toolkit.wizards.catalog import KNOWN_WIZARDS

if TYPE_CHECKING:
    from odoo_toolkit.wizards import KnownWizard

NAME = re.compile(r"[a-z][a-z0-9]{1,30}")

#: Names of toolsets and areas of ours, and the words that begin the names of areas' tools.
RESERVED = frozenset(
    words("""
        accounting attachments calendar chatter contacts core crm helpdesk hr inventory mail
        manufacturing products project purchase reports sales change documents messages people read
        records services approvals batch history languages odoo toolkit
    """)
)

#: What takes back without being a method of the model.
_WAYS_BACK = frozenset({"archive", "unarchive", "unlink"})

#: Characters of a tool's or a prompt's description.
_LONGEST = 1000

_SERIES = re.compile(r"(?P<major>\d+)\.(?P<minor>\d+)(?:\.\d+)?")


def problems_of(plugin: object, name: str | None = None) -> list[str]:
    """Return everything that is wrong with a plugin, in plain sentences; none where nothing is.

    Args:
        plugin: what its entry point names.
        name: by which it was admitted.
    """
    if not isinstance(plugin, Plugin):
        return [f"Its entry point is a {type(plugin).__name__}, not an odoo_toolkit Plugin."]
    if not isinstance(plugin.declared, Declared):
        return ["It declares nothing: declared must be a Declared."]
    # What it was written for decides what all else in it means.
    found = list(_name(plugin, name)) or list(_toolkit(plugin))
    return found or [
        *_declared(plugin.declared),
        *_models(plugin),
        *(text for wizard in plugin.wizards for text in _wizard(plugin.declared, wizard)),
        *_prompts(plugin),
        *_skills(plugin),
    ]


def _name(plugin: Plugin, name: str | None) -> Iterator[str]:
    if not isinstance(plugin.name, str) or not NAME.fullmatch(plugin.name):
        yield f"Its name {plugin.name!r} is not 2 to 31 lower-case letters and digits."
    elif plugin.name in RESERVED:
        yield f"Its name {plugin.name!r} is the name of a toolset or an area of the toolkit."
    elif name is not None and name != plugin.name:
        yield f"Its name is {plugin.name!r}, but it was enabled as {name!r}."


def _toolkit(plugin: Plugin) -> Iterator[str]:
    ours, wanted = _SERIES.match(version()), _SERIES.fullmatch(str(plugin.toolkit))
    assert ours  # noqa: S101 - our own version
    if not wanted:
        yield f"toolkit must be a version such as '{ours['major']}.{ours['minor']}'."
        return
    same = wanted["major"] == ours["major"]
    # Before 1.0 each minor version may change what plugins use.
    exactly = ours["major"] == "0" and wanted["minor"] != ours["minor"]
    if not same or exactly or int(wanted["minor"]) > int(ours["minor"]):
        yield (
            f"It was written for version {plugin.toolkit} of the toolkit, but this is version "
            f"{version()}. Install the plugin's version for this toolkit."
        )


def _declared(declared: Declared) -> Iterator[str]:
    protecting = Policy()
    for model in sorted(declared.models):
        if not MODEL.fullmatch(model):
            yield f"{model!r} is not the name of a model, such as 'res.partner'."
        elif protecting.model_blocked(model):
            yield f"It declares {model}, which is blocked in every mode."
    steps = [(model, method) for model in declared.steps for method in declared.steps[model]]
    steps += [(model, "create") for model in declared.wizards]
    steps += [(model, button) for model in declared.wizards for button in declared.wizards[model]]
    for model, method in steps:
        if not IDENTIFIER.fullmatch(method):
            yield f"{method!r} of {model} is not the name of a method."
        elif not protecting.model_blocked(model) and (closed := closed_step(model, method)):
            yield f"It declares the step {model}.{method}, but a plugin {closed}."


def _models(plugin: Plugin) -> Iterator[str]:
    ours = {model.name: app for app in OWN_APPS for model in APPS[app]}
    modules = {model.module: app for app in OWN_APPS for model in APPS[app]}
    for model in plugin.models:
        if not isinstance(model, AppModel):
            yield f"models has a {type(model).__name__}, not an AppModel."
            continue
        if app := ours.get(model.name):
            yield f"The toolkit's {app} already describes {model.name}. Remove it from models."
        if model.module and model.module in modules:
            yield (
                f"The toolkit's {modules[model.module]} tells whether the module {model.module} is"
                f" installed: {model.name} cannot."
            )
        if model.name not in plugin.declared.models:
            yield f"It describes {model.name}, but does not declare that it reads this model."
        if model.is_wizard and model.name not in plugin.declared.wizards:
            yield f"It describes {model.name} as a wizard, but does not declare it as one."
        for opposite in model.opposites:
            yield from _opposite(plugin, model, opposite)


def _opposite(plugin: Plugin, model: AppModel, opposite: Opposite) -> Iterator[str]:
    """Undoing goes the toolkit's own way: all of it must have been declared as if it were done."""
    told, declared = f"The opposite of {model.name}.{opposite.method}", plugin.declared
    acts_on = opposite.of or model.name
    if not (opposite.is_known or opposite.made or opposite.not_undone):
        # That would mean that another call tells it, and undo would say nothing of this one.
        yield f"{told} is empty. Remove it, or describe what cannot be undone."
    for method in (*opposite.by, *opposite.otherwise):
        method = method.partition("@")[0]
        if method not in _WAYS_BACK and not declared.allows(acts_on, method):
            yield f"{told} is {method}, which is not a declared step of {acts_on}."
    if opposite.keeps and not declared.allows(acts_on, "write"):
        yield f"{told} writes {acts_on}, which is not a declared step."
    if opposite.context:
        yield f"{told} has a context, which only the toolkit may use."
    others = [opposite.made, opposite.of, *(block.model for block in opposite.unless)]
    for other in filter(None, others):
        if other not in declared.models:
            yield f"{told} is about {other}, which is not declared."


def _wizard(declared: Declared, wizard: KnownWizard) -> Iterator[str]:
    if any(known.model == wizard.model for known in KNOWN_WIZARDS):
        yield f"The toolkit already describes the wizard {wizard.model}. Remove it."
    for button in wizard.buttons:
        if button not in declared.wizards.get(wizard.model, ()):
            yield f"The button {button} of the wizard {wizard.model} is not declared in wizards."
    if wizard.source_model not in declared.models:
        yield f"The wizard {wizard.model} is about {wizard.source_model}, which is not declared."


def _prompts(plugin: Plugin) -> Iterator[str]:
    for prompt in plugin.prompts:
        yield from wrong_name("prompt", plugin.name, prompt.name)
        if len(prompt.description) > _LONGEST:
            yield f"The description of the prompt {prompt.name} is longer than {_LONGEST}."


def _skills(plugin: Plugin) -> Iterator[str]:
    if plugin.skills is None:
        return
    files = sorted(Path(plugin.skills).glob("*/SKILL.md"))
    if not files:
        yield f"{plugin.skills} contains no skill. A skill is a folder with a file SKILL.md."
    for path in files:
        name = path.parent.name
        if not re.fullmatch(rf"{plugin.name}(-[a-z0-9]+)*", name):
            yield (
                f"The name of the skill {name!r} must begin with {plugin.name}-, followed "
                "by its purpose."
            )
        try:
            head = path.read_text("utf-8").split("---\n")[1]
        except (OSError, UnicodeDecodeError, IndexError):
            yield f"The skill {name} must begin with --- and lines such as 'key: text'."
            continue
        told = dict(line.partition(": ")[::2] for line in head.splitlines())
        if told.get("name") != name or not told.get("description"):
            yield f"The first lines of the skill {name} must have its name and a description."


def wrong_name(kind: str, plugin: str, name: str) -> Iterator[str]:
    """Yield what is wrong with the name of a tool or prompt: those of others are not its own."""
    if not re.fullmatch(rf"odoo_{plugin}_[a-z0-9_]{{1,40}}", name):
        yield (
            f"The name of the {kind} {name!r} must begin with odoo_{plugin}_, followed by its "
            "purpose."
        )


def toolset_problems(plugin: Plugin, toolset: Any) -> Iterator[str]:
    """Yield what is wrong with the toolset of a plugin.

    Args:
        plugin: whose it is.
        toolset: the class that it names, in the form of ``odoo_toolkit_mcp.toolsets.base``.
    """
    about = toolset().metadata()
    if about.name != plugin.name:
        yield f"Its toolset is called {about.name!r}, but must have the name of the plugin."
    if not about.required_modules:
        yield "Its toolset lists no Odoo module that must be installed."
    names = [tool.name for tool in toolset.tools]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"It has two tools with the name {name}."
    for tool in toolset.tools:
        yield from wrong_name("tool", plugin.name, tool.name)
        if len(tool.description) > _LONGEST:
            yield f"The description of {tool.name} is longer than {_LONGEST} characters."
        if tool.access == "execute":
            yield (
                f"{tool.name} executes methods that the client chooses, which plugins must not do."
            )
        if tool.creates and tool.creates not in plugin.declared.steps:
            yield f"{tool.name} creates {tool.creates}, which is not declared."
        try:
            properties = tool.input_schema["properties"]
            _ = tool.output_schema
        except Exception as error:
            yield f"The toolkit cannot derive a schema from the function of {tool.name}: {error}"
            continue
        if tool.access != "read" and "dry_run" not in properties:
            yield f"{tool.name} needs the parameter dry_run, to show its plan."
