"""Whatever stands in a file, or is no file, the answer is a result: no traceback, no waiting, linear time."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.conftest import FIXTURES, Validate, codes
from tests.interpreters import interpreters, sampled
from tests.kit.names import LAUNCHER
from tests.kit.quick import examples, times
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_data
from ultra_runtime.text.jsontext import write

KINDS = ("brief", "research", "plan", "progress", "review", "session-state", "session-spec")
JSON_KINDS = ("progress", "session-state")
CASES = times(1000, 100_000)
VALID = {kind: next((FIXTURES / kind).glob("valid.*")).read_bytes() for kind in KINDS}
Check = Callable[[str, bytes], Any]


@pytest.fixture
def check() -> Check:
    """Return the validator itself, without a process around it."""

    def call(kind: str, data: bytes) -> Any:
        answer = json.loads(write(validate_data(load_contract(kind), data, "no/where").as_data()))
        assert set(answer) == {"valid", "errors", "warnings", "parsed"}
        assert answer["valid"] is (answer["errors"] == [])
        return answer

    return call


@pytest.mark.parametrize("python", sampled(), ids=str)
def test_mutations_with_every_interpreter(
    bundle: Path, python: Path, record_property: Callable[[str, object], None]
) -> None:
    script = Path(__file__).parent / "mutations.py"
    seed = str(interpreters().index(python) * 1000 + 7)
    command = [str(python), "-I", "-S", str(script), str(bundle), str(FIXTURES), seed, str(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    record_property("said", done.stdout.partition("\n")[0])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_random_bytes(check: Check, kind: str) -> None:
    @settings(max_examples=examples(150), deadline=None)
    @given(st.binary(max_size=3000))
    def run(data: bytes) -> None:
        check(kind, data)
        check(kind, b"---\n" + data + b"\n---\n" + data)

    run()


@pytest.mark.parametrize("kind", KINDS)
def test_random_text_in_front_matter_and_body(check: Check, kind: str) -> None:
    line = st.text(alphabet="-#*`:[]{}'\"\\ \t\r|>&!%@,.0123456789abcstepTopic\u2028\x00é🦊", max_size=60)

    @settings(max_examples=examples(150), deadline=None)
    @given(st.lists(line, max_size=40), st.lists(line, max_size=40))
    def run(head: list[str], body: list[str]) -> None:
        check(kind, "\n".join(["---", *head, "---", *body]).encode())

    run()


@pytest.mark.parametrize("kind", JSON_KINDS)
def test_random_json(check: Check, kind: str) -> None:
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    values = st.recursive(
        scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner), max_leaves=20
    )
    valid = json.loads(VALID[kind])

    @settings(max_examples=examples(100), deadline=None)
    @given(st.dictionaries(st.sampled_from([*valid, "other"]), values), st.booleans())
    def run(changes: dict[str, Any], whole: bool) -> None:
        check(kind, json.dumps({**(valid if whole else {}), **changes}).encode())

    run()


@pytest.mark.parametrize("kind", KINDS)
def test_every_truncation(check: Check, kind: str) -> None:
    data = VALID[kind]
    answers = [check(kind, data[:end]) for end in range(0, len(data), 7)]
    assert not answers[0]["valid"]
    assert check(kind, data)["valid"]


MB = 1024 * 1024
LARGE = times(1, 10) * MB
HOSTILE = {
    "one long line": b"x" * LARGE,
    "a long field": b"---\ntype: " + b"y" * LARGE + b"\n---\n# x\n",
    "a long list": b"---\nfindings: [" + b"a, " * (LARGE // 30) + b"]\n---\n",
    "dashes": b"---\n" + b"-" * LARGE,
    "signs": b"---\ntype: x\n---\n" + b"#" * LARGE,
    "deep lists": b"---\ntype: x\n---\n" + b"".join(b" " * depth + b"- a\n" for depth in range(2000)),
    "deep JSON": b'{"steps": ' + b"[" * 100_000,
    "deep JSON, closed": b'{"steps": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "deep objects": b'{"steps": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}",
    "a lone surrogate": b'{"plan": "\\ud800"}',
    "a raw surrogate": b"---\ntype: \xed\xa0\x80\n---\n",
    "NULs": b"\0" * MB,
    "NULs in a body": b"---\ntype: x\n---\n" + b"\0" * MB,
    "a number without end": b'{"total_steps": ' + b"9" * MB + b"}",
    "a bad escape": b'{"plan": "\\q"}',
    "nothing": b"",
    "a mark alone": b"\xef\xbb\xbf",
}


@pytest.mark.parametrize("what", sorted(HOSTILE))
def test_hostile_files(tmp_path: Path, validate: Validate, what: str) -> None:
    path = tmp_path / "artifact"
    path.write_bytes(HOSTILE[what])
    for kind in KINDS:
        answer, status = validate(kind, path)
        assert (status, answer["valid"]) == (1, False), kind
        assert all(entry["code"] for entry in answer["errors"])


def _too_large(path: Path) -> None:
    path.write_bytes(b"---\n")
    os.truncate(path, 2**40)


PLACES: dict[str, Callable[[Path], object]] = {
    "a directory": lambda path: path.mkdir(),
    "a pipe": lambda path: os.mkfifo(path),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a terabyte": _too_large,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", sorted(PLACES))
def test_what_is_no_file(tmp_path: Path, validate: Validate, what: str, kind: str) -> None:
    path = tmp_path / "artifact"
    PLACES[what](path)
    answer, status = validate(kind, path)
    expected = "NOT_FOUND" if (what, kind) == ("a directory", "research") else "READ_ERROR"
    assert [code.partition("_")[2] for code in codes(answer)["errors"]] == [expected]
    assert (status, answer["parsed"] is None or expected == "NOT_FOUND") == (1, True)


@pytest.mark.parametrize("kind", [*KINDS, "project"])
@pytest.mark.parametrize("name", ["gone", "", "a\udcff", "x" * 5000, "gone/../gone/file", "\ud800"])
def test_names_of_nothing(bundle: Path, tmp_path: Path, kind: str, name: str) -> None:
    command = [str(bundle / "bin" / LAUNCHER), "validate", kind, "--json", "--", name]
    done = subprocess.run(
        [word.encode("utf-8", "surrogatepass" if "\ud800" in word else "surrogateescape") for word in command],
        cwd=tmp_path, capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert not json.loads(done.stdout)["valid"]
    assert done.stderr == b""


def test_a_file_that_may_not_be_read(bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "brief.md"
    path.write_bytes(VALID["brief"])
    path.chmod(0)
    for folder in (tmp_path, *tmp_path.parents, bundle, *bundle.parents):
        if os.geteuid() == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    options: dict[str, Any] = {"user": 65534} if os.geteuid() == 0 else {}
    done = subprocess.run(
        [str(bundle / "bin" / LAUNCHER), "validate", "brief", str(path), "--json"],
        capture_output=True, text=True, check=False, timeout=20, **options,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert (codes(answer)["errors"], done.returncode, done.stderr) == (["BRIEF_READ_ERROR"], 1, "")


GROWING: dict[str, Callable[[int], bytes]] = {
    "headings": lambda n: b"---\ntype: ultrabrief\n---\n" + b"## Intent\n" * n,
    "topics": lambda n: VALID["brief"] + b"## Research Plan\n" + b"### Topic 1: x\n- Scope: both\n" * n,
    "findings": lambda n: VALID["review"] + b"## Findings (MAJOR)\n" + b"### x\n- Rule: y\n" * n,
    "listed findings": lambda n: VALID["review"].replace(b"findings:\n", b"findings:\n" + b"  - abc\n" * n),
    "items": lambda n: VALID["brief"] + b"- x\n  - y: z\n" * n,
    "fences": lambda n: VALID["brief"] + b"```\n## Goal\n```\n" * n,
    "open fences": lambda n: VALID["brief"] + b"```a\n" * n,
    "fields": lambda n: b"---\n" + b"".join(b"k%d: v\n" % i for i in range(n)) + b"---\n",
    "spaces": lambda n: b"---\ntype: ultrabrief\n---\n" + b" \t" * n + b"- x",
    "backticks": lambda n: b"---\ntype: ultrabrief\n---\n- a: " + b"`" * n,
    "stars": lambda n: b"---\ntype: ultrabrief\n---\n- " + b"**" * n,
    "quotes": lambda n: b"---\ntype: '" + b"''" * n + b"'\n---\n",
    "commas": lambda n: b"---\ntype: [" + b"a," * n + b"]\n---\n",
    "lines of a list": lambda n: b"---\nfindings: [\n" + b"a,\n" * n + b"]\n---\n",
    "step records": lambda n: json.dumps({"steps": {str(i): {"status": "running", "x": 1} for i in range(n)}}).encode(),
    "keys": lambda n: json.dumps({f"key {i}": i for i in range(n)}, indent=1).encode(),
    "deep arrays": lambda n: b'{"steps": [' + b"[1]," * n + b"1]}",
    "almost secrets": lambda n: VALID["brief"] + b"sk-ant-AKIA" * n,
    "almost keys": lambda n: VALID["brief"] + b"-----BEGIN PRIVATE KEY-----\n" * n,
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(GROWING))
def test_time_grows_with_the_size_and_no_faster(
    check: Check, what: str, request: pytest.FixtureRequest
) -> None:
    def seconds(kind: str, size: int) -> float:
        data = GROWING[what](size)
        began = time.process_time()
        check(kind, data)
        return time.process_time() - began

    def grows_no_faster(kind: str) -> bool:
        small, large = seconds(kind, 2_000), seconds(kind, 16_000)
        # Eight times the size: 8 when linear, 64 when quadratic; what takes no time at all says nothing.
        return large < 24 * max(small, 0.003)

    kinds = JSON_KINDS if GROWING[what](1).startswith(b"{") else set(KINDS) - set(JSON_KINDS)
    gc.freeze()  # a collection looks only at what the checks make, not at all that the tests have loaded
    request.addfinalizer(gc.unfreeze)
    for kind in sorted(kinds):
        assert any(grows_no_faster(kind) for _ in range(3)), kind
