"""The tables of the first seed, written down once more: each field, value, section and code as it stands there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.conftest import Validate, codes, place
from tests.contracts.test_codes import CONTRACTS, faulty

SHA = "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"
# Artifact -> field -> whether it is required, values that are allowed, values that are not.
FIELDS: dict[str, dict[str, tuple[bool, list[Any], list[Any]]]] = {
    "brief": {
        "type": (True, ["ultrabrief"], ["ultraplan", 1]),
        "brief_version": (True, ["2.0"], ["1.0", "3.0"]),
        "created": (True, ["2026-12-31"], ["2026-13-01", "today"]),
        "task": (True, ["One line"], [["a"]]),
        "slug": (True, ["rate-limit"], ["Rate Limit", "a/b"]),
        "project_dir": (True, [".claude/projects/2026-01-31-rate-limit/"], ["/tmp/x", "projects/x"]),
        "research_topics": (True, [2], [-1, "two", 1.5]),
        "research_status": (True, ["pending", "in_progress", "complete", "skipped"], ["done", 1]),
        "auto_research": (False, [True, False], ["maybe"]),
        "interview_turns": (False, [0, 9], [-1, "many"]),
        "source": (False, ["interview", "manual"], ["elsewhere"]),
        "brief_quality": (False, ["complete", "partial"], ["good"]),
    },
    "research": {
        "type": (True, ["ultraresearch-brief"], ["ultrabrief"]),
        "created": (True, ["2026-12-31"], ["2026-02-30"]),
        "question": (True, ["Which limits do the upstream services have?"], [["a"]]),
        "confidence": (False, [0.0, 1.0, 0.5], [1.01, -0.01, "high"]),
        "dimensions": (False, [1, 7], [0, "two"]),
        "mcp_servers_used": (False, [[], ["a"]], ["a", 1]),
        "local_agents_used": (False, [[], ["a"]], ["a"]),
        "external_agents_used": (False, [[], ["a"]], ["a"]),
    },
    "review": {
        "type": (True, ["ultrareview"], ["ultrabrief"]),
        "review_version": (True, ["1.0"], ["2.0"]),
        "task": (True, ["One line"], [["a"]]),
        "slug": (True, ["rate-limit"], ["Rate Limit"]),
        "project_dir": (True, [".claude/projects/2026-01-31-rate-limit/"], ["/tmp/x"]),
        "brief_path": (True, [".claude/projects/2026-01-31-rate-limit/brief.md"], [["a"]]),
        "scope_sha_end": (True, [SHA], ["HEAD", 3]),
        "reviewed_files_count": (True, [0, 12], [-1, "all"]),
        "findings": (True, [[]], ["none", ["0beec7b5"], ["Z" * 40]]),
        "created": (False, ["2026-12-31"], ["today"]),
        "scope_sha_start": (False, [SHA, None], ["yesterday"]),
        "verdict": (False, ["BLOCK", "WARN", "ALLOW"], ["PASS"]),
    },
    "progress": {
        "schema_version": (True, ["1"], [1, "2", "one"]),
        "plan": (True, ["plan.md"], [3]),
        "plan_type": (False, ["plan", "session-spec"], ["brief"]),
        "plan_version": (True, ["1.7"], [1.7]),
        "started_at": (True, ["2026-01-31T12:00:00Z"], ["today", 3]),
        "updated_at": (True, ["2026-01-31T12:00:00Z"], ["today"]),
        "completed_at": (False, ["2026-01-31T12:00:00Z", None], ["today"]),
        "mode": (True, ["execute", "dry-run", "validate"], ["run"]),
        "total_steps": (True, [2], [-1, "2"]),
        "current_step": (True, [0, 1, 2], [-1, 3, "1"]),
        "status": (True, ["pending", "in_progress", "completed", "failed", "partial"], ["done"]),
        "session_start_sha": (False, [SHA], ["HEAD"]),
        "session_end_sha": (False, [SHA, None], ["HEAD"]),
        "steps": (True, [], [[], 3]),
    },
    "step of progress": {
        "status": (True, ["completed", "in_progress", "failed", "pending", "deferred", "skipped"], ["done"]),
        "attempts": (False, [1, 3], [-1, "1"]),
        "error": (False, ["It failed.", None], [3]),
        "completed_at": (False, ["2026-01-31T12:00:00Z", None], ["today"]),
        "commit": (False, [SHA, None], ["HEAD"]),
        "manifest_audit": (False, ["pass", "fail", "pass-with-note", "n/a"], ["passed"]),
        "note": (False, ["For people."], [3]),
    },
}  # fmt: skip
EVERY = [(artifact, field) for artifact, fields in FIELDS.items() for field in fields]
# A start commit is required once a step has begun, as in the file that these are tried on.
REQUIRED_HERE = {("progress", "session_start_sha")}
SECTIONS = {
    "brief": ("Intent", "Goal", "Success Criteria"),
    "research": ("Executive Summary", "Dimensions"),
    "review": ("Executive Summary", "Coverage", "Remediation Summary"),
}
OPTIONAL_SECTIONS = {
    "brief": ("Non-Goals", "Constraints", "Preferences", "Non-Functional Requirements", "Research Plan"),
    "research": ("Local Context", "External Knowledge", "Triangulation", "Sources", "Recommendations"),
    "review": ("Findings (BLOCKER)", "Findings (MAJOR)", "Findings (MINOR)", "Findings (SUGGESTION)"),
}
# Code -> what a strict and what a soft reader makes of it; a plan and progress have no soft reader.
HALT, WARN = ("errors", "errors"), ("warnings", "warnings")
SOFTENED = ("errors", "warnings")
CODES = {
    "brief": {
        "BRIEF_NOT_FOUND": HALT, "BRIEF_WRONG_TYPE": HALT, "BRIEF_MISSING_FIELD": SOFTENED,
        "BRIEF_STATE_INCOHERENT": SOFTENED, "BRIEF_MISSING_SECTION": SOFTENED,
    },
    "research": {
        "RESEARCH_NOT_FOUND": HALT, "RESEARCH_WRONG_TYPE": HALT, "RESEARCH_MISSING_FIELD": SOFTENED,
        "RESEARCH_MISSING_SECTION": SOFTENED, "RESEARCH_NO_CONFIDENCE": WARN,
    },
    "architecture": {"ARCH_NON_CANONICAL_OVERVIEW": WARN, "ARCH_LOOSE_FILES": WARN},
    "plan": {
        "PLAN_FORBIDDEN_HEADING": HALT, "PLAN_NO_STEPS": HALT, "PLAN_STEP_NUMBERING": HALT,
        "PLAN_MANIFEST_COUNT_MISMATCH": HALT, "MANIFEST_MISSING": HALT, "MANIFEST_MISSING_KEY": HALT,
        "MANIFEST_PATTERN_INVALID": HALT, "PLAN_VERSION_MISMATCH": WARN,
    },
    "progress": {
        "PROGRESS_PARSE_ERROR": HALT, "PROGRESS_SCHEMA_MISMATCH": HALT, "PROGRESS_MISSING_FIELD": HALT,
        "PROGRESS_STEP_RANGE": HALT, "PROGRESS_STEP_COUNT_MISMATCH": WARN,
    },
    "review": {
        "REVIEW_NOT_FOUND": HALT, "REVIEW_READ_ERROR": HALT, "REVIEW_WRONG_TYPE": HALT,
        "REVIEW_MISSING_FIELD": SOFTENED, "REVIEW_BAD_FINDINGS_TYPE": HALT, "REVIEW_BAD_FINDING_ID": HALT,
        "REVIEW_MISSING_SECTION": SOFTENED, "REVIEW_VERSION_FORMAT": WARN,
    },
}  # fmt: skip
STABILITY = (
    ("1. Brief", "strict when written, soft when read", "this plugin", "low"),
    ("3. Architecture notes", "discovery only", "the plugin that writes it", "low"),
    ("4. Plan", "strict when written and when read", "this plugin", "medium"),
    ("5. Progress", "shape and resume readiness", "this plugin", "medium"),
    ("6. Review", "strict when written, soft when read", "this plugin", "low"),
)
CURRENT = {
    "brief": ("brief_version", "2.0"),
    "plan": ("plan_version", "1.7"),
    "progress": ("schema_version", "1"),
    "review": ("review_version", "1.0"),
}
# Artifact -> where it may be; plans and research outside a project have a place of their own.
PLACES = {
    "brief": [".claude/projects/{date}-{slug}/brief.md", "any path given with --brief"],
    "research": ["{project_dir}/research/{NN}-{topic-slug}.md", ".claude/research/ultraresearch-{date}-{slug}.md"],
    "plan": ["{project_dir}/plan.md", ".claude/plans/ultraplan-{date}-{slug}.md"],
    "progress": ["{project_dir}/progress.json", "{plan_dir}/.ultraexecute-progress-{slug}.json"],
    "review": ["{project_dir}/review.md"],
}  # fmt: skip
GONE = object()


def written(value: object) -> str:
    """Return a value as front matter has it; text in quotes, so that it stays text."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return json.dumps(value)
    return value if isinstance(value, str) else json.dumps(value)


def with_field(path: Path, artifact: str, field: str, value: object) -> None:
    """Set a field of a file, or take it out."""
    if path.suffix == ".json":
        data = json.loads(path.read_text())
        target = data["steps"]["1"] if artifact == "step of progress" else data
        target.pop(field, None)
        if value is not GONE:
            target[field] = value
        path.write_text(json.dumps(data, indent=2))
        return
    _, head, body = path.read_text().split("---\n", 2)
    head = re.sub(rf"^{field}:.*\n(?:  - .*\n)*", "", head, flags=re.MULTILINE)
    head += "" if value is GONE else f"{field}: {written(value)}\n"
    path.write_text(f"---\n{head}---\n{body}")


def told(
    repository: Path, validate: Validate, artifact: str, field: str, value: object
) -> dict[str, list[str]]:
    """Return the codes that a valid file gets for one value, by severity; only those about this field alone."""
    kind = "progress" if artifact == "step of progress" else artifact
    path = place(repository, kind, "valid")
    with_field(path, artifact, field, value)
    answer, _ = validate(kind, path, "--strict")
    name = f"steps.1.{field}" if artifact == "step of progress" else field
    return {
        severity: [
            one["code"]
            for one in answer[severity]
            if one.get("field") == name and one["code"] != "BRIEF_STATE_INCOHERENT"
        ]
        for severity in ("errors", "warnings")
    }


@pytest.mark.parametrize(("artifact", "field"), EVERY)
def test_each_field_is_as_the_seed_has_it(
    repository: Path, validate: Validate, artifact: str, field: str
) -> None:
    required, allowed, others = FIELDS[artifact][field]
    errors = told(repository, validate, artifact, field, GONE)["errors"]
    assert bool(errors) == (required or (artifact, field) in REQUIRED_HERE), errors
    assert all(code.endswith(("_MISSING_FIELD", "_STEP_RANGE")) for code in errors)
    for value in allowed:
        assert told(repository, validate, artifact, field, value)["errors"] == [], value
    for value in others:
        assert told(repository, validate, artifact, field, value)["errors"], value


# Part of a topic -> values that it may have, and values that it may not.
TOPIC = {
    "Research question": (["Which limits are there?"], ["Find out the limits.", ""]),
    "Required for plan steps": (["the size of the bucket"], [""]),
    "Scope": (["local", "external", "both"], ["web", ""]),
    "Confidence needed": (["high", "medium", "low"], ["some", ""]),
    "Estimated cost": (["quick", "standard", "deep"], ["cheap", ""]),
}


@pytest.mark.parametrize("part", sorted(TOPIC))
def test_each_part_of_a_topic_is_as_the_seed_has_it(repository: Path, validate: Validate, part: str) -> None:
    path = place(repository, "brief", "valid")
    text, line = path.read_text(), re.compile(rf"^- \*\*{part}:\*\*.*\n", re.MULTILINE)
    allowed, others = TOPIC[part]
    for value, expected in [
        *((one, []) for one in allowed),
        *((one, ["BRIEF_TOPIC_INVALID"]) for one in others),
    ]:
        changed, count = line.subn(f"- **{part}:** {value}\n" if value else "", text)
        assert count == 1
        path.write_text(changed)
        assert codes(validate("brief", path, "--strict")[0])["errors"] == expected, value


@pytest.mark.parametrize(
    ("artifact", "section"), [(artifact, one) for artifact, names in SECTIONS.items() for one in names]
)
def test_each_required_section_is_missed(
    repository: Path, validate: Validate, artifact: str, section: str
) -> None:
    path = place(repository, artifact, "valid")
    path.write_text(path.read_text().replace(f"\n## {section}\n", "\n## Something else\n", 1))
    code = f"{artifact.upper()}_MISSING_SECTION"
    assert codes(validate(artifact, path, "--strict")[0])["errors"] == [code]
    soft = codes(validate(artifact, path, "--soft")[0])
    assert (soft["errors"], soft["warnings"]) == ([], [code])


def test_the_standard_sections_may_be_left_out() -> None:
    for artifact, names in OPTIONAL_SECTIONS.items():
        sections = CONTRACTS[artifact].sections
        assert {name for name in names if not sections[name].required} == set(names)
        assert {name for name, one in sections.items() if one.required} == set(SECTIONS[artifact])


@pytest.mark.parametrize(
    ("artifact", "code"), [(artifact, code) for artifact, found in CODES.items() for code in found]
)
def test_each_code_halts_or_warns_as_the_seed_says(
    repository: Path, validate: Validate, artifact: str, code: str
) -> None:
    path = faulty(repository, artifact, code)
    for flag, severity in zip(("", "--soft"), CODES[artifact][code], strict=True):
        if flag and artifact == "plan":
            continue
        answer, status = validate(artifact, path, *([flag] if flag else []))
        assert code in codes(answer)[severity], flag
        assert status == (severity == "errors")


@pytest.mark.parametrize(
    ("artifact", "field", "value", "code"),
    [
        ("brief", "type", "ultraplan", "BRIEF_WRONG_TYPE"),
        ("brief", "research_status", "done", "BRIEF_BAD_VALUE"),
        ("research", "type", "ultrabrief", "RESEARCH_WRONG_TYPE"),
        ("review", "type", "ultrabrief", "REVIEW_WRONG_TYPE"),
        ("brief", "type", GONE, "BRIEF_WRONG_TYPE"),
        ("research", "type", GONE, "RESEARCH_WRONG_TYPE"),
        ("review", "type", GONE, "REVIEW_WRONG_TYPE"),
        ("review", "findings", "none", "REVIEW_BAD_FINDINGS_TYPE"),
        ("review", "findings", ["0beec7b5"], "REVIEW_BAD_FINDING_ID"),
    ],
)
def test_a_soft_reader_checks_types_states_and_ids_too(
    repository: Path, validate: Validate, artifact: str, field: str, value: object, code: str
) -> None:
    path = place(repository, artifact, "valid")
    with_field(path, artifact, field, value)
    answer, status = validate(artifact, path, "--soft")
    assert (status, code in codes(answer)["errors"]) == (1, True)


@pytest.mark.parametrize("artifact", ["brief", "research", "review"])
def test_a_soft_reader_stops_without_front_matter(
    repository: Path, validate: Validate, artifact: str
) -> None:
    path = place(repository, artifact, "valid")
    path.write_text(path.read_text().split("---\n", 2)[2])
    answer, status = validate(artifact, path, "--soft")
    assert (status, codes(answer)["errors"]) == (1, ["FM_MISSING"])


def test_the_versions_are_those_of_the_seed() -> None:
    for artifact, (field, version) in CURRENT.items():
        known = CONTRACTS[artifact].version
        assert known is not None
        assert (known.field, str(known.current)) == (field, version)
    assert CONTRACTS["research"].version is None
    assert CONTRACTS["architecture"].version is None


def test_the_places_are_those_of_the_seed(bundle: Path) -> None:
    text = (bundle / "docs/HANDOVER-CONTRACTS.md").read_text()
    for artifact, paths in PLACES.items():
        found = [one.path for one in CONTRACTS[artifact].places]
        assert set(paths) <= set(found), (artifact, found)
        assert all(f"`{path}`" in text for path in paths), artifact


def test_the_table_of_stability_says_what_the_seed_says(bundle: Path) -> None:
    text = (bundle / "docs/HANDOVER-CONTRACTS.md").read_text().partition("## Stability\n")[2]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n") if "|" in line]
    table = {row[0]: row[1:] for row in rows}
    for handover, *expected in STABILITY:
        told = table[handover]
        for cell, start in zip(told, expected, strict=True):
            assert cell.startswith(start), (handover, cell)
