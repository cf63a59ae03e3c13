"""Find the verb, run it, print its answer: the one place where an error becomes a sentence."""

from __future__ import annotations

import os
import sys

from ultra_runtime.answer import Answer, RefusedError, UnexpectedError, said_by_the_machine
from ultra_runtime.errors import UltraError
from ultra_runtime.rendered import launcher, names, verb
from ultra_runtime.typed import ModuleType, Sequence, TextIO
from ultra_runtime.usage import Usage, parse
from ultra_runtime.words import one_line

HELP = ("-h", "--help")
VERSION = ("-V", "--version")
VERBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verbs")


def main(argv: Sequence[str]) -> int:
    """Answer one call and return the exit status."""
    as_json = "--json" in _before_dashes(argv)
    stream = sys.stdout
    try:
        answer = _answer(argv)
    except Exception as problem:
        answer = _refusal(problem, argv).as_answer()
        stream = sys.stdout if as_json else sys.stderr
    return _print(answer, as_json, stream)


def _answer(argv: Sequence[str]) -> Answer:
    argv = list(argv)
    if argv[:1] == ["--json"]:
        del argv[0]
    if argv[:1] == ["help"]:
        argv = [*argv[1:], HELP[-1]]
    if argv and argv[0] in VERSION:
        name = names()
        data = {"ok": True, "plugin": name.plugin, "version": name.version}
        return Answer(data, f"{name.plugin} {name.version}")
    module, usage = _find_verb(argv)
    if module is None:
        return _help(argv)
    words = argv[len(usage.verb) :]
    if any(word in HELP for word in _before_dashes(words)):
        text = (module.__doc__ or "").strip()
        return Answer({"ok": True, "usage": verb(usage.line)}, f"usage: {verb(usage.line)}\n\n{text}")
    answer: Answer = module.run(parse(usage, words))
    return answer


def _before_dashes(words: Sequence[str]) -> list[str]:
    return list(words[: words.index("--")] if "--" in words else words)


def _find_verb(argv: Sequence[str]) -> tuple[ModuleType | None, Usage]:
    """Return the module of the verb that a call names, or none, and its usage."""
    for count in (2, 1):
        spelled = list(argv[:count])
        name = "_".join(spelled).replace("-", "_")
        for module_name in (name, f"{name}_") if len(spelled) == count and name[:1] not in ("", "_") else ():
            if os.path.isfile(os.path.join(VERBS, f"{module_name}.py")):
                module = __import__("ultra_runtime.verbs." + module_name, fromlist=["*"])
                usage = Usage(module.USAGE)
                if usage.verb == spelled:
                    return module, usage
    return None, Usage("none")


def _help(argv: Sequence[str]) -> Answer:
    """Answer a call for help about no verb or about a family, such as `run --help`; refuse any other."""
    from ultra_runtime.help_text import family, list_family, list_verbs, unknown

    if argv and argv[0] in HELP:
        return list_verbs()
    if all(word.startswith("-") for word in argv[1:]) and any(word in HELP for word in argv):
        verbs = family(argv[0])
        if verbs:
            return list_family(verbs)
    raise unknown(argv)


def _refusal(problem: Exception, argv: Sequence[str]) -> RefusedError:
    """Return the answer for an error: what somebody can fix is a refusal, anything else is unexpected."""
    if isinstance(problem, RefusedError):
        return problem
    if isinstance(problem, UltraError):
        return RefusedError(str(problem), problem.hint)
    said = said_by_the_machine(problem)
    if said:
        return RefusedError(said, "fix this and retry; what was done before stays")
    return _unexpected(problem, argv)


def _unexpected(problem: Exception, argv: Sequence[str]) -> RefusedError:
    """Return the answer for an unexpected error, with the path of its log."""
    if os.environ.get("ULTRA_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    from ultra_runtime.files.unexpected import keep

    error = f"internal error, {type(problem).__name__}: {one_line(str(problem))}"
    log = keep(problem, argv)
    hint = "No log could be written; with ULTRA_DEBUG=1 the call prints the traceback."
    return UnexpectedError(error, f"The log is {log}; please report it." if log else hint)


def _print(answer: Answer, as_json: bool, stream: TextIO | None) -> int:
    if stream is None:  # the caller closed it
        return answer.status
    text = answer.text.rstrip("\n") + "\n"
    if as_json or answer.batch is not None:
        from ultra_runtime.text.jsontext import write

        lines = [answer.data] if answer.batch is None else answer.batch
        text = "".join(write(line) + "\n" for line in lines)
    elif stream.isatty():
        from ultra_runtime.text.colour import coloured, wants_colour

        text = coloured(text) if wants_colour(stream) else text
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as problem:
        _silence(stream)
        sys.stderr.write(f"{launcher()}: the answer cannot be written: {problem.strerror}\n")
        return 1
    return answer.status


def _silence(stream: TextIO) -> None:
    """Discard what is still buffered; else the interpreter complains about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
