"""What is said of a review is one function of its file, and what comes next of the times of review, plan and findings."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from ultra_runtime.tables.agents import REVIEWERS, SMALL_REVIEWERS
from ultra_runtime.tables.limits import SMALL_LINES

from tests.door.samples import plan
from tests.kit.files import write_tree
from tests.kit.names import PROJECT, SOURCES
from tests.kit.repository import git
from tests.kit.table import each
from ultra_runtime.files.project import Project
from ultra_runtime.review.remediation import goals_of, is_taken_up, taken_up
from ultra_runtime.review.scope import (
    Scope,
    asked,
    differences,
    find_scope,
    is_kept,
    is_under_way,
    keep_scope,
    scope_data,
    spared,
    uncommitted,
)
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
        listed = [(name, f"src/a.py:{at}") for name in SEVERITIES for at in range(1, named[name] + 1)]
        shown: Any = part
        assert [(one.severity, one.location) for one in shown.findings] == listed
        assert {(one.rule, one.message, one.fix) for one in shown.findings} <= {
            ("a-rule", "It is wrong.", "Make it right.")
        }
        ids = [f"{number:040x}" for number in range(1, total + 1)]
        goals = [(name, one) for (name, _), one in zip(listed, ids, strict=True) if name in VERDICTS]
        assert [(one["severity"], one["id"]) for one in goals_of(str(path))] == goals

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
    assert taken_up(here) == [f"{number:040x}" for number in taken]
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


def test_a_review_goes_on_while_its_scope_and_its_differences_are_the_same(work: Path) -> None:
    here, logs = Project(str(work), PROJECT.rpartition("/")[2]), work / PROJECT / "logs"
    (work / "a.py").write_text("x = 1\n" * (SMALL_LINES + 1))
    scope = find_scope(here, "HEAD")
    diff = differences(str(work), scope)
    assert not is_kept(here, scope, diff)

    def begin() -> None:
        keep_scope(here, scope_data(here, scope, ["f" * 40]), diff)

    begin()
    assert (logs / "review-scope.diff").read_bytes() == diff
    assert not is_kept(here, scope, diff), "nobody has answered"
    (logs / "review-findings.json").write_text("{}")
    assert is_kept(here, scope, diff)
    start, end = scope.start, scope.end
    for other, bytes_of_it in ((scope, diff + b"x"), (Scope("0" * 40, end, "since", scope.files), diff),
                               (Scope(start, "0" * 40, "since", scope.files), diff)):  # fmt: skip
        assert not is_kept(here, other, bytes_of_it)
    begin()
    assert not (logs / "review-findings.json").exists()
    for name in ("report.md", "run-2/report.md", "run-2/summary.md"):
        write_tree(logs, {name: "x"})
    for source in ("since", "review"):
        told = json.loads(scope_data(here, Scope(start, end, source, scope.files), ["g"]))
        more = {"earlier_review": f"{PROJECT}/review.md"} if source == "review" else {}
        assert told == {
            "scope_sha_start": start, "scope_sha_end": end, "source": source, "uncommitted": 1, "gone": ["g"],
            "reports": [f"{PROJECT}/logs/report.md", f"{PROJECT}/logs/run-2/report.md"], "spared": [],
            **more, "files": [one.as_data() for one in scope.files],
        }  # fmt: skip
    (own,) = (one for one in scope.files if one.path == "a.py")
    own.added = SMALL_LINES
    assert spared(scope) == [name for name in REVIEWERS if name not in SMALL_REVIEWERS]
    assert asked({"spared": spared(scope)}) == [name for name in REVIEWERS if name in SMALL_REVIEWERS]
    assert asked({}) == [*REVIEWERS]


def test_the_differences_have_each_reviewed_file_once_and_new_ones_whole(work: Path) -> None:
    here = Project(str(work), PROJECT.rpartition("/")[2])
    write_tree(work, {"a b.py": "x = 1\n", "gone.py": "y = 1\n", "yarn.lock": "x\n"})
    git(work, "add", "a b.py", "gone.py", "yarn.lock")
    git(work, "commit", "--quiet", "--message=before")
    write_tree(
        work,
        {"a b.py": "x = 2\n", "yarn.lock": "y\n", "new.py": "p = 1\n\nq = 2", "empty.md": "", "ü.py": "z\n"},
    )
    (work / "gone.py").unlink()
    scope = find_scope(here, "HEAD")
    said = differences(str(work), scope).decode()
    assert "--- a/a b.py\t\n+++ b/a b.py\t\n@@ -1 +1 @@\n-x = 1\n+x = 2\n" in said
    assert "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-y = 1\n" in said
    assert "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,3 @@\n+p = 1\n+\n+q = 2\n" in said
    assert said.endswith("--- /dev/null\n+++ b/ü.py\n@@ -0,0 +1,1 @@\n+z\n")
    assert [said.count(name) for name in ("+++ b/", "yarn.lock", ".claude")] == [3, 0, 0]
    for one in scope.files:
        one.depth = DEPTHS[-1]
    assert differences(str(work), scope) == b""
