"""Find the verb, run it, print its answer: the one place where an error becomes a sentence."""

from __future__ import annotations

import errno
import os
import sys

from ultra_runtime.answer import Answer, RefusedError, UnexpectedError, UsageError
from ultra_runtime.errors import UltraError
from ultra_runtime.rendered import launcher, names, verb
from ultra_runtime.typed import ModuleType, Sequence, TextIO
from ultra_runtime.usage import Usage, parse
from ultra_runtime.words import nearest, one_line

HELP = ("-h", "--help")
# The disk is full, broken or read-only, a file may not be changed, or too many files are open.
OF_THE_MACHINE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG),
    *(errno.EPERM, errno.EACCES, errno.EMFILE, errno.ENFILE),
)
LISTS = f"usage: {launcher()} --help lists the verbs"
STATUSES = (
    "Exit status: 0 done or answered, 1 refused or not valid, 2 wrong usage, 3 an unexpected error (logged)."
)


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
    if argv and argv[0] == "help":
        argv = [*argv[1:], HELP[-1]]
    if not argv:
        raise UsageError(f"missing verb; use one of: {', '.join(_verbs())}", LISTS)
    if argv[0] in HELP:
        return _help(_verbs())
    if argv[0] == "--version":
        name = names()
        data = {"ok": True, "plugin": name.plugin, "version": name.version}
        return Answer(data, f"{name.plugin} {name.version}")
    family = _family(argv)
    if family:
        return _help(family)
    module, usage = _find_verb(argv)
    words = argv[len(usage.verb) :]
    if any(word in HELP for word in _before_dashes(words)):
        text = (module.__doc__ or "").strip()
        return Answer({"ok": True, "usage": verb(usage.line)}, f"usage: {verb(usage.line)}\n\n{text}")
    answer: Answer = module.run(parse(usage, words))
    return answer


def _before_dashes(words: Sequence[str]) -> list[str]:
    return list(words[: words.index("--")] if "--" in words else words)


def _find_verb(argv: Sequence[str]) -> tuple[ModuleType, Usage]:
    modules = _verb_modules()
    for count in (2, 1):
        spelled = list(argv[:count])
        module_name = modules.get("_".join(spelled).replace("-", "_"))
        if len(spelled) == count and module_name:
            module = _load(module_name)
            usage = Usage(module.USAGE)
            if usage.verb == spelled:
                return module, usage
    known = _verbs()
    family = [name for name in known if name.startswith(f"{argv[0]} ")]
    if family and not _words(argv[1:]):
        raise UsageError(f"{argv[0]} is not a verb by itself; use one of: {', '.join(family)}", LISTS)
    word = one_line(" ".join(argv[:2]) if family else argv[0])
    raise UsageError(f"unknown verb: {word}{nearest(word, family or known)}", LISTS)


def _words(argv: Sequence[str]) -> list[str]:
    return [word for word in argv if not word.startswith("-")]


def _family(argv: Sequence[str]) -> dict[str, ModuleType]:
    """Return the verbs that begin with the one word of a call for help, such as `run --help`."""
    if _words(argv) != [argv[0]] or not any(word in HELP for word in argv):
        return {}
    verbs = _verbs()
    return {} if argv[0] in verbs else {name: verbs[name] for name in verbs if name.startswith(f"{argv[0]} ")}


def _verb_modules() -> dict[str, str]:
    """Return module names by verb; the final `_` of a keyword such as `continue_` is not part of the verb."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verbs")
    found = sorted(entry[:-3] for entry in os.listdir(folder) if entry.endswith(".py") and entry[0] != "_")
    return {name.rstrip("_"): name for name in found}


def _load(name: str) -> ModuleType:
    return __import__("ultra_runtime.verbs." + name, fromlist=["*"])


def _verbs() -> dict[str, ModuleType]:
    """Return every verb as it is spelled, with its module."""
    modules = map(_load, _verb_modules().values())
    return {" ".join(Usage(module.USAGE).verb): module for module in modules}


def _help(verbs: dict[str, ModuleType]) -> Answer:
    summaries = [(one.USAGE, (one.__doc__ or "").strip().partition("\n")[0]) for one in verbs.values()]
    lines = [f"usage: {launcher()} VERB ...", ""]
    lines += [f"  {verb(usage)}\n      {summary}" for usage, summary in summaries]
    lines += ["", f"{launcher()} VERB --help explains a verb; --json prints JSON.", STATUSES]
    return Answer({"ok": True, "verbs": dict(summaries)}, "\n".join(lines))


def _refusal(problem: Exception, argv: Sequence[str]) -> RefusedError:
    """Return the answer for an error: what somebody can fix is a refusal, anything else is unexpected."""
    if isinstance(problem, RefusedError):
        return problem
    if isinstance(problem, UltraError):
        return RefusedError(str(problem), problem.hint)
    if isinstance(problem, OSError) and problem.errno in OF_THE_MACHINE:
        where = f" ({one_line(str(problem.filename))})" if problem.filename else ""
        return RefusedError(f"{problem.strerror}{where}", "fix this and retry; what was done before stays")
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
