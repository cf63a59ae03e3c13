"""bin/ultra: starts under every interpreter, from any place, whatever the surroundings hold."""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interpreters import interpreters, python_on_path, sampled, too_old
from tests.kit.calls import Told, Ultra
from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER, NAME, RUNTIME

HOSTILE = "import os; os.write(2, b'HIJACKED'); os._exit(99)\n"
MODULES = ("json", "os", "re", "stat", "ultra_runtime", "_json", "sitecustomize", "usercustomize", "codecs")


def assert_runs(told: Told) -> None:
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(f"{NAME} ")


def test_there_are_interpreters_to_test_with() -> None:
    assert len(interpreters()) >= 2


@pytest.mark.parametrize("interpreter", sampled(), ids=str)
def test_every_verb_answers_under_every_interpreter(
    interpreter: Path, bundle: Path, repo: Path, tmp_path: Path, add_state: Callable[..., Path]
) -> None:
    (tmp_path / "py").mkdir()
    ultra = Ultra(bundle, repo, python_on_path(interpreter, tmp_path / "py"))
    state = add_state()
    write_tree(repo, {"a.md": "---\nkey: [1, two]\n---\n", "deep": '{"a": ' + "[" * 99999})
    assert_runs(ultra.say("--version"))
    assert ultra("continue").data["command"].endswith("--session 2")
    assert ultra("validate", "session-state", state).data["valid"] is True
    assert ultra("validate", "session-state", repo / "deep").data["errors"][0]["line"] == 1
    assert ultra("frontmatter", "a.md").data["parsed"] == {"key": [1, "two"]}
    assert "none" in ultra.say("guide", "continue").out
    assert {check["status"] for check in ultra("doctor").data["checks"]} <= {"ok", "warn"}
    assert ultra.say("contiune").status == 2
    assert "one" in ultra.hook("session_start").out


def test_the_file_parses_as_python_3_6() -> None:
    ast.parse((RUNTIME / "bin" / "launcher").read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("interpreter", too_old(), ids=str)
def test_an_old_interpreter_is_told_in_one_sentence(
    interpreter: Path, bundle: Path, repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "py").mkdir()
    ultra = Ultra(bundle, repo, python_on_path(interpreter, tmp_path / "py"))
    for told in (ultra.say("continue"), ultra.run(["python3", ultra.command, "continue"])):
        assert (told.status, told.out, told.err.count("\n")) == (1, "", 1)
        assert told.err.startswith("ultra: Python 3.9 or newer is required")


def test_without_python3_there_is_one_sentence(ultra: Ultra, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    command: list[str | Path] = ["/bin/sh", ultra.command, "continue"]
    told = ultra.run(command, env={"PATH": str(tmp_path / "empty")})
    assert (told.status, told.out) == (1, "")
    assert told.err == "ultra: python3 is not on PATH: install Python 3.9 or newer, or put it on PATH.\n"


@pytest.mark.parametrize("interpreter", sampled(), ids=str)
def test_nothing_of_the_surroundings_is_imported(
    interpreter: Path, bundle: Path, repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "py").mkdir()
    ultra = Ultra(bundle, repo, python_on_path(interpreter, tmp_path / "py"))
    traps = {f"{name}.py": HOSTILE for name in MODULES}
    write_tree(repo, traps)
    write_tree(tmp_path / "elsewhere", traps)
    startup = tmp_path / "startup.py"
    startup.write_text(HOSTILE)
    env = {
        "PYTHONPATH": f"{repo}:{tmp_path / 'elsewhere'}",
        "PYTHONSTARTUP": str(startup),
        "PYTHONHOME": "",
        "PYTHONUSERBASE": str(tmp_path / "elsewhere"),
        "PYTHONINSPECT": "1",
        "PYTHONWARNINGS": "error",
        "PYTHONIOENCODING": "ascii",
        "LC_ALL": "C",
    }
    assert_runs(ultra.say("--version", cwd=repo, env=env))
    write_tree(repo, {"a.md": "---\nkey: grün\n---\n"})
    told = ultra("frontmatter", "a.md", cwd=repo, env=env)
    assert told.data["parsed"] == {"key": "grün"}


def test_the_trap_would_close_without_isolation(ultra: Ultra, repo: Path) -> None:
    """Prove that the test above can fail."""
    write_tree(repo, {f"{name}.py": HOSTILE for name in MODULES})
    told = ultra.run(["python3", "-c", "import json"], cwd=repo, env={"PYTHONPATH": str(repo)})
    assert "HIJACKED" in told.err


def test_a_call_through_python_isolates_itself(ultra: Ultra, repo: Path) -> None:
    script = ultra.command
    assert_runs(ultra.run(["python3", script, "--version"]))
    write_tree(repo, {"json.py": HOSTILE, "ultra_runtime.py": HOSTILE, "_json.py": HOSTILE})
    told = ultra.run(["python3", script, "continue", "--json"], env={"PYTHONPATH": str(repo)})
    assert told.data["found"] is False
    told = ultra.run(["python3", os.path.relpath(script, repo), "--version"], cwd=repo)
    assert_runs(told)


def test_arguments_pass_unchanged(ultra: Ultra) -> None:
    word = "a  b'\"$HOME`*\\ é"
    for start in ([], ["python3"]):
        told = ultra.run([*start, ultra.command, "validate", word, "x", "--json"])
        assert f"unknown kind: {word}" in told.data["error"]


def test_symlinks_and_spaces_lead_home(own_bundle: Path, repo: Path, python: Path, tmp_path: Path) -> None:
    ultra = Ultra(own_bundle, repo, python)
    assert_runs(ultra.say("--version"))
    (tmp_path / "my links").mkdir()
    (tmp_path / "my links" / "first").symlink_to(own_bundle / "bin" / LAUNCHER)
    (tmp_path / "my links" / "ultra").symlink_to("first")
    assert_runs(ultra.run([tmp_path / "my links" / "ultra", "--version"]))
    assert_runs(
        ultra.run(["ultra", "--version"], env={"PATH": f"{tmp_path / 'my links'}:{ultra.env['PATH']}"})
    )


def test_a_read_only_bundle_works(own_bundle: Path, repo: Path, python: Path) -> None:
    for cache in list(own_bundle.rglob("__pycache__")):
        shutil.rmtree(cache)
    before = sorted(own_bundle.rglob("*"))
    folders = [path for path in [own_bundle, *before] if path.is_dir()]
    if os.geteuid() == 0:  # root writes everywhere: a file in its place keeps the cache away
        for package in {path.parent for path in before if path.suffix == ".py"}:
            (package / "__pycache__").write_text("")
    for folder in folders:
        folder.chmod(0o555)
    try:
        ultra = Ultra(own_bundle, repo, python)
        assert_runs(ultra.say("--version"))
        assert ultra("continue").data["found"] is False
        assert [path for path in sorted(own_bundle.rglob("*")) if path.name != "__pycache__"] == before
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_half_a_bundle_is_told_in_one_sentence(own_bundle: Path, repo: Path, python: Path) -> None:
    (own_bundle / "runtime/ultra_runtime/__main__.py").unlink()
    told = Ultra(own_bundle, repo, python).say("continue")
    assert (told.status, told.out, told.err.count("\n")) == (3, "", 1)
    assert "install the plugin again" in told.err


def test_a_folder_that_is_gone_is_told(ultra: Ultra, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    python = f'exec python3 -I -S -X utf8 "{ultra.command}" continue --json'
    told = ultra.run(["/bin/sh", "-c", f'cd "{gone}" && rmdir "{gone}" && {python}'])
    assert (told.status, told.data["error"]) == (1, "the current folder no longer exists")
