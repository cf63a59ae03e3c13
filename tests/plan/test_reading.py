"""What is read from a plan: fields in all their forms, manifests, sessions; and what is wrong with it."""

from __future__ import annotations

import pytest

from tests.plan.texts import manifest, plan, session, step, strategy
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import Plan


def codes(found: Plan) -> list[str]:
    return [problem.code for problem in found.problems]


def only_step(fields: str) -> Plan:
    """Return a plan of one step that has these fields and a manifest."""
    return read(plan(f"### Step 1: x\n\n{fields}\n{manifest()}").encode())


# Fields of a step


def test_all_fields_of_a_step() -> None:
    found = only_step(
        "- **Files:**\n  - `a.py` (new)\n  - b.sh\n"
        "- Changes: one\n  two\n  - three\n"
        "- Reuses: `c.py`\n"
        "- Test first: write the test\n"
        "- Verify:\n  ```bash\n  set -e\n  pytest\n  ```\n  → expected: `ok`\n"
        "- **On failure**: **Retry** — with more memory\n"
        '- Checkpoint: `git commit -m "feat: a"`'
    )
    (one,) = found.steps
    assert found.problems == []
    assert one.files == ("a.py", "b.sh")
    assert one.changes == "one\ntwo\n- three"
    assert one.reuses == "`c.py`"
    assert one.test_first is not None
    assert (one.test_first.command, one.test_first.text) == (None, "write the test")
    assert one.verify is not None
    assert (one.verify.command, one.verify.expected, one.verify.literal) == ("set -e\npytest", "ok", True)
    assert (one.on_failure, one.on_failure_text) == ("retry", "with more memory")
    assert one.checkpoint == "feat: a"
    assert one.manifest is not None
    assert (one.manifest.expected_paths, one.manifest.made_up) == (("src/a.py",), False)


@pytest.mark.parametrize(
    ("field", "code", "line"),
    [
        ("- Verify: look at it", "PLAN_MISSING_VERIFY", 10),
        ("- Verify: `a` and `b`", "PLAN_MISSING_VERIFY", 10),
        ("- On failure: give up", "BAD_VALUE", 10),
        ("- On failure:", "PLAN_MISSING_ON_FAILURE", 10),
        ("- Checkpoint: none", "PLAN_CHECKPOINT_FORM", 10),
        ('- Checkpoint: `git add a && git commit -m "a"`', "PLAN_CHECKPOINT_FORM", 10),
        ("- Files: a\n- Files: b", "BAD_VALUE", 11),
    ],
)
def test_fields_that_do_not_hold(field: str, code: str, line: int) -> None:
    whole = {
        "Verify": "- Verify: `a`",
        "On failure": "- On failure: skip",
        "Checkpoint": "- Checkpoint: git commit -m a",
    }
    others = [text for name, text in whole.items() if f"- {name}" not in field]
    found = only_step("\n".join([field, *others]))
    assert [(problem.code, problem.line, problem.step) for problem in found.problems] == [(code, line, 1)]


@pytest.mark.parametrize(
    "heading", ["#### Step 2: deeper", "### Step 2 - dash", "### Step 2", "### step 3: gap", "## Step 2: up"]
)
def test_headings_that_only_look_like_steps(heading: str) -> None:
    text = plan(step(1), heading + "\n")
    found = read(text.encode())
    numbering = [problem for problem in found.problems if problem.code.startswith("STEP_NUMBERING")]
    assert [problem.line for problem in numbering] == [text.count("\n")]


def test_a_fence_hides_what_stands_in_it() -> None:
    inside = "```\n### Step 2: no\n## Fase 3\n```yaml\nmanifest:\n```\n"
    found = read(plan(step(1), inside).encode())
    assert (codes(found), len(found.steps)) == ([], 1)


def test_an_open_fence_is_told() -> None:
    found = read(plan(step(1), "````\n", step(2)).encode())
    assert codes(found) == ["BAD_VALUE"]
    assert len(found.steps) == 1


@pytest.mark.parametrize(
    "heading", ["## Fase 1", "# phase 12: a", "###### STAGE 3", "### Steg 4: b", "## **Phase 1**"]
)
def test_forbidden_headings(heading: str) -> None:
    assert codes(read(plan(step(1), f"{heading}\n").encode())) == ["FORBIDDEN_HEADING"]


@pytest.mark.parametrize(
    "heading", ["## Phases", "### Phase out the old code", "#### Stage", "### Stages 1 and 2"]
)
def test_headings_that_may_stay(heading: str) -> None:
    assert codes(read(plan(step(1), f"{heading}\n").encode())) == []


# Manifests


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("min_file_count: 1", "min_file_count: -1", "MANIFEST_BAD_TYPE"),
        ("min_file_count: 1", "min_file_count: 1.0", "MANIFEST_BAD_TYPE"),
        ("min_file_count: 1", "min_file_count:", "MANIFEST_BAD_TYPE"),
        ("min_file_count: 1", "min_file_count: [1]", "MANIFEST_BAD_TYPE"),
        ("[src/a.py]", "src/a.py", "MANIFEST_BAD_TYPE"),
        ("[src/a.py]", "[~]", "MANIFEST_BAD_TYPE"),
        ("[src/a.py]", "[{path: a}]", "MANIFEST_BAD_TYPE"),
        ("must_contain: []", "must_contain: [a]", "MANIFEST_BAD_TYPE"),
        ("must_contain: []", "must_contain: [{path: a}]", "MANIFEST_BAD_TYPE"),
        ("must_contain: []", "must_contain: [{path: a, pattern: b, more: c}]", "MANIFEST_BAD_TYPE"),
        ("must_contain: []", "must_contain:\n      - path: a\n        path: b", "MANIFEST_PARSE"),
        ("must_contain: []", "must_contain:\n      - path: [a]\n        pattern: b", "MANIFEST_PARSE"),
        ("must_contain: []", "must_contain: []\n    sandbox_preflight: true", "MANIFEST_BAD_TYPE"),
        ("must_contain: []", "must_contain: []\n    must_contains: []", "MANIFEST_PARSE"),
        ("must_contain: []", "must_contain: []\n    must_contain: []", "MANIFEST_PARSE"),
        ("must_contain: []", "must_contain: []\n  other: 1", "MANIFEST_PARSE"),
        ("    must_contain: []\n", "", "MANIFEST_MISSING_KEY"),
        ("  manifest:\n", "  manifest: {}\n", "MANIFEST_PARSE"),
        ("  manifest:\n", "  manifests:\n", "MANIFEST_PARSE"),
        ("'^feat: '", "'^feat(: '", "MANIFEST_PATTERN_INVALID"),
        ("'^feat: '", r'"^feat\(x"', "MANIFEST_PATTERN_INVALID"),
        ("must_contain: []", r'must_contain: [{path: a, pattern: "\w"}]', "MANIFEST_PATTERN_INVALID"),
        ("[src/a.py]", r'["src\("]', "MANIFEST_PARSE"),
        ("  manifest:\n", "  manifest\n", "MANIFEST_PARSE"),
        ("'^feat: '", "12", ""),
        ("must_contain: []", "must_contain: [{path: a, pattern: '(a|b'}]", "MANIFEST_PATTERN_INVALID"),
        (
            "must_contain: []",
            "must_contain:\n      - pattern: 'b'\n        path: a # why\n      - {path: c, pattern: d}",
            "",
        ),
        ("[src/a.py]", "\n      - src/a.py\n      - 'it''s.py'", ""),
        ("[src/a.py]", "[\n      src/a.py,\n      ]", ""),
        ("```yaml", "``` YAML", ""),
        ("```yaml", "```json", "MANIFEST_PARSE"),
        ("    min_file_count", "  \tmin_file_count", "MANIFEST_PARSE"),
        ("src/a.py", "src/\x01a.py", "MANIFEST_PARSE"),
    ],
)
def test_manifests(old: str, new: str, code: str) -> None:
    text = manifest()
    assert text.count(old) == 1
    text = text.replace(old, new)
    if new == "```json":
        text = text.replace("  manifest:\n", "  {}\n")
    found = read(plan(step(1, block=text)).encode())
    assert codes(found) == ([code] if code else [])
    assert (found.steps[0].manifest is None) == bool(code) or "sandbox_preflight" in new


@pytest.mark.parametrize(
    "key",
    ["expected_paths", "min_file_count", "commit_message_pattern", "bash_syntax_check", "forbidden_paths",
     "must_contain"],
)  # fmt: skip
def test_every_key_of_a_manifest_is_required(key: str) -> None:
    lines = manifest().split("\n")
    text = "\n".join(line for line in lines if not line.startswith(f"    {key}:"))
    (problem,) = read(plan(step(1), step(2, block=text)).encode()).problems
    assert (problem.code, problem.step) == ("MANIFEST_MISSING_KEY", 2)
    assert key in problem.message


def test_a_step_heading_has_a_space_after_its_colon() -> None:
    text = plan(step(1), step(2)).replace("### Step 2: ", "### Step 2:")
    (problem,) = read(text.encode()).problems
    assert (problem.code, problem.line) == (
        "STEP_NUMBERING|BAD_VALUE",
        text[: text.index("### Step 2")].count("\n") + 1,
    )
    old = read(text.replace("plan_version: 1.7", "other: 1").encode())
    assert [one.mild for one in old.problems if one.code == problem.code] == [True]


def test_a_file_that_is_no_plan_is_told_its_forbidden_headings() -> None:
    found = read(b"# Plan\n\n## Fase 1\n\ntext\n\n### Phase 2: more\n")
    assert codes(found) == ["UNRECOGNIZED", "FORBIDDEN_HEADING", "FORBIDDEN_HEADING"]
    assert "### Step 1: title" in found.problems[0].message
    assert [one.line for one in found.problems[1:]] == [3, 7]
    assert "Fase 1" in found.problems[1].message


def test_a_record_keeps_what_stands_in_it() -> None:
    block = manifest(contains=[("src/a.py", r"^def \w+\(x: int\) -> {'a', \"b\"}: # c")])
    found = read(plan(step(1, block=block)).encode())
    assert found.problems == []
    assert found.steps[0].manifest is not None
    assert found.steps[0].manifest.must_contain == (("src/a.py", r"^def \w+\(x: int\) -> {'a', \"b\"}: # c"),)


def test_a_manifest_outside_the_steps_is_told() -> None:
    found = read(plan(step(1), after=f"## Notes\n\n{manifest()}").encode())
    assert codes(found) == ["PLAN_MANIFEST_COUNT_MISMATCH"]


def test_the_line_of_a_bad_pattern_is_that_of_its_item() -> None:
    block = manifest(contains=[("a", "ok"), ("b", "(bad"), ("c", "ok")])
    text = plan(step(1, block=block))
    (problem,) = read(text.encode()).problems
    assert problem.line is not None
    assert "(bad" in text.split("\n")[problem.line - 1]
    assert problem.step == 1


# Legacy plans

LEGACY = """\
# Plan

## Implementation Plan

### Step 1: Do it

- **Files:** `run.sh`, `lib/a.py`
- **Checkpoint:** `git commit -m "feat(a): do [it] now and here"`
"""


@pytest.mark.parametrize("marker", ["", "---\nplan_version: 1.6\n---\n", "---\nother: 1\n---\n"])
def test_a_legacy_plan_gets_its_manifests(marker: str) -> None:
    found = read((marker + LEGACY).encode())
    assert codes(found) == ["VERSION_MISMATCH", "PLAN_MISSING_VERIFY", "PLAN_MISSING_ON_FAILURE"]
    assert (found.legacy, found.version) == (True, "legacy")
    made = found.steps[0].manifest
    assert made is not None
    assert made.made_up
    assert made.as_data() == {
        "expected_paths": ["run.sh", "lib/a.py"],
        "min_file_count": 2,
        "commit_message_pattern": r"feat\(a\): do \[it\]",
        "bash_syntax_check": ["run.sh"],
        "forbidden_paths": [],
        "must_contain": [],
    }


def test_strict_demands_manifests_of_a_legacy_plan() -> None:
    found = read(LEGACY.encode(), strict=True)
    assert "MANIFEST_MISSING" in codes(found)
    assert not any(problem.mild for problem in found.problems)
    assert found.steps[0].manifest is None


def test_a_legacy_plan_needs_steps() -> None:
    assert codes(read(b"# P\n\n## Implementation Plan\n")) == ["VERSION_MISMATCH", "NO_STEPS"]


def test_a_legacy_plan_is_told_of_the_rest() -> None:
    found = read((LEGACY + "\n## Phase 2\n").encode())
    assert [problem.mild for problem in found.problems if problem.code == "FORBIDDEN_HEADING"] == [True]


def test_a_newer_plan_is_refused() -> None:
    assert codes(read(plan(step(1), version="1.10").encode())) == ["VERSION_UNSUPPORTED"]


# Sessions


def two(first: str, second: str, **more: str) -> Plan:
    """Return a plan of two steps in these sessions."""
    return read(plan(step(1), step(2), after=strategy(first, second) + more.get("after", "")).encode())


def test_sessions_and_waves() -> None:
    found = two(session(1, "Step 1", touch="`src/part1.py`, `docs/`"), session(2, "2", 2, "Session 1"))
    assert found.problems == []
    assert [(one.number, one.title, one.steps, one.wave, one.depends_on) for one in found.sessions] == [
        (1, "Part 1", (1,), 1, ()), (2, "Part 2", (2,), 2, (1,)),
    ]  # fmt: skip
    assert found.sessions[0].fence.touch == ("src/part1.py", "docs/")
    assert [wave for wave, _ in found.waves] == [1, 2]


def test_execution_order_gives_waves() -> None:
    first, second = (session(number, str(number)).replace("- Wave: 1\n", "") for number in (1, 2))
    order = "### Execution Order\n\n- **Wave 1:** Session 1\n- Wave 2 (after it): Session 2\n"
    found = two(first, second, after=order)
    assert found.problems == []
    assert [one.wave for one in found.sessions] == [1, 2]
    assert codes(two(first, second)) == ["BAD_VALUE", "BAD_VALUE"]
    assert codes(two(session(1, "1"), session(2, "2"), after=order)) == ["BAD_VALUE"]


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (session(1, "1-2"), session(2, "2"), "SESSION_STEPS"),
        (session(1, "1, 1"), session(2, "2"), "SESSION_STEPS"),
        (session(1, "1"), session(2, "none"), "SESSION_STEPS"),
        (session(1, "1"), session(2, "2, 3"), "SESSION_STEPS"),
        (session(1, "1"), session(2, "2-999999999"), "SESSION_STEPS"),
        (session(1, "1-2"), "", ""),
        (session(1, "1"), "", "SESSION_STEPS"),
        (session(1, "1"), session(1, "2"), "BAD_VALUE"),
        (session(1, "1"), session(2, "2", 1, "Session 1"), "BAD_VALUE"),
        (session(1, "1"), session(2, "2", 2, "Session 3"), "BAD_VALUE"),
        (session(1, "1", 1, "Session 1"), session(2, "2"), "CYCLE"),
        (session(1, "1", 2, "Session 2"), session(2, "2", 1, "1"), "CYCLE"),
        (session(1, "1"), session(2, "2", 0), "BAD_VALUE"),
        ("### Session one: x\n", "### Session 1 x\n", "BAD_VALUE"),
    ],
)
def test_sessions_that_do_not_hold(first: str, second: str, code: str) -> None:
    found = set(codes(two(first, second)))
    assert found == ({code} if code else set()) or (
        code == "BAD_VALUE" and found == {"BAD_VALUE", "SESSION_STEPS"}
    )


def test_a_long_circle_is_found_among_many() -> None:
    count = 60
    chain = [
        session(number, str(number), number, f"Session {number - 1}" if number > 1 else "none")
        for number in range(1, count)
    ]
    ring = [session(count, str(count), count, f"Session {count + 2}")]
    ring += [
        session(count + add, str(count + add), count + add, f"Session {count + add - 1}") for add in (1, 2)
    ]
    found = read(
        plan(*(step(number) for number in range(1, count + 3)), after=strategy(*chain, *ring)).encode()
    )
    (problem,) = found.problems
    assert problem.code == "CYCLE"
    assert problem.message.endswith("session 60 -> session 62 -> session 61 -> session 60")


def test_verification_is_read_with_its_subsections() -> None:
    after = "## Verification\n\n- [x] `a` -> expected: `b`\n- look\n\n### More\n\n1. `c`\n\n```sh\nd\n```\n\n```\ne\n```\n"
    found = read(plan(step(1), after=after).encode())
    assert [one.command for one in found.verification] == ["a", None, "c", "d"]


# The bytes


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "UNRECOGNIZED"),
        (b"\xff\xfe", "FM_NOT_UTF8"),
        (b"---\na: b\n", "FM_UNCLOSED"),
        (b"---\na:\n  b: c\n---\n", "FM_NESTED"),
        (b"---\nplan_version: [1]\n---\n### Step 1: x\n", "BAD_TYPE"),
        (b"---\nplan_version: new\n---\n### Step 1: x\n", "BAD_VALUE"),
        (b"# Notes\n", "UNRECOGNIZED"),
    ],
)
def test_files_that_are_no_plan(data: bytes, code: str) -> None:
    assert codes(read(data))[0] == code


def test_windows_line_ends_and_a_mark_do_not_count() -> None:
    text = plan(step(1), step(2), after=strategy(session(1, "1"), session(2, "2")))
    plain, windows = read(text.encode()), read(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert plain.problems == windows.problems == []
    assert [one.as_data() for one in plain.steps] == [one.as_data() for one in windows.steps]
    assert plain.summary() == windows.summary()


@pytest.mark.parametrize(("least", "found"), [(1, []), (2, ["PLAN_BAD_VALUE"])])
def test_no_more_files_are_required_than_expected(least: int, found: list[str]) -> None:
    text = plan(step(1)).replace("min_file_count: 1", f"min_file_count: {least}")
    assert codes(read(text.encode())) == found
