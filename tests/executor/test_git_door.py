"""Git as the runtime starts it: what the caller has in its environment changes nothing that a verb sees."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.executor.sample import FILES, PLAN, PROJECT, Repo, plan, step
from tests.kit.names import ROOT
from tests.kit.quick import later

DATE = "2026-01-31T12:00:00Z"
DATES = {"GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE}
BRIEF = "---\nbrief_version: '2.0'\nstatus: partial\n---\n\n# Greet\n"
SETTINGS = {
    "color.ui": "always", "color.diff": "always", "color.status": "always", "core.quotepath": "true",
    "core.pager": "false", "core.editor": "false", "core.fsmonitor": "/bin/false", "diff.external": "/bin/false",
    "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.renames": "copies", "diff.context": "0",
    "diff.interHunkContext": "40", "diff.submodule": "log", "diff.colorMoved": "zebra",
    "diff.wsErrorHighlight": "all", "log.showSignature": "true", "log.decorate": "full", "log.date": "relative",
    "log.abbrevCommit": "true", "status.branch": "true", "status.short": "true", "advice.detachedHead": "true",
}  # fmt: skip


def foreign_call(other: Path) -> dict[str, str]:
    """Return what a hook of another repository has in its environment, and more that changes a call of git."""
    paths = {
        "GIT_DIR": ".git", "GIT_COMMON_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": ".git/index",
        "GIT_OBJECT_DIRECTORY": ".git/objects", "GIT_ALTERNATE_OBJECT_DIRECTORIES": ".git/objects",
        "GIT_QUARANTINE_PATH": ".git/objects", "GIT_GRAFT_FILE": "grafts", "GIT_SHALLOW_FILE": "shallow",
    }  # fmt: skip
    pathspecs = {f"GIT_{kind}_PATHSPECS": "1" for kind in ("LITERAL", "ICASE")}
    return {
        **{name: str(other / path) for name, path in paths.items()}, **pathspecs,
        "GIT_PREFIX": "src/", "GIT_NAMESPACE": "other", "GIT_REPLACE_REF_BASE": "refs/other/",
        "GIT_CONFIG": str(other / "config"), "GIT_CONFIG_PARAMETERS": "'core.bare=true' 'color.ui=always'",
        "GIT_EXTERNAL_DIFF": "/bin/false", "GIT_DIFF_OPTS": "--unified=0", "GIT_DEFAULT_HASH": "sha256",
        "GIT_PAGER": "/bin/false", "PAGER": "/bin/false", "GIT_EDITOR": "/bin/false", "EDITOR": "/bin/false",
        "GIT_SEQUENCE_EDITOR": "/bin/false", "GIT_TRACE": "1", "GIT_TRACE_SETUP": "1", "GIT_OPTIONAL_LOCKS": "1",
        "GIT_ATTR_SOURCE": "HEAD", "GIT_FLUSH": "1", "GIT_ICASE": "1", "GIT_TERMINAL_PROMPT": "1",
    }  # fmt: skip


def pairs(settings: Mapping[str, str]) -> dict[str, str]:
    found = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def told(folder: Path, bundle: Path, python: Path, env: Mapping[str, str]) -> list[str]:
    """Return all that the verbs answer and keep from the start of a run to the scope of its review."""
    repo = Repo(folder, bundle, python)
    repo.env |= DATES
    repo.create(
        plan(step(1, ["src/größe.py"]), step(2, ["src/hello.py"])),
        files={**FILES, "old name.py": "old\n" * 9},
    )
    repo.write({f"{PROJECT}/brief.md": BRIEF})
    said = []

    def call(line: str) -> None:
        answer = repo.say(*line.split(), "--json", env=env)
        said.append(f"{line}: {answer.status} {answer.out}{answer.err}")

    call(f"run start {PLAN}")
    for number, name in ((1, "src/größe.py"), (2, "src/hello.py")):
        call(f"step begin {number}")
        repo.write({name: f"print({number})\n", f"stray{number}.py": "stray\n"})
        call(f"step verify {number}")
        (repo.folder / f"stray{number}.py").unlink()
        call(f"step verify {number}")
        call(f"step commit {number}")
    call("run finish")
    call(f"audit --project {PROJECT}")
    repo.git("mv", "old name.py", "new näme.py")
    repo.write({"src/new.py": "new\n", "src/größe.py": "print(3)\n"})
    call(f"triage --project {PROJECT}")
    call(f"plan begin --project {PROJECT}")
    said += [repo.read(f"{PROJECT}/logs/review-scope{end}") for end in (".diff", ".json")]
    said.append(repo.git("log", "--format=%H %an %s"))
    text = "\n".join(said).replace(str(folder), "REPO").replace(json.dumps(str(folder))[1:-1], "REPO")
    text = re.sub(r',"notes":\["the plan\'s commands run without GIT_[^"]*"\]', "", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", "TIME", text)
    return re.sub(r'"(seconds|duration\w*)":[\d.]+', "SECONDS", text).splitlines()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["another call of git", later("settings"), later("language")])
def test_the_environment_changes_nothing(tmp_path: Path, bundle: Path, python: Path, kind: str) -> None:
    other = Repo(tmp_path / "other", bundle, python).create(plan(step(1)), files={"other.txt": "other\n"})
    env = {
        "another call of git": foreign_call(other.folder),
        "settings": pairs(SETTINGS),
        "language": {"LANG": "de_DE.UTF-8", "LANGUAGE": "de", "LC_ALL": "C.UTF-8"},
    }[kind]
    plain = told(tmp_path / "plain/repo", bundle, python, {})
    assert any("src/größe.py" in line for line in plain)
    assert sum('"ok":true' in line for line in plain) >= 9, plain
    assert told(tmp_path / "changed/repo", bundle, python, env) == plain
    assert other.git("status", "--porcelain") == "?? .claude/"
    assert other.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.soak
def test_who_commits_may_come_from_the_environment(tmp_path: Path, bundle: Path, python: Path) -> None:
    repo = Repo(tmp_path / "repo", bundle, python).create(plan(step(1)))
    repo.env |= {"GIT_AUTHOR_NAME": "Another", "GIT_CONFIG_COUNT": "1"}
    repo.env |= {"GIT_CONFIG_KEY_0": "user.email", "GIT_CONFIG_VALUE_0": "other@example.com"}
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert (
        repo.git("log", "-1", "--format=%an %ae", env={"GIT_CONFIG_COUNT": "0"})
        == "Another other@example.com"
    )


def test_hooks_of_a_commit_have_the_language_of_the_caller(
    tmp_path: Path, bundle: Path, python: Path
) -> None:
    repo = Repo(tmp_path / "repo", bundle, python).create(plan(step(1)))
    repo.env["LC_ALL"] = "C.UTF-8"
    hook = repo.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\necho "$LC_ALL" > {tmp_path}/language\n')
    hook.chmod(0o755)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert (tmp_path / "language").read_text() == "C.UTF-8\n"


@pytest.mark.soak
def test_one_function_starts_git() -> None:
    """Find every list or tuple in the runtime that begins with the word git, as a command line does."""
    found = []
    for path in (ROOT / "plugin_src/runtime/ultra_runtime").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            words = (
                [one for one in call.args if isinstance(one, (ast.List, ast.Tuple))]
                if isinstance(call, ast.Call)
                else []
            )
            firsts = [one.elts[0] for one in words if one.elts]
            found += [path.name for one in firsts if isinstance(one, ast.Constant) and one.value == "git"]
    assert found == ["git.py"]
