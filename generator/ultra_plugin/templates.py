"""Render Jinja templates: sandboxed, strict about names, with every error and line traced to its template."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, TemplateSyntaxError, nodes
from jinja2.environment import Environment, Template
from jinja2.exceptions import SecurityError, TemplateNotFound, UndefinedError
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ultra_plugin.blocks import Block, block_faults, blocks_of
from ultra_plugin.compiled import current, key_of
from ultra_plugin.document import nearest
from ultra_plugin.errors import NotKnown, Problem, ProblemsFound, UltraError, problem
from ultra_plugin.source import SourceTree
from ultra_plugin.template_faults import Places, gather, settled

_MARK = "\0"
_REFERS = (nodes.Include, nodes.Extends, nodes.Import, nodes.FromImport)


class Templates:
    """The templates of a source tree, compiled once, with the names that they may use."""

    def __init__(self, tree: SourceTree, names: Mapping[str, Any]) -> None:
        self._tree = tree
        self._names = names
        self._loader = _Loader(tree)
        self._environment = _environment(self._loader, names)
        self._closures: dict[str, tuple[str, ...]] = {}

    def sources(self, name: str) -> tuple[str, ...]:
        """Return a template and all that it includes, extends or imports, itself first."""
        if name not in self._closures:
            found: dict[str, None] = {}
            self._walk(name, found, ())
            self._closures[name] = tuple(found)
        return self._closures[name]

    def render(self, name: str) -> str:
        """Render a template; a fault names its line and the chain of includes."""
        self.sources(name)
        if faults := list(block_faults(name, self._loader.blocks, self._loader.parents)):
            raise ProblemsFound(
                self._tree.problem(place, line, code, message, remedy)
                for code, place, line, message, remedy in faults
            )
        try:
            return self._environment.get_template(name).render()
        except Exception as error:
            raise ProblemsFound(self._all_told(error, name)) from error

    def trace(self, name: str) -> list[tuple[str, int]]:
        """Return the template and line behind every rendered line.

        This renders once more, with a mark before each line of template text, so only a
        template with something to report pays for it.
        """
        environment = _environment(_Loader(self._tree), self._names, [_MarkLines])
        place = (name, 1)
        places = []
        for line in environment.get_template(name).render().split("\n"):
            before, *marks = line.split(_MARK)
            found = [(_place(mark), text) for mark, text in zip(marks[::2], marks[1::2], strict=True)]
            last = found[-1][0] if found else place
            places.append(place if before.strip() else next((at for at, text in found if text), last))
            place = last
        return places

    def _walk(self, name: str, found: dict[str, None], chain: tuple[tuple[str, int], ...]) -> None:
        """Collect the files that a template refers to; refuse a missing file or an include loop."""
        if name in (link[0] for link in chain):
            above, line = chain[-1]
            via = "itself" if above == name else f"{name}, which leads back to it"
            message = f"includes or extends {via}"
            raise problem(self._tree.shown(above), line, "include-loop", message, "break the loop")
        found[name] = None
        for line, reference in self._references(name, chain):
            if not isinstance(reference, str):
                message = "the name of an included file must be written out"
                raise problem(
                    self._tree.shown(name), line, "dynamic-include", message, "put the name in quotes"
                )
            if self._tree.find(reference) is None:
                known = nearest(reference, self._tree.templates())
                message = f"'{reference}' does not exist{_included_from(self._tree, chain)}"
                raise problem(self._tree.shown(name), line, "missing-include", message, known)
            self._walk(reference, found, (*chain, (name, line)))

    def _references(self, name: str, chain: tuple[tuple[str, int], ...]) -> tuple[tuple[int, object], ...]:
        try:
            self._environment.get_template(name)
        except TemplateSyntaxError as error:
            message = f"{error.message}{_included_from(self._tree, chain)}"
            remedy = _syntax_remedy(error.message or "", self._environment)
            raise problem(self._tree.shown(name), error.lineno, "template-syntax", message, remedy) from None
        return self._loader.references[name]

    def _all_told(self, error: Exception, name: str) -> list[Problem]:
        """Turn the error of a rendering, and all that come after it, into problems."""
        faults = gather(_Loader(self._tree), self._names, name, **_SETTINGS)
        if not faults:
            places = settled(_template_frames(error, self._tree, self._loader.references))
            return self._told(error, places or [(name, 0)])
        return [
            told
            for fault in faults
            for told in self._told(fault.error, settled(fault.places) or [(name, 0)], fault.remedy)
        ]

    def _told(self, error: Exception, places: Places, remedy: str = "") -> list[Problem]:
        """Turn an error into a problem at the innermost template line."""
        if isinstance(error, ProblemsFound):
            return list(error.problems)
        (inner, line), outer = places[-1], tuple(places[:-1])
        code = _CODES.get(type(error), "render")
        text = str(error) if type(error) in (*_CODES, UltraError) else f"{type(error).__name__}: {error}"
        if isinstance(error, NotKnown):
            text, remedy = error.message, error.remedy
        message = f"{text}{_included_from(self._tree, outer)}"
        return [self._tree.problem(inner, line, code, message, remedy)]


_CODES: dict[type[Exception], str] = {
    UndefinedError: "undefined",
    SecurityError: "unsafe-template",
    TemplateNotFound: "missing-include",
}

_SETTINGS: Mapping[str, Any] = {
    "autoescape": False,  # Markdown, not HTML
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
_NO_FILTER = re.compile(r"No (?:filter|test) named '(\w+)'")


def _environment(
    loader: BaseLoader, names: Mapping[str, Any], extensions: list[type[Extension]] | None = None
) -> Environment:
    environment = ImmutableSandboxedEnvironment(
        loader=loader, undefined=StrictUndefined, extensions=extensions or [], **_SETTINGS
    )
    environment.globals = dict(names)
    return environment


class _Loader(BaseLoader):
    """Load templates from the tree and keep their references, parsed once for both."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self.references: dict[str, tuple[tuple[int, object], ...]] = {}
        self.parents: dict[str, str] = {}
        self.blocks: dict[str, dict[str, Block]] = {}

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002
    ) -> Template:
        if self._tree.find(name) is None:
            raise TemplateNotFound(name)
        filename, text = self._tree.shown(name), self._tree.text(name)
        key = key_of(name, filename, _kind(environment), text)
        known = current.get(key)
        if known is None:
            known = _made(environment, name, filename, text)
            current.put(key, known)
        code, self.references[name], blocks, parent = known
        self.blocks[name] = {block: Block(*fields) for block, fields in blocks.items()}
        if parent is not None:
            self.parents[name] = parent
        return environment.template_class.from_code(environment, code, globals or {}, None)


def _kind(environment: Environment) -> str:
    """Return all of an environment that its code depends on."""
    classes = (type(environment), environment.code_generator_class, environment.undefined)
    return f"{classes} {environment.sandboxed} {environment.optimized} {sorted(environment.extensions)}"


def _made(environment: Environment, name: str, filename: str, text: str) -> tuple[Any, ...]:
    """Compile a template; return its code, its references, its blocks and what it extends."""
    tree = environment.parse(text, name, filename)
    refers = list(tree.find_all(_REFERS))
    blocks = {key: tuple(block) for key, block in blocks_of(tree).items()}
    parents = [str(_reference(node)[1]) for node in refers if isinstance(node, nodes.Extends)]
    code = environment.compile(tree, name, filename)
    return code, tuple(map(_reference, refers)), blocks, parents[-1] if parents else None


def _reference(node: nodes.Node) -> tuple[int, object]:
    """Return line and file name of an include, extends or import; a computed name is None."""
    return node.lineno, getattr(getattr(node, "template", None), "value", None)


def _syntax_remedy(message: str, environment: Environment) -> str:
    if filter_named := _NO_FILTER.match(message):
        close = difflib.get_close_matches(
            filter_named.group(1), [*environment.filters, *environment.tests], 1
        )
        return f"did you mean '{close[0]}'?" if close else "use one of Jinja's"
    if message.startswith("Encountered unknown tag"):
        return "fix the tag's name, or remove the tag"
    if message.startswith(("Unexpected end of template", "Missing end of")):
        return "close every block, such as {% if %} with {% endif %}"
    return "write {{ name }}, {% tag %} or {# remark #}, each with its closing braces"


class _MarkLines(Extension):
    """Put template and line before every line of template text and every expression."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type == "data":
                lines = token.value.split("\n")
                marked = (_mark(stream, token.lineno + n) + line for n, line in enumerate(lines))
                yield Token(token.lineno, "data", "\n".join(marked))
                continue
            if token.type == "variable_begin":
                yield Token(token.lineno, "data", _mark(stream, token.lineno))
            yield token


def _mark(stream: TokenStream, line: int) -> str:
    return f"{_MARK}{stream.name}:{line}{_MARK}"


def _place(mark: str) -> tuple[str, int]:
    template, _, line = mark.rpartition(":")
    return template, int(line)


def _template_frames(
    error: Exception, tree: SourceTree, names: Mapping[str, object]
) -> Iterator[tuple[str, int]]:
    """Yield template and line of each template frame of the traceback, outermost first."""
    shown = {tree.shown(name): name for name in names}
    trace = error.__traceback__
    while trace is not None:
        name = shown.get(trace.tb_frame.f_code.co_filename)
        if name is not None:
            yield name, trace.tb_lineno
        trace = trace.tb_next


def _included_from(tree: SourceTree, chain: tuple[tuple[str, int], ...]) -> str:
    return "".join(f", included from {tree.shown(name)}:{line}" for name, line in reversed(chain))
