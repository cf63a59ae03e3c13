"""Projects that need more than their commits: a submodule, dependencies, a setup script, a hook that refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kit.repository import make_repository
from tests.waves.sample import FILES, PLAN, QUICK, TWO_WAVES, Waves, part, plan, session, step

Make = Callable[..., Waves]
NEEDS = "test -f vendor-lib/lib.txt && test -f node_modules/left-pad/index.js && test -f built.txt"
SETTINGS = "setup: echo $ULTRA_SESSION ${ULTRA_PORT_BASE:-none} > built.txt\n"
HOOK = (
    '#!/bin/sh\ncase $(git branch --show-current) in *session-2) echo "not on this branch"; exit 1;; esac\n'
)


@pytest.mark.soak
def test_sessions_get_what_the_project_needs_and_a_hook_that_refuses_is_named(make: Make) -> None:
    text = plan(
        step(1, verify=NEEDS), step(2, verify=NEEDS),
        strategy="\n".join([session(1, "1", 1, [part(1)]), session(2, "2", 1, [part(2)])]),
    )  # fmt: skip
    files = {**FILES, ".claude/ultra.yaml": SETTINGS, ".gitignore": "node_modules/\nbuilt.txt\n"}
    repo = make(text, files=files)
    library = make_repository(repo.folder.parent / "library", {"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor-lib")
    repo.git("commit", "--quiet", "--message=chore: the library")
    repo.write({"node_modules/left-pad/index.js": "1\n", ".git/hooks/pre-commit": HOOK})
    (repo.folder / ".git/hooks/pre-commit").chmod(0o755)
    end = repo.waves("--jobs 2")
    states = {row["session"]: row["state"] for row in end["ultraexecute_summary"]["sessions"]}
    assert (end["result"], states) == ("partial", {1: "passed", 2: "partial"})
    assert "it still lacks step 2 after 2 recoveries" in end["why"][0]
    assert repo.trees() == []
    (repo.folder / ".git/hooks/pre-commit").unlink()
    again = repo.ok(f"waves resume {PLAN}")
    assert again["waves"] == "resumed"
    assert repo.wait()["result"] == "partial"  # the recoveries are used up: nothing more is started
    assert len(repo.seen()) == 4


@pytest.mark.soak
def test_a_session_that_edits_the_installed_test_runner_does_not_pass(make: Make) -> None:
    check = "sh node_modules/runner/check.sh {}"
    text = plan(
        step(1, verify=check.format(part(1))), step(2, verify=check.format(part(2))),
        strategy="\n".join([session(1, "1", 1, [part(1)]), session(2, "2", 1, [part(2)])]),
    )  # fmt: skip
    repo = make(text, files={**FILES, ".gitignore": "node_modules/\n"})
    repo.write({"node_modules/runner/check.sh": "grep -q part $1\n"})
    repo.play({"1": ["weaken"], "2": ["slow"]})
    end = repo.waves("--jobs 2")
    assert end["result"] != "completed"
    assert "node_modules as at the start of the run; found it changed since" in end["why"][0]


@pytest.mark.soak
def test_work_beside_the_branch_of_its_session_is_saved_before_its_worktree_goes(make: Make) -> None:
    """What a session did on a detached HEAD, in a submodule, in a repository or a worktree of its own exists nowhere else.

    It has removed its .git as well.
    """
    repo = make(TWO_WAVES, files=QUICK)
    library = make_repository(repo.folder.parent / "library", {"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor-lib")
    repo.git("commit", "--quiet", "--message=chore: the library")
    repo.play({"1": ["wander", "login"]})
    end = repo.waves("--jobs 2")
    (row,) = [row for row in end["ultraexecute_summary"]["sessions"] if row["session"] == 1]
    assert (end["result"], repo.trees(), repo.tree(1).exists()) == ("failed", [], False), end
    saved = {
        f"{name}={repo.git('cat-file', 'blob', f'{ref}:{name}')}"
        for ref in row["rescued"]
        for name in repo.git("ls-tree", "-r", "--name-only", ref).split("\n")
        if name not in ("vendor-lib", "taken", "inside")
    }
    wanted = {
        "src/part1.py=detached",
        "more.txt=library",
        "draft.txt=draft",
        "made.txt=made",
        "taken.txt=taken",
        "inside.txt=inside",
        "deep.txt=deep",
        "inner.txt=inner",
    }
    assert wanted <= saved, (saved, end)
