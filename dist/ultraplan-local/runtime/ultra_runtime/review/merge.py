"""Merge equal findings, apply the coordinator's decisions, and compute the verdict."""

from __future__ import annotations

from ultra_runtime.review.findings import AnswerError
from ultra_runtime.review.severities import CLEAN, EARLIER, SEVERITIES, VERDICTS
from ultra_runtime.typed import Any, Iterable, Mapping, Sequence

LEAST = "least"
"""The lowest severity that a finding may get, because of a success criterion."""


def merge(findings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Merge findings with the same id under the highest severity, with all voices; most severe first."""
    found: dict[str, dict[str, Any]] = {}
    for one in findings:
        old = found.get(one["id"])
        found[one["id"]] = dict(one) if old is None else _with_voices(old, [*_voices(old), *_voices(one)])
    return sorted(
        found.values(), key=lambda one: (SEVERITIES.index(one["severity"]), one["path"], one["line"])
    )


def without(findings: Sequence[Mapping[str, Any]], reviewer: str) -> list[dict[str, Any]]:
    """Return the findings without those that only this reviewer reported."""
    others = [(one, [voice for voice in _voices(one) if voice["by"] != reviewer]) for one in findings]
    return [_with_voices(one, voices) for one, voices in others if voices]


def coordinate(
    findings: list[dict[str, Any]], answer: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Apply the coordinator's decisions; return the findings left, and the settled ones with the reason."""
    by_id = {one["id"]: one for one in findings}
    settled = []
    for one in answer["settled"]:
        found = _known(by_id, one["id"], "settled")
        if found["reviewers"] != [EARLIER]:
            raise AnswerError(f"settled: {one['id'][:8]} was found in this review too, so it is not settled")
        settled.append((by_id.pop(one["id"])["id"], one["why"]))
    for group in answer["merge"]:
        keeps = group["keep"]
        for name in [keeps, *group["drop"]]:
            _known(by_id, name, "merge")
        for name in dict.fromkeys(group["drop"]):
            if name != keeps:
                both = [*_voices(by_id[keeps]), *_voices(by_id.pop(name))]
                by_id[keeps] = _with_voices(by_id[keeps], both)
    for change in answer["severity"]:
        found = _known(by_id, change["id"], "severity")
        if LEAST in found and SEVERITIES.index(change["to"]) > SEVERITIES.index(found[LEAST]):
            raise AnswerError(
                f"severity: {change['id'][:8]} is about a success criterion that is not shown, so it stays {found[LEAST]}"
            )
        found["severity"] = change["to"]
    return merge(by_id.values()), settled


def count(findings: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many findings each severity has."""
    return {severity: sum(one["severity"] == severity for one in findings) for severity in SEVERITIES}


def verdict(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return the verdict; the most severe finding decides."""
    present = {one["severity"] for one in findings}
    return next((word for severity, word in VERDICTS.items() if severity in present), CLEAN)


def is_goal(finding: Mapping[str, Any]) -> bool:
    """Return whether a plan made from the review must fix the finding."""
    return finding["severity"] in VERDICTS


def other_voices(finding: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what others said about a finding in addition to its message and fix, without repeats."""
    told = {(finding["message"], finding["fix"])}
    others = []
    for voice in _voices(finding):
        if (voice["message"], voice["fix"]) not in told:
            told.add((voice["message"], voice["fix"]))
            others.append(voice)
    return others


def _known(by_id: Mapping[str, dict[str, Any]], name: str, where: str) -> dict[str, Any]:
    if name not in by_id:
        raise AnswerError(f"{where}: there is no finding {name}, or it was already merged or settled")
    return by_id[name]


def _voices(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what each reviewer said about a finding."""
    if "voices" in one:
        return list(one["voices"])
    own = {name: one[name] for name in ("severity", "message", "fix", LEAST) if name in one}
    return [{"by": name, "at": f"{one['path']}:{one['line']}", **own} for name in one["reviewers"]]


def _with_voices(one: Mapping[str, Any], voices: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the finding from these voices: the first one's words, the highest severity, all names."""
    bare = {name: value for name, value in one.items() if name not in ("voices", LEAST)}
    least = [voice[LEAST] for voice in voices if LEAST in voice]
    return {
        **bare,
        "severity": min((voice["severity"] for voice in voices), key=SEVERITIES.index),
        "message": voices[0]["message"],
        "fix": voices[0]["fix"],
        "reviewers": [*dict.fromkeys(voice["by"] for voice in voices)],
        **({LEAST: min(least, key=SEVERITIES.index)} if least else {}),
        **({"voices": voices} if len(voices) > 1 else {}),
    }
