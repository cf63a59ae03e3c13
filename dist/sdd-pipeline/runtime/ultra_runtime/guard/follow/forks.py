"""Find fork bombs: functions that start themselves more than once, at least once in the background."""

from __future__ import annotations

from ultra_runtime.guard.shell.syntax import VARIABLE, Pipeline, Script, SimpleCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.shell.shell_state import Work

MAX_CALLS = 40  # a bomb is short, and the cost is quadratic


def _calls(script: Script, apart: bool, out: list[tuple[str, bool]], work: Work) -> None:
    """Collect the commands of a script, and whether each runs in parallel."""
    for pipeline in script.pipelines:
        work.spend(1)
        beside = apart or pipeline.background or len(pipeline.commands) > 1
        for command in pipeline.commands:
            if len(out) > MAX_CALLS:
                return
            if isinstance(command, SimpleCommand):
                name = command.words[0].plain() if command.words else None
                if name is not None:
                    out.append((name, beside))
            else:
                for inner in command.scripts:
                    _calls(inner, beside, out, work)


def is_bomb(name: str, functions: dict[str, Script], work: Work) -> bool:
    """Tell whether a call of the function starts ever more of itself."""
    own: list[tuple[str, bool]] = []
    _calls(functions[name], False, own, work)
    again = [beside for called, beside in own if called == name or _leads_to(called, name, functions, work)]
    return len(again) > 1 and any(again)


def _leads_to(called: str, name: str, functions: dict[str, Script], work: Work) -> bool:
    """Tell whether another function calls the first one."""
    if called not in functions or called == name:
        return False
    out: list[tuple[str, bool]] = []
    _calls(functions[called], False, out, work)
    return any(item == name for item, _ in out)


def is_self_pipe(pipeline: Pipeline) -> bool:
    """Tell whether a script pipes itself into itself: `$0 | $0 &`."""
    if len(pipeline.commands) < 2:
        return False
    for command in pipeline.commands:
        if not isinstance(command, SimpleCommand) or len(command.words) != 1:
            return False
        parts = command.words[0].parts
        if not parts or parts[-1].kind != VARIABLE or parts[-1].text != "0":
            return False
        if not all(part.text in ("", "./") for part in parts[:-1]):
            return False
    return True
