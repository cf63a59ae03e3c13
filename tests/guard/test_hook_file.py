"""The file of the hook by itself: what it decides when the guard cannot be loaded, for all places of a run."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER
from ultra_runtime.guard import hook as guard
from ultra_runtime.hooks import guard as hook

SESSION = "11111111-2222"
RUN = f"{LAUNCHER}/run.json"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a worktree, and let the hook be that of a bundle with two launchers."""
    root = tmp_path.resolve() / "repo"
    pointing = f"gitdir: {root}/.git/worktrees/a\n"
    write_tree(
        root,
        {
            ".git/worktrees/a/HEAD": "",
            "a/.git": pointing,
            "a/deep/x": "",
            "b/.git": "gitdir: ../.git/modules/b\n",
        },
    )
    write_tree(tmp_path, {"bundle/bin/other": "", f"bundle/bin/{LAUNCHER}": ""})
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(hook, "BUNDLE", str(tmp_path / "bundle"))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    for name in ("CLAUDE_PROJECT_DIR", "PWD", "CLAUDE_PLUGIN_OPTION_GUARD"):
        monkeypatch.delenv(name, raising=False)
    return root


GIT_DIRS = {"": ".git", "a": ".git/worktrees/a", "a/deep": ".git/worktrees/a", "b": ".git/modules/b"}


def test_a_run_of_this_session_is_found_from_every_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, (folder, git_dir) in itertools.product(("CLAUDE_PROJECT_DIR", "PWD"), GIT_DIRS.items()):
        with monkeypatch.context() as patch:
            patch.setenv(name, str(tree / folder))
            assert not hook.may_be_in_run()
            for place, expected in ((git_dir, True), (".git", True), (".git/elsewhere", False)):
                path = tree / place / RUN
                write_tree(tree, {f"{place}/{RUN}": f'{{"owner": {{"session": "{SESSION}"}}}}'})
                assert hook.may_be_in_run() == expected, (name, folder, place)
                path.write_text(path.read_text().replace(SESSION, "other"))
                assert not hook.may_be_in_run()
                path.unlink()
                path.mkdir()  # it cannot be read, so it may be one
                assert hook.may_be_in_run() == expected
                path.rmdir()
    assert not hook.may_be_in_run()


@pytest.mark.parametrize(
    ("in_run", "status", "words"), [(True, 2, "was not run"), (False, 1, "was let through")]
)
def test_a_broken_guard_blocks_a_run_and_nobody_else(
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    in_run: bool,
    status: int,
    words: str,
) -> None:
    def fail() -> int:
        raise SystemExit("broken")

    monkeypatch.setattr(guard, "main", lambda: 7)
    assert hook.main() == 7
    assert sys.path[0] == f"{hook.BUNDLE}/runtime"
    monkeypatch.setattr(guard, "main", fail)
    monkeypatch.setenv("PWD", str(tree))
    write_tree(tree, {f".git/{RUN}": SESSION} if in_run else {})
    for kept, log in (("x.log", "; the log is x.log"), ("", "")):
        monkeypatch.setattr("ultra_runtime.files.unexpected.keep", lambda *_, kept=kept: kept)
        assert hook.main() == status
        said = f"guard is broken and the call {words}: SystemExit('broken'). Reinstall the plugin{log}.\n"
        assert capsys.readouterr().err == f"{' '.join(sorted(['other', LAUNCHER]))} {said}"
    monkeypatch.setattr("ultra_runtime.files.unexpected.keep", fail)
    assert hook.main() == status
    for value, expected in (("on", status), ("off", 0), (" OFF ", 0)):
        monkeypatch.setenv("CLAUDE_PLUGIN_OPTION_GUARD", value)
        assert hook.main() == expected
