"""Cut the reference texts of a plugin into what each agent's dispatch carries, and count what that saves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ultra_plugin.bill import tokens
from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, BundleFile, Plugin
from ultra_plugin.tables.literal import table_of

FOLDER = "references"
TABLE = f"runtime/ultra_runtime/tables/{FOLDER}.py"
ALL = "all"
_HEADING = re.compile(r"^## (?:(\d+)\. )?(.+)$", re.MULTILINE)
_FENCE = re.compile(r"^(```+|~~~+).*?^\1 *$", re.MULTILINE | re.DOTALL)
_RANGE = re.compile(r"(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Saving:
    """What the dispatches of one agent carry, in tokens, and what the whole files would cost."""

    agent: str
    cut: int
    whole: int


def references_table(plugin: Plugin, files: Mapping[str, BundleFile]) -> BundleFile:
    """Return the module with the reference text of every agent."""
    cut = {agent: _text(files, asked) for agent, asked in plugin.settings.references.items()}
    sources = (f"{plugin.folder}/plugin.yaml", *_sources(files))
    text = f'"""Rendered from references/*.md.j2: edit those files, not this one."""\n\nTEXTS = {table_of(cut)}\n'
    return BundleFile(TABLE, text.encode(), sources=sources)


def reference_problems(shown: str, plugin: Plugin, files: Mapping[str, BundleFile]) -> Iterator[Problem]:
    """Yield every reference file and section that an agent is given but that does not exist."""
    known = [path[len(FOLDER) + 1 : -3] for path in files if path.startswith(f"{FOLDER}/")]
    for agent, asked in plugin.settings.references.items():
        for name, sections in asked.items():
            if name not in known:
                yield Problem(shown, 1, "reference", f"there is no {FOLDER}/{name}.md", nearest(name, known))
                continue
            there = {key for key, _ in _sections(files[_path(name)].text)}
            for missing in [key for key in _keys(sections) if key not in {ALL, *there}]:
                message = (
                    f"{agent} is given the section '{missing}' of {FOLDER}/{name}.md, which does not exist"
                )
                yield Problem(shown, 1, "reference", message, nearest(missing, there))


def savings(bundle: Bundle) -> tuple[Saving, ...]:
    """Return for each agent what its dispatch carries and what the whole files would cost."""
    whole = sum(len(file.text) for path, file in bundle.files.items() if path.startswith(f"{FOLDER}/"))
    table = bundle.files.get(TABLE)
    texts = ast.literal_eval(table.text.partition("TEXTS = ")[2]) if table else {}
    return tuple(Saving(agent, tokens(len(text)), tokens(whole)) for agent, text in texts.items())


def _text(files: Mapping[str, BundleFile], asked: Mapping[str, str]) -> str:
    parts = []
    for name, sections in asked.items():
        keys = [*_keys(sections)]
        if (file := files.get(_path(name))) is not None:
            found = [text for key, text in _sections(file.text) if key in keys or ALL in keys]
            parts.append("\n\n".join([f"# {name}", *found]))
    return "\n\n".join(parts)


def _sections(text: str) -> list[tuple[str, str]]:
    """Return each section under its number, or under its name if it has none; headings of an example are text."""
    fenced = [one.span() for one in _FENCE.finditer(text)]
    found = [
        one for one in _HEADING.finditer(text) if not any(start < one.start() < end for start, end in fenced)
    ]
    ends = [*(one.start() for one in found[1:]), len(text)]
    return [
        (one.group(1) or one.group(2), text[one.start() : end].strip())
        for one, end in zip(found, ends, strict=True)
    ]


def _keys(sections: str) -> Iterator[str]:
    for word in re.split(r",\s*", sections):
        if spread := _RANGE.fullmatch(word):
            yield from map(str, range(int(spread.group(1)), int(spread.group(2)) + 1))
        else:
            yield word


def _path(name: str) -> str:
    return f"{FOLDER}/{name}.md"


def _sources(files: Mapping[str, BundleFile]) -> Iterable[str]:
    return (file.sources[0] for path, file in files.items() if path.startswith(f"{FOLDER}/"))
