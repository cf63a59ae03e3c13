"""Plain values under names, without a constructor by hand and without the imports that `dataclasses` needs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform():
        """Return what only a type checker needs: it then knows the constructor of every subclass."""
        return lambda cls: cls


@dataclass_transform()
class Struct:
    """Takes its values in the order of the annotations of the subclass, or by name; the rest has its default."""

    def __init__(self, *values: object, **named: object) -> None:
        self.__dict__.update(zip(type(self).__annotations__, values))
        self.__dict__.update(named)
