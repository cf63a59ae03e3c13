"""What `run start` says of a clean checkout before anything is edited, and what it keeps of the settings."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from ultra_runtime.tables.limits import CHECKOUT_MEGABYTES

from tests.checkout.source import NotReady, Source, settings_of
from tests.executor.sample import PLAN, PROGRESS, Repo, plan, step
from tests.kit.names import LAUNCHER
from tests.kit.repository import git
from ultra_runtime.checkout import filters, trial
from ultra_runtime.run.life import readiness as start_of_run

FILE = f".claude/{LAUNCHER}.yaml"
LOCK = f".git/{LAUNCHER}/run.json"
NOTE = "the result cannot be proved in a clean checkout: "
KEYS = "dependencies, hub, limits, ports, proof, setup, setup_seconds, slurm, ssh and worker_setup"
BLOCKED = "setup: rm -rf src\n"
Make = Callable[..., Repo]


@pytest.fixture
def repo(tmp_path: Path, bundle: Path, python: Path) -> Repo:
    """Return a repository with a plan of one step."""
    made = Repo(tmp_path / "repo", bundle, python)
    made.env["TMPDIR"] = str(tmp_path / "tmp")
    return made.create(plan(step(1)))


def test_an_ordinary_repository_starts_without_a_word(repo: Repo) -> None:
    assert "notes" not in repo.start()
    assert repo.git("worktree", "list").count("\n") == 0
    assert not repo.has(".git/worktrees")


def test_wrong_settings_refuse_before_anything_is_written(repo: Repo) -> None:
    repo.write({FILE: "setup: true\nprof: try\n"})
    said = repo.refused(f"run start {PLAN}")
    assert said == (
        f"{FILE}:2: prof is not one of the settings (did you mean proof?): {KEYS} | Correct its name, or remove it."
    )
    assert not repo.has(PROGRESS)
    assert not repo.has(LOCK)
    sentence = said.replace(" | ", "; ")
    validated = repo("run", "validate", PLAN)
    assert (validated.status, validated.data["verdict"], validated.data["error"]) == (1, "FAIL", sentence)
    assert repo.ok(f"run dry-run {PLAN}")["issues"] == [sentence]
    checks = repo("doctor").data["checks"]
    assert [(one["status"], one["message"]) for one in checks if one["name"] == "settings"] == [
        ("fail", sentence)
    ]


def test_a_project_that_requires_the_proof_is_refused_without_it(repo: Repo) -> None:
    repo.write({FILE: f"{BLOCKED}proof: require\n"})
    said = repo.refused(f"run start {PLAN}")
    assert said.startswith("the command policy blocks the setup command `rm -rf src`")
    assert said.endswith(" | change `setup` in the project's settings; it was not run")
    assert repo.has("src/hello.py")
    assert not repo.has(LOCK)


def test_a_project_that_tries_is_told_what_is_missing(repo: Repo) -> None:
    repo.write({FILE: BLOCKED})
    (note,) = repo.start()["notes"]
    assert note.startswith(f"{NOTE}the command policy blocks the setup command")
    assert repo.has(LOCK)


def test_a_setup_that_does_not_work_is_said_before_anything_is_edited(repo: Repo) -> None:
    why = "the setup command failed with exit status 3: no compiler; read "
    repo.write({FILE: "setup: echo no compiler; exit 3\nproof: require\n"})
    assert repo.refused(f"run start {PLAN}").replace(" | ", "; ").startswith(why)
    assert not repo.has(LOCK)
    repo.write({FILE: "setup: echo no compiler; exit 3\n"})
    (note,) = repo.start()["notes"]
    assert note.startswith(NOTE + why)
    assert repo.git("worktree", "list").count("\n") == 0


def test_a_setup_that_works_but_not_within_one_call_is_tried_at_the_end(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_of_run, "FINISH_SECONDS", 1)
    settings, notes = start_of_run.readiness(source.git, settings_of({"setup": "sleep 100"}), is_new=True)
    assert settings.proof == "require"
    assert notes[0].startswith("the setup command did not end within 1 s, the most that one call may take")
    assert start_of_run.readiness(source.git, settings, is_new=False)[1] == []
    monkeypatch.setattr(start_of_run, "FINISH_SECONDS", 540)
    assert start_of_run.readiness(source.git, settings_of({"setup": "test -e a.txt"}), is_new=True)[1] == []


def test_a_project_without_proof_is_not_asked(repo: Repo) -> None:
    repo.write({FILE: f"{BLOCKED}proof: off\n"})
    assert repo.start()["notes"] == [f"the result will not be proved: proof is off in {FILE}"]


def test_temporary_folders_that_are_not_there(repo: Repo) -> None:
    repo.env["TMPDIR"] = "/nonexistent/folder"  # a longer path is told with a gap
    (note,) = repo.start()["notes"]
    assert note.startswith(f"{NOTE}/nonexistent/folder/{LAUNCHER}-")
    assert note.endswith("cannot be created: No such file or directory; fix this and retry")


def lose_a_submodule(repo: Repo) -> str:
    """Return why its commit cannot be checked out."""
    repo.write({".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n'})
    repo.git("init", "--quiet", "lib")
    repo.git("add", ".gitmodules")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    return "the submodule lib does not have its commit 111111111111; run `git submodule update --init"


def lose_a_filter(repo: Repo) -> str:
    """Return why its files cannot be checked out."""
    repo.write({".gitattributes": "*.up filter=up\n", "x.up": "word\n"})
    repo.git("add", ".gitattributes", "x.up")
    for name, value in {"smudge": "exit 3", "clean": "cat", "required": "yes"}.items():
        repo.git("config", f"filter.up.{name}", value)
    said = "x.up: smudge filter up failed (external filter 'exit 3' failed 3)"
    return f"the commit cannot be checked out: {said}; make the filter work in a fresh checkout"


@pytest.mark.parametrize("lose", [lose_a_submodule, lose_a_filter])
def test_what_a_commit_needs_and_the_repository_lacks(repo: Repo, lose: Callable[[Repo], str]) -> None:
    why = lose(repo)
    repo.git("commit", "--quiet", "--message=more")
    (note,) = repo.start()["notes"]
    assert note.startswith(NOTE + why)
    repo.do_step(1, {"src/part1.py": "one\n"})
    summary = repo.ok("run finish")["ultraexecute_summary"]
    assert (summary["result"], summary["proof"].startswith(why)) == ("completed", True), summary
    audited = repo.ultra(f"audit {PLAN}")
    assert (audited["status"], audited["proof"]) == ("drift", summary["proof"])
    repo.write({FILE: "proof: require\n"})
    assert repo.refused(f"run start {PLAN} --restart").startswith(why.partition("; ")[0])


def test_a_filter_is_tried_if_a_checkout_needs_it(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes long says nothing: it may fetch what it needs."""
    monkeypatch.setattr(filters, "SECONDS", 0.5)
    said = "the filters of x.up took more than 0 s: whether they work shows at the end of the run"
    rows = {"cat": [], "sleep 60": [said]}
    source.commit({".gitattributes": "*.up filter=up\n", "x.up": "word\n"})
    for required in ("true", "false"):
        for smudge, notes in rows.items():
            git(source.root, "config", "filter.up.smudge", smudge)
            git(source.root, "config", "filter.up.required", required)
            settings, found = start_of_run.readiness(source.git, settings_of({}), is_new=True)
            assert (settings.proof, found) == ("require", notes if required == "true" else [])


def test_settings_are_those_of_the_start(repo: Repo) -> None:
    repo.create(plan(step(1, verify="false")))
    repo.write({FILE: "limits:\n  attempts: 2\n"})
    repo.git("add", FILE)
    repo.git("commit", "--quiet", "--message=settings")
    repo.start()
    repo.write({FILE: "limits:\n  attempts: 9\n"})
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "1\n"})
    first = repo.ok("step verify 1")
    assert (first["attempt"], first["of"], first["next"]) == (1, 2, "retry")
    assert repo.ok("step verify 1")["next"] == "stop"
    assert json.loads(repo.read(LOCK))["settings"] == {"limits": {"attempts": 2}, "proof": "require"}


def test_a_step_must_not_change_the_settings(repo: Repo) -> None:
    repo.write({PLAN: plan(step(1, files=[FILE]))})
    assert "the settings of runs in this project" in repo.refused(f"run start {PLAN}")


def test_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", repo.folder, "bare.git")
    told = repo("run", "start", PLAN, cwd=tmp_path / "bare.git")
    assert (told.status, told.data["error"]) == (1, "this is a git dir, not a working tree")


def test_a_disk_with_too_little_space(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    before, needs = source.state(), CHECKOUT_MEGABYTES
    for free, fits in ((needs, True), (needs - 1, False)):
        space = SimpleNamespace(f_flag=0, f_bavail=free * 256 + 255, f_frsize=4096)
        monkeypatch.setattr(os, "statvfs", lambda _, space=space: space)
        said = rf" has {free} MB left; a copy needs {needs} MB or more$"
        with nullcontext() if fits else pytest.raises(NotReady, match=said):
            assert trial.try_copy(source.git, source.head, settings_of({})) == []
        assert source.state() == before
        assert os.listdir(source.root / ".git" / LAUNCHER / "copies") == ["turn"]


def test_a_git_dir_that_takes_no_records(source: Source) -> None:
    own = source.root / ".git" / LAUNCHER
    own.mkdir()
    (own / "copies").write_text("a file\n")
    for call in (source.make, lambda: trial.try_copy(source.git, source.head, settings_of({}))):
        with pytest.raises(NotReady, match="copies cannot be written: File exists"):
            call()
    assert not source.folder.exists()
