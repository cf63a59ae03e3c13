"""What a checkout got that changed since the start is a difference, unless the run changed what declares it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.kit.repository import make_repository
from ultra_runtime.checkout.surroundings import CARRIED, READING, SEARCHED
from ultra_runtime.files.git import Git, find_git
from ultra_runtime.plan.values import Fence
from ultra_runtime.proof.brought import DECLARING, judge_changed
from ultra_runtime.proof.conditions import Condition, Tried
from ultra_runtime.proof.drift import BROUGHT, CONVERTED, FORGED, OF_COMMANDS
from ultra_runtime.proof.prove import prove

OF_PYTHON = ("requirements.txt", "requirements-dev.txt", "requirements.in")
DECLARES = (*DECLARING, *OF_PYTHON)
DECLARES_NOT = (
    "README.md",
    "package.json.bak",
    "my-requirements.txt",
    "requirements.md",
    "requirements",
    "x.in",
)


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """Return a repository with a tag `start`, and a tag for each name: a commit that changes that file in `sub`."""
    folder = tmp_path_factory.mktemp("brought").resolve() / "repo"
    make_repository(folder, {"README.md": "x\n", "kept/node_modules/a.js": "a\n"}, "first")
    rows = ["reset refs/tags/start", "from refs/heads/main^0", ""]
    for number, name in enumerate((*DECLARES, *DECLARES_NOT)):
        rows += [f"commit refs/tags/of-{number}", f"mark :{number + 1}", "committer A <a@example.org> 1 +0000",
                 "data 1", "x", "from refs/heads/main^0", f"M 100644 inline sub/{name}", "data 1", "y", ""]  # fmt: skip
    command = ["git", "symbolic-ref", "HEAD"]
    branch = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    text = "\n".join(rows).replace("refs/heads/main", branch)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=text.encode(), check=True)
    return find_git(str(folder))


def judge(git: Git, name: str, *changed: list[str]) -> tuple[list[str], int]:
    """Return the checks that differ after a run that changed a file, and how many notes there are."""
    number = (*DECLARES, *DECLARES_NOT).index(name)
    start, end = (git.ask("rev-parse", ref).decode().strip() for ref in ("start", f"of-{number}"))
    drifts, notes = judge_changed(git, start, end, changed)
    told = "".join([*notes, *(drift.expected for drift in drifts)])
    if len(drifts) + len(notes) == len(changed):
        assert all(one[1] in told for one in changed)
    return [drift.check for drift in drifts], len(notes)


def test_a_dependency_may_change_with_the_file_that_declares_it(git: Git) -> None:
    for name in (*DECLARES, *DECLARES_NOT):
        declared = name in DECLARES
        expected = ([], 1) if declared else ([BROUGHT], 0)
        assert judge(git, name, [CARRIED, "sub/node_modules"]) == expected, name
        assert judge(git, name, [SEARCHED, "sub/bin"]) == expected, name
        assert judge(git, name, [SEARCHED, "/far/lib/python3/site-packages"]) == expected, name
        assert judge(git, name, [SEARCHED, "/far/lib/pytest.ini"]) == ([BROUGHT], 0), name


def test_a_file_that_declares_something_excuses_nothing_else(git: Git) -> None:
    assert judge(git, "package.json", [CARRIED, "node_modules"]) == ([BROUGHT], 0)
    assert judge(git, "package.json", [CARRIED, "sub/deep/node_modules"]) == ([BROUGHT], 0)
    assert judge(git, "package.json", [READING, "sub/filter.x.clean"]) == ([CONVERTED], 0)
    assert judge(git, "package.json", [FORGED, "sub/blob"]) == ([FORGED], 0)
    assert judge(git, "package.json", [SEARCHED, "/else/sub"], [CARRIED, "sub/x"]) == ([BROUGHT], 1)


def test_what_the_commit_has_was_not_brought(git: Git) -> None:
    assert judge(git, "README.md", [CARRIED, "kept/node_modules"]) == ([], 0)
    assert judge(git, "README.md", [SEARCHED, str(Path(git.root) / "kept/node_modules")]) == ([BROUGHT], 0)
    assert judge(git, "README.md") == ([], 0)


def test_a_later_look_without_commands_keeps_everything_that_only_they_showed(git: Git) -> None:
    """The status page audits again without them; what it did not keep, it would show as passed."""
    start = git.ask("rev-parse", "start").decode().strip()
    row = {"problem": "failed", "lacks": (), "log": "", "passes_here": False}
    changed = [[READING, "filter"], [CARRIED, "node_modules"], [SEARCHED, "/bin"], [FORGED, "blob"]]
    ended = Tried("no disk", {"one": row}, required=True, changed=changed)
    asked = [Condition("one", step=1), Condition("one")]
    shown = prove(git, [], Fence(), start, start, {}, asked, ended).drifts
    assert {one.check for one in shown} == set(OF_COMMANDS)
    assert prove(git, [], Fence(), start, start, {}).drifts == []
