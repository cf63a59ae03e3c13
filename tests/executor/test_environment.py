"""The environment of a run: pinned at its start, without what loads something, and refused when a call has another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROJECT, SLUG, Repo, plan, step

Make = Callable[..., Repo]

PRINTS = plan(step(1, verify="env; exit 1", on_failure="escalate"))


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path) -> Iterator[Repo]:
    """Return one repository with a run in it, for calls that change nothing."""
    repo = Repo(tmp_path_factory.mktemp("environment") / "repo", bundle, python).create(plan(step(1)))
    repo.env["PYTHONPATH"] = "lib"
    repo.start()
    yield repo
    assert repo.ok("step begin 1")["step"] == 1


OTHERS = {
    "PATH": "/tmp/shim:/usr/bin:/bin",
    "PYTHONPATH": "elsewhere",
    "BASH_ENV": "/tmp/loaded.sh",
    "ENV": "/tmp/loaded.sh",
    "MAKEFLAGS": "-n",
    "GIT_CONFIG_COUNT": "0",
    "GIT_DIR": "/tmp/x",
    "LD_PRELOAD": "",
    "NODE_OPTIONS": "--require /tmp/x.js",
    "HOME": "/tmp",
    "CI": "1",
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_verb_with_another_variable_is_refused_with_its_name(started: Repo, name: str) -> None:
    value = OTHERS[name]
    if name == "PATH":
        value = f"/tmp/shim:{started.env['PATH']}"
    said = started.refused("step begin 1", env={name: value})
    assert f"this call has other variables than the run was started with: {name} | " in said
    assert "`ultra run abort`" in said
    assert f"{name} | " in started.refused(f"run start {PLAN} --mode resume", env={name: value})


def test_a_variable_that_is_gone_is_named_too(started: Repo) -> None:
    kept = started.env.pop("PYTHONPATH")
    try:
        assert "started with: PYTHONPATH | " in started.refused("step begin 1")
    finally:
        started.env["PYTHONPATH"] = kept


def test_many_names_are_cut(started: Repo) -> None:
    said = started.refused("step begin 1", env={f"A{number}": "" for number in range(10)})
    assert "A0, A1, A2, A3, A4, A5, A6, A7 and 2 more" in said


def test_what_differs_from_call_to_call_is_no_reason(started: Repo) -> None:
    varying = {
        "SHLVL": "9", "OLDPWD": "/", "COLUMNS": "80", "TERM": "dumb", "TERM_SESSION_ID": "x", "SSH_TTY": "/dev/pts/1",
        "TMUX": "x", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDECODE": "1", "ULTRA_SESSION": "x", "_": "/bin/x",
    }  # fmt: skip
    started.ok("step begin 1", env=varying)


def test_a_folder_that_is_twice_on_the_path_changes_nothing(started: Repo) -> None:
    first, *rest = started.env["PATH"].split(":")
    started.ok("step begin 1", env={"PATH": ":".join([first, first, *rest, first])})
    assert ": PATH | " in started.refused("step begin 1", env={"PATH": ":".join([rest[-1], first, *rest])})


def test_values_are_not_stored(started: Repo) -> None:
    assert "PYTHONPATH" in started.read(f".git/ultra/environment/{SLUG}.json")
    assert started.env["PATH"] not in started.read(f".git/ultra/environment/{SLUG}.json")


@pytest.mark.soak
def test_an_edited_list_of_variables_is_no_list(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    path = repo.folder / f".git/ultra/environment/{SLUG}.json"
    path.write_text(path.read_text().replace('"PATH"', '"PATHS"'))
    assert "was started with is lost or changed" in repo.refused("step begin 1")
    repo.ok("run abort")
    repo.start("--mode", "resume")


@pytest.mark.soak
def test_what_loads_something_is_dropped_from_the_start_and_said(make: Make, tmp_path: Path) -> None:
    repo = make(PRINTS)
    (tmp_path / "loaded.sh").write_text("exit 0\n")
    repo.env |= {
        "BASH_ENV": str(tmp_path / "loaded.sh"), "MAKEFLAGS": "-n", "GIT_CONFIG_COUNT": "0", "LD_DEBUG_OUTPUT": "x",
        "PYTHONPATH": "lib", "GIT_AUTHOR_NAME": "Somebody",
    }  # fmt: skip
    note = "the plan's commands run without BASH_ENV, GIT_CONFIG_COUNT, LD_DEBUG_OUTPUT and MAKEFLAGS"
    assert repo.start()["notes"] == [note]
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    answer = repo.ok("step verify 1")
    assert answer["passed"] is False
    seen = dict(line.split("=", 1) for line in repo.read(answer["log"]).splitlines() if "=" in line)
    assert not {"BASH_ENV", "MAKEFLAGS", "GIT_CONFIG_COUNT", "LD_DEBUG_OUTPUT"} & set(seen)
    assert (seen["PYTHONPATH"], seen["GIT_AUTHOR_NAME"], seen["PWD"]) == ("lib", "Somebody", str(repo.folder))


@pytest.mark.soak
def test_a_resume_in_a_new_session_takes_its_variables_and_says_which_differ(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.end_session()
    repo.env["CI"] = "1"
    note = "the run continues with other variables than before: CI"
    assert note in repo.start("--mode", "resume")["notes"]
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    assert note in repo.read(f"{PROJECT}/logs/report.md")


@pytest.mark.soak
def test_a_lost_record_of_the_variables_is_said_and_the_run_can_go_on(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    (record,) = (repo.folder / ".git/ultra/environment").iterdir()
    record.write_text("")
    lost = "the record of the variables that the run was started with is lost or changed"
    assert repo.refused("step begin 1") == (
        f"{lost} | the run can continue with the current variables: `ultra run abort`, "
        f"then `ultra run start {PLAN} --mode resume`"
    )
    repo.ok("run abort")
    note = f"{lost}; it continues with the current ones"
    assert note in repo.start("--mode", "resume")["notes"]
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    assert note in repo.read(f"{PROJECT}/logs/report.md")


@pytest.mark.soak
def test_an_audit_with_other_variables_names_them(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    assert "notes" not in repo.ultra(f"audit {PLAN}")
    (note,) = repo.ultra(f"audit {PLAN}", env={"A_VARIABLE": "1"})["notes"]
    assert note == "the commands ran with other variables than those of the start: A_VARIABLE"
