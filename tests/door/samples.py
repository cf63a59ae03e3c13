"""Artifacts that keep their contracts, and answers of reviewers, short enough to read."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.kit.names import COMMANDS
from ultra_runtime.brief.gate import with_digest

BRIEF = f"""\
---
type: ultrabrief
brief_version: 2.0
created: 2026-01-31
task: Limit the rate of requests
slug: rate-limit
project_dir: .claude/projects/2026-01-31-rate-limit/
research_topics: 1
research_status: pending   # nobody has begun
---

# Rate limit

## Intent

Users get errors when one of them sends too much.

## Goal

Every user has a limit of their own, "quoted", with $HOME and `ticks`.

## Success Criteria

- The 101st request of a minute is answered with 429.

```sh
## Goal
cat <<'EOF'
EOF
```

## Research Plan

### Topic 1: Stores

- **Research question:** Which store can count per user?
- **Required for plan steps:** the choice of the store
- **Scope:** both
- **Confidence needed:** high
- **Estimated cost:** quick

## Prior Attempts

Ask for a plan.

## How to continue

    {COMMANDS["research"]} --project .claude/projects/2026-01-31-rate-limit
    {COMMANDS["plan"]} --project .claude/projects/2026-01-31-rate-limit

- Topic 1: Which store can count per user?
"""
RESEARCH = """\
---
type: ultraresearch-brief
created: 2026-01-31
question: Which store can count per user?
confidence: 0.8
---

## Executive Summary

One can.

## Dimensions

### Speed

Fast enough.
"""
COMPLETE = with_digest(BRIEF.replace("begun\n---", "begun\nbrief_quality: complete\n---").encode()).decode()
FINDING = "a" * 40
REVIEW = f"""\
---
type: ultrareview
review_version: 1.0
task: Limit the rate of requests
slug: rate-limit
project_dir: .claude/projects/2026-01-31-rate-limit/
brief_path: .claude/projects/2026-01-31-rate-limit/brief.md
scope_sha_end: 0123456789abcdef0123456789abcdef01234567
reviewed_files_count: 1
findings:
  - {FINDING}
---

## Executive Summary

One thing is wrong.

## Coverage

- `src/limit.py`: deep-reviewed

## Findings (MAJOR)

### {FINDING}

- **Rule:** off-by-one
- **Location:** src/limit.py:3
- **Message:** The 101st request passes.
- **Evidence:** "if count > 101:"
- **Fix:** Compare with 100.

## Remediation Summary

Fix the comparison.
"""

DIMENSIONS = (
    "brief_coverage", "step_size", "order_and_dependencies", "files_exist", "reuse", "tests", "verify_quality",
    "failure_handling", "risk", "manifest_quality",
)  # fmt: skip
DETAILS = {
    "completeness": "gaps",
    "consistency": "issues",
    "testability": "weak_criteria",
    "scope_clarity": "unclear_sections",
    "research_plan": "invalid_topics",
}


def step(number: int, title: str = "Count", file: str = "src/limit.py") -> str:
    """Return one step of a plan."""
    return f"""\
### Step {number}: {title}

- **Files:** `{file}`
- **Changes:** Count the requests.
- **Verify:** `true`
- **On failure:** revert
- **Checkpoint:** `git commit -m "feat: count requests {number}"`
- **Manifest:**

  ```yaml
  manifest:
    expected_paths:
      - {file}
    min_file_count: 1
    commit_message_pattern: "^feat: count"
    bash_syntax_check: []
    forbidden_paths: []
    must_contain: []
  ```
"""


def plan(steps: int = 2) -> str:
    """Return a plan with so many steps."""
    body = "\n".join(step(number) for number in range(1, steps + 1))
    head = '---\nplan_version: "1.7"\n---\n\n# Plan\n\n## Implementation Plan\n\n'
    return f"{head}{body}\n## Verification\n\n- `true`\n"


def answer(
    scores: Mapping[str, int] | None = None,
    verdict: str | None = "PROCEED",
    prose: str = "",
    details: Mapping[str, object] | None = None,
) -> str:
    """Return a reviewer's answer, 5 where no score is given, with a detail for each score below 4."""
    block: dict[str, object] = {}
    for name, key in DETAILS.items():
        score = (scores or {}).get(name, 5)
        wrong: object = (
            [{"topic": "Stores", "issue": "vague"}] if name == "research_plan" else [f"{name} is weak"]
        )
        block[name] = {"score": score, key: (details or {}).get(name, wrong if score < 4 else [])}
    if verdict:
        block["verdict"] = verdict
    return f"# Review\n\n{prose}\n\n```json\n{json.dumps(block, indent=2)}\n```\n"
