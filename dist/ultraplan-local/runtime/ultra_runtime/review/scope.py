"""What a review looks at: from which commit to which, which files, and where the reviewers read the differences."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.atomic import Folder, write_file
from ultra_runtime.files.git_facts import ask_git, commit_of
from ultra_runtime.files.project import Project, find_project, make_subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.files.secret_files import without_secrets
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.review.remediation import taken_up
from ultra_runtime.review.triage import DEEP, SKIPPED, SUMMARY, changed_after, changed_since, judge
from ultra_runtime.text import frontmatter
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.review.triage import Changed

LOGS = "logs"
SCOPE_FILE = "review-scope.json"
DIFF_FILE = "review-scope.diff"
FINDINGS_FILE = "review-findings.json"
BRIEF = "brief.md"
REVIEW = "review.md"
RUN_REFS = f"refs/{launcher()}/run"
START_FIELD = "session_start_sha"
CONTEXT_LINES = "8"


class Scope:
    """The commits, the files and how the start was found."""

    __slots__ = ("end", "files", "source", "start")

    def __init__(self, start: str | None, end: str, source: str, files: list[Changed]) -> None:
        self.start = start
        self.end = end
        self.source = source
        self.files = files

    def counts(self) -> dict[str, int]:
        """Return how many files each depth has."""
        return {depth: sum(one.depth == depth for one in self.files) for depth in (DEEP, SUMMARY, SKIPPED)}


def choose_project(given: str | None) -> Project:
    """Return the project that was named, or the one that was worked on last."""
    if given is not None:
        return find_project(given)
    root = find_root(current_folder())
    folder = os.path.join(root, PROJECTS) if root else ""
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        times = [_time(os.path.join(folder, name, part)) for part in ("progress.json", "plan.md", BRIEF)]
        if times[-1]:
            found.append((max(times), name))
    if not found:
        raise RefusedError(
            "no project here has a brief to hold the work against", "name one with --project DIR"
        )
    return find_project(os.path.join(folder, max(found)[1]))


def find_scope(project: Project, since: str | None) -> Scope:
    """Return what changed since the named commit, the start of the run, or the writing of the brief.

    After a plan that mends a review the start is that of the review: what it mends is not the whole work.
    """
    root = project.root
    end = commit_of(root, "HEAD")
    if end is None:
        raise RefusedError(
            "this repository has no commit, so nothing was finished yet", "commit the work first"
        )
    if since is not None:
        start = commit_of(root, since)
        if start is None:
            raise RefusedError(f"there is no commit {one_line(since)} here", "name one that `git log` shows")
        return Scope(start, end, "since", judge(root, changed_since(root, start)))
    first = _before_mending(project)
    if first is not None:
        return Scope(first, end, "review", judge(root, changed_since(root, first)))
    start = _run_start(project)
    if start is not None:
        return Scope(start, end, "run", judge(root, changed_since(root, start)))
    moment = _time(project.path(BRIEF))
    return Scope(None, end, "mtime", judge(root, changed_after(root, moment)))


def scope_data(project: Project, scope: Scope, gone: list[str]) -> bytes:
    """Return what the reviewers read about the scope; `gone` are earlier findings whose words are in no file now."""
    data = {
        "scope_sha_start": scope.start,
        "scope_sha_end": scope.end,
        "source": scope.source,
        "uncommitted": uncommitted(project.root, scope),
        "gone": gone,
        "files": [one.as_data() for one in scope.files],
    }
    return (write(data) + "\n").encode()


def is_kept(project: Project, scope: Scope, diff: bytes) -> bool:
    """Tell whether this scope with these differences is the one whose review is under way."""
    try:
        old = read_object(read_regular(project.path(LOGS, SCOPE_FILE))).values
        same = read_regular(project.path(LOGS, DIFF_FILE)) == diff
    except (UnreadableError, JsonError):
        return False
    ends = (old.get("scope_sha_start"), old.get("scope_sha_end"))
    return same and ends == (scope.start, scope.end) and is_under_way(project)


def is_under_way(project: Project) -> bool:
    """Tell whether there are findings that no review.md holds yet."""
    found = _time(project.path(LOGS, FINDINGS_FILE))
    return bool(found) and _time(project.path(REVIEW)) < found


def keep_scope(project: Project, data: bytes, diff: bytes) -> None:
    """Write scope and differences where the reviewers read them; what was found in another scope goes."""
    make_subfolder(project, LOGS)
    project.ignore()
    write_file(project.path(LOGS, SCOPE_FILE), data)
    write_file(project.path(LOGS, DIFF_FILE), diff)
    with Folder(project.path(LOGS)) as folder:
        folder.remove(FINDINGS_FILE)


def uncommitted(root: str, scope: Scope) -> int:
    """Return how many of the files that are looked at differ from the commit that the review names as its end."""
    paths = {one.path for one in changed_since(root, scope.end)}
    return sum(one.path in paths for one in scope.files if one.depth != SKIPPED)


def differences(root: str, scope: Scope) -> bytes:
    """Return the differences of all files that are looked at, without secrets; new files stand in it whole."""
    looked = [one for one in scope.files if one.depth != SKIPPED]
    pieces = []
    known: frozenset[str] = frozenset()
    if scope.start and looked:
        paths = [f":(literal){one.path}" for one in looked]
        said = ask_git(
            root, ["diff", "--no-renames", "--no-ext-diff", "--no-textconv", f"--unified={CONTEXT_LINES}", scope.start, "--", *paths]
        )  # fmt: skip
        pieces.append(said or b"")
        known = frozenset(_known_in(said or b""))
    for one in looked:
        if one.path not in known and not one.gone:
            pieces.append(_whole(root, one.path))
    return without_secrets(b"".join(pieces))


def read_scope(project: Project) -> dict[str, Any]:
    """Return the scope as `triage` left it."""
    try:
        return read_object(read_regular(project.path(LOGS, SCOPE_FILE))).values
    except (UnreadableError, JsonError):
        raise RefusedError(
            f"{project.show(LOGS, SCOPE_FILE)} is not there or cannot be read",
            f"run `{verb('triage')} --project {project.shown}` first",
        ) from None


def _before_mending(project: Project) -> str | None:
    """Return where the review began that the plan mends, if it does and git has that commit."""
    if not taken_up(project):
        return None
    try:
        values = frontmatter.parse(read_regular(project.path(REVIEW))).values or {}
    except UnreadableError:
        return None
    return commit_of(project.root, str(values.get("scope_sha_start") or ""))


def _run_start(project: Project) -> str | None:
    """Return where the run began: as git keeps it, else as its progress says."""
    found = commit_of(project.root, f"{RUN_REFS}/{os.path.basename(project.folder)}/start")
    if found:
        return found
    starts = []
    for name in sorted(os.listdir(project.folder)):
        if name.startswith("progress") and name.endswith(".json"):
            try:
                values = read_object(read_regular(project.path(name))).values
            except (UnreadableError, JsonError):
                continue
            start = commit_of(project.root, str(values.get(START_FIELD) or ""))
            if start:
                starts.append((name != "progress.json", str(values.get("started_at") or ""), start))
    return min(starts)[2] if starts else None


def _known_in(diff: bytes) -> list[str]:
    return [
        os.fsdecode(line[6:]).rstrip("\t")
        for line in diff.split(b"\n")
        if line.startswith((b"+++ b/", b"--- a/"))
    ]


def _whole(root: str, path: str) -> bytes:
    try:
        data = read_regular(os.path.join(root, path))
    except UnreadableError:
        return b""
    lines = data.split(b"\n")
    lines = lines[:-1] if data.endswith(b"\n") else lines
    head = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n"
    return os.fsencode(head) + b"".join(b"+" + line + b"\n" for line in lines)


def _time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
