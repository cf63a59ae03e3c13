"""Install, then uninstall: every byte is as it was, whatever was there before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.install.samples import GENERATOR, Files, Machine, plugin_files, snapshot, write_bundle
from tests.kit.files import write_tree

BIG = json.dumps({"numbers": [1.50, 2e-7], "text": ["ü" * 50] * 9000}, ensure_ascii=False)
HOOKS = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
STARTS: dict[str, Files] = {
    "no client folder": {},
    "an empty client folder": {".claude/keep-me/x": "x"},
    "an empty list": {".claude/settings.json": '{"permissions":{"allow":[ ]}}'},
    "other plugins and skills": {
        ".claude/skills/other/.claude-plugin/plugin.json": '{"name": "other", "version": "1.0.0"}',
        ".claude/skills/writing/SKILL.md": "---\nname: writing\n---\nWrite.\n",
        ".claude/commands/mine.md": "Mine.\n",
        ".claude/CLAUDE.md": "Be kind.\n",
    },
    "own hooks in the same event": {".claude/settings.json": HOOKS},
    "CRLF": {".claude/settings.json": '{\r\n  "a": 1\r\n}\r\n'},
    "tabs": {".claude/settings.json": '{\n\t"a": {\n\t\t"b": []\n\t}\n}'},
    "unusual numbers": {
        ".claude/settings.json": '{"a": 1.0, "b": 1E+2, "c": -0.0, "d": 123456789012345678901}'
    },
    "a megabyte": {".claude/settings.json": BIG},
    "non-ASCII": {".claude/settings.json": '{"ключ": "値 \\ud83d\\ude00 é"}'},
    "a byte order mark": {".claude/settings.json": '\ufeff{ "a" : 1 }'},
    "no line end, odd spaces": {".claude/settings.json": '  { "permissions" :\n{ "allow":["x" , "y" ] } }  '},
    "the rule is there": {".claude/settings.json": '{"permissions": {"allow": ["Bash(ultra:*)"]}}'},
    "a short name is taken": {".claude/commands/brief.md": "My own brief.\n"},
}


@pytest.mark.parametrize("options", [(), ("--permissions", "minimal", "--short-names")], ids=["plain", "all"])
@pytest.mark.parametrize("start", STARTS)
def test_install_then_uninstall_is_the_identity(
    machine: Machine, bundle: Path, start: str, options: tuple[str, ...]
) -> None:
    write_tree(machine.home, STARTS[start])
    before = snapshot(machine.home)
    machine.ok("--from", bundle, "--yes", *options)
    installed = snapshot(machine.home)
    assert {path: installed[path] for path in before if path != ".claude/settings.json"} == {
        path: one for path, one in before.items() if path != ".claude/settings.json"
    }
    if not options:
        assert installed.get(".claude/settings.json") == before.get(".claude/settings.json")
    machine.ok("--from", bundle, "--yes", *options)
    assert snapshot(machine.home) == installed, "twice is once"
    machine.ok("--verify")
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == before
    assert "nothing is installed" in machine.ok("--uninstall", "--yes").stdout


def test_empty_folders_that_were_there_stay(machine: Machine, bundle: Path) -> None:
    for name in ("skills", "commands"):
        (machine.config / name).mkdir(parents=True)
    before = snapshot(machine.home)
    machine.ok("--from", bundle, "--yes", "--short-names")
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == before


@pytest.mark.parametrize("link", [False, True])
def test_folder_of_the_same_name_that_is_not_ours_is_refused(
    machine: Machine, bundle: Path, tmp_path: Path, link: bool
) -> None:
    if link:
        write_tree(tmp_path / "checkout", {"SKILL.md": "Mine."})
        machine.plugin().parent.mkdir(parents=True)
        machine.plugin().symlink_to(tmp_path / "checkout")
    else:
        write_tree(machine.plugin(), {"SKILL.md": "Mine."})
    before = snapshot(machine.home)
    assert "was not installed by ultra-install" in machine.refused("--from", bundle, "--yes")
    assert "nothing is installed" in machine.ok("--uninstall", "--yes").stdout
    assert snapshot(machine.home) == before


def test_plugin_of_the_same_name_in_another_folder_is_refused(machine: Machine, bundle: Path) -> None:
    write_tree(machine.config / "skills" / "mine", plugin_files())
    before = snapshot(machine.home)
    assert "the client loads only one" in machine.refused("--from", bundle, "--yes")
    assert snapshot(machine.home) == before


def test_two_plugins_share_what_was_made_for_the_first(
    machine: Machine, bundle: Path, tmp_path: Path
) -> None:
    other = write_bundle(
        tmp_path / "other",
        plugin="other",
        files={path: text for path, text in plugin_files(plugin="other").items() if "plan" not in path},
    )
    write_tree(machine.home, {".claude/settings.json": "{}"})
    before = snapshot(machine.home)
    options = ("--yes", "--permissions", "minimal", "--short-names")
    machine.ok("--from", bundle, *options)
    done = machine.ok("--from", other, *options)
    assert "left alone /brief" in done.stdout
    machine.ok("--uninstall", "sample", "--yes")
    assert machine.plugin("other").is_dir()
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == before


def test_two_carried_plugins_go_in_and_out_together(machine: Machine, tmp_path: Path) -> None:
    """Both have the same commands and program: one gets the short names, both work."""
    root = tmp_path / "clone"
    shutil.copytree(GENERATOR, root / "generator", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("first", "second"):
        write_bundle(root / "dist" / name, plugin=name, files=plugin_files(plugin=name))
    machine.variables["PYTHONPATH"] = str(root / "generator")
    said = machine.ok("--yes", "--permissions", "minimal", "--short-names").stdout
    assert "installed first 1.0.0" in said
    assert "installed second 1.0.0" in said
    assert "left alone /brief: another plugin's command has this name" in said
    machine.ok("--verify")
    machine.ok("--upgrade", "--yes")
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == {}


def test_files_are_installed_with_their_modes_whatever_the_umask(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes", umask=0o077)
    modes = {path: one[0] & 0o777 for path, one in snapshot(machine.plugin()).items()}
    assert modes["bin/ultra"] == modes["bin"] == modes["runtime"] == 0o755
    assert modes["README.md"] == modes[".ultra-receipt.json"] == 0o644


def test_receipt_says_what_when_and_how(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal", "--short-names")
    receipt = json.loads((machine.plugin() / ".ultra-receipt.json").read_text())
    assert receipt["plugin"] == "sample"
    assert receipt["version"] == "1.0.0"
    assert receipt["from"] == bundle.name
    assert receipt["scope"] == "user"
    assert receipt["files"].keys() == {*plugin_files(), "bundle.json"}
    assert receipt["permissions"] == {"added": ["Bash(ultra:*)"], "created": "file"}
    assert receipt["short_names"].keys() == {"brief", "plan"}
    assert str(machine.home) not in json.dumps(receipt), "a receipt may be committed: nobody's paths in it"
