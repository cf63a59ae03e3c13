"""Find a launcher that the runtime or a prompt spells out, and calls of unknown verbs.

The plugin chooses the launcher's name: Python takes it from `ultra_runtime.rendered`, a template from
`verb('...')` or `launcher`, and a contract from `{launcher}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Plugin, Suite, Verb
from ultra_plugin.parts import FOLDER
from ultra_plugin.per_plugin import MARK
from ultra_plugin.source import SourceTree

CODE = "launcher-by-hand"
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_VERB = re.compile(r"""(?<![\w.])verb\(["']([a-z][^"'{]*)["']\)""")
_ASKED = re.compile(r"""(?<![\w.])has_verb\(["']([a-z-]+)""")
_FOLDERS = ("contracts/", "policy/", "outputs/", "fragments/", "plugins/")
_REMEDIES = {
    ".py": "write verb('...') of ultra_runtime.rendered; in a docstring leave the launcher out",
    ".j2": "write {{ verb('...') }}",
    ".yaml": f"write {MARK} instead",
    ".md": "leave the launcher out, or make the file a template",
}
_SUFFIXES = (".j2", ".yaml", ".md")
_NOT_RENDERED = ("contracts/fixtures/", "contracts/released/")


def launcher_problems(tree: SourceTree, suite: Suite, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield every verb call whose launcher is a literal, and every verb() that a plugin with its module lacks."""
    launchers = {plugin.launcher for plugin in suite.plugins if plugin.launcher}
    if not launchers or not suite.verbs:
        return
    words = "|".join(map(re.escape, sorted({verb.split()[0] for verb in suite.verbs})))
    call = re.compile(rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, sorted(launchers)))}) (?:{words})(?![\w-])")
    for path in tree.files():
        is_python = path.startswith(FOLDER) and path.endswith(".py")
        is_text = path.startswith(_FOLDERS) and path.endswith(_SUFFIXES)
        if not is_python and (not is_text or path.startswith(_NOT_RENDERED)):
            continue
        text, remedy = tree.text(path), _REMEDIES[path[path.rindex(".") :]]
        plain = _JINJA.sub(_blank, text) if path.endswith(".j2") else text
        for found in call.finditer(plain):
            message = f"'{found.group()}' spells out the launcher's name"
            yield tree.problem(path, _line(text, found), CODE, message, remedy)
        if is_python:
            pairs = zip(suite.plugins, bundles, strict=True)
            carrying = [plugin for plugin, bundle in pairs if path in bundle.files]
            for line, message, remedy in _dangling(text, suite, carrying):
                yield tree.problem(path, line, "dangling-verb", message, remedy)


def _dangling(text: str, suite: Suite, carrying: Iterable[Plugin]) -> Iterator[tuple[int, str, str]]:
    """Yield the verbs that a module names and a plugin that carries it lacks.

    A module that asks has_verb() for a verb may name all that begin with the same word.
    """
    asked = {*_ASKED.findall(text)}
    for found in _VERB.finditer(text):
        said = found.group(1)
        line = _line(text, found)
        if said.split()[0] in asked:
            continue
        if not (lacking := [plugin for plugin in carrying if not _offers(plugin, said, suite.verbs)]):
            if _find(said, suite.verbs) is None and not any(_offered(plugin, said) for plugin in carrying):
                yield (
                    line,
                    f"verb('{said}') does not begin with a verb of the runtime",
                    nearest(said, suite.verbs),
                )
            continue
        names = ", ".join(plugin.settings.name for plugin in lacking)
        message = f"verb('{said}') is not a verb of {names}, where this module ships"
        own = {verb for plugin in lacking for verb in plugin.verbs}
        remedy = (
            f"{nearest(said, own)}; or name another under 'verbs:' in plugin.yaml, or ask has_verb() first"
        )
        yield line, message, remedy


def _offers(plugin: Plugin, said: str, verbs: Mapping[str, Verb]) -> bool:
    """Tell whether a plugin has a verb, or could not run code that names it: it lacks the verb's stage."""
    if instead := _offered(plugin, said):
        return _find(instead, plugin.verbs) is not None
    known = _find(said, verbs)
    stage = known.stage if known else None
    return _find(said, plugin.verbs) is not None or (stage is not None and stage not in plugin.stages)


def _offered(plugin: Plugin, said: str) -> str:
    """Return the verb that plugin.yaml names instead, as the runtime does; empty when it names none."""
    instead = plugin.settings.runtime.verbs if plugin.settings.runtime else {}
    return next(
        (own + said[len(verb) :] for verb, own in instead.items() if f"{said} ".startswith(f"{verb} ")), ""
    )


def _find(said: str, verbs: Mapping[str, Verb]) -> Verb | None:
    """Return the verb that a call begins with."""
    words = said.split()
    return verbs.get(" ".join(words[:2])) or verbs.get(words[0])


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1
