"""Read a YAML file of the subset: a mapping of scalars, lists of scalars, and mappings of scalars one level deep."""

from __future__ import annotations

from ultra_runtime.text.frontmatter import typed_values, without_mark
from ultra_runtime.text.yaml_mapping import MappingError, MappingReader, clean
from ultra_runtime.text.yaml_value import is_comment, skip_spaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class YamlDocument:
    """The values of a file, and the line of each key; the key of an inner value is (outer, inner)."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.lines: dict[tuple[str, ...], int] = {}


def read_yaml(data: bytes, types: Mapping[tuple[str, ...], str]) -> YamlDocument:
    """Read a file, or raise why it is not one; `types` names the contract's type of a key."""
    found = YamlDocument()
    try:
        text = without_mark(data).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise MappingError("the file is not UTF-8", data.count(b"\n", 0, problem.start)) from None
    lines = [clean(line, row) for row, line in enumerate(text.split("\n"))]
    outer, inner = _without_inner(lines)
    _read(found, outer, types, ())
    for row, block in inner.items():
        name = next((key[0] for key, line in found.lines.items() if line == row + 1), "")
        if found.values.get(name) is not None:
            raise MappingError("a mapping cannot follow a value", row + 1)
        found.values[name] = {}
        _read(found, block, types, (name,))
    return found


def _read(
    found: YamlDocument, lines: list[str], types: Mapping[tuple[str, ...], str], above: tuple[str, ...]
) -> None:
    reader = MappingReader(lines)
    reader.read()
    found.lines.update({(*above, name): row + 1 for name, row in reader.row_of.items()})
    kinds = {key[-1]: kind for key, kind in types.items() if key[:-1] == above}
    values = found.values[above[0]] if above else found.values
    values.update(typed_values(reader, kinds))


def _without_inner(lines: list[str]) -> tuple[list[str], dict[int, list[str]]]:
    """Return the outer lines, and row of a key -> the lines of the mapping below it; the others are blank there."""
    outer = list(lines)
    blocks: dict[int, list[str]] = {}
    key, block = -1, False
    for row, line in enumerate(lines):
        at = skip_spaces(line, 0)
        if at == len(line) or is_comment(line, at):
            continue
        if at == 0:
            key, block = row, False
        elif not block and key >= 0 and lines[key].partition(" #")[0].rstrip().endswith(":"):
            # A list belongs to the outer mapping; what is below a key is one or the other.
            block = not (line[at] == "-" and line[at + 1 : at + 2] in ("", " "))
            key = key if block else -1
        if block and at:
            blocks.setdefault(key, [""] * len(lines))[row] = line
            outer[row] = ""
    return outer, blocks
