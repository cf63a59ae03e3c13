"""Tell whether a run can be resumed: the shape of its progress file, and that it is not over."""

from __future__ import annotations

from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.validation import validate_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.result import Result

KIND = "progress"


def check_resume(path: str) -> Result:
    """Validate a progress file and note a run that is completed."""
    contract = load_contract(KIND)
    result = validate_file(contract, path)
    if result.parsed is not None and result.parsed.get("status") == "completed":
        report = Report(contract, path)
        report.add("ALREADY_DONE", "status is completed", field="status")
        result.errors += report.errors
    return result
