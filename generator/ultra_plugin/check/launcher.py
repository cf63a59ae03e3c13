"""Find a launcher that the runtime or a prompt spells out, and calls of unknown verbs.

The plugin chooses the launcher's name: Python takes it from `ultra_runtime.rendered`, a template from
`verb('...')` or `launcher`, and a contract from `{launcher}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.check.codes import warning
from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Suite
from ultra_plugin.parts import FOLDER
from ultra_plugin.per_plugin import MARK
from ultra_plugin.source import SourceTree

CODE = "launcher-by-hand"
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_VERB = re.compile(r"""\bverb\(["']([a-z][^"'{]*)["']\)""")
_FOLDERS = ("contracts/", "policy/", "outputs/", "fragments/", "plugins/")
_REMEDIES = {
    ".py": "write verb('...') of ultra_runtime.rendered; in a docstring leave the launcher out",
    ".j2": "write {{ verb('...') }}",
    ".yaml": f"write {MARK} instead",
    ".md": "leave the launcher out, or make the file a template",
}
_SUFFIXES = (".j2", ".yaml", ".md")
_NOT_RENDERED = ("contracts/fixtures/", "contracts/released/")


def launcher_problems(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Yield every verb call whose launcher is a literal, and every verb() of an unknown verb."""
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
        for found in _VERB.finditer(text) if is_python else ():
            if not _is_verb(said := found.group(1), suite):
                message = f"verb('{said}') does not begin with a verb of the runtime"
                remedy = nearest(said, suite.verbs)
                yield warning(tree.shown(path), _line(text, found), "dangling-verb", message, remedy)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1


def _is_verb(said: str, suite: Suite) -> bool:
    words = said.split()
    return " ".join(words[:2]) in suite.verbs or words[0] in suite.verbs
