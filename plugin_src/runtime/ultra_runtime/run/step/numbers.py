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
    wanted = f"a number of seconds up to {TIMEOUT_SECONDS}"
    value = amount(args, option, TIMEOUT_SECONDS, wanted)
    return otherwise if value is None else value


def amount(args: Args, option: str, most: float, wanted: str = "a number above 0") -> float | None:
    """Return an option that is a number above 0 and up to `most`; nothing if it was left out."""
    given = args.get(option)
    if given is None:
        return None
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 0 < value <= most:
        raise args.usage.error(f"{option} must be {wanted}, not {one_line(given)}")
    return value
