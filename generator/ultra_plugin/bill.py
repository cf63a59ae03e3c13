"""Count a plugin's cost in tokens as an offline client does: characters / 4."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import yaml

from ultra_plugin.document import LOADER
from ultra_plugin.model import Budget, Bundle, BundleFile

_GUIDE = re.compile(r"\b[a-z-]+ guide ([a-z0-9-]+)(?: ([a-z0-9-]+))?")
_ATTACHED = re.compile(r"@\$\{CLAUDE_PLUGIN_ROOT\}/([^\s`'\")]+)")


@dataclass(frozen=True, slots=True)
class Item:
    """The cost of one command, agent or skill, in characters."""

    name: str
    path: str
    listed: int
    """Characters that every conversation carries: name and description."""
    body: int
    """Characters added when it is used."""
    closure: int
    """Characters of the body and of every guide and file that the model then reads."""
    budget: Budget

    def over(self) -> Iterator[tuple[str, int, int]]:
        """Yield each figure above its budget: name, tokens, budget."""
        figures = {"always_on": self.listed, "on_invoke": self.body, "closure": self.closure}
        for name, characters in figures.items():
            limit = getattr(self.budget, name)
            if limit is not None and tokens(characters) > limit:
                yield name, tokens(characters), limit


def tokens(characters: int) -> int:
    """Return tokens for characters, rounded half up as the client rounds."""
    return (characters * 2 + 4) // 8


def bill(bundle: Bundle) -> list[Item]:
    """Return the cost of everything in a bundle that the client lists."""
    return [_item(bundle, file, name) for file, name in _listed(bundle)]


def always_on(items: list[Item]) -> int:
    """Return the characters that the whole plugin adds to every conversation; the client counts no line ends."""
    return sum(item.listed for item in items)


def split_front_matter(text: str) -> tuple[str, str]:
    """Return front matter and body of a Markdown file."""
    if not text.startswith("---\n"):
        return "", text
    head, found, body = text[4:].partition("\n---\n")
    return (head, body) if found else ("", text)


def _listed(bundle: Bundle) -> Iterator[tuple[BundleFile, str]]:
    for path, file in bundle.files.items():
        folder, _, rest = path.partition("/")
        if folder in ("commands", "agents") and path.endswith(".md"):
            yield file, f"{bundle.name}:{rest.removesuffix('.md').replace('/', ':')}"
        elif folder == "skills" and rest.endswith("/SKILL.md") and rest.count("/") == 1:
            yield file, f"{bundle.name}:{rest.removesuffix('/SKILL.md')}"


def _item(bundle: Bundle, file: BundleFile, name: str) -> Item:
    head, body = split_front_matter(file.text)
    # The client's own count has agents without the prefix under which they are spawned.
    counted = name.partition(":")[2] if file.path.startswith("agents/") else name
    return Item(
        name=name,
        path=file.path,
        listed=len(f"{counted} {_description(head)}"),
        body=len(body),
        closure=len(body) + sum(len(bundle.files[path].text) for path in read_along(bundle, body)),
        budget=file.budget or Budget(),
    )


@cache  # for the check of budgets and for the report
def _description(head: str) -> str:
    try:
        meta = yaml.load(head, Loader=LOADER)  # noqa: S506 the safe loader, in C
    except yaml.YAMLError:
        return ""
    return str(meta.get("description", "")) if isinstance(meta, dict) else ""


def read_along(bundle: Bundle, body: str) -> list[str]:
    """Return the files that a prompt makes the model read, guides of guides included."""
    found: dict[str, None] = {}
    waiting = [body]
    while waiting:
        text = waiting.pop()
        paths = [
            f"guides/{command}/{phase}.md" if phase else f"guides/{command}.md"
            for command, phase in _GUIDE.findall(text)
        ]
        for path in (*paths, *_ATTACHED.findall(text)):
            if path in bundle.files and path not in found:
                found[path] = None
                waiting.append(bundle.files[path].text)
    return list(found)
