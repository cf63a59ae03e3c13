"""A client whose model is a script: `claude -p "/... --session N PLAN"` does the session as the play says.

The play is a JSON file, session -> what its attempts do, one word each; the last word holds for all that follow:
honest, slow, gate, killed, lie, half, fail, hang, outside, rename, limit, money, login, mess, wander, weaken. Verbs are called in this process, which is
quick: a child of this process calls them, as the client's Bash tool would.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BUNDLE = Path(os.environ["PLAY_BUNDLE"])
sys.path.insert(0, str(BUNDLE / "runtime"))


def ultra(*words: str) -> dict[str, Any]:
    """Return the answer of a verb."""
    from ultra_runtime.__main__ import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        main([*words, "--json"])
    answer: dict[str, Any] = json.loads(said.getvalue())
    return answer


def result(text: str, error: str = "") -> None:
    """Print the last message of the client's stream."""
    message = {
        "type": "result", "subtype": error or "success", "is_error": bool(error), "result": text,
        "total_cost_usd": 0.25, "usage": {"input_tokens": 100, "output_tokens": 10},
    }  # fmt: skip
    print(json.dumps(message), flush=True)


def do_steps(first: int | None, most: int, content: str = "part") -> None:
    """Do the steps of the run, at most so many."""
    number = first
    while number is not None and most:
        begun = ultra("step", "begin", str(number))
        if not begun["ok"]:
            print(json.dumps(begun))
            return
        for path in begun["files"]:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(f"{content} {number}\n")
        verified = ultra("step", "verify", str(number))
        if verified.get("next") != "commit":
            print(json.dumps(verified))
            return
        committed = ultra("step", "commit", str(number))
        most -= 1
        words = committed["next"].split()
        number = int(words[-1]) if "begin" in words else None


WANDER = """\
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git checkout -q --detach; echo detached > src/part1.py; git add src; git commit -qm 'on no branch'
cd vendor-lib; echo library > more.txt; git add .; git commit -qm 'in the library'; echo draft > draft.txt; cd ..
git init -q taken; cd taken; echo taken > taken.txt; git add .; git commit -qm 'in a repository that a commit names'
git init -q inside; cd inside; echo inside > inside.txt; git add .; git commit -qm 'in one inside it'
cd ..; git add inside; git commit -qm 'name it'; cd ..; git add taken; git commit -qm 'name it'
git init -q made; cd made; echo made > made.txt; git add .; git commit -qm 'in a new repository'
git init -q deeper; echo deep > deeper/deep.txt
cd ..; git worktree add -q --detach inner; echo inner > inner/inner.txt
rm .git
! git rev-parse --git-dir
"""
"""Work everywhere but on the branch: on a detached HEAD, in a submodule, in repositories and worktrees of one's own; then
forget that there is a branch, and find no repository around."""


def play(word: str, run: list[str]) -> int:
    """Do what a word of the play says, and return the exit status."""
    if word == "login":
        print("Invalid API key · Please run /login")
        return 1
    answer = ultra("run", "start", *run)
    print(json.dumps(answer), flush=True)
    if not answer["ok"]:
        result(answer["error"])
        return 0
    if word == "gate":  # session 1 works when the gate opens, and the others say that they are done
        gate, end = Path(os.environ["PLAY"]).with_name("gate"), time.monotonic() + 120
        while not gate.exists() and time.monotonic() < end:
            time.sleep(0.05)
        word = "honest" if "1" in run else "lie"
    if word == "killed":
        os.kill(os.getppid(), signal.SIGKILL)
    if word == "slow":
        time.sleep(1)
    if word == "hang":
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        time.sleep(1000)
    if word == "limit":
        event = {"status": "rejected", "resetsAt": int(time.time()) + 1}
        print(json.dumps({"type": "rate_limit_event", "rate_limit_info": event}))
        result("You've hit your limit", "error_during_execution")
        return 1
    if word == "money":
        result("Exceeded the budget", "error_max_budget_usd")
        return 1
    if word == "lie":
        result("All steps are completed.")
        return 0
    if word == "mess":
        Path("scribble.txt").write_text("not committed\n")
        result("I left something behind.")
        return 0
    if word == "wander":
        subprocess.run(["sh", "-e", "-c", WANDER], check=True)
        result("I worked somewhere else.")
        return 0
    if word == "outside":
        do_steps(answer["first"], 99)
        Path("stray.txt").write_text("stray\n")
        subprocess.run(["git", "add", "stray.txt"], check=True)
        subprocess.run(["git", "commit", "--quiet", "-m", "feat: stray"], check=True)
    elif word == "rename":
        ultra("step", "begin", str(answer["first"]))
        Path("new").mkdir()
        Path("old/a.py").rename("new/a.py")
        ultra("step", "verify", str(answer["first"]))
        ultra("step", "commit", str(answer["first"]))
    elif word == "weaken":
        Path("node_modules/runner/check.sh").write_text("exit 0\n")  # a link to the user's
        do_steps(answer["first"], 99, "nothing")
    elif word == "fail":
        ultra("step", "begin", str(answer["first"]))
        for _ in range(3):
            ultra("step", "verify", str(answer["first"]))
    else:
        do_steps(answer["first"], 1 if word == "half" else 99, os.environ.get("PLAY_CONTENT", "part"))
    if word != "half":
        print(json.dumps(ultra("run", "finish")))
    result("done")
    return 0


def main() -> int:
    """Answer --version, or play one session."""
    if "--version" in sys.argv:
        print("99.0.0 (Claude Code)")
        return 0
    words = sys.argv[sys.argv.index("-p") + 1].split()
    session = words[words.index("--session") + 1]
    run = [words[-1], "--session", session, *(["--mode", "resume"] if "--resume" in words else [])]
    plays = json.loads(Path(os.environ["PLAY"]).read_text())
    acts = plays.get(session, ["honest"])
    turns = Path(os.environ["PLAY"]).with_name(f"turns-{session}")
    count = len(turns.read_text()) if turns.exists() else 0
    turns.write_text("x" * (count + 1))
    word = acts[min(count, len(acts) - 1)]
    with Path(os.environ["PLAY"]).with_name("seen.jsonl").open("a") as seen:
        kept = {
            name: os.environ.get(name)
            for name in ("TMPDIR", "ULTRA_SESSION", "ULTRA_PORT_BASE", "CLAUDE_PID")
        }
        seen.write(json.dumps({"session": session, "cwd": os.getcwd(), "argv": sys.argv[1:], **kept}) + "\n")
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.environ.update(CLAUDE_PID=str(os.getppid()), CLAUDE_CODE_SESSION_ID=os.urandom(8).hex())
    status = play(word, run)
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
