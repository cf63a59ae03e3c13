"""What a plan is made from: each answer is one function of the files of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from itertools import product
from pathlib import Path

import pytest
from ultra_runtime.tables.agents import EXPLORERS, REMEDIATION_EXPLORERS
from ultra_runtime.tables.limits import (
    EXPLORERS_FEW,
    EXPLORERS_SOME,
    MIDDLING_REPOSITORY,
    SMALL_REPOSITORY,
    TASK_CHARACTERS,
    TASK_STEPS,
)

from tests.door.samples import BRIEF, plan
from tests.executor import sample, status_sample
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS
from tests.kit.table import each
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.atomic import WriteError, locked
from ultra_runtime.files.project import Project
from ultra_runtime.plan.reading import read
from ultra_runtime.planning import basis, gate, session_files, small_task
from ultra_runtime.text import frontmatter


def test_the_size_of_a_repository_decides_who_explores(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = [at + more for at in (SMALL_REPOSITORY, MIDDLING_REPOSITORY) for more in (0, 1)]

    @each(product(sizes, ("brief", "review"), (True, False)))
    def check(size: int, kind: str, quick: bool) -> None:
        paths = [*(f"{number}.py" for number in range(size)), ".claude/a", ".claude/b"]
        monkeypatch.setattr(basis, "ask_git", lambda root, words: "\0".join([*paths, ""]).encode())
        wanted = EXPLORERS if kind == "brief" else REMEDIATION_EXPLORERS
        many = EXPLORERS_SOME if size <= MIDDLING_REPOSITORY else len(wanted)
        few = quick or size <= SMALL_REPOSITORY
        assert basis.explorers(here, kind, quick) == (size, [*wanted][: EXPLORERS_FEW if few else many])

    check()


@pytest.mark.parametrize(
    "status", ["pending", "in_progress", "completed", "failed", "stopped", "partial", None]
)
def test_a_run_that_has_not_ended_is_told(here: Project, project: Path, status: str | None) -> None:
    (project / "progress.json").write_text(json.dumps({"status": status}))
    assert bool(basis.under_way(here)) == (status in ("pending", "in_progress"))


def test_a_plan_states_an_assumption_unless_it_says_that_there_is_none() -> None:
    @each(
        [
            ("", False),
            ("None.", False),
            ("- none", False),
            ("**None**", False),
            ("NONE", False),
            ("None left.", True),
        ]
    )
    def check(words: str, states: bool) -> None:
        assert basis.states_assumptions(f"{plan(1)}\n## Assumptions\n\n{words}\n".encode()) == states

    check()
    assert not basis.states_assumptions(plan(1).encode())


def test_checks_and_rounds_are_counted_and_a_count_that_is_none_is_zero(here: Project, project: Path) -> None:
    @each([(3, 3), (1, 1), (0, 0), (-1, 0), (True, 0), ("2", 0), (2.0, 0), (None, 0)])
    def check(value: object, count: int) -> None:
        write_tree(project, {"logs/plan-gate.json": json.dumps({"self_checks": value, "rounds": value})})
        known = {"self_checks": count, "failed_in_a_row": 0, "rounds": count}
        assert gate.read_counts(here) == known
        for passed, checks, failed in ((False, 1, 1), (False, 2, 2), (True, 3, 0), (False, 4, 1)):
            now = {**known, "self_checks": count + checks, "failed_in_a_row": failed}
            assert gate.count_check(here, passed) == gate.read_counts(here) == now
        assert gate.count_round(here) == gate.read_counts(here) == {**now, "rounds": count + 1}
        gate.forget(here)
        assert not (project / "logs/plan-gate.json").exists()

    check()


def test_a_draft_becomes_the_plan_with_notes_and_the_earlier_plan_is_kept(
    here: Project, project: Path
) -> None:
    text = plan(2).encode()
    for end in (b"\n", b"\r\n"):
        noted = gate.with_notes(text.replace(b"\n", end), ["One.", "Two."])
        before = b"## Implementation Plan\n"
        expected = text.replace(before, b"One.\n\nTwo.\n\n" + before).replace(b"\n", end)
        assert noted == expected
    for name, is_it in (("## Execution Strategy", True), ("execution strategy", True), ("Strategy", False)):
        assert gate.is_strategy(name) == is_it
    for notes, earlier in (([], None), (["One."], "old"), ([], text.decode())):
        for path in project.iterdir():
            path.unlink() if path.is_file() else None
        if earlier:
            (project / "plan.md").write_text(earlier)
        assert gate.read_draft(here) is None
        gate.count_round(here)
        with locked(here.folder) as folder:
            assert gate.write_draft(here, folder, b"first")
            assert (project / ".gitignore").exists()
            assert gate.read_counts(here)["rounds"] == 0
            gate.count_round(here)
            assert not gate.write_draft(here, folder, text)
            assert gate.read_counts(here)["rounds"] == 1
            assert gate.read_draft(here) == text
            gate.end(here, folder, notes)
        new = gate.with_notes(text, notes) if notes else text
        assert (project / "plan.md").read_bytes() == new
        assert (project / "plan.2.md").exists() == (earlier == "old")
        assert (gate.read_draft(here), gate.read_counts(here)["rounds"]) == (None, 0)


def test_a_small_task_has_its_sentence_in_its_plan_and_few_steps(here: Project, project: Path) -> None:
    assert not small_task.is_task(here)
    with pytest.raises(RefusedError, match="is not a small task, so its plan needs its critics"):
        small_task.task_of(here)
    small_task.keep_task(here, 'Say "it"')
    assert (small_task.is_task(here), small_task.task_of(here)) == (True, 'Say "it"')
    assert small_task.whole_way() == f"{COMMANDS['brief']} <task>"
    small_task.refuse_long("x" * TASK_CHARACTERS)
    with pytest.raises(RefusedError) as refused:
        small_task.refuse_long("x" * (TASK_CHARACTERS + 1))
    assert str(refused.value).startswith(
        f"the task is too large for a small task: {TASK_CHARACTERS + 1} characters; at most {TASK_CHARACTERS}"
    )
    line = b'task: "Say \\"it\\""\n'
    bare = plan(1).encode()
    for text in (
        bare,
        bare.replace(b"---\n", b"---\ntask: other\n", 1),
        bare.replace(b"---\n", b"---\na: 1\ntask: x\n", 1),
    ):
        made = small_task.with_task(text, 'Say "it"')
        values = frontmatter.parse(text).values or {}
        assert (made.count(b"task:"), frontmatter.parse(made).values) == (1, {**values, "task": 'Say "it"'})
        assert line in made
        assert made.replace(line, b"") == re.sub(b"task: .*\n", b"", text)
    for text in (b"# Plan\n", b"---\na: [\n---\n", b""):
        assert small_task.with_task(text, "x") == text
    for count in (1, TASK_STEPS, TASK_STEPS + 1):
        said = (
            f"the plan has {count} steps; a small task has at most {TASK_STEPS}" if count > TASK_STEPS else ""
        )
        assert small_task.too_large(read(plan(count).encode())) == said


def test_code_finds_what_a_critic_would_find_in_a_small_plan(here: Project, repo: Path) -> None:
    write_tree(repo, {"src/there.py": "", "README.md": ""})
    path = here.path("plan.md")
    missing = "; a file that the step creates must be in expected_paths"
    rows: dict[str, list[str]] = {
        sample.step(1, ["src/there.py"]): [],
        sample.step(1, ["src/new.py"]): [],
        sample.step(1, ["src/*.py"]): [],
        sample.step(1, ["src/there.py"], verify=None): ["step 1 has no Verify command"],
        sample.step(1, ["src/none.py"], expected_paths=[]): [f"step 1: src/none.py does not exist{missing}"],
        sample.step(1, ["a.py", "README.md", "b.py"], expected_paths=[]): [f"step 1: a.py, b.py do not exist{missing}"],
        sample.step(1, ["src/a.py"]) + sample.step(2, ["src/a.py"], expected_paths=[]): [],
        sample.step(1, ["src/a.py"], expected_paths=[]) + sample.step(2, ["src/a.py"]): [
            f"step 1: src/a.py does not exist{missing}"
        ],
    }  # fmt: skip

    @each(rows.items())
    def check(steps: str, faults: list[str]) -> None:
        assert small_task.faults(here, read(sample.plan(steps).encode()), path) == faults

    check()
    for steps, start in (
        (sample.step(1, [".env"]), "step 1 must not change .env: "),
        (sample.step(1, verify="rm -rf build"), "the command policy blocks Step 1, Verify"),
        (sample.step(1).replace("`src/part1.py`", "none", 1), "step 1 names no file"),
    ):
        (fault,) = small_task.faults(here, read(sample.plan(steps).encode()), path)
        assert fault.startswith(start)
    one, two = sample.step(1, ["a.py", "b.py"], verify="ls"), sample.step(2, verify=None)
    assert small_task.shown_steps(read(sample.plan(one, two).encode())) == [
        "1. Make part 1 (2 files: a.py, b.py); Verify: ls",
        "2. Make part 2 (1 file: src/part2.py); Verify: ",
    ]


def test_the_specs_of_a_plan_are_written_again_when_it_changes(here: Project, project: Path) -> None:
    text = status_sample.plan_text()
    (project / "plan.md").write_text(text)
    target = str(project / "sessions")
    assert session_files.folder_of_specs(here.path("plan.md"), None) == target
    session_files.write_again(here)
    assert not os.path.exists(target)
    shown = f"{here.shown}/plan.md"
    words = {2: {"Context": "Its own words."}}
    specs = session_files.make_specs(read(text.encode()), shown, target, words)
    assert list(specs) == ["session-1.md", "session-2.md"]
    assert session_files.spec_faults(target, specs) == []
    assert session_files.write_specs(target, specs) == []
    again = session_files.make_specs(read(text.encode()), shown, target)
    assert again == specs, "sections without new words keep those that are there"
    assert b"Its own words." in again["session-2.md"]
    changed = text.replace("Write part 4.", "Write part four.")
    assert changed != text
    new = session_files.make_specs(read(changed.encode()), shown, target)
    assert (new["session-1.md"], new["session-2.md"] == specs["session-2.md"]) == (
        specs["session-1.md"],
        False,
    )
    (project / "sessions/session-3.md").write_text("of an earlier plan")
    (project / "sessions/session-x.md").write_text("no spec")
    (project / "plan.md").write_text(changed)
    session_files.write_again(here)
    found = {
        path.name: path.read_bytes() for path in (project / "sessions").iterdir() if path.suffix == ".md"
    }
    kept = {
        "session-2.2.md": specs["session-2.md"],
        "session-3.2.md": b"of an earlier plan",
        "session-x.md": b"no spec",
    }
    assert found == {**new, **kept}
    session_files.write_again(here)
    assert {path.name for path in (project / "sessions").iterdir() if path.suffix == ".md"} == {*found}
    broken = session_files.spec_faults(target, {"session-1.md": b"x"})
    assert [one.path for one in broken] == [f"{target}/session-1.md"] * len(broken) != []
    (project / "sessions").rename(project / "elsewhere")
    (project / "sessions").symlink_to("elsewhere")
    with pytest.raises(WriteError, match="is a symbolic link"):
        session_files.folder_of_specs(here.path("plan.md"), None)


def test_a_plan_is_made_in_the_project_that_holds_its_source_or_that_the_source_names(
    here: Project, repo: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo)
    today = time.strftime("%Y-%m-%d")
    other = BRIEF.replace("2026-01-31-rate-limit/", "2026-01-30-gone/")
    made = f"{today}-rate-limit"
    for path, text, named in (
        (f"{here.shown}/brief.md", other, project.name),
        ("brief.md", BRIEF, project.name),
        ("deep/brief.md", other, made),
        (f"{here.shown}/deep/brief.md", other, made),
        ("brief.md", other.replace("project_dir: .claude/projects/2026-01-30-gone/\n", ""), made),
    ):
        shutil.rmtree(repo / f".claude/projects/{made}", ignore_errors=True)
        write_tree(repo, {path: text})
        found = basis.find_source(None, path)
        assert (found.kind, found.shown, found.project.folder) == (
            "brief",
            path,
            str(repo / f".claude/projects/{named}"),
        )
        assert basis.is_reviewed(found) is False
        assert (repo / f".claude/projects/{made}/research").is_dir() == (named == made)
        assert (repo / f".claude/projects/{made}/.gitignore").is_file() == (named == made)
    assert basis.find_source(here.shown, None).path == here.path("brief.md")
    monkeypatch.setattr(basis, "placed_kinds", list)
    shutil.rmtree(repo / f".claude/projects/{made}")
    made_here = basis.find_source(None, "deep/brief.md").project
    assert (Path(made_here.folder).is_dir(), Path(made_here.path("research")).exists()) == (True, False)
    assert (basis.research_of(found), basis.architecture_of(here), basis.under_way(here)) == (
        ([], []),
        ({}, []),
        [],
    )
    for name, text, why, remedy in (
        ("bad.md", other.replace("slug: rate-limit\n", ""), "the brief has no slug", "add a slug to its front matter"),
        ("bad.md", other.replace("slug: rate-limit", "slug: '#'"), "bad.md is not a valid brief: BRIEF_", "fix it first"),
        ("none.md", "", "none.md: there is no such file", f"name another file, or write a brief first with `{COMMANDS['brief']}`"),
    ):  # fmt: skip
        if text:
            write_tree(repo, {name: text})
        with pytest.raises(RefusedError) as refused:
            basis.find_source(None, name)
        assert str(refused.value).startswith(why)
        assert remedy in refused.value.next_step


def test_a_live_run_keeps_its_plan_and_its_spec(here: Project, repo: Path, project: Path) -> None:
    write_tree(
        project, {"plan.md": "of the run", "plan.md.draft": plan(1), "sessions/session-2.md": "of the run"}
    )
    for name, act in (
        ("sessions/session-2.md", lambda folder: session_files.write_specs(here.path("sessions"), {})),
        (
            "sessions/session-1.md",
            lambda folder: session_files.write_specs(here.path("sessions"), {"session-1.md": b"x"}),
        ),
        ("plan.md", lambda folder: gate.end(here, folder)),
    ):
        for host, lives in (("elsewhere", True), (os.uname().nodename, False)):
            lock = {"root": str(repo), "owner": {"host": host, "pid": 1}, "plan": f"{here.shown}/{name}"}
            write_tree(repo, {".git/ultra/run.json": json.dumps(lock)})
            before = (project / name).read_bytes() if (project / name).exists() else None
            with locked(here.folder) as folder:
                if lives:
                    with pytest.raises(RefusedError, match=f"{name} is in use by the run in progress"):
                        act(folder)
                    assert ((project / name).read_bytes() if (project / name).exists() else None) == before
                else:
                    act(folder)


def test_notes_about_an_architecture_are_sources_of_a_plan(here: Project, project: Path) -> None:
    assert basis.architecture_of(here) == ({}, [])
    write_tree(project, {"architecture/README.md": "# Notes\n"})
    paths, told = basis.architecture_of(here)
    assert paths == {"overview": f"{here.shown}/architecture/README.md"}
    assert [one.partition(":")[0] for one in told] == ["ARCH_NON_CANONICAL_OVERVIEW"]


def test_a_partial_brief_gives_its_weak_dimensions_to_the_plan(project: Path) -> None:
    path = project / "brief.md"
    weak = "\n## Brief Quality\n\nNot settled:\n\n- **One:** a\n  - two\n"
    for quality, section, told in (
        ("complete", weak, []), ("partial", weak, ["**One:** a", "two"]), ("partial", "", [basis.NOT_SAID]),
        ("partial", weak.replace("- ", "+ "), [basis.NOT_SAID]),
    ):  # fmt: skip
        path.write_text(BRIEF.replace("begun\n---", f"begun\nbrief_quality: {quality}\n---") + section)
        assert basis.weak_dimensions(str(path)) == told
    assert basis.weak_dimensions(str(project / "none.md")) == []
