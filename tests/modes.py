"""Bind root by the modes of files, like everybody (Linux)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
DROP_FROM_BOUNDING_SET = 24
VERSION_3 = 0x20080522


def obey_modes() -> None:
    """Bind the program that a child process is about to start: for subprocess's preexec_fn."""
    if os.geteuid() == 0:
        for capability in OVERRIDES:
            ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


@contextmanager
def modes_obeyed() -> Iterator[None]:
    """Bind this very thread for a while."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(VERSION_3, 0)
    before = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(header, before) == 0
    bound = (ctypes.c_uint32 * 6)(*before)
    for capability in OVERRIDES:
        bound[0] &= ~(1 << capability)
    assert libc.capset(header, bound) == 0
    try:
        yield
    finally:
        assert libc.capset(header, before) == 0
