"""The names that annotations use; at run time they mean nothing, so that no call has to import `typing`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType, TracebackType
    from typing import Any, Optional, TextIO, TypeVar, Union
else:
    Any = Callable = Collection = Container = Iterable = Iterator = Mapping = Sequence = None
    ModuleType = Optional = TextIO = TracebackType = TypeVar = Union = None

__all__ = [
    "Any", "Callable", "Collection", "Container", "Iterable", "Iterator", "Mapping", "ModuleType", "Optional", "Sequence", "TextIO",
    "TracebackType", "TypeVar", "Union",
]  # fmt: skip
