"""Research of a project: what is open, who looks, the confidence that lands in the file, and what comes next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ultra_runtime.tables.agents import EXTERNAL_RESEARCHERS, LOCAL_RESEARCHERS, QUICK_RESEARCHERS

from tests.door.samples import BRIEF, COMPLETE, RESEARCH
from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS, PROJECT
from tests.kit.table import each
from ultra_runtime.contract.model import load_contract
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.project import Project
from ultra_runtime.research.evidence import Evidence, as_table
from ultra_runtime.research.folder import read_brief, validate_research
from ultra_runtime.research.putting import (
    Computed,
    complete_status,
    computed_for,
    confidence_note,
    keep_computed,
    left_in,
    research_stats,
    with_confidence,
)
from ultra_runtime.research.topics import topics_of
from ultra_runtime.usage import Usage, parse
from ultra_runtime.verbs import research_begin

BEGIN = ("research", "begin", "--project", PROJECT)
PUT = ("put", "research", "--project", PROJECT, "--topic", "1")
COMPUTE = ("confidence", "--dimensions", "1", "--project", PROJECT, "--topic", "1")
EVIDENCE = "1 | local-structure | code | yes | src/limit.py:1"
TOPIC = BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## Prior Attempts")]
SECOND = (
    TOPIC.replace("Topic 1: Stores", "Topic 2: The Clock!")
    .replace("Which store can", "Which clock does")
    .replace("Scope:** both", "Scope:** external")
    .replace("cost:** quick", "cost:** standard")
)
TWO = COMPLETE.replace(TOPIC, TOPIC + SECOND).replace("research_topics: 1", "research_topics: 2")
EXTERNAL = ["web-docs", "web-releases", "web-issues", "web-security"]


@pytest.fixture
def brief(project: Path) -> Path:
    """Return a brief with two topics."""
    (project / "brief.md").write_text(TWO)
    (project / "research").mkdir()
    return project / "brief.md"


def test_begin_tells_all_that_is_needed_and_moves_the_status(
    ultra: Ultra, project: Path, brief: Path
) -> None:
    data = ultra(*BEGIN).data
    first, second = data["topics"]
    assert first == {
        "topic": 1,
        "title": "Stores",
        "question": "Which store can count per user?",
        "answered": False,
        "plan_steps": "the choice of the store",
        "scope": "both",
        "confidence_needed": "high",
        "cost": "quick",
        "slug": "stores",
        "agents": ["local-structure", "local-dependencies", "web-docs"],
    }
    assert (second["slug"], second["scope"], second["agents"]) == ("the-clock", "external", EXTERNAL)
    assert (data["new_topic"], data["agents_in_all"], data["second_model"]) == (3, 7, False)
    assert data["price"].startswith("7 agents (")
    assert data["billing"] == "agents use the account that this client is logged in with"
    assert (data["project"], data["brief"]) == (PROJECT, f"{PROJECT}/brief.md")
    assert "research topic 1 and 2, one after the other" in data["next"]
    assert data["research_status"] == "in_progress"
    assert brief.read_text() == TWO.replace("research_status: pending", "research_status: in_progress")
    assert ultra(*BEGIN).data["research_status"] == "in_progress"


def test_flags_win_over_the_topic(ultra: Ultra, brief: Path, tmp_path: Path) -> None:
    (tmp_path / "gemini").write_text("#!/bin/sh\n")
    (tmp_path / "gemini").chmod(0o755)
    ultra.env["PATH"] += f":{tmp_path}"
    ultra.env["ANTHROPIC_API_KEY"] = "x"
    data = ultra(*BEGIN, "--local", "--quick").data
    assert [one["agents"] for one in data["topics"]] == [["local-structure", "local-dependencies"]] * 2
    assert ([one["scope"] for one in data["topics"]], data["second_model"]) == (["local"] * 2, None)
    assert "ANTHROPIC_API_KEY" in data["billing"]
    assert ultra(*BEGIN).data["second_model"] is True
    assert ultra(*BEGIN, "--local", "--external").status == 2


def test_a_file_that_answers_another_question_leaves_the_topic_open(
    ultra: Ultra, project: Path, brief: Path
) -> None:
    (project / "research/01-old.md").write_text(RESEARCH.replace("store", "bucket"))
    (project / "research/02-clock.md").write_text(RESEARCH.replace("Which store can", "which CLOCK  does"))
    data = ultra(*BEGIN).data
    first, second = data["topics"]
    assert (first["answered"], first["replaces"], first["slug"]) == (False, "01-old.md", "old")
    assert "01-old.md answers a different question and will be replaced" in data["next"]
    assert (second["answered"], second["confidence"], second["enough"]) == (True, 0.8, True)
    warned = ultra("validate", "research", project / "research").data["warnings"]
    assert [one["code"] for one in warned] == ["RESEARCH_TOPIC_UNANSWERED"]
    assert "01-old.md answers a different question from topic 1" in warned[0]["message"]
    told = ultra("plan", "begin", "--project", PROJECT).data["warnings"]
    assert any("RESEARCH_TOPIC_UNANSWERED" in one for one in told)
    assert ultra(*PUT, "--slug", "old", given=RESEARCH).data["ok"] is True
    assert ultra("validate", "research", project / "research").data["warnings"] == []
    assert "run `ultra brief status" in ultra(*BEGIN).data["next"]
    (project / "research/01-old.md").write_text(RESEARCH.replace("0.8", "0.45"))
    assert ultra(*BEGIN).data["topics"][0]["enough"] is False


def test_the_computed_confidence_lands_in_the_file(ultra: Ultra, project: Path, brief: Path) -> None:
    typed = ultra(*PUT, "--slug", "stores", given=RESEARCH.replace("0.8", "0.99")).data["warnings"]
    assert [one["code"] for one in typed] == ["RESEARCH_NO_CONFIDENCE"]
    assert "no confidence was computed" in typed[0]["message"]
    computed = ultra(*COMPUTE, given="1 | web-docs | official | partly | https://a.example/x").data
    assert (computed["confidence"], computed["enough"], computed["weak"]) == (0.35, False, [1])
    told = ultra(*PUT, given=RESEARCH.replace("0.8", "0.99")).data
    assert (told["warnings"], told["next"].startswith("confidence is 0.35, as computed")) == ([], True)
    text = (project / "research/01-stores.md").read_text()
    assert "\nconfidence: 0.35\n" in text
    assert "\ndimensions: 1\n" in text
    ultra(*COMPUTE, given=EVIDENCE)
    ultra(*PUT, "--section", "Sources", given="- src/limit.py")
    assert "\nconfidence: 0.8\n" in (project / "research/01-stores.md").read_text()
    bare = RESEARCH.replace("confidence: 0.8\n", "")
    ultra(*PUT, given=bare)
    assert "\nconfidence: 0.8\n" in (project / "research/01-stores.md").read_text()


def test_put_says_what_is_really_next(ultra: Ultra, project: Path, brief: Path) -> None:
    ultra(*BEGIN)
    ultra(*COMPUTE, given=EVIDENCE)
    assert "continue with topic 2, The Clock!" in ultra(*PUT, "--slug", "stores", given=RESEARCH).data["next"]
    second = RESEARCH.replace("Which store can", "Which clock does")
    words = ("put", "research", "--project", PROJECT, "--topic", "2", "--slug", "the-clock")
    assert f"run `ultra brief status {PROJECT} complete`" in ultra(*words, given=second).data["next"]
    done = ultra(*words, "--complete", given=second).data["next"]
    assert "research_status: complete" in brief.read_text()
    assert f"{COMMANDS['plan']} --project {PROJECT}" in done
    assert f"{COMMANDS['plan']} --project {PROJECT}" in ultra(*words, given=second).data["next"]


def test_a_brief_without_a_project_and_no_brief_at_all(ultra: Ultra, repo: Path, brief: Path) -> None:
    data = ultra("research", "begin", "--brief", f"{PROJECT}/brief.md").data
    assert data["project"] == PROJECT
    (repo / "my.md").write_text(TWO)
    data = ultra("research", "begin", "--brief", "my.md").data
    assert (data["project"], data["brief"], len(data["topics"])) == (None, "my.md", 2)
    assert (repo / "my.md").read_text() == TWO
    before = brief.read_bytes()
    data = ultra("research", "begin", "--brief", "my.md", "--project", PROJECT).data
    assert (data["project"], data["brief"], len(data["topics"])) == (PROJECT, "my.md", 2)
    assert ((repo / "my.md").read_text(), brief.read_bytes()) == (TWO, before)
    (repo / "brief.md").write_text(TWO)
    (repo / PROJECT / "notes.md").write_text(TWO)
    for name in ("brief.md", f"{PROJECT}/notes.md"):
        assert ultra("research", "begin", "--brief", name).data["project"] is None
    data = ultra("research", "begin", "--external").data
    assert (data["agents"], data["agents_in_all"]) == (EXTERNAL, 4)
    assert "guide research interview" in data["next"]


def test_without_a_brief_to_research_it_is_refused(ultra: Ultra, project: Path) -> None:
    told = ultra(*BEGIN)
    assert (told.status, "BRIEF_NOT_FOUND" in told.data["error"]) == (1, True)
    assert f"{COMMANDS['brief']} first" in told.data["next"]
    ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF)
    assert "brief.md.draft exists" in ultra(*BEGIN).data["error"]
    (project / "brief.md.draft").unlink()
    (project / "brief.md").write_text("nothing")
    assert "FM_MISSING" in ultra(*BEGIN).data["error"]
    for words in (("--topic", "1"), ("--project", PROJECT)):
        assert ultra("confidence", "--dimensions", "1", *words, given=EVIDENCE).status == 2


QUESTION = "Which store can count per user?"


@pytest.fixture
def here(repo: Path, project: Path, brief: Path) -> Project:
    """Return the project with a brief of two topics."""
    return Project(str(repo), project.name)


def test_each_topic_without_a_good_answer_is_a_warning_unless_research_is_skipped(here: Project) -> None:
    path, folder = Path(here.path("brief.md")), Path(here.path("research"))
    contract = load_contract("research")
    files = {
        None: "no file 01-*.md answers topic 1 of brief.md, Stores",
        RESEARCH.replace("store", "bucket"): "01-a.md answers a different question from topic 1 of brief.md, Stores",
        RESEARCH.replace("0.8", "0.74"): "01-a.md has confidence 0.74, but topic 1 of brief.md, Stores, needs high (0.75 or more)",
        RESEARCH.replace("0.8", "0.75"): "",
    }  # fmt: skip

    @each(product(files.items(), ("in_progress", "skipped"), (True, False)))
    def check(first: tuple[str | None, str], status: str, there: bool) -> None:
        for old in (*folder.iterdir(), path):
            old.unlink(missing_ok=True)
        if there:
            path.write_text(TWO.replace("research_status: pending", f"research_status: {status}"))
        second = RESEARCH.replace("Which store can", "Which clock does")
        for name, text in (("01-a.md", first[0]), ("02-b.md", second), (".03-c.md", "x"), ("04.txt", "x")):
            if text:
                (folder / name).write_text(text)
        found = validate_research(contract, str(folder))
        code = "RESEARCH_NO_CONFIDENCE" if "0.74" in first[1] else "RESEARCH_TOPIC_UNANSWERED"
        told = [(code, first[1])] if first[1] and there and status != "skipped" else []
        assert [(one.code, one.message) for one in found.warnings] == told
        assert (found.errors, [one["file"] for one in (found.parsed or {})["files"]]) == (
            [],
            [*(["01-a.md"] if first[0] else []), "02-b.md"],
        )
        (folder / "02-b.md").write_text(second.replace("created: ", "made: "))
        codes = ["RESEARCH_MISSING_FIELD"]
        for soft in (True, False, None):
            found = validate_research(contract, str(folder), *([] if soft is None else [soft]))
            errors, warnings = ([one.code for one in some] for some in (found.errors, found.warnings))
            assert (errors, warnings) == (([], codes + [one for one, _ in told]) if soft else (codes, [one for one, _ in told]))  # fmt: skip

    check()
    for one in folder.iterdir():
        one.unlink()
    found = validate_research(contract, str(folder))
    assert [(one.code, one.message) for one in found.errors] == [
        ("RESEARCH_NOT_FOUND", "the folder has no research files")
    ]


def test_what_was_computed_is_kept_by_topic_and_taken_for_the_same_question(here: Project) -> None:
    kept = {
        1: Computed(0.8, 2, QUESTION, "| a |"),
        2: Computed(0.0, 1, ""),
        3: Computed(1, 1, "Another?"),
        11: Computed(0.5, 3, f"**{QUESTION}**", ""),
    }
    for topic, computed in [(1, Computed(0.1, 1, "")), *kept.items()]:
        keep_computed(here, topic, computed)
    assert (Path(here.folder) / ".gitignore").exists()
    for topic, computed in kept.items():
        found = computed_for(here, topic, QUESTION.upper())
        if topic == 3:
            assert found is None
        else:
            assert found
            assert {**found.__dict__, "evidence": found.evidence} == {"evidence": "", **computed.__dict__}
    assert computed_for(here, 4, QUESTION) is None
    file = Path(here.path("logs", "confidence.json"))
    for number, dimensions in ((None, 1), ("0.8", 1), (0.8, 1.5), (0.8, True), (0.8, None)):
        broken = {"confidence": number, "dimensions": dimensions}
        file.write_text(json.dumps({"1": broken}))
        assert computed_for(here, 1, QUESTION) is None, broken
    file.write_text(json.dumps({"1": {"confidence": 1, "dimensions": 1, "evidence": None}}))
    found = computed_for(here, 1, QUESTION)
    assert found
    assert (found.confidence, found.evidence) == (1, "")


def test_a_file_gets_the_computed_numbers_and_a_table_of_the_evidence(here: Project) -> None:
    keep_computed(
        here, 1, Computed(0.35, 2, QUESTION, as_table([Evidence(1, "web-docs", "official", "no", "u|v")]))
    )
    keep_computed(here, 2, Computed(0.8, 1, ""))
    table = "| dimension | agent | kind | agrees | source |\n| --- | --- | --- | --- | --- |\n| 1 | web-docs | official | no | u|v |"
    section = "\n## Triangulation\n\n{}\n\n## Sources\n\n- x\n"
    numbers = ("confidence: 0.8\n", "confidence: 0.35\ndimensions: 2\n")
    for words, becomes in (("They agree.", f"They agree.\n\n{table}"), ("| a |\n|---|\n| b |", "")):
        text = RESEARCH + section.format(words)
        expected = RESEARCH.replace(*numbers) + section.format(becomes or words)
        assert with_confidence(here, "01-a.md", text.encode()) == (expected.encode(), 0.35)
        assert with_confidence(here, "1-x.md", expected.encode()) == (expected.encode(), 0.35)
        assert with_confidence(here, "02-a.md", text.encode()) == (
            text.replace("confidence: 0.8\n", "confidence: 0.8\ndimensions: 1\n").encode(), 0.8,
        )  # fmt: skip
    bare = RESEARCH.encode()
    assert with_confidence(here, "01-a.md", bare) == (RESEARCH.replace(*numbers).encode(), 0.35)
    for name, data in (
        ("03-a.md", bare), ("a.md", bare), ("01-a.md", b"no front matter"), ("01-a.md", bare.replace(b"store", b"bucket")),
        ("01-a.md", bare.replace(b"confidence: 0.8", b"confidence: [0.8]")),
    ):  # fmt: skip
        assert with_confidence(here, name, data) == (data, None), (name, data)
    assert as_table([]) == confidence_note(None) == ""
    assert confidence_note(0.0) == "confidence is 0.0, as computed; "


def test_a_line_of_statistics_says_which_agents_were_used(here: Project) -> None:
    @each(product(range(3), range(3), (None, 0.8)))
    def check(local: int, external: int, confidence: float | None) -> None:
        named = "".join(
            f"{side}_agents_used: [{', '.join(['a'] * count)}]\n"
            for side, count in (("local", local), ("external", external))
            if count
        )
        text = RESEARCH.replace("confidence: 0.8\n", f"confidence: {confidence}\n" * bool(confidence) + named)
        scope = "local" if local and not external else "external" if external and not local else "both"
        assert research_stats(here, text.encode()) == {
            "slug": "rate-limit", "scope": scope, "agents": local + external, "confidence": confidence,
        }  # fmt: skip

    check()
    assert research_stats(here, b"broken")["agents"] == 0


def test_what_is_left_of_the_research_is_the_first_open_topic_then_the_status(here: Project) -> None:
    path, folder = Path(here.path("brief.md")), Path(here.path("research"))
    second = RESEARCH.replace("Which store can", "Which clock does")
    topics = {1: ("Stores", RESEARCH), 2: ("The Clock!", second)}

    @each(product(([], [1], [2], [1, 2]), ("pending", "in_progress", "complete", "skipped")))
    def check(answered: list[int], status: str) -> None:
        for one in folder.iterdir():
            one.unlink()
        for number in answered:
            (folder / f"0{number}-a.md").write_text(topics[number][1])
        path.write_text(TWO.replace("research_status: pending", f"research_status: {status}"))
        left = [number for number in topics if number not in answered]
        if left:
            counted = f"topics without an answer: {len(left)}"
            assert left_in(here) == f"continue with topic {left[0]}, {topics[left[0]][0]}; {counted}"
        elif status == "in_progress":
            assert left_in(here) == f"every topic has an answer: run `ultra brief status {PROJECT} complete`"
        else:
            assert left_in(here) == ""

    check()
    path.unlink()
    assert left_in(here) == ""


def test_the_last_answer_completes_research_that_has_begun(here: Project) -> None:
    path, folder = Path(here.path("brief.md")), Path(here.path("research"))
    second = RESEARCH.replace("Which store can", "Which clock does")

    @each(product(("pending", "in_progress", "complete", "skipped"), (True, False)))
    def check(status: str, last: bool) -> None:
        before = TWO.replace("research_status: pending", f"research_status: {status}")
        write_tree(folder, {"01-a.md": RESEARCH, "02-b.md": second if last else RESEARCH})
        path.write_text(before)
        with locked(here.folder) as opened:
            assert complete_status(here, opened) == (last and status == "in_progress")
        expected = before.replace("status: in_progress", "status: complete") if last else before
        assert path.read_text() == expected

    check()


def test_a_field_keeps_the_marks_that_are_not_around_the_whole_of_it(here: Project) -> None:
    @each(
        [
            ("which lock guards the change of `add`", "which lock guards the change of `add`"),
            ("`add`", "add"),
            ("**the choice of** `add`", "**the choice of** `add`"),
            ("**the choice**", "the choice"),
            ("`a` or `b`", "`a` or `b`"),
            ('"the choice"', "the choice"),
        ]
    )
    def check(written: str, read: str) -> None:
        Path(here.path("brief.md")).write_text(TWO.replace("the choice of the store", written, 1))
        first, second = topics_of(read_brief(here.folder), here.path("research"))
        assert (first.steps, second.steps) == (read, "the choice of the store")

    check()


def test_begin_names_the_file_of_each_topic_and_who_looks(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here.root)
    monkeypatch.setenv("PATH", "")
    every = [*LOCAL_RESEARCHERS, *EXTERNAL_RESEARCHERS]
    path, folder = Path(here.path("brief.md")), Path(here.path("research"))

    def begin(*words: str) -> Mapping[str, Any]:
        return research_begin.run(parse(Usage(research_begin.USAGE), [*BEGIN[2:], *words])).data

    slugs = {
        "Stores": "stores", "The Clock!": "the-clock", "a b c d e f": "a-b-c-d-e", "\u00fcber 9 \u9650": "ber-9", "!?": "topic-1",
        "x" * 50: "x" * 40, f"{'y' * 39} z": "y" * 39,
    }  # fmt: skip
    for title, slug in slugs.items():
        path.write_text(TWO.replace("Topic 1: Stores", f"Topic 1: {title}"))
        assert begin()["topics"][0]["slug"] == slug, title
    for name, slug, number in (
        ("01-old.md", "old", 3),
        ("01-a b.md", "stores", 3),
        ("07-x.md", "stores", 8),
        ("x.md", "stores", 3),
    ):
        path.write_text(TWO)
        (folder / name).write_text(RESEARCH.replace("store", "bucket"))
        data = begin()
        assert (data["topics"][0]["slug"], data["new_topic"]) == (slug, number), name
        replaced = name if name.startswith("01") else None
        assert data["topics"][0].get("replaces") == replaced
        more = f"; {name} answers a different question and will be replaced" if replaced else ""
        assert data["next"] == f"research topic 1 and 2, one after the other{more}"
        (folder / name).unlink()
    (folder / "01-a.md").write_text(RESEARCH)
    data = begin()
    assert (data["next"], data["topics"][0]["file"]) == ("research topic 2", "01-a.md")
    assert {"slug", "agents", "scope"}.isdisjoint(data["topics"][0])
    (folder / "02-b.md").write_text(RESEARCH.replace("Which store can", "Which clock does"))
    none = "no topic is open: research the user's question, if any, as `new_topic`; otherwise say so and stop"
    for status, said in (
        ("in_progress", f"every topic has an answer: run `ultra brief status {PROJECT} complete`"),
        ("complete", none),
    ):
        path.write_text(TWO.replace("research_status: pending", f"research_status: {status}"))
        data = begin()
        assert (data["next"], data["research_status"]) == (said, status)
        assert data["agents_in_all"] == len(every)
        assert data["agents"] == every
    assert begin("--local")["agents"] == [*LOCAL_RESEARCHERS]
    assert begin("--external")["agents"] == [*EXTERNAL_RESEARCHERS]
    assert begin("--quick")["agents"] == [name for name in every if name in QUICK_RESEARCHERS]
    assert (begin()["second_model"], begin("--quick")["second_model"]) == (False, None)
