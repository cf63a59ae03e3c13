"""What git gets of the caller's environment, and what small questions to it answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.repository import git, make_repository
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import Git, GitError, commit_of, environment, find_git
from ultra_runtime.files.process import Done

# Written down apart from the code: who commits, which settings count, where git is, how to reach a remote, one log.
PASSED = """
GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_KEY_12
GIT_EXEC_PATH GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM
GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_ASKPASS GIT_ALLOW_PROTOCOL GIT_PROXY_COMMAND GIT_SSL_CAINFO GIT_SSL_CAPATH
GIT_SSL_CERT GIT_SSL_KEY GIT_SSL_NO_VERIFY GIT_HTTP_PROXY_AUTHMETHOD GIT_NO_LAZY_FETCH GIT_LFS_SKIP_SMUDGE GIT_TRACE2_EVENT
PATH HOME GITHUB_TOKEN GIT XGIT_DIR
"""
# What belongs to one call of git, moves the repository, or changes what is printed.
NOT_PASSED = """
GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_PREFIX GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_QUARANTINE_PATH
GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_REPLACE_REF_BASE GIT_GRAFT_FILE GIT_SHALLOW_FILE
GIT_EXTERNAL_DIFF GIT_DIFF_OPTS GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS
GIT_ATTR_SOURCE GIT_TEMPLATE_DIR GIT_DEFAULT_HASH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_TRACE GIT_TRACE2 GIT_FLUSH
GIT_INTERNAL_SUPER_PREFIX GIT_REFLOG_ACTION GIT_MERGE_AUTOEDIT GIT_ADVICE
"""
OURS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a repository with one commit."""
    return make_repository(tmp_path / "repo", {"a.txt": "a\n"})


def test_only_what_people_set_for_every_call_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        monkeypatch.delenv(name)
    for name in (*PASSED.split(), *NOT_PASSED.split(), *OURS):
        monkeypatch.setenv(name, f"given {name}")
    assert environment() == {**{name: f"given {name}" for name in PASSED.split()}, **OURS}


@pytest.mark.parametrize(("name", "words"), [
    ("MERGE_HEAD", "a merge"), ("rebase-merge", "a rebase"), ("rebase-apply", "a rebase"), ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"), ("BISECT_LOG", "a bisection"), ("ORIG_HEAD", ""),
])  # fmt: skip
def test_an_operation_in_progress_is_named(here: Path, name: str, words: str) -> None:
    (here / ".git" / name).write_text("x\n")
    assert find_git(str(here)).under_way() == words


def test_head_and_branch_are_those_that_git_names(here: Path) -> None:
    first = git(here, "rev-parse", "HEAD")
    git(here, "branch", "feature/x")
    for words, branch in (
        (["switch", "--quiet", "feature/x"], "feature/x"), (["pack-refs", "--all"], "feature/x"),
        (["checkout", "--quiet", "--detach"], ""), (["symbolic-ref", "HEAD", "refs/heads/none"], "none"),
    ):  # fmt: skip
        git(here, *words)
        found = find_git(str(here))
        assert (found.branch(), found.head()) == (branch, "" if branch == "none" else first), words


@pytest.mark.parametrize(("name", "is_found"), [
    ("HEAD", True), ("main", True), ("", False), ("-h", False), ("--all", False), ("HEAD:a.txt", False), ("none", False),
])  # fmt: skip
def test_only_a_commit_has_the_name_of_one(here: Path, name: str, is_found: bool) -> None:
    assert commit_of(str(here), name) == (git(here, "rev-parse", "HEAD") if is_found else None)


def test_an_object_that_is_not_what_its_name_says_is_refused(here: Path) -> None:
    found, name, other = find_git(str(here)), git(here, "rev-parse", "HEAD:a.txt"), ""
    (here / "b.txt").write_text("b\n\nc")
    (here / "empty.txt").touch()
    other, empty = git(here, "hash-object", "-w", "b.txt", "empty.txt").split()
    found.read_ahead(name, "", "0" * 40, empty, other)
    assert found.ahead == {name: b"a\n", empty: b"", other: b"b\n\nc"}
    assert [find_git(str(here)).blob(one) for one in (name, empty, other)] == [b"a\n", b"", b"b\n\nc"]
    objects = here / ".git/objects"
    places = [objects / one[:2] / one[2:] for one in (name, other)]
    places[0].chmod(0o644)
    places[0].write_bytes(places[1].read_bytes())
    assert found.blob(name) == b"a\n", "it was read before"
    found.read_ahead(name, other)
    assert list(found.ahead) == [other]
    with pytest.raises(GitError, match=rf"^git cat-file failed: object {name} has been changed"):
        found.blob(name)


AUTHOR = {"author.name": "A", "author.email": "a@x"}
COMMITTER = {"committer.name": "C", "committer.email": "c@x"}
BY_ENVIRONMENT = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.mark.parametrize(("settings", "env"), [
    ({"user.name": "U", "user.email": "u@x"}, {}), ({"user.name": "U"}, {}), ({"user.email": "u@x"}, {}),
    ({**AUTHOR, **COMMITTER}, {}), (AUTHOR, {}), (COMMITTER, {}), ({"user.name": "...", **COMMITTER}, {}),
    ({}, BY_ENVIRONMENT), ({}, {**BY_ENVIRONMENT, "GIT_COMMITTER_NAME": "."}), (AUTHOR, {"GIT_AUTHOR_NAME": "."}),
])  # fmt: skip
def test_who_commits_is_known_if_git_knows_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], env: dict[str, str]
) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_") or name == "EMAIL"]:
        monkeypatch.delenv(name)
    for name, value in {"HOME": str(here), "GIT_CONFIG_NOSYSTEM": "1", **env}.items():
        monkeypatch.setenv(name, value)
    git(here, "config", "--remove-section", "user")
    for name, value in {"user.useConfigOnly": "true", **settings}.items():
        git(here, "config", name, value)
    found, asked, done = find_git(str(here)), list[str](), Git.done
    wanted = [done(found, "var", f"GIT_{who}_IDENT") for who in ("AUTHOR", "COMMITTER")]
    why = [one.err.decode().strip().splitlines()[-1] for one in wanted if one.status][:1]

    def noted(self: Git, *words: str) -> Done:
        asked.append(words[0])
        return done(self, *words)

    monkeypatch.setattr(Git, "done", noted)
    assert [found.identity_problem()] == (why or [""])
    assert ("var" in asked) == bool(why), "git is asked for it only where something is missing"


def test_why_there_is_no_working_tree_is_told(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "nothing").mkdir()
    (here / ".git/config").write_text("[core\n")
    for folder, why, remedy in (
        (tmp_path / "nothing", f"{tmp_path}/nothing is not in a git repository", "run `git init`"),
        (here / ".git/objects", "git says: fatal: bad config", "fix this and retry"),
        (here, "git says: fatal: bad config line 1", "fix this and retry"),
    ):
        with pytest.raises(RefusedError) as told:
            find_git(str(folder))
        assert str(told.value).startswith(why)
        assert remedy in told.value.next_step
    other = make_repository(tmp_path / "with\na line break", {"deep/a.txt": "a\n"})
    found = find_git(str(other / "deep"))
    assert (found.root, found.folder, found.common) == (str(other), str(other / ".git"), str(other / ".git"))
    with pytest.raises(RefusedError, match="this is a git dir, not a working tree"):
        find_git(str(other / ".git"))
