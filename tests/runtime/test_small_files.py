"""The small modules that read and keep files, each compared with something that does the same in another way."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.repository import make_repository
from ultra_runtime.answer import RefusedError
from ultra_runtime.files import given_text, kept_answers, unexpected
from ultra_runtime.files.digest import blob_name, sha1, sha256
from ultra_runtime.files.error_log import logs_in
from ultra_runtime.files.git import DAMAGED, INDEX_DAMAGED, GitError
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.json_file import NotJsonError, load_json, read_json
from ultra_runtime.files.price import models, price, rounded
from ultra_runtime.files.process import Done
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, ignore_text
from ultra_runtime.files.quick_write import put
from ultra_runtime.files.regular_file import LARGEST, UnreadableError, read_descriptor, read_if_any
from ultra_runtime.files.secret_files import may_hold_secrets
from ultra_runtime.files.subfolders import Subfolders
from ultra_runtime.files.waiting import Waiting


@given(st.binary(max_size=50))
def test_digests_are_those_of_hashlib(data: bytes) -> None:
    assert sha256(data) == hashlib.sha256(data).hexdigest()
    assert sha1(data) == hashlib.sha1(data, usedforsecurity=False).hexdigest()
    head = b"blob %d\0" % len(data)
    assert blob_name(data, "0" * 40) == sha1(head + data)
    assert blob_name(data, "0" * 64) == sha256(head + data)


@given(st.integers(0, 5000))
def test_a_number_of_tokens_is_told_to_the_hundred(tokens: int) -> None:
    told = int(rounded(tokens).replace(",", ""))
    assert (told % 100, told >= 100) == (0, True)
    assert abs(told - tokens) <= 50 or told == 100 > tokens


def test_a_price_names_agents_models_and_tokens() -> None:
    assert price([], 1234) == "no agents, about 1,200 tokens of protocol"
    unknown = "the session's model"
    assert models(["no such agent", "another"]) == f"2 {unknown}"
    assert price(["no such agent"], 0) == f"at most 1 agent (1 {unknown}), about 100 tokens of protocol"
    assert price(["x", "x"], 0, most=False) == f"2 agents (2 {unknown}), about 100 tokens of protocol"


@pytest.mark.parametrize(("size", "fits"), [(LARGEST, True), (LARGEST + 1, False)])
def test_a_file_is_read_up_to_the_largest_size(tmp_path: Path, size: int, fits: bool) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, size)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if fits:
            assert len(read_descriptor(descriptor)) == size
        else:
            with pytest.raises(UnreadableError, match=f"it is larger than {LARGEST >> 20} MB"):
                read_descriptor(descriptor)
    finally:
        os.close(descriptor)


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=3))
def test_a_json_file_is_read_as_json_reads_it(
    tmp_path_factory: pytest.TempPathFactory, values: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "values.json"
    path.write_text(json.dumps(values))
    assert load_json(str(path)) == read_json(str(path)) == values
    path.write_text(json.dumps([values]))
    with pytest.raises(NotJsonError):
        load_json(str(path))
    assert read_json(str(path)) == read_json(f"{path}.missing") == {}


def test_text_that_is_given(tmp_path: Path) -> None:
    assert as_text("\ufeffä\n".encode(), "hint") == "ä\n"
    for data, error in (
        (b" \n\t", "no input"),
        (b"", "no input"),
        (b"\xff\n", "line 1 of"),
        (b"a\nb\n\xff", "line 3 of"),
        (b"\n\xff", "line 2 of"),
    ):
        with pytest.raises(RefusedError, match=error):
            as_text(data, "hint")
    (tmp_path / "given").write_bytes(b"x\xff")
    assert read_given(str(tmp_path / "given"), "hint") == b"x\xff"
    with pytest.raises(RefusedError) as refused:
        read_given(str(tmp_path / "missing"), "hint")
    assert refused.value.next_step == "hint"


class Terminal(io.StringIO):
    """A stream that somebody looks at, or nobody."""

    def __init__(self, is_seen: bool) -> None:
        super().__init__()
        self.is_seen = is_seen

    def isatty(self) -> bool:
        return self.is_seen


@pytest.mark.parametrize("is_seen", [True, False, None])
def test_who_waits_at_a_terminal_sees_each_second_once(
    monkeypatch: pytest.MonkeyPatch, is_seen: bool | None
) -> None:
    terminal = None if is_seen is None else Terminal(is_seen)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", terminal)
    line = Waiting("tests\nrun")
    for now[0] in (100.2, 100.9, 101.0, 101.5, 102.1, 111.9):
        line.tick()
    line.end()
    monkeypatch.undo()
    said = terminal.getvalue() if terminal else ""
    shown = [f"ultra: tests\\nrun ({seconds} s)" for seconds in (1, 2, 11)]
    assert said == ("".join(f"\r{one}" for one in shown) + f"\r{'':{len(shown[-1])}}\r" if is_seen else "")


def test_an_answer_is_kept_for_its_session_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repository(tmp_path / "repo", {"README.md": "x\n"})
    monkeypatch.chdir(repo)
    answers = {f"session-{number}": f"answer {number}" for number in range(kept_answers.MOST_SESSIONS + 2)}
    for number, (session, text) in enumerate(answers.items()):
        kept_answers.keep_answer(str(repo), session, "scout", text)
        os.utime(repo / ".git/ultra/answers" / session, (number, number))
    sessions = list(answers)
    for number, session in enumerate(sessions):
        monkeypatch.setenv(kept_answers.SESSION, session)
        kept = len(sessions) - number <= kept_answers.MOST_SESSIONS
        assert kept_answers.kept_answer("scout") == (answers[session] if kept else ""), number
    kept_answers.keep_answer(str(repo), session, "critic", "x" * kept_answers.LONGEST)
    kept_answers.keep_answer(str(repo), session, "large", "x" * (kept_answers.LONGEST + 1))
    assert kept_answers.kept_answer("large") == ""
    assert (
        kept_answers.need_answers(["critic", "large", "scout"])
        == f"{'x' * kept_answers.LONGEST}\n{answers[session]}"
    )
    kept_answers.drop_answers(["critic", "large"])
    assert kept_answers.need_answers(["critic", "scout"]) == answers[session]
    kept_answers.drop_answers()
    with pytest.raises(RefusedError, match="no answer of critic or scout is kept"):
        kept_answers.need_answers(["critic", "scout"])
    monkeypatch.setenv(kept_answers.SESSION, sessions[-2])
    assert kept_answers.kept_answer("scout") == answers[sessions[-2]]


@pytest.mark.parametrize("seen", [".git/ultra/answers", ".git/ultra/answers/session-0"])
def test_two_hooks_may_drop_old_answers_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: str
) -> None:
    """Agents that end together: what one has seen, the other has dropped."""
    repo = make_repository(tmp_path / "repo", {"README.md": "x\n"})
    oldest = repo / ".git/ultra/answers/session-0"

    def listed(folder: str) -> list[str]:
        found = sorted(os.listdir(folder))
        if folder == str(repo / seen):
            shutil.rmtree(oldest)
        return found

    for number in range(kept_answers.MOST_SESSIONS):
        kept_answers.keep_answer(str(repo), f"session-{number}", "scout", "old")
    os.utime(oldest, (1, 1))
    monkeypatch.setattr(kept_answers, "names_in", listed)
    kept_answers.keep_answer(str(repo), "new", "scout", "text")
    assert not oldest.exists()
    assert (repo / ".git/ultra/answers/new/scout.md").read_text() == "text"


@pytest.mark.parametrize("session", ["", "../x", "a/b", "x" * 101, "a b", ".."])
def test_no_answer_is_kept_under_a_name_that_leaves_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: str
) -> None:
    repo = make_repository(tmp_path / "repo", {"README.md": "x\n"})
    monkeypatch.chdir(repo)
    monkeypatch.setenv(kept_answers.SESSION, session)
    kept_answers.keep_answer(str(repo), session, "scout", "text")
    kept_answers.drop_answers()
    assert kept_answers.kept_answer("scout") == ""
    assert not (repo / ".git/ultra").exists()
    kept_answers.keep_answer(str(tmp_path), "fine", "scout", "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repo"]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(RefusedError, match="cannot be written: Is a directory"):
        put(str(tmp_path / "folder"), b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    put(str(tmp_path / "file"), b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_list_of_ignored_files_that_is_there_stays(tmp_path: Path) -> None:
    project = Project(str(tmp_path), "2026-01-31-greet")
    Path(project.folder).mkdir(parents=True)
    ignore_own_files(project)
    own = Path(project.path(".gitignore"))
    assert own.read_text() == ignore_text()
    own.write_text("mine\n")
    ignore_own_files(project)
    assert own.read_text() == "mine\n"


def test_a_name_of_any_bytes_is_read_from_json(tmp_path: Path) -> None:
    for text in ("x", "\udcff", "é\udc80"):
        (tmp_path / "x.json").write_text(json.dumps({"name": text}))
        assert load_json(str(tmp_path / "x.json")) == {"name": text}


def test_only_our_own_logs_in_our_own_folder_are_logs(tmp_path: Path) -> None:
    """The oldest logs are removed: nothing else may be taken for one."""
    for name in ("b.log", "a.log", ".hidden.log", "notes.txt", "log", ".x"):
        (tmp_path / name).touch()
    assert logs_in(str(tmp_path)) == [str(tmp_path / "a.log"), str(tmp_path / "b.log")]
    (tmp_path / "link").symlink_to(tmp_path)
    assert logs_in(str(tmp_path / "link")) == logs_in(str(tmp_path / "gone")) == []


def test_why_a_file_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path, reason in {
        str(tmp_path / "loop"): "it cannot be opened: Too many levels of symbolic links",
        "/proc/self/mem": "it cannot be read: Input/output error",
        str(tmp_path / "gone/x"): "there is no such file",
        str(tmp_path): "it is a directory, not a file",
        "/dev/null": "it is not a regular file",
        "a\0b": "no file can have this name",
    }.items():
        with pytest.raises(RefusedError, match=re.escape(f": {reason}")):
            read_given(path, "look")
        assert read_if_any(path) == b""
    reader, writer = os.pipe()
    monkeypatch.setattr(given_text, "STANDARD_INPUT", writer)
    with pytest.raises(RefusedError, match="standard input cannot be read: Bad file descriptor"):
        read_given(None, "look")
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize(
    ("err", "told", "hint"),
    [
        ("fatal: one\nhint: two\n three", "fatal: one", ""),
        ("ignored:\na\nerror: b\nfatal: no space", "error: b; fatal: no space", ""),
        ("hint: try again\nwarning: a\n\n b", "warning: a; b", ""),
        ("lint failed\nerror: line 1\nsee the log", "lint failed; error: line 1; see the log", ""),
        ("", "exit status 128", ""),
        (
            "fatal: Unable to create '/x/y.lock': File exists",
            "/x/y.lock exists",
            "remove /x/y.lock, then retry",
        ),
        (
            "fatal: Unable to create '/x/y.lock': No space",
            "fatal: Unable to create '/x/y.lock': No space",
            "",
        ),
        *((one, one, "the index of git is damaged") for one in INDEX_DAMAGED),
        *((f"fatal: {one}", f"fatal: {one}", "`git fsck` lists") for one in DAMAGED),
    ],
)
def test_an_error_of_git_names_the_command_and_the_reason(err: str, told: str, hint: str) -> None:
    for words in (["add"], ["-c", "a=b", "-c", "c=d", "add", "x"]):
        for done in (Done(128, err=err.encode()), Done(128, err.encode())):
            found = GitError(words, done)
            assert (str(found), found.late) == (f"git add failed: {told}", False)
            assert (hint or "fix this and retry") in found.hint
        assert str(GitError(words, Done(-9, b"", err.encode(), late=True))) == "git add failed: it timed out"


def test_git_names_a_blob_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"some\0bytes\n")
    command = ["git", "hash-object", "--no-filters", "x"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert blob_name(b"some\0bytes\n", "0" * 40) == said.stdout.strip()


def raised(cause: BaseException | None, context: BaseException | None, text: str) -> BaseException:
    problem = ValueError(text)
    problem.__cause__, problem.__context__ = cause, context
    return problem


@pytest.mark.parametrize("cycle", [False, True])
def test_an_error_is_told_with_its_causes_each_once(cycle: bool) -> None:
    first = raised(None, None, "first")
    second = raised(None, first, "second")
    third = raised(second, first, "third")
    if cycle:
        first.__context__ = third
    told = [next_line for next_line, _ in zip(unexpected._traceback(third), range(9), strict=False)]
    assert told == ["ValueError: third", "ValueError: second", "ValueError: first"]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("step", True),
        ("x" * unexpected.LONGEST_WORD, True),
        ("x" * (unexpected.LONGEST_WORD + 1), False),
        ("a b", False),
        ("a\nb", False),
        ("https://x", False),
        ("TOKEN=1", False),
        ("password:x", False),
        ("token", True),
        ("a=1", True),
        ("abc1" * 6, False),
        ("abc1" * 5 + "abc", True),
        ("ab-1" * 8, False),
        ("abcd" * 6, True),
    ],
)
def test_a_word_of_a_call_is_shown_only_if_it_can_be_no_secret(word: str, shown: bool) -> None:
    assert unexpected._masked(word) == (word if shown else f"<{len(word)} characters>")


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        (".env", True),
        ("deep/.ENV", True),
        ("a/id_rsa", True),
        ("x.pem", True),
        ("env/readme.md", False),
        ("xpem", False),
    ],
)
def test_a_file_is_secret_by_its_name_alone(name: str, is_secret: bool) -> None:
    assert may_hold_secrets(name) == is_secret


def test_a_folder_is_left_unread_only_where_the_system_counts_links(tmp_path: Path) -> None:
    (tmp_path / "top/inner").mkdir(parents=True)
    (tmp_path / "top/file").touch()
    (tmp_path / "top/link").symlink_to("inner")
    device = tmp_path.stat().st_dev
    # Links that are told, and the device -> whether the folder is read.
    for looks in (
        [(3, device, True), (2, device, False), (2, device + 1, True), (2, device, True)],
        [(1, device, True), (2, device, True)],
        [(4, device, True), (3, device, True), (2, device, True)],
    ):
        below = Subfolders(str(tmp_path))
        for links, where, is_read in looks:
            status: Any = SimpleNamespace(st_nlink=links, st_dev=where)
            assert below.of(str(tmp_path / "top"), status) == ["inner"] * is_read


def test_the_newest_errors_are_kept_where_their_owner_alone_writes(tmp_path: Path) -> None:
    folder = tmp_path / "errors"
    paths = [unexpected._written(str(folder), b"x\n") for _ in range(3)]
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in ("mine.txt", *(f"20200101T0000{second:02}-000000-1.log" for second in range(12))):
        (folder / name).touch()
    paths += [unexpected._written(str(folder), b"x\n")]
    kept = [f"{folder}/20200101T0000{second:02}-000000-1.log" for second in range(6, 12)]
    assert sorted(str(path) for path in folder.iterdir()) == [*kept, *paths, f"{folder}/mine.txt"]
    (tmp_path / "link").symlink_to(folder)
    assert unexpected._written(str(tmp_path / "link"), b"x\n") == ""
    (tmp_path / "file").touch()
    assert unexpected._written(str(tmp_path / "file"), b"x\n") == ""
