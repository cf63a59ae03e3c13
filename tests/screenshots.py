"""Open the page of a sample project in a real browser, check what it shows, and take the pictures for the README.

python -m tests.screenshots [FOLDER]
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.built import rendered
from tests.executor.sample import PROJECT, Repo
from tests.executor.status_sample import TITLES, finished, plan_text
from tests.kit import programs
from tests.kit.names import ROOT, SOURCES
from tests.waves.processes import kill_all
from tests.waves.sample import PLAN, QUICK, Waves, twenty_sessions

MISSING = "screenshots: Chromium is not installed: `apt-get install chromium` (as root, on Debian) brings it, then run this again"
WIDTH, HEIGHT = 1060, 1275
LARGEST = 200_000
SCHEMES = {"light": 1, "dark": 0}
IN_WAVES = (
    "Wave 1",
    "Wave 2",
    "Wave 3",
    "merged",
    "running",
    "failed",
    "waiting",
    "attempt 1",
    "Invalid API key",
)
SHOWN = (*TITLES.values(), "Findings of the review", f"--brief {PROJECT}/review.md")
COMPLAINTS = ("Refused to", "ERR_", "Content Security Policy", "Uncaught")


def main() -> int:
    """Take the pictures and return the exit status."""
    browser = programs.chromium()
    if browser is None:
        print(MISSING, file=sys.stderr)
        return 1
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "tests" / "pictures")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle, python = rendered(SOURCES, folder / "rendered"), folder / "python"
        python.mkdir()
        (python / "python3").symlink_to(sys.executable)
        for kind, make, shown in (("status", sample_page, SHOWN), ("waves", waves_page, IN_WAVES)):
            (folder / kind).mkdir()
            page = make(folder / kind, bundle, python)
            check(browser, page, shown)
            for scheme in SCHEMES:
                picture = out / f"{kind}-{scheme}.png"
                take(browser, page, scheme, picture)
                print(f"{picture} ({picture.stat().st_size} bytes)")
    return 0


def sample_page(folder: Path, bundle: Path, python: Path) -> Path:
    """Run the sample project and write its page."""
    repo = Repo(folder / "repo", bundle, python)
    repo.env.update(
        dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-31T12:00:00Z")
    )  # same commits
    finished(repo.create(plan_text()))
    return write_page(repo)


def waves_page(folder: Path, bundle: Path, python: Path) -> Path:
    """Run twenty sessions until one of the second wave has failed and others run, and write the page."""
    repo = Waves(folder / "repo", bundle, python).create(twenty_sessions(), QUICK)
    repo.play({"9": ["half", "hang"], "10": ["hang"], "11": ["login"], "12": ["hang"]})
    try:
        repo.ok(f"waves start {PLAN} --jobs 4")
        repo.eventually(lambda: repo.states().get(11) == "failed" and len(repo.seen()) >= 13)
        return write_page(repo)
    finally:
        kill_all(repo)


def write_page(repo: Repo) -> Path:
    """Write the page of the project in a repository."""
    page = repo.folder.parent / "page.html"
    told = repo.say("status", "--html", str(page))
    assert told.status == 0, told.err
    return page


def start(browser: str, page: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Open the page headless, with a profile of its own and no way to any network."""
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--enable-logging=stderr",
        f"--user-data-dir={page.parent / 'profile'}",
        f"--window-size={WIDTH},{HEIGHT}",
    ]
    command = [browser, *options, *words, page.as_uri()]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)


def check(browser: str, page: Path, shown: Sequence[str]) -> None:
    """Fail unless the browser has everything on the page and nothing to complain of."""
    done = start(browser, page, "--dump-dom")
    missing = [words for words in shown if words not in done.stdout]
    said = [
        line
        for line in done.stderr.splitlines()
        if "CONSOLE" in line and any(one in line for one in COMPLAINTS)
    ]
    if missing or said:
        raise SystemExit(f"screenshots: not on the page: {missing}; the browser says: {said}")


def take(browser: str, page: Path, scheme: str, picture: Path) -> None:
    """Take one picture and see that it is one."""
    picture.unlink(missing_ok=True)
    start(
        browser, page, f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", f"--screenshot={picture}"
    )
    data = picture.read_bytes()
    size = struct.unpack(">II", data[16:24])
    if size != (WIDTH, HEIGHT) or not 20_000 < len(data) < LARGEST:
        raise SystemExit(
            f"screenshots: {picture} is {size} and {len(data)} bytes, which is not the picture of a page"
        )


if __name__ == "__main__":
    sys.exit(main())
