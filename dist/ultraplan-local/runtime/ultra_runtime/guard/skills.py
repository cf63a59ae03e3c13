"""Tell whether a skill may start a sub-agent: the client runs one with `context: fork` as an agent."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.rendered import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY = b"context"


def may_start_agent(name: str, folders: Sequence[str]) -> bool:
    """Tell whether the skill may run as an agent: it forks, or nobody finds its text. Those of this plugin do not."""
    name = name.strip().lstrip("/")
    if name.startswith(f"{names().plugin}:"):
        return False
    is_plain = name.replace("-", "").replace("_", "").isalnum()
    texts = list(_texts(name, folders)) if is_plain else []
    return not texts or any(map(_forks, texts))


def _forks(text: bytes) -> bool:
    """Tell whether the front matter of a skill says where it is run."""
    rows = [line.partition(b":") for line in text.partition(b"\n---")[0].splitlines()]
    return any(colon and key.strip(b" \t\"'") == KEY for key, colon, _ in rows)


def _texts(name: str, folders: Sequence[str]) -> Iterator[bytes]:
    """Return the skills and commands of that name, of the project and of the user."""
    homes = [os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")]
    for folder in folders:
        while folder not in ("", os.path.dirname(folder)):
            homes.append(os.path.join(folder, ".claude"))
            folder = os.path.dirname(folder)
    for home in dict.fromkeys(homes):
        for path in (("skills", name, "SKILL.md"), ("commands", f"{name}.md")):
            try:
                yield read_regular(os.path.join(home, *path))
            except UnreadableError:
                continue
