"""What the bundled runtime can do, read from the source of its verbs without running it."""

from __future__ import annotations

import ast
import re

from ultra_plugin.errors import Problem, ProblemsFound
from ultra_plugin.model import Verb
from ultra_plugin.source import SourceTree

FOLDER = "runtime/ultra_runtime/verbs"


def read_verbs(tree: SourceTree) -> dict[str, Verb]:
    """Return verb name -> verb for every module in the folder of verbs."""
    verbs: dict[str, Verb] = {}
    problems = []
    for path in tree.files(FOLDER):
        if path.endswith("/__init__.py"):
            continue
        try:
            verb = _read_verb(tree.text(path))
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", 0) or 0
            remedy = 'begin the module with a docstring and USAGE = "..."'
            problems.append(Problem(tree.shown(path), line, "verb", str(error), remedy))
        else:
            verbs[verb.name] = verb
    if problems:
        raise ProblemsFound(problems)
    return verbs


def _read_verb(source: str) -> Verb:
    module = ast.parse(source)
    constants = {
        ast.unparse(node.targets[0]): node.value for node in module.body if isinstance(node, ast.Assign)
    }
    if "USAGE" not in constants:
        raise ValueError("a verb's module has no USAGE")
    usage = str(ast.literal_eval(constants["USAGE"]))
    name = re.match(r"[a-z][a-z-]*(?: [a-z][a-z-]*)*", usage)
    if name is None:
        raise ValueError(f"USAGE does not begin with the verb: {usage!r}")
    flags = frozenset(re.findall(r"--[a-z][a-z-]*", usage))
    summary = (ast.get_docstring(module) or "").split("\n", 1)[0]
    reads_only = "READ_ONLY" in constants and ast.literal_eval(constants["READ_ONLY"]) is True
    return Verb(name.group(), summary, usage, flags | {"--help", "--json"}, reads_only)
