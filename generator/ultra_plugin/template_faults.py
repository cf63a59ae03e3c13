"""Render a failed template again, continuing after each fault, to report all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from jinja2 import BaseLoader, Undefined
from jinja2.exceptions import UndefinedError
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from ultra_plugin.document import nearest

Places = list[tuple[str, int]]
"""Template and line, outermost first."""


class Fault(NamedTuple):
    """One fault, its place, and the known names there."""

    error: Exception
    places: Places
    remedy: str = ""


def gather(loader: BaseLoader, names: Mapping[str, Any], name: str, **settings: Any) -> list[Fault]:
    """Return every unknown name and every failing call in a template; each renders as blank."""
    environment = _Environment(loader=loader, undefined=_Blank, **settings)
    environment.globals = dict(names)
    with suppress(Exception):  # caused by a blank, maybe; the caller has one fault anyway
        environment.get_template(name).render()
    return environment.faults


def settled(places: Iterable[tuple[str, int]]) -> Places:
    """Return the chain without loops back to a template: its own blocks and macros are not includes."""
    found: Places = []
    for name, line in places:
        at = next((n for n, place in enumerate(found) if place[0] == name), len(found))
        found[at:] = [(name, line)]
    return found


class _Environment(ImmutableSandboxedEnvironment):
    """An environment that notes each fault and renders a blank instead."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.faults: list[Fault] = []

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        if isinstance(__obj, _Blank):
            return __obj.used()
        blanks = [value for value in (*args, *kwargs.values()) if isinstance(value, _Blank)]
        if blanks and not isinstance(__obj, Macro):  # a macro may test whether an argument was given
            for blank in blanks:
                blank.used()
            return _Blank()
        try:
            return super().call(__context, __obj, *args, **kwargs)
        except Exception as error:
            __self.faults.append(Fault(error, [*__self.places(), *__self._inner(error.__traceback__)]))
            return _Blank()

    def places(self) -> Places:
        """Return the template and line being rendered."""
        frame: FrameType | None = sys._getframe(1)
        places: Places = []
        while frame is not None:
            places += self._place(frame, frame.f_lineno)
            frame = frame.f_back
        return places[::-1]

    def _inner(self, trace: TracebackType | None) -> Iterator[tuple[str, int]]:
        while trace is not None:
            if trace.tb_frame is not sys._getframe(1):
                yield from self._place(trace.tb_frame, trace.tb_lineno)
            trace = trace.tb_next

    def _place(self, frame: FrameType, line: int) -> Places:
        template = frame.f_globals.get("__jinja_template__")
        if template is None or template.environment is not self:
            return []
        return [(str(template.name), template.get_corresponding_lineno(line))]


def _environment() -> _Environment | None:
    """Return the environment of the innermost template being rendered."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return template.environment if isinstance(template.environment, _Environment) else None
        frame = frame.f_back
    return None


class _Blank(Undefined):
    """A blank that accepts any operation and notes each use of an unknown name."""

    __slots__ = ()

    def used(self, *_: Any, **__: Any) -> _Blank:
        environment = _environment()
        if self._undefined_name is not None and environment is not None:
            error = UndefinedError(self._undefined_message)
            environment.faults.append(Fault(error, environment.places(), self._remedy(environment)))
        return _Blank()

    def _remedy(self, environment: _Environment) -> str:
        name, holder = str(self._undefined_name), self._undefined_obj
        if isinstance(holder, Mapping):
            known: Iterable[str] = map(str, holder)
        elif holder is missing:
            known = environment.globals
        else:
            known = (word for word in dir(holder) if not word.startswith("_"))
        words = list(known)
        return nearest(name, words) if words else ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.used()

    def __str__(self) -> str:
        self.used()
        return ""

    def __iter__(self) -> Iterator[Any]:
        self.used()
        return iter(())

    def __len__(self) -> int:
        self.used()
        return 0

    def __bool__(self) -> bool:
        self.used()
        return False

    def __eq__(self, other: object) -> bool:
        self.used()
        return False

    __hash__ = Undefined.__hash__
    __call__ = __getitem__ = used  # type: ignore[assignment]
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = used  # type: ignore[assignment]
