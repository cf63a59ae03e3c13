"""Describe one command for its documentation page, from prompts, contracts and token costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from posixpath import basename

from ultra_plugin.artifact import Contract
from ultra_plugin.bill import Item, bill, tokens
from ultra_plugin.errors import problem
from ultra_plugin.model import Bundle, Plugin, Suite
from ultra_plugin.overview import agents_in, head_of, verbs_in
from ultra_plugin.views import heading_anchor, markdown_table, verbs_table

_USAGE = re.compile(r"^    (Usage: .*(?:\n    .+)*)", re.MULTILINE)
_PHASE = re.compile(r"^## (?:\d+\. )?(.+)$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_NUMBERED = re.compile(r"^## \d+\. ", re.MULTILINE)


class CommandPage:
    """One command as `{{ page }}` shows it to the template of its page; links are relative to docs/commands/."""

    def __init__(
        self, suite: Suite, plugin: Plugin, prompts: Bundle, stage: str, shown: Callable[[str], str] = str
    ) -> None:
        self._suite = suite
        self._plugin = plugin
        self._prompts = prompts
        self.name = plugin.commands[stage]
        self.path = f"commands/{self.name}.md"
        self.typed = f"/{plugin.settings.name}:{self.name}"
        self._source = shown(next(iter(prompts.files[self.path].sources), self.path))
        self._text = prompts.files[self.path].text
        guides = f"guides/{stage}"
        self._guides = {
            path: file.text
            for path, file in prompts.files.items()
            if path == f"{guides}.md" or path.startswith(f"{guides}/")
        }
        self._all_text = "\n".join([self._text, *self._guides.values()])
        contracts = suite.contracts.values()
        self._reads = [one for one in contracts if stage in one.consumers]
        self._writes = [one for one in contracts if one.producer == stage]

    def usage(self) -> str:
        """Return the usage that the prompt or its guide prints, in a fence."""
        found = _USAGE.search(self._all_text)
        if found is None:
            remedy = "add an indented block that begins with 'Usage: '"
            raise problem(self._source, 1, "no-usage", "has a page but prints no usage", remedy)
        return f"```text\n{found.group(1).replace(chr(10) + '    ', chr(10))}\n```"

    def artifacts(self) -> str:
        """Return the artifacts read and written, their places and how they are checked."""
        lines = [f"- {_artifact(one)}: read {one.modes.read.means}." for one in self._reads]
        lines += [f"- {_artifact(one)}: written {one.modes.write.means}." for one in self._writes]
        return "\n".join(lines)

    def phases(self) -> str:
        """Return the phases by name, then the guides that are read only when needed."""
        numbered = _NUMBERED.search(self._text)
        body = self._text[numbered.start() :] if numbered else self._text
        lines = [f"{number}. {name}" for number, name in enumerate(_PHASE.findall(body), 1)]
        guides = [
            f"- *{title.group(1)}* (`{self._plugin.launcher} guide {path[len('guides/') : -len('.md')].replace('/', ' ')}`)"
            for path, text in self._guides.items()
            if (title := _TITLE.search(text))
        ]
        if guides:
            lines += ["", "Read only when needed:", "", *guides]
        return "\n".join(lines)

    def agents_table(self) -> str:
        """Return the agents that the prompts start, each with its model and tokens."""
        costs = {item.path: item for item in bill(self._prompts)}
        rows = []
        for name in agents_in(self._plugin, self._all_text):
            head = head_of(self._prompts.files[f"agents/{name}.md"].text)
            cost = str(tokens(costs[f"agents/{name}.md"].body))
            rows.append((f"`{name}`", head.get("description", ""), head.get("model", "inherit"), cost))
        return (
            markdown_table(("agent", "does", "model", "tokens of its prompt"), rows)
            if rows
            else "It starts no agent."
        )

    def verbs_table(self) -> str:
        """Return the verbs that the prompts call, with their summaries."""
        verbs = [self._suite.verbs[name] for name in verbs_in(self._plugin, self._all_text)]
        return verbs_table(verbs, self._plugin.launcher)

    def codes(self) -> str:
        """Return the prefixes of the possible codes, each with a link to their explanation."""
        touched = {one.artifact: one for one in (*self._reads, *self._writes, *self._validated())}
        lines = [_codes(one.title, one.codes) for one in touched.values()]
        if self._suite.common_codes:
            lines.append(_codes("Any artifact", self._suite.common_codes))
        return "\n".join(lines)

    def cost_table(self) -> str:
        """Return the command's tokens and budgets."""
        item = next(one for one in bill(self._prompts) if one.path == self.path)
        return markdown_table(("when", "tokens", "budget"), _costs(item))

    def _validated(self) -> list[Contract]:
        """Return the artifacts that the prompts validate although no contract names this command."""
        return [
            one
            for one in self._suite.contracts.values()
            if re.search(rf"\b{self._plugin.launcher} validate {re.escape(one.artifact)}\b", self._all_text)
        ]


def _artifact(contract: Contract) -> str:
    anchor = heading_anchor(f"{contract.handover}. {contract.title}")
    return f"[{contract.title}](../HANDOVER-CONTRACTS.md#{anchor}) (`{contract.places[0].path}`)"


def _codes(title: str, codes: Iterable[str]) -> str:
    link = f"[{title}](../TROUBLESHOOTING.md#{heading_anchor(title)})"
    beginnings = dict.fromkeys(code.partition("_")[0] for code in codes)
    return f"- {', '.join(f'`{begin}_`' for begin in beginnings)}: {link}"


def _costs(item: Item) -> list[tuple[str, str, str]]:
    budget = item.budget
    rows = (
        ("in every conversation", item.listed, budget.always_on),
        ("when it is called", item.body, budget.on_invoke),
        ("with every guide that it can read", item.closure, budget.closure),
    )
    return [(when, str(tokens(used)), str(limit) if limit else "none") for when, used, limit in rows]


def stage_of(target: str, plugin: Plugin) -> str | None:
    """Return the stage of a page in the source folder."""
    stage = basename(target).removesuffix(".md")
    return stage if target == f"docs/commands/{stage}.md" and stage in plugin.commands else None
