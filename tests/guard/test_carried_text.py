"""Programs that run text although that is not their work, and programs in other languages: what they run is found."""

from __future__ import annotations

import re

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.rows import CASES
from tests.kit.table import each

POLICY = policy()
BAD, GOOD, RULE = "rm -rf d", "ls -rf d", "recursive_force_delete"
# Where BAD stands it is run.
# Files and texts beside that of a shell, and what xargs leaves of quotes.
BESIDE = re.compile("ENV=|--rcfile|--init-file|PROMPT_COMMAND|[|] xargs [|]")
RUN = (CASES / "run_text.txt").read_text().splitlines()


@each(RUN)
def test_text_that_is_run_is_followed(row: str) -> None:
    assert verdict_for(row.replace("BAD", BAD), POLICY).rule in (RULE, "eval_expansion"), "not seen"


@each(row for row in RUN if "BAD" in row)
def test_the_same_with_a_harmless_text_passes(row: str) -> None:
    assert verdict_for(row.replace("BAD", GOOD), POLICY).rule in ("", "eval_expansion", "cron_persistence")


# Text that is not run.
NOT_RUN = (CASES / "not_run_text.txt").read_text().splitlines()


@each(NOT_RUN)
def test_text_that_is_not_run_is_left_alone(row: str) -> None:
    assert verdict_for(row.replace("BAD", BAD), POLICY).rule == ""


@each(row for row in RUN if "'BAD'" in row)
def test_only_a_shell_must_be_able_to_read_its_text(row: str) -> None:
    """What another program is given may be no text for a shell at all."""
    verdict = verdict_for(row.replace("BAD", 'a "b'), POLICY)
    assert verdict.unreadable == bool(re.search(r"(?<!-)\b(sh|bash|eval)\b", row) and not BESIDE.search(row))
    assert verdict.rule in ("", "unreadable")
