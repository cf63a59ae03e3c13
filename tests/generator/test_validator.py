"""The client's own validator behind `ultra-plugin check`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.generator.sample import write_sample
from tests.kit.files import write_tree
from tests.kit.generator import generator
from ultra_plugin.check.validator import client_problems
from ultra_plugin.errors import UltraError


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return generator(folder, "check", *arguments)


def test_the_client_agrees_that_the_sample_is_sound(tmp_path: Path, client_binary: Path) -> None:
    write_sample(tmp_path)
    done = check(tmp_path, "--client", str(client_binary))
    assert (done.returncode, done.stdout) == (
        0,
        f"plugin_src: no problems found; {client_binary} found none either\n",
    )


def test_what_the_client_says_is_told_with_its_file(tmp_path: Path, client_binary: Path) -> None:
    write_tree(
        tmp_path, {".claude-plugin/plugin.json": '{"name": "p"}', "commands/a.md": "no front matter\n"}
    )
    found = {
        (problem.path, problem.code, problem.severity)
        for problem in client_problems(str(client_binary), tmp_path)
    }
    assert ("commands/a.md", "client-warning", "warning") in found
    assert (".claude-plugin/plugin.json", "client-warning", "warning") in found
    assert any(code == "client-finding" for _, code, _ in found)


def test_an_error_of_the_client_fails_the_check(tmp_path: Path, client_binary: Path) -> None:
    write_tree(tmp_path / "p", {".claude-plugin/plugin.json": '{"name": "p", "author": "me"}'})
    done = check(tmp_path, "p", "--client", str(client_binary), "--json")
    problems = json.loads(done.stdout)["problems"]
    assert (done.returncode, "client-error" in {problem["code"] for problem in problems}) == (1, True)


@pytest.mark.parametrize(
    ("script", "reason"),
    [("#!/bin/sh\necho no json\n", "does not report in JSON"), ("#!/bin/sh\necho 7\n", "gave no report")],
)
def test_a_client_that_cannot_be_asked(tmp_path: Path, script: str, reason: str) -> None:
    write_tree(tmp_path, {"claude": script})
    with pytest.raises(UltraError, match=reason):
        client_problems(str(tmp_path / "claude"), tmp_path)
    with pytest.raises(UltraError, match="could not be run"):
        client_problems(str(tmp_path / "nothing"), tmp_path)
