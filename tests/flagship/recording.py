"""The recording of a session: what was typed, said and left on disk, in the same words whenever it is made.

Days, times, commits and temporary folders are replaced; names of commands and agents become the templates' macros. The
result is a template with one macro for each excerpt, which the tutorial shows.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.client.conversation import ToolResult
from tests.kit.model import answered
from tests.kit.names import BRANCHES, NAME, ROOT
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree

PLACE = ROOT / "plugin_src/fragments/tutorial-session.md.j2"
HEAD = "{# Recorded by tests/flagship/test_whole_way.py; `make tutorial` records it anew. Not edited by hand. #}\n"
DAY = "2026-01-31"
SHOWN = ("run", "title", "passed", "attempt", "why", "output", "undone", "commit", "result", "next")


class Recording:
    """Excerpts by name, each put into words that do not depend on the day, the machine or the order of commits."""

    def __init__(self, folder: Path, commits: Mapping[str, str]) -> None:
        """Know the repository and its commits, from id to subject."""
        self.folder = folder
        self.commits = {
            name: hashlib.sha256(subject.encode()).hexdigest()[:40] for name, subject in commits.items()
        }
        self.excerpts: dict[str, str] = {}

    def keep(self, name: str, text: str) -> None:
        """Keep an excerpt."""
        self.excerpts[name] = self.steady(text).strip("\n")

    def steady(self, text: str) -> str:
        """Replace what differs from run to run."""
        text = re.sub(r'(?m)^\{"ultraexecute_summary":.*\n?', "", text)  # a line for programs
        text = text.replace(str(self.folder), "~/tally")
        text = re.sub(r"/[\w/.-]+/(?=\.claude/plugins/data/)", "~/", text)
        text = re.sub(r"\b20\d\d-\d\d-\d\d(?=\b|T\d)", DAY, text)
        text = re.sub(r"(\b|(?<=\dT))\d\d:\d\d:\d\d(\.\d+)?", "12:00:00", text)
        text = re.sub(r"\bin \d+\.\d+s\b", "in 0.001s", text)
        return re.sub(r"\b[0-9a-f]{7,40}\b", self._commit, text)

    def _commit(self, found: re.Match[str]) -> str:
        given = found[0]
        known = [steady for name, steady in self.commits.items() if name.startswith(given)]
        return known[0][: len(given)] if known else given

    def template(self, head: str = HEAD) -> str:
        """Return the recording as a template."""
        macros = [
            f"{{% macro {name}() %}}\n{as_template(text)}\n{{%- endmacro %}}\n"
            for name, text in self.excerpts.items()
        ]
        return head + "".join(macros)


def as_template(text: str) -> str:
    """Return text that a template says literally, but for the names that a fork may change."""
    (plugin,) = [one for one in load(SourceTree(ROOT / "plugin_src")).plugins if one.settings.name == NAME]
    text = re.sub(r"\{(?=[{%#])", "{{ '{' }}", text)
    text = text.replace(f"plugins/data/{NAME}-", "plugins/data/{{ plugin.name }}-")
    text = text.replace(f"merge: {BRANCHES} session", "merge: {{ branches }} session")
    for stage, typed in plugin.commands.items():
        text = re.sub(rf"/{NAME}:{typed}\b", f"{{{{ command('{stage}') }}}}", text)
    for agent, typed in plugin.agents.items():
        text = re.sub(rf"\b{NAME}:{typed}\b", f"{{{{ agent('{agent}') }}}}", text)
    for verb in sorted(plugin.verbs, key=len, reverse=True):
        text = re.sub(rf"(?<![\w/.-]){plugin.launcher} {verb}(?![\w-])", f"{{{{ verb('{verb}') }}}}", text)
    text = text.replace(f"refs/{plugin.launcher}/", "refs/{{ launcher }}/")
    assert f"{NAME}:" not in text, text
    return text


def calls(results: Sequence[ToolResult], answers: bool = False) -> str:
    """Return what Claude did, a line a call, with what the verbs decided when `answers` are wanted."""
    lines: list[str] = []
    agents: list[str] = []
    for result in results:
        if result.call.name == "Agent":
            agents.append(str(result.call.input["subagent_type"]))
            continue
        lines += [" + ".join(agents)] if agents else []
        agents = []
        lines += told(result, answers)
    return "\n".join([*lines, *([" + ".join(agents)] if agents else [])])


def told(result: ToolResult, answers: bool) -> list[str]:
    """Return one call, and what came of it."""
    given = result.call.input
    if result.call.name != "Bash":
        return [f"{result.call.name} {Path(str(given['file_path'])).name}"] if "file_path" in given else []
    line = str(given["command"]).partition("\n")[0]
    line = re.sub(r' --data "[^"]*"', "", line).replace(" --json", "")
    if not answers or not line.startswith("ultra ") or " guide " in line:
        return [line]
    answer = answered(result)
    shown = {name: answer[name] for name in SHOWN if name in answer}
    return [line, *(f"    {name}: {in_words(value)}" for name, value in shown.items()), ""]


def in_words(value: object) -> str:
    """Return a value of an answer on one line."""
    if isinstance(value, str):
        return value.replace("\n", " / ")
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return json.dumps(value)


def dialog(screen: str) -> str:
    """Return the dialog at the bottom of a screen, without its rules."""
    lines = [line.rstrip() for line in screen.split("\n")]
    begin = max(number for number, line in enumerate(lines) if line.lstrip().startswith("☐"))
    end = next(number for number, line in enumerate(lines) if number > begin and "to navigate" in line)
    return narrow(line for line in lines[begin : end + 1] if not line.startswith("───"))


def narrow(lines: Iterable[str]) -> str:
    """Return lines without a run of blank ones."""
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text)


def section(text: str, heading: str) -> str:
    """Return a section of an artifact, from its heading to the next of the same kind."""
    level = heading.partition(" ")[0]
    found = re.search(rf"(?ms)^{re.escape(heading)}.*?(?=^{level} |^## |\Z)", text)
    assert found, f"{heading} is not in: {text}"
    return found[0].rstrip()
