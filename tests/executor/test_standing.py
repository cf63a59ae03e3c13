"""Where a project stands: whoever is asked, in whatever state, names the same stage and the same next command."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from html import unescape
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROJECT, STATE, Repo, plan, step
from tests.executor.status_sample import STRATEGY, add_brief, artifact, plan_text
from tests.kit.files import copy_tree, write_tree
from tests.kit.table import each
from ultra_runtime.contract.stages import Next, Stage
from ultra_runtime.files.project import Project
from ultra_runtime.standing import project_standing
from ultra_runtime.standing.project_standing import ProjectStanding, after, find_projects

Make = Callable[..., Repo]
COMMAND = "/ultraplan-local:ultra{}-local"
IN = f"--project {PROJECT}"
REVIEW = f"{PROJECT}/review.md"
REVIEWS = {"WARN": "valid-flow-list.md", "ALLOW": "valid-nothing-found.md"}
OTHER = {"CLAUDE_CODE_SESSION_ID": "session-b", "CLAUDE_PID": str(os.getppid())}
DEAD = {"CLAUDE_CODE_SESSION_ID": "session-c", "CLAUDE_PID": "99999999"}


class Asked:
    """What everybody says of one project, each as stage and next command."""

    def __init__(self, repo: Repo, env: dict[str, str]) -> None:
        self.repo = repo
        self.env = env
        self.status = self._json("status", "--project", PROJECT)
        self.said = (self.status["stage"], self.status["next"])
        self.command = "" if self.status["next"] == self.status["reason"] else self.status["next"]

    def _json(self, *words: str) -> dict[str, Any]:
        told = self.repo.say(*words, "--json", env=self.env)
        return told.data

    def compare(self) -> None:
        """Ask all the others."""
        reason = self.status["reason"]
        lines = self.repo.say("status", "--project", PROJECT, env=self.env).out.splitlines()
        assert lines[-1] == "Next     " + (f"{self.command}  ({reason})" if self.command else reason)
        self._page(reason)
        if self.repo.has(STATE):
            self._continue(reason)
            self._hook()
        if self.repo.has(PLAN) and self.status.get("run"):
            self._audit()

    def _page(self, reason: str) -> None:
        page = self.repo.folder.parent / "page.html"
        self._json("status", "--project", PROJECT, "--html", str(page))
        text = unescape(page.read_text())
        here = re.findall(r'<g class="\w+ here">.*?class="name">(\w+)<', text, re.DOTALL)
        assert here == ([] if self.said[0] == "done" else [self.said[0].capitalize()])
        said = text.split("<h2>Next</h2>")[1].split("</section>")[0]
        assert reason.capitalize()[1:] in said or reason[1:] in said
        assert (f"<code>{self.command}</code>" in said) if self.command else ("<code>" not in said)

    def _continue(self, reason: str) -> None:
        data = self._json("continue", "--project", PROJECT)
        assert (data["stage"], data["command"], data["label"]) == (self.said[0], self.command, reason)

    def _hook(self) -> None:
        told = self.repo.hook("session_start", {}, env=self.env)
        assert told.status == 0, told.err
        line = told.out
        if line:  # a project whose runs are all over is no unfinished one
            assert line.startswith(f"Unfinished, {self.said[0]} of ")
            assert line.rstrip("\n").endswith(f". To continue: {self.command}") or not self.command
        state = json.loads(self.repo.read(STATE))
        is_over = state["status"] == "completed" and state["next_session_label"] == "Complete"
        assert bool(line) == (not is_over)

    def _audit(self) -> None:
        last = self.status["run"]
        session = [] if self.repo.has(f"{PROJECT}/progress.json") else ["--session", "1"]
        data = self._json("audit", PLAN, *session)
        assert (data["stage"], data["next"]) == self.said
        if not session and last["status"] in ("completed", "partial", "failed", "stopped"):
            assert (data["status"], data["drift_details"]) == (last["audit"], last["drift_details"])


def run(repo: Repo, *numbers: int, session: int | None = None, text: str = "done") -> None:
    """Carry out steps of the plan, and finish."""
    started = repo.ok(f"run start {PLAN}" + (f" --session {session}" if session else ""))
    if started["first"] == 0:  # a session that is run from its spec looks first whether it can commit
        repo.do_step(0, {})
    for number in numbers:
        repo.do_step(number, {f"src/part{number}.py": f"{text} {number}\n"})
    repo.ok("run finish")


def verdict(repo: Repo, name: str) -> None:
    """Put a review with that verdict there."""
    text = artifact("review", REVIEWS.get(name, REVIEWS["WARN"]))
    repo.write({REVIEW: text.replace("verdict: WARN", f"verdict: {name}")})


def remedy(repo: Repo, files: str) -> str:
    """Return a plan that takes up all that the review asks for."""
    found = dict.fromkeys(re.findall("[0-9a-f]{40}", repo.read(REVIEW)))
    listed = "".join(f"  - {one}\n" for one in found)
    return plan(step(1, files=[files])).replace("---\n\n#", f"source_findings:\n{listed}---\n\n#", 1)


def life(repo: Repo) -> Iterator[tuple[str, str, str]]:
    """Lead a project through its life: after each state its name, and the stage and command that have to be said."""
    execute, review = f"{COMMAND.format('execute')} {IN}", f"{COMMAND.format('review')} {IN}"
    again = f"{COMMAND.format('plan')} --brief {REVIEW}"
    (repo.folder / PLAN).unlink()
    yield "nothing", "brief", COMMAND.format("brief")
    repo.write({f"{PROJECT}/brief.md.draft": "x"})
    yield "brief draft", "brief", COMMAND.format("brief")
    (repo.folder / f"{PROJECT}/brief.md.draft").unlink()
    add_brief(repo, answered=0)
    brief = repo.read(f"{PROJECT}/brief.md")
    repo.write({f"{PROJECT}/brief.md": brief.replace("brief_quality: complete", "brief_quality: partial")})
    yield "brief partial", "research", f"{COMMAND.format('research')} {IN}"
    assert "\nBrief    partial\n" in repo.say("status", "--project", PROJECT).out
    add_brief(repo, answered=1)
    yield "research open", "research", f"{COMMAND.format('research')} {IN}"
    add_brief(repo, answered=2)
    yield "research done", "plan", f"{COMMAND.format('plan')} {IN}"
    repo.write({f"{PLAN}.draft": "x"})
    yield "plan draft", "plan", f"{COMMAND.format('plan')} {IN}"
    (repo.folder / f"{PLAN}.draft").unlink()
    repo.write({PLAN: plan(step(1), step(2, verify="test -s src/part2.py"))})
    yield "plan made", "execute", execute
    repo.start()
    yield "run in progress", "execute", "ultra step begin 1"
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run abort")
    yield "run stopped", "execute", f"{execute} --resume"
    repo.start("--mode", "resume")
    repo.ok("step begin 2")
    while repo.ok("step verify 2")["next"] == "retry":
        pass
    repo.ok("run finish")
    yield "run failed", "execute", f"{execute} --resume"
    repo.start("--mode", "resume")
    repo.do_step(2, {"src/part2.py": "two\n"})
    yield "all steps over", "execute", "ultra run finish"
    repo.ok("run finish")
    yield "run completed", "review", review
    repo.write({PLAN: plan(step(1), step(2), step(3))})
    yield "plan replaced", "execute", execute
    run(repo, 1, 2, 3, text="again")
    yield "new plan run", "review", review
    verdict(repo, "BLOCK")
    yield "review BLOCK", "plan", again
    verdict(repo, "WARN")
    yield "review WARN", "plan", again
    repo.write({PLAN: remedy(repo, "src/fixed.py")})
    yield "remediation planned", "execute", execute
    repo.start()
    yield "remediation under way", "execute", "ultra step begin 1"
    repo.do_step(1, {"src/fixed.py": "fixed\n"})
    repo.ok("run finish")
    yield "remediation done", "review", review
    verdict(repo, "ALLOW")
    yield "review ALLOW", "done", "the project is complete"


def test_everybody_says_the_same_all_through_the_life_of_a_project(make: Make) -> None:
    repo = make(plan(step(1)))
    for name, stage, command in life(repo):
        asked = Asked(repo, {})
        assert asked.said == (stage, command), name
        try:
            asked.compare()
            if not repo.has(".git/ultra/run.json"):
                assert elsewhere(repo) == asked.status
        except AssertionError as problem:
            raise AssertionError(name) from problem


def elsewhere(repo: Repo) -> dict[str, Any]:
    """Return what the same files say at another place, later, and to another session."""
    with tempfile.TemporaryDirectory(dir=repo.folder.parent) as folder:
        copy = Repo(Path(folder) / "a copy", repo.bundle, Path(repo.env["PATH"].split(os.pathsep)[0]))
        copy_tree(repo.folder, copy.folder)  # with the times of the files, as a backup has them
        return Asked(copy, OTHER).status


@pytest.mark.parametrize(
    ("env", "command"),
    [
        ({}, "ultra step begin 2"),
        (OTHER, ""),
        (DEAD, f"{COMMAND.format('execute')} {IN} --resume"),
    ],
    ids=["this session", "another session", "a session that is gone"],
)
def test_a_run_in_progress(make: Make, env: dict[str, str], command: str) -> None:
    repo = make(plan(step(1), step(2)))
    add_brief(repo)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    if env is DEAD:
        repo.end_session()
    asked = Asked(repo, OTHER if env is DEAD else env)
    assert (asked.said[0], asked.command) == ("execute", command)
    asked.compare()


@pytest.mark.soak
def test_sessions_one_by_one(make: Make) -> None:
    repo = make(plan_text())
    add_brief(repo)
    repo.ok(f"sessions write {PLAN} {IN}")
    execute = f"{COMMAND.format('execute')} {IN}"

    def says(stage: str, command: str) -> None:
        asked = Asked(repo, {})
        assert asked.said == (stage, command)
        asked.compare()

    says("execute", execute)
    run(repo, 1, 2, 3, session=1)
    says("execute", f"{execute} --session 2")
    assert repo.read(f"{PROJECT}/sessions/session-1.md")
    text = repo.read(PLAN)
    repo.write({PLAN: text.replace("Write part 5.", "Write part five.")})
    says("execute", f"ultra sessions write {PLAN} {IN}")  # the specs are older than the plan
    repo.write({PLAN: plan(step(1), step(2))})
    says("execute", execute)  # the plan was replaced: the spec of session 2 is not what to read
    assert "\nRead " not in repo.say("continue").out
    repo.write({PLAN: text})
    says("execute", f"{execute} --session 2")
    assert "\nRead     " in repo.say("continue").out
    assert "was run by sessions (1): there is no run of the whole plan" in repo.refused(f"audit {PLAN}")
    repo.ok(f"run start {PLAN} --session 2")
    repo.ok("run abort")
    says("execute", f"{execute} --resume --session 2")


def test_a_run_that_is_blocked(make: Make) -> None:
    repo = make(plan_text())
    add_brief(repo)
    repo.ok(f"sessions write {PLAN} {IN}")
    repo.git("remote", "add", "origin", "/nowhere")
    repo.ok(f"run start {PLAN} --session 1")
    repo.ok("step begin 0")
    assert repo.ok("step verify 0")["next"] == "blocked"
    for command, reason in (
        ("ultra run finish", "the run is in progress: it was blocked after 0 of 3 steps"),
        (f"{COMMAND.format('execute')} {IN} --resume --session 1", "the run was blocked at step 0 of 3"),
    ):
        asked = Asked(repo, {})
        assert (asked.said, asked.status["reason"]) == (("execute", command), reason)
        asked.compare()
        repo.say("run", "finish")


def test_the_page_has_no_titles_of_another_plan(make: Make) -> None:
    repo = make(plan(step(1)))
    run(repo, 1)
    repo.write({PLAN: plan(step(1)).replace("Make part 1", "Something else")})
    page = repo.folder.parent / "page.html"
    repo.ok(f"status --html {page}")
    steps = page.read_text().split("<h2>Steps</h2>")[1].split("</section>")[0]
    assert "Something else" not in steps


@pytest.mark.soak
@pytest.mark.parametrize("strategy", ["", STRATEGY])
def test_status_and_audit_agree_on_a_session_that_was_run_from_its_spec(make: Make, strategy: str) -> None:
    repo = make(plan_text() if strategy else plan(step(1), step(2), step(3)))
    session = None
    if strategy:
        repo.ok(f"sessions write {PLAN} {IN}")
        session = 1
    run(repo, 1, 2, 3, session=session)
    told = repo.ok(f"status {IN}")
    audit = repo.ultra(f"audit {PLAN}" + (" --session 1" if session else ""))
    assert (told["run"]["audit"], told["run"]["drift_details"]) == ("pass", [])
    assert (audit["status"], audit["next"]) == ("pass", told["next"])


def test_the_end_of_each_stage_names_what_status_names(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    (repo.folder / PLAN).unlink()
    add_brief(repo, answered=0)

    def put(*words: str, text: str) -> str:
        source = tmp_path / "text.md"
        source.write_text(text)
        return str(repo.ok(f"put {' '.join(words)} {IN} --from {source}")["next"])

    told = put("brief", text=repo.read(f"{PROJECT}/brief.md"))
    assert told == f"tell the user; to continue: {repo.ok(f'status {IN}')['next']}"
    add_brief(repo)
    repo.write({PLAN: plan(step(1))})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    finished = repo.ok("run finish")["next"]
    assert finished == f"tell the user; to continue: {repo.ok(f'status {IN}')['next']}"
    told = put("review", text=artifact("review", REVIEWS["ALLOW"]))
    assert told == f"tell the user: {repo.ok(f'status {IN}')['next']}"


KINDS = ("brief", "research", "plan", "progress", "review")


def pretend(patch: pytest.MonkeyPatch, **parts: SimpleNamespace) -> ProjectStanding:
    """Return the standing of a project with these stages."""
    every = [Stage(f"{kind} stage", "/go", kind, "") for kind in parts]
    patch.setattr(project_standing, "stages", lambda: every)
    patch.setattr(project_standing, "_part_class", lambda kind: lambda *given: parts[kind])
    return ProjectStanding(Project("/nowhere", "2026-01-31-x"))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_what_comes_next_is_left_of_the_last_stage_that_has_begun_or_of_a_later_one(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """An unfinished run comes first, whatever has begun after it."""

    @each([(one,) for one in product(product((True, False), repeat=2), repeat=count)])
    def check(states: tuple[tuple[bool, bool], ...]) -> None:
        kinds = KINDS[:count]
        parts = {
            kind: SimpleNamespace(has_begun=begun, coming=Next(kind, "left") if left else None)
            for kind, (begun, left) in zip(kinds, states, strict=True)
        }
        coming = pretend(monkeypatch, **parts).coming
        last = max((at for at, (begun, _) in enumerate(states) if begun), default=0)
        left = [kind for kind, (_, is_left) in list(zip(kinds, states, strict=True))[last:] if is_left]
        if count > 3 and states[3] == (True, True):
            left = ["progress"]
        over = "the project is complete" if count > 1 else "the one stage of this plugin is done"
        if left:
            assert (coming.stage, coming.reason) == (left[0], "left")
        else:
            assert (coming.stage, coming.reason.partition(";")[0]) == ("done", over)

    check()


def test_a_small_task_has_its_plan_and_its_run_and_what_else_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @each(product((True, False), ("missing", "there"), ("missing", "there")))
    def check(small: bool, brief: str, plan: str) -> None:
        states = {
            "brief": brief,
            "research": "draft",
            "plan": plan,
            "progress": "missing",
            "review": "missing",
        }
        parts = {
            kind: SimpleNamespace(kind=kind, state=state, has_begun=False, coming=None, issues=[kind])
            for kind, state in states.items()
        }
        parts["plan"].is_small_task, parts["plan"].task = small, "of the plan"
        parts["brief"].task, parts["review"].task = "", "of the review"
        shown = pretend(monkeypatch, **parts)
        left_out = {"review", *(["brief"] if brief == "missing" else [])} if small else set()
        kinds = [kind for kind in KINDS if kind not in left_out]
        assert [part.kind for part in shown.parts] == shown.issues == kinds
        assert shown.task == "of the plan"
        assert [shown.part(kind) for kind in ("plan", "other")] == [parts["plan"], None]

    check()


def test_a_verb_that_ends_a_stage_names_the_next_command_or_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for coming, said in (
        (Next("x", "it is time", "/go"), "; to continue: /go"),
        (Next("x", "it is over"), ": it is over"),
    ):
        pretend(monkeypatch, plan=SimpleNamespace(has_begun=True, coming=coming))
        assert after(Project("/nowhere", "2026-01-31-x")) == f"tell the user{said}"
    write_tree(
        tmp_path / ".claude/projects",
        {"2026-01-02-b/x": "", "2026-01-03-a/x": "", "2026-01-01-c/x": "", "file": ""},
    )
    assert [one.slug for one in find_projects(str(tmp_path))] == ["a", "b", "c"]
    assert find_projects(str(tmp_path / "none")) == []
