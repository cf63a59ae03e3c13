"""What a review says is read again as it was said, and what is made of criteria is one function of their states."""

from __future__ import annotations

import os
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.files import write_tree
from tests.kit.names import EXAMPLE, PROJECT
from tests.kit.table import each
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.write_check import check_write
from ultra_runtime.files.project import Project
from ultra_runtime.review.criteria import basis_of, criteria_of, read_criteria, with_criteria
from ultra_runtime.review.finding import finding_id
from ultra_runtime.review.findings import (
    LONGEST,
    AnswerError,
    Kept,
    carried_on,
    check_findings,
    keep,
    read_kept,
)
from ultra_runtime.review.merge import merge
from ultra_runtime.review.severities import EARLIER, SEVERITIES
from ultra_runtime.review.text import Parts, review_text

SHA = "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"
HEAD = {
    "task": "A task", "slug": "rate-limit", "project_dir": f"{PROJECT}/", "brief_path": f"{PROJECT}/brief.md",
    "created": "2026-01-31", "verdict": "BLOCK",
}  # fmt: skip
SCOPE: dict[str, Any] = {"files": [], "scope_sha_start": None, "scope_sha_end": SHA}
# What a reviewer says in one line, with the signs that mean something in the text of a review.
SAID = ("It", "is", "`x`", "(found by hand)", "# no", "- a", "**b:**", "a:1", "|", "ü", "{x}", "**")
WORDS = st.sampled_from(SAID) | st.lists(st.sampled_from(SAID), min_size=2, max_size=3).map(" ".join)
LINES = st.lists(
    st.sampled_from(["x = 1", "`y`", "```", "~~~", "# z", "- **Fix:** q", "  deep(1)", "### a", "{x}", "{% if y %}", "\"\"\"", "**"]), min_size=1, max_size=3,
    unique=True,
)  # fmt: skip


@st.composite
def said(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return findings, each in a file of its own that has its evidence below some other lines."""
    found = []
    for number in range(draw(st.integers(0, 4))):
        one = {
            "path": f"src/{number}.py", "rule": draw(st.sampled_from(["a-rule", "b"])), "message": draw(WORDS),
            "evidence": "\n".join(draw(LINES)).strip(), "fix": draw(WORDS), "line": draw(st.integers(1, 9)),
            "severity": draw(st.sampled_from(SEVERITIES)), "reviewers": [draw(st.sampled_from(["a-reviewer", EARLIER]))],
        }  # fmt: skip
        found.append({"id": finding_id(one), **one})
    return merge(found)


def bare(one: dict[str, Any]) -> dict[str, Any]:
    """Return a finding without the white space of its evidence, and without a full stop that its fix may get."""
    return {**one, "evidence": "".join(one["evidence"].split()), "fix": one["fix"].rstrip(".")}


@given(said(), st.integers(0, 4))
def test_a_review_is_read_as_it_was_written_and_loses_only_what_is_gone(
    found: list[dict[str, Any]], gone: int
) -> None:
    with tempfile.TemporaryDirectory() as root:
        project = Project(root, PROJECT.rpartition("/")[2])
        text = review_text(Parts(HEAD, SCOPE, "A summary.", ["Fix it."]), found, [])
        above = {one["path"]: "#\n" * (one["line"] - 1) for one in found}
        write_tree(
            Path(root),
            {
                f"{PROJECT}/review.md": text,
                **{one["path"]: f"{above[one['path']]}{one['evidence']}\n" for one in found},
            },
        )
        result = check_write(load_contract("review"), text.encode(), f"{project.folder}/review.md")
        assert not result.errors
        left = [one for one in found if one["path"] != f"src/{gone}.py"]
        if len(left) != len(found):
            os.unlink(f"{root}/src/{gone}.py")
        held, lost = carried_on(project, "")
        assert [bare(one) for one in held] == [bare({**one, "reviewers": [EARLIER]}) for one in left]
        assert lost == [one["id"] for one in found if one not in left]


STATES = {"shown": "", "partly shown": "MAJOR", "not shown": "BLOCKER"}
PLACES = ("a.py:1 counts nothing", "a.py:1,", "a.py:2", "", "nowhere")
"""Where a proof is missing; the first two are the place of the finding."""


def worst(*severities: str) -> str:
    return min(severities, key=SEVERITIES.index)


def test_a_criterion_that_is_not_shown_is_one_finding_that_is_at_least_as_bad(work: Path) -> None:
    project, brief = Project(str(work), PROJECT.rpartition("/")[2]), f"{PROJECT}/brief.md"
    first, *_ = criteria_of(project)

    @each(product(STATES, SEVERITIES, PLACES, ("a.py", brief), (f"- {first.text[:30]}", "x = 1", "---")))
    def check(state: str, severity: str, where: str, path: str, evidence: str) -> None:
        told = {
            "criterion": first.text,
            "first": first.first,
            "line": first.line,
            "state": state,
            "where": where,
        }
        own = {
            "id": "a" * 40, "path": path, "line": 1, "rule": "r", "message": "m", "fix": "f", "reviewers": ["a-reviewer"],
            "evidence": evidence, "severity": severity,
        }  # fmt: skip
        found = with_criteria(project, [own], [told])
        covers = (where in PLACES[:2] and path == "a.py") or (path == brief and evidence.startswith("- "))
        if state == "shown":
            assert found == [own]
        elif covers:
            assert found == [{**own, "severity": worst(severity, STATES[state]), "least": STATES[state]}]
        else:
            assert found[0] == own
            (made,) = found[1:]
            assert (made["path"], made["line"], made["evidence"]) == (brief, first.line, first.first)
            assert (made["severity"], made["least"]) == (STATES[state], STATES[state])
            assert made["rule"] == f"criterion-{state.replace(' ', '-')}"
            place = f" ({where})" if where else ""
            assert made["message"] == f"This success criterion is {state}{place}: {first.text}"
            assert made["id"] == finding_id(made)

    check()


# Rows below the heading of the criteria -> the criteria, each with its line below the heading and its text.
LISTS: dict[tuple[str, ...], list[tuple[int, str]]] = {
    (): [],
    ("Words alone.",): [],
    ("- One", "- Two"): [(1, "One"), (2, "Two")],
    ("- One", "  goes on", "", "  not this", "* Two"): [(1, "One goes on"), (5, "Two")],
    ("- One", "### Part", "- Two", "more"): [(1, "One"), (3, "Two more")],
    ("1. One", "2. Two", "## Next", "- Three"): [(1, "One"), (2, "Two")],
    ("- One", "  - inner", "- Two"): [(1, "One"), (3, "Two")],
}  # fmt: skip


def test_a_criterion_is_an_item_up_to_a_blank_line_a_heading_or_the_next_item(work: Path) -> None:
    project, path = Project(str(work), PROJECT.rpartition("/")[2]), work / PROJECT / "brief.md"
    head, _, rest = (EXAMPLE / "brief.md").read_text().partition("## Success Criteria\n")
    rest = rest[rest.index("\n## ") :]

    @each(LISTS.items())
    def check(rows: tuple[str, ...], expected: list[tuple[int, str]]) -> None:
        path.write_text(f"{head}## Success Criteria\n" + "".join(f"{row}\n" for row in rows) + rest)
        start = head.count("\n") + 1
        assert [(one.line - start, one.text) for one in criteria_of(project)] == expected

    check()


TOKEN = "AKI" + "AQ3ZK7P5R2M9XW4TB"  # in pieces, so that no scanner takes this file for a leak
WHOLE = """\
---
type: ultrareview
review_version: "1.0"
created: 2026-01-31
task: "A task"
slug: rate-limit
project_dir: .claude/projects/2026-01-31-rate-limit/
brief_path: .claude/projects/2026-01-31-rate-limit/brief.md
scope_sha_start: 0000000
scope_sha_end: 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12
reviewed_files_count: 3
findings:
  - aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  - bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
  - cccccccccccccccccccccccccccccccccccccccc
verdict: BLOCK
---
# Review: A task

## Executive Summary

A summary.

Success criteria:

- shown: One
- not shown: Two (a.py:1 is empty)

## Coverage

- **deep-reviewed:**
  - `a.py` (code)
  - `b.py` (code)
- **summary-only:** `c.md` (prose)
- **skipped:** none

## Findings (MAJOR)

### aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

- **Rule:** r 1
- **Location:** a.py:3
- **Message:** m two (found by x, y)
  - other words (b.py:4, found by y) Fix: f 2
- **Evidence:**

  ````
  ```

    x
  ````

- **Fix:** {}.

### bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb

- **Rule:** r
- **Location:** a.py:3
- **Message:** m (found by x)
- **Evidence:** `x = 1`
- **Fix:** f

## Findings (MINOR)

### cccccccccccccccccccccccccccccccccccccccc

- **Rule:** r
- **Location:** a.py:3
- **Message:** m (found by x)
- **Evidence:**

  ```
  **
  ```

- **Fix:** f

## Remediation Summary

1. Do it.
2. Do that.

Goals of a plan made from this review (BLOCKER and MAJOR): `aaaaaaaa`, `bbbbbbbb`.

Not goals of a plan, so left as they are: `cccccccc`.
"""


def test_every_part_of_a_review_is_in_its_place() -> None:
    one = {
        "path": "a.py",
        "line": 3,
        "severity": "MAJOR",
        "rule": "r",
        "message": "m",
        "fix": "f",
        "reviewers": ["x"],
    }
    voices = [
        {"by": "x", "at": "a.py:3", "message": "m\ntwo", "fix": "{}"},
        {"by": "y", "at": "b.py:4", "message": "other\n words", "fix": "f\t2"},
        {"by": "z", "at": "b.py:4", "message": "other\n words", "fix": "f\t2"},
    ]
    found = [
        {**one, "id": "a" * 40, "rule": "r\n1", "message": "m\ntwo", "fix": "{}", "evidence": "```\n\n  x",
         "reviewers": ["x", "y"], "voices": voices},
        {**one, "id": "b" * 40, "evidence": "x = 1"},
        {**one, "id": "c" * 40, "severity": "MINOR", "evidence": "**"},
    ]  # fmt: skip
    depths = {
        "a.py": ("deep-reviewed", "code"),
        "b.py": ("deep-reviewed", "code"),
        "c.md": ("summary-only", "prose"),
    }
    files = [{"path": path, "depth": depth, "reason": reason} for path, (depth, reason) in depths.items()]
    scope = {**SCOPE, "files": files, "scope_sha_start": "0000000"}
    criteria = [
        {"state": "shown", "criterion": "One", "where": ""},
        {"state": "not shown", "criterion": "Two", "where": "a.py:1\nis empty"},
    ]
    text = review_text(Parts(HEAD, scope, "A summary.", ["Do\nit.", "Do that."]), found, criteria)
    assert text == WHOLE
    skipped = {"files": [{"path": "x", "depth": "skipped", "reason": "binary"}]}
    bare = review_text(Parts(HEAD, {**SCOPE, **skipped}, "None.", []), [], [])
    for line in ("scope_sha_start: null", "reviewed_files_count: 0", "findings: []", "- **deep-reviewed:** none",
                 "- **skipped:** `x` (binary)"):  # fmt: skip
        assert f"\n{line}\n" in bare, line
    assert bare.endswith("\n## Remediation Summary\n\nNothing has to be fixed.\n")
    assert "Success criteria" not in bare


# What a finding names and quotes -> why it is dropped, or the path and the line that it gets.
PROVED: dict[tuple[str, str, int], str | tuple[str, int]] = {
    ("a.py", "x  =\n1", 3): ("a.py", 2),
    ("./src/../a.py ", "x=1", 4): ("a.py", 5),
    ("a.py", "x = 1", 3): ("a.py", 2),
    ("a.py", "\n y = 0\nx = 1", 9): ("a.py", 1),
    ("a.py", "0\nx", 7): ("a.py", 1),
    ("a.py", "x = 2", 1): "the evidence is not in the file",
    ("gone.py", "was = 1", 7): ("gone.py", 7),
    ("gone.py", "was = 1\nand = 2", 7): ("gone.py", 7),
    ("gone.py", "was = 2", 7): "the evidence is not in the deleted file",
    ("b.py", "was = 1", 1): "there is no such file",
    ("empty.py", "was = 1", 1): "there is no such file",
    ("../a.py", "x = 1", 1): "path is outside the repository",
    ("src/../../a.py", "x = 1", 1): "path is outside the repository",
    ("/etc/passwd", "root", 1): "path is outside the repository",
    (":1", "x", 1): "there is no such file",
    (" ../repo/a.py", "x = 1", 1): "path is outside the repository",
}


def test_a_finding_is_proved_by_its_evidence_and_gets_the_nearest_line_of_it(work: Path) -> None:
    project = Project(str(work), PROJECT.rpartition("/")[2])
    diff = (
        "--- a/gone.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-was = 1\n-and = 2\n--- a/empty.py\n+++ b/empty.py\n"
    )
    write_tree(
        work,
        {"a.py": "y = 0\nx = 1\n\n#\nx  = 1\n", "empty.py": "", f"{PROJECT}/logs/review-scope.diff": diff},
    )

    @each([(*given, expected) for given, expected in PROVED.items()])
    def check(path: str, evidence: str, line: int, expected: str | tuple[str, int]) -> None:
        told = {
            "path": path, "line": line, "evidence": evidence, "rule": " r ", "message": "m\nn", "fix": "f" * (LONGEST + 1),
            "severity": "MAJOR",
        }  # fmt: skip
        held, dropped = check_findings(project, [told], "a-reviewer")
        if isinstance(expected, str):
            assert (held, dropped) == ([], [{"finding": "m\\nn", "why": expected}])
            return
        stored = {
            **told,
            "rule": "r",
            "fix": "f" * LONGEST,
            "evidence": evidence.strip(),
            "reviewers": ["a-reviewer"],
        }
        ids = {"id": finding_id(told), "path": expected[0], "line": expected[1]}
        assert (held, dropped) == ([{**stored, **ids}], [])

    check()
    bare = {
        "path": "a.py",
        "line": 1,
        "evidence": "x = 1",
        "rule": "r",
        "message": "m",
        "fix": "f",
        "severity": "MAJOR",
    }
    for name in ("path", "rule", "message", "evidence", "fix"):
        _, (dropped,) = check_findings(project, [{**bare, name: f"{bare[name]} {TOKEN}"}], "a-reviewer")
        assert dropped["why"].startswith(
            "it quotes what looks like an AWS access key: quote the part of the line"
        )
        assert dropped["finding"] == (f"r {TOKEN}" if name == "rule" else "r"), (
            "the rule, which quotes no message"
        )
    _, others = check_findings(project, [{**bare, "rule": " "}], "a-reviewer")
    assert others == [{"finding": "m", "why": "missing rule: give path, rule and evidence as text"}]


def test_what_reviewers_said_is_kept_one_finding_in_a_line(work: Path) -> None:
    project = Project(str(work), PROJECT.rpartition("/")[2])
    (work / PROJECT / "logs").mkdir()
    for kept in (Kept(["a", "b"], [{"id": "1"}, {"id": "2"}], [{"state": "shown"}]), Kept([], [], [])):
        keep(project, kept)
        assert read_kept(project).__dict__ == kept.__dict__
        lines = (work / PROJECT / "logs/review-findings.json").read_text().splitlines()
        assert len(lines) == 3 + len(kept.findings) + len(kept.criteria)
    (work / PROJECT / "logs/review-findings.json").unlink()
    assert read_kept(project).__dict__ == Kept([], [], []).__dict__


def test_each_criterion_gets_the_answer_that_has_its_words_else_the_one_in_its_place(work: Path) -> None:
    project = Project(str(work), PROJECT.rpartition("/")[2])
    assert basis_of(project) == "brief.md"
    wanted = criteria_of(project)
    states = ("shown", "partly shown", "not shown")

    def read(words: list[str]) -> list[dict[str, Any]]:
        rows = [
            {"criterion": text, "state": state, "where": f" {text[:3]}\n"}
            for text, state in zip(words, states, strict=True)
        ]
        return read_criteria(project, {"criteria": rows})

    whole = [one.text for one in wanted]
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        for words in (
            [whole[at] for at in order],
            [f"- **{whole[at].upper()}**" for at in order],
            [whole[at][:40] for at in order],
            [whole[at] if at == order[0] else "..." for at in order],
        ):
            left = [state for state, text in zip(states, words, strict=True) if text == "..."]
            expected = [
                states[order.index(at)] if "..." not in words or at == order[0] else left.pop(0)
                for at in range(3)
            ]
            found = read(words)
            assert [(one["state"], one["criterion"], one["first"], one["line"]) for one in found] == [
                (state, one.text, one.first, one.line) for state, one in zip(expected, wanted, strict=True)
            ]
            assert all(one["where"] in [text[:3].strip() for text in words] for one in found)
    long = read(["x" * (LONGEST + 1), "???", "???"])
    assert [one["state"] for one in long] == [*states]
    for rows, fault in (
        ([], "criteria is empty: give the state of every success criterion of the brief"),
        (
            [whole[1]],
            f"the brief has 3 success criteria, but criteria has 1; missing: {whole[0]} and {whole[2]}",
        ),
        ([*whole, "more"], "the brief has 3 success criteria, but criteria has 4"),
        ([f"{whole[0]} {TOKEN}"], "criteria: it quotes what looks like an AWS access key"),
    ):
        given = [{"criterion": text, "state": "shown", "where": ""} for text in rows]
        with pytest.raises(AnswerError) as refused:
            read_criteria(project, {"criteria": given})
        assert str(refused.value) == fault
    with pytest.raises(AnswerError, match="criteria: it quotes"):
        read_criteria(project, {"criteria": [{"criterion": "x", "state": "shown", "where": TOKEN}]})
    brief = work / PROJECT / "brief.md"
    brief.write_text(brief.read_text().replace("## Success Criteria", "## Other"))
    given = [{"criterion": " x ", "state": "shown", "where": ""}]
    assert read_criteria(project, {"criteria": given}) == [
        {"criterion": "x", "state": "shown", "where": "", "first": "x", "line": 1}
    ]
    brief.rename(brief.with_name("plan.md"))
    assert basis_of(project) == "plan.md"
    brief.with_name("plan.md").unlink()
    assert (basis_of(project), criteria_of(project)) == ("brief.md", [])


def test_a_criterion_that_quotes_a_secret_is_told_by_its_line_alone(work: Path) -> None:
    project = Project(str(work), PROJECT.rpartition("/")[2])
    told = {
        "criterion": f"{TOKEN} works",
        "first": f"{TOKEN} works",
        "line": 7,
        "state": "not shown",
        "where": "",
    }
    (made,) = with_criteria(project, [], [told])
    assert (made["evidence"], made["message"]) == ("Success Criteria", "This success criterion is not shown")
    assert (made["line"], TOKEN in str(made)) == (7, False)
    assert made["fix"] == "Do what is missing, and prove it with a test or command."
    assert made["reviewers"] == ["conformance-reviewer"]
