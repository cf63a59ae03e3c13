"""The rules of waves, called in this process on real repositories: audit, verdict, merge, move of the branch, cleanup."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ultra_runtime.tables.limits import RECOVERY_DEPTH

from tests.kit.files import write_tree
from tests.kit.repository import ENVIRONMENT, git, make_repository
from tests.waves.sample import PLAN, PROJECT, QUICK, plan, session, step
from ultra_runtime.run.life.wave_lines import place_in_tree
from ultra_runtime.run.state.wave_state import SessionStand
from ultra_runtime.waves.advancing import advance
from ultra_runtime.waves.attempts import attempt_of
from ultra_runtime.waves.branch_audit import _gather, outside
from ultra_runtime.waves.cleanup import clean_session, clean_up
from ultra_runtime.waves.leasing import facts_of, job_of
from ultra_runtime.waves.merging import integrate
from ultra_runtime.waves.preflight import (
    LONGEST_PATH,
    _billing,
    _in_the_way,
    _plan,
    _programs,
    _repository,
    dirty_paths,
)
from ultra_runtime.waves.recovery import recovery_text
from ultra_runtime.waves.session_tree import make_tree
from ultra_runtime.waves.taking import STRANGE, take_result
from ultra_runtime.waves.verdicts import _join_recoveries, judge_attempt
from ultra_runtime.waves.wave_engine import engine_of
from ultra_runtime.waves.wave_run import WaveRun, find_begun, find_wave_run
from ultra_runtime.waves.wave_start import WaveOptions, _write_begin

RESCUE = "refs/ultra/rescue/2026-01-31-greet"
WAVE = "refs/ultra/wave/2026-01-31-greet/wave-1"
FILES = {**QUICK, "src/old.py": "old\n", "src/part1.py": "old\n", "lib/part3.py": "old\n"}
TEXT = plan(
    step(1), step(2, on_failure="skip"), step(3, files=["lib/part3.py"]), step(4, files=["doc/part4"], on_failure="skip"),
    step(5, files=["etc/part5"]),
    strategy="\n".join([
        session(1, "1-2", 1, ["src/"]), session(2, "3", 1, ["lib/"]), session(3, "4", 1, ["doc/"]),
        session(4, "5", 2, ["etc/"], "Session 1, Session 2"),
    ]),
)  # fmt: skip


class Rules:
    """A run of waves whose first wave has begun, and the commits of its sessions."""

    def __init__(self, run: WaveRun, folder: Path) -> None:
        self.run, self.folder = run, folder
        self.base = run.git.head()
        run.note("wave", wave=1, base=self.base)

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def one(self, number: int = 1) -> SessionStand:
        return self.run.state.sessions[number]

    def tree(self, number: int = 1) -> Path:
        return Path(self.run.tree_of(number))

    def commit(self, files: Mapping[str, str | None], onto: str = "", branch: int = 0, step: int = 1) -> str:
        """Return a commit that writes and removes files; the branch of a session is set to it."""
        beside = self.folder.parent / "beside"
        self.git("worktree", "add", "--quiet", "--force", "--detach", str(beside), onto or self.base)
        write_tree(beside, {path: text for path, text in files.items() if text is not None})
        for path in (path for path, text in files.items() if text is None):
            (beside / path).unlink()
        git(beside, "add", "--all")
        git(beside, "commit", "--quiet", "--allow-empty", f"--message=feat: part {step}")
        made = git(beside, "rev-parse", "HEAD")
        self.git("worktree", "remove", "--force", str(beside))
        if branch:
            self.git("update-ref", f"refs/heads/{self.run.branch_of(branch)}", made)
        return made

    def lease(self, number: int = 1, depth: int = 0, temporary: str = "") -> None:
        tree = str(self.tree(number))
        self.run.note(
            "lease", session=number, attempt=1, depth=depth, tree=tree, mark="", temporary=temporary
        )

    def passed(self, number: int, tip: str) -> None:
        self.run.note("audit", session=number, state="passed", tip=tip)

    def rescued(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)", RESCUE).split()

    def journal(self, act: str) -> list[dict[str, Any]]:
        return [row for row in self.run.journal.rows() if row["act"] == act]


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WaveRun:
    """Return waves that have not begun."""
    folder = make_repository(tmp_path / "repo", FILES)
    write_tree(folder, {PLAN: TEXT})
    monkeypatch.chdir(folder)
    for name in ("HOME", "GIT_CONFIG_NOSYSTEM"):
        monkeypatch.setenv(name, ENVIRONMENT[name])
    return find_wave_run(PLAN)


@pytest.fixture
def rules(fresh: WaveRun) -> Rules:
    """Return waves that have begun, without any session at work."""
    _write_begin(fresh, WaveOptions(2, None, "", "auto", 1.0), by_hand=True)
    return Rules(find_begun(PLAN, None), Path(fresh.place.root))


@pytest.mark.parametrize(("changes", "checks"), [
    ({"src/part1.py": "x", "src/new/deep.py": "x"}, []),
    ({"src/part1.py": None}, []),
    ({"src/old.py": None}, ["deleted"]),
    ({"src/old.py": None, "src/moved.py": "old\n"}, ["deleted"]),
    ({"srcs.py": "x"}, ["touch"]),
    ({"lib/part3.py": "x"}, ["touch"]),
    ({"lib/part3.py": None}, ["touch", "deleted"]),
    ({}, []),
])  # fmt: skip
def test_a_session_changes_only_its_touch_and_deletes_only_its_files(
    rules: Rules, changes: dict[str, str | None], checks: list[str]
) -> None:
    found = outside(rules.run, 1, rules.base, rules.commit(changes))
    assert [drift.check for drift in found] == checks


@pytest.mark.parametrize(("records", "depth", "missing"), [
    ([], 0, [1, 2]),
    ([(0, "step-1", "tip")], 0, [2]),
    ([(0, "step-1", "tip"), (0, "step-2", "base")], 0, []),
    ([(0, "step-1", "other"), (0, "step-2", "tip")], 0, [1]),
    ([(0, "skip-1", "tip"), (0, "skip-2", "tip")], 0, [1]),
    ([(0, "skip-2", "other"), (0, "step-1", "tip")], 0, [2]),
    ([(0, "begin-1", "tip"), (0, "claim-1", "tip"), (0, "wip", "tip")], 0, [1, 2]),
    ([(0, "step-1", "tip"), (1, "step-2", "tip")], 0, [2]),
    ([(0, "step-1", "tip"), (1, "step-2", "tip")], 1, []),
    ([(0, "step-3", "tip")], 0, [1, 2]),
])  # fmt: skip
def test_a_step_counts_that_is_recorded_below_the_tip(
    rules: Rules, records: list[tuple[int, str, str]], depth: int, missing: list[int]
) -> None:
    commits = {
        "base": rules.base,
        "tip": rules.commit({"src/part1.py": "x"}, branch=1),
        "other": rules.commit({"src/part2.py": "x"}),
    }
    for at in (0, 1):
        named: dict[str, str | None] = {name: commits[commit] for run, name, commit in records if run == at}
        rules.run.git.set_refs(rules.run.place_of(1, at).slug, named)
    rules.lease(depth=depth)
    facts = _gather(rules.run, rules.one())
    assert (facts.missing, facts.tip) == (missing, commits["tip"])
    assert [drift.step for drift in facts.drifts] == missing
    assert not {step.number for step in facts.completed} & set(missing)


def write_progress(rules: Rules, depth: int, status: str, **steps: tuple[str, str | None]) -> None:
    """Write the progress of a run into the tree of its session: like that which the verdict wrote, but for these."""
    values = json.loads(Path(rules.run.place.of_session(1).progress).read_text())
    for name, (state, error) in steps.items():
        values["steps"][name[1:]] |= {"status": state, "error": error}
    path = Path(place_in_tree(rules.run.state, rules.one(), depth).progress)
    write_tree(path.parent, {path.name: json.dumps({**values, "status": status})})


def judged(rules: Rules, end: Mapping[str, object]) -> SessionStand:
    """Return a session after the verdict on an attempt that ended so."""
    rules.run.note("end", session=1, attempt=1, **end)
    judge_attempt(rules.run, rules.one())
    return rules.one()


# How the attempt ended, whether its run began, what the branch has; state, words, depth, status in the project.
DONE = {"how": "done", "why": "", "status": 0}
BROKE = {"how": "done", "why": "Invalid API key", "status": 1}
LATE = {"how": "time limit", "why": "too slow", "status": 0}
STRAY: dict[str, str | None] = {"lib/part3.py": "x"}
VERDICTS = {
    "nothing was done": (DONE, False, {}, 0, "waiting", "step 1: step: expected step 1 completed", "in_progress"),
    "too late, whatever it did": (LATE, True, {}, 0, "failed", "time limit: too slow", "failed"),
    "no run began": (BROKE, False, {}, 0, "failed", "the client ended with status 1: Invalid API key", "failed"),
    "the run began": (BROKE, True, {}, 0, "waiting", "expected step 2 completed", "in_progress"),
    "outside": (DONE, True, STRAY, 0, "failed", "changed: lib/part3.py", "failed"),
    "the last recovery but one": (DONE, True, {}, RECOVERY_DEPTH - 1, "waiting", "expected step 1 completed", "in_progress"),
    "the last recovery": (DONE, True, {}, RECOVERY_DEPTH, "partial", f"it still lacks steps 1 and 2 after {RECOVERY_DEPTH} recoveries: ", "partial"),
    "outside after the last recovery": (DONE, True, STRAY, RECOVERY_DEPTH, "failed", "changed: lib/part3.py", "failed"),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_follows_from_the_facts(rules: Rules, name: str) -> None:
    end, began, changes, depth, state, words, status = VERDICTS[name]
    tip = rules.commit(changes, branch=1)
    rules.lease(depth=depth)
    if began:
        rules.run.git.set_refs(rules.run.slugs_of(rules.one())[-1], {"start": rules.base})
    rules.run.note("end", session=1, attempt=1, **end)
    judge_attempt(rules.run, rules.one())
    one = rules.one()
    assert (one.state, words in one.why) == (state, True), one.why
    assert one.missing == ([1, 2] if state in ("waiting", "partial") else [])
    assert one.depth == depth + (state == "waiting")
    assert one.tip == (tip if "step" in one.why or changes else "")
    progress = json.loads(Path(rules.run.place.of_session(1).progress).read_text())
    assert (progress["status"], progress.get("recovery_depth") or 0) == (status, depth)
    assert bool(progress.get("recovery_dispatched")) == bool(depth)


@pytest.mark.parametrize(("status", "state"), [
    ("failed", "failed"), ("stopped", "failed"), ("blocked", "failed"),
    ("in_progress", "waiting"), ("partial", "waiting"),
])  # fmt: skip
def test_a_run_that_a_step_ended_has_failed(rules: Rules, status: str, state: str) -> None:
    rules.lease()
    judged(rules, LATE)
    write_progress(rules, 0, status, _1=("completed", "once"), _2=("failed", "for good"))
    one = judged(rules, DONE)
    assert one.state == state
    assert (one.why == f"its run is {status}; step 2: for good") == (state == "failed"), one.why
    steps = json.loads(Path(rules.run.place.of_session(1).progress).read_text())["steps"]
    assert [steps[name]["error"] for name in "12"] == ["once", "for good"]


def test_a_recovery_is_judged_by_its_own_run(rules: Rules) -> None:
    run = rules.run
    run.git.set_refs(run.place_of(1).slug, {"start": rules.base})
    rules.lease()
    judged(rules, LATE)
    write_progress(rules, 0, "failed", _1=("failed", "first"), _2=("failed", "first"))
    rules.lease(depth=1)
    assert "the client ended with status 1" in judged(rules, BROKE).why
    write_progress(rules, 1, "in_progress", _1=("failed", "second"), _3=("failed", "of another session"))
    assert (judged(rules, DONE).state, rules.one().depth) == ("waiting", 2)
    steps = json.loads(Path(run.place.of_session(1).progress).read_text())["steps"]
    assert (steps["1"]["error"], steps["3"]["status"]) == ("second", "deferred")


def test_what_recoveries_did_belongs_to_the_session_that_passes(rules: Rules) -> None:
    run = rules.run
    first = rules.commit({"src/part1.py": "x"})
    tip = rules.commit({"src/part2.py": "x"}, first, branch=1, step=2)
    rules.lease(depth=1)
    run.git.set_refs(run.place_of(1).slug, {"start": rules.base, "step-1": first, "begin-1": rules.base})
    later: dict[str, str | None] = {"start": first, "begin-2": first, "step-2": tip, "claim-2": tip}
    run.git.set_refs(run.place_of(1, 1).slug, later)
    _join_recoveries(run, rules.one(), tip)
    facts = run.git.refs(run.place_of(1).slug)
    wanted = {
        "start": rules.base,
        "begin-1": rules.base,
        "step-1": first,
        "begin-2": first,
        "step-2": tip,
        "end": tip,
    }
    assert {name: facts.get(name) for name in wanted} == wanted
    assert "claim-2" not in facts


def test_a_session_that_lacks_nothing_passes_and_its_steps_are_over(rules: Rules) -> None:
    """Its only step was skipped, as the plan allows, so that no command decides."""
    run, tip = rules.run, rules.commit({"doc/other": "x"}, branch=3)
    rules.lease(3)
    run.git.set_refs(run.place_of(3).slug, {"start": rules.base, "skip-4": tip})
    run.note("end", session=3, attempt=1, **DONE)
    judge_attempt(run, rules.one(3))
    assert (rules.one(3).state, rules.one(3).why, rules.one(3).tip) == ("passed", "", tip)
    progress = json.loads(Path(run.place.of_session(3).progress).read_text())
    assert (progress["status"], progress["session_end_sha"]) == ("completed", tip)
    assert [progress["steps"][name]["status"] for name in "1234"] == ["deferred"] * 3 + ["completed"]


def test_a_recovery_has_the_missing_steps_and_says_where_it_goes_on(rules: Rules) -> None:
    tip = rules.commit({"src/part1.py": "x"}, branch=1)
    rules.lease()
    rules.run.note("audit", session=1, state="waiting", missing=[2], depth=1, tip=tip)
    text = recovery_text(rules.run, rules.one())
    assert ("### Step 2: " in text, "### Step 1: " in text, "### Step 3: " in text) == (True, False, False)
    assert f"previous partial session committed at {tip[:12]}" in text
    assert f"`{PLAN}`, session 1" in text


def merged(rules: Rules) -> bool:
    return integrate(rules.run, 1, rules.run.state.of_wave(1))


def test_what_passed_is_merged_in_the_order_of_the_plan_with_a_merge_commit_each(rules: Rules) -> None:
    rules.git("config", "merge.ff", "true")
    tips = [rules.commit({"src/part1.py": "1"}, branch=1), rules.commit({"lib/part3.py": "3"}, branch=2)]
    for number in (2, 1):
        rules.passed(number, tips[number - 1])
    late = rules.commit({"src/late.py": "x"}, tips[0], branch=1)
    assert merged(rules)
    rows = rules.git("log", "--first-parent", "--reverse", "--format=%P %s", f"{rules.base}..{WAVE}")
    first = rules.run.state.waves[1].merges[0][1]
    assert rows.split("\n") == [
        f"{rules.base} {tips[0]} merge: ultraplan session 1 (Part 1)",
        f"{first} {tips[1]} merge: ultraplan session 2 (Part 2)",
    ]
    assert rules.git("rev-parse", "HEAD") == rules.base
    # What came after the audit is kept, and not merged.
    assert [rules.git("rev-parse", ref) for ref in rules.rescued()] == [late]
    assert "src/late.py" not in rules.git("ls-tree", "-r", "--name-only", WAVE)
    acts = [row["act"] for row in rules.run.journal.rows()]
    assert (merged(rules), [row["act"] for row in rules.run.journal.rows()]) == (True, acts)


@pytest.mark.parametrize(
    "state", ["waiting", "running", "ended", "failed", "partial", "merged", "merge-failed"]
)
def test_only_what_passed_is_merged(rules: Rules, state: str) -> None:
    tip = rules.commit({"src/part1.py": "1"}, branch=1)
    rules.run.note("audit", session=1, state=state, tip=tip, depth=0)
    assert merged(rules)
    assert rules.run.state.waves[1].merges == []


@pytest.mark.parametrize(("changes", "before", "words"), [
    ({"lib/part3.py": "x"}, {}, "changed: lib/part3.py"),
    ({"src/old.py": None}, {}, "changed: src/old.py"),
    ({"src/part1.py": "mine"}, {"src/part1.py": "yours"}, "it conflicts in src/part1.py"),
    ({"src/part1.py": None}, {"src/part1.py": "yours"}, "it conflicts in src/part1.py"),
])  # fmt: skip
def test_what_cannot_be_merged_is_said_and_stops_the_wave(
    rules: Rules, changes: dict[str, str | None], before: dict[str, str | None], words: str
) -> None:
    onto = rules.commit(before) if before else rules.base
    rules.run.note("onto", wave=1, onto=onto)
    rules.passed(1, rules.commit(changes, branch=1))
    rules.passed(2, rules.commit({"lib/part3.py": "3"}, branch=2))
    assert not merged(rules)
    stand = rules.run.state
    assert (stand.sessions[1].state, stand.sessions[2].state) == ("merge-failed", "passed")
    assert (words in stand.sessions[1].why, stand.waves[1].tip, stand.waves[1].merges) == (True, onto, [])
    integration = rules.tree().with_name("integration")
    if integration.exists():
        assert (git(integration, "rev-parse", "HEAD"), git(integration, "status", "--porcelain")) == (
            onto,
            "",
        )


def make_commit(rules: Rules) -> None:
    rules.git("commit", "--quiet", "--allow-empty", "--message=mine")


def rewrite(rules: Rules) -> None:
    rules.git("commit", "--quiet", "--amend", "--message=again")


def switch(rules: Rules) -> None:
    rules.git("switch", "--quiet", "--create", "other")


def rename(rules: Rules) -> None:
    rules.git("branch", "--move", "main", "other")


def detach(rules: Rules) -> None:
    rules.git("checkout", "--quiet", "--detach")


def change(rules: Rules) -> None:
    write_tree(rules.folder, {"src/part1.py": "mine"})


def refuse(rules: Rules) -> None:
    hook = rules.folder / ".git/hooks/reference-transaction"
    write_tree(
        hook.parent,
        {hook.name: '#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/main && exit 1\nexit 0\n'},
    )
    hook.chmod(0o755)


def nothing(_: Rules) -> None:
    """Leave everything as it is."""


def other_change(rules: Rules) -> None:
    write_tree(rules.folder, {"README.md": "mine"})


@pytest.mark.parametrize(("meanwhile", "words"), [
    (nothing, ""),
    (other_change, ""),
    (make_commit, "main has commits that were made meanwhile"),
    (rewrite, "main was rewritten meanwhile and no longer contains "),
    (switch, "other is checked out instead of main: `git switch main`"),
    (rename, "other is checked out instead of main: `git switch --create main`"),
    (detach, "HEAD is detached instead of main: `git switch main`"),
    (change, "main cannot be moved to "),
    (refuse, "main cannot be moved to "),
])  # fmt: skip
def test_the_users_branch_moves_forward_only_and_only_from_where_it_was(
    rules: Rules, meanwhile: Any, words: str
) -> None:
    rules.passed(1, rules.commit({"src/part1.py": "1"}, branch=1))
    assert merged(rules)
    rules.git("config", "merge.ff", "false")
    to = rules.run.state.waves[1].tip
    meanwhile(rules)
    before = rules.git("rev-parse", "HEAD"), rules.git("status", "--porcelain", "--untracked-files=no")
    why = advance(rules.run, 1)
    assert (words in why, bool(why)) == (True, bool(words)), why
    after = rules.git("rev-parse", "HEAD"), rules.git("status", "--porcelain", "--untracked-files=no")
    assert after == (before if words else (to, before[1]))
    assert rules.one().state == ("passed" if words else "merged")
    assert len(rules.journal("advanced")) == (not words)


# What the session came to, what its tree has beside its branch; whether the branch stays, and how many refs keep what.
@pytest.mark.parametrize(("state", "ahead", "loose", "branch", "kept"), [
    ("merged", True, False, False, 0),
    ("merged", True, True, False, 1),
    ("passed", True, False, True, 0),
    ("passed", True, True, True, 1),
    ("failed", True, False, True, 1),
    ("partial", True, True, True, 2),
    ("failed", False, False, False, 0),
    ("waiting", False, True, False, 1),
])  # fmt: skip
def test_what_is_not_merged_is_saved_before_its_tree_goes(
    rules: Rules, state: str, ahead: bool, loose: bool, branch: bool, kept: int
) -> None:
    run, tip = rules.run, rules.base
    make_tree(run, run.tree_of(1), rules.base, run.branch_of(1), ready=False)
    if ahead:
        write_tree(rules.tree(), {"src/part1.py": "committed"})
        git(rules.tree(), "commit", "--quiet", "--all", "--message=feat: part 1")
        tip = git(rules.tree(), "rev-parse", "HEAD")
    if loose:
        write_tree(rules.tree(), {"src/loose.py": "loose"})
    temporary = rules.folder.parent / "temporary"
    temporary.mkdir()
    rules.lease(temporary=str(temporary))
    if state == "merged":
        rules.passed(1, tip)
        run.note("merged", wave=1, session=1, commit=tip)
        run.note("advanced", wave=1, to=tip)
    else:
        run.note("audit", session=1, state=state, tip=tip, depth=0)
    clean_session(run, rules.one(), engine_of(run))
    assert (rules.tree().exists(), temporary.exists(), rules.one().cleaned) == (False, False, True)
    assert run.tip_of(1) == (tip if branch else "")
    refs = rules.rescued()
    assert (len(refs), rules.one().rescued) == (kept, refs)
    saved = {name for ref in refs for name in rules.git("ls-tree", "-r", "--name-only", ref).split()}
    assert ("src/loose.py" in saved) == loose
    if kept > loose:
        assert tip in [rules.git("rev-parse", ref) for ref in refs]


def test_commits_after_the_merge_are_saved_before_their_branch_goes(rules: Rules) -> None:
    tip = rules.commit({"src/part1.py": "1"})
    late = rules.commit({"src/late.py": "x"}, tip, branch=1)
    rules.lease()
    rules.passed(1, tip)
    rules.run.note("merged", wave=1, session=1, commit=tip)
    rules.run.note("advanced", wave=1, to=tip)
    clean_session(rules.run, rules.one(), engine_of(rules.run))
    assert rules.run.tip_of(1) == ""
    assert [rules.git("rev-parse", ref) for ref in rules.rescued()] == [late]


def users_folder(rules: Rules) -> None:
    write_tree(rules.tree(), {"work.txt": "mine"})


def users_worktree(rules: Rules) -> None:
    rules.git("worktree", "add", "--quiet", "--detach", str(rules.tree()))
    write_tree(rules.tree(), {"work.txt": "mine"})


def users_locked_worktree(rules: Rules) -> None:
    users_worktree(rules)
    rules.git("worktree", "lock", "--reason", "ultra waves of another", str(rules.tree()))


def users_link(rules: Rules) -> None:
    elsewhere = rules.folder.parent / "elsewhere"
    write_tree(elsewhere, {"work.txt": "mine"})
    rules.tree().parent.mkdir(parents=True, exist_ok=True)
    rules.tree().symlink_to(elsewhere)


@pytest.mark.parametrize("where", [users_folder, users_worktree, users_locked_worktree, users_link])
def test_only_registered_worktrees_of_this_plan_are_removed(rules: Rules, where: Any) -> None:
    where(rules)
    linked, target = rules.folder.parent / "linked", rules.folder.parent / "target"
    write_tree(target, {"work.txt": "mine", "open/to": "all"})
    (target / "open").chmod(0o755)
    linked.symlink_to(target)
    rules.lease(temporary=str(linked))
    rules.run.note("audit", session=3, state="merged", tip=rules.base)
    assert clean_up(rules.run, engine_of(rules.run)) == []
    assert ((rules.tree() / "work.txt").read_text(), (target / "work.txt").read_text()) == ("mine", "mine")
    assert (linked.is_symlink(), (target / "open").stat().st_mode & 0o777) == (True, 0o755)
    # Waves that are not merged keep the refs by which they go on.
    assert rules.git("for-each-ref", "--format=%(refname)", "refs/ultra/wave")


@pytest.mark.parametrize(("files", "dirty"), [
    ({}, []),
    ({f"{PROJECT}/brief.md": "x", PLAN: "changed"}, []),
    ({"README.md": "changed"}, ["README.md"]),
    ({"new.txt": "x"}, ["new.txt"]),
    ({".claude/projects/2026-01-31-other/plan.md": "x"}, [".claude/projects/"]),
    ({".claude/worktrees/2026-01-31-greet/session-1/x": "x"}, []),
    ({".claude/worktrees/2026-01-31-other/x": "x"}, [".claude/worktrees/"]),
])  # fmt: skip
def test_everything_but_the_project_must_be_committed(
    fresh: WaveRun, files: dict[str, str], dirty: list[str]
) -> None:
    write_tree(Path(fresh.place.root), files)
    assert dirty_paths(fresh) == dirty
    assert any("the working tree is not clean" in one for one in _repository(fresh)) == bool(dirty)


@pytest.mark.parametrize(("value", "accepted", "asked"), [("k", False, 1), ("k", True, 0), ("", False, 0)])
def test_a_key_that_pays_is_asked_about_once(
    monkeypatch: pytest.MonkeyPatch, value: str, accepted: bool, asked: int
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", value)
    assert len([*_billing(accepted)]) == asked


@pytest.mark.parametrize(("sessions", "told"), [(1, 1), (2, 0)])
def test_waves_need_two_sessions(fresh: WaveRun, sessions: int, told: int) -> None:
    strategy = [
        session(number, str(number), 1, [f"src/part{number}.py"]) for number in range(1, sessions + 1)
    ]
    write_tree(Path(), {PLAN: plan(*(step(n) for n in range(1, sessions + 1)), strategy="\n".join(strategy))})
    assert len([*_plan(find_wave_run(PLAN))]) == told


def test_what_this_run_made_is_not_in_its_way(rules: Rules) -> None:
    make_tree(rules.run, rules.run.tree_of(1), rules.base, rules.run.branch_of(1), ready=False)
    assert [*_in_the_way(rules.run)] == []
    rules.git("worktree", "unlock", str(rules.tree()))
    (sentence,) = _in_the_way(rules.run)
    assert sentence.endswith("session-1 exists and no run of this plan made it: move it away")


@pytest.mark.parametrize(("verification", "programs"), [
    ("true", ["true"]), ("A=1 B=2 make test", ["make"]), ("./run.sh", []), ("bin/run", []), ("$X y", []), ("(cd x)", []),
    ("A=1", []),
])  # fmt: skip
def test_the_program_of_a_command_is_its_first_plain_word(
    fresh: WaveRun, verification: str, programs: list[str]
) -> None:
    write_tree(Path(), {PLAN: f"{TEXT}\n## Verification\n\n- `{verification}`\n- `{verification}`\n"})
    assert _programs(find_wave_run(PLAN)) == programs


@pytest.mark.parametrize("more", [0, 1])
def test_a_path_may_be_as_long_as_the_system_allows(fresh: WaveRun, more: int) -> None:
    room = LONGEST_PATH - len(fresh.tree_of(99)) - 1 + more
    folders = "/".join(["d" * 200] * (room // 201 - 1))
    name = f"{folders}/{'f' * 200}"
    name += f"/{'g' * (room - len(name) - 1)}"
    blob = fresh.git.line("rev-parse", "HEAD:README.md")
    fresh.git.ask("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    assert len([*_in_the_way(fresh)]) == more


def test_a_worker_elsewhere_is_told_what_its_session_needs(rules: Rules) -> None:
    run, tip = rules.run, rules.commit({"src/part1.py": "x"}, branch=1)
    run.note("wave", wave=2, base=tip)
    for number in (1, 2, 3):
        run.git.set_refs(run.place_of(number).slug, {"step-1": tip, "plan": run.state.begin["blob"]})
    rules.lease(4)
    job = job_of(run, attempt_of(run, rules.one(4)))
    assert job["facts"] == {run.place_of(number).slug: {"step-1": tip} for number in (1, 2)}
    assert (job["start"], job["base"], job["files"]) == (tip, tip, {})
    assert job["author"] == {"user.name": "A Person", "user.email": "person@example.com"}
    rules.lease(1, depth=1)
    run.note("audit", session=1, state="waiting", missing=[2], depth=1, tip=tip)
    job = job_of(run, attempt_of(run, rules.one(1)))
    assert (job["facts"], job["start"], job["base"]) == ({}, tip, rules.base)
    assert [*job["files"]] == [run.spec_of(1, 1)]


FACTS = {"start": "a", "end": "b", "begin-1": "c", "step-12": "d", "skip-3": "e"}
NO_FACTS = {"plan": "f", "claim-1": "g", "step-": "h", "step-x": "i", "wip-1": "j", "around": "k", "1": "l"}


def test_of_a_result_elsewhere_only_the_commits_of_steps_are_facts() -> None:
    assert facts_of({**FACTS, **NO_FACTS}) == FACTS


def test_the_result_of_the_leased_attempt_becomes_the_branch_and_replaces_the_facts(rules: Rules) -> None:
    run = rules.run
    earlier = rules.commit({"src/part1.py": "earlier"}, branch=1)
    tip, rest = rules.commit({"src/part1.py": "x"}), rules.commit({"src/rest.py": "x"})
    run.git.set_refs(run.place_of(1).slug, {"start": rules.base, "step-2": rules.base})
    rules.lease()
    told = {
        "end": {"status": 0}, "spoken": {}, "tip": tip, "refs": {"start": rules.base, "step-1": tip, "wip": tip},
        "rest": rest, "progress": {f"{PROJECT}/p.json": "{}", "../outside.json": "{}"},
    }  # fmt: skip
    assert take_result(run, rules.one(), told) == {"status": 0, "spoken": {}, "machine": ""}
    facts = run.git.refs(run.place_of(1).slug)
    assert facts == {"start": rules.base, "step-1": tip, "plan": run.state.begin["blob"]}
    assert run.tip_of(1) == tip
    assert {rules.git("rev-parse", ref) for ref in rules.rescued()} == {earlier, rest}
    assert (rules.tree() / PROJECT / "p.json").read_text() == "{}"
    assert not (rules.tree().parent / "outside.json").exists()


def test_a_result_that_does_not_descend_from_its_lease_is_kept_and_counts_for_nothing(rules: Rules) -> None:
    run = rules.run
    strange = rules.git("commit-tree", f"{rules.base}^{{tree}}", "-m", "strange")
    rules.lease()
    told = {"end": {"status": 0}, "spoken": {}, "tip": strange, "refs": {"step-1": strange}}
    assert take_result(run, rules.one(), told)["why"] == STRANGE
    assert (run.tip_of(1), run.git.refs(run.place_of(1).slug)) == ("", {})
    assert [rules.git("rev-parse", ref) for ref in rules.rescued()] == [strange]
