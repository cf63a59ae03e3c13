"""The command line as a subprocess: what it prints, what it answers to machines, what it leaves."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.generator.sample import COMMAND, write_sample
from tests.kit.generator import generator as cli
from ultra_plugin import __version__
from ultra_plugin.cli.installer import install_lines
from ultra_plugin.report import Report


def test_build_says_what_it_built_and_how_to_use_it(tmp_path: Path) -> None:
    write_sample(tmp_path)
    done = cli(tmp_path, "build")
    assert (done.returncode, done.stderr) == (0, "")
    assert "acme-plan 1.2.3: 10 files" in done.stdout
    assert "acme-plan:acmebrief" in done.stdout
    assert "dist/acme-plan-1.2.3.zip" in done.stdout
    assert "claude --plugin-dir dist/acme-plan" in done.stdout


def test_the_line_that_tries_it_can_be_pasted(tmp_path: Path) -> None:
    write_sample(tmp_path)
    lines = cli(tmp_path, "build", "--out", "my dist").stdout.splitlines()
    assert "Try it:     claude --plugin-dir 'my dist/acme-plan'" in lines
    figures = [line.index("   (used/budget)") for line in lines if "(used/budget)" in line]
    (whole,) = (line for line in lines if line.startswith("  the whole plugin"))
    assert len(whole) == figures[0] - 24  # in the first column


def test_the_line_that_installs_works_where_the_build_was_run(tmp_path: Path) -> None:
    write_sample(tmp_path)
    (line,) = (line for line in cli(tmp_path, "build").stdout.splitlines() if line.startswith("Install it: "))
    assert line.endswith(" --from dist/acme-plan-1.2.3.zip")
    command = f"{line.removeprefix('Install it: ')} --dry-run"
    env = {**os.environ, "HOME": str(tmp_path / "home"), "CLAUDE_CONFIG_DIR": str(tmp_path / "home/.claude")}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "acme-plan" in done.stdout


def test_in_a_clone_make_installs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = Path(__file__).parent.parent.parent
    monkeypatch.chdir(root)
    assert install_lines(Path("dist"), Report((), (), 0)) == ["make install"]
    monkeypatch.chdir(tmp_path)
    assert install_lines(root / "dist", Report((), (), 0)) == [f"make -C {shlex.quote(str(root))} install"]


def test_help_names_the_sources_that_there_are(tmp_path: Path) -> None:
    assert "[default: plugin_src]" in " ".join(cli(tmp_path, "build", "--help").stdout.split())


def test_a_terminal_sees_each_step_of_a_build(tmp_path: Path) -> None:
    write_sample(tmp_path)
    assert "load" not in cli(tmp_path, "build").stderr
    (tmp_path / "plugin_src/suite.yaml").touch()
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "ultra_plugin", "build", "--out", "other"]
    subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=slave, check=True, timeout=60)
    os.close(slave)
    steps = [line.split()[0] for line in os.read(master, 65536).decode().splitlines()]
    os.close(master)
    assert steps[:4] == ["load", "render", "check", "try"]


def test_a_second_build_has_nothing_to_do_and_says_the_same(tmp_path: Path) -> None:
    write_sample(tmp_path)
    first = json.loads(cli(tmp_path, "build", "--json").stdout)
    second = json.loads(cli(tmp_path, "build", "--json").stdout)
    assert (first["written"], second["written"]) == (11, 0)
    assert second["plugins"] == first["plugins"]


def test_a_build_with_nothing_to_do_does_not_even_import_jinja(tmp_path: Path) -> None:
    write_sample(tmp_path)
    cli(tmp_path, "build")
    command = [sys.executable, "-X", "importtime", "-m", "ultra_plugin", "build"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "nothing changed" in done.stdout
    assert "ultra_plugin.stamp" in done.stderr
    assert "jinja2" not in done.stderr


@pytest.mark.parametrize(
    "damage",
    [
        lambda root: (root / "dist/acme-plan/README.md").write_text("mine"),
        lambda root: (root / "dist/acme-plan/extra.md").write_text("mine"),
        lambda root: (root / "dist/acme-plan/LICENSE").unlink(),
        lambda root: (root / "dist/acme-plan-1.2.3.zip").unlink(),
        lambda root: (root / ".claude-plugin/marketplace.json").write_text("{}"),
        lambda root: (root / "dist/.build.json").write_text("{broken"),
    ],
)
def test_what_was_damaged_is_built_again(tmp_path: Path, damage: object) -> None:
    write_sample(tmp_path)
    cli(tmp_path, "build")
    whole = {
        path: path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name not in (".build.json", ".parts.json", ".seen.json")
    }
    damage(tmp_path)  # type: ignore[operator]
    assert cli(tmp_path, "build").returncode == 0
    after = {
        path: path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name not in (".build.json", ".parts.json", ".seen.json")
    }
    assert after == whole


def test_check_tells_machines_everything(tmp_path: Path) -> None:
    write_sample(tmp_path, {"plugins/acme-plan/commands/brief.md.j2": COMMAND + "Go to /acme-plan:gone.\n"})
    done = cli(tmp_path, "check", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["ok"]) == (1, False)
    (problem,) = answer["problems"]
    assert (problem["path"], problem["line"]) == ("plugin_src/plugins/acme-plan/commands/brief.md.j2", 11)
    assert problem["code"] == "dangling-command"
    assert problem["remedy"]
    assert not (tmp_path / "dist").exists()


def test_check_of_a_sound_tree_and_of_the_folder_it_makes(tmp_path: Path) -> None:
    write_sample(tmp_path)
    cli(tmp_path, "build")
    for arguments in (["check"], ["check", "dist/acme-plan"], ["check", "--strict", "dist/acme-plan"]):
        done = cli(tmp_path, *arguments)
        assert (done.returncode, "no problems found" in done.stdout) == (0, True), done.stdout


def test_check_of_a_foreign_folder_fails_for_errors_and_for_warnings_only_when_strict(tmp_path: Path) -> None:
    write_sample(tmp_path)
    cli(tmp_path, "build")
    (tmp_path / "dist/acme-plan/LICENSE").unlink()
    (tmp_path / "dist/acme-plan/commands/acmebrief.md").write_text(
        "---\ndescription: Write a brief for the work\nfoo: 1\n---\nx\n"
    )
    lenient, strict = (
        cli(tmp_path, "check", "dist/acme-plan"),
        cli(tmp_path, "check", "--strict", "dist/acme-plan"),
    )
    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert "dist/acme-plan/commands/acmebrief.md:3: unknown-key" in lenient.stdout
    (tmp_path / "dist/acme-plan/.claude-plugin/plugin.json").write_text("{")
    assert cli(tmp_path, "check", "dist/acme-plan").returncode == 1
    missing = cli(tmp_path, "check", "nowhere")
    assert (missing.returncode, missing.stderr.count("\n")) == (1, 1)


def test_diff_shows_what_a_build_would_change(tmp_path: Path) -> None:
    write_sample(tmp_path)
    cli(tmp_path, "build")
    assert cli(tmp_path, "diff").stdout == ""
    (tmp_path / "plugin_src/fragments/rules.md.j2").write_text("Rule: be kind.\n")
    done = cli(tmp_path, "diff")
    assert done.returncode == 1
    assert "-Rule: `open`, `shut` are the states.\n+Rule: be kind.\n" in done.stdout
    assert "acme-plan/commands/acmebrief.md" in cli(tmp_path, "diff", "--stat").stdout


def test_watch_builds_again_after_a_change_and_survives_a_fault(tmp_path: Path) -> None:
    source = write_sample(tmp_path)
    rules, command = source / "fragments/rules.md.j2", tmp_path / "dist/acme-plan/commands/acmebrief.md"
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "ultra_plugin", "watch"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert "built acme-plan 1.2.3" in process.stdout.readline()
        rules.write_text("{{ oops }}\n")
        assert "undefined" in process.stdout.readline()
        assert "the last good build is unchanged" in process.stdout.readline()
        rules.write_text("Rule: be quick.\n")
        assert "built" in process.stdout.readline()
        assert "be quick" in command.read_text()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130


@pytest.mark.parametrize("missing", ["click", "jinja2", "yaml"])
def test_without_what_it_needs_it_says_so_in_one_sentence(tmp_path: Path, missing: str) -> None:
    """A wheel that was installed without its dependencies: the installer works, the generator says what to do."""
    write_sample(tmp_path)
    hide = f"import runpy, sys; sys.modules['{missing}'] = None; sys.argv[1:] = "

    def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = f"{hide}{list(arguments)!r}; runpy.run_module('{module}', run_name='__main__')"
        command = [sys.executable, "-c", code]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    done = run("ultra_plugin", "build")
    said = "ultra-plugin needs click, jinja2 and pyyaml: pip install click jinja2 pyyaml\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert run("ultra_plugin.install.main", "--help").returncode == 0


@pytest.mark.parametrize(
    ("words", "status", "error"),
    [
        (["nope"], 2, "No such command 'nope' (known: adopt, attest,"),
        (["chek"], 2, "No such command 'chek' (did you mean 'check'?)."),
        (["check", "--nope"], 2, "No such option '--nope'."),
        (["check", "nowhere"], 1, "nowhere does not exist; name a plugin folder or a marketplace."),
        (["build"], 1, "1 problem; nothing was written"),
        (["test"], 1, "1 problem"),
    ],
)
def test_an_error_is_json_for_who_asks_for_it(
    tmp_path: Path, words: list[str], status: int, error: str
) -> None:
    write_sample(tmp_path)
    (tmp_path / "plugin_src/suite.yaml").write_text("- a list\n")
    done = cli(tmp_path, *words, "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["ok"]) == (status, False)
    assert answer["error"].startswith(error.rstrip("."))
    assert bool(answer["problems"]) == (words in (["build"], ["test"]))
    assert error.rstrip(".") in done.stderr


def test_version_and_help() -> None:
    here = Path.cwd()
    assert cli(here, "--version").stdout.strip().endswith(__version__)
    assert all(word in cli(here, "--help").stdout for word in ("build", "check", "diff", "watch"))
    assert cli(here, "bild").returncode == 2


def test_a_folder_that_is_no_plugin_is_not_read(tmp_path: Path) -> None:
    """The manifest is looked for first: what lies here is more than any memory holds."""
    (tmp_path / "big").mkdir()
    with open(tmp_path / "big/hole.bin", "wb") as hole:
        hole.truncate(1 << 40)
    done = cli(tmp_path, "check", "--client", "off", ".")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(".claude-plugin/plugin.json: no-manifest: does not exist (write ")


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_huge_file_is_a_warning_and_is_not_read(tmp_path: Path, flags: list[str]) -> None:
    write_sample(tmp_path)
    cli(tmp_path, "build")
    with open(tmp_path / "dist/acme-plan/hole.bin", "wb") as hole:
        hole.truncate(1 << 40)
    done = cli(tmp_path, "check", "--client", "off", "dist/acme-plan", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    message = f"has {1 << 40:,} bytes"
    if flags:
        (problem,) = json.loads(done.stdout)["problems"]
        assert (problem["code"], problem["message"]) == ("oversize", message)
    else:
        assert f"dist/acme-plan/hole.bin: oversize: {message}" in done.stdout
