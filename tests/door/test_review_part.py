"""What is said of a review is one function of its file, and what comes next of the times of review, plan and findings."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.door.samples import plan
from tests.kit.names import PROJECT, SOURCES
from tests.kit.repository import git
from tests.kit.table import each
from ultra_runtime.files.project import Project
from ultra_runtime.review.remediation import is_taken_up
from ultra_runtime.review.scope import Scope, find_scope, is_under_way, uncommitted
from ultra_runtime.review.severities import CLEAN, SEVERITIES, VERDICTS
from ultra_runtime.review.triage import DEPTHS, changed_since, judge
from ultra_runtime.standing.project_standing import ProjectStanding

FIXTURE = SOURCES / "contracts/fixtures/review/valid-flow-list.md"
DETAIL = """\
### {name}

- **Rule:** a-rule
- **Location:** src/a.py:{line}
- **Message:** It is wrong.
- **Evidence:** `x`
- **Fix:** Make it right.

"""
MARKS = {"BLOCK": "bad", "WARN": "warn", "ALLOW": "done"}


def review(counts: list[int], verdict: str, end: str = "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12") -> str:
    """Return a review with so many findings of each severity."""
    head = FIXTURE.read_text().partition("## Findings")[0]
    names = iter(f"{number:040x}" for number in range(1, 99))
    parts, ids = [], []
    for severity, count in zip(SEVERITIES, counts, strict=True):
        own = [next(names) for _ in range(count)]
        details = "".join(DETAIL.format(name=one, line=at) for at, one in enumerate(own, 1))
        parts.append(f"## Findings ({severity})\n\n{details}" if own else "")
        ids += own
    head = re.sub("findings: .*", f"findings: [{', '.join(ids)}]", head)
    head = head.replace("verdict: WARN", f"verdict: {verdict}")
    head = re.sub("scope_sha_end: .*", f"scope_sha_end: {end}", head)
    return f"{head}{''.join(parts)}## Remediation Summary\n\n1. Make it right.\n"


COUNTS = [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [2, 1, 0, 3], [0, 2, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_the_verdict_and_the_findings_of_a_review_are_told_as_they_stand_there(work: Path) -> None:
    here, path = Project(str(work), PROJECT.rpartition("/")[2]), work / PROJECT / "review.md"

    @each([(counts,) for counts in COUNTS])
    def check(counts: list[int]) -> None:
        worst = next((name for name, count in zip(SEVERITIES, counts, strict=True) if count), "")
        verdict = VERDICTS.get(worst, CLEAN)
        path.write_text(review(counts, verdict))
        part = ProjectStanding(here).part("review")
        assert part
        assert (part.state, part.issues) == ("there", [])
        named = dict(zip(SEVERITIES, counts, strict=True))
        total = sum(counts)
        said = "no findings" if not total else "1 finding" if total == 1 else f"{total} findings"
        rows = ", ".join(f"{count} {name.lower()}" for name, count in named.items() if count) or "no findings"
        assert part.caption == f"{verdict}, {said}"
        assert part.mark == MARKS[verdict]
        assert part.rows() == [("Review", f"{verdict}: {rows}")]
        assert part.data() == {"review": {"state": "there", "verdict": verdict, "findings": named}}
        assert bool(part.coming) == (verdict != CLEAN)

    check()
    path.write_text(path.read_text().replace("verdict: ", "verdict: NOT-"))
    broken = ProjectStanding(here).part("review")
    assert broken
    assert (broken.caption, broken.mark, broken.rows()[0][1][-11:]) == ("not valid", "bad", ", not valid")
    path.unlink()
    missing = ProjectStanding(here).part("review")
    assert missing
    assert (missing.caption, missing.mark) == ("not there yet", "wait")
    assert missing.rows() == [("Review", "not there yet")]


@pytest.mark.parametrize("taken", [[], [1], [1, 2], [1, 2, 3]])
@pytest.mark.parametrize("after", [-1, 0, 1])
def test_a_plan_takes_up_a_review_that_is_not_newer(work: Path, taken: list[int], after: int) -> None:
    """The plan names all that must be fixed; `after` is how much later it was written, in seconds."""
    here, folder = Project(str(work), PROJECT.rpartition("/")[2]), work / PROJECT
    first = git(work, "rev-parse", "HEAD")
    git(work, "commit", "--quiet", "--allow-empty", "--message=seen")
    seen = git(work, "rev-parse", "HEAD")
    git(work, "commit", "--quiet", "--allow-empty", "--message=fixed")
    text = review([1, 1, 1, 0], "BLOCK", seen)
    (folder / "review.md").write_text(re.sub("scope_sha_start: .*", f"scope_sha_start: {first}", text))
    listed = "".join(f"  - {number:040x}\n" for number in taken)
    named = f'plan_version: "1.7"\nsource_findings:\n{listed}' if taken else 'plan_version: "1.7"\n'
    (folder / "plan.md").write_text(plan(1).replace('plan_version: "1.7"\n', named))
    os.utime(folder / "review.md", (1000, 1000))
    os.utime(folder / "plan.md", (1000 + after, 1000 + after))
    assert is_taken_up(here) == (after >= 0 and set(taken) >= {1, 2})
    scope = find_scope(here, None)
    assert (scope.source, scope.start) == (
        ("review", seen if after >= 0 else first) if taken else ("mtime", None)
    )
    logs = folder / "logs"
    assert not is_under_way(here)
    logs.mkdir()
    (logs / "review-findings.json").write_text("{}")
    os.utime(logs / "review-findings.json", (1000 + after, 1000 + after))
    assert is_under_way(here) == (after > 0)


def test_reviewed_files_that_are_not_committed_are_counted(work: Path) -> None:
    start = git(work, "rev-parse", "HEAD")
    for name in ("a.py", "b.py", "yarn.lock", "notes.md"):
        (work / name).write_text("one\n")
    git(work, "add", "a.py", "b.py", "yarn.lock", "notes.md")
    git(work, "commit", "--quiet", "--message=work")
    end = git(work, "rev-parse", "HEAD")
    expected = 0
    for name, counts in (("yarn.lock", 0), ("a.py", 1), ("notes.md", 1), ("new.py", 1), ("new/uv.lock", 0)):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text("two\n")
        expected += counts
        files = judge(str(work), changed_since(str(work), start))
        scope = Scope(start, end, "since", files)
        assert uncommitted(str(work), scope) == expected, name
        assert scope.counts() == {depth: sum(one.depth == depth for one in files) for depth in DEPTHS}
