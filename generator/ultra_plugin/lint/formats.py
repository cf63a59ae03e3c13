"""Format problems as text, JSON, SARIF 2.1.0 or GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from ultra_plugin import __version__
from ultra_plugin.check.codes import CODES
from ultra_plugin.errors import Problem

FORMATS = ("text", "json", "sarif", "github")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(problems: Sequence[Problem]) -> str:
    """Return one line for each problem."""
    return "".join(
        f"{problem}{' [warning]' if problem.severity == 'warning' else ''}\n" for problem in problems
    )


def sarif(problems: Sequence[Problem]) -> str:
    """Return a log of one run, with the rules that it names."""
    codes = sorted({problem.code for problem in problems})
    driver = {
        "name": "ultra-plugin",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    places = {code: index for index, code in enumerate(codes)}
    results = [_result(problem, places[problem.code]) for problem in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return (
        json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1)
        + "\n"
    )


def _rule(code: str) -> dict[str, object]:
    known = CODES.get(code)
    means, remedy = (known.means, known.remedy) if known else ("What the client's own validator says.", "")
    rule: dict[str, object] = {"id": code, "shortDescription": {"text": means}}
    return {**rule, "help": {"text": f"{remedy[:1].upper()}{remedy[1:]}."}} if remedy else rule


def _result(problem: Problem, rule: int) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": quote(PurePath(problem.path).as_posix())}}
    if problem.line > 0:
        place["region"] = {"startLine": problem.line}
    remedy = f" ({problem.remedy})" if problem.remedy else ""
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": problem.severity,
        "message": {"text": problem.message + remedy},
        "locations": [{"physicalLocation": place}],
    }


def github(problems: Sequence[Problem]) -> str:
    """Return one workflow command for each problem."""
    return "".join(map(_annotation, problems))


def _annotation(problem: Problem) -> str:
    line = f",line={problem.line}" if problem.line > 0 else ""
    remedy = f" ({problem.remedy})" if problem.remedy else ""
    where = f"file={_escaped(problem.path, ':,')}{line},title={_escaped(problem.code, ':,')}"
    return f"::{problem.severity} {where}::{_escaped(problem.message + remedy)}\n"


def _escaped(words: str, more: str = "") -> str:
    for letter in ("%", "\r", "\n", *more):
        words = words.replace(letter, f"%{ord(letter):02X}")
    return words
