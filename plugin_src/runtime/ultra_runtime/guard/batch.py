"""Answer questions about commands and paths: a single one, or one JSON object per line."""

from __future__ import annotations

import os

from ultra_runtime.answer import DONE, REFUSED, Answer
from ultra_runtime.files.given_text import read_given
from ultra_runtime.files.root import current_folder, find_root
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.policy import BLOCK, Verdict
from ultra_runtime.guard.site import find_site, site_of_plan
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.typed import Any, Callable
from ultra_runtime.usage import Args

COMMAND, PATH = "command", "path"


def as_answer(verdict: Verdict) -> dict[str, str]:
    """Return a verdict as an answer, which always has a rule and a reason."""
    return {"verdict": verdict.verdict, "rule": verdict.rule, "reason": verdict.reason, **verdict.as_data()}


def judge_from(given: dict[str, Any]) -> Judge:
    """Return the judge for the folders that a question names, or for those of the call."""
    given = {name: text(given, name) for name in ("cwd", "repo_root", "home") if given.get(name)}
    cwd = os.path.abspath(given.get("cwd") or current_folder())
    if "repo_root" in given:
        return Judge(cwd, site_of_plan(os.path.abspath(given["repo_root"]), ""), given.get("home", ""))
    site = find_site([cwd], "") or site_of_plan(find_root(cwd) or cwd, "")
    return Judge(cwd, site, given.get("home", ""))


def answer_for(args: Args, kind: str, shape: str) -> Answer:
    """Answer whether a command may run or a path may be written: the one of the call, or one per line."""

    def judge(given: dict[str, Any]) -> Verdict:
        one = judge_from(given)
        return (one.command if kind == COMMAND else one.path)(text(given, kind))

    if args.flag("--batch"):
        found = answers(judge, shape)
        refused = args.flag("--exit-code") and any(one.get("verdict") == BLOCK for one in found)
        return Answer({}, "", REFUSED if refused else DONE, batch=found)
    given = args.get(kind.upper())
    if given is None:
        raise args.usage.error(f"missing {kind.upper()}")
    verdict = judge({kind: given})
    refused = args.flag("--exit-code") and verdict.verdict == BLOCK
    return Answer(as_answer(verdict), str(verdict), REFUSED if refused else DONE)


def answers(judge: Callable[[dict[str, Any]], Verdict], shape: str) -> list[dict[str, str]]:
    """Return one answer for each line of standard input; a wrong line is answered with its error."""
    found: list[dict[str, str]] = []
    for line in read_given(None, f"pass one {shape} per line on standard input").split(b"\n"):
        if not line.strip():
            continue
        try:
            found.append(as_answer(judge(read_object(line).values)))
        except (JsonError, KeyError, TypeError) as problem:
            found.append({"error": f"this line is not {shape}: {problem}"})
    return found


def text(given: dict[str, Any], name: str) -> str:
    """Return a text of a question."""
    value = given[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text")
    return value
