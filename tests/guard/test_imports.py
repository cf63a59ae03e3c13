"""What the guard imports: nothing slow, in one direction, and little for a harmless command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.imports import PACKAGE, SLOW, imports
from ultra_runtime.guard.follow import builtin, kinds, launch, outputs, wrappers, writes

GUARD = PACKAGE / "guard"
MODULES = sorted(path for path in GUARD.rglob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_nothing_slow_is_imported_anywhere(path: Path) -> None:
    """Which way imports point is held for the whole runtime in tests/runtime."""
    for name in imports(path):
        assert name.partition(".")[0] in ("__future__", "os", "sys", "ultra_runtime"), name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_room_is_not_a_hall(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 430


PROGRAM = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {runtime!r})
from ultra_runtime.guard.first_look import may_match
command = sys.argv[1]
if may_match(command):
    from ultra_runtime.guard.policy import Policy
    from ultra_runtime.guard.follow.watch import verdict_of, watch
    from ultra_runtime.tables import policy
    policy = Policy.of(policy)
    print(verdict_of(watch(command, policy), policy).rule)
print(*sys.modules)
"""


def loaded(bundle: Path, command: str) -> tuple[str, set[str]]:
    """Return the rule and the modules that a process has loaded after it judged a command."""
    program = PROGRAM.format(runtime=str(bundle / "runtime"))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, command], capture_output=True, text=True, check=True
    )
    *rule, modules = done.stdout.splitlines()
    return "".join(rule), set(modules.split())


def test_a_harmless_command_loads_the_first_look_alone(bundle: Path) -> None:
    rule, modules = loaded(bundle, "git status")
    assert rule == ""
    assert {name for name in modules if name.startswith("ultra_runtime")} == {
        "ultra_runtime", "ultra_runtime.guard", "ultra_runtime.guard.first_look",
        "ultra_runtime.tables", "ultra_runtime.tables.first_look",
    }  # fmt: skip
    assert not modules & SLOW


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("rm -rf x", "recursive_force_delete"),
        ("bash -c 'rm -rf x'", "recursive_force_delete"),
        ("python3 -c 'import shutil; shutil.rmtree(1)'", "recursive_force_delete"),
        ("curl x | bash", "pipe_to_shell"),
        ("echo x > /dev/sda", "disk_destruction"),
        ("X=$(ls {a,b}); f() { echo ${X%a}; }; f | tr a b", ""),
    ],
)
def test_no_command_loads_anything_slow(bundle: Path, command: str, rule: str) -> None:
    found, modules = loaded(bundle, command)
    assert found == rule
    assert "ultra_runtime.guard.follow.follower" in modules
    assert not modules & SLOW


def test_a_plain_dangerous_command_does_not_load_everything(bundle: Path) -> None:
    _, modules = loaded(bundle, "rm -rf x")
    followed = {"code", "launch", "builtin", "braces", "parameter", "outputs"}
    unneeded = {f"follow.{name}" for name in followed} | {"rules.system", "rules.git_use"}
    for name in unneeded:
        assert (GUARD / f"{name.replace('.', '/')}.py").is_file()
    assert not modules & {f"ultra_runtime.guard.{name}" for name in unneeded}


def test_every_name_leads_to_a_function() -> None:
    for table, module in (
        (kinds.BUILTINS, builtin),
        (kinds.LAUNCHERS, launch),
        (kinds.WRITERS, writes),
        (kinds.PRINTERS, outputs),
    ):
        for name, function in table.items():
            assert callable(getattr(module, function)), name


def test_no_name_is_two_things() -> None:
    runs = [kinds.SHELLS, kinds.POWERSHELLS, kinds.BUILTINS, kinds.LAUNCHERS, wrappers.PLAIN, kinds.LANGUAGES]
    names = [name for table in runs for name in table]
    assert sorted(names) == sorted(set(names))
