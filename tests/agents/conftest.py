"""The runtime with something on its standard input, and its hooks as the client runs them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.door.conftest import Told, Ultra, python, repo, ultra

__all__ = ["Told", "Ultra", "python", "repo", "ultra"]

Hook = Callable[..., Told]


@pytest.fixture
def hook(ultra: Ultra, bundle: Path) -> Hook:
    """Return a function that runs a hook with an input, of bytes or to be written as JSON."""

    def run(name: str, given: object) -> Told:
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        path = bundle / "runtime/ultra_runtime/hooks" / f"{name}.py"
        command = ["python3", "-I", "-S", "-X", "utf8", str(path)]
        done = subprocess.run(
            command, input=data, env=ultra.env, cwd=ultra.repo, capture_output=True, timeout=30, check=False
        )
        return Told(done)

    return run
