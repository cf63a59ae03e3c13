"""What a plan is made from: each answer is one function of the files of the project."""

from __future__ import annotations

import json
import os
import re
import shlex
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

from tests.door.samples import BRIEF, COMPLETE, plan
from tests.executor import sample, status_sample
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS
from tests.kit.table import each
from ultra_runtime.answer import RefusedError
from ultra_runtime.brief import gate as brief_gate
from ultra_runtime.brief import interview
from ultra_runtime.brief.draft import fill_in
from ultra_runtime.brief.gate import is_marked_reviewed, with_digest
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.scores import Review, judge
from ultra_runtime.files.atomic import WriteError, locked
from ultra_runtime.files.project import Project
from ultra_runtime.plan.reading import read
from ultra_runtime.planning import basis, gate, session_files, small_task
from ultra_runtime.text import frontmatter


@pytest.fixture
def here(repo: Path, project: Path) -> Project:
    """Return the project."""
    return Project(str(repo), project.name)


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


TOPIC = BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## Prior Attempts")]
COMPUTED = (
    "created",
    "slug",
    "project_dir",
    "research_topics",
    "research_status",
    "interview_turns",
    "source",
)
NAMES = ("2026-01-31-rate-limit", "2026-02-30-rate-limit", "2026-01-31-#", "2026-01-31", "rate-limit")


def test_a_draft_gets_what_its_project_its_topics_and_its_interview_say(repo: Path) -> None:
    contract = load_contract("brief")
    bare = re.sub("(created|slug|project_dir|research_topics|research_status): .*\n", "", BRIEF)

    @each(product(NAMES, ("pending", "in_progress", "complete", "skipped"), (0, 1, 2), (0, 2), (BRIEF, bare)))
    def check(name: str, status: str, topics: int, turns: int, text: str) -> None:
        here = Project(str(repo), name)
        Path(here.folder).mkdir(exist_ok=True)
        interview.keep_interview(here, [interview.AskedQuestion(["Goal"], "Why?", "So.")] * turns)
        parts = "".join(TOPIC.replace("Topic 1", f"Topic {at}") for at in range(1, topics + 1))
        text = text.replace(TOPIC, parts or "None.\n\n")
        text = text.replace("status: pending", f"status: {status}")
        filled = fill_in(contract, here, text.encode())
        assert fill_in(contract, here, filled) == filled
        before, values = (frontmatter.parse(data).values or {} for data in (text.encode(), filled))
        ended = before.get("research_status") if status in ("complete", "skipped") else None
        expected = {
            "research_topics": str(topics),
            "research_status": "pending" if topics else ended or "skipped",
        }
        if name == NAMES[0]:
            expected |= {"created": "2026-01-31", "slug": "rate-limit", "project_dir": f"{here.shown}/"}
        if turns:
            expected |= {"interview_turns": "2", "source": "interview"}
        known = {field: str(before[field]) for field in COMPUTED if field in before}
        assert {field: str(values[field]) for field in COMPUTED if field in values} == {**known, **expected}
        kinds = ("research", "plan") if topics else ("plan",)
        rows = [f"    {COMMANDS[kind]} --project {shlex.quote(here.shown)}" for kind in kinds]
        rows += [""] * bool(topics)
        rows += [f"- Topic {at}: Which store can count per user?" for at in range(1, topics + 1)]
        assert filled.decode().endswith("\n## How to continue\n\n" + "\n".join(rows) + "\n")

    check()


def test_a_draft_that_cannot_be_read_or_changed_stays_as_it_is(here: Project) -> None:
    contract = load_contract("brief")
    twice = BRIEF + "\n## How to continue\n"
    for text in (
        "no front matter",
        "---\na: [\n---\n",
        BRIEF.replace("slug: rate-limit", "slug: [a]"),
        twice,
    ):
        assert fill_in(contract, here, text.encode()) == text.encode()


def test_the_gate_of_a_brief_keeps_the_earlier_brief_until_the_new_one_is_there(
    here: Project, project: Path
) -> None:
    def names() -> dict[str, str]:
        return {path.name: path.read_text() for path in project.iterdir() if path.name != ".gitignore"}

    def fresh(files: dict[str, str]) -> None:
        for path in project.iterdir():
            path.unlink()
        write_tree(project, files)

    counted, draft = ".brief-gate.local.json", "brief.md.draft"
    for files, begun, aside in (
        ({}, {}, False),
        ({"brief.md": "old", counted: "1"}, {"brief.md.prev": "old"}, True),
        (
            {"brief.md": "old", counted: "1", draft: "x"},
            {"brief.md.prev": "old", counted: "1", draft: "x"},
            True,
        ),
        ({counted: "1", draft: "x"}, {counted: "1", draft: "x"}, False),
    ):
        fresh(files)
        with locked(here.folder) as folder:
            assert brief_gate.begin(here, folder) == aside
        assert names() == begun
    for files, left in (
        ({"brief.md.prev": "old"}, {"brief.md": "old"}),
        ({"brief.md.prev": "old", draft: "x"}, {"brief.md.prev": "old", draft: "x"}),
        ({"brief.md.prev": "old", "brief.md": "by hand"}, {"brief.md.prev": "old", "brief.md": "by hand"}),
        ({}, {}),
    ):
        fresh(files)
        with locked(here.folder) as folder:
            brief_gate.restore(here, folder)
        assert names() == left
        fresh({draft: "x", counted: "1", **files})
        with locked(here.folder) as folder:
            assert brief_gate.discard(here, folder) == bool(files)
        assert set(names().values()) == {text for text in files.values() if text != "x"}
        assert draft not in names()
    for data in (None, b"new"):
        for files in ({}, {"brief.md": "by hand"}, {"brief.md.prev": "old"}):
            fresh({draft: "x", counted: "1", **files})
            with locked(here.folder) as folder:
                brief_gate.end(folder, data)
            assert names() == {"brief.md": (data or b"x").decode()}


def test_the_rounds_are_kept_and_a_broken_count_leaves_the_last(here: Project, project: Path) -> None:
    rules = load_contract("brief").gate
    assert rules
    review = Review(
        {one.name: 2 for one in rules.dimensions},
        {one.name: ["a"] for one in rules.dimensions},
        "REVISE",
        False,
    )
    nothing = brief_gate.read_rounds(here, rules)
    assert (nothing.count, nothing.digest, nothing.returned) == (0, "", False)
    for count, digest, returned in ((0, "", True), (1, "abc", False), (2, "", False)):
        with locked(here.folder) as folder:
            brief_gate.keep_rounds(here, folder, brief_gate.Rounds(count, review, digest, returned))
        read = brief_gate.read_rounds(here, rules)
        assert (read.count, read.digest, read.returned) == (count, digest, returned)
        assert read.last.as_data() == review.as_data()
    assert (project / ".gitignore").exists()
    file = project / ".brief-gate.local.json"
    for text in ("{", "", '{"round": -1}', '{"round": "1"}', "{}", '{"round": 3}', '{"round": true}'):
        file.write_text(text)
        read = brief_gate.read_rounds(here, rules)
        assert (read.count, read.digest, read.returned, read.last.degraded) == (2, "", False, True), text
    file.write_text('{"round": 1, "draft": null, "returned": 1}')
    read = brief_gate.read_rounds(here, rules)
    assert (read.count, read.digest, read.returned) == (1, "", False)


def test_a_brief_that_did_not_pass_says_what_is_weak(here: Project) -> None:
    contract = load_contract("brief")
    assert contract.gate
    names = [one.name for one in contract.gate.dimensions]
    scores = dict.fromkeys(names, 5) | {"testability": 2, "consistency": 3}
    details = {name: ["one", "two"] if name == "testability" else [] for name in names}
    weak = "- **Testability, 2 of 5:** one; two\n- **Consistency, 3 of 5:** the review gives no details"
    head = "The review ended after 1 of 3 rounds without a pass; the plan treats these as assumptions, not as settled:"
    issue = Issue("CODE", "it is wrong", "brief.md")
    for degraded in (False, True):
        review = Review(scores, details, "REVISE", degraded)
        ruling = judge(contract.gate, scores)
        more = "The last review had no readable scores.\n\n" * degraded
        assert brief_gate.quality_text(contract, review, ruling, 1) == f"{more}{head}\n\n{weak}"
        text = brief_gate.partial_brief(contract, BRIEF.encode(), review, ruling, 1, [issue])
        section = f"## Brief Quality\n\n{more}{head}\n\n{weak}\n- **CODE:** it is wrong\n\n## How to continue"
        assert section in text.decode()
        assert b"\nbrief_quality: partial\n" in text
        assert is_marked_reviewed(text)
    bare = brief_gate.partial_brief(contract, BRIEF.encode(), review, None, 0)
    unreviewed = f"## Brief Quality\n\n{brief_gate.UNREVIEWED}\n\n## How to continue"
    assert (unreviewed in bare.decode(), is_marked_reviewed(bare)) == (True, False)
    assert brief_gate.passed_brief(text) == COMPLETE.encode()
    assert brief_gate.unreviewed_brief(contract, BRIEF.encode()) == BRIEF.encode()
    for claimed in (COMPLETE.encode(), text):
        marked = brief_gate.unreviewed_brief(contract, claimed)
        assert (unreviewed in marked.decode(), b"\nbrief_quality: partial\n" in marked) == (True, True)


def test_an_interview_is_read_as_it_was_kept_and_thin_answers_leave_sections_open(
    here: Project, project: Path
) -> None:
    asked = [
        interview.AskedQuestion(["Goal", "Intent"], "Why\nnot?", "So it is."),
        interview.AskedQuestion([], "", ""),
    ]
    interview.keep_interview(here, asked)
    file = project / "logs/interview.jsonl"
    assert interview.shown_path(here) == f"{here.shown}/logs/interview.jsonl"
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    broken = ['{"sections": "Goal", "question": "a", "answer": "b"}', '{"sections": [], "question": 1, "answer": "b"}',
              '{"sections": [], "question": "a"}', "[]", "{"]  # fmt: skip
    file.write_text("\n".join([*broken, *lines, '{"sections": [1], "question": "a", "answer": "b"}', ""]))
    found = interview.read_interview(here)
    assert [one.as_data() for one in found] == [
        *(one.as_data() for one in asked),
        {"sections": ["1"], "question": "a", "answer": "b"},
    ]
    interview.set_aside(here)
    interview.set_aside(here)
    assert (file.exists(), interview.read_interview(here)) == (False, [])
    assert (project / "logs/interview.jsonl.prev").exists()

    @each([
        ("Speed.", True), ("I don't know", True), ("I do not know: x", True), ("Not sure!", True), ("no idea, dunno", True),
        ("don't know", True), ("", True), ("two words", False), ("Not sure; one thing", False), ("\u9650\u5236", False),
    ])  # fmt: skip
    def check(answer: str, thin: bool) -> None:
        assert interview.is_thin(answer) == thin
        required = ["Intent", "Goal", "Success Criteria", "Research Plan"]
        for section in (*required, "Constraints"):
            closed = {section} if not thin or section == "Research Plan" else set()
            left = interview.open_sections([interview.AskedQuestion([section], "?", answer)])
            assert left == [name for name in required if name not in closed]

    check()


def test_a_reviewed_brief_may_change_its_line_ends_and_its_status_and_nothing_else() -> None:
    reviewed = with_digest(BRIEF.encode())
    assert not is_marked_reviewed(BRIEF.encode())
    for same in (
        reviewed,
        reviewed.replace(b"\n", b"\r\n"),
        reviewed.replace(b"research_status: pending", b"research_status: complete"),
    ):
        assert is_marked_reviewed(same)
    for old, new in (
        (b"too much", b"too little"),
        (b"slug: rate-limit", b"slug: other"),
        (b"\n## Goal", b"\n\n## Goal"),
    ):
        assert not is_marked_reviewed(reviewed.replace(old, new, 1))
