"""A whole project: every artifact that is there, and what one says against another."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.contracts.conftest import FIXTURES, Validate, codes, place
from tests.kit.names import PROJECT
from ultra_runtime.artifacts.consistency import validate_project

ID = "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33"


@pytest.fixture
def project(repository: Path) -> Path:
    """Return a project with every artifact, all of which agree."""
    for artifact in ("brief", "plan", "progress", "review", "session-state", "session-spec"):
        place(repository, artifact, "valid")
    place(repository, "research", "valid-folder")
    place(repository, "architecture", "valid")
    folder = repository / PROJECT
    plan = (folder / "plan.md").read_text()
    (folder / "plan.md").write_text(plan.replace("---\n", "---\narchitecture: follows the notes\n", 1))
    steps = len(re.findall(r"^### Step ", (folder / "plan.md").read_text(), re.MULTILINE))
    change_progress(folder, steps, hashlib.sha256((folder / "plan.md").read_bytes()).hexdigest())
    return folder


def change_progress(folder: Path, steps: int, digest: str | None = None) -> None:
    path = folder / "progress.json"
    values = json.loads(path.read_text())
    values["total_steps"] = steps
    values["current_step"] = 0
    values["steps"] = {str(number): {"status": "pending"} for number in range(1, steps + 1)}
    values["plan_digest"] = digest or values["plan_digest"]
    path.write_text(json.dumps(values, indent=2))


def test_a_project_without_a_fault(project: Path, validate: Validate) -> None:
    answer, status = validate("project", project)
    assert (answer["errors"], answer["warnings"], status) == ([], [], 0)
    assert [one["kind"] for one in answer["parsed"]["artifacts"]] == [
        "brief", "research", "architecture", "plan", "progress", "review", "session-state", "session-spec",
    ]  # fmt: skip


def test_faults_of_all_artifacts_are_told_with_their_paths(project: Path, validate: Validate) -> None:
    shutil.copy(FIXTURES / "brief/BRIEF_BAD_VALUE.md", project / "brief.md")
    shutil.copy(FIXTURES / "review/REVIEW_MISSING_SECTION.md", project / "review.md")
    answer, status = validate("project", project)
    assert [(entry["code"], Path(entry["path"]).name) for entry in answer["errors"]] == [
        ("BRIEF_BAD_VALUE", "brief.md"),
        ("REVIEW_MISSING_SECTION", "review.md"),
    ]
    assert status == 1
    soft, _ = validate("project", project, "--soft")
    assert codes(soft) == {"errors": ["BRIEF_BAD_VALUE"], "warnings": ["REVIEW_MISSING_SECTION"]}


@pytest.mark.parametrize("status", ["pending", "complete"])
def test_research_has_to_answer_the_topics(project: Path, status: str) -> None:
    brief = project / "brief.md"
    brief.write_text(brief.read_text().replace("research_status: pending", f"research_status: {status}"))
    (project / "research/02-where-requests-enter.md").unlink()
    result = validate_project(str(project), False, False)
    (warning,) = result.warnings
    assert (result.errors, warning.code) == ([], "RESEARCH_TOPIC_UNANSWERED")
    assert "topic 2" in warning.message
    brief.unlink()
    shutil.rmtree(project / "research")
    assert validate_project(str(project), False, False).parsed


@pytest.mark.parametrize(("status", "told"), [("pending", 0), ("in_progress", 2), ("complete", 2)])
def test_research_that_has_begun_has_files(project: Path, validate: Validate, status: str, told: int) -> None:
    shutil.rmtree(project / "research")
    brief = project / "brief.md"
    brief.write_text(brief.read_text().replace("research_status: pending", f"research_status: {status}"))
    answer, _ = validate("project", project)
    assert codes(answer)["warnings"] == ["RESEARCH_TOPIC_UNANSWERED"] * told


def test_topics_that_were_skipped_need_no_answer(project: Path, validate: Validate) -> None:
    shutil.rmtree(project / "research")
    place(project.parent.parent.parent, "brief", "valid-partial")
    assert validate("project", project)[0]["warnings"] == []


def test_findings_of_the_plan_are_in_the_review(project: Path, validate: Validate) -> None:
    plan = project / "plan.md"
    plan.write_text(plan.read_text().replace("---\n", f"---\nsource_findings: [{ID}]\n", 1))
    change_progress(project, 0)
    steps = len(re.findall(r"^### Step ", plan.read_text(), re.MULTILINE))
    change_progress(project, steps, hashlib.sha256(plan.read_bytes()).hexdigest())
    assert validate("project", project)[0]["warnings"] == []
    review = project / "review.md"
    review.write_text(review.read_text().replace(ID, "f" * 40))
    assert codes(validate("project", project)[0])["warnings"] == ["PLAN_UNKNOWN_FINDING"]
    review.unlink()
    assert codes(validate("project", project)[0])["warnings"] == ["PLAN_UNKNOWN_FINDING"]


def test_progress_is_held_against_the_plan(project: Path) -> None:
    plan, path = (project / name for name in ("plan.md", "progress.json"))
    steps = len(re.findall(r"^### Step ", plan.read_text(), re.MULTILINE))
    same = hashlib.sha256(plan.read_bytes()).hexdigest()
    values = json.loads(path.read_text())
    around = (steps - 1, steps, steps + 2)
    for total, count, digest, of in itertools.product(
        around, around, ("same", "other", "short"), ("plan", "session-spec")
    ):
        records = {str(number): {"status": "pending"} for number in range(1, count + 1)}
        values |= {"total_steps": total, "steps": records, "plan_type": of}
        values["plan_digest"] = {"same": same, "other": "0" * 64, "short": "0" * 63}[digest]
        path.write_text(json.dumps(values))
        told = [one.message for one in validate_project(str(project), False, False).warnings]
        strange = f"{count - steps} step records match no step of the plan; the first is {steps + 1}"
        noun = f"{steps} step" + "s" * (steps > 1)
        expected = {
            f"total_steps is {total}, but the plan has {noun}": total != steps,
            strange: count > steps,
            "plan_digest does not match plan.md, which was edited since the run began": digest == "other",
        }
        wanted = [message for message, holds in expected.items() if holds and of == "plan"]
        own = [f"total_steps is {total}, but there are {count} step records"] if total != count else []
        assert told == own + wanted, (total, count, digest, of)
    plan.write_bytes(b"\xff")
    result = validate_project(str(project), False, False)
    assert [one.code for one in result.errors] == ["FM_NOT_UTF8", "PROGRESS_BAD_VALUE"]
    plan.unlink()
    assert [
        one for one in validate_project(str(project), False, False).warnings if "plan has" in one.message
    ] == []


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "the project has no artifacts"),
        (["brief.md.draft"], "there is only brief.md.draft"),
        (None, "no such project directory"),
    ],
)
def test_a_project_with_nothing_in_it_is_not_valid(
    tmp_path: Path, validate: Validate, files: list[str] | None, said: str
) -> None:
    folder = tmp_path / "empty"
    if files is not None:
        folder.mkdir()
        for name in files:
            (folder / name).write_text("draft")
    answer, status = validate("project", folder)
    assert (codes(answer)["errors"], status) == (["BRIEF_NOT_FOUND"], 1)
    assert said in answer["errors"][0]["message"]


def test_a_research_folder_without_files_is_not_found(tmp_path: Path, validate: Validate) -> None:
    answer, status = validate("research", tmp_path)
    assert (codes(answer)["errors"], status) == (["RESEARCH_NOT_FOUND"], 1)


def test_progress_of_the_seeds_is_read_and_brought_up_to_date(repository: Path, validate: Validate) -> None:
    path = place(repository, "progress", "old-seed")
    answer, status = validate("progress", path)
    assert status == 0
    assert set(codes(answer)["warnings"]) == {"PROGRESS_LEGACY_VALUE"}
    told = {(entry["field"], entry["line"]) for entry in answer["warnings"]}
    assert told == {("mode", 8), ("status", 11), ("plan_digest", 1), ("steps.1.status", 14), ("steps", 14)}
    assert answer["parsed"]["status"] == "in_progress"
    assert answer["parsed"]["steps"]["1"]["status"] == "completed"


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_line_ends_and_byte_order_marks_are_tolerated(
    repository: Path, validate: Validate, ends: str, mark: str
) -> None:
    for artifact in ("brief", "review", "progress"):
        path = place(repository, artifact, "valid")
        path.write_bytes((mark + path.read_text().replace("\n", ends)).encode())
        answer, status = validate(artifact, path)
        assert (answer["errors"], answer["warnings"], status) == ([], [], 0), artifact
