"""Blocks of ports: each belongs to one process of this machine for as long as that lives."""

from __future__ import annotations

import os

from ultra_runtime.rendered import launcher
from ultra_runtime.tables.limits import PORT_BLOCK, PORT_FIRST, PORT_LAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PORT_VARIABLE = launcher().upper().replace("-", "_") + "_PORT_BASE"


def take_ports(allowed: Sequence[int]) -> int:
    """Return the first port of a block that nobody has, 0 if all are taken; it stays ours until this process ends."""
    import fcntl

    first, last = (allowed[0], allowed[-1]) if allowed else (PORT_FIRST, PORT_LAST)
    folder = f"/tmp/{launcher()}-ports-{os.getuid()}"  # noqa: S108  # one for all repositories and all TMPDIRs
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        if os.lstat(folder).st_uid != os.getuid():
            return 0
        for base in range(first, last - PORT_BLOCK + 2, PORT_BLOCK):
            descriptor = os.open(
                os.path.join(folder, str(base)), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
            else:
                return base
    except OSError:
        return 0
    return 0
