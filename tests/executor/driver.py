"""Play an honest model from one end of a run to the other: python driver.py ULTRA PLAN; takes up what it finds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BUSY = "is running in this tree"
Answer = dict[str, Any]


def ultra(*words: str) -> Answer:
    """Return an answer; a call that a killed driver left running is waited for."""
    while True:
        told = subprocess.run(
            [sys.argv[1], *words, "--json"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        answer: Answer = json.loads(told.stdout)
        if BUSY not in str(answer.get("error")):
            return answer
        time.sleep(0.02)


def drive(ultra: Callable[..., Answer], plan: str, folder: Path) -> str:
    """Complete the run of a plan, and return why that failed; nothing when it did not."""
    answer = ultra("run", "start", plan, "--mode", "resume")
    if not answer["ok"]:
        return "" if "PROGRESS_ALREADY_DONE" in answer["error"] else f"start: {answer}"
    for number in range(answer["first"] or 99, 99):
        begun = ultra("step", "begin", str(number))
        if not begun["ok"]:
            break
        for path in begun["files"]:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(f"part {number}\n")
        verified = ultra("step", "verify", str(number))
        if verified.get("passed") is False or not (verified["ok"] or "has passed" in verified["error"]):
            return f"verify {number}: {verified}"
        committed = ultra("step", "commit", str(number))
        if not committed["ok"]:
            return f"commit {number}: {committed}"
        if committed["next"] == "ultra run finish":
            break
    finished = ultra("run", "finish")
    return "" if finished["ok"] and finished["result"] == "completed" else f"finish: {finished}"


if __name__ == "__main__":
    sys.exit(drive(ultra, sys.argv[2], Path()) or 0)
