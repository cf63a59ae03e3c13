"""Whatever is put, reviewed or lies in a project already, the answer is an answer."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.door.samples import answer
from tests.kit.calls import Ultra
from tests.kit.names import PROJECT, ROOT
from tests.kit.quick import times

CASES = times(500, 20_000)
# One process for all cases, or most of the time would go into starting it.
FUZZ = """
import io, json, os, random, sys
sys.path.insert(0, sys.argv[1])
from ultra_runtime.__main__ import main
project, count, seeds = sys.argv[2], int(sys.argv[3]), [open(path, "rb").read() for path in sys.argv[4:]]
names = ["brief.md", "brief.md.draft", "plan.md", "plan.md.draft", "review.md", "research/01-x.md", "sessions/session-1.md",
         ".brief-gate.local.json", "logs/interview.jsonl", "logs/confidence.json"]
options = [["put", "brief"], ["put", "brief", "--draft"], ["put", "plan"], ["put", "plan", "--draft"], ["put", "review"],
           ["gate", "plan"], ["gate", "plan", "--self-check"], ["plan", "begin"], ["sessions", "put", "--export"],
           ["put", "research", "--topic", "1", "--slug", "x"], ["put", "session-spec", "--session", "1"],
           ["gate", "brief"], ["gate", "brief", "--accept-partial"], ["gate", "brief", "--discard"],
           ["brief", "note"], ["brief", "note", "--section", "Goal"], ["research", "begin"],
           ["confidence", "--dimensions", "1", "--topic", "1"]]
parts = [[], [], ["--section", "Goal"], ["--section", "Steps"], ["--step", "1"], ["--step", "2"]]
PIECES = [b"---\\n", b"## Goal\\n", b"### Step 1: x\\n", b"```", b"```json\\n{", b"\\xff", b"\\0", b"\\r", b"\\xed\\xa0\\x80",
          "\\u2028".encode(), b": ", b"- ", b"{", b"[", b"\\t", b"5" * 400, b"[" * 2000, b"x" * 5000, b"\\xef\\xbb\\xbf"]
chance = random.Random(5)

def mutated(data):
    data = bytearray(data)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            del data[at : at + chance.randrange(200)]
        elif kind == 1:
            data[at:at] = chance.choice(PIECES)
        elif kind == 2:
            data[at : at + 1] = bytes([chance.randrange(256)])
        else:
            del data[at:]
    return bytes(data)

tally = {}
for number in range(count):
    for name in names:
        path = os.path.join(project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.unlink(path)
        if chance.random() < 0.3:
            with open(path, "wb") as file:
                file.write(mutated(chance.choice(seeds)))
    words = chance.choice(options)
    part = chance.choice(parts) if words[0] == "put" else []
    given = mutated(chance.choice(seeds)) if chance.random() < 0.9 else chance.randbytes(300)
    source = os.open("given", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.write(source, given)
    os.lseek(source, 0, 0)
    os.dup2(source, 0)
    os.close(source)
    sys.stdout = io.StringIO()
    status = main([*words, *part, "--project", project, "--json"])
    told = json.loads(sys.stdout.getvalue())
    sys.stdout = sys.__stdout__
    sound = status in (0, 1) and told["ok"] is (status == 0) and "internal error" not in told.get("error", "")
    if not sound:
        print(json.dumps({"words": words + part, "told": told, "given": given.hex()}))
        sys.exit(1)
    key = words[1] + (" done" if status == 0 else " refused")
    tally[key] = tally.get(key, 0) + 1
print(json.dumps(tally))
"""


@pytest.fixture
def seeds(tmp_path: Path) -> list[Path]:
    """Return valid artifacts of every kind, and an answer of a reviewer."""
    (tmp_path / "answer").write_text(answer({"testability": 2}))
    kinds = ("brief", "research", "plan", "review", "session-spec")
    return [
        tmp_path / "answer",
        *[ROOT / "plugin_src/contracts/fixtures" / kind / "valid.md" for kind in kinds],
    ]


def test_any_bytes_anywhere_get_an_answer(
    ultra: Ultra, project: Path, seeds: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    runtime = ultra.bundle / "runtime"
    done = subprocess.run(
        ["python3", "-I", "-S", "-X", "utf8", "-c", FUZZ, runtime, PROJECT, str(CASES), *seeds],
        cwd=ultra.folder, env=ultra.env, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    tally = json.loads(done.stdout)
    with capsys.disabled():
        print(f"\n{CASES} calls of put and gate: {tally}")
    assert {"brief done", "brief refused", "plan done", "plan refused"} <= set(tally)
    assert sum(tally.values()) == CASES
