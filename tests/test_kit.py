"""What tests rely on: a fork answers as a process does, a table reports every row, and a repository is a new one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.kit import quick, warm
from tests.kit.files import write_tree
from tests.kit.repository import git, make_repository
from tests.kit.table import each
from tests.kit.warm import Program
from tests.kit.warm_shell import warm_function

SCRIPT = """\
import os, sys
from small import part
print(sys.argv[1:], os.getcwd(), sorted(os.environ), part.count(), sys.stdin.read())
sys.stderr.write(oct(os.umask(0)) + __name__ + os.path.basename(__file__))
if sys.argv[1] == "signal":
    os.kill(os.getpid(), 9)
if sys.argv[1] == "error":
    raise ValueError("wrong")
sys.exit({"number": 3, "words": "said"}.get(sys.argv[1]))
"""
PART = "calls = []\ndef count():\n    calls.append(1)\n    return len(calls)\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return a program of one module, which counts its calls, and a script."""
    folder = tmp_path_factory.mktemp("program")
    write_tree(folder, {"small/__init__.py": "", "small/part.py": PART, "small/hooks/script.py": SCRIPT})
    return Program(Path(sys.executable), ("-S",), folder, "small")


@pytest.mark.parametrize("word", ["none", "number", "words", "signal", "error"])
def test_a_fork_answers_as_a_process_does(program: Program, tmp_path: Path, word: str) -> None:
    script = str(program.path / "small/hooks/script.py")
    env = {"PYTHONPATH": str(program.path), "LANG": "C.UTF-8", "ONE": "1"}
    umask = os.umask(0o027)
    try:
        told = [program.fork([script, word, "ü"], b"given", tmp_path, env) for _ in range(2)]
        command = [sys.executable, "-S", script, word, "ü"]
        alone = subprocess.run(
            command, input=b"given", cwd=tmp_path, env=env, capture_output=True, check=False
        )
    finally:
        os.umask(umask)
    for one in told:
        assert one.returncode == alone.returncode
        assert one.stdout == alone.stdout, "each fork begins anew"
        assert one.stderr.split(b"\n")[-2:] == alone.stderr.split(b"\n")[-2:]


LINES = """\
umask 027; echo given > given; mkdir -p there
call none "ü  ü" < given; call number; echo $?
call words 2> said; echo $?; cat said; call signal 2> killed; echo $?
ONE=2 call none; x=$(call none); echo "$x"
{ call none; call number; } > both; call none >> both; cat both
(cd there; export TWO=2; call none | tr a-z A-Z)
for each in 1 2 3; do call number && echo "not reached"; done
"""


def test_a_function_of_the_shell_answers_as_a_process_does(program: Program, tmp_path: Path) -> None:
    script = program.path / "small/hooks/script.py"
    env = {"PYTHONPATH": str(program.path), "LANG": "C.UTF-8", "ONE": "1", "PATH": os.environ["PATH"]}

    def run(function: str) -> tuple[bytes, bytes]:
        command = ["bash", "-c", function + LINES]
        done = subprocess.run(
            command, input=b"", cwd=tmp_path, env=env, capture_output=True, check=False, timeout=60
        )
        return done.stdout, done.stderr

    alone = run(f'call() {{ "{sys.executable}" -S "{script}" "$@"; }}\n')
    with warm_function("call", program, script) as function:
        assert run(function) == run(function) == alone
    assert b"not reached" not in alone[0]


def test_the_first_call_of_a_kind_is_a_process(program: Program) -> None:
    assert [program.can_fork(("kit", "first"), b"") for _ in range(2)] == [False, True]
    warm._called.remove(("kit", "first"))  # as in another worker, which only knows what is written down
    assert program.can_fork(("kit", "first"), b"")
    assert not program.can_fork(("kit", "first"), b"x" * (1 << 15) + b"x")
    assert not program.can_fork(("kit", "second"), b"")


def test_a_table_reports_every_row_that_fails() -> None:
    @each([(1, 1), (1, 2), (2, 1)])
    def test_same(one: int, other: int) -> None:
        assert one == other

    with pytest.raises(AssertionError) as caught:
        test_same()
    assert "2 of 3 rows fail" in str(caught.value)
    assert "(1, 2): AssertionError" in str(caught.value)
    assert "(2, 1): AssertionError" in str(caught.value)


def test_a_table_without_rows_fails() -> None:
    with pytest.raises(AssertionError, match="empty"):
        each([])(lambda: None)()


def test_two_repositories_of_the_same_files_have_nothing_in_common(tmp_path: Path) -> None:
    first, second = (make_repository(tmp_path / name, {"a.txt": "a\n"}) for name in ("first", "second"))
    (first / "a.txt").write_text("changed\n")
    git(first, "commit", "--quiet", "--all", "--message=Change")
    assert (second / "a.txt").read_text() == "a\n"
    assert git(second, "status", "--porcelain") == ""
    assert git(second, "log", "--format=%s") == "Begin"
    assert git(make_repository(tmp_path / "third", {"b.txt": "b\n"}), "ls-files") == "b.txt"


def test_random_tests_are_the_same_each_time_and_new_in_the_long_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ULTRA_SEED", raising=False)
    monkeypatch.setattr(quick, "SOAK", False)
    assert quick.random_seed() == quick.random_seed()
    monkeypatch.setattr(quick, "SOAK", True)
    assert len({quick.random_seed() for _ in range(5)}) > 1
    capsys.readouterr()
    new = quick.random_seed()
    assert capsys.readouterr().out == f"ULTRA_SEED={new}\n"
    monkeypatch.setenv("ULTRA_SEED", str(new))
    assert quick.random_seed() == new


def test_an_international_address_is_still_checked_by_its_grammar() -> None:
    checker = Draft202012Validator.FORMAT_CHECKER
    assert [checker.conforms(one, "iri") for one in ("https://example.org/é", "no address")] == [True, False]
