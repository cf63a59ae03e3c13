"""What the named rules of a contract look at: the values of an artifact, their lines and its body."""

from __future__ import annotations

from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.typed import Any, Callable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.body import FoundPart


def parsed_key(name: str) -> str:
    """Return the key under which a validator's result has a field of a part."""
    return name.lower().replace(" ", "_")


class Subject(Struct):
    """An artifact that has been read."""

    values: dict[str, Any]
    line_of: Callable[[tuple[str, ...]], int | None]
    sections: list[str] | None = None
    parts: Mapping[str, list[FoundPart]] = EMPTY

    def line(self, *path: str) -> int | None:
        """Return the line of a field."""
        return self.line_of(path)

    def text(self, name: str) -> str:
        """Return a field that is text, or nothing."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> int | None:
        """Return a field that is a whole number, or None."""
        value = self.values.get(name)
        return value if type(value) is int else None

    def parsed(self) -> dict[str, Any]:
        """Return the artifact as a validator's result shows it."""
        if self.sections is None:
            return self.values
        parts = {name: [one.as_data() for one in found] for name, found in self.parts.items()}
        return {**self.values, "sections": self.sections, **parts}
