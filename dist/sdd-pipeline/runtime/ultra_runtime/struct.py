"""A base for plain records: no constructor to write, and none of the imports that `dataclasses` needs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform():
        """Return a decorator that does nothing; it lets a type checker infer the constructors."""
        return lambda cls: cls


@dataclass_transform()
class Struct:
    """Take values in the order of the subclass's annotations, or by name; the others keep their defaults."""

    def __init__(self, *values: object, **named: object) -> None:
        self.__dict__.update(zip(type(self).__annotations__, values), **named)


EMPTY: Mapping[Any, Any] = {}
"""The default of a field that is a mapping."""
