"""Check an artifact against its contract before it is written."""

from __future__ import annotations

from ultra_runtime.answer import REFUSED, Answer
from ultra_runtime.contract.result import Issue, Result
from ultra_runtime.contract.validation import validate_data
from ultra_runtime.rendered import launcher
from ultra_runtime.tables.limits import ISSUES_TOLD
from ultra_runtime.text import frontmatter
from ultra_runtime.typed import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Contract

REFUSED_IN_WRITING = "SECRET_FOUND"


def check_write(contract: Contract, data: bytes, path: str, draft: bool = False) -> Result:
    """Validate the bytes in the contract's mode for writing; what looks like a secret is an error here."""
    soft = draft or _is_soft(contract, data)
    result = validate_data(contract, data, path, soft=soft, strict=not soft)
    secrets = [issue for issue in result.warnings if issue.code == REFUSED_IN_WRITING]
    warnings = [issue for issue in result.warnings if issue.code != REFUSED_IN_WRITING]
    return Result(secrets + result.errors, warnings, result.parsed)


def _is_soft(contract: Contract, data: bytes) -> bool:
    """Tell whether a field of the artifact itself makes writing soft."""
    wanted = contract.modes.soft_when
    values = (frontmatter.parse(data).values or {}) if wanted else {}
    return any(values.get(name) == value for name, value in wanted.items())


def short(issues: list[Issue]) -> list[dict[str, Any]]:
    """Return the first issues for a model: code, line and message."""
    return [{"code": one.code, "line": one.line, "message": one.sentence} for one in issues[:ISSUES_TOLD]]


def refused(error: str, issues: list[Issue], next_step: str) -> Answer:
    """Return the refusal of a text with these errors."""
    data = {"ok": False, "error": error, "errors": short(issues), "next": next_step}
    return Answer(data, "\n".join([f"{launcher()}: {error}", *in_words(issues), next_step]), REFUSED)


def in_words(issues: list[Issue]) -> list[str]:
    """Return issues for a person."""
    more = [f"and {len(issues) - ISSUES_TOLD} more"] if len(issues) > ISSUES_TOLD else []
    return [str(issue) for issue in issues[:ISSUES_TOLD]] + more
