"""Leave out problems that a comment in the file accepts: `ultra-check: ignore CODE -- the reason`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ultra_plugin.check.codes import CODES, warning
from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

MARK = "ultra-check:"
_COMMENT = re.compile(
    r"(?:<!--|#|//)[ \t]*ultra-check:[ \t]*(ignore|ignore-file)[ \t]+([\w, -]*?)[ \t]*(?:--[ \t]+(.*?))?[ \t]*(?:-->|$)"
)


@dataclass(frozen=True, slots=True)
class _Accepted:
    line: int
    codes: tuple[str, ...]
    is_whole_file: bool

    def covers(self, problem: Problem) -> bool:
        """Say whether the comment accepts a problem: on its line, on the line after, or anywhere in the file."""
        is_near = self.is_whole_file or problem.line in (self.line, self.line + 1)
        return is_near and problem.code in self.codes


def without_accepted(problems: Sequence[Problem], files: Mapping[str, BundleFile]) -> list[Problem]:
    """Return the problems that no comment accepts, and those of the comments themselves."""
    marked = {path for path, file in files.items() if MARK.encode() in file.content and not file.symlink}
    by_path: dict[str, list[Problem]] = {path: [] for path in marked}
    for problem in problems:
        by_path.setdefault(problem.path, []).append(problem)
    kept: list[Problem] = []
    for path, found in by_path.items():
        kept += _judged(path, files[path].text, found) if path in marked else found
    return sorted(kept)


def _judged(path: str, text: str, found: Sequence[Problem]) -> Iterator[Problem]:
    accepted, faults = _comments(path, text)
    yield from faults
    for one in accepted:
        for code in one.codes:
            if not any(one.covers(problem) and problem.code == code for problem in found):
                message = f"accepts '{code}', which is not found here"
                yield warning(path, one.line, "unused-suppression", message)
    # What the client refuses stays an error, whatever a comment says.
    yield from (
        problem
        for problem in found
        if problem.severity == "error" or not any(one.covers(problem) for one in accepted)
    )


def _comments(path: str, text: str) -> tuple[list[_Accepted], list[Problem]]:
    accepted, faults = [], []
    for number, line in enumerate(text.split("\n"), 1):
        match = _COMMENT.search(line) if MARK in line else None
        if match is None:
            continue
        codes = tuple(code.strip() for code in match.group(2).split(",") if code.strip())
        unknown = next((code for code in codes if code not in CODES), None)
        if unknown or not codes:
            message = f"no check has the code '{unknown or ''}'"
            faults.append(warning(path, number, "suppression", message, nearest(unknown or "", CODES)))
        elif not match.group(3):
            faults.append(warning(path, number, "suppression", "accepts a problem without a reason"))
        else:
            accepted.append(_Accepted(number, codes, match.group(1) == "ignore-file"))
    return accepted, faults
