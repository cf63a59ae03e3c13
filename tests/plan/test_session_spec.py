"""Session specs: how they are known, what they say, and how they are made from a plan."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kit.calls import Ultra
from tests.kit.names import PROJECT
from tests.kit.repository import git, make_repository
from tests.plan.conftest import PutPlan
from tests.plan.texts import manifest, plan, session, step, strategy
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.session_spec import read_entry_condition
from ultra_runtime.plan.spec_text import PREFLIGHT
from ultra_runtime.plan.values import Plan
from ultra_runtime.rendered import table
from ultra_runtime.text.markdown import Item

FIXTURES = Path(__file__).parents[2] / "plugin_src/contracts/fixtures"
VALID = (FIXTURES / "session-spec/valid.md").read_text()
RECOVERY = (FIXTURES / "session-spec/valid-recovery.md").read_text()


def session_manifest(spec: Plan) -> dict[str, Any]:
    """Return the session manifest of a spec, as YAML reads it."""
    section = spec.document.section("Session Manifest")
    assert section is not None
    found: dict[str, Any] = yaml.safe_load("\n".join(section.blocks[0].lines))["session_manifest"]
    return found


def codes(text: str) -> list[str]:
    return [problem.code for problem in read(text.encode(), "session-spec").problems]


@pytest.mark.parametrize(
    ("text", "kind", "command", "sessions"),
    [
        ("none", "none", "", ()),
        ("none — can run in parallel", "none", "", ()),
        ("None.", "none", "", ()),
        ("git clean", "git-clean", "", ()),
        ("`git clean`", "git-clean", "", ()),
        ("`test -f a`", "command", "test -f a", ()),
        ("`test -f a`.", "command", "test -f a", ()),
        ("session 2", "sessions", "", (2,)),
        ("Session 1, session 3", "sessions", "", (1, 3)),
        ("sessions 1 and 2", "sessions", "", (1, 2)),
        ("Session 2 committed and tests pass", "other", "", ()),
        ("`a` and `b`", "other", "", ()),
        ("run `a`", "other", "", ()),
        ("nonesuch", "other", "", ()),
    ],
)
def test_entry_conditions(text: str, kind: str, command: str, sessions: tuple[int, ...]) -> None:
    found = read_entry_condition(Item(0, 7, f"Entry condition: {text}"))
    assert (found.kind, found.command, found.sessions, found.line) == (kind, command, sessions, 7)


def test_a_spec_is_known_by_its_parts() -> None:
    assert read(VALID.encode()).kind == "session-spec"
    for part in ("## Dependencies", "- **Entry condition:**", "## Scope Fence", "## Exit Condition"):
        assert read(VALID.replace(part, "x").encode()).kind == "plan"


def test_a_spec_is_no_plan(ultra: Ultra, put_plan: PutPlan) -> None:
    told = ultra("validate", "plan", put_plan(VALID)).data
    assert [entry["code"] for entry in told["errors"]] == ["PLAN_NO_SECTION"]
    assert "session spec" in told["errors"][0]["message"]


def test_what_a_spec_says() -> None:
    spec = read(VALID.encode())
    assert spec.problems == []
    assert [one.number for one in spec.steps] == [0, 3]
    assert spec.fence.touch == ("docs/limits.md", "bin/limits.sh")
    assert spec.fence.never_touch == ("src/",)
    assert [one.command for one in spec.exit_conditions] == ["grep -q 429 docs/limits.md", None]
    assert spec.steps[0].manifest is not None
    assert spec.steps[0].manifest.sandbox_preflight
    assert spec.steps[0].verify is not None
    assert spec.steps[0].verify.command == PREFLIGHT
    for depth in (1, 2):
        recovery = read(RECOVERY.replace("recovery_depth: 1", f"recovery_depth: {depth}").encode()).recovery
        assert recovery is not None
        assert recovery.depth == depth


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("sandbox_preflight: true", "sandbox_preflight: false", "NO_STEP_ZERO"),
        ("    sandbox_preflight: true\n", "", "NO_STEP_ZERO"),
        ("### Step 3:", "### Step 0:", "BAD_VALUE"),
        ("### Step 3:", "### Step 1:", ""),
        (
            '    - "docs/limits.md"\n    - "bin/limits.sh"\n  commit',
            '    - "docs/limits.md"\n  commit',
            "SPEC_MANIFEST_MISMATCH",
        ),
        (
            '    - "docs/limits.md"\n    - "bin/limits.sh"\n  commit',
            '    - "bin/limits.sh"\n    - "docs/limits.md"\n  commit',
            "",
        ),
        ('    - "src/"\n', '    - "lib/"\n', "SPEC_MANIFEST_MISMATCH"),
        ("- **Never touch:** `src/`", "- **Never touch:** none", "SPEC_MANIFEST_MISMATCH"),
        ("session_manifest:", "manifest:", "PLAN_MANIFEST_COUNT_MISMATCH"),
        ("session_manifest:\n", "session_manifests:\n", "MANIFEST_PARSE"),
        ('plan_version: "1.7"', 'plan_version: "1.6"', "VERSION_MISMATCH"),
        ('plan_version: "1.7"', 'plan_version: "9.0"', "VERSION_UNSUPPORTED"),
        ("  commit_count: 1\n", "", "MANIFEST_MISSING_KEY"),
        ("  commit_count: 1\n", "  commit_count: one\n", "SPEC_BAD_TYPE"),
        ("## Session Manifest", "## Something", "MISSING_SECTION"),
        ("## Handoff State", "## Something", "MISSING_SECTION"),
    ],
)
def test_specs_that_do_not_hold(old: str, new: str, code: str) -> None:
    assert VALID.count(old) == 1
    found = codes(VALID.replace(old, new))
    assert found[:1] == ([code] if code else [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("recovery_depth: 1", "recovery_depth: 0"),
        ("recovery_depth: 1", "recovery_depth: 3"),
        ("- recovery_depth: 1\n", ""),
        ("- missing_steps: [3]\n", ""),
        ("- entry_condition_override: git clean\n", ""),
        ("- parent_progress_file: progress-session-2.json\n", ""),
        ("recovery_depth: 1", "recovery_depth: deep"),
        ("missing_steps: [3]", "missing_steps: [4]"),
        ("missing_steps: [3]", "missing_steps: none"),
        ("- recovery_of: sessions/session-2.md\n", ""),
    ],
)
def test_recoveries_that_do_not_hold(old: str, new: str) -> None:
    assert codes(RECOVERY.replace(old, new)) == ["RECOVERY"]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("session-2-recovery-1.md", RECOVERY, None),
        ("session-2-recovery-2.md", RECOVERY, "SPEC_RECOVERY"),
        ("session-2-recovery-1.md", VALID, "SPEC_RECOVERY"),
        ("session-2.md", VALID, None),
    ],
)
def test_a_recovery_is_told_by_its_name(
    ultra: Ultra, repo: Path, name: str, text: str, code: str | None
) -> None:
    path = repo / name
    path.write_text(text)
    told = ultra("validate", "session-spec", path).data
    assert [entry["code"] for entry in told["errors"]] == ([code] if code else [])


# Made from a plan

ODD = manifest(
    ["src/it's.py"], pattern=r'^feat\("a"\):', forbidden=["src/no.py"], contains=[("src/it's.py", r"\d+ # é")]
)
TWO = plan(
    step(1, block=ODD.replace("src/it's.py]", '"src/it\'s.py"]'), path="src/a.py"),
    step(2),
    step(3),
    after=strategy(
        session(1, "1, 3", touch="`src/a.py`, `src/part3.py`"), session(2, "2", 2, "Session 1"),
    ),
)  # fmt: skip


def specs(project: Path) -> dict[str, Plan]:
    folder = project / "sessions"
    return {path.name: read(path.read_bytes()) for path in sorted(folder.iterdir())}


def test_specs_of_a_plan_validate_and_keep_every_word(ultra: Ultra, put_plan: PutPlan, project: Path) -> None:
    path = put_plan(TWO)
    told = ultra("sessions", "write", path)
    assert (told.status, told.data["ok"]) == (0, True)
    assert told.data["specs"] == [f"{PROJECT}/sessions/session-1.md", f"{PROJECT}/sessions/session-2.md"]
    assert told.data["waves"] == [[1], [2]]
    whole = read(TWO.encode())
    assert whole.problems == []
    found = specs(project)
    assert [[one.number for one in spec.steps] for spec in found.values()] == [[0, 1, 3], [0, 2]]
    for name, spec in found.items():
        answer = ultra("validate", "session-spec", project / "sessions" / name).data
        assert (answer["errors"], answer["warnings"]) == ([], [])
        text = (project / "sessions" / name).read_text()
        for one in spec.steps[1:]:
            (original,) = [other for other in whole.steps if other.number == one.number]
            assert "\n".join(whole.document.slice(original.line, original.end)).strip() in text
            assert one.manifest is not None
            assert original.manifest is not None
            assert one.manifest.as_data() == original.manifest.as_data()
    assert found["session-1.md"].entry_condition is not None
    assert found["session-1.md"].entry_condition.kind == "none"
    assert found["session-2.md"].entry_condition is not None
    assert found["session-2.md"].entry_condition.sessions == (1,)
    assert session_manifest(found["session-1.md"])["scope_forbidden"] == ["src/no.py"]


FENCE = "- Scope fence:\n  - Touch: `bin/1.sh`, `src/part3.py`\n  - Never touch: `docs/`\n"
LETTER = plan(
    step(1, path="bin/1.sh").replace("bash_syntax_check: []", "bash_syntax_check: [bin/1.sh]")
    .replace("forbidden_paths: []", "forbidden_paths: [src/no.py]").replace("'^feat: '", "'^fix: '"),
    step(2),
    step(3),
    after=strategy(session(1, "1, 3") + FENCE + "\n", session(2, "2", 2, "Session 1")),
)  # fmt: skip


def test_a_spec_has_every_part_of_the_seed(ultra: Ultra, put_plan: PutPlan, project: Path) -> None:
    assert ultra.say("sessions", "write", put_plan(LETTER.replace("\n\n- Scope", "\n- Scope"))).status == 0
    first, second = specs(project).values()
    assert (first.problems, second.problems) == ([], [])
    assert session_manifest(first) == {
        "plan_version": "1.7",
        "legacy_synthesis": False,
        "expected_paths": ["bin/1.sh", "src/part3.py"],
        "commit_count": 2,
        "commit_message_patterns": ["^fix: ", "^feat: "],
        "bash_syntax_check": ["bin/1.sh"],
        "scope_touch": ["bin/1.sh", "src/part3.py"],
        "scope_forbidden": ["docs/", "src/no.py"],
    }
    zero = first.steps[0]
    assert zero.manifest is not None
    assert zero.manifest.as_data() == {
        "expected_paths": [], "min_file_count": 0, "commit_message_pattern": "", "bash_syntax_check": [],
        "forbidden_paths": [], "must_contain": [], "sandbox_preflight": True,
    }  # fmt: skip
    assert (zero.number, zero.files, zero.on_failure, zero.checkpoint) == (0, (), "escalate", None)
    text = (project / "sessions/session-1.md").read_text()
    parts = (
        "# Session 1: Part 1\n", f"Session 1 of 2 of `{PROJECT}/plan.md`.", "## Context\n", "## Dependencies\n",
        "- **Depends on:** none", "- **Blocks:** Session 2", "- **Entry condition:** none", "## Scope Fence\n",
        "- **Touch:** `bin/1.sh`, `src/part3.py`", "- **Never touch:** `docs/`", "## Session Manifest\n", "## Steps\n",
        "## Exit Condition\n", "- [ ] `pytest -q` → expected: `passed`", "- [ ] No uncommitted changes remain.",
        "## Failure Handling\n", "A step that fails its last attempt ends the session; no later step starts.",
        "Steps that passed stay committed, and the report names the failed step, its error and its attempts.",
        "## Security Constraints\n", "`curl` or `wget` into `sh`", "`base64` into `sh`", "a fork bomb", "## Handoff State\n",
        "## Metadata\n", f"- **Master plan:** `{PROJECT}/plan.md`",
        f"- **Plan digest:** `{hashlib.sha256((project / 'plan.md').read_bytes()).hexdigest()}`", "- **Steps:** 1, 3", "- **Complexity:** low",
        "- **Model:** sonnet - ",
    )  # fmt: skip
    places = [text.find(part) for part in parts]
    assert -1 not in places, [part for part, place in zip(parts, places, strict=True) if place < 0]
    assert places == sorted(places)
    assert "Recovery Metadata" not in text
    assert "- **Entry condition:** session 1\n" in (project / "sessions/session-2.md").read_text()


def test_a_spec_without_its_manifest_is_warned_of(ultra: Ultra, repo: Path) -> None:
    path = repo / "session-2.md"
    head, _, rest = VALID.partition("## Session Manifest\n")
    path.write_text(head + "## Steps\n" + rest.partition("## Steps\n")[2])
    told = ultra("validate", "session-spec", path).data
    assert (told["valid"], [one["code"] for one in told["warnings"]]) == (True, ["SPEC_MISSING_SECTION"])


def test_what_the_model_wrote_is_kept(ultra: Ultra, put_plan: PutPlan, project: Path) -> None:
    path = put_plan(TWO)
    ultra.say("sessions", "write", path)
    spec = project / "sessions/session-1.md"
    text = spec.read_text()
    context = text.split("## Context\n\n")[1].split("\n")[0]
    spec.write_text(text.replace(context, f"{context}\n\nThe old limiter stays until session 2."))
    (project / "sessions/session-9.md").write_text("# Session 9\n")
    put_plan(TWO.replace("### Session 1: Part 1", "### Session 1: Another name"))
    told = ultra("sessions", "write", path).data
    assert told["earlier"] == [f"{PROJECT}/sessions/session-{name}.md" for name in ("1.2", "9.2")]
    assert not (project / "sessions/session-9.md").exists()
    assert "The old limiter stays until session 2." in spec.read_text()
    assert spec.read_text().startswith("# Session 1: Another name\n")
    assert "Another name" in spec.read_text().split("## Steps")[0]
    assert "Session 2 of 2" in (project / "sessions/session-2.md").read_text()


def test_a_legacy_plan_has_specs_too(ultra: Ultra, put_plan: PutPlan, project: Path) -> None:
    steps = [
        f"### Step {number}: x\n\n- Files: `bin/{number}.sh`\n- Verify: `true`\n- On failure: skip\n"
        for number in (1, 2)
    ]
    path = put_plan(plan(*steps, version="", after=strategy(session(1, "1"), session(2, "2"))))
    told = ultra("sessions", "write", path, "--project", PROJECT).data
    assert (told["ok"], told["legacy_plan"]) == (True, True)
    spec = specs(project)["session-2.md"]
    assert [problem.code for problem in spec.problems] == ["PLAN_CHECKPOINT_FORM"]
    found = session_manifest(spec)
    assert (found["legacy_synthesis"], found["bash_syntax_check"]) == (True, ["bin/2.sh"])


def test_a_verify_of_many_lines_comes_through(ultra: Ultra, put_plan: PutPlan, project: Path) -> None:
    verify = "- **Verify:**\n  ```sh\n  set -e\n  echo '`a`' ; pytest\n  ```\n  → expected: `ok`\n"
    text = step(1).replace("- **Verify:** `pytest -q` → expected: `passed`\n", verify)
    put_plan(plan(text, after=strategy(session(1, "1"))))
    assert ultra.say("sessions", "write", project / "plan.md").status == 0
    spec = specs(project)["session-1.md"]
    assert spec.problems == []
    first = spec.exit_conditions[0]
    assert (first.command, first.expected, first.literal) == ("set -e\necho '`a`' ; pytest", "ok", True)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (plan(step(1)), "no Execution Strategy"),
        (plan(step(1), step(3)), "not valid"),
        (plan(step(1, block=""), after=strategy(session(1, "1"))), "not valid"),
        ("# Notes\n", "not valid"),
    ],
)
def test_nothing_is_written_of_a_plan_that_does_not_hold(
    ultra: Ultra, put_plan: PutPlan, project: Path, text: str, word: str
) -> None:
    told = ultra("sessions", "write", put_plan(text))
    assert (told.status, told.data["ok"]) == (1, False)
    assert word in told.data["error"]
    assert told.data["next"]
    assert not (project / "sessions").exists()


def test_specs_go_nowhere_else(ultra: Ultra, put_plan: PutPlan, project: Path, repo: Path) -> None:
    path = put_plan(TWO)
    outside = repo.parent / "outside"
    outside.mkdir()
    (project / "sessions").symlink_to(outside)
    for words in ((), ("--project", PROJECT)):
        told = ultra("sessions", "write", path, *words)
        assert (told.status, told.data["ok"]) == (1, False)
    assert list(outside.iterdir()) == []
    assert ultra("sessions", "write", "nowhere.md").status == 1


# The pre-flight


def preflight(folder: Path, **env: str) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", PREFLIGHT], cwd=folder, env={"PATH": os.environ["PATH"], "HOME": str(folder), **env},
        capture_output=True, text=True, check=False, timeout=30, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_the_pre_flight_finds_out_whether_commits_get_out(tmp_path: Path) -> None:
    mine, theirs = make_repository(tmp_path / "mine"), tmp_path / "theirs.git"
    git(mine, "commit", "--allow-empty", "-m", "one")
    assert preflight(mine) == (0, "pre-flight: no remote, nothing to try\n")
    git(mine, "remote", "add", "upstream", str(theirs))
    status, said = preflight(mine)
    assert status == 77
    assert "pre-flight" not in said
    assert preflight(mine, ULTRAEXECUTE_SKIP_PREFLIGHT="1") == (0, "pre-flight: skipped\n")
    git(tmp_path, "init", "--bare", str(theirs))
    assert preflight(mine) == (0, "pre-flight: push allowed\n")
    git(mine, "push", "upstream", "HEAD")
    git(mine, "commit", "--amend", "--allow-empty", "-m", "another")
    status, said = preflight(mine)
    assert status == 77, "a push that the remote rejects is no push"
    assert "[rejected]" in said


def test_the_pre_flight_prefers_origin(tmp_path: Path) -> None:
    mine, theirs = make_repository(tmp_path / "mine"), tmp_path / "theirs.git"
    git(mine, "commit", "--allow-empty", "-m", "one")
    git(tmp_path, "init", "--bare", str(theirs))
    git(mine, "remote", "add", "backup", str(theirs))
    assert preflight(mine)[0] == 0
    git(mine, "remote", "add", "origin", str(tmp_path / "nowhere.git"))
    assert preflight(mine)[0] == 77


def test_a_spec_says_what_the_policy_forbids_and_which_model_suits_it(
    ultra: Ultra, put_plan: PutPlan, project: Path
) -> None:
    steps = [step(number) for number in range(1, 9)]
    put_plan(plan(*steps, after=strategy(session(1, "1"), session(2, "2-8", depends="Session 1", wave=2))))
    assert ultra.say("sessions", "write", project / "plan.md").status == 0
    texts = [(project / f"sessions/session-{number}.md").read_text() for number in (1, 2)]
    security = texts[0].partition("## Security Constraints\n")[2].partition("\n## ")[0]
    policy = table("policy")
    for rule, (verdict, title, *_) in policy.RULES.items():
        assert (f"  - {title}" in security) == (verdict == "block"), rule
    for pattern in ("~/.ssh/**", ".env", "~/.bashrc", ".claude/settings*.json", ".git/**"):
        assert f"`{pattern}`" in security
    assert "`chmod`" in security
    assert "- **Model:** sonnet - 1 step, complexity low: " in texts[0]
    assert "- **Model:** opus - 7 steps, complexity high: " in texts[1]


def test_a_spec_stays_session_n_of_m_whatever_the_model_writes(
    ultra: Ultra, put_plan: PutPlan, project: Path
) -> None:
    put_plan(TWO)
    path = project / "sessions/session-1.md"
    assert ultra.say("sessions", "write", project / "plan.md").status == 0
    own = path.read_text().replace("## Context\n", "## Context\n\nMy own words.\nMore of them.\n")
    path.write_text(own)
    assert ultra.say("sessions", "write", project / "plan.md").status == 0
    text = path.read_text()
    assert "My own words." in text
    assert f"\n\nSession 1 of 2 of `{PROJECT}/plan.md`.\n\n## Context" in text
