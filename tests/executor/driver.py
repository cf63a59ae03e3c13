"""Play an honest model from one end of a run to the other: python driver.py ULTRA PLAN; takes up what it finds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BUSY = "is running in this tree"


def ultra(*words: str) -> dict[str, Any]:
    """Return an answer; a call that a killed driver left running is waited for."""
    while True:
        told = subprocess.run(
            [sys.argv[1], *words, "--json"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        answer: dict[str, Any] = json.loads(told.stdout)
        if BUSY not in str(answer.get("error")):
            return answer
        time.sleep(0.02)


def main() -> int:
    """Return 0 when the run is completed."""
    answer = ultra("run", "start", sys.argv[2], "--mode", "resume")
    if not answer["ok"]:
        if "PROGRESS_ALREADY_DONE" in answer["error"]:
            return 0
        sys.exit(f"start: {answer}")
    for number in range(answer["first"] or 99, 99):
        begun = ultra("step", "begin", str(number))
        if not begun["ok"]:
            break
        for path in begun["files"]:
            Path(path).parent.mkdir(exist_ok=True)
            Path(path).write_text(f"part {number}\n")
        verified = ultra("step", "verify", str(number))
        if not verified["ok"] and "has passed" not in verified["error"]:
            sys.exit(f"verify {number}: {verified}")
        if verified.get("passed") is False:
            sys.exit(f"verify {number}: {verified}")
        committed = ultra("step", "commit", str(number))
        if not committed["ok"]:
            sys.exit(f"commit {number}: {committed}")
        if committed["next"] == "ultra run finish":
            break
    finished = ultra("run", "finish")
    if not finished["ok"] or finished["result"] != "completed":
        sys.exit(f"finish: {finished}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
