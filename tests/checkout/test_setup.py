"""The setup command: where it runs, with what, how long, and what its failures say."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout.source import NotReady, Source, ends
from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER
from ultra_runtime.checkout.ready import REMEDIES, git_failed, system_failed
from ultra_runtime.checkout.settings import Settings, settings_of
from ultra_runtime.checkout.setup import LOOKED_AT
from ultra_runtime.checkout.trial import try_copy
from ultra_runtime.files.git import GitError
from ultra_runtime.files.process import Done

Check = Callable[[], None]


def setup(*commands: str, seconds: int = 60) -> Settings:
    return settings_of({"setup": list(commands), "setup_seconds": seconds})


def log_of(source: Source) -> Path:
    return source.root / ".git" / LAUNCHER / "setup.log"


def test_a_script_of_the_project_makes_the_copy_ready(source: Source) -> None:
    source.commit({"bin/setup": "#!/bin/sh\nmkdir -p build\necho $WORD > build/ready\necho done\n"})
    before = source.state()
    root = Path(source.make(setup("sh bin/setup"), WORD="given").root)
    assert (root / "build/ready").read_text() == "given\n"
    assert log_of(source).read_text() == "done\n"
    source.remove()
    assert source.state() == before


def test_a_list_stops_at_the_first_failure(source: Source, unchanged: Check) -> None:
    root = Path(source.make(setup("mkdir one", "cd one", "touch two")).root)
    assert (root / "one/two").exists()
    source.remove()
    with pytest.raises(NotReady, match="failed with exit status 1"):
        source.make(setup("false", "touch never"))
    assert not source.folder.exists()


def test_a_failure_is_one_sentence_with_the_log(source: Source, unchanged: Check) -> None:
    with pytest.raises(NotReady) as told:
        source.make(setup("echo first; echo 'no such package: x' >&2; exit 7"))
    assert told.value.reason == "the setup command failed with exit status 7: no such package: x"
    assert told.value.remedy == f"read {log_of(source)}; then fix `setup` in the project's settings"
    assert log_of(source).read_text() == "first\nno such package: x\n"
    assert not source.folder.exists()


def test_the_last_words_of_a_long_log_are_told(source: Source, unchanged: Check) -> None:
    with pytest.raises(NotReady, match=r"exit status 3: the reason$"):
        source.make(setup(f"seq {2 * LOOKED_AT // 5}; echo 'the reason'; echo; exit 3"))


SAID = ("fatal: a", "fatal: b", "error: c", "error: d", "e", "f")


def test_of_what_git_says_the_line_that_tells_why_is_repeated() -> None:
    """Its last line that is fatal; else the first error; else the last line."""
    for lines in (one for size in (1, 2, 3) for one in itertools.permutations(SAID, size)):
        fatal, errors = ([one for one in lines if one.startswith(word)] for word in ("fatal: ", "error: "))
        told = [*lines[-1:], *errors[::-1], *fatal][-1].rpartition(" ")[2]
        found = git_failed("it failed", GitError(["x"], Done(1, err="\n ".join(lines).encode())), "look")
        assert (found.reason, found.remedy) == (f"it failed: {told}", "look"), lines


def test_a_known_reason_has_a_remedy_of_its_own() -> None:
    for words, remedy in REMEDIES.items():
        said = f"error: x\nfatal: {words}"
        assert git_failed("x", GitError(["x"], Done(1, err=said.encode()))).remedy == remedy
        assert system_failed("x", OSError(1, words)).remedy == remedy
    found = system_failed("x", OSError("odd"))
    assert (found.reason, found.remedy) == ("x: odd", "fix this and retry")


def test_a_setup_that_hangs_is_ended_with_its_children(source: Source, unchanged: Check) -> None:
    with pytest.raises(NotReady) as told:
        source.make(setup("(setsid sleep 600 & echo $!); sleep 600", seconds=1))
    assert told.value.reason == "the setup command did not end within 1 s"
    assert ends(log_of(source).read_text().strip())
    assert not source.folder.exists()


def test_a_server_that_it_leaves_running_is_ended(source: Source, unchanged: Check) -> None:
    source.make(setup("sleep 600 & echo $!"))
    assert ends(log_of(source).read_text().strip())
    source.remove()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo KEY >> ~/.ssh/authorized_keys", "keys and credentials"),
        ("cp a.txt ../other/a.txt", "a file outside the repository"),
        ("rm -rf src", "rm with both recursive and force"),
    ],
)
def test_the_policy_judges_it(source: Source, unchanged: Check, command: str, why: str) -> None:
    with pytest.raises(NotReady) as told:
        source.make(setup("touch a.txt", command))
    assert told.value.reason.startswith("the command policy blocks the setup command `touch a.txt")
    assert why in told.value.reason
    assert told.value.remedy == "change `setup` in the project's settings; it was not run"
    with pytest.raises(NotReady, match="the command policy blocks the setup command"):
        try_copy(source.git, source.head, setup("touch a.txt", command))
    assert not source.folder.exists()


def test_it_sees_what_was_carried_along(source: Source) -> None:
    write_tree(source.root, {".worktreeinclude": "*.secret\n", "node_modules/x/i.js": "x"})
    root = Path(source.make(setup("cat key.secret node_modules/x/i.js > seen")).root)
    assert (root / "seen").read_text() == "s3\nx"
    source.remove()


def test_the_caller_stays_where_it_is(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source.make()
    source.remove()
    files = len(os.listdir("/proc/self/fd"))
    source.make(setup("true"))
    assert Path.cwd() == tmp_path
    assert len(os.listdir("/proc/self/fd")) == files + 1, "only the record of the copy stays open"
    source.remove()
