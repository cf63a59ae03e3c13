"""What a person sees at a terminal and no program does: colour, and that a long command still runs."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.kit.calls import Ultra

OK = "\x1b[32mok\x1b[0m"


def at_a_terminal(
    ultra: Ultra, command: Sequence[str | Path], env: Mapping[str, str], stream: str = "stdout"
) -> str:
    """Return what a command writes to a terminal that one of its streams is."""
    master, slave = pty.openpty()
    ends = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: slave}
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=ultra.folder, env={**ultra.env, **env}, stdin=subprocess.DEVNULL, stdout=ends["stdout"], stderr=ends["stderr"],
    )  # fmt: skip
    os.close(slave)
    said, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece
    process.communicate(timeout=30)
    os.close(master)
    return said.decode()


@pytest.mark.parametrize(
    ("env", "has_colour"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
    ids=str,
)
def test_a_terminal_gets_colour_unless_it_is_unwanted(
    ultra: Ultra, env: dict[str, str], has_colour: bool
) -> None:
    said = at_a_terminal(ultra, [ultra.command, "doctor"], env)
    assert (f"{OK}   python: " in said, "\x1b" in said) == (has_colour, has_colour)


def test_json_and_files_get_none(ultra: Ultra) -> None:
    said = at_a_terminal(ultra, [ultra.command, "doctor", "--json"], {"TERM": "xterm"})
    assert "\x1b" not in said
    assert json.loads(said)["checks"]
    assert "\x1b" not in ultra.say("doctor", env={"TERM": "xterm"}).out


SLOW = """
import os, sys
sys.path.insert(0, sys.argv[1])
from ultra_runtime.files.process import run_logged
log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
run_logged(["bash", "-c", "sleep " + sys.argv[3]], dict(os.environ), log, 30, "a-mark")
"""


@pytest.mark.soak
@pytest.mark.parametrize(("seconds", "shown"), [("2.3", "ultra: sleep 2.3 (2 s)"), ("0.1", "")])
def test_a_command_that_takes_longer_than_a_second_is_shown(
    ultra: Ultra, tmp_path: Path, seconds: str, shown: str
) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    words: list[str | Path] = [
        "python3",
        "-I",
        "-S",
        script,
        ultra.bundle / "runtime",
        tmp_path / "log",
        seconds,
    ]
    said = at_a_terminal(ultra, words, {"TERM": "xterm"}, "stderr")
    assert shown in said
    assert said.endswith("\r") if shown else said == ""
