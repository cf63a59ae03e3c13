"""`ultra doctor`: every check can be ok, and every one can find something."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER, NAME


@pytest.fixture
def ultra(own_bundle: Path, repo: Path, python: Path, tmp_path: Path) -> Ultra:
    """Return a runner of a bundle to damage, with a new enough client and itself on PATH."""
    runner = Ultra(own_bundle, repo, python)
    tools = tmp_path / "tools"
    tools.mkdir()
    runner.env["PATH"] = f"{tools}:{own_bundle}/bin:{runner.env['PATH']}"
    client(tools, "echo '2.1.325 (Claude Code)'")
    (tmp_path / "gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.com\n")
    runner.env |= {"GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    runner.env["TMPDIR"] = str(tmp_path)  # no log of an unexpected error of another test
    return runner


def program(tools: Path, name: str, script: str) -> None:
    (tools / name).write_text(f"#!/bin/sh\n{script}\n")
    (tools / name).chmod(0o755)


def client(tools: Path, script: str) -> None:
    program(tools, "claude", script)


def checks(ultra: Ultra, status: int = 0) -> dict[str, dict[str, str]]:
    told = ultra("doctor")
    assert told.status == status, told.out
    assert told.data["ok"] == (status == 0)
    return {check["name"]: check for check in told.data["checks"]}


def test_all_is_well(ultra: Ultra, add_state: Callable[..., Path]) -> None:
    add_state()
    found = checks(ultra)
    assert {name: check["status"] for name, check in found.items()} == dict.fromkeys(
        [
            "python",
            "bundle",
            f"bin/{LAUNCHER}",
            "bash",
            "git",
            "git identity",
            "PATH",
            "client folder",
            "project",
            "client",
        ],
        "ok",
    )
    assert "valid session states: 1" in found["project"]["message"]
    assert checks(ultra) == found, "the cache of our own modules is no damage"
    told = ultra.say("doctor")
    assert told.out.endswith("10 checks, 0 failed, 0 warned.\n")


def test_a_changed_file_is_named(ultra: Ultra, own_bundle: Path) -> None:
    words = own_bundle / "runtime/ultra_runtime/words.py"
    words.write_text(words.read_text() + "\n")
    found = checks(ultra, 1)["bundle"]
    assert (found["status"], found["remedy"]) == ("fail", "install the plugin again")
    assert found["message"] == "changed since it was built: runtime/ultra_runtime/words.py"
    assert "fail bundle: changed" in ultra.say("doctor").out


def test_a_missing_file_is_named(ultra: Ultra, own_bundle: Path) -> None:
    (own_bundle / "guides/continue/none.md").unlink()
    assert checks(ultra, 1)["bundle"]["message"] == "missing since it was built: guides/continue/none.md"


def test_a_link_in_place_of_a_file_is_a_change(ultra: Ultra, own_bundle: Path, tmp_path: Path) -> None:
    guide = own_bundle / "guides/continue/none.md"
    guide.rename(tmp_path / "none.md")
    guide.symlink_to(tmp_path / "none.md")
    assert "none.md" in checks(ultra, 1)["bundle"]["message"]


def test_unexpected_files_are_named(ultra: Ultra, own_bundle: Path) -> None:
    cache = "runtime/ultra_runtime/__pycache__"
    write_tree(
        own_bundle, {"new.txt": "", f"{cache}/evil.cpython-39.pyc": "", f"{cache}/words.cpython-39.pyc": ""}
    )
    (own_bundle / "link").symlink_to("/etc")
    found = checks(ultra)["bundle"]
    assert found["status"] == "warn"
    assert found["message"] == f"not part of the bundle: link, new.txt and {cache}/evil.cpython-39.pyc"


def test_what_the_installer_leaves_there_is_expected(ultra: Ultra, own_bundle: Path) -> None:
    write_tree(own_bundle, {".ultra-receipt.json": "{}", ".gitignore": "", ".gitattributes": ""})
    assert checks(ultra)["bundle"]["status"] == "ok"


def lay_copies(home: Path, *, marketplace: bool, skill: bool, enabled: bool = True) -> None:
    """Write what the client writes when the plugin is installed in these ways."""
    entry = [{"scope": "user", "installPath": f"/market/{NAME}"}]
    records: dict[str, object] = {
        "version": 2,
        "plugins": {f"{NAME}@shop": entry} if marketplace else {},
    }
    write_tree(home / ".claude", {"plugins/installed_plugins.json": records})
    write_tree(home / ".claude", {"settings.json": {"enabledPlugins": {f"{NAME}@shop": enabled}}})
    if skill:
        manifest: dict[str, object] = {"name": NAME, "version": "0.0.1"}
        write_tree(home / f".claude/skills/{NAME}", {".claude-plugin/plugin.json": manifest})


@pytest.mark.parametrize(
    ("marketplace", "skill", "enabled", "status", "message"),
    [
        (True, False, True, "ok", f"the client loads {NAME}@shop in /market/{NAME}"),
        (False, True, True, "ok", f"the client loads {NAME}@skills-dir in HOME/.claude/skills/{NAME}"),
        (
            True, True, True, "warn",
            f"the client loads {NAME}@shop in /market/{NAME}, and not "
            f"{NAME}@skills-dir in HOME/.claude/skills/{NAME}",
        ),
        (True, True, False, "warn", f"{NAME}@shop in /market/{NAME} is disabled, so the client loads none"),
    ],
)  # fmt: skip
def test_the_copy_in_force_is_named(
    ultra: Ultra, tmp_path: Path, marketplace: bool, skill: bool, enabled: bool, status: str, message: str
) -> None:
    home = tmp_path / "home"
    lay_copies(home, marketplace=marketplace, skill=skill, enabled=enabled)
    ultra.env["HOME"] = str(home)
    found = checks(ultra)["copies"]
    assert (found["status"], found["message"]) == (status, message.replace("HOME", str(home)))
    ultra.env |= {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    assert checks(ultra)["copies"]["message"] == found["message"]


def test_many_files_are_counted(ultra: Ultra, own_bundle: Path) -> None:
    write_tree(own_bundle, {f"new-{number:02}.txt": "" for number in range(50)})
    assert "new-08.txt and 41 more" in checks(ultra)["bundle"]["message"]


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"files": {}}', '{"files": []}', '{"files": {"a": 1}}', "\xff"]
)
def test_a_list_that_is_none_is_a_failure(ultra: Ultra, own_bundle: Path, content: str) -> None:
    (own_bundle / "bundle.json").write_text(content, encoding="latin-1")
    assert "cannot be checked: bundle.json: " in checks(ultra, 1)["bundle"]["message"]


def test_no_list_is_a_failure(ultra: Ultra, own_bundle: Path) -> None:
    (own_bundle / "bundle.json").unlink()
    assert "bundle.json: there is no such file" in checks(ultra, 1)["bundle"]["message"]


def test_a_script_that_cannot_be_executed(ultra: Ultra, own_bundle: Path) -> None:
    script = own_bundle / "bin" / LAUNCHER
    script.chmod(0o644)
    told = ultra.run(["python3", script, "doctor", "--json"])
    found = {check["name"]: check for check in told.data["checks"] if check["status"] == "fail"}
    assert (told.status, sorted(found)) == (1, [f"bin/{LAUNCHER}", "bundle"])
    assert found[f"bin/{LAUNCHER}"]["remedy"] == f"run: chmod 755 {shlex.quote(str(script))}"


def test_another_ultra_on_path_is_named(ultra: Ultra, tmp_path: Path) -> None:
    shutil.copy("/bin/true", tmp_path / "tools" / "ultra")
    found = checks(ultra)["PATH"]
    assert (found["status"], found["message"]) == (
        "warn",
        f"ultra is another program, {tmp_path}/tools/ultra",
    )


def test_no_ultra_on_path(ultra: Ultra, own_bundle: Path) -> None:
    ultra.env["PATH"] = ultra.env["PATH"].replace(f"{own_bundle}/bin:", "")
    assert checks(ultra)["PATH"]["status"] == "warn"


def test_no_git(ultra: Ultra, python: Path, own_bundle: Path) -> None:
    command: list[str | Path] = [python / "python3", own_bundle / "bin" / LAUNCHER, "doctor", "--json"]
    told = ultra.run(command, env={"PATH": f"{python}:{own_bundle}/bin"})
    found = {check["name"]: check for check in told.data["checks"]}
    assert (told.status, found["git"]["status"], found["client"]["status"]) == (1, "fail", "warn")


def test_a_git_that_is_too_old(ultra: Ultra, tmp_path: Path) -> None:
    program(tmp_path / "tools", "git", "echo git version 2.17.1")
    found = checks(ultra, 1)["git"]
    assert found["message"] == f"{tmp_path}/tools/git is version 2.17.1"
    assert found["remedy"] == "install git 2.24 or newer"


def test_nobody_to_commit_as(ultra: Ultra) -> None:
    ultra.env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": ""}
    found = checks(ultra)["git identity"]
    assert (found["status"], "git config --global user.name" in found["remedy"]) == ("warn", True)


@pytest.mark.parametrize("script", ["exit 1", "echo something else"])
def test_a_bash_that_is_none(ultra: Ultra, tmp_path: Path, script: str) -> None:
    program(tmp_path / "tools", "bash", script)
    found = checks(ultra, 1)["bash"]
    assert found["message"] == f"{tmp_path}/tools/bash does not start"


def test_the_folder_that_the_client_reads(ultra: Ultra, own_bundle: Path, tmp_path: Path) -> None:
    ultra.env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "absent")
    found = checks(ultra)["client folder"]
    assert (found["status"], "which does not exist" in found["message"]) == ("warn", True)
    home = tmp_path / "home/.claude"
    elsewhere = home / "skills" / NAME
    shutil.copytree(own_bundle, elsewhere, symlinks=True)
    ultra.bundle = elsewhere
    found = checks(ultra)["client folder"]
    assert found["status"] == "warn"
    assert f"and not {home}, where this copy is" in found["message"]
    ultra.env["CLAUDE_CONFIG_DIR"] = str(home)
    found = checks(ultra)["client folder"]
    assert (found["status"], found["message"]) == (
        "ok",
        f"the client reads {home} (CLAUDE_CONFIG_DIR is set)",
    )


def test_no_project(ultra: Ultra, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    ultra.folder = tmp_path / "nowhere"
    assert checks(ultra)["project"]["status"] == "warn"


def test_a_repository_without_projects_is_fine(ultra: Ultra) -> None:
    found = checks(ultra)["project"]
    assert (found["status"], found["message"]) == ("ok", f"{ultra.folder}, which has no .claude/projects yet")


def test_a_broken_state_is_a_warning(ultra: Ultra, add_state: Callable[..., Path]) -> None:
    add_state(status="done")
    found = checks(ultra)["session state"]
    assert found["status"] == "warn"
    assert "STATE_BAD_VALUE" in found["message"]


@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        ("echo '2.1.325 (Claude Code)'", "ok", "Claude Code 2.1.325"),
        ("echo 2.1.1000", "ok", "Claude Code 2.1.1000"),
        ("echo 3.0.0-beta.1", "ok", "Claude Code 3.0.0-beta.1"),
        ("echo '2.1.99 (Claude Code)'", "warn", "Claude Code 2.1.99 is older than "),
        ("echo what?", "warn", "{client} --version did not print a version"),
        ("exit 1", "warn", "{client} --version did not print a version"),
        ("", "warn", "{client} --version did not print a version"),
        ("printf '\\377\\033'", "warn", "{client} --version did not print a version"),
    ],
)
def test_the_client(ultra: Ultra, tmp_path: Path, script: str, status: str, message: str) -> None:
    client(tmp_path / "tools", script)
    found = checks(ultra)["client"]
    assert found["status"] == status
    assert found["message"].startswith(message.format(client=tmp_path / "tools" / "claude"))


def test_a_client_that_hangs_is_left_alone(ultra: Ultra, own_bundle: Path, tmp_path: Path) -> None:
    room = own_bundle / "runtime/ultra_runtime/doctor/checkup.py"
    text, count = re.subn(r"(?m)^CLIENT_SECONDS = \d+$", "CLIENT_SECONDS = 0.2", room.read_text())
    assert count == 1
    room.write_text(text)
    client(tmp_path / "tools", "sleep 3; echo 2.1.325")
    told = ultra("doctor")
    [found] = [check for check in told.data["checks"] if check["name"] == "client"]
    assert found["status"] == "warn"


def test_the_answer_is_one_object(ultra: Ultra) -> None:
    assert json.loads(ultra("doctor").out)["next"] == "nothing to do"
