"""Read from the rendered prompts which verbs, agents and artifacts each command uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ultra_plugin.model import Plugin, Suite
from ultra_plugin.source import SourceTree
from ultra_plugin.views import markdown_table

# A verb call begins a code span or a line of code, as in the check of prompts.
_HEAD = re.compile(r"^(description|tools|disallowedTools|model): (.*)$", re.MULTILINE)
_CALL = r"(?:`|^ *)%s ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?"


def pipeline_table(suite: Suite, plugin: Plugin, tree: SourceTree, render: Callable[[str], str]) -> str:
    """Return a line per command in pipeline order, then the verbs and agents that each calls."""
    rows, calls = [], []
    for stage in _stages(plugin):
        text = "\n".join(map(render, _prompts(tree, plugin, stage)))
        reads = [one.artifact for one in suite.contracts.values() if stage in one.consumers]
        gives = [one.artifact for one in suite.contracts.values() if one.producer == stage]
        rows.append((_linked(tree, plugin, stage, "commands"), _spans(reads), _spans(gives)))
        verbs, agents = _spans(verbs_in(plugin, text)), _spans(agents_in(plugin, text))
        calls.append(f"- `{plugin.commands[stage]}` calls the verbs {verbs}; agents: {agents}.")
    return "\n".join([markdown_table(("command", "reads", "writes"), rows), "", *calls])


def commands_table(plugin: Plugin, tree: SourceTree, render: Callable[[str], str]) -> str:
    """Return each command's description in pipeline order; links are relative to the plugin."""
    rows = []
    for stage in _stages(plugin):
        does = head_of(render(f"{plugin.folder}/commands/{stage}.md.j2")).get("description", "")
        rows.append((_linked(tree, plugin, stage, "docs/commands"), does))
    return markdown_table(("command", "does"), rows)


def agents_table(suite: Suite, plugin: Plugin, render: Callable[[str], str]) -> str:
    """Return a line per agent: purpose, tools, and its output block if any agent has one."""
    rows = []
    ends = any(key in suite.outputs for key in plugin.agents)
    for key, name in plugin.agents.items():
        head = head_of(render(f"{plugin.folder}/agents/{key}.md.j2"))
        output = suite.outputs.get(key)
        cells = (head.get("description", ""), _tools(head), head.get("model", "inherit"))
        rows.append((f"`{name}`", *cells, *([f"`{output.output}`" if output else "none"] if ends else [])))
    means = {one.output: one.means for key, one in suite.outputs.items() if key in plugin.agents}
    blocks = [f"- `{name}`: {text}" for name, text in sorted(means.items())]
    titles = ("agent", "does", "tools", "model", *(["ends in"] if ends else []))
    return "\n".join([markdown_table(titles, rows), *([""] if blocks else []), *blocks])


def head_of(text: str) -> dict[str, str]:
    """Return the front matter of an agent."""
    return dict(_HEAD.findall(text))


def verbs_in(plugin: Plugin, text: str) -> list[str]:
    """Return the verbs that a text calls."""
    return sorted(
        {
            verb
            for first, second in re.findall(_CALL % re.escape(plugin.launcher), text, re.MULTILINE)
            for verb in (f"{first} {second}", first)
            if verb in plugin.verbs
        }
    )


def agents_in(plugin: Plugin, text: str) -> list[str]:
    """Return the agents that a text names in code spans, as prompts do to start them."""
    return [agent for agent in plugin.agents.values() if f"{plugin.settings.name}:{agent}`" in text]


def _tools(head: Mapping[str, str]) -> str:
    """Return the tools of an agent: the listed ones, or all without the disallowed ones."""
    taken = head.get("disallowedTools", "")
    if "tools" in head:
        return head["tools"] + (f" (not {taken})" if taken else "")
    return f"all but {taken}" if taken else "all"


def _prompts(tree: SourceTree, plugin: Plugin, stage: str) -> Iterator[str]:
    """Yield the templates of a command: its own and those of its guides."""
    yield f"{plugin.folder}/commands/{stage}.md.j2"
    yield from tree.files(f"{plugin.folder}/guides/{stage}")


def _stages(plugin: Plugin) -> list[str]:
    return [stage for stage in plugin.settings.pipeline if stage in plugin.commands]


def _linked(tree: SourceTree, plugin: Plugin, stage: str, folder: str) -> str:
    """Return how a command is typed, linked to its page where it has one."""
    name = plugin.commands[stage]
    typed = f"`/{plugin.settings.name}:{name}`"
    has_page = tree.find(f"{plugin.folder}/docs/commands/{stage}.md.j2") is not None
    return f"[{typed}]({folder}/{name}.md)" if has_page else typed


def _spans(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "none"
