"""The root of every error that the runtime raises on purpose, and the errors of the machine."""

import errno

from ultra_runtime.words import one_line

# The disk is full, broken or read-only, a file may not be changed, or too many files are open.
OF_THE_MACHINE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG),
    *(errno.EPERM, errno.EACCES, errno.EMFILE, errno.ENFILE),
)


class UltraError(Exception):
    """An error that somebody can fix; `__main__` turns it into a sentence."""

    hint = "fix this and retry"


def said_by_the_machine(problem: BaseException) -> str:
    """Return what is wrong with the machine, in words, and where; nothing if the error says something else."""
    if not isinstance(problem, OSError) or problem.errno not in OF_THE_MACHINE:
        return ""
    return (
        f"{problem.strerror} ({one_line(str(problem.filename))})"
        if problem.filename
        else str(problem.strerror)
    )
