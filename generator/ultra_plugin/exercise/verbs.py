"""Ask the launcher of a plugin that carries a runtime for the help of each verb."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from ultra_plugin.exercise.outcome import Outcome, Place


def verb_outcomes(place: Place) -> Iterator[Outcome]:
    """Try each verb's --help."""
    launcher = _launcher(place)
    if not launcher:
        return
    program = str(place.root / launcher)
    status, said, errors = place.run([program, "--help", "--json"], "")
    if status:
        yield place.outcome(f"{launcher} --help", f"ended with status {status}: {errors.strip()}")
        return
    for usage in json.loads(said)["verbs"]:
        words = [word for word in usage.split() if word.replace("-", "").isalpha() and word.islower()]
        status, said, errors = place.run([program, *_verb(words, usage), "--help"], "")
        fault = "" if status == 0 and said.startswith("usage:") else f"status {status}: {errors.strip()}"
        yield place.outcome(f"{os.path.basename(launcher)} {usage} --help", fault)


def _verb(words: list[str], usage: str) -> list[str]:
    """Return the words of a usage line before its first argument."""
    verb = []
    for word in usage.split():
        if word not in words:
            break
        verb.append(word)
    return verb


def _launcher(place: Place) -> str:
    if not place.subject.has("runtime/ultra_runtime/__main__.py"):
        return ""
    return next((path for path in place.subject.files if path.startswith("bin/")), "")
