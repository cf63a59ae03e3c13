"""Settings of the machine that make tests quick and change no result."""

from __future__ import annotations

import importlib
import os
import random
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest
from _pytest.mark import ParameterSet

MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes; a whole session needs less than 1 GB


SOAK = "ULTRA_SOAK" in os.environ


def later(*values: object, name: str | None = None) -> ParameterSet:
    """Return a row of a table of tests that only `make soak` runs."""
    return pytest.param(*values, marks=pytest.mark.soak, id=name)


def times(quick: int, soak: int) -> int:
    """Return how often something is tried: in `make test`, or in `make soak`."""
    return soak if SOAK else quick


def examples(count: int) -> int:
    """Return how many examples a property is tried with: a sixth, in `make soak` ten times as many."""
    return times(count // 6, 10 * count)


def random_seed() -> int:
    """Return and print the seed of a random test: the same in each `make test`, a new one in `make soak`; ULTRA_SEED sets it."""
    seed = int(os.environ.get("ULTRA_SEED") or (random.SystemRandom().randrange(10**9) if SOAK else 0))
    print(f"ULTRA_SEED={seed}")
    return seed


def keep_byte_code() -> None:
    """Let Python keep what it compiles, also where the environment forbids it: else each process compiles again."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def use_this_python() -> None:
    """Let `python3` be the interpreter of the tests, as in an activated environment: a shim of pyenv takes six times as long."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def put_off_grammars() -> None:
    """Let jsonschema build its grammars of international addresses when a schema first asks: they are a quarter of the start."""
    name = "rfc3987_syntax"
    later = ModuleType(name)

    def is_valid_syntax(term: str, value: str) -> bool:
        if sys.modules.get(name) is later:
            del sys.modules[name]
        return bool(importlib.import_module(name).is_valid_syntax(term, value))

    later.is_valid_syntax = is_valid_syntax  # type: ignore[attr-defined]
    sys.modules[name] = later


def work_in_memory() -> None:
    """Put temporary files into memory where there is room, unless TMPDIR names a place."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK | os.X_OK):
        return
    disk = os.statvfs(MEMORY)
    if disk.f_bavail * disk.f_frsize >= ROOM and not disk.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
