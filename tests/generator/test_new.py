"""ultra-plugin new and test: a tree that builds at once, and a run of what it ships that notices what is broken."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import pytest

from tests.kit.names import ROOT
from ultra_plugin.cli.program import run
from ultra_plugin.creating import create
from ultra_plugin.errors import UltraError
from ultra_plugin.exercise import exercise
from ultra_plugin.pipeline import checked
from ultra_plugin.scaffold import DEFAULT_PARTS, LICENCES, PARTS, Wanted
from ultra_plugin.source import SourceTree

PACKAGED = ROOT / "plugin_src"


def made(folder: Path, *parts: str, **wanted: object) -> Path:
    fields = {
        "name": "acme",
        "description": 'Says "hello" in plain words.',
        "author": "Ann: the first",
        **wanted,
    }
    create(Wanted(**fields, parts=parts or tuple(PARTS)), folder / "acme", PACKAGED)  # type: ignore[arg-type]
    return folder / "acme/plugin_src"


def outcomes(source: Path) -> dict[str, str]:
    tree = SourceTree(source)
    return {
        one.what: f"{one.result}: {one.reason}".rstrip(": ")
        for one in exercise(tree, checked(tree, "dist")[0])
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    return (yield made(tmp_path_factory.mktemp("new")))


def test_a_new_plugin_has_every_part_and_runs(whole: Path) -> None:
    (bundle,), _ = checked(SourceTree(whole), "dist")
    assert {path.partition("/")[0] for path in bundle.files} == {
        ".claude-plugin", ".mcp.json", "LICENSE", "README.md", "agents", "bundle.json", "commands", "hooks",
        "output-styles", "servers", "skills",
    }  # fmt: skip
    assert json.loads(bundle.files[".claude-plugin/plugin.json"].text)["author"] == {"name": "Ann: the first"}
    assert "Copyright (c) Ann: the first" in bundle.files["LICENSE"].text
    assert set(outcomes(whole).values()) == {"passed"}
    assert len(outcomes(whole)) == 4


@pytest.mark.parametrize("part", [*PARTS, "default"])
def test_each_part_alone_passes_every_check(tmp_path: Path, part: str) -> None:
    parts = DEFAULT_PARTS if part == "default" else [part, "command"] if part == "agent" else [part]
    checked(SourceTree(made(tmp_path, *parts)), "dist")


@pytest.mark.parametrize("licence", LICENCES)
def test_every_licence_has_its_text(tmp_path: Path, licence: str) -> None:
    assert "Ann" in (made(tmp_path, "skill", license=licence) / "LICENSE").read_text()


@pytest.mark.soak
def test_a_new_plugin_can_carry_rooms_of_the_runtime(tmp_path: Path) -> None:
    source = made(tmp_path, "command", "agent", rooms=("guard",))
    assert outcomes(source) == {
        "acme check-command [COMMAND] [--batch] [--exit-code] [--json] --help": "passed",
        "acme check-path [PATH] [--batch] [--exit-code] [--json] --help": "passed",
        "acme completion SHELL [--json] --help": "passed",
    }
    assert not (source / "runtime/ultra_runtime/run").exists()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"name": "Acme"}, "'Acme' cannot be the name of a plugin; use a-z, 0-9 and single hyphens"),
        ({"name": "../x"}, "'../x' cannot be the name of a plugin"),
        ({"rooms": ("gaurd",)}, "the runtime has no room 'gaurd' (did you mean 'guard'?)"),
        ({"rooms": ("run",)}, "these rooms need the contracts architecture, brief, "),
    ],
)
def test_what_cannot_be_started_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, wanted: dict[str, object], said: str
) -> None:
    with pytest.raises(UltraError) as caught:
        made(tmp_path, "skill", **wanted)
    assert str(caught.value).startswith(said)
    assert [*tmp_path.iterdir()] == []


def test_a_full_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme/mine").write_text("x")
    with pytest.raises(UltraError, match="is not an empty folder; name another one with --to"):
        made(tmp_path, "skill")
    assert [path.name for path in (tmp_path / "acme").iterdir()] == ["mine"]


def _interrupted(process: subprocess.Popen[bytes]) -> bytes:
    """Interrupt a process and return what it prints; Python may miss a signal just before it begins to read."""
    for _ in range(30):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=2)[0]
    raise AssertionError("it was interrupted 30 times and goes on")


def on_a_terminal(cwd: Path, typed: bytes, *words: str) -> tuple[int, str]:
    """Run the command line with a terminal as its input; return status and what it printed."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ultra_plugin", *words],
        cwd=cwd,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )
    os.close(theirs)
    assert process.stdout is not None
    said = process.stdout.read(len("Author"))
    if typed:
        os.write(ours, typed)
    try:
        rest = _interrupted(process) if not typed else process.communicate(timeout=60)[0]
    finally:
        process.kill()
        os.close(ours)
    return process.returncode, (said + rest).decode()


def test_on_a_terminal_it_asks_for_what_no_option_says(tmp_path: Path) -> None:
    status, said = on_a_terminal(
        tmp_path, b"Ann\nSays hello in plain words.\n", "new", "acme", "--with", "skill"
    )
    assert status == 0, said
    settings = (tmp_path / "acme/plugin_src/suite.yaml").read_text()
    assert 'name: "Ann"' in settings
    assert 'description: "Says hello in plain words."' in settings


def test_interrupted_at_a_question_it_leaves_nothing(tmp_path: Path) -> None:
    status, said = on_a_terminal(tmp_path, b"", "new", "acme")
    assert (status, [*tmp_path.iterdir()]) == (130, [])
    assert "interrupted; nothing was changed" in said


HOOK = "plugins/acme/hooks/no_forced_push.py"
SERVER = "plugins/acme/servers/clock.py"
CASES = "tests/hooks.yaml"


@pytest.mark.parametrize(
    ("path", "old", "new", "what", "said"),
    [
        (HOOK, "sys.exit(2)", "pass", "a forced push is blocked", "failed: must end with status 2, not 0"),
        (HOOK, "A forced push", "No", "a forced push is blocked", "passed"),
        (HOOK, "push without --force", "stop", "a forced push is blocked", "failed: must say 'without --force'"),
        (SERVER, '"tools/list"', '"tool/list"', "MCP server clock", "passed"),
        (SERVER, "for line in", "for line in [] and", "MCP server clock", "failed: did not answer initialize (status 0)"),
        (CASES, "event: PreToolUse", "event: Stop", "a plain push is not", "failed: no hook of the plugin answers Stop Bash"),
    ],
)  # fmt: skip
def test_the_run_notices_what_is_broken(
    tmp_path: Path, path: str, old: str, new: str, what: str, said: str
) -> None:
    source = made(tmp_path, "hook", "mcp")
    text = (source / path).read_text()
    assert old in text
    (source / path).write_text(text.replace(old, new))
    (found,) = (reason for name, reason in outcomes(source).items() if what in name)
    assert found.startswith(said)


def test_what_cannot_run_here_is_said_and_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = made(tmp_path, "mcp")
    servers = source / "plugins/acme/.mcp.json"
    servers.write_text(servers.read_text().replace("python3", "no-such-program"))
    assert outcomes(source) == {"MCP server clock": "not run: no-such-program is not installed"}
    monkeypatch.setattr("sys.argv", ["ultra-plugin", "test", "--source", str(source)])
    assert run() == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"{source}: 0 passed, 0 failed, 1 not run"


def test_a_plugin_of_prompts_alone_passes_by_its_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = made(tmp_path, "command")
    monkeypatch.setattr("sys.argv", ["ultra-plugin", "test", "--source", str(source)])
    assert run() == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("no plugin ships anything that runs")


def test_the_command_line_starts_and_tests_a_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(*words: str) -> int:
        monkeypatch.setattr("sys.argv", ["ultra-plugin", *words])
        return run()

    monkeypatch.chdir(tmp_path)
    assert call("new", "acme", "--with", "hook", "--author", "Ann") == 0
    assert re.search("Build it: cd acme && .*ultra-plugin.? build", capsys.readouterr().out)
    monkeypatch.setattr("ultra_plugin.cli.new._git_name", str)
    assert call("new", "nameless", "--with", "hook") == 0
    said = capsys.readouterr().out
    assert "the author is Nobody: put a name into plugin_src/suite.yaml and plugin_src/LICENSE" in said
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert call("new", "far", "--with", "hook", "--author", "Ann") == 0
    assert f"&& {quote(str(Path(sys.executable).with_name('ultra-plugin')))} build" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path / "acme")
    cases = tmp_path / "acme/plugin_src/tests/more.yaml"
    cases.write_text("plugin: other\ncases: []\n")
    assert call("test") == 1
    told = capsys.readouterr()
    assert (told.out, told.err.splitlines()[-1]) == ("", "ultra-plugin: 1 problem")
    cases.unlink()
    assert call("test") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "plugin_src: 3 passed, 0 failed, 0 not run"
    (tmp_path / "acme/plugin_src" / HOOK).write_text("raise SystemExit(1)\n")
    assert call("test", "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["ok"], {one["result"] for one in answer["outcomes"]}) == (False, {"failed"})
    assert call("schemas") == 0
    assert (tmp_path / "acme/plugin_src/.schemas/plugin.schema.json").is_file()
