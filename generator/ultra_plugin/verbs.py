"""Read the verbs of the runtime from their source, without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping

from ultra_plugin.errors import Problem, refuse
from ultra_plugin.model import Verb
from ultra_plugin.source import SourceTree
from ultra_plugin.syntax import Python, parse, try_parse
from ultra_plugin.usage import Fault, UsageLine, option_faults, read_usage, usage_faults

RUNTIME = "runtime/ultra_runtime"
FOLDER = f"{RUNTIME}/verbs"
_NAME = re.compile(r"[a-z]")
_FOR_PEOPLE = ("look", "act")  # what a verb for people does; the list of verbs begins with them
_USAGE_LINE = 'write USAGE = "verb PATH [--flag]" below the docstring'


def read_verbs(tree: SourceTree) -> dict[str, Verb]:
    """Return verb name -> verb for every module in the folder of verbs."""
    verbs: dict[str, Verb] = {}
    problems: list[Problem] = []
    named = _named_options(tree)
    for path in tree.files(FOLDER):
        if path.endswith("/__init__.py"):
            continue
        module, faults = _parsed(tree.text(path))
        constants = module.constants()
        stem = path.rpartition("/")[2].removesuffix(".py")
        if not faults:
            faults = [
                *_usage_faults(module, constants, stem, named), *_people_faults(constants), *_run_faults(module)
            ]  # fmt: skip
        problems += [tree.problem(path, line, "verb", message, remedy) for line, message, remedy in faults]
        if not faults:
            verb = _verb(path, module, constants)
            verbs[verb.name] = verb
    refuse(problems)
    return verbs


def _parsed(source: str) -> tuple[Python, list[Fault]]:
    """Return the module, or an empty one and its fault."""
    try:
        return parse(source), []
    except SyntaxError as error:
        line, why, remedy = error.lineno or 1, error.msg, "fix the syntax of this line or the one above"
    except ValueError as error:  # a null byte, before Python 3.12
        line, why, remedy = (
            source[: source.find("\0") + 1].count("\n") + 1,
            str(error),
            "remove the null byte",
        )
    return parse(""), [(line, f"is not Python: {why}", remedy)]


def _named_options(tree: SourceTree) -> set[str]:
    """Return every option that a module of the runtime names by itself, as code that reads it does."""
    modules = filter(
        None, (try_parse(tree.text(path)) for path in tree.files(RUNTIME) if path.endswith(".py"))
    )
    texts = (node.value for module in modules for node in module.every(ast.Constant))
    return {text for text in texts if isinstance(text, str) and text.startswith("--")}


def _usage_faults(
    module: Python, constants: Mapping[str, ast.expr], stem: str, named: Container[str]
) -> Iterator[Fault]:
    usage = constants.get("USAGE")
    if usage is None:
        yield 1, "the verb has no USAGE", _USAGE_LINE
    elif not isinstance(usage, ast.Constant) or not isinstance(usage.value, str):
        yield usage.lineno, "USAGE is not a plain string", _USAGE_LINE
    elif not _NAME.match(usage.value):
        yield usage.lineno, f"USAGE does not begin with the verb: {usage.value!r}", _USAGE_LINE
    else:
        yield from usage_faults(usage, stem)
        if isinstance(line := read_usage(usage.value), UsageLine):
            wrong = [*option_faults(module, line)]
            yield from wrong
            for option in sorted({*line.values, *line.flags} - {"--json"}) if not wrong else ():
                if option.startswith("--") and option not in named:
                    yield (
                        usage.lineno,
                        f"USAGE has {option}, which no code reads",
                        "read it, or take it out of USAGE",
                    )


def _people_faults(constants: Mapping[str, ast.expr]) -> Iterator[Fault]:
    """Yield the fault of a FOR_PEOPLE that the list of verbs has no title for."""
    value = constants.get("FOR_PEOPLE")
    if value is not None and not (isinstance(value, ast.Constant) and value.value in _FOR_PEOPLE):
        yield (
            value.lineno,
            f"FOR_PEOPLE is {ast.unparse(value)}",
            f"write {' or '.join(map(repr, _FOR_PEOPLE))}",
        )


def _run_faults(module: Python) -> Iterator[Fault]:
    """Yield faults that keep the runtime from calling run(args)."""
    found = [node for node in module.body if getattr(node, "name", "") == "run"]
    if not found:
        yield 1, "the verb has no run()", "define run(args), which returns the verb's answer"
        return
    run = found[-1]
    if not isinstance(run, ast.FunctionDef):
        yield run.lineno, "run is not a plain function", "define run(args) with def"
        return
    taken = run.args
    names = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, *filter(None, (taken.vararg, taken.kwarg))]
    if len(names) != 1 or len(taken.posonlyargs) + len(taken.args) != 1:
        shown = ", ".join(f"'{name.arg}'" for name in names) or "none"
        yield run.lineno, f"run() must take exactly one argument, but takes {shown}", "write run(args)"


def _verb(path: str, module: Python, constants: Mapping[str, ast.expr]) -> Verb:
    usage = ast.literal_eval(constants["USAGE"])
    line = read_usage(usage)
    assert isinstance(line, UsageLine)  # noqa: S101 - or there was a fault
    stage = constants.get("STAGE")
    summary = (ast.get_docstring(module.module) or "").split("\n", 1)[0]
    reads_only, people = constants.get("READ_ONLY"), constants.get("FOR_PEOPLE")
    return Verb(
        name=line.verb,
        summary=summary,
        usage=usage,
        flags=frozenset(name for name in line.values | line.flags if name[0] == "-") | {"--help", "--json"},
        reads_only=isinstance(reads_only, ast.Constant) and reads_only.value is True,
        for_people=people.value if isinstance(people, ast.Constant) and isinstance(people.value, str) else "",
        module=f"verbs.{path[len(FOLDER) + 1 : -len('.py')]}",
        stage=stage.value if isinstance(stage, ast.Constant) and isinstance(stage.value, str) else None,
    )
