"""Every subcommand of ultra-plugin takes --json, and answers an error with one object."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ultra_plugin.cli.program import group, run


def leaves(command: click.Command, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of every subcommand that is no group."""
    if not isinstance(command, click.Group):
        yield words
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from leaves(inner, *words, name)


COMMANDS = [*leaves(group)]


def test_there_are_subcommands() -> None:
    assert {("build",), ("overlay", "status")} <= set(COMMANDS)


@pytest.mark.parametrize("words", [(), ("overlay",), ("nope",), *COMMANDS], ids=" ".join)
@pytest.mark.parametrize("wrong", ["--nope", "a/b"])
def test_an_error_is_one_object_wherever_json_is_given(
    words: tuple[str, ...],
    wrong: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    said = set()
    for call in (["--json", *words, wrong], [*words, "--json", wrong], [*words, wrong, "--json"]):
        monkeypatch.setattr(sys, "argv", ["ultra-plugin", *call])
        status = run()
        answer = json.loads(capsys.readouterr().out)
        assert (answer["ok"], status in (1, 2)) == (False, True)
        assert "--json" not in answer["error"]
        said.add(answer["error"])
    assert len(said) == 1
    assert not any(tmp_path.iterdir())


def test_lines_are_an_object_for_who_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["ultra-plugin", "explain", "unknown-key"])
    assert run() == 0
    lines = capsys.readouterr().out.splitlines()
    monkeypatch.setattr(sys, "argv", ["ultra-plugin", "--json", "explain", "unknown-key"])
    assert run() == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "lines": lines}
