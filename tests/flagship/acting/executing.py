"""Runs of a plan, day by day, and the way from one session to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.client.conversation import Call, Say, Together
from tests.client.script import Acting
from tests.flagship.acting.material import scenes
from tests.flagship.acting.moves import (
    Answering,
    arguments,
    data_folder,
    held,
    look,
    match,
    option,
    run,
)

ATTEMPTS = ('print(f"{word}: {number}")', "print(word, number)", "print((word, number))")
RIGHT = "print(number, word)"


class Executing:
    """Carry a plan out: the verbs say what comes next, and the work of each step is written beforehand."""

    def __init__(
        self, root: Path, work: Mapping[int, Sequence[Mapping[str, str]]], resume: bool = False
    ) -> None:
        self.root = root
        self.work = work
        self.resume = resume

    def __call__(self, told: str) -> Acting:
        assert self.resume == ("--resume" in arguments(told))
        mode = " --mode resume" if self.resume else ""
        yield from self.carry_out(option("--project", told), data_folder(told), mode)

    def carry_out(self, project: str, data: str, mode: str = "") -> Acting:
        """Start the run, do its steps and finish it."""
        answer = yield from self.run(f"ultra run start {project}/plan.md{mode} --go-on")
        assert ("guide" in answer) == self.resume, answer
        saying = " ".join([f"{answer['steps']} steps, {answer['price']}.", *answer.get("notes", ())])
        while "begun" in answer:
            answer = yield from self.step(answer, saying)
            saying = answer["line"]
        done = yield from self.run(f'ultra run finish --data "{data}" --short', saying)
        rows = [
            *done["steps"],
            *done.get("why", ()),
            *done.get("to_check", ()),
            *done.get("findings", ()),
            *done.get("notes", ()),
        ]
        following = done["next"].partition("to continue: ")[2]
        said = [
            f"Result: {done['result']}",
            *rows,
            f"Report: {done['report']}",
            f"Next: {following}",
            done["last_line"],
        ]
        yield Say("\n".join(said))

    def step(self, answer: dict[str, Any], saying: str) -> Answering:
        """Do one step, attempt by attempt, until the next one begins or the run is over; say each line."""
        begun, verify = answer["begun"], match(r"(ultra step verify \d+ --go-on)", answer["next"])
        yield from look(self.root, *begun["files"], saying=saying)
        verdict: dict[str, Any] = {"line": ""}
        for attempt in self.work[begun["step"]]:
            # The test is written before the rest.
            first = [Say(verdict["line"])] if verdict["line"] else []
            for path in sorted(
                attempt, key=lambda one: "test_first" in begun and not one.startswith("test_")
            ):
                assert path in begun["files"], begun
                write = Call("Write", {"file_path": str(self.root / path), "content": attempt[path]})
                yield Together(*first, write) if first else write
                first = []
            verdict = yield from self.run(verify)
            if verdict["next"] != "retry":
                break
        return verdict

    def run(self, command: str, saying: str = "") -> Answering:
        call = Call("Bash", {"command": f"{command} --json", "description": "Next", "timeout": 600_000})
        (result,) = yield Together(Say(saying), call) if saying else call
        return held(result)


def work_of(kind: str, *numbers: int) -> dict[int, list[dict[str, str]]]:
    """Return what is written in these steps, at the first attempt."""
    written: dict[int, dict[str, str]] = {number: {} for number in numbers}
    for title, content in scenes("work.md").items():
        step, _, path = title.partition(": ")
        name, _, number = step.partition(" ")
        if name == kind and int(number) in written:
            written[int(number)][path] = content
    return {number: [files] for number, files in written.items()}


def day_one() -> dict[int, list[dict[str, str]]]:
    """Return the work of the first day: in step 2 three attempts are wrong."""
    work = work_of("step", 1, 2)
    (right,) = work[2]
    wrong = [{path: whole.replace(RIGHT, attempt) for path, whole in right.items()} for attempt in ATTEMPTS]
    return {1: work[1], 2: wrong}


def going_on(told: str) -> Acting:
    """Say where the last session stopped; nobody can be asked here, so the command is shown."""
    assert arguments(told) == ""
    state = yield from run("ultra continue --short")
    assert (state["carried"], {"found", "ignored", "others"} & {*state}) == (True, set())
    yield Say(
        f"{state['project']}: {state['status']}. {state['means']}\nWhen: {state['updated_at']}\nWhy: {state['label']}"
        f"\nNext: {state['command']}"
    )
