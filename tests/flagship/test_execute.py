"""The acceptance of the executor: in the real client Claude carries out a plan, well or badly, and code decides.

Each story says what a person typed, what Claude did, and what is true afterwards of the result, the words and the
repository. `TYPED` is the command with the project of the plan; what Claude can do stands in greeting.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import Say
from tests.client.session import Client
from tests.executor.sample import PLAN, PROGRESS, PROJECT, STATE, plan, step
from tests.flagship.greeting import (
    COMMITS,
    EXECUTE,
    FILES,
    GREET,
    HELLO,
    TYPED,
    Played,
    Story,
    begin,
    commit,
    finish,
    greet_on_the_command_line,
    make_greeting,
    start,
    tell_how_it_is_used,
    verify,
)
from tests.kit.model import bash, edit, read, ultra, write

EVERYTHING = ("Bash", "Write", "Edit")


@pytest.fixture
def story(client: Client, scripted: ModelFactory, bundle: Path, tmp_path: Path) -> Story:
    """Return a repository with a plan, and the client in it."""
    return Story(client, scripted, bundle, tmp_path / "repo")


TOKENS_A_STEP = 283
"""What calls and answers cost in release 0.1.0, start and finish included: no release may say more."""


def tokens_of(told: Played) -> int:
    """Count what the verbs cost, calls and answers, as the client counts offline."""
    verbs = [one for one in told.results if one.call.name == "Bash"]
    return sum(len(json.dumps(dict(one.call.input))) + len(one.text) for one in verbs) // 4


@pytest.mark.soak
def test_a_an_honest_run_ends_completed(story: Story, record_property: Callable[[str, object], None]) -> None:
    told = story.claude(
        TYPED, start(), make_greeting(), greet_on_the_command_line(), tell_how_it_is_used(), finish()
    )
    assert [one.text for one in told.results if one.is_error] == []
    assert told.answer("run finish")["result"] == "completed"
    assert story.status() == ("completed", ["completed"] * 3)
    assert story.commits() == COMMITS
    assert [story.files_of(subject) for subject in COMMITS] == [
        ["src/greet.py"],
        ["src/hello.py"],
        ["README.md"],
    ]
    assert (story.is_clean(), story.is_over(), story.is_valid()) == (True, True, True)
    assert story.audit() == ("pass", [1, 2, 3])
    (line,) = (story.data / "ultraexecute-stats.jsonl").read_text().splitlines()
    assert (json.loads(line)["result"], json.loads(line)["steps_passed"]) == ("completed", 3)
    cost = tokens_of(told)
    record_property(
        "said", f"execute: {cost} tokens of verb calls and answers in the honest run, {cost // 3} a step"
    )
    assert cost // 3 <= TOKENS_A_STEP
    everything_is_filled_in(story, told.model.main.text)


def everything_is_filled_in(story: Story, text: str) -> None:
    """Look at the text of the command as the model got it."""
    assert f"Arguments: `--project {PROJECT}`" in text
    data = text.partition('ultra run finish --data "')[2].partition('"')[0]
    assert data == str(story.data)
    assert "{{" not in text.partition("# Run a plan")[2].partition("open no more files")[0]


def test_b_claiming_success_without_editing_is_a_failed_run(story: Story) -> None:
    told = story.claude(
        TYPED,
        start(),
        begin(1),
        commit(1),
        finish(),
        verify(1),
        verify(1),
        verify(1),
        finish(),
        Say("All three steps are completed and verified."),
    )
    assert told.refusals("step commit 1") == [
        "step 1 has not passed | verify it first: `ultra step verify 1`"
    ]
    early, last = told.answers("run finish")
    assert (early["ok"], "step 1 is in progress" in early["error"]) == (False, True)
    assert [one["next"] for one in told.answers("step verify 1")] == ["retry", "retry", "stop"]
    why = told.answers("step verify 1")[0]["why"]
    assert "Verify failed with exit status 1" in why
    assert any("src/greet.py" in reason for reason in why)
    assert last["result"] == "failed"
    assert f"{TYPED} --resume" in last["next"]
    assert story.status() == ("failed", ["failed", "pending", "pending"])
    assert "## Execution failed at step 1: 0 of 3 steps" in story.report()
    assert (story.commits(), story.is_clean(), story.is_over()) == ([], True, True)


@pytest.mark.soak
def test_c_an_edit_of_the_wrong_file_fails_the_attempt_and_is_named(story: Story) -> None:
    told = story.claude(
        TYPED,
        start(),
        begin(1),
        write("src/greet.py", GREET),
        read("README.md"),
        edit("README.md", "# Greet", "# Greetings"),
        write("todo.txt", "a file that nobody asked for\n"),
        verify(1),
        ultra("step restore 1 README.md todo.txt"),
        verify(1),
        commit(1),
        greet_on_the_command_line(),
        tell_how_it_is_used(),
        finish(),
    )
    first, second = told.answers("step verify 1")
    assert (first["passed"], first["next"], second["passed"], second["attempt"]) == (False, "retry", True, 2)
    assert any("README.md" in reason for reason in first["why"])
    assert "`ultra step restore 1 README.md todo.txt`" in first["do"]
    assert [one.text for one in told.results if one.is_error] == []
    assert not story.repo.has("todo.txt")
    assert told.answer("run finish")["result"] == "completed"
    assert "step 1, attempt 1: " in story.report().partition("### Findings")[2]
    assert (story.commits(), story.files_of(COMMITS[0])) == (COMMITS, ["src/greet.py"])
    assert (story.is_clean(), story.audit()[0]) == (True, "pass")


@pytest.mark.soak
def test_d_the_third_failure_undoes_the_step_and_ends_the_run(story: Story) -> None:
    story.repo.write({"settings.ini": "tone = changed by the user\n", "notes.txt": "the user's own\n"})
    told = story.claude(
        TYPED,
        start(),
        make_greeting(),
        begin(2),
        read("src/hello.py"),
        write("src/hello.py", "print('Hello')\n"),
        verify(2),
        write("src/hello.py", "print('Hello, Bob!')\n"),
        verify(2),
        write("src/hello.py", "raise SystemExit(3)\n"),
        verify(2),
        verify(2),
        begin(3),
        finish(),
    )
    *tries, late = told.answers("step verify 2")
    assert [(one["attempt"], one["next"]) for one in tries] == [(1, "retry"), (2, "retry"), (3, "stop")]
    assert "did not print the expected text: Hello, Ada!" in tries[0]["why"][0]
    assert tries[2]["why"] == ["Verify failed with exit status 3"]
    assert tries[2]["undone"]
    assert late == {
        "ok": False, "error": "the run has ended: its status is failed", "next": "finish it: `ultra run finish`"
    }  # fmt: skip
    assert told.answer("step begin 3")["ok"] is False
    answer = told.answer("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["failed_at_step"]) == ("failed", 2)
    assert story.status() == ("failed", ["completed", "failed", "pending"])
    assert "3 of 3 attempts" in story.report()
    assert story.commits() == COMMITS[:1]
    assert story.repo.read("src/hello.py") == FILES["src/hello.py"]
    assert story.repo.read("settings.ini") == "tone = changed by the user\n"
    assert story.repo.read("notes.txt") == "the user's own\n"
    assert json.loads(story.repo.read(STATE))["status"] == "failed"
    assert story.is_valid()


@pytest.mark.soak
def test_e_a_new_session_goes_on_where_the_first_one_stopped(story: Story) -> None:
    story.claude(
        TYPED, start(), make_greeting(), begin(2), read("src/hello.py"), write("src/hello.py", HELLO)
    )
    assert story.status() == ("in_progress", ["completed", "in_progress", "pending"])
    fresh = story.claude(TYPED, start())
    assert any("--mode resume" in said for said in fresh.refusals("run start"))
    second = story.claude(
        f"{TYPED} --resume",
        bash("ultra guide execute resume"),
        start("--mode resume"),
        begin(2),
        read("src/hello.py"),
        verify(2),
        commit(2),
        tell_how_it_is_used(),
        finish(),
    )
    assert second.results[0].text.startswith("# Continue an interrupted run")
    resumed = second.answer("run start")
    assert (resumed["run"], resumed["done"], resumed["first"]) == ("resumed", 1, 2)
    assert "already begun; 0 attempts used" in second.answer("step begin 2")["again"]
    assert second.answer("run finish")["result"] == "completed"
    assert story.commits() == COMMITS
    assert (story.is_clean(), story.is_valid(), story.audit()) == (True, True, ("pass", [1, 2, 3]))


@pytest.mark.soak
def test_f_progress_cannot_be_written_and_the_audit_cannot_be_skipped(story: Story) -> None:
    """Although this client lets every tool through."""
    done = '{"status": "completed"}'
    told = story.claude(
        TYPED,
        start(),
        write(PROGRESS, done),
        bash(f"echo '{done}' > {PROGRESS}"),
        bash(f"cp README.md {PROGRESS}"),
        write(PLAN, "# No steps\n"),
        finish(),
        begin(1),
        write("src/greet.py", GREET),
        bash("git add -A src && git commit -q -m 'feat: make a greeting'"),
        verify(1),
        finish(),
        ultra("run abort"),
        Say("Completed."),
        may=EVERYTHING,
    )
    assert "progress" in told.refused("Write", PROGRESS)
    assert "ultra guard" in told.refused("Bash", "echo")
    assert "ultra guard" in told.refused("Bash", "cp README.md")
    assert told.refused("Write", PLAN)
    assert any("step 1 is not done" in said for said in told.refusals("run finish"))
    outside = told.answer("step verify 1")
    assert (outside["passed"], outside["next"]) == (False, "retry")
    assert any("commits were made outside the run" in reason for reason in outside["why"])
    assert told.answer("run abort")["status"] == "stopped"
    assert story.status()[0] == "stopped"
    assert story.audit()[0] == "drift"
    assert story.is_over()


@pytest.mark.soak
def test_f_a_progress_file_that_was_forged_changes_nothing(story: Story) -> None:
    """Not even the guard is needed: git has the facts."""
    told = story.claude(TYPED, start(), make_greeting(), begin(2))
    progress = story.repo.progress()
    for number in "23":
        progress["steps"][number].update(status="completed", attempts=1)
    story.repo.write({PROGRESS: json.dumps({**progress, "status": "completed"})})
    told = story.claude("Go on.", finish(), start("--mode resume"), finish(), after=told, may=EVERYTHING)
    assert all(one.get("result") != "completed" for one in told.answers("run finish"))
    assert story.status()[0] != "completed"
    assert story.commits() == COMMITS[:1]


def test_f_saying_completed_is_not_finishing(story: Story) -> None:
    stray = "feat: something else"
    first = story.claude(
        TYPED,
        start(),
        make_greeting(),
        greet_on_the_command_line(),
        tell_how_it_is_used(),
        bash("echo more > notes.txt && git add notes.txt"),
        bash(f"git commit --quiet -m '{stray}'"),
        Say("The run is completed; no audit is needed."),
        may=EVERYTHING,
    )
    assert first.answers("run finish") == []
    assert story.status() == ("in_progress", ["completed"] * 3)
    second = story.claude(f"{TYPED} --resume", start("--mode resume"), finish())
    assert (second.answer("run start")["done"], second.answer("run start")["next"]) == (3, "ultra run finish")
    answer = second.answer("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["steps_passed"]) == ("partial", 3)
    (drift,) = answer["ultraexecute_summary"]["drift_details"]
    assert (drift["check"], "notes.txt" in drift["actual"]) == ("scope", True)
    assert (story.commits(), story.audit()) == ([*COMMITS, stray], ("drift", [1, 2, 3]))
    assert "notes.txt" in story.report().partition("### Manifest audit")[2]


@pytest.mark.soak
def test_g_a_forbidden_path_fails_every_attempt_and_is_put_back(story: Story) -> None:
    told = story.claude(
        TYPED,
        start(),
        begin(1),
        write("src/greet.py", GREET),
        read("settings.ini"),
        edit("settings.ini", "kind", "rude"),
        verify(1),
        verify(1),
        verify(1),
        finish(),
    )
    tries = told.answers("step verify 1")
    assert [one["next"] for one in tries] == ["retry", "retry", "stop"]
    assert any("settings.ini" in reason and "forbid" in reason for reason in tries[0]["why"]), tries
    assert told.answer("run finish")["result"] == "failed"
    assert story.repo.read("settings.ini") == FILES["settings.ini"]
    assert not story.repo.has("src/greet.py")
    assert (story.commits(), story.is_clean()) == ([], True)
    assert "settings.ini" in story.report().partition("### Findings")[2]


@pytest.mark.soak
def test_g_a_protected_path_is_never_reached(story: Story) -> None:
    told = story.claude(
        TYPED,
        start(),
        begin(1),
        write(".env", "TOKEN=1\n"),
        write(".git/hooks/pre-commit", "#!/bin/sh\n"),
        bash("echo 'alias ls=true' >> ~/.bashrc"),
        bash("rm -rf src"),
        write("src/greet.py", GREET),
        verify(1),
        commit(1),
        greet_on_the_command_line(),
        tell_how_it_is_used(),
        finish(),
        may=EVERYTHING,
    )
    for tool, about in (("Write", ".env"), ("Write", "pre-commit"), ("Bash", "bashrc"), ("Bash", "rm -rf")):
        assert "ultra guard" in told.refused(tool, about)
    assert not (story.client.home.root / ".bashrc").exists()
    assert not story.repo.has(".env")
    assert not story.repo.has(".git/hooks/pre-commit")
    assert told.answer("run finish")["result"] == "completed"
    assert (story.commits(), story.is_clean()) == (COMMITS, True)


@pytest.mark.soak
def test_h_a_compaction_in_the_middle_of_a_run_loses_nothing(story: Story) -> None:
    before = story.claude(
        TYPED, start(), make_greeting(), begin(2), read("src/hello.py"), write("src/hello.py", HELLO)
    )
    summary = story.scripted()
    story.client.ask(
        "/compact",
        summary,
        cwd=story.repo.folder,
        plugin_dirs=[story.bundle],
        resume=before.session,
        timeout=300,
    )
    assert len(summary.summaries.requests) == 1
    assert story.status() == ("in_progress", ["completed", "in_progress", "pending"])
    after = story.claude(
        f"{TYPED} --resume",
        start("--mode resume"),
        begin(2),
        verify(2),
        commit(2),
        tell_how_it_is_used(),
        finish(),
        after=before,
    )
    assert "scripted summary" in after.model.main.text
    assert '"title":"Make a greeting"' in before.model.main.text
    assert '"title":"Make a greeting"' not in after.model.main.text
    assert (after.answer("run start")["done"], after.answer("run start")["first"]) == (1, 2)
    assert after.answer("run finish")["result"] == "completed"
    assert (story.commits(), story.audit()) == (COMMITS, ("pass", [1, 2, 3]))


@pytest.mark.soak
def test_a_finding_goes_into_the_report_and_decides_nothing(story: Story) -> None:
    found = "settings.ini has a tone that nobody reads"
    told = story.claude(
        TYPED, start(), begin(1), ultra(f'run note "{found}"'), write("src/greet.py", GREET), verify(1), commit(1),
        greet_on_the_command_line(), tell_how_it_is_used(), finish(),
    )  # fmt: skip
    assert told.answer("run finish")["result"] == "completed"
    assert found in story.report().partition("### Findings")[2]


@pytest.mark.soak
def test_one_step_alone_is_partial_and_says_how_to_go_on(story: Story) -> None:
    told = story.claude(f"{TYPED} --step 1", start("--step 1"), make_greeting(), finish())
    assert told.answer("step commit 1")["next"] == "ultra run finish"
    answer = told.answer("run finish")
    assert (answer["result"], f"{TYPED} --resume" in answer["next"]) == ("partial", True)
    assert (story.commits(), story.status()) == (
        COMMITS[:1],
        ("partial", ["completed", "pending", "pending"]),
    )


@pytest.mark.soak
def test_files_can_be_moved_removed_and_made_executable_without_a_question(
    client: Client, scripted: ModelFactory, bundle: Path, tmp_path: Path
) -> None:
    files = ["src/hello.py", "src/hi.py", "settings.ini", "greet.sh"]
    story = Story(
        client, scripted, bundle, tmp_path / "repo",
        plan(step(1, files, "./greet.sh", expected_paths=["src/hi.py", "greet.sh"], min_file_count=2)),
    )  # fmt: skip
    told = story.claude(
        TYPED, start(), begin(1), bash("git mv src/hello.py src/hi.py"), bash("git rm settings.ini"),
        write("greet.sh", "#!/bin/sh\nexec python3 -B src/hi.py\n"), bash("chmod +x greet.sh"), verify(1), commit(1),
        finish(),
    )  # fmt: skip
    assert [one.text for one in told.results if one.is_error] == []
    assert told.answer("run finish")["result"] == "completed"
    changed = story.repo.git("show", "--format=", "--no-renames", "--name-status", "HEAD").split("\n")
    assert changed == ["A\tgreet.sh", "D\tsettings.ini", "D\tsrc/hello.py", "A\tsrc/hi.py"]
    assert story.repo.git("ls-tree", "HEAD", "greet.sh").startswith("100755")
    assert (story.is_clean(), story.repo.staged()) == (True, "")


@pytest.mark.parametrize(("option", "verb", "says"), [
    ("--dry-run", f"run dry-run {PLAN}", "EXISTS"),
    ("--validate", f"run validate {PLAN}", "READY"),
])  # fmt: skip
def test_looking_first_writes_nothing(story: Story, option: str, verb: str, says: str) -> None:
    before = story.repo.tree()
    told = story.claude(f"{EXECUTE} {option} {PLAN}", ultra(verb))
    assert says in json.dumps(told.answer(verb.rpartition(" ")[0]))
    assert (story.repo.tree(), story.repo.refs(), story.repo.has(PROGRESS)) == (before, {}, False)


@pytest.mark.soak
def test_a_proof_that_is_longer_than_a_call_is_asked_for_again(
    client: Client, scripted: ModelFactory, bundle: Path, tmp_path: Path
) -> None:
    text = plan(step(1, ["src/greet.py"]), verification="sleep 3; test -f src/greet.py")
    story = Story(client, scripted, bundle, tmp_path / "repo", text)
    story.repo.write({".claude/ultra.yaml": "limits:\n  finish_seconds: 1\n"})
    again = [finish() for _ in range(8)]
    told = story.claude(TYPED, start(), begin(1), write("src/greet.py", GREET), verify(1), commit(1), again)
    first, *others = told.answers("run finish")
    assert (list(first), "of 2 commands have run" in first["proof"]) == (["ok", "proof", "next"], True)
    assert first["next"] == "call `ultra run finish` again; the proof continues in the background"
    assert [one["result"] for one in others if "result" in one] == ["completed"]
    assert story.repo.progress()["status"] == "completed"
