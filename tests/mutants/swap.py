"""A fault put into modules that are loaded: their functions get the code of the faulty module."""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator
from types import CodeType, FunctionType


def swapped_codes(before: str, after: str, path: str) -> dict[tuple[str, int], CodeType]:
    """Return the new code of each changed function by name and line; none if what is run at loading changed."""
    was, now = (compile(text, path, "exec", dont_inherit=True) for text in (before, after))
    found: dict[tuple[str, int], CodeType] = {}
    return found if _collect(was, now, found) else {}


def _collect(was: CodeType, now: CodeType, found: dict[tuple[str, int], CodeType]) -> bool:
    """Add the functions below a code that differ, and tell whether the code itself stays as it is."""
    if _bare(was) != _bare(now):
        return False
    for one, other in zip(_inner(was), _inner(now), strict=True):
        key = one.co_name, one.co_firstlineno
        if _whole(one) == _whole(other):
            continue
        if not one.co_flags & 0x2:  # the body of a class
            if not _collect(one, other, found):
                return False
        elif key in found or one.co_freevars != other.co_freevars:
            return False
        else:
            found[key] = other
    return True


def _bare(code: CodeType) -> tuple[object, ...]:
    """Return what a code does without the codes below it, wherever it stands."""
    constants = [None if isinstance(one, CodeType) else (type(one), one) for one in code.co_consts]
    return code.co_code, code.co_names, constants


def _whole(code: CodeType) -> tuple[object, ...]:
    """Return what a code does with the codes below it."""
    return *_bare(code), [_whole(one) for one in _inner(code)]


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (one for one in code.co_consts if isinstance(one, CodeType))


def swap(codes: dict[tuple[str, int], CodeType], path: str) -> set[tuple[str, int]]:
    """Give functions their new code, forget what functions have kept, and return which functions were found."""
    found = set()
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename == path:
            key = one.__code__.co_name, one.__code__.co_firstlineno
            if key in codes:
                one.__code__ = codes[key]
                found.add(key)
        elif isinstance(one, functools._lru_cache_wrapper):
            one.cache_clear()
    return found
