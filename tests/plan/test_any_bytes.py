"""Whatever the bytes, the answer is a result; and what was generated is what is read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plan.texts import manifest, plan, step
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report
from ultra_runtime.plan.check import check
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.spec_text import quoted
from ultra_runtime.text.yaml_mapping import MappingReader
from ultra_runtime.text.yaml_value import Scalar

FIXTURES = Path(__file__).parents[2] / "plugin_src/contracts/fixtures"
SEEDS = [
    path.read_bytes() for kind in ("plan", "session-spec") for path in sorted((FIXTURES / kind).glob("*.md"))
]
MUTATIONS = 1500
PIECES = [
    b"\n", b"```", b"~~~", b"### Step 2: x\n", b"## Execution Strategy\n", b"- ", b"  - ", b"manifest:", b"`", b"\xff", b"\0",
    b"---\n", b"\r\n", b"[", b"{", b"'", b'"', b": ", b"# ", b"\xe2\x80\xa8", b"\t", b"999999999999", b"->", b"-", b"*", b"\\",
]  # fmt: skip


def validate(data: bytes) -> None:
    """Validate bytes by both contracts; every code has to be one that a contract lists."""
    for kind in ("plan", "session-spec"):
        for strict in (False, True):
            report = Report(load_contract(kind), "x.md")
            check(report, data, strict)
            result = report.result()
            assert all(issue.line is None or issue.line >= 1 for issue in result.errors + result.warnings)
            assert all(issue.remedy for issue in result.errors + result.warnings)


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    validate(data)


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=60))
def test_bytes_that_look_like_a_plan(pieces: list[bytes]) -> None:
    validate(b"---\nplan_version: 1.7\n---\n## Implementation Plan\n### Step 1: x\n" + b"".join(pieces))


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _drop(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randrange(40) :]


def _insert(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + chance.choice(PIECES) + data[start:]


def _flip(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + bytes([chance.randrange(256)]) + data[start + 1 :]


def _swap_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def _repeat(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one = chance.randrange(len(lines))
    return b"\n".join(lines[:one] + lines[one : one + 8] * chance.randrange(2, 5) + lines[one:])


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut, _drop, _insert, _flip, _swap_lines, _repeat,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_mutations_of_every_fixture(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(seed)  # noqa: S311
    for _ in range(MUTATIONS // 4):
        data = chance.choice(SEEDS)
        for _ in range(chance.randrange(1, 5)):
            data = chance.choice(WAYS)(data, chance) or b"\n"
        validate(data)
    with capsys.disabled():
        print(f" [{MUTATIONS // 4} mutated plans and specs, seed {seed}] ", end="")


# What was generated is what is read

WORDS = (
    st.text("abc XYZ-_./0é'", min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda text: text.strip("-_.'").strip())
)
PATHS = (
    st.lists(st.text("abc._-0", min_size=1, max_size=6), min_size=1, max_size=3)
    .map("/".join)
    .filter(lambda path: path.casefold() != "none" and path not in ("-", "n/a"))
)
PATTERNS = st.text("abc^$.\\w '\"#:,[]{}é", max_size=12).filter(lambda text: text.isprintable())
COMMANDS = st.text("abc -|&$\"'>()", min_size=1, max_size=20).map(str.strip).filter(bool)


class Made:
    """A generated step and its text."""

    def __init__(
        self,
        files: list[str],
        command: str,
        expected: str,
        action: str,
        message: str,
        contains: list[tuple[str, str]],
    ) -> None:
        self.files, self.command, self.expected, self.action = files, command, expected, action
        self.message, self.contains = message, contains

    def text(self, number: int, plain: bool) -> str:
        def name(word: str) -> str:
            return f"{word}:" if plain else f"**{word}:**"

        return (
            f"### Step {number}: title {number}\n\n"
            f"- {name('Files')} {', '.join(f'`{path}`' for path in self.files)}\n"
            f"- {name('Changes')} words\n"
            f"- {name('Verify')} `{self.command}` {'->' if plain else '→'} expected: `{self.expected}`\n"
            f"- {name('On failure')} {self.action} - words\n"
            f'- {name("Checkpoint")} `git commit -m "{self.message}"`\n'
            f"{manifest(['x'], pattern='', contains=self.contains)}\n"
        )


STEPS = st.builds(
    Made,
    files=st.lists(PATHS, min_size=1, max_size=3, unique=True),
    command=COMMANDS,
    expected=WORDS,
    action=st.sampled_from(["revert", "retry", "skip", "escalate"]),
    message=WORDS,
    contains=st.lists(st.tuples(st.just("src/a.py"), PATTERNS), max_size=2),
)


@settings(deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=4), st.booleans())
def test_what_was_generated_is_what_is_read(made: list[Made], plain: bool) -> None:
    found = read(plan(*(one.text(number, plain) for number, one in enumerate(made, 1))).encode())
    assert {problem.code for problem in found.problems} <= {"MANIFEST_PATTERN_INVALID"}
    assert [one.number for one in found.steps] == list(range(1, len(made) + 1))
    for one, wanted in zip(found.steps, made, strict=True):
        assert list(one.files) == wanted.files
        assert one.verify is not None
        assert (one.verify.command, one.verify.expected, one.verify.literal) == (
            wanted.command,
            wanted.expected,
            True,
        )
        assert one.on_failure == wanted.action
        assert one.checkpoint == wanted.message
        if one.manifest:
            assert list(one.manifest.must_contain) == wanted.contains


@given(st.text(max_size=20).filter(lambda text: not any("\ud800" <= letter <= "\udfff" for letter in text)))
def test_quoted_text_is_read_back(text: str) -> None:
    reader = MappingReader([f"a: {quoted(text)}"])
    reader.read()
    value = reader.values["a"]
    assert isinstance(value, Scalar)
    assert value.text == text


def test_a_step_of_ten_megabytes_in_one_line_is_read() -> None:
    found = read(plan(step(1, changes="x" * 10_000_000)).encode())
    assert (found.problems, len(found.steps[0].changes)) == ([], 10_000_000)
