"""Plans that ask for something odd: a pattern over a loop of links, a Verification that runs nowhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.sample import Repo, plan, step

Make = Callable[..., Repo]


def test_a_pattern_over_links_that_lead_back_ends(make: Make) -> None:
    found = ["src/**/*.py"]
    repo = make(plan(step(1, found, verify="ls src/new/part.py", expected_paths=found, min_file_count=1)))
    for name in ("src/loop", "src/new/loop", "src/new/up"):
        (repo.folder / name).parent.mkdir(exist_ok=True)
        (repo.folder / name).symlink_to("../src" if name == "src/loop" else "../../src")
    repo.start()
    repo.do_step(1, {"src/new/part.py": "part\n"})
    done = repo.ok("run finish")
    assert done["result"] == "completed", done
    assert repo.git("show", "--format=", "--name-only", "HEAD") == "src/new/part.py"


@pytest.mark.soak
def test_a_verification_that_runs_in_no_checkout_is_partial_and_nothing_is_lost(make: Make) -> None:
    repo = make(plan(step(1), verification="no-such-program --check"))
    repo.write({"mine.txt": "mine\n"})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    before = repo.tree()
    done = repo.ok("run finish")
    assert done["result"] == "partial"
    assert done["why"][0].startswith("`no-such-program --check` failed with exit status 127, see ")
    assert repo.tree() == before
    assert repo.ultra("audit .claude/projects/2026-01-31-greet/plan.md")["status"] == "drift"
