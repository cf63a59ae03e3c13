"""Say which claims of a project's architecture overview no longer hold in the working tree.

DIR is the project folder. A claim holds as long as the words that it quotes are in the file that it names.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.architecture.overview import commits_since
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.stages import file_of, find_files
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.contract.write_check import short
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.tables.fields import gaps_fields, overview_fields
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.usage import Args
from ultra_runtime.words import counted

USAGE = "architecture check DIR [--json]"
FOR_PEOPLE = "look"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer with the claims that do not hold, and how many commits were made since they were written."""
    project = find_project(args.need("DIR"))
    errors, warnings, parsed = _issues(project, overview_fields.KIND)
    if any(find_files(project.folder, gaps_fields.KIND)):
        more_errors, more_warnings, _ = _issues(project, gaps_fields.KIND)
        errors, warnings = errors + more_errors, warnings + more_warnings
    since = commits_since(project.root, str(parsed.get(overview_fields.COMMIT, "")))
    claims = parsed.get("claims", 0)
    verdict = "no longer holds" if errors else "holds"
    when = "" if since is None else f", {counted(since, 'commit')} after it was written"
    shown = project.show(file_of(overview_fields.KIND))
    lines = [f"{shown}: {verdict}, {counted(claims, 'claim')}{when}"]
    lines += [f"error {issue}" for issue in errors] + [f"warning {issue}" for issue in warnings]
    data = {
        "ok": not errors, "path": shown, "claims": claims, "commits_since": since,
        "gone": short(errors), "moved": short(warnings),
    }  # fmt: skip
    return Answer(data, "\n".join(lines), 1 if errors else 0)


def _issues(project: Project, kind: str) -> tuple[list[Issue], list[Issue], Mapping[str, Any]]:
    result = validate_file(load_contract(kind), project.path(file_of(kind)))
    for issue in result.errors + result.warnings:
        issue.path = project.show(file_of(kind))
    return result.errors, result.warnings, result.parsed or {}
