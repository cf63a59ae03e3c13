"""The scope of a review: first and last commit, files, and the diff that the reviewers read."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.stages import file_of, placed_kinds
from ultra_runtime.files.atomic import Folder, write_file
from ultra_runtime.files.git import REFS, ask_git, commit_of
from ultra_runtime.files.json_file import load_json, read_json
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_if_any, read_regular
from ultra_runtime.files.root import PROJECTS, current_folder, find_root, names_in
from ultra_runtime.files.run_files import LOGS, PROGRESS, REPORT, progress_files
from ultra_runtime.files.secret_files import without_secrets
from ultra_runtime.plan.reading import read
from ultra_runtime.rendered import verb
from ultra_runtime.review.remediation import taken_up
from ultra_runtime.review.triage import (
    DEEP,
    SKIPPED,
    SUMMARY,
    Changed,
    changed_after,
    changed_since,
    is_small,
    judge,
)
from ultra_runtime.struct import Struct
from ultra_runtime.tables.agents import REVIEWERS, SMALL_REVIEWERS
from ultra_runtime.tables.fields import brief_fields, plan_fields, progress_fields, review_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.jsontext import write
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import one_line

SCOPE_FILE = "review-scope.json"
DIFF_FILE = "review-scope.diff"
FINDINGS_FILE = "review-findings.json"
BRIEF, REVIEW = brief_fields.KIND, review_fields.KIND
START_FIELD = progress_fields.SESSION_START_SHA
# Independent of the user's settings for colours, prefixes and programs.
AS_GIT_ITSELF = (
    "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
    "--submodule=short", "--ws-error-highlight=none", "--unified=8", "--inter-hunk-context=0",
)  # fmt: skip


class Scope(Struct):
    """The commits, the files, and how the start was found."""

    start: str | None
    end: str
    source: str
    files: list[Changed]

    def counts(self) -> dict[str, int]:
        """Return the number of files per depth."""
        return {depth: sum(one.depth == depth for one in self.files) for depth in (DEEP, SUMMARY, SKIPPED)}


def choose_project(given: str | None) -> Project:
    """Return the named project, or the one that was worked on last."""
    if given is not None:
        return find_project(given)
    root = find_root(current_folder())
    folder = os.path.join(root, PROJECTS) if root else ""
    kinds = _kinds()
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        times = [_time(os.path.join(folder, name, file_of(kind))) for kind in kinds]
        if times[0]:
            found.append((max(times), name))
    if not found:
        raise RefusedError(
            f"no project here has a {kinds[0]} to review",
            "name one with --project DIR; a small task is reviewed against its plan",
        )
    return find_project(os.path.join(folder, max(found)[1]))


def _kinds() -> list[str]:
    """Return the artifacts that show when a project began and was worked on, the first one first."""
    known = placed_kinds()
    return [kind for kind in (BRIEF, plan_fields.KIND, progress_fields.KIND, REVIEW) if kind in known]


def find_scope(project: Project, since: str | None) -> Scope:
    """Return what changed since the named commit, the start of the run, or the time of the brief.

    After a plan that fixes a review, the scope is what has changed since that review: the rest was looked at, and what
    it left open is carried on.
    """
    root = project.root
    end = commit_of(root, "HEAD")
    if end is None:
        error = "this repository has no commits, so there is nothing to review"
        raise RefusedError(error, "commit the work first")
    named = _named_by_steps(project)
    if since is not None:
        start = commit_of(root, since)
        if start is None:
            raise RefusedError(f"there is no commit {one_line(since)} here", "use one that `git log` shows")
        return Scope(start, end, "since", judge(root, changed_since(root, start), named))
    first = _fixed_review(project)
    if first is not None:
        return Scope(first, end, "review", judge(root, changed_since(root, first), named))
    start = _run_start(project)
    if start is not None:
        return Scope(start, end, "run", judge(root, changed_since(root, start), named))
    moment = _time(project.path(file_of(_kinds()[0])))
    return Scope(None, end, "mtime", judge(root, changed_after(root, moment), named))


def _named_by_steps(project: Project) -> list[str]:
    """Return the files that the steps of the plan name."""
    if plan_fields.KIND not in placed_kinds():
        return []
    plan = read(read_if_any(project.path(file_of(plan_fields.KIND))), plan_fields.KIND)
    manifests = [step.manifest.expected_paths for step in plan.steps if step.manifest]
    return [path for paths in (*(step.files for step in plan.steps), *manifests) for path in paths]


def scope_data(project: Project, scope: Scope, gone: list[str]) -> bytes:
    """Return the scope for the reviewers; `gone` lists earlier findings whose evidence is no longer in any file."""
    data = {
        review_fields.SCOPE_SHA_START: scope.start,
        review_fields.SCOPE_SHA_END: scope.end,
        "source": scope.source,
        "uncommitted": uncommitted(project.root, scope),
        "gone": gone,
        "reports": reports(project),
        "spared": spared(scope),
        **({"earlier_review": project.show(file_of(REVIEW))} if scope.source == "review" else {}),
        "files": [one.as_data() for one in scope.files],
    }
    return (write(data) + "\n").encode()


def spared(scope: Scope) -> list[str]:
    """Return the reviewers that a change of this size does not need."""
    small = SMALL_REVIEWERS and is_small(scope.files)
    return [name for name in REVIEWERS if name not in SMALL_REVIEWERS] if small else []


def asked(scope: Mapping[str, Any]) -> list[str]:
    """Return the reviewers that the scope of `triage` asks for."""
    return [name for name in REVIEWERS if name not in scope.get("spared", ())]


def reports(project: Project) -> list[str]:
    """Return the final reports of the project's runs: steps, exit conditions, findings and the proof at the end."""
    found = []
    for folder, _, names in os.walk(project.path(LOGS)):
        inside = os.path.relpath(folder, project.folder)
        found += [project.show(inside, name) for name in names if name == REPORT]
    return sorted(found)


def is_kept(project: Project, scope: Scope, diff: bytes) -> bool:
    """Return whether the review under way has this scope and this diff."""
    old = read_json(project.path(LOGS, SCOPE_FILE))
    same = bool(old) and read_if_any(project.path(LOGS, DIFF_FILE)) == diff
    ends = (old.get(review_fields.SCOPE_SHA_START), old.get(review_fields.SCOPE_SHA_END))
    return same and ends == (scope.start, scope.end) and is_under_way(project)


def is_under_way(project: Project) -> bool:
    """Return whether there are findings newer than the review."""
    found = _time(project.path(LOGS, FINDINGS_FILE))
    return bool(found) and _time(project.path(file_of(REVIEW))) < found


def keep_scope(project: Project, data: bytes, diff: bytes) -> None:
    """Write scope and diff for the reviewers; delete the findings of another scope."""
    make_subfolder(project, LOGS)
    ignore_own_files(project)
    write_file(project.path(LOGS, SCOPE_FILE), data)
    write_file(project.path(LOGS, DIFF_FILE), diff)
    with Folder(project.path(LOGS)) as folder:
        folder.remove(FINDINGS_FILE)


def uncommitted(root: str, scope: Scope) -> int:
    """Return how many of the reviewed files differ from the last commit of the scope."""
    paths = {one.path for one in changed_since(root, scope.end)}
    return sum(one.path in paths for one in scope.files if one.depth != SKIPPED)


def differences(root: str, scope: Scope) -> bytes:
    """Return the diff of all reviewed files, without secrets and with new files whole."""
    looked = [one for one in scope.files if one.depth != SKIPPED]
    pieces = []
    known: frozenset[str] = frozenset()
    if scope.start and looked:
        paths = [f":(literal){one.path}" for one in looked]
        said = ask_git(root, ["diff", *AS_GIT_ITSELF, scope.start, "--", *paths])
        pieces.append(said or b"")
        known = frozenset(_known_in(said or b""))
    for one in looked:
        if one.path not in known and not one.gone:
            pieces.append(_whole(root, one.path))
    return without_secrets(b"".join(pieces))


def read_scope(project: Project) -> dict[str, Any]:
    """Return the scope that `triage` wrote."""
    try:
        return load_json(project.path(LOGS, SCOPE_FILE))
    except UnreadableError:
        error = f"{project.show(LOGS, SCOPE_FILE)} is missing or cannot be read"
        raise RefusedError(error, f"run `{verb('triage')} --project {project.shown}` first") from None


def _fixed_review(project: Project) -> str | None:
    """Return the last commit of the review that the plan fixes, if it fixes one and git has that commit.

    A review that is newer than the plan has seen the fixes already: it is done again from its own first commit.
    """
    if not taken_up(project):
        return None
    review = project.path(file_of(REVIEW))
    values = frontmatter.parse(read_if_any(review)).values or {}
    is_newer = _time(review) > _time(project.path(file_of(plan_fields.KIND)))
    field = review_fields.SCOPE_SHA_START if is_newer else review_fields.SCOPE_SHA_END
    return commit_of(project.root, str(values.get(field) or ""))


def _run_start(project: Project) -> str | None:
    """Return the first commit of the run: the one that git keeps, or else the one in its progress file.

    After a restart the commits of the earlier runs are part of the work; only a review has seen them.
    """
    found = commit_of(project.root, f"{REFS}/{os.path.basename(project.folder)}/start")
    start = found or _recorded_start(project.root, project.folder)
    if start is None or os.path.lexists(project.path(file_of(REVIEW))):
        return start
    logs = project.path(LOGS)
    for name in names_in(logs):
        earlier = _recorded_start(project.root, os.path.join(logs, name))
        if earlier and ask_git(project.root, ["merge-base", "--is-ancestor", earlier, start]) is not None:
            start = earlier
    return start


def _recorded_start(root: str, folder: str) -> str | None:
    """Return the first commit of the run whose progress files are in a folder."""
    starts = []
    for name in progress_files(folder):
        values = read_json(os.path.join(folder, name))
        start = commit_of(root, str(values.get(START_FIELD) or ""))
        if start:
            starts.append((name != PROGRESS, str(values.get(progress_fields.STARTED_AT) or ""), start))
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
