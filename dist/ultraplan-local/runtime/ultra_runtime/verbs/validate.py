"""Hold a file against the contract of its kind and list every code with its line and remedy.

--strict makes every error count, --soft turns the codes that the contract calls soft into warnings.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.contract import Contract, Result, UnknownKindError, contract_kinds, load_contract
from ultra_runtime.validation import validate_file
from ultra_runtime.words import nearest, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

USAGE = "validate KIND PATH [--strict|--soft] [--json]"


def run(args: Args) -> Answer:
    """Answer with the validator's result."""
    contract = _contract(args.need("KIND"))
    path = args.need("PATH")
    result = validate_file(contract, path, soft=args.flag("--soft"))
    return Answer(result.as_data(), in_words(result, path, contract.title), 0 if result.valid else 1)


def _contract(kind: str) -> Contract:
    try:
        return load_contract(kind)
    except UnknownKindError:
        kinds = contract_kinds()
        error = f"there is no kind {one_line(kind)}{nearest(kind, kinds)}; the kinds are: {', '.join(kinds)}"
        raise UsageError(error, f"usage: ultra {USAGE}") from None


def in_words(result: Result, path: str, title: str) -> str:
    """Return a result for a person."""
    verdict = "valid" if result.valid else "not valid"
    lines = [f"{one_line(path, 500)}: {verdict} ({title})"]
    lines += [f"error {issue}" for issue in result.errors]
    lines += [f"warning {issue}" for issue in result.warnings]
    return "\n".join(lines)
