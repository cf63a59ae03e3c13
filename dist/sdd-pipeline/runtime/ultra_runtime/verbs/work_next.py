"""Say what comes next in a work: agents to spawn, a question for the user, or the end.

It decides from the answers that agents have given since the last call, the files of the work, and git.
It waits for agents that have not answered; --again hands dispatch NUMBER out once more, because its agent has ended.
With --mine the user claims changes at PATH that no task made.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.answers import waiting_for
from ultra_runtime.works.turns import ASK, FINISH, SPAWN, START, TELL, WAIT, as_spawn, next_turn
from ultra_runtime.works.work_place import find_work

USAGE = "work next [WORK-NN] [PATH...] [--mine] [--again NUMBER] [--json]"


def run(args: Args) -> Answer:
    """Answer with the word for what comes next, and everything that it needs."""
    mine = args.rest("PATH")
    if bool(mine) != args.flag("--mine"):
        raise args.usage.error("--mine and the paths that the user claims must be given together")
    work = find_work(args.get("WORK-NN"))
    turn = next_turn(work, mine, args.get("--again") or "")
    data: dict[str, Any] = {"ok": True, "work": work.name, "do": turn.word}
    if turn.why:
        data["why"] = list(turn.why)
    if turn.word == SPAWN:
        data["agents"] = [as_spawn(work, one) for one in turn.dispatches]
    elif turn.word == WAIT:
        data["agents"] = [waiting_for(work, one) for one in turn.dispatches]
    elif turn.word == ASK:
        data["show"] = list(turn.show)
    following, starting = f"`{verb('work next')} {work.name}`", f"`{verb('work start')} {work.name}`"
    data["next"] = {
        SPAWN: f"spawn every agent of `agents` in one message, then {following}",
        WAIT: "end your turn if they are at work: you are called when one reports. If one has ended, pass its last"
        f" message on with `{verb('work result')} {work.name}`; if it has none, or was never spawned,"
        f" `{verb('work next')} {work.name} --again NUMBER`",
        ASK: f"show these files, ask for approval, then {starting}",
        START: starting,
        FINISH: f"`{verb('work finish')}`",
        TELL: "tell the user why, and stop",
    }[turn.word]
    words = [one if isinstance(one, str) else one["prompt"] for one in data.get("agents", ())]
    return Answer(
        data, "\n".join([f"{work.name}: {turn.word}", *turn.why, *turn.show, *words, f"Next: {data['next']}"])
    )
