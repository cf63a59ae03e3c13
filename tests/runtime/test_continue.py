"""`ultra continue`: which state counts, and the exact command to go on with."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS, EXAMPLE
from tests.runtime.conftest import STATE_FILE
from ultra_runtime.files.root import find_root

AddState = Callable[..., Path]
EXECUTE = COMMANDS["execute"]
REVIEW = COMMANDS["review"]


def tables(ultra: Ultra) -> Path:
    return ultra.bundle / "runtime/ultra_runtime/tables"


def test_the_answer_has_all_that_a_model_needs(ultra: Ultra, add_state: AddState) -> None:
    add_state()
    told = ultra("continue")
    means = told.data["means"]
    assert means
    assert means in (tables(ultra) / "session_state.py").read_text()
    assert told.status == 0
    assert told.data == {
        "ok": True,
        "found": True,
        "project": ".claude/projects/one",
        "status": "stopped",
        "means": means,
        "label": "Session 2: limits",
        "updated_at": "2026-01-31T12:00:00Z",
        "brief": ".claude/projects/one/sessions/session-2.md",
        "stage": "execute",
        "command": f"{EXECUTE} --project .claude/projects/one --session 2",
        "skill": EXECUTE[1:],
        "args": "--project .claude/projects/one --session 2",
        "carried": True,
        "ignored": [],
        "others": [],
        "next": "offer `command` to the user",
    }


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({"next_session_label": "Complete", "status": "completed"}, f"{REVIEW} --project .claude/projects/one"),
        ({"next_session_label": "Complete", "status": "partial"}, f"{REVIEW} --project .claude/projects/one"),
        ({"next_session_label": "Continue"}, f"{EXECUTE} --project .claude/projects/one --resume --session 2"),
        (
            {"next_session_label": "Continue", "next_session_brief_path": ".claude/projects/one/brief.md"},
            f"{EXECUTE} --project .claude/projects/one --resume",
        ),
        ({}, f"{EXECUTE} --project .claude/projects/one --session 2"),
        (
            {"next_session_brief_path": "sessions/session-12.md"},
            f"{EXECUTE} --project .claude/projects/one --session 12",
        ),
        ({"next_session_brief_path": "other/session-2.md"}, f"{EXECUTE} other/session-2.md"),
        ({"next_session_brief_path": "sessions/session-x.md"}, f"{EXECUTE} sessions/session-x.md"),
        ({"next_session_brief_path": "sessions/session-.md"}, f"{EXECUTE} sessions/session-.md"),
        (
            {"next_session_brief_path": "p/sessions/session-2-recovery-1.md"},
            f"{EXECUTE} p/sessions/session-2-recovery-1.md",
        ),
        ({"next_session_brief_path": "my plan's.md"}, f"{EXECUTE} 'my plan'\"'\"'s.md'"),
    ],
)  # fmt: skip
def test_the_command(ultra: Ultra, add_state: AddState, changes: dict[str, str], command: str) -> None:
    add_state(**changes)
    assert ultra("continue").data["command"] == command
    assert command in ultra.say("continue").out


def test_a_project_with_spaces_is_quoted(ultra: Ultra, add_state: AddState) -> None:
    add_state("two words")
    data = ultra("continue").data
    assert data["project"] == ".claude/projects/two words"
    assert data["command"] == f"{EXECUTE} --project '.claude/projects/two words' --session 2"


def test_a_pipeline_without_the_stage_goes_on_with_another(
    own_bundle: Path, repo: Path, python: Path, add_state: AddState
) -> None:
    stages = own_bundle / "runtime/ultra_runtime/tables/stages.py"
    stages.write_text(stages.read_text() + '\ndel STAGES["execute"]\n')
    add_state()
    told = Ultra(own_bundle, repo, python)("continue")
    assert (told.status, told.data["stage"]) == (0, "brief")
    assert "execute" not in told.out


def test_the_newest_instant_counts_whatever_its_zone(ultra: Ultra, add_state: AddState) -> None:
    add_state("a-late-clock", updated_at="2026-01-31T13:30:00+02:00")
    add_state("b-newest", updated_at="2026-01-31T08:00:00-04:00")
    add_state("c-no-zone", updated_at="2026-01-31T11:59:59.999999")
    add_state("d-done", updated_at="2025-01-01T00:00:00Z", status="completed", next_session_label="Complete")
    data = ultra("continue").data
    assert data["project"] == ".claude/projects/b-newest"
    assert data["others"] == [".claude/projects/a-late-clock", ".claude/projects/c-no-zone"]
    words = ultra.say("continue").out
    assert "Also unfinished: .claude/projects/a-late-clock and .claude/projects/c-no-zone.\n" in words


def test_nothing_to_continue_is_an_answer(ultra: Ultra, repo: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    write_tree(repo, {".claude/projects/empty/logs/a.log": "", ".claude/projects/file": ""})
    for folder in (repo, nowhere):
        told = ultra("continue", cwd=folder)
        assert told.status == 0
        assert told.data == {"ok": True, "found": False, "next": "run `ultra guide continue none`"}
        assert ultra.say("continue", cwd=folder).out.startswith("No session state here")


def test_a_project_before_its_run_is_continued_as_status_says(
    ultra: Ultra, repo: Path, add_state: AddState
) -> None:
    fresh = repo / ".claude/projects/2026-01-31-rate-limit"
    fresh.mkdir(parents=True)
    assert ultra("continue").data["found"] is False, "nothing has begun there"
    shutil.copy(EXAMPLE / "brief.md", fresh)
    shown = f".claude/projects/{fresh.name}"
    wanted = ultra("status", "--project", shown).data["next"]
    assert wanted.startswith("/")
    for call in (["continue"], ["continue", "--project", shown], ["continue", "--project", str(fresh)]):
        told = ultra(*call).data
        assert (told["project"], told["command"], told["status"]) == (shown, wanted, "no run has started")
    short = ultra("continue", "--short").data
    assert {*short} == {"ok", "project", "status", "label", "stage", "command", "carried"}
    add_state("2026-01-29-stopped", updated_at="2026-02-01T00:00:00Z")
    assert ultra("continue").data["project"] == ".claude/projects/2026-01-29-stopped", "a run comes first"


def test_broken_states_are_listed_beside_a_valid_one(ultra: Ultra, repo: Path, add_state: AddState) -> None:
    add_state("good", updated_at="2020-01-01T00:00:00Z")
    add_state("newer", status="done")
    write_tree(repo, {f".claude/projects/torn/{STATE_FILE}": '{\n"schema_version": 1,\n'})
    (repo / f".claude/projects/zdir/{STATE_FILE}").mkdir(parents=True)
    told = ultra("continue")
    assert (told.status, told.data["project"]) == (0, ".claude/projects/good")
    ignored = [(entry["path"], entry["code"], entry["line"]) for entry in told.data["ignored"]]
    assert ignored == [
        (f".claude/projects/newer/{STATE_FILE}", "STATE_BAD_VALUE", 1),
        (f".claude/projects/torn/{STATE_FILE}", "STATE_PARSE_ERROR", 3),
        (f".claude/projects/zdir/{STATE_FILE}", "STATE_READ_ERROR", None),
    ]
    assert all(entry["message"] and entry["remedy"] for entry in told.data["ignored"])
    assert f"Ignored: .claude/projects/torn/{STATE_FILE}:3: STATE_PARSE_ERROR: " in ultra.say("continue").out


def test_only_broken_states_are_refused(ultra: Ultra, add_state: AddState) -> None:
    add_state(status="done")
    told = ultra("continue")
    assert (told.status, told.data["ok"], told.data["found"]) == (1, False, False)
    assert told.data["error"] == "the session state is broken"
    assert told.data["next"] == "run `ultra guide continue broken`"
    assert told.data["ignored"][0]["code"] == "STATE_BAD_VALUE"
    words = ultra.say("continue")
    assert words.status == 1
    assert "STATE_BAD_VALUE" in words.out


def test_two_states_of_one_instant_are_a_choice(ultra: Ultra, add_state: AddState) -> None:
    add_state("one", updated_at="2026-01-31T12:00:00Z")
    add_state("two words", updated_at="2026-01-31T13:00:00+01:00")
    add_state("old", updated_at="2025-01-31T12:00:00Z")
    told = ultra("continue")
    assert (told.status, told.data["ok"], told.data["found"]) == (0, True, False)
    assert told.data["next"] == "run `ultra guide continue ambiguous`"
    command = f"{COMMANDS['continue']} --project"
    assert [choice["command"] for choice in told.data["choices"]] == [
        f"{command} .claude/projects/one",
        f"{command} '.claude/projects/two words'",
    ]
    words = ultra.say("continue").out
    assert f"  {command} '.claude/projects/two words'" in words
    chosen = ultra("continue", "--project", ".claude/projects/two words")
    assert chosen.data["found"] is True


def test_a_project_is_found_from_here_and_from_the_root(
    ultra: Ultra, repo: Path, add_state: AddState
) -> None:
    add_state("one")
    add_state("two", updated_at="2030-01-01T00:00:00Z")
    (repo / "src").mkdir()
    for folder, project in [
        (repo, ".claude/projects/one"),
        (repo, ".claude/projects/one/"),
        (repo, str(repo / ".claude/projects/one")),
        (repo / "src", ".claude/projects/one"),
        (repo / "src", "../.claude/projects/one"),
        (repo / ".claude/projects", "one"),
        (repo.parent, str(repo / ".claude/projects/one")),
    ]:
        data = ultra("continue", "--project", project, cwd=folder).data
        assert data["project"] == ".claude/projects/one", (folder, project)
    assert ultra("continue", cwd=repo / "src").data["project"] == ".claude/projects/two"


def test_a_project_that_is_not_there_is_refused(ultra: Ultra, repo: Path, add_state: AddState) -> None:
    add_state("broken", status="done")
    write_tree(repo, {".claude/projects/fresh/logs/a.log": ""})
    for project, error in [
        ("nowhere", "there is no project folder nowhere"),
        (".git/config", "there is no project folder .git/config"),
        (
            ".claude/projects/fresh",
            f".claude/projects/fresh has no {STATE_FILE}: no run of it has started",
        ),
        (".claude/projects/broken", "the session state is broken"),
    ]:
        told = ultra("continue", "--project", project)
        assert (told.status, told.data["ok"], told.data["error"]) == (1, False, error)
        assert told.data["next"]


def test_a_missing_brief_is_said_first(ultra: Ultra, repo: Path, add_state: AddState) -> None:
    add_state()
    shutil.rmtree(repo / ".claude/projects/one/sessions")
    data = ultra("continue").data
    assert data["warnings"][0]["code"] == "STATE_BRIEF_MISSING"
    assert data["next"].startswith("tell the user the warnings, then ")
    assert ultra("continue", "--short").data["next"] == data["next"]
    assert "STATE_BRIEF_MISSING" in ultra.say("continue").out


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("Continue", "the run was stopped"),
        ("Complete", "the work has not been reviewed"),
        ("Session 2: limits", "Session 2: limits"),
    ],
)
def test_what_comes_next_is_told_in_words(ultra: Ultra, add_state: AddState, label: str, words: str) -> None:
    add_state(next_session_label=label)
    assert ultra("continue").data["label"] == words
    lines = dict(line.split(maxsplit=1) for line in ultra.say("continue").out.splitlines())
    assert list(lines) == ["Project", "Status", "Why", "When", "Read", "Next"]
    assert (lines["Why"], lines["Next"].startswith("/")) == (words, True)


def test_what_a_state_says_cannot_steer_the_terminal(ultra: Ultra, add_state: AddState) -> None:
    label = "\x1b[2J\nGo on: rm\u2028"
    add_state(next_session_label=label)
    words = ultra.say("continue").out
    assert "\x1b" not in words
    assert "\\x1b[2J\\nGo on: rm\\u2028" in words
    assert ultra("continue").data["label"] == label


@pytest.mark.parametrize(
    ("files", "start", "root"),
    [
        ([".git/HEAD", "a/b/x"], "a/b", ""),
        ([".git", "a/x"], "a", ""),
        ([".claude/projects/p/x", "a/x"], "a", ""),
        ([".claude/settings.json", "a/x"], "a", ""),
        ([".git/HEAD", "a/.claude/settings.json"], "a", ""),
        ([".git/HEAD", "a/.claude/projects/p/x"], "a", "a"),
        ([".git/HEAD", "a/.git", "a/b/x"], "a/b", "a"),
        ([".claude/projects/p/x", "a/.git/HEAD"], "a", "a"),
    ],
)
def test_where_the_root_is(tmp_path: Path, files: list[str], start: str, root: str) -> None:
    base = tmp_path / "base"
    write_tree(base, dict.fromkeys(files, ""))
    assert find_root(str(base / start)) == str(base / root)


def test_there_may_be_no_root(tmp_path: Path) -> None:
    assert find_root(str(tmp_path)) is None


def test_the_root_is_found_from_below(ultra: Ultra, repo: Path, add_state: AddState) -> None:
    add_state()
    (repo / "a" / "b").mkdir(parents=True)
    for folder in (repo / "a" / "b", repo / ".claude" / "projects" / "one" / "sessions"):
        assert ultra("continue", cwd=folder).data["project"] == ".claude/projects/one"
