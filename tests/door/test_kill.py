"""A call that is killed at any moment leaves the old file or the new one, and the next call goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.door.samples import BRIEF, answer
from tests.kit.calls import Ultra
from tests.kit.files import tree_of
from tests.kit.names import PROJECT
from tests.kit.quick import later, times
from ultra_runtime.files.atomic import Folder

ROUNDS = times(12, 400)
RANDOM = random.Random(11)  # noqa: S311 - the same moments every time, as far as a machine can


def long_brief(letter: str) -> bytes:
    """Return a brief whose every line tells which one it is."""
    return (BRIEF + f"\n{letter * 99}" * 20_000 + "\n").encode()


def seconds_of(ultra: Ultra, *words: str, given: bytes) -> float:
    began = time.monotonic()
    assert ultra(*words, given=given).status == 0
    return time.monotonic() - began


def kill_within(ultra: Ultra, seconds: float, *words: str, given: Path) -> bool:
    """Start a call, kill it after a part of that time, and tell whether it had ended before."""
    with given.open("rb") as source:
        process = subprocess.Popen(
            [ultra.command, *words],
            stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ultra.folder, env=ultra.env,
        )  # fmt: skip
    with process:
        try:
            process.wait(RANDOM.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(30)
            return False
    return True


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return tmp_path / "given.md"


def test_a_killed_put_leaves_the_old_or_the_new(ultra: Ultra, project: Path, given: Path) -> None:
    texts = [long_brief("a"), long_brief("b")]
    words = ("put", "brief", "--project", PROJECT)
    seconds = seconds_of(ultra, *words, given=texts[0])
    seen = set()
    killed = 0
    for number in range(ROUNDS):
        old, new = texts[number % 2], texts[1 - number % 2]
        (project / "brief.md").write_bytes(old)
        given.write_bytes(new)
        kept = project / "brief.md.prev"
        kept.unlink(missing_ok=True)  # an earlier round's
        ended = kill_within(ultra, seconds, *words, given=given)
        seconds *= 0.8 if ended else 1.1  # a busy machine is now slow, now fast
        killed += not ended
        found = (project / "brief.md").read_bytes()
        assert found in (old, new)
        seen.add(found == new)
        assert not kept.exists() or kept.read_bytes() == old
    assert killed > ROUNDS / 10
    assert False in seen
    left = [path.name for path in project.iterdir() if path.name.endswith(".tmp")]
    assert all(name.startswith(".brief.md.") for name in left)
    assert ultra(*words, given=texts[0]).data["ok"] is True


KILLER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from ultra_runtime.__main__ import main
left = int(sys.argv[2])

def deadly(name, call):
    def wrapped(*words, **options):
        global left
        left -= 1
        if left == 0:
            if name == "write":
                call(words[0], bytes(words[1])[: len(words[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*words, **options)
    return wrapped

for name in ("open", "write", "fsync", "fchmod", "link", "replace", "unlink", "mkdir"):
    setattr(os, name, deadly(name, getattr(os, name)))
sys.exit(main(sys.argv[3:]))
"""


def killed_everywhere(ultra: Ultra, prepare: Callable[[], None], *words: str, given: str) -> Iterator[None]:
    """Kill a call before each thing it does to the disk, a write halfway, and yield after every death."""
    for number in range(1, 200):
        prepare()
        runtime = ultra.bundle / "runtime"
        done = subprocess.run(
            ["python3", "-I", "-S", "-X", "utf8", "-c", KILLER, runtime, str(number), *words],
            input=given.encode(), cwd=ultra.folder, env=ultra.env, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            assert number > 5, "the deaths never came"
            return
        assert done.returncode == -signal.SIGKILL, done.stderr
        yield
    raise AssertionError("the call never ends")


def empty(project: Path, files: Mapping[str, str]) -> None:
    """Have these files in the project and no others."""
    for path in project.iterdir():
        path.unlink()
    for name, text in files.items():
        (project / name).write_text(text)


OTHER = BRIEF.replace("Ask for a plan.", "Ask for another plan.")


@pytest.mark.soak
def test_at_every_point_a_killed_put_leaves_the_old_or_the_new(ultra: Ultra, project: Path) -> None:
    found = []
    words = ("put", "brief", "--project", PROJECT)
    for _ in killed_everywhere(ultra, lambda: empty(project, {"brief.md": BRIEF}), *words, given=OTHER):
        found.append((project / "brief.md").read_text())
        assert found[-1] in (BRIEF, OTHER)
        left = {path.name for path in project.iterdir()} - {"brief.md", "brief.md.prev", ".gitignore"}
        assert all(name.startswith(".") and name.endswith(".tmp") for name in left)
    assert found == sorted(found, key=[BRIEF, OTHER].index)
    assert {BRIEF, OTHER} == set(found)


@pytest.mark.soak
def test_at_every_point_a_killed_draft_over_a_brief_loses_neither(ultra: Ultra, project: Path) -> None:
    words = ("put", "brief", "--project", PROJECT, "--draft")
    brief, draft = project / "brief.md", project / "brief.md.draft"
    for _ in killed_everywhere(ultra, lambda: empty(project, {"brief.md": BRIEF}), *words, given=OTHER):
        assert not (brief.exists() and draft.exists()), "no brief.md while the gate is open"
        assert (brief if brief.exists() else project / "brief.md.prev").read_text() == BRIEF
        assert not draft.exists() or draft.read_text() == OTHER
        told = ultra("brief", "status", PROJECT, "pending")
        assert told.status == (1 if draft.exists() else 0)
        assert draft.exists() or brief.read_text() == BRIEF


@pytest.mark.parametrize("passes", [True, later(False)])
def test_at_every_point_a_killed_gate_can_be_called_again(ultra: Ultra, project: Path, passes: bool) -> None:
    words = ("gate", "brief", "--project", PROJECT)
    review = answer() if passes else answer({"testability": 2})
    brief, draft = project / "brief.md", project / "brief.md.draft"
    files = {"brief.md.draft": OTHER, "brief.md.prev": BRIEF, ".brief-gate.local.json": '{"round": 2}'}
    ended = []
    for _ in killed_everywhere(ultra, lambda: empty(project, files), *words, given=review):
        assert brief.exists() != draft.exists()
        ended.append(brief.exists())
        if draft.exists():
            data = ultra(*words, given=review).data
            assert (data["passed"], data["round"], data["exhausted"]) == (passes, 3, not passes)
        final = brief.read_text()
        assert final.count("## Brief Quality") == final.count("brief_quality: partial") == (not passes)
        assert "Ask for another plan." in final
        assert ultra("put", "brief", "--project", PROJECT, "--draft", given=OTHER).data["ok"] is True
        assert ultra(*words, given=answer({"testability": 2})).data["round"] == 1
    assert set(ended) == {True, False}


def test_at_every_point_a_killed_failing_round_counts_once_or_not_at_all(ultra: Ultra, project: Path) -> None:
    words = ("gate", "brief", "--project", PROJECT)
    files = {"brief.md.draft": OTHER, ".brief-gate.local.json": '{"round": 1}'}
    bad = answer({"testability": 2})
    for _ in killed_everywhere(ultra, lambda: empty(project, files), *words, given=bad):
        assert ((project / "brief.md").exists(), (project / "brief.md.draft").read_text()) == (False, OTHER)
        assert json.loads((project / ".brief-gate.local.json").read_text())["round"] in (1, 2)


def start_held(ultra: Ultra, project: Path, calls: Sequence[Sequence[str]], given: Path) -> list[bytes]:
    """Start calls while the project is held, see that all of them wait, let go, and return what they say."""
    before = tree_of(project)
    with Folder(str(project)) as folder:
        folder.lock()
        started = []
        for words in calls:
            with given.open("rb") as source:
                started.append(
                    subprocess.Popen(
                        [ultra.command, *words, "--json"],
                        stdin=source, stdout=subprocess.PIPE, cwd=ultra.folder, env=ultra.env,
                    )
                )  # fmt: skip
        end = time.monotonic() + 2
        while time.monotonic() < end:
            assert [call.poll() for call in started] == [None] * len(started), "one did not wait"
            time.sleep(0.05)
        assert tree_of(project) == before
    told = []
    for call in started:
        with call:
            told.append(call.communicate(timeout=60)[0])
    return told


def test_many_at_once_lose_nothing(ultra: Ultra, project: Path, given: Path) -> None:
    """Each call replaces another section of one brief: every one of them has to be there at the end."""
    names = ["Intent", "Goal", "Non-Goals", "Constraints", "Preferences", "Prior Attempts", "How to continue"]
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    given.write_text("New text.")
    calls = [("put", "brief", "--project", PROJECT, "--section", name) for name in names]
    told = start_held(ultra, project, calls, given)
    assert all(json.loads(out)["ok"] is True for out in told)
    text = (project / "brief.md").read_text()
    assert all(f"## {name}\n\nNew text.\n" in text for name in names)
    assert sorted(path.name for path in project.iterdir()) == [".gitignore", "brief.md"]


@pytest.mark.soak
def test_rounds_of_calls_at_once_are_all_counted(ultra: Ultra, project: Path, given: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF)
    given.write_text("No block.")
    told = start_held(ultra, project, [("gate", "brief", "--project", PROJECT)] * 4, given)
    answers = [json.loads(out) for out in told]
    assert sorted(one["round"] for one in answers if one["ok"]) == [1, 2, 3]
    assert sum("no gate is open" in one.get("error", "") for one in answers) == 1
    assert (project / "brief.md").exists()
