"""What a brief is made from, and when it counts as reviewed: each answer is one function of its files."""

from __future__ import annotations

import re
import shlex
from itertools import product
from pathlib import Path

from tests.door.samples import BRIEF, COMPLETE
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS
from tests.kit.table import each
from ultra_runtime.brief import gate as brief_gate
from ultra_runtime.brief import interview
from ultra_runtime.brief.draft import fill_in
from ultra_runtime.brief.gate import is_marked_reviewed, with_digest
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.scores import Review, judge
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.project import Project
from ultra_runtime.text import frontmatter

TOPIC = BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## Prior Attempts")]
COMPUTED = (
    "created",
    "slug",
    "project_dir",
    "research_topics",
    "research_status",
    "interview_turns",
    "source",
)
NAMES = ("2026-01-31-rate-limit", "2026-02-30-rate-limit", "2026-01-31-#", "2026-01-31", "rate-limit")


def test_a_draft_gets_what_its_project_its_topics_and_its_interview_say(repo: Path) -> None:
    contract = load_contract("brief")
    bare = re.sub("(created|slug|project_dir|research_topics|research_status): .*\n", "", BRIEF)

    @each(product(NAMES, ("pending", "in_progress", "complete", "skipped"), (0, 1, 2), (0, 2), (BRIEF, bare)))
    def check(name: str, status: str, topics: int, turns: int, text: str) -> None:
        here = Project(str(repo), name)
        Path(here.folder).mkdir(exist_ok=True)
        interview.keep_interview(here, [interview.AskedQuestion(["Goal"], "Why?", "So.")] * turns)
        parts = "".join(TOPIC.replace("Topic 1", f"Topic {at}") for at in range(1, topics + 1))
        text = text.replace(TOPIC, parts or "None.\n\n")
        text = text.replace("status: pending", f"status: {status}")
        filled = fill_in(contract, here, text.encode())
        assert fill_in(contract, here, filled) == filled
        before, values = (frontmatter.parse(data).values or {} for data in (text.encode(), filled))
        ended = before.get("research_status") if status in ("complete", "skipped") else None
        expected = {
            "research_topics": str(topics),
            "research_status": "pending" if topics else ended or "skipped",
        }
        if name == NAMES[0]:
            expected |= {"created": "2026-01-31", "slug": "rate-limit", "project_dir": f"{here.shown}/"}
        if turns:
            expected |= {"interview_turns": "2", "source": "interview"}
        known = {field: str(before[field]) for field in COMPUTED if field in before}
        assert {field: str(values[field]) for field in COMPUTED if field in values} == {**known, **expected}
        kinds = ("research", "plan") if topics else ("plan",)
        rows = [f"    {COMMANDS[kind]} --project {shlex.quote(here.shown)}" for kind in kinds]
        rows += [""] * bool(topics)
        rows += [f"- Topic {at}: Which store can count per user?" for at in range(1, topics + 1)]
        assert filled.decode().endswith("\n## How to continue\n\n" + "\n".join(rows) + "\n")

    check()


def test_a_draft_that_cannot_be_read_or_changed_stays_as_it_is(here: Project) -> None:
    contract = load_contract("brief")
    twice = BRIEF + "\n## How to continue\n"
    for text in (
        "no front matter",
        "---\na: [\n---\n",
        BRIEF.replace("slug: rate-limit", "slug: [a]"),
        twice,
    ):
        assert fill_in(contract, here, text.encode()) == text.encode()


def test_the_gate_of_a_brief_keeps_the_earlier_brief_until_the_new_one_is_there(
    here: Project, project: Path
) -> None:
    def names() -> dict[str, str]:
        return {path.name: path.read_text() for path in project.iterdir() if path.name != ".gitignore"}

    def fresh(files: dict[str, str]) -> None:
        for path in project.iterdir():
            path.unlink()
        write_tree(project, files)

    counted, draft = ".brief-gate.local.json", "brief.md.draft"
    for files, begun, aside in (
        ({}, {}, False),
        ({"brief.md": "old", counted: "1"}, {"brief.md.prev": "old"}, True),
        (
            {"brief.md": "old", counted: "1", draft: "x"},
            {"brief.md.prev": "old", counted: "1", draft: "x"},
            True,
        ),
        ({counted: "1", draft: "x"}, {counted: "1", draft: "x"}, False),
    ):
        fresh(files)
        with locked(here.folder) as folder:
            assert brief_gate.begin(here, folder) == aside
        assert names() == begun
    for files, left in (
        ({"brief.md.prev": "old"}, {"brief.md": "old"}),
        ({"brief.md.prev": "old", draft: "x"}, {"brief.md.prev": "old", draft: "x"}),
        ({"brief.md.prev": "old", "brief.md": "by hand"}, {"brief.md.prev": "old", "brief.md": "by hand"}),
        ({}, {}),
    ):
        fresh(files)
        with locked(here.folder) as folder:
            brief_gate.restore(here, folder)
        assert names() == left
        fresh({draft: "x", counted: "1", **files})
        with locked(here.folder) as folder:
            assert brief_gate.discard(here, folder) == bool(files)
        assert set(names().values()) == {text for text in files.values() if text != "x"}
        assert draft not in names()
    for data in (None, b"new"):
        for files in ({}, {"brief.md": "by hand"}, {"brief.md.prev": "old"}):
            fresh({draft: "x", counted: "1", **files})
            with locked(here.folder) as folder:
                brief_gate.end(folder, data)
            assert names() == {"brief.md": (data or b"x").decode()}


def test_the_rounds_are_kept_and_a_broken_count_leaves_the_last(here: Project, project: Path) -> None:
    rules = load_contract("brief").gate
    assert rules
    review = Review(
        {one.name: 2 for one in rules.dimensions},
        {one.name: ["a"] for one in rules.dimensions},
        "REVISE",
        False,
    )
    nothing = brief_gate.read_rounds(here, rules)
    assert (nothing.count, nothing.digest, nothing.returned) == (0, "", False)
    for count, digest, returned in ((0, "", True), (1, "abc", False), (2, "", False)):
        with locked(here.folder) as folder:
            brief_gate.keep_rounds(here, folder, brief_gate.Rounds(count, review, digest, returned))
        read = brief_gate.read_rounds(here, rules)
        assert (read.count, read.digest, read.returned) == (count, digest, returned)
        assert read.last.as_data() == review.as_data()
    assert (project / ".gitignore").exists()
    file = project / ".brief-gate.local.json"
    for text in ("{", "", '{"round": -1}', '{"round": "1"}', "{}", '{"round": 3}', '{"round": true}'):
        file.write_text(text)
        read = brief_gate.read_rounds(here, rules)
        assert (read.count, read.digest, read.returned, read.last.degraded) == (2, "", False, True), text
    file.write_text('{"round": 1, "draft": null, "returned": 1}')
    read = brief_gate.read_rounds(here, rules)
    assert (read.count, read.digest, read.returned) == (1, "", False)


def test_a_brief_that_did_not_pass_says_what_is_weak(here: Project) -> None:
    contract = load_contract("brief")
    assert contract.gate
    names = [one.name for one in contract.gate.dimensions]
    scores = dict.fromkeys(names, 5) | {"testability": 2, "consistency": 3}
    details = {name: ["one", "two"] if name == "testability" else [] for name in names}
    weak = "- **Testability, 2 of 5:** one; two\n- **Consistency, 3 of 5:** the review gives no details"
    head = "The review ended after 1 of 3 rounds without a pass; the plan treats these as assumptions, not as settled:"
    issue = Issue("CODE", "it is wrong", "brief.md")
    for degraded in (False, True):
        review = Review(scores, details, "REVISE", degraded)
        ruling = judge(contract.gate, scores)
        more = "The last review had no readable scores.\n\n" * degraded
        assert brief_gate.quality_text(contract, review, ruling, 1) == f"{more}{head}\n\n{weak}"
        text = brief_gate.partial_brief(contract, BRIEF.encode(), review, ruling, 1, [issue])
        section = f"## Brief Quality\n\n{more}{head}\n\n{weak}\n- **CODE:** it is wrong\n\n## How to continue"
        assert section in text.decode()
        assert b"\nbrief_quality: partial\n" in text
        assert is_marked_reviewed(text)
    bare = brief_gate.partial_brief(contract, BRIEF.encode(), review, None, 0)
    unreviewed = f"## Brief Quality\n\n{brief_gate.UNREVIEWED}\n\n## How to continue"
    assert (unreviewed in bare.decode(), is_marked_reviewed(bare)) == (True, False)
    assert brief_gate.passed_brief(text) == COMPLETE.encode()
    assert brief_gate.unreviewed_brief(contract, BRIEF.encode()) == BRIEF.encode()
    for claimed in (COMPLETE.encode(), text):
        marked = brief_gate.unreviewed_brief(contract, claimed)
        assert (unreviewed in marked.decode(), b"\nbrief_quality: partial\n" in marked) == (True, True)


def test_an_interview_is_read_as_it_was_kept_and_thin_answers_leave_sections_open(
    here: Project, project: Path
) -> None:
    asked = [
        interview.AskedQuestion(["Goal", "Intent"], "Why\nnot?", "So it is."),
        interview.AskedQuestion([], "", ""),
    ]
    interview.keep_interview(here, asked)
    file = project / "logs/interview.jsonl"
    assert interview.shown_path(here) == f"{here.shown}/logs/interview.jsonl"
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    broken = ['{"sections": "Goal", "question": "a", "answer": "b"}', '{"sections": [], "question": 1, "answer": "b"}',
              '{"sections": [], "question": "a"}', "[]", "{"]  # fmt: skip
    file.write_text("\n".join([*broken, *lines, '{"sections": [1], "question": "a", "answer": "b"}', ""]))
    found = interview.read_interview(here)
    assert [one.as_data() for one in found] == [
        *(one.as_data() for one in asked),
        {"sections": ["1"], "question": "a", "answer": "b"},
    ]
    interview.set_aside(here)
    interview.set_aside(here)
    assert (file.exists(), interview.read_interview(here)) == (False, [])
    assert (project / "logs/interview.jsonl.prev").exists()

    @each([
        ("Speed.", True), ("I don't know", True), ("I do not know: x", True), ("Not sure!", True), ("no idea, dunno", True),
        ("don't know", True), ("", True), ("two words", False), ("Not sure; one thing", False), ("\u9650\u5236", False),
    ])  # fmt: skip
    def check(answer: str, thin: bool) -> None:
        assert interview.is_thin(answer) == thin
        required = ["Intent", "Goal", "Success Criteria", "Research Plan"]
        for section in (*required, "Constraints"):
            closed = {section} if not thin or section == "Research Plan" else set()
            left = interview.open_sections([interview.AskedQuestion([section], "?", answer)])
            assert left == [name for name in required if name not in closed]

    check()


def test_a_reviewed_brief_may_change_its_line_ends_and_its_status_and_nothing_else() -> None:
    reviewed = with_digest(BRIEF.encode())
    assert not is_marked_reviewed(BRIEF.encode())
    for same in (
        reviewed,
        reviewed.replace(b"\n", b"\r\n"),
        reviewed.replace(b"research_status: pending", b"research_status: complete"),
    ):
        assert is_marked_reviewed(same)
    for old, new in (
        (b"too much", b"too little"),
        (b"slug: rate-limit", b"slug: other"),
        (b"\n## Goal", b"\n\n## Goal"),
    ):
        assert not is_marked_reviewed(reviewed.replace(old, new, 1))
