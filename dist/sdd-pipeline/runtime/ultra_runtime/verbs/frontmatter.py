"""Parse the front matter of a file and show it as the result of a validation."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.contract.result import Issue, Result
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.text.frontmatter import parse
from ultra_runtime.text.jsontext import write
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "frontmatter PATH [--json]"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer with the parsed mapping or with the code and line of the first problem."""
    path = args.need("PATH")
    result = _read(path)
    if result.parsed is None:
        return Answer(result.as_data(), "\n".join(map(str, result.errors)), 1)
    lines = [f"{one_line(name)}: {one_line(write(value), 500)}" for name, value in result.parsed.items()]
    return Answer(result.as_data(), "\n".join(lines))


def _read(path: str) -> Result:
    try:
        found = parse(read_regular(path))
    except UnreadableError as refused:
        code = "FM_NOT_FOUND" if refused.missing else "FM_READ_ERROR"
        return Result([Issue(code, str(refused), path)], [], None)
    problem = found.problem
    errors = [Issue(problem.code, str(problem), path, problem.line)] if problem else []
    return Result(errors, [], found.values)
