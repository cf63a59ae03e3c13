"""Change valid artifacts at random and validate the results, with any interpreter.

    python mutations.py BUNDLE FIXTURES SEED COUNT

Standard library only, Python 3.9 and newer. Prints what it did; every finding with the bytes that made it.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

TOKENS = (
    b"---\n", b"\n---\n", b"```", b"~~~\n", b"```yaml\n", b"- ", b"  - ", b"# ", b"## ", b"### Step 1: x\n",
    b"### Topic 1: x\n", b"**", b"`", b"|", b">", b"&a ", b"*a", b"!!x ", b": ", b":\n", b"[", b"]", b"{", b"}",
    b'"', b"'", b"\\", b",", b"\0", b"\x07", b"\t", b"\r", b"\r\n", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\xf0\x9f\xa6\x8a", b"\\ud800", b"null", b"true", b"-1", b"1e999",
    b"9" * 400, b"0.1", b"NaN", b"manifest:\n", b"session_manifest:\n", b"(a+)+$", b"{number}", b"\n" * 50, b" " * 300,
)  # fmt: skip
LIMIT = 1.0
PER_BYTE = 1.0 / 100_000


def mutate(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Return the artifact with a few changes."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 2, 10, 100, 1000)))
        kind = chance.randrange(10)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[at:]
        elif kind == 2:
            data = data[:at] + data[end:]
        elif kind == 3:
            data = data[:at] + data[at:end] * chance.choice((2, 3, 50)) + data[end:]
        elif kind == 4:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        elif kind in (5, 6):
            data = data[:at] + chance.choice(TOKENS) * chance.choice((1, 1, 1, 2, 40)) + data[at:]
        elif kind == 7:
            other = chance.choice(others)
            start = chance.randrange(len(other) + 1)
            data = data[:at] + other[start : start + chance.choice((10, 100, 1000))] + data[at:]
        elif kind == 8:
            lines = data.split(b"\n")
            chance.shuffle(lines) if chance.random() < 0.2 else lines.pop(chance.randrange(len(lines)))
            data = b"\n".join(lines)
        else:
            data = data.replace(chance.choice(TOKENS[:30]), chance.choice(TOKENS))
        data = data[:200_000]
    return data


def fault(
    validate: Callable[..., Any],
    write: Callable[..., str],
    contract: Any,
    data: bytes,
    path: str,
    chance: random.Random,
) -> str:
    """Return what is wrong with the answer for these bytes, or nothing."""
    began = time.perf_counter()
    try:
        result = validate(contract, data, path, soft=chance.random() < 0.3, strict=chance.random() < 0.3)
        told = write(result.as_data())
        "".join(str(issue) for issue in result.errors + result.warnings)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    took = time.perf_counter() - began
    if took > max(LIMIT, len(data) * PER_BYTE):
        return f"{took:.2f} s for {len(data)} bytes"
    if result.valid != (not result.errors):
        return "valid and errors disagree"
    if not all(issue.code and issue.message for issue in result.errors + result.warnings):
        return "an issue without code or message"
    return "" if told.startswith("{") else "the answer is no object"


def main(bundle: str, fixtures: str, seed: int, count: int) -> int:
    """Run the mutations and return the number of findings."""
    sys.path.insert(0, os.path.join(bundle, "runtime"))
    from ultra_runtime.contract.model import contract_kinds, load_contract
    from ultra_runtime.contract.validation import validate_data
    from ultra_runtime.text.jsontext import write

    chance = random.Random(seed)  # noqa: S311
    kinds = [kind for kind in contract_kinds() if load_contract(kind).format != "directory"]
    samples = {kind: read_all(os.path.join(fixtures, kind)) for kind in kinds}
    others = [data for group in samples.values() for data in group]
    findings: list[str] = []
    valid, slowest, total = 0, 0.0, 0
    for number in range(count):
        kind = kinds[number % len(kinds)]
        data = mutate(chance.choice(samples[kind]), others, chance) if number % 50 else chance.randbytes(2000)
        contract = load_contract(kind)
        began = time.perf_counter()
        wrong = fault(validate_data, write, contract, data, os.path.join(fixtures, kind, "x"), chance)
        slowest = max(slowest, time.perf_counter() - began)
        total += len(data)
        valid += not validate_data(contract, data, "x").errors if number % 20 == 0 else 0
        if wrong:
            findings.append(f"{kind}, case {number}: {wrong}\n  {data[:3000]!r}")
    version = ".".join(map(str, sys.version_info[:3]))
    print(
        f"Python {version}: {count} mutations (seed {seed}) of {len(others)} artifacts of {len(kinds)} kinds,"
        f" {total // 1000} kB; {valid} of every 20th still valid; slowest {slowest * 1000:.0f} ms;"
        f" {len(findings)} findings"
    )
    print("\n".join(findings[:20]))
    return len(findings)


def read_all(folder: str) -> list[bytes]:
    """Return the contents of all fixtures of a kind."""
    found = []
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            with open(os.path.join(place, name), "rb") as file:
                found.append(file.read())
    return found


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])) else 0)
