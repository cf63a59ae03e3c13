"""The command line: asks, says what it did, and needs nothing but Python."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.samples import GENERATOR, Machine, snapshot
from tests.kit.files import write_tree
from tests.kit.names import BUILT, COMMANDS, NAME


def test_it_shows_what_it_will_do_and_asks(machine: Machine, bundle: Path) -> None:
    done = machine.run("--from", bundle, "--permissions", "minimal", answer="n\n")
    assert done.status == 1
    assert "would install sample 1.0.0 (10 files)" in done.stderr
    assert "would add the rule Bash(ultra:*): bin/ultra of the plugin runs without asking" in done.stderr
    assert "Continue? [y/N]" in done.stderr
    assert "nothing was changed" in done.stderr
    assert done.stdout == ""
    assert snapshot(machine.home) == {}
    assert "installed sample" in machine.ok("--from", bundle, answer="y\n").stdout
    assert "would remove sample" in machine.refused("--uninstall", answer="\n")
    assert machine.plugin().is_dir()


def test_nobody_to_ask_is_a_sentence(machine: Machine, bundle: Path) -> None:
    assert "add --yes" in machine.refused("--from", bundle)
    assert snapshot(machine.home) == {}


def test_wrong_usage_is_json_for_who_asks_for_it(machine: Machine) -> None:
    for words, error in (
        (["--nope"], "unrecognized arguments: --nope"),
        (["--purge"], "--purge needs --uninstall"),
    ):
        done = machine.run(*words, "--json")
        assert (done.status, json.loads(done.stdout)) == (2, {"ok": False, "error": error})
    assert machine.run("-V").stdout == machine.run("--version").stdout


def test_options_and_names_come_in_any_order(machine: Machine, bundle: Path) -> None:
    said = machine.refused("sample", "--from", bundle, "--yes", "another")
    assert "contains sample, not sample another" in said


def test_dry_run_does_nothing(machine: Machine, bundle: Path) -> None:
    said = machine.ok("--from", bundle, "--dry-run", "--short-names").stdout
    assert said.splitlines()[0].startswith("would install sample 1.0.0")
    assert snapshot(machine.home) == {}
    machine.ok("--from", bundle, "--yes")
    before = snapshot(machine.home)
    machine.ok("--uninstall", "--dry-run")
    assert snapshot(machine.home) == before


def test_one_line_for_each_thing_and_no_marks_without_a_terminal(machine: Machine, bundle: Path) -> None:
    write_tree(machine.home, {".claude/settings.json": "{}"})
    said = machine.ok("--from", bundle, "--yes", "--permissions", "minimal", "--short-names").stdout
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "installed sample 1.0.0 (10 files)",
        "added the rule Bash(ultra",
        "added the short name /brief",
        "added the short name /plan",
        "backed up the current settings",
        "start Claude Code",
        "type one of",
    ]
    assert said.isascii()


def test_the_last_two_lines_say_how_to_start(machine: Machine) -> None:
    said = machine.ok("--from", BUILT, "--yes").stdout.splitlines()
    start = "start Claude Code: claude (in a running session type /reload-plugins instead)"
    assert said[-2:] == [start, f"type: {COMMANDS['brief']}"]
    again = machine.ok("--from", BUILT, "--yes", "--short-names").stdout.splitlines()
    assert again[0].startswith(f"replaced the list of what was installed with {NAME} ")
    assert again[-2:] == said[-2:]


def test_ticks_and_crosses_on_a_terminal(machine: Machine, bundle: Path) -> None:
    def run(*words: str) -> str:
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "ultra_plugin.install.main", *words]
        process = subprocess.Popen(command, env=machine.environment(), stdout=theirs, cwd=machine.home)
        os.close(theirs)
        said = b""
        try:
            while block := os.read(ours, 1000):
                said += block
        except OSError:  # the other side is closed
            pass
        process.wait(timeout=60)
        os.close(ours)
        return said.decode()

    assert "✓ installed sample" in run("--from", str(bundle), "--yes")
    (machine.plugin() / "README.md").unlink()
    assert "✗ sample: README.md is missing" in run("--verify")


def test_json_is_complete(machine: Machine, bundle: Path) -> None:
    said = machine.ok("--from", bundle, "--yes", "--json", "--permissions", "minimal", "--short-names").json()
    assert said["ok"] is True
    assert (said["action"], said["scope"], said["config"]) == ("install", "user", str(machine.config))
    assert [(one["action"], one["plugin"]) for one in said["actions"]] == [
        ("install", "sample"),
        ("add", "sample"),
        ("add", "sample"),
        ("add", "sample"),
    ]
    assert said["plugins"][0]["permissions"] == ["Bash(ultra:*)"]
    assert said["plugins"][0]["short_names"] == ["brief", "plan"]
    (machine.plugin() / "README.md").unlink()
    done = machine.run("--verify", "--json")
    assert (done.status, done.json()["problems"]) == (1, ["sample: README.md is missing"])
    gone = machine.ok("--uninstall", "--yes", "--json").json()
    assert [one["action"] for one in gone["actions"]] == ["remove"] * 4


def test_json_without_yes_changes_nothing_and_errors_are_json_too(machine: Machine, bundle: Path) -> None:
    done = machine.run("--from", bundle, "--json")
    assert done.status == 1
    assert "add --yes" in done.json()["error"]
    assert snapshot(machine.home) == {}
    plan = machine.ok("--from", bundle, "--json", "--dry-run").json()
    assert (plan["dry_run"], len(plan["actions"])) == (True, 1)


@pytest.mark.parametrize(
    "words",
    [
        ("--scope", "world"),
        ("--purge",),
        ("--uninstall", "--upgrade"),
        ("--uninstall", "--from", "x"),
        ("--status", "--dry-run"),
        ("--verify", "--permissions", "minimal"),
        ("--permissions", "all"),
        ("--nonsense",),
        ("../../evil",),
    ],
)
def test_wrong_usage_is_status_2(machine: Machine, words: tuple[str, ...]) -> None:
    done = machine.run(*words)
    assert done.status == 2
    assert "usage: ultra-install" in done.stderr
    assert snapshot(machine.home) == {}


def test_help_is_enough_to_use_it(machine: Machine) -> None:
    said = machine.ok("--help").stdout
    for word in [
        "PLUGIN",
        "--upgrade",
        "--uninstall",
        "--status",
        "--verify",
        "--scope",
        "--from",
        "--permissions",
        "--short-names",
        "--purge",
        "--dry-run",
        "--yes",
        "--json",
        "--wait",
        "settings.json.ultra-backup",
        "CLAUDE_CONFIG_DIR",
        "examples:",
        "exit",
        "status",
    ]:
        assert word in said


def test_no_home_is_a_sentence(machine: Machine, bundle: Path) -> None:
    machine.variables["HOME"] = ""
    assert "neither HOME nor CLAUDE_CONFIG_DIR is set" in machine.refused("--from", bundle, "--yes")


def test_no_plugin_at_hand_is_a_sentence(machine: Machine, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    command = ["cp", "-r", str(GENERATOR / "ultra_plugin"), str(alone / "a" / "ultra_plugin")]
    (alone / "a").mkdir(parents=True)
    subprocess.run(command, check=True)
    machine.variables["PYTHONPATH"] = str(alone / "a")
    assert "no plugin came with this installer" in machine.refused("--yes")
    write_tree(alone / "dist/sample", {"bundle.json": "{}"})
    assert "unknown plugin: other; use one of: sample" in machine.refused("other", "--yes")


def test_closed_output_is_no_traceback(machine: Machine, bundle: Path) -> None:
    command = f"'{sys.executable}' -m ultra_plugin.install.main --help | true"
    done = subprocess.run(
        ["sh", "-c", command], env=machine.environment(), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


BLOCKED = """
import builtins, sys
real = builtins.__import__
def guarded(name, *rest, **named):
    top = name.partition(".")[0]
    relative = len(rest) > 3 and rest[3] or named.get("level")
    if not relative and top not in sys.stdlib_module_names and top != "ultra_plugin":
        raise ImportError(f"{name} is not in the standard library")
    return real(name, *rest, **named)
builtins.__import__ = guarded
from ultra_plugin.install.main import main
status = main(sys.argv[1:])
ours = [name for name in sys.modules if name.startswith("ultra_plugin.")]
outside = [name for name in ours if not name.startswith("ultra_plugin.install")]
assert outside == ["ultra_plugin.errors"], outside
sys.exit(status)
"""


def test_the_standard_library_is_enough(machine: Machine, bundle: Path) -> None:
    program = f"import sys\nsys.path.insert(0, {str(GENERATOR)!r})\n{BLOCKED}"
    command = [sys.executable, "-I", "-S", "-c", program]
    for words in (
        ["--from", str(bundle), "--yes", "--permissions", "minimal"],
        ["--verify"],
        ["--uninstall", "--yes"],
    ):
        done = subprocess.run(
            [*command, *words], env=machine.environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert snapshot(machine.home) == {}


WINDOWS = """
import sys
sys.platform = "win32"
sys.modules["fcntl"] = None
from ultra_plugin.install.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_native_windows_is_refused_in_a_sentence(machine: Machine) -> None:
    command = [sys.executable, "-c", WINDOWS]
    done = subprocess.run(command, env=machine.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "install WSL (wsl --install)" in done.stderr
    done = subprocess.run(
        [*command, "--json"], env=machine.environment(), capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["ok"] is False


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13"])
def test_other_pythons_install_too(machine: Machine, bundle: Path, version: str) -> None:
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
    if not found:
        pytest.skip(f"Python {version} is not here")
    python = str(found[-1])
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal", python=python)
    machine.ok("--verify", python=python)
    machine.ok("--uninstall", "--yes", python=python)
    assert snapshot(machine.home) == {}
