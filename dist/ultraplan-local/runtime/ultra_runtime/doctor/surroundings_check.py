"""The checks of `doctor` on what a run needs around it: bash, git with an identity, and the folder that the client reads."""

from __future__ import annotations

import os

from ultra_runtime.doctor.one_check import FAIL, OK, WARN, Check
from ultra_runtime.files.git import run_git
from ultra_runtime.files.process import NotStartedError, capture, which
from ultra_runtime.rendered import BUNDLE
from ultra_runtime.words import one_line, shell_word

OLDEST_GIT = (2, 24)  # the first that knows --end-of-options
CONFIG = "CLAUDE_CONFIG_DIR"


def bash_check() -> Check:
    """Say which bash runs the commands of a plan."""
    found = which("bash")
    if found is None:
        return Check("bash", FAIL, "bash is not on PATH", "install bash: it runs the commands of a plan")
    try:
        said = capture([found, "--version"], os.environ, seconds=5).out.decode("utf-8", "replace")
    except NotStartedError:
        said = ""
    if "bash" not in said:
        return Check("bash", FAIL, f"{found} does not start", "install bash: it runs the commands of a plan")
    return Check("bash", OK, f"{one_line(said.splitlines()[0], 100)} at {found}")


def git_checks(folder: str) -> list[Check]:
    """Say whether git is here, new enough, and knows who commits."""
    found = which("git")
    if found is None:
        return [Check("git", FAIL, "git is not on PATH", "install git: plans run in a git repository")]
    said = run_git(folder, ["--version"]).out.decode("utf-8", "replace").split()
    version = said[2] if len(said) > 2 else ""
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        return [
            Check("git", FAIL, f"{found} is version {one_line(version)}", f"install git {oldest} or newer")
        ]
    return [Check("git", OK, f"git {one_line(version)} at {found}"), _identity(folder)]


def _identity(folder: str) -> Check:
    done = run_git(folder, ["var", "GIT_COMMITTER_IDENT"])
    if done.status:
        said = done.err.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        remedy = "run: git config --global user.name NAME; git config --global user.email ADDRESS"
        return Check("git identity", WARN, f"git cannot commit here: {one_line(said[-1], 200)}", remedy)
    who = done.out.decode("utf-8", "replace").rpartition(">")[0]
    return Check("git identity", OK, f"{one_line(who, 200)}>")


def client_folder() -> str:
    """Return the folder that the client reads."""
    return os.environ.get(CONFIG) or os.path.join(os.path.expanduser("~"), ".claude")


def folder_check(root: str | None) -> Check:
    """Say which folder the client reads, and whether this copy of the plugin is in a folder that it does not."""
    folder = client_folder()
    why = f"{CONFIG} is set" if os.environ.get(CONFIG) else f"{CONFIG} is not set"
    skills, above = os.path.split(os.path.dirname(BUNDLE))[::-1]
    read = [os.path.realpath(one) for one in (folder, os.path.join(root, ".claude") if root else folder)]
    if skills == "skills" and os.path.realpath(above) not in read:
        message = f"the client reads {folder} ({why}), and not {above}, where this copy is"
        remedy = (
            f"start the client with {CONFIG}={shell_word(above)}, or install again with {CONFIG} as it is now"
        )
        return Check("client folder", WARN, message, remedy)
    if os.environ.get(CONFIG) and not os.path.isdir(folder):
        message = f"the client reads {folder} ({why}), which does not exist"
        return Check("client folder", WARN, message, f"unset {CONFIG}, or create the folder")
    return Check("client folder", OK, f"the client reads {folder} ({why})")
