"""What a user, a second call or a reboot does while waves are under way: a sentence each, and nothing is lost."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit.calls import ISOLATED
from tests.waves.lives import DIED, MINE, SERVED, cut_off, live
from tests.waves.processes import kill_all, processes_of
from tests.waves.sample import PLAN, PROJECT, QUICK, TWO_WAVES, Waves, part

Make = Callable[..., Waves]
RESUME = f"`ultra waves resume {PLAN}`"


def switch(repo: Waves) -> str:
    repo.git("switch", "--quiet", "--create", "other")
    return f"other is checked out instead of main: `git switch main`, then {RESUME}"


def detach(repo: Waves) -> str:
    repo.git("checkout", "--quiet", "--detach")
    return f"HEAD is detached instead of main: `git switch main`, then {RESUME}"


def commit(repo: Waves) -> str:
    repo.write({"mine.txt": "mine, changed\n"})
    repo.git("commit", "--quiet", "--all", "--message=docs: mine")
    return f"main has commits that were made meanwhile: {RESUME} merges onto them"


def rewrite(repo: Waves) -> str:
    repo.git("commit", "--quiet", "--amend", "--message=docs: mine, in other words")
    return "main was rewritten meanwhile and no longer contains "


def go_back(repo: Waves) -> None:
    repo.git("switch", "--quiet", "main")


def merge_as_told(repo: Waves) -> None:
    """Do what the sentence says."""
    why = repo.ok("waves wait")["why"][0]
    repo.git("merge", "--quiet", "--no-edit", why.partition("`git merge ")[2][:12])


def nothing(_: Waves) -> None:
    """The sentence asks for nothing but to resume."""


ACTS = ((switch, go_back), (detach, go_back), (commit, nothing), (rewrite, merge_as_told))


def test_a_user_who_works_on_the_branch_gets_a_sentence_and_keeps_everything(make: Make) -> None:
    repo = cut_off(make, "before advance 1")
    for act, remedy in ACTS:
        sentence = act(repo)
        head, branch = repo.git("rev-parse", "HEAD"), repo.git("branch", "--show-current")
        assert live(repo) == SERVED
        end = repo.ok("waves wait")
        assert end["result"] == "stopped"
        assert sentence in end["why"][0], end["why"]
        assert (repo.git("rev-parse", "HEAD"), repo.git("branch", "--show-current")) == (head, branch)
        assert repo.git("status", "--porcelain") == ""
        remedy(repo)
        (repo.folder.parent / "deaths").unlink()
        assert live(repo, "kill before advance 1") == DIED
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    assert [repo.read(part(number)) for number in (1, 2, 3)] == [f"part {number}\n" for number in (1, 2, 3)]
    assert repo.read("mine.txt") == "mine, changed\n"
    assert sorted(repo.branches()) == ["main", "other"]
    assert (repo.trees(), processes_of(repo)) == ([], [])


def test_two_supervisors_and_two_calls_at_once_serve_a_plan_once(make: Make) -> None:
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    words = [str(repo.command), "waves", "start", PLAN, "--jobs", "2", "--json"]
    both = [subprocess.Popen(words, cwd=repo.folder, env=repo.env, stdout=subprocess.PIPE) for _ in range(2)]
    said = [one.communicate(timeout=60)[0] for one in both]
    assert sorted(one.returncode for one in both) == [0, 1], said
    refusal = next(text.decode() for text in said if b'"ok":false' in text)
    assert "of this plan are un" in refusal or "serves this plan" in refusal  # under way, or unfinished
    child = repo.bundle / "runtime/ultra_runtime/waves/child_process.py"
    subprocess.run(
        [*ISOLATED, str(child), str(repo.folder), PLAN, PROJECT], env=repo.env, check=True, timeout=60
    )
    assert repo.wait()["result"] == "completed"
    kill_all(repo)  # the second supervisor may still wait for the lock
    acts = [row["act"] for row in repo.journal()]
    assert (acts.count("begin"), acts.count("over"), acts.count("merged")) == (1, 1, 3)
    assert len(repo.git("log", "--merges", "--format=%s").split("\n")) == 3


def test_a_reboot_with_process_ids_that_others_have_now(make: Make) -> None:
    """All processes are gone, and the ids that were written down belong to a process of somebody else."""
    repo = make(TWO_WAVES, files=QUICK)
    repo.play({"1": ["slow"], "2": ["slow"]})
    repo.ok(f"waves start {PLAN} --jobs 2")
    try:
        repo.until("lease", 2)
        started(repo)
        kill_all(repo)
        stranger = subprocess.Popen(["sleep", "600"], start_new_session=True)
        try:
            assert give_away(repo.folder / ".git", stranger.pid)
            assert repo.ok("waves wait --seconds 0.1")["next"] == f"the supervisor is gone: {RESUME}"
            assert "interrupted" in repo.ok("status")["waves"]
            repo.ok(f"waves resume {PLAN}")
            assert repo.wait()["result"] == "completed"
            assert stranger.poll() is None
        finally:
            stranger.kill()
            stranger.wait(timeout=10)
        assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])
    finally:
        kill_all(repo)


def started(repo: Waves) -> None:
    """Wait until a run of a session has an owner."""
    repo.eventually(lambda: any((repo.folder / ".git").rglob("owner*")) or bool(repo.seen()))


def give_away(folder: Path, pid: int) -> int:
    """Replace every process id in the records of a git dir, and return how many there were."""
    import re

    count = 0
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in (".json", "") and path.stat().st_size < 100_000:
            data = path.read_bytes()
            new, found = re.subn(rb'"pid":\s*[1-9]\d*', b'"pid": %d' % pid, data)
            if found:
                path.write_bytes(new)
                count += found
    return count
