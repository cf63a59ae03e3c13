"""What is said of a brief and of its research is one function of the topics, their files, the status and the quality."""

from __future__ import annotations

import re
import shutil
from itertools import product
from pathlib import Path

from tests.door.samples import BRIEF, RESEARCH
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS
from tests.kit.table import each
from ultra_runtime.files.project import Project
from ultra_runtime.standing.project_standing import ProjectStanding

STATUSES = ("pending", "in_progress", "complete", "skipped")
TOPIC = BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## Prior Attempts")]


def brief(topics: int, status: str) -> str:
    """Return a brief with so many topics, which all have the same question."""
    parts = "".join(TOPIC.replace("Topic 1", f"Topic {number}") for number in range(1, topics + 1))
    text = BRIEF.replace(TOPIC, parts or "None.\n\n").replace(
        "research_topics: 1", f"research_topics: {topics}"
    )
    return re.sub("research_status: .*", f"research_status: {status}", text)


def told(topics: int, files: int, status: str) -> tuple[str, str, str]:
    """Return mark, caption and row of a research, in the words of the documentation."""
    answered = min(topics, files)
    count = "1 file" if files == 1 else f"{files} files"
    if not topics and files:
        return "done", count, f"{count}, no topics in the brief"
    if not topics:
        return "wait", "no topics", f"no topics ({status})"
    row = f"{answered} of {topics} topics answered"
    caption = f"{answered} of {topics} topics"
    if answered == topics:
        return "done", caption, f"{row} ({status})"
    row += f"; the brief says {status}"
    if status == "skipped":
        return "warn", f"{caption}, rest skipped", row
    return ("now" if answered or status == "in_progress" else "wait"), caption, row


def test_the_research_stands_where_its_topics_and_files_are(project: Path, repo: Path) -> None:
    here = Project(str(repo), project.name)

    @each(product((0, 1, 2, 3), (0, 1, 2, 3), STATUSES))
    def check(topics: int, files: int, status: str) -> None:
        shutil.rmtree(project / "research", ignore_errors=True)
        names = [f"research/{number:02}-a.md" for number in range(1, files + 1)]
        write_tree(project, {"brief.md": brief(topics, status), **dict.fromkeys(names, RESEARCH)})
        part = ProjectStanding(here).part("research")
        assert part
        mark, caption, row = told(topics, files, status)
        assert (part.mark, part.caption, part.rows()) == (mark, caption, [("Research", row)])
        answered = min(topics, files)
        assert part.data() == {"research": {"answered": answered, "topics": topics, "status": status}}
        left = topics - answered if status != "skipped" else 0
        reason = f"{left} of {topics} topics have no answer"
        assert (part.coming.reason if part.coming else "") == (reason if left else "")

    check()


def test_a_brief_is_partial_only_if_it_is_there_and_says_so(project: Path, repo: Path) -> None:
    here = Project(str(repo), project.name)
    valid = BRIEF.replace("begun\n---", "begun\nbrief_quality: {}\n---")
    broken = valid.replace("## Goal\n\nEvery", "## Aim\n\nEvery").replace("type: ultrabrief", "type: other")
    rows = {
        ("brief.md", BRIEF): ("there", "there", "done", ""),
        ("brief.md", valid.format("complete")): ("there", "there", "done", ""),
        ("brief.md", valid.format("partial")): ("there", "partial", "done", ""),
        ("brief.md", broken.format("partial")): ("broken", "not valid", "bad", "the brief is not valid"),
        ("brief.md.draft", valid.format("partial")): (
            "draft", "a draft", "now", "the brief is a draft whose review has not ended",
        ),
        ("other.md", BRIEF): ("missing", "not there yet", "wait", "there is no brief yet"),
    }  # fmt: skip

    @each([(*given, *said) for given, said in rows.items()])
    def check(name: str, text: str, state: str, caption: str, mark: str, reason: str) -> None:
        for left in project.iterdir():
            left.unlink()
        (project / name).write_text(text)
        part = ProjectStanding(here).part("brief")
        assert part
        assert (part.state, part.caption, part.mark) == (state, caption, mark)
        assert (part.coming.reason if part.coming else "") == reason
        if part.coming:
            assert part.coming.command == COMMANDS["brief"], "the first stage is called without a project"

    check()
