"""The board: a page of all projects on this machine alone that shows what changes, and changes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.client.binary import in_ci
from tests.executor import accessible
from tests.executor.sample import PROGRESS, PROJECT, Repo, Stand, plan, step
from tests.executor.status_sample import finished, plan_text
from tests.kit import programs
from tests.kit.names import LAUNCHER

Make = Callable[..., Repo]


@contextmanager
def board(repo: Repo) -> Iterator[str]:
    """Serve the board of a repository and give its address."""
    command = [str(repo.bundle / "bin" / LAUNCHER), "board"]
    with subprocess.Popen(
        command, cwd=repo.folder, env=repo.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        try:
            assert served.stdout is not None
            address = served.stdout.readline().strip()
            assert served.stdout.readline() == "Ctrl-C ends it.\n"
            yield address
            served.send_signal(signal.SIGINT)
            out, err = served.communicate(timeout=30)
            assert (served.returncode, out, err) == (0, "The board has ended.\n", "")
        finally:
            served.kill()


def ask(address: str, **headers: str) -> tuple[int, str, str]:
    """Return status, text and tag of an address."""
    request = urllib.request.Request(  # noqa: S310
        address, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as told:  # noqa: S310
            return told.status, told.read().decode(), told.headers["ETag"]
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read().decode(), problem.headers["ETag"] or ""


def snapshot(repo: Repo) -> dict[str, bytes]:
    """Return every file of the repository."""
    return {
        str(path): path.read_bytes()
        for path in repo.folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.mark.soak
def test_it_shows_every_project_and_what_its_links_lead_to(stand: Stand) -> None:
    repo = stand(finished, plan_text())
    repo.write({".claude/projects/2026-02-01-other/brief.md": repo.read(f"{PROJECT}/brief.md")})
    before = snapshot(repo)
    with board(repo) as address:
        assert address.startswith("http://127.0.0.1:")
        status, text, tag = ask(address)
        assert status == 200
        for shown in (
            "2026-02-01-other",
            "Keep the counters in the store",
            "What it printed last",
            "[exit status 1]",
        ):
            assert shown in text, shown
        assert ask(address, If_None_Match=tag)[:2] == (304, "")
        commit = repo.git("rev-parse", "HEAD")
        assert f'href="commit/{commit}"' in text
        assert f"commit {commit}" in ask(f"{address}commit/{commit}")[1]
        assert f'href="file/{PROJECT}/plan.md"' in text
        assert ask(f"{address}file/{PROJECT}/plan.md")[1] == repo.read(f"{PROJECT}/plan.md")
        assert ask(f"{address}file/{PROJECT}/logs/step-4-verify-1.log")[1].startswith("$ false")
        repo.write({PROGRESS: json.dumps({**repo.progress(), "status": "failed"})})
        assert ask(address, If_None_Match=tag)[0] == 200
    repo.write({PROGRESS: before[str(repo.folder / PROGRESS)]})
    assert snapshot(repo) == before


def test_nobody_without_the_address_reads_anything(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.write({"secret.txt": "not in git"})
    with board(repo) as address:
        origin, _, token = address[:-1].rpartition("/")
        port = origin.rpartition(":")[2]
        assert ask(f"http://localhost:{port}/{token}/")[0] == 200
        assert [ask(where)[0] for where in (f"{origin}/", f"{address}file/secret.txt")] == [404, 404]
        request = urllib.request.Request(address, data=b"x", method="POST")  # noqa: S310
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)  # noqa: S310
        refused.value.close()
        assert refused.value.code == 501
        assert f"port {port} cannot be used" in repo.refused(f"board --port {port}")


def test_it_ends_with_its_terminal(make: Make) -> None:
    repo = make(plan(step(1)))
    terminal, inner = os.openpty()
    command = [str(repo.bundle / "bin" / LAUNCHER), "board"]

    def lead() -> None:
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with subprocess.Popen(
        command, cwd=repo.folder, env=repo.env, stdin=inner, stdout=inner, stderr=inner, preexec_fn=lead
    ) as served:
        try:
            os.close(inner)
            said = b""
            while b"ends it" not in said:
                said += os.read(terminal, 1000)
            os.close(terminal)
            assert served.wait(30) == -signal.SIGHUP
        finally:
            served.kill()


@pytest.mark.soak
def test_status_is_shown_again_when_it_changes(make: Make) -> None:
    repo = make(plan(step(1)))
    command = [str(repo.bundle / "bin" / LAUNCHER), "status", "--watch", "--json"]
    with subprocess.Popen(
        command, cwd=repo.folder, env=repo.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watch:
        try:
            assert watch.stdout is not None
            assert '"stage":"execute"' in watch.stdout.readline()
            repo.start("--mode", "fg")
            assert "step 1" in watch.stdout.readline().lower()
            watch.send_signal(signal.SIGINT)
            assert watch.communicate(timeout=30) == ("", "")
            assert watch.returncode == 130
        finally:
            watch.kill()


def test_a_page_goes_where_git_does_not_see_it_or_to_standard_output(stand: Stand) -> None:
    repo = stand(finished, plan_text())
    before = repo.git("status", "--porcelain")
    assert repo.ok("status --html")["html"] == f"{PROJECT}/logs/status.html"
    page = repo.read(f"{PROJECT}/logs/status.html")
    assert 'href="../plan.md"' in page
    assert 'href="step-4-verify-1.log"' in page
    assert repo.git("status", "--porcelain") == before
    assert repo.say("status", "--html", "-").out.startswith("<!DOCTYPE html>")
    repo.write({".claude/projects/2026-02-01-other/brief.md": repo.read(f"{PROJECT}/brief.md")})
    assert "the page needs a name" in repo.refused("status --html")
    repo.ok("status --html all.html")
    assert 'id="2026-02-01-other"' in repo.read("all.html")
    assert 'href=".claude/projects/2026-01-31-greet/plan.md"' in repo.read("all.html")


@pytest.mark.parametrize(("width", "scheme"), [(1060, "light"), (360, "dark")])
def test_a_browser_finds_nothing_that_somebody_cannot_use(
    stand: Stand, tmp_path: Path, width: int, scheme: str
) -> None:
    browser = programs.chromium()
    if browser is None:  # as for the client: a person may do without it, a build server may not
        (pytest.fail if in_ci() else pytest.skip)(programs.missing("chromium"))
    repo = stand(finished, plan_text())
    repo.write({".claude/projects/2026-02-01-other/brief.md": repo.read(f"{PROJECT}/brief.md")})
    repo.ok("status --html all.html")
    said = accessible.look(browser, repo.read("all.html"), tmp_path, width, scheme)
    assert said["passes"] > 15
    assert said["violations"] == []
    assert said["wider"] <= 0
