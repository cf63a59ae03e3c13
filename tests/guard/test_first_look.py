"""The first look may say yes too often; a no has to be right."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import load, policy
from tests.guard.rows import every_row
from tests.guard.shell_programs import PROGRAM, SOUP
from tests.kit.quick import examples
from tests.kit.table import each
from ultra_runtime.guard import first_look
from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.follow import kinds, wrappers
from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.judge import Judge

POLICY = policy()
JUDGE = Judge("/", None)
EXAMPLES = [
    text for rule in load("commands.yaml") for kind in ("match", "pass") for text in rule["examples"][kind]
]

HARMLESS = """
git status
git diff --stat
git log --oneline -7
git add -A && git commit -m "Fix the parser"
npm run bundle
npm test -- --verbose
pytest -q 2>&1 | tail -20
pytest -q > out.txt 2>/dev/null
ls -la lib
ls -la $DIR
grep -rn "foo" src | head
cd web && make
sed -n '1,40p' f
find . -name '*.py' | wc -l
python3 script.py --x
python3 -m pytest tests/ -x -q
echo "$X"
make -j4 all
cargo test --release
docker compose up -d
ruff check . && mypy src
mkdir -p a/b
rm x
kill 1234
node dist/index.js
curl -s http://localhost:3000/health
diff a b
""".strip().splitlines()

# Every name that anything here knows, and arguments that one rule or another waits for.
NAMES = sorted(
    {
        *POLICY.commands, *POLICY.sources, *POLICY.adders, *kinds.BUILTINS, *kinds.LAUNCHERS, *kinds.SHELLS,
        *kinds.POWERSHELLS, *kinds.WRITERS, *kinds.CHANGERS, *kinds.PRINTERS, *kinds.LANGUAGES, *kinds.ALIASES, *wrappers.PLAIN,
        *wrappers.SCANNED, *wrappers.TEXT_OPTIONS, *wrappers.TEXT_OPERANDS, "mkfs.ext4", "newfs_hfs", "pip3.11",
        "git-push", "python3.12", "rm.exe", "$X", "$SUDO", "$SHELL", "$0", "*", "r?", "/bin/r*", "ch*", "'r'm", "r\\m",
    }
)  # fmt: skip
ARGUMENTS = sorted(
    {
        "-rf", "-r", "-f", "--force", "--recursive", "--hard", "reset", "push", "+main", "777", "a+rwx", "-m", "-1",
        "-9", "--", "-u", "bob", ".", "/dev/sda", "of=/dev/sda", "/dev/null", "-c", "-e", "--eval", "'rm -rf x'",
        '"reboot"', "reboot", "now", "0", "6", "install", "add", "i", "left-pad", "poweroff", "x.timer", "enable",
        "/etc/crontab", "~/.bash_history", "HISTFILE", "-d", "--decode", "x", "'system(\"rm -rf x\")'", "it's", "{}",
        "-exec", "-delete", "\\;", "+", ":::", "-x", "foreach", "run", "exec", "/c", "-enc", "'shutil.rmtree(1)'", "-S", "-i",
        "sh", "|", ";", "&&", ">", "<", "<<<", "&", "(", ")", "\n", "curl", "base64", "-Recurse", "-Force", "/s", "/q",
        "PowerOff", "login1.Manager.PowerOff", "/proc/sysrq-trigger", "load", "/create", "clear", "-E", "\\x72m",
        "'\\x72m -rf x'", "\"a'b\"", "'a\"b'", "#", "$X", "$X$Y", "a=b", "{a,b}", "r{m,x}", "f()", "{", "}", "function",
    }
)  # fmt: skip
LINE = st.tuples(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(ARGUMENTS) | st.sampled_from(NAMES), max_size=8),
    st.sampled_from([" ", " ", " ", "", "\t"]),
).map(lambda made: made[2].join([made[0], *made[1]]) if made[2] != "" else " ".join([made[0], *made[1]]))


def check(command: str) -> None:
    if not may_match(command):
        verdict = verdict_for(command, POLICY)
        assert (verdict.verdict, verdict.rule) == ("allow", "")
    if not JUDGE.may_write(command):
        assert watch(command).changed() == []


@each(HARMLESS)
def test_everyday_commands_need_no_second_look(command: str) -> None:
    assert not may_match(command)


@each(sorted(POLICY.adders))
def test_no_is_right_for_everything_that_adds_a_package(name: str) -> None:
    for verb in POLICY.adders[name][0]:
        for ending in ("", "y", "yu", "--x"):
            for words in (
                f"{verb}{ending} left-pad",
                f"-q {verb}{ending} left-pad",
                f"left-pad {verb}{ending}",
            ):
                check(f"{name} {words}")
        assert may_match(f"{name} {verb} left-pad")


@settings(deadline=None, max_examples=examples(1500))
@given(LINE)
def test_no_is_right_for_lines_of_names_and_arguments(line: str) -> None:
    check(line)


@settings(deadline=None, max_examples=examples(300))
@given(st.sampled_from(EXAMPLES), st.data())
def test_no_is_right_for_mutated_examples(example: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(example)))
    piece = data.draw(
        st.sampled_from(["", " ", "'", '"', "\\", "\\\n", ";", "$", "''", '""', "x", "-", "/", "=", "\n"])
    )
    gone = data.draw(st.integers(0, 2))
    check(example[:at] + piece + example[at + gone :])


@settings(deadline=None, max_examples=examples(300))
@given(PROGRAM | SOUP)
def test_no_is_right_for_programs(text: str) -> None:
    check(text)


@each(sorted({*POLICY.commands, *kinds.SHELLS}))
def test_every_command_with_a_rule_can_get_a_second_look(name: str) -> None:
    line = f"{name} -rf -1 --hard push install +rwx=777 0 s q git -c x 'rm' | sh"
    assert may_match(line)


@each(["printf 'r%s .env' m | sh", "echo 'vne. mr' | rev | sh", "echo 'ez .rai' | tr a-z n-za-m | sh"])
def test_words_that_are_made_on_the_way_may_write(command: str) -> None:
    assert watch(command).changed()
    assert JUDGE.may_write(command)


@each(every_row())
def test_no_is_right_for_every_row(command: str) -> None:
    check(command)


def test_a_wrong_no_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prove that the tests above can fail."""
    monkeypatch.setattr("tests.guard.test_first_look.may_match", lambda command: False)
    with pytest.raises(AssertionError):
        check("rm -rf x")


CLOSED = re.compile(r"""(?:[^'"\\]|\\(?:.|\Z)|'[^']*'|"(?:[^"\\]|\\.)*")*""", re.DOTALL)


@given(st.text("'\"\\a ", max_size=9))
def test_a_quote_that_is_open_at_the_end_is_seen(text: str) -> None:
    quoted = "'" in text or '"' in text
    assert not quoted or first_look._may_be_unclosed(text, quoted) == (CLOSED.fullmatch(text) is None)


@each(map("".join, itertools.product(("ls ", "#", "'", '"', "\n", "<<E\n'\nE\n"), repeat=5)))
def test_a_quote_in_a_comment_or_a_document_closes_none(command: str) -> None:
    check(command)
