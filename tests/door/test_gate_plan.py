"""`ultra plan begin`, drafts of plans and `ultra gate plan`: what they take, count and let through."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.door.samples import DIMENSIONS, plan
from tests.kit.calls import Ultra
from tests.kit.files import tree_of
from tests.kit.names import COMMANDS, EXAMPLE, NAME, PROJECT
from ultra_runtime.brief.gate import with_digest

PUT = ("put", "plan", "--project", PROJECT, "--draft")
GATE = ("gate", "plan", "--project", PROJECT)


def fenced(block: Mapping[str, object]) -> str:
    return f"```json\n{json.dumps(block)}\n```\n"


def critic(**scores: int) -> str:
    block = {
        name: {"score": scores.get(name, 5), "issues": ["fix it"] if name in scores else []}
        for name in DIMENSIONS
    }
    return fenced({**block, "verdict": "READY"})


def guardian(gaps: int = 5, creep: int = 5) -> str:
    lost = [{"criterion": "fast", "missing": "a step"}] if gaps < 4 else []
    more = [{"step": "4", "surplus": "a page"}] if creep < 4 else []
    return fenced(
        {
            "gaps": {"score": gaps, "missing": lost},
            "creep": {"score": creep, "surplus": more},
            "verdict": "ALIGNED",
        }
    )


@pytest.fixture
def draft(ultra: Ultra, project: Path) -> Path:
    """Return a draft that keeps its contract."""
    assert ultra(*PUT, given=(EXAMPLE / "plan.md").read_text()).data["errors"] == []
    return project / "plan.md.draft"


def test_a_draft_is_written_with_its_errors_and_is_no_plan(ultra: Ultra, project: Path) -> None:
    told = ultra(*PUT, given="---\nplan_version: '1.7'\n---\n# Plan\n\n## Implementation Plan\n")
    assert (told.status, told.data["new"]) == (0, True)
    assert [one["code"] for one in told.data["errors"]] == ["PLAN_NO_STEPS"]
    assert not (project / "plan.md").exists()
    again = ultra(*PUT, given=(EXAMPLE / "plan.md").read_text())
    assert (again.data["new"], again.data["errors"]) == (False, [])


def test_what_looks_like_a_secret_is_not_even_a_draft(ultra: Ultra, project: Path) -> None:
    text = (EXAMPLE / "plan.md").read_text() + "\nAKIA" + "ABCDEFGHIJKLMNOP\n"
    told = ultra(*PUT, given=text)
    assert (told.status, told.data["ok"], told.data["errors"][0]["code"]) == (1, False, "SECRET_FOUND")
    assert not (project / "plan.md.draft").exists()


def test_one_step_of_a_draft_is_replaced_and_the_next_one_added(ultra: Ultra, draft: Path) -> None:
    assert "no manifest" in ultra(*PUT, "--step", "3", given="### Step 3: Docs\n\n- **Files:** `a.md`\n").out
    added = ultra(*PUT, "--step", "5", given="### Step 5: More\n\n- **Files:** `b.md`\n")
    codes = {one["code"] for one in added.data["errors"]}
    assert codes == {"MANIFEST_MISSING", "PLAN_SESSION_STEPS"}
    assert "### Step 5: More" in draft.read_text()


@pytest.mark.parametrize("kind", ["research", "review"])
def test_only_briefs_and_plans_have_drafts(ultra: Ultra, kind: str) -> None:
    told = ultra("put", kind, "--project", PROJECT, "--draft", given="x")
    assert (told.status, told.data["error"]) == (2, f"--draft cannot be used with {kind}")


def test_a_passed_self_check_forgets_the_failures_before_it(ultra: Ultra, draft: Path) -> None:
    whole = draft.read_text()
    check = (*GATE, "--self-check")
    ultra(*PUT, "--step", "3", given="### Step 3: Docs\n")
    assert [ultra(*check).data["left"] for _ in range(2)] == [2, 1]
    ultra(*PUT, given=whole)
    assert ultra(*check).data["passed"] is True
    ultra(*PUT, "--step", "3", given="### Step 3: Docs\n")
    ends = [ultra(*check).data for _ in range(3)]
    assert [(one["exhausted"], one["left"]) for one in ends] == [(False, 2), (False, 1), (True, 0)]
    assert ends[-1]["next"].startswith("stop: tell the user these errors")
    assert (ends[-1]["round"], draft.exists(), (draft.parent / "plan.md").exists()) == (6, True, False)
    assert ultra(*check).data["round"] == 1


def test_a_draft_that_breaks_its_contract_is_not_judged(ultra: Ultra, draft: Path) -> None:
    ultra(*PUT, "--step", "3", given="### Step 3: Docs\n")
    told = ultra(*GATE, given=critic() + guardian())
    assert (told.status, "no round was counted" in told.data["error"]) == (1, True)


def test_good_scores_make_the_draft_the_plan(ultra: Ultra, draft: Path, project: Path) -> None:
    whole = draft.read_text()
    told = ultra(*GATE, given=f"Prose first.\n{critic(risk=4)}and\n{guardian(gaps=4)}")
    assert (told.data["passed"], told.data["failing"]) == (True, [])
    assert (project / "plan.md").read_text() == whole
    assert not draft.exists()
    assert not (project / "logs/plan-gate.json").exists(), "the next draft is counted from the start"


def test_a_weak_manifest_is_never_let_through_and_other_weaknesses_are_told(
    ultra: Ultra, draft: Path, project: Path
) -> None:
    whole = draft.read_text()
    ends = [ultra(*GATE, given=critic(manifest_quality=2, risk=3) + guardian()).data for _ in range(3)]
    assert [one["exhausted"] for one in ends] == [False, False, True]
    assert [one["dimension"] for one in ends[0]["failing"]] == ["manifest_quality", "risk"]
    assert (ends[2]["hard"], "still fails, so there is no" in ends[2]["next"]) == (["manifest_quality"], True)
    assert not (project / "plan.md").exists()
    ultra(*PUT, given=whole)
    ends = [ultra(*GATE, given=critic(risk=3) + guardian()).data for _ in range(3)]
    assert [(one["exhausted"], one["run"] is not None) for one in ends] == [(False, False)] * 2 + [
        (True, True)
    ]
    assert "tell the user each remaining weakness" in ends[2]["next"]
    assert (project / "plan.md").exists()


def test_a_plan_that_is_there_stays_until_the_new_one_passes(
    ultra: Ultra, draft: Path, project: Path
) -> None:
    (project / "plan.md").write_text("the earlier one")
    failed = ultra(*GATE, given=critic(tests=3) + guardian(creep=2)).data
    assert [(one["critic"], one["dimension"]) for one in failed["failing"]] == [
        ("plan-critic", "tests"),
        ("scope-guardian", "creep"),
    ]
    assert failed["failing"][1]["detail"] == ["4: a page"]
    assert (project / "plan.md").read_text() == "the earlier one"
    ultra(*GATE, given=critic() + guardian())
    assert (project / "plan.md").read_text() != "the earlier one"
    assert (project / "plan.2.md").read_text() == "the earlier one"


def test_every_plan_that_was_replaced_is_kept_and_counts_for_nothing(
    ultra: Ultra, draft: Path, project: Path
) -> None:
    text = draft.read_text()
    ultra(*GATE, given=critic() + guardian())
    before = ultra("status", "--project", PROJECT).out, ultra("validate", "project", PROJECT).out
    assert not (project / "plan.2.md").exists()
    for title in ("Plan two", "Plan three"):
        ultra(*PUT, given=text.replace("\n# ", f"\n# {title}: ", 1))
        ultra(*GATE, given=critic() + guardian())
    ultra(*PUT, given=(project / "plan.md").read_text())
    ultra(*GATE, given=critic() + guardian())  # the same text replaces nothing
    assert sorted(path.name for path in project.glob("plan*")) == ["plan.2.md", "plan.3.md", "plan.md"]
    assert (project / "plan.2.md").read_text() == text
    assert "# Plan two: " in (project / "plan.3.md").read_text()
    (project / "plan.md").write_text(text)
    assert (ultra("status", "--project", PROJECT).out, ultra("validate", "project", PROJECT).out) == before


def test_with_quick_the_first_round_is_the_last(ultra: Ultra, draft: Path, project: Path) -> None:
    told = ultra(*GATE, "--quick", given=critic(reuse=3) + guardian())
    assert (told.data["exhausted"], told.data["path"]) == (True, f"{PROJECT}/plan.md")
    assert (project / "plan.md").exists()


def test_without_the_critic_nothing_passes_and_without_the_guardian_it_is_said(
    ultra: Ultra, draft: Path, project: Path
) -> None:
    refused = ultra(*GATE, given=guardian())
    assert (refused.status, "ultra guide agent plan-critic" in refused.data["next"]) == (1, True)
    assert not (project / "plan.md").exists()
    assert ultra(*GATE, given=critic()).data["missing"] == ["scope-guardian"]


def test_a_critic_without_scores_counts_as_weak_everywhere(ultra: Ultra, draft: Path) -> None:
    told = ultra(*GATE, given=fenced({"manifest_quality": "good"}) + guardian())
    assert (len(told.data["failing"]), told.data["hard"]) == (10, ["manifest_quality"])


@pytest.mark.parametrize("given", ["", "no block", "```json\n[1]\n```\n", "```json\n{\n```\n"])
def test_an_answer_that_cannot_be_read_counts_no_round(ultra: Ultra, draft: Path, given: str) -> None:
    told = ultra(*GATE, given=given)
    assert (told.status, told.data["ok"]) == (1, False)
    assert ultra(*GATE, given=critic(risk=1) + guardian()).data["round"] == 1


def test_begin_says_what_there_is_to_plan_from(ultra: Ultra, project: Path) -> None:
    shutil.copy(EXAMPLE / "brief.md", project)
    told = ultra("plan", "begin", "--project", PROJECT).data
    assert (told["source"], told["research"], told["architecture"]) == ("brief", [], {})
    text = (EXAMPLE / "brief.md").read_text().replace("brief_quality: complete", "brief_quality: partial")
    weak = "## Brief Quality\n\nNot settled:\n\n- **Testability, 2 of 5:** no number\n\n## How to continue"
    (project / "brief.md").write_text(text.replace("## How to continue", weak))
    (project / "architecture").mkdir()
    (project / "architecture/README.md").write_text("# Notes\n")
    told = ultra("plan", "begin", "--project", PROJECT).data
    assert told["assumptions"] == ["**Testability, 2 of 5:** no number"]
    assert told["architecture"] == {"overview": f"{PROJECT}/architecture/README.md"}
    assert any(one.startswith("ARCH_NON_CANONICAL_OVERVIEW") for one in told["warnings"])


def test_begin_shows_soft_warnings_of_research_and_a_run_that_has_not_ended(
    ultra: Ultra, project: Path
) -> None:
    shutil.copy(EXAMPLE / "brief.md", project)
    (project / "research").mkdir()
    text = (EXAMPLE / "research/01-where-to-count.md").read_text().replace("confidence: 0.67\n", "")
    (project / "research/01-where-to-count.md").write_text(text)
    (project / "progress.json").write_text('{"status": "in_progress"}')
    told = ultra("plan", "begin", "--project", PROJECT).data
    assert any(one.startswith("RESEARCH_NO_CONFIDENCE") for one in told["warnings"])
    assert any("has not ended (in_progress)" in one for one in told["warnings"])


def test_begin_with_a_brief_from_elsewhere_makes_its_project(ultra: Ultra, repo: Path) -> None:
    text = (EXAMPLE / "brief.md").read_text().replace("slug: rate-limit", "slug: other")
    (repo / "brief.md").write_text(text.replace("2026-01-31-rate-limit/", "2026-01-30-gone/"))
    told = ultra("plan", "begin", "--brief", "brief.md").data
    assert told["project"].endswith("-other")
    assert (repo / told["project"] / "research").is_dir()


def test_begin_with_a_review_takes_up_the_grave_findings_alone(ultra: Ultra, project: Path) -> None:
    shutil.copy(EXAMPLE / "review.md", project)
    told = ultra("plan", "begin", "--brief", f"{PROJECT}/review.md").data
    assert [one["severity"] for one in told["goals"]] == ["BLOCKER", "BLOCKER", "MAJOR", "MAJOR"]
    clean = (EXAMPLE / "review.md").read_text()
    for word in ("BLOCKER", "MAJOR"):
        clean = clean.replace(f"## Findings ({word})", "## Findings (MINOR)")
    (project / "review.md").write_text(clean)
    assert (
        "no finding of this review has to be fixed"
        in ultra("plan", "begin", "--brief", f"{PROJECT}/review.md").data["next"]
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--project", "nowhere"], "there is no project directory nowhere"),
        (["--brief", "README.md"], "README.md is not a valid brief"),
        ([], "missing --project DIR or --brief FILE"),
    ],
)
def test_begin_with_nothing_to_plan_from_changes_nothing(
    ultra: Ultra, repo: Path, words: list[str], error: str
) -> None:
    (repo / "README.md").write_text("# Hello\n")
    before = tree_of(repo)
    told = ultra("plan", "begin", *words)
    assert told.data["error"].startswith(error)
    assert tree_of(repo) == before


def test_planning_without_answers_to_the_topics_is_told(ultra: Ultra, project: Path) -> None:
    text = (EXAMPLE / "brief.md").read_bytes()
    (project / "brief.md").write_bytes(with_digest(text))
    told = ultra("plan", "begin", "--project", PROJECT).data["warnings"]
    assert [one.split(":")[0] for one in told] == ["RESEARCH_TOPIC_UNANSWERED"]
    skipped = text.replace(b"research_status: complete", b"research_status: skipped")
    partial = skipped.replace(b"brief_quality: complete", b"brief_quality: partial")
    (project / "brief.md").write_bytes(with_digest(partial))
    assert ultra("plan", "begin", "--project", PROJECT).data["warnings"] == []


def test_begin_says_whether_the_brief_was_reviewed_and_what_the_agents_cost(
    ultra: Ultra, project: Path
) -> None:
    text = (EXAMPLE / "brief.md").read_text()
    (project / "brief.md").write_bytes(with_digest(text.encode()))
    told = ultra("plan", "begin", "--project", PROJECT).data
    assert (told["reviewed"], told["agents"]) == (True, 2 + 2 * 3)
    assert told["billing"] == "agents use the account that this client is logged in with"
    (project / "brief.md").write_text(text)
    ultra.env["ANTHROPIC_API_KEY"] = "x"
    told = ultra("plan", "begin", "--project", PROJECT, "--quick").data
    assert (told["reviewed"], told["agents"]) == (False, 2 + 2 + 1)
    assert told["billing"] == "agents are billed to ANTHROPIC_API_KEY"


@pytest.mark.parametrize("words", [[], ["--quick"]])
def test_the_explorers_of_a_review_are_answered_too(ultra: Ultra, project: Path, words: list[str]) -> None:
    shutil.copy(EXAMPLE / "review.md", project)
    told = ultra("plan", "begin", "--brief", f"{PROJECT}/review.md", *words).data
    names = [f"{NAME}:dependency-tracer", f"{NAME}:test-strategist"]
    assert told["explorers"] == names


def remedy(project: Path) -> None:
    """Put a plan there that takes up every goal of the review, which is older."""
    shutil.copy(EXAMPLE / "review.md", project)
    os.utime(project / "review.md", (1_000_000, 1_000_000))
    ids = [line[4:] for line in (project / "review.md").read_text().split("\n") if line.startswith("  - ")][
        :4
    ]
    listed = "".join(f"  - {one}\n" for one in ids)
    text = (EXAMPLE / "plan.md").read_text()
    (project / "plan.md").write_text(
        text.replace('plan_version: "1.7"\n', f'plan_version: "1.7"\nsource_findings:\n{listed}')
    )
    os.utime(project / "plan.md", (2_000_000, 2_000_000))


@pytest.mark.parametrize(
    ("status", "of_this_plan", "is_remedy"),
    [("completed", True, True), ("partial", True, False), ("completed", False, False)],
)
def test_a_review_whose_goals_were_fixed_is_not_planned_again(
    ultra: Ultra, project: Path, status: str, of_this_plan: bool, is_remedy: bool
) -> None:
    remedy(project)
    plan = (project / "plan.md").read_bytes() if of_this_plan else b"another"
    run = {"status": status, "plan_digest": hashlib.sha256(plan).hexdigest()}
    (project / "progress.json").write_text(json.dumps(run))
    told = ultra("plan", "begin", "--brief", f"{PROJECT}/review.md").data
    assert (COMMANDS["review"] in told["next"], len(told["warnings"])) == (is_remedy, is_remedy)
    assert ("ultra guide plan remediation" in told["next"]) is not is_remedy


@pytest.mark.parametrize(
    ("of_this_plan", "is_remedy"),
    [([True, True, True], True), ([True, False, True], False), ([True, True], False)],
)
def test_a_plan_that_was_fixed_by_sessions_is_not_planned_again(
    ultra: Ultra, project: Path, of_this_plan: list[bool], is_remedy: bool
) -> None:
    remedy(project)
    for number, is_own in enumerate(of_this_plan, 1):
        plan = (project / "plan.md").read_bytes() if is_own else b"another"
        run = {"status": "completed", "plan_digest": hashlib.sha256(plan).hexdigest()}
        (project / f"progress-session-{number}.json").write_text(json.dumps(run))
    told = ultra("plan", "begin", "--brief", f"{PROJECT}/review.md").data
    assert (COMMANDS["review"] in told["next"]) is is_remedy


def test_a_project_and_a_brief_exclude_each_other(ultra: Ultra) -> None:
    told = ultra("plan", "begin", "--project", PROJECT, "--brief", "x.md")
    assert (told.status, told.data["error"]) == (2, "--project and --brief cannot be used together")


@pytest.mark.parametrize("stated", ["none", "", "- none.", "- It is 100 a minute."])
def test_the_plan_of_a_partial_brief_states_its_assumptions(
    ultra: Ultra, draft: Path, project: Path, stated: str
) -> None:
    text = (EXAMPLE / "brief.md").read_text().replace("brief_quality: complete", "brief_quality: partial")
    weak = "## Brief Quality\n\n- **Testability, 2 of 5:** no number\n\n## How to continue"
    (project / "brief.md").write_text(text.replace("## How to continue", weak))
    draft.write_text(re.sub(r"(## Assumptions\n\n)[^#]*", rf"\g<1>{stated}\n\n", draft.read_text()))
    for words, given in ((["--self-check"], ""), ([], critic() + guardian())):
        told = ultra(*GATE, *words, given=given)
        assert (told.data["ok"], told.status) == ((True, 0) if "100" in stated else (False, 1))
        if "100" not in stated:
            assert "no number" in told.data["next"]
            assert draft.exists()


def test_degraded_work_and_a_missing_critic_stand_in_the_plan(
    ultra: Ultra, draft: Path, project: Path
) -> None:
    assert ultra(*GATE, "--degraded", given=critic()).data["passed"] is True
    text = (project / "plan.md").read_text()
    assert "Degraded: no agent could be spawned" in text
    assert "Reviewed without scope-guardian, which gave no answer.\n\n## Implementation Plan" in text
    assert ultra("validate", "plan", f"{PROJECT}/plan.md", "--strict").data["valid"] is True


def test_the_gate_says_whether_sessions_are_worth_trying(ultra: Ultra, project: Path) -> None:
    for steps, worth in ((5, False), (6, True)):
        ultra(*PUT, given=plan(steps))
        told = ultra(*GATE, given=critic() + guardian()).data
        assert (told["steps"], told["sessions"]) == (steps, worth)


def test_every_end_without_a_plan_names_the_command_to_try_again(ultra: Ultra, draft: Path) -> None:
    command = f"`{COMMANDS['plan']} --project {PROJECT}` tries again"
    weak = ultra(*GATE, "--quick", given=critic(manifest_quality=2) + guardian()).data
    assert (weak["exhausted"], command in weak["next"]) == (True, True)
    ultra(*PUT, "--step", "3", given="### Step 3: Docs\n")
    ends = [ultra(*GATE, "--self-check").data["next"] for _ in range(3)]
    assert [command in one for one in ends] == [False, False, True]
