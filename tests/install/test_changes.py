"""What the owner changed: kept beside on an upgrade, left on an uninstall, and named each time."""

from __future__ import annotations

import compileall
import json
import os
from pathlib import Path

import pytest

from tests.install.samples import Machine, plugin_files, snapshot, write_bundle
from tests.kit.files import write_tree

ALL = ("--yes", "--permissions", "minimal", "--short-names")


def test_upgrade_keeps_edited_files_beside_and_names_them(
    machine: Machine, bundle: Path, newer: Path
) -> None:
    machine.ok("--from", bundle, "--yes")
    write_tree(
        machine.plugin(), {"README.md": "mine", "notes/own.txt": "own", "bin/ultra": "#!/bin/sh\nmine\n"}
    )
    done = machine.ok("--from", newer, "--upgrade", "--yes")
    assert "upgraded sample 1.0.0 to 1.1.0" in done.stdout
    assert "kept your README.md as README.md.kept-1.0.0" in done.stdout
    assert (machine.plugin() / "README.md").read_text() == "Sample 1.1.0.\n"
    assert (machine.plugin() / "README.md.kept-1.0.0").read_text() == "mine"
    assert (machine.plugin() / "bin/ultra.kept-1.0.0").read_text() == "#!/bin/sh\nmine\n"
    assert (machine.plugin() / "notes/own.txt").read_text() == "own"
    assert "kept for you: README.md.kept-1.0.0" in machine.ok("--status").stdout


def test_second_edit_gets_a_name_of_its_own(machine: Machine, bundle: Path, newer: Path) -> None:
    for text in ("first", "second"):
        machine.ok("--from", bundle, "--yes")
        write_tree(machine.plugin(), {"README.md": text})
    machine.ok("--from", newer, "--yes")
    kept = sorted(machine.plugin().glob("README.md.kept-*"))
    assert [path.read_text() for path in kept] == ["first", "second"]
    assert machine.ok("--status", "--json").json()["plugins"][0]["kept"] == [path.name for path in kept]


def test_file_that_a_new_version_ships_too_is_kept_beside(
    machine: Machine, bundle: Path, tmp_path: Path
) -> None:
    machine.ok("--from", bundle, "--yes")
    write_tree(machine.plugin(), {"docs": "a file of mine", "extra/deep/own.txt": "own"})
    files = {**plugin_files("1.1.0"), "docs/guide.md": "Guide.\n", "extra": "a file now\n"}
    machine.ok("--from", write_bundle(tmp_path / "grown", "1.1.0", files), "--yes")
    assert (machine.plugin() / "docs.kept-1.0.0").read_text() == "a file of mine"
    assert (machine.plugin() / "extra.kept-1.0.0/deep/own.txt").read_text() == "own"
    assert (machine.plugin() / "extra").read_text() == "a file now\n"


def test_upgrade_leaves_nothing_of_the_old_version(machine: Machine, bundle: Path, tmp_path: Path) -> None:
    machine.ok("--from", bundle, *ALL)
    files = {path: text for path, text in plugin_files("1.1.0").items() if "plan" not in path}
    files["commands/review.md"] = "---\ndescription: Review\n---\nReview.\n"
    done = machine.ok("--from", write_bundle(tmp_path / "other", "1.1.0", files), "--upgrade", "--yes")
    assert "removed the short name /plan" in done.stdout
    assert {path.name for path in (machine.config / "commands").iterdir()} == {"brief.md", "review.md"}
    assert not (machine.plugin() / "commands/plan.md").exists()
    machine.ok("--verify")
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == {}


def test_upgrade_needs_an_installation(machine: Machine, newer: Path) -> None:
    assert "is not installed" in machine.refused("--from", newer, "--upgrade", "--yes")
    assert snapshot(machine.home) == {}


def test_downgrade_asks(machine: Machine, bundle: Path, newer: Path) -> None:
    machine.ok("--from", newer, "--yes")
    said = machine.refused("--from", bundle, answer="n\n")
    assert "would downgrade sample 1.1.0 to 1.0.0" in said
    assert "installs an older version" in said
    assert "Sample 1.1.0" in (machine.plugin() / "README.md").read_text()
    machine.ok("--from", bundle, answer="yes\n")
    assert "Sample 1.0.0" in (machine.plugin() / "README.md").read_text()


def test_verify_names_every_difference_and_install_repairs(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, *ALL)
    write_tree(machine.plugin(), {"README.md": "mine", "own.txt": "own"})
    (machine.plugin() / "agents/critic.md").unlink()
    (machine.plugin() / "bin/ultra").chmod(0o644)
    (machine.config / "commands/brief.md").write_text("mine now")
    (machine.config / "commands/plan.md").unlink()
    machine.settings.write_text("{}")
    done = machine.run("--verify")
    assert done.status == 1
    assert done.stdout.splitlines() == [
        "sample: README.md was changed",
        "sample: agents/critic.md is missing",
        "sample: bin/ultra has a different mode",
        "sample: the short name /brief was changed",
        "sample: the short name /plan is missing",
        "sample: the rule Bash(ultra:*) is missing from settings.json",
        "sample: own.txt was added",
    ]
    done = machine.ok("--from", bundle, "--yes")
    assert "repaired sample 1.0.0 (3 of 10 files)" in done.stdout
    assert (machine.plugin() / "README.md.kept-1.0.0").read_text() == "mine"
    assert (machine.config / "commands/brief.md").read_text() == "mine now"
    (machine.plugin() / "own.txt").unlink()
    assert "are as installed" in machine.ok("--verify").stdout


def test_verify_with_nothing_installed_fails(machine: Machine) -> None:
    assert "nothing is installed" in machine.refused("--verify")


def test_uninstall_leaves_what_was_changed_or_added_and_names_it(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, *ALL)
    write_tree(machine.plugin(), {"commands/brief.md": "mine", "own/file.txt": "own"})
    (machine.plugin() / "own/link").symlink_to("/nowhere")
    (machine.plugin() / "own/empty").mkdir()
    (machine.config / "commands/plan.md").write_text("mine too")
    done = machine.ok("--uninstall", "--yes")
    assert "kept commands/brief.md: you have changed it" in done.stdout
    assert "kept own/file.txt: it is yours" in done.stdout
    assert "kept /plan: you have changed it" in done.stdout
    left = {path for path, one in snapshot(machine.home).items() if one[1] or "empty" in path}
    assert left == {
        ".claude/skills/sample/commands/brief.md",
        ".claude/skills/sample/own/file.txt",
        ".claude/skills/sample/own/link",
        ".claude/skills/sample/own/empty",
        ".claude/commands/plan.md",
    }


def test_changed_manifest_is_kept_where_the_client_does_not_load_it(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes")
    manifest = machine.plugin() / ".claude-plugin/plugin.json"
    manifest.write_text(manifest.read_text() + "\n")
    machine.ok("--uninstall", "--yes")
    left = [path for path, one in snapshot(machine.plugin()).items() if one[1]]
    assert left == [".claude-plugin/plugin.json.kept-1.0.0"]


def test_byte_code_of_our_modules_goes_and_of_others_stays(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes")
    compileall.compile_dir(machine.plugin() / "runtime", quiet=1)
    assert list((machine.plugin() / "runtime/__pycache__").glob("said.*.pyc"))
    machine.ok("--verify")
    write_tree(machine.plugin(), {"runtime/__pycache__/theirs.cpython-311.pyc": b"x"})
    machine.ok("--uninstall", "--yes")
    left = [path for path, one in snapshot(machine.plugin()).items() if one[1]]
    assert left == ["runtime/__pycache__/theirs.cpython-311.pyc"]


@pytest.mark.parametrize("purge", [False, True])
def test_purge_deletes_the_data_folder_and_uninstall_alone_does_not(
    machine: Machine, bundle: Path, purge: bool
) -> None:
    machine.ok("--from", bundle, "--yes")
    data = machine.config / "plugins/data/sample-skills-dir"
    write_tree(data, {"state.json": "{}"})
    write_tree(machine.config / "plugins/data/other-skills-dir", {"state.json": "{}"})
    done = machine.ok("--uninstall", "--yes", *(["--purge"] if purge else []))
    assert data.exists() is not purge
    assert ("its data folder" in done.stdout) is purge
    assert (machine.config / "plugins/data/other-skills-dir/state.json").exists()
    machine.ok("--uninstall", "--purge", "sample", "--yes")
    assert not data.exists()


def test_short_names_never_replace_what_the_owner_has(machine: Machine, bundle: Path, tmp_path: Path) -> None:
    write_tree(machine.config, {"commands/brief.md": "my brief", "skills/plan/SKILL.md": "my plan"})
    before = snapshot(machine.home)
    done = machine.ok("--from", bundle, "--yes", "--short-names")
    assert f"left alone /brief: {machine.config}/commands/brief.md has this name" in done.stdout
    assert f"left alone /plan: {machine.config}/skills/plan/SKILL.md has this name" in done.stdout
    assert (machine.config / "commands/brief.md").read_text() == "my brief"
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == before


def test_short_names_can_be_taken_back(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes", "--short-names")
    text = (machine.config / "commands/brief.md").read_text()
    assert 'argument-hint: "[topic]"' in text
    assert "Skill(sample:brief)" in text
    machine.ok("--from", bundle, "--yes", "--no-short-names")
    assert not list((machine.config / "commands").iterdir())
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == {}


def test_status_says_what_is_installed_and_what_was_changed(machine: Machine, bundle: Path) -> None:
    assert machine.ok("--status").stdout == "nothing is installed\n"
    machine.ok("--from", bundle, *ALL)
    write_tree(machine.plugin(), {"README.md": "mine"})
    (said,) = machine.ok("--status", "--json").json()["plugins"]
    assert (said["plugin"], said["version"], said["path"]) == ("sample", "1.0.0", str(machine.plugin()))
    assert said["differences"] == ["README.md was changed"]
    assert "README.md was changed" in machine.ok("--status").stdout


BROKEN_RECEIPTS: dict[str, str | dict[str, object]] = {
    "not JSON": "{",
    "a list": "[]",
    "leaves the folder": {"files": {"../../victim.txt": {"sha256": "0" * 64, "mode": "644"}}},
    "absolute": {"files": {"/etc/passwd": {"sha256": "0" * 64, "mode": "644"}}},
    "a command elsewhere": {"short_names": {"../../victim": "0" * 64}},
    "another format": {"format": 2},
    "more folders than were made": {"folders_made": {"above": -1, "commands": False}},
    "no digest": {"files": {"README.md": {"sha256": "x", "mode": "644"}}},
}


@pytest.mark.parametrize("case", BROKEN_RECEIPTS)
def test_receipt_from_a_stranger_is_not_followed(machine: Machine, bundle: Path, case: str) -> None:
    machine.ok("--from", bundle, "--yes")
    path = machine.plugin() / ".ultra-receipt.json"
    change = BROKEN_RECEIPTS[case]
    path.write_text(
        change if isinstance(change, str) else json.dumps({**json.loads(path.read_text()), **change})
    )
    before = snapshot(machine.home)
    assert "this receipt cannot be read" in machine.refused("--uninstall", "--yes")
    assert snapshot(machine.home) == before


def test_edited_file_stays_the_very_same_file(machine: Machine, bundle: Path, newer: Path) -> None:
    machine.ok("--from", bundle, "--yes")
    own = machine.plugin() / "own.txt"
    own.write_text("own")
    os.utime(own, (1, 1))
    before = own.stat()
    machine.ok("--from", newer, "--yes")
    after = own.stat()
    assert (after.st_ino, after.st_mtime, after.st_nlink) == (before.st_ino, 1, 1)
