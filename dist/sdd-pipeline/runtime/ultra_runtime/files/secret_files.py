"""Keep secrets out of what is quoted: whole files by name, and single lines of a text."""

from __future__ import annotations

from ultra_runtime.files.secret_scan import secret_lines
from ultra_runtime.rendered import table, table_names
from ultra_runtime.typed import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    Patterns = tuple[tuple[str, ...], tuple[str, ...]]

PLACEHOLDER = "[left out: this line looks like it holds {}]"


def may_hold_secrets(path: str) -> bool:
    """Tell whether the policy lists a file of this name as secret."""
    name = path.rpartition("/")[2].lower()
    rules: Mapping[str, Patterns] = table("policy").SECRET_FILES if "policy" in table_names() else {}
    return any(
        any(_like(name, pattern) for pattern in patterns) and not any(_like(name, free) for free in unless)
        for patterns, unless in rules.values()
    )


def without_secrets(diff: bytes) -> bytes:
    """Return a diff with a placeholder for each line that looks like a secret."""
    lines = diff.decode("utf-8", "surrogateescape").split("\n")
    # Without the sign in front of each line, or it would hide secrets of several lines, such as a private key.
    found = secret_lines("\n".join(line[1:] for line in lines))
    for number, what in found.items():
        lines[number - 1] = lines[number - 1][:1] + PLACEHOLDER.format(what)
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _like(name: str, pattern: str) -> bool:
    head, star, tail = pattern.lower().partition("*")
    if not star:
        return name == head
    return len(name) >= len(head) + len(tail) and name.startswith(head) and name.endswith(tail)
