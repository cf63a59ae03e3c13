"""Killed, failing, or two at a time: all or nothing."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.install.samples import Machine, plugin_files, snapshot, write_bundle
from tests.kit.files import write_tree
from tests.kit.quick import random_seed, times
from ultra_plugin.install import inspecting
from ultra_plugin.install.calls import Asked, call_verify
from ultra_plugin.install.inspecting import Standing
from ultra_plugin.install.place import Place, user_place

KILLS = times(40, 1000)


def killing(*words: str) -> str:
    """Run the script that stops installers and return what it says."""
    script = Path(__file__).with_name("killing.py")
    command = [sys.executable, str(script), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.soak
def test_sigkill_at_random_moments() -> None:
    assert "were killed at work" in killing("random", str(random_seed()), str(KILLS))


def test_sigkill_before_every_operation_on_the_file_system() -> None:
    assert killing("sweep", "kill").count("operations") == times(2, 6)


def test_failure_of_every_operation_on_the_file_system() -> None:
    assert killing("sweep", "fail").count("operations") == times(2, 6)


def test_file_that_cannot_be_written_whole_is_rolled_back(machine: Machine, tmp_path: Path) -> None:
    files = {**plugin_files(), "zz-last.bin": b"x" * 300_000}
    bundle = write_bundle(tmp_path / "large", files=files)
    write_tree(machine.home, {".claude/settings.json": "{}"})
    before = snapshot(machine.home)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    done = machine.run("--from", bundle, "--yes", "--permissions", "minimal", preexec_fn=limit)
    assert done.status == 1
    assert "File too large" in done.stderr
    assert snapshot(machine.home) == before


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 64 kB, where we may."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() or not mount:
        pytest.skip("only root may mount a small disk")
    command = [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_is_rolled_back(machine: Machine, tmp_path: Path, full_disk: Path) -> None:
    files = {**plugin_files(), "zz-last.bin": b"x" * 100_000}
    bundle = write_bundle(tmp_path / "large", files=files)
    machine.variables["CLAUDE_CONFIG_DIR"] = str(full_disk)
    write_tree(full_disk, {"settings.json": "{}"})
    before = snapshot(full_disk)
    said = machine.refused("--from", bundle, "--yes", "--permissions", "minimal", "--short-names")
    assert "No space left on device; nothing was changed: make room" in said
    assert snapshot(full_disk) == before


def test_second_waits_and_then_gives_up_with_a_sentence(machine: Machine, bundle: Path) -> None:
    state = machine.config / "skills" / ".ultra-install"
    state.mkdir(parents=True)
    with open(state / "lock", "w") as lock:
        lock.write("4711\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = machine.refused("--from", bundle, "--yes", "--wait", "0.2")
        assert "waiting for another ultra-install (process 4711)" in said
        assert "or more; wait or stop it" in said
        assert not machine.plugin().exists()
    machine.ok("--from", bundle, "--yes")
    assert not state.exists()


def test_many_at_once_wait_for_each_other(machine: Machine, bundle: Path, newer: Path) -> None:
    words = ["--yes", "--permissions", "minimal", "--short-names", "--from"]
    command = [sys.executable, "-m", "ultra_plugin.install.main", *words]
    running = [
        subprocess.Popen(
            [*command, str(which)], env=machine.environment(), stdout=-3, stderr=subprocess.PIPE, text=True
        )
        for which in (bundle, newer) * 4
    ]
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 or "files changed while waiting for the answer" in said, said
    machine.ok("--verify")
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == {}


def test_a_difference_that_another_call_makes_meanwhile_is_none(
    machine: Machine, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.ok("--from", bundle, "--yes")
    before, whole, looked = snapshot(machine.home), inspecting.standings, []
    manifest = machine.plugin() / ".claude-plugin" / "plugin.json"

    def while_another_works(place: Place, names: Sequence[str]) -> list[Standing]:
        looked.append(names)
        text = manifest.read_bytes()
        manifest.write_bytes(
            b"half" if len(looked) < 3 else text
        )  # the second look is of the names to verify
        found = whole(place, names)
        manifest.write_bytes(text)
        return found

    monkeypatch.setattr(inspecting, "standings", while_another_works)
    report = call_verify(user_place(machine.environment()), Asked(), print)
    assert (report.problems, len(looked), snapshot(machine.home)) == ([], 3, before)


def test_settings_that_change_while_an_answer_is_awaited_are_not_replaced(
    machine: Machine, bundle: Path
) -> None:
    write_tree(machine.home, {".claude/settings.json": "{}"})
    command = [
        sys.executable,
        "-m",
        "ultra_plugin.install.main",
        "--from",
        str(bundle),
        "--permissions",
        "minimal",
    ]
    process = subprocess.Popen(
        command,
        env=machine.environment(),
        stdin=-1,
        stdout=-1,
        stderr=-1,
        text=True,
        bufsize=0,
        cwd=machine.home,
    )
    assert process.stderr
    said = ""
    while "Continue?" not in said:
        said += process.stderr.read(1)
    machine.settings.write_text('{"model": "opus"}')
    process.communicate("y\n", timeout=60)
    assert machine.settings.read_text() == '{"model": "opus", "permissions": {"allow": ["Bash(ultra:*)"]}}'
    machine.ok("--uninstall", "--yes")
    assert machine.settings.read_text() == '{"model": "opus"}'


def test_settings_changed_after_a_kill_are_kept(machine: Machine, bundle: Path) -> None:
    """Stop right after the commit, edit the settings, and see that the next call does not overwrite them."""
    write_tree(machine.home, {".claude/settings.json": "{}"})
    script = f"""
import sys
from ultra_plugin.install import steps
from ultra_plugin.install.main import main
def kill(*_):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
steps.do = kill
main(["--from", {str(bundle)!r}, "--yes", "--permissions", "minimal"])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env=machine.environment(), capture_output=True, check=False
    )
    assert done.returncode == -9
    assert (machine.config / "skills/.ultra-install/journal-committed.json").exists()
    machine.settings.write_text('{"theirs": 1}')
    assert "rolled back" in machine.ok("--status").stdout
    assert snapshot(machine.home).keys() == {".claude", ".claude/settings.json"}
    assert machine.settings.read_text() == '{"theirs": 1}'


def test_interrupt_changes_nothing(machine: Machine, bundle: Path) -> None:
    command = [sys.executable, "-m", "ultra_plugin.install.main", "--from", str(bundle)]
    process = subprocess.Popen(
        command, env=machine.environment(), stdin=-1, stdout=-1, stderr=-1, text=True, bufsize=0
    )
    assert process.stderr
    said = ""
    while "Continue?" not in said:
        said += process.stderr.read(1)
    process.send_signal(2)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert snapshot(machine.home) == {}
