"""Read step numbers and times from the arguments of a call."""

from __future__ import annotations

from ultra_runtime.contract.forms import is_number
from ultra_runtime.tables.limits import TIMEOUT_SECONDS
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args


def step_number(args: Args) -> int:
    """Return the argument N."""
    given = args.need("N")
    if not is_number(given):
        raise args.usage.error(f"N must be the number of a step, not {one_line(given)}")
    return int(given)


def seconds(args: Args, option: str, otherwise: float) -> float:
    """Return an option that is a time in seconds."""
    given = args.get(option)
    if given is None:
        return otherwise
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value <= TIMEOUT_SECONDS:
        raise args.usage.error(
            f"{option} must be a number of seconds up to {TIMEOUT_SECONDS}, not {one_line(given)}"
        )
    return value
