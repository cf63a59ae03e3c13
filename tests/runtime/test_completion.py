"""The completions, asked in the shells themselves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.kit.calls import Ultra
from tests.kit.names import LAUNCHER

ROWS = [
    (["stat"], ["stats", "status"]),
    (["gate", ""], ["brief", "plan"]),
    (["gate", "brief", "--acc"], ["--accept-partial"]),
    (["run", "start", "plan.md", "--mode", ""], ["fg", "resume", "session", "step"]),
    (["frontmatter", "--"], ["--help", "--json"]),
]
BASH = """
source "$1"; shift
COMP_WORDS=(NAME "$@"); COMP_CWORD=$#
_NAME; printf '%s\\n' "${COMPREPLY[@]}"
"""
# The completion system of zsh runs in its line editor only, so its two functions are ours here.
ZSH = """
compdef() { : }; _files() { : }
compadd() { shift; for word in "$@"; do [[ $word == ${words[-1]}* ]] && print -r -- $word; done }
source "$1"; shift
words=(NAME "$@"); CURRENT=$#words
_NAME
"""
FISH = """source $argv[1]; complete -C "NAME $(string join -- ' ' $argv[2..])" """
SHELLS = {
    "bash": ["bash", "--norc", "-c", BASH, "bash"],
    "zsh": ["zsh", "-f", "-c", ZSH, "zsh"],
    "fish": ["fish", "--no-config", "-c", FISH],
}


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_a_shell_completes_verbs_options_and_values(ultra: Ultra, tmp_path: Path, shell: str) -> None:
    script = tmp_path / "completion"
    script.write_text(ultra.say("completion", shell).out)
    (tmp_path / "empty").mkdir()
    program, *rest = SHELLS[shell]
    for words, expected in ROWS:
        command = [program, *(part.replace("NAME", LAUNCHER) for part in rest), str(script), *words]
        told = ultra.run(command, cwd=tmp_path / "empty")
        assert (sorted(told.out.split()), told.err) == (expected, ""), words


def test_another_shell_is_wrong_usage(ultra: Ultra) -> None:
    told = ultra("completion", "csh")
    assert (told.status, told.data["error"]) == (2, "SHELL must be bash, zsh or fish, not csh")
