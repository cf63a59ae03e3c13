"""What a review says is read again as it was said, and what is made of criteria is one function of their states."""

from __future__ import annotations

import os
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.kit.files import write_tree
from tests.kit.names import EXAMPLE, PROJECT
from tests.kit.table import each
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.write_check import check_write
from ultra_runtime.files.project import Project
from ultra_runtime.review.criteria import criteria_of, with_criteria
from ultra_runtime.review.finding import finding_id
from ultra_runtime.review.findings import carried_on
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
