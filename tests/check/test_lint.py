"""The check as a tool for many folders: places, settings, comments, baselines, repairs and formats."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.check.plugins import (
    BRIEF,
    CRITIC,
    GOOD,
    HOOKS,
    MANIFEST,
    REVIEW,
    Files,
    Script,
    add,
    changed,
    edit,
    text_of,
    write,
)
from tests.kit.names import ROOT
from ultra_plugin.check.codes import CODES
from ultra_plugin.lint.fixes import FIXABLE
from ultra_plugin.lint.page import page

WRONG = add(BRIEF, "Type /brief.")
"""One warning, bare-command, in line 11."""


def check(cwd: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder."""
    command = [sys.executable, "-m", "ultra_plugin", "check", "--client", "off", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    return subprocess.run(
        command, cwd=cwd, input=stdin, text=True, capture_output=True, timeout=120, env=environment
    )


def codes(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the codes of a check with --json."""
    assert done.stderr == "", done.stderr
    return [problem["code"] for problem in json.loads(done.stdout)["problems"]]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Make a marketplace with two plugins, one of them with a warning."""
    offer = {"name": "shop", "owner": {"name": "Me"}, "description": "d"}
    entries = [{"name": name, "source": f"./plugins/{name}"} for name in ("one", "two")]
    write(tmp_path, {".claude-plugin/marketplace.json": json.dumps({**offer, "plugins": entries})})
    for name, change in (("one", {}), ("two", WRONG)):
        files: Files = {**changed(change), MANIFEST: text_of(MANIFEST).replace('"pipe"', f'"{name}"')}
        prompts = {
            path: str(text).replace("/pipe:", f"/{name}:")
            for path, text in files.items()
            if path.endswith(".md")
        }
        write(tmp_path / f"plugins/{name}", {**files, **prompts})
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["."],
        ["plugins/one", "plugins/two"],
        ["plugins/*"],
        ["-"],
        ["**/.claude-plugin/plugin.json"],
        [".", "--jobs", "2"],
    ],
)
def test_many_folders_in_one_call(shop: Path, words: list[str]) -> None:
    done = check(shop, *words, "--json", stdin="plugins/one\n\nplugins/two\n")
    assert codes(done) == ["bare-command"]
    assert json.loads(done.stdout)["problems"][0]["path"] == "plugins/two/commands/brief.md"


def test_a_pattern_without_a_match_is_one_sentence(shop: Path) -> None:
    done = check(shop, "none/*")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ultra-plugin: none/*: no plugin folder matches this pattern.\n"


@pytest.mark.parametrize(
    ("words", "expected", "status"),
    [
        (["--select", "bare-command"], ["bare-command"], 0),
        (["--select", "dangling-*"], [], 0),
        (["--ignore", "bare-*,bom"], [], 0),
        (["--severity", "bare-command=error"], ["bare-command"], 1),
        (["--severity", "bare-command=off"], [], 0),
        (["--strict"], ["bare-command"], 1),
    ],
)
def test_which_codes_count(tmp_path: Path, words: list[str], expected: list[str], status: int) -> None:
    write(tmp_path / "pipe", changed(WRONG))
    done = check(tmp_path, "pipe", "--json", *words)
    assert (codes(done), done.returncode) == (expected, status)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ignore: [bare-command]\n", []),
        ("select: [bom]\n", []),
        ("severity: {bare-command: off}\n", []),
        ("paths: {'commands/*': [bare-command]}\n", []),
        ("paths: {'agents/*': [bare-command]}\n", ["bare-command"]),
    ],
)
def test_a_file_of_settings(tmp_path: Path, text: str, expected: list[str]) -> None:
    write(tmp_path / "pipe", changed(WRONG))
    (tmp_path / ".ultra-check.yaml").write_text(text)
    assert codes(check(tmp_path, "pipe", "--json")) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ignore: [bare-comand]\n", "no check has the code 'bare-comand'"),
        ("ignored: []\n", "unknown key 'ignored'"),
        ("severity: {bom: loud}\n", "the severity of 'bom' must be error, warning or off, not 'loud'."),
        ("ignore: {}\n", "'ignore' must be a list of codes."),
        ("[", "is not YAML"),
        ("- x\n", "must be a mapping"),
    ],
)
def test_faulty_settings_are_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    write(tmp_path / "pipe", GOOD)
    (tmp_path / "pipe/.ultra-check.yaml").write_text(text)
    done = check(tmp_path, "pipe")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert ".ultra-check.yaml" in done.stderr
    assert sentence in done.stderr


COMMENT = "<!-- ultra-check: ignore %s -->\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (COMMENT % "bare-command -- the old name" + "Type /brief.", []),
        ("Type /brief. " + COMMENT % "bare-command -- the old name", []),
        ("Type /brief.", ["bare-command"]),
        (COMMENT % "bare-command" + "Type /brief.", ["suppression", "bare-command"]),
        (COMMENT % "bare-comand -- x" + "Type /brief.", ["suppression", "bare-command"]),
        (COMMENT % "bare-command -- x" + "Type /pipe:brief.", ["unused-suppression"]),
        (COMMENT % "bare-command -- x" + "\nType /brief.", ["unused-suppression", "bare-command"]),
        ("<!-- ultra-check: ignore-file bare-command -- x -->\n\nType /brief.", []),
    ],
)
def test_a_comment_accepts_a_problem(tmp_path: Path, lines: str, expected: list[str]) -> None:
    write(tmp_path / "pipe", changed(add(BRIEF, lines)))
    assert codes(check(tmp_path, "pipe", "--json")) == expected


def test_a_comment_does_not_accept_what_the_client_refuses(tmp_path: Path) -> None:
    header = '# ultra-check: ignore yaml -- it is fine\nmodel: "opus'
    write(tmp_path / "pipe", changed(edit(BRIEF, "model: opus", header)))
    assert "yaml" in codes(check(tmp_path, "pipe", "--json"))


def test_a_baseline_hides_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "pipe", changed(WRONG))
    done = check(tmp_path, "pipe", "--write-baseline", "old.json")
    assert (done.returncode, done.stderr) == (0, "old.json: 1 warnings accepted\n")
    write(
        tmp_path / "pipe",
        changed({BRIEF: text_of(BRIEF) + "\n\nType /brief.\n", CRITIC: text_of(CRITIC) + "Type /brief.\n"}),
    )
    done = check(tmp_path, "pipe", "--json", "--baseline", "old.json")
    assert [problem["path"] for problem in json.loads(done.stdout)["problems"]] == ["pipe/agents/critic.md"]
    (tmp_path / "old.json").write_text("{}")
    assert "is not a baseline" in check(tmp_path, "pipe", "--baseline", "old.json").stderr


BROKEN: Files = {
    BRIEF: "\ufeff" + text_of(BRIEF),
    CRITIC: text_of(CRITIC).replace("name: critic\n", ""),
    REVIEW: text_of(REVIEW).replace("name: review", "name: other"),
    "skills/plan/skill.md": text_of(REVIEW).replace("name: review", "name: plan").replace("${CLAUDE_SKILL_DIR}/questions.md", "it says"),
    "bin/pipe": "#!/bin/sh\necho\n",
    "bin/walk": Script("#!/bin/sh\r\necho\r\n"),
    "agents/second.md": text_of(CRITIC).replace("name: critic", "name: second").replace("Reads", "Note: it reads"),
    HOOKS: text_of(HOOKS).replace('sh \\"${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh\\"', "sh ${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh"),
}  # fmt: skip


def test_mechanical_faults_are_repaired_after_a_diff(tmp_path: Path) -> None:
    folder = write(tmp_path / "pipe", changed(BROKEN))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found = set(codes(check(tmp_path, "pipe", "--json")))
    assert found - {"dangling-file"} == FIXABLE
    shown = check(tmp_path, "pipe", "--fix")
    assert shown.stderr.endswith("nothing was changed; repeat with --yes to do it\n")
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = check(tmp_path, "pipe", "--fix", "--yes", "--json")
    assert shown.stderr.startswith(done.stderr)
    assert "-name: other\n+name: review\n" in done.stderr
    assert json.loads(done.stdout)["problems"] == []
    assert (folder / "skills/plan/SKILL.md").is_file()
    again = check(tmp_path, "pipe", "--fix", "--yes")
    assert again.stderr == "nothing that --fix can repair\n"


def sarif_log(text: str) -> dict[str, Any]:
    """Return a log after a check of what SARIF 2.1.0 requires of it."""
    log: dict[str, Any] = json.loads(text)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    driver = log["runs"][0]["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert driver["name"]
    assert len(set(rules)) == len(rules)
    for result in log["runs"][0]["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert not place["artifactLocation"]["uri"].startswith("/")
        assert " " not in place["artifactLocation"]["uri"]
        assert place.get("region", {"startLine": 1})["startLine"] >= 1
    return log


def test_sarif(tmp_path: Path) -> None:
    write(tmp_path / "a pipe", changed({**WRONG, ".DS_Store": b"\0"}))
    log = sarif_log(check(tmp_path, "a pipe", "--format", "sarif").stdout)
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["stray-file", "bare-command"]
    assert log["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"] == {"startLine": 11}
    assert (
        sarif_log(check(tmp_path, "a pipe", "--select", "bom", "--format", "sarif").stdout)["runs"][0][
            "results"
        ]
        == []
    )


def test_annotations_of_github(tmp_path: Path) -> None:
    write(tmp_path / "pi:pe", changed(WRONG))
    assert check(tmp_path, "pi:pe", "--format", "github").stdout == (
        "::warning file=pi%3Ape/commands/brief.md,line=11,title=bare-command::"
        "'/brief' is unknown without the plugin's prefix (write '/pipe:brief')\n"
    )


def test_the_page_of_rules_is_made_from_the_table() -> None:
    assert (ROOT / "docs/rules.md").read_text() == page(), "run: ultra-plugin explain --page > docs/rules.md"
    assert all(f"| `{code}` |" in page() for code in CODES)


def test_without_node_one_line_says_what_was_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = "export const meta = {name: 'audit', description: 'd'}\nconst a = ;\n"
    write(tmp_path / "plugin", changed({"workflows/audit.js": flow}))
    write(tmp_path / "second", changed({"workflows/audit.js": flow}))
    assert codes(check(tmp_path, "--json", "plugin", "second")) == ["script-syntax"] * 2
    monkeypatch.setenv("PATH", str(tmp_path))
    done = check(tmp_path, "--strict", "plugin", "second")
    told = "node is not installed, so the syntax of JavaScript was not checked\n"
    assert (done.stderr, done.returncode) == (told, 0), done.stdout


def test_the_hook_of_pre_commit_runs(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language"} <= hook.keys()
    write(tmp_path, changed(WRONG))
    words: list[str] = hook["entry"].split() + hook["args"]
    assert words[:2] == ["ultra-plugin", "check"]
    assert "bare-command" in check(tmp_path, *words[2:]).stdout


def test_both_install_what_the_generator_needs() -> None:
    """The wheel alone installs the installer; the generator's libraries are an extra."""
    project = (ROOT / "pyproject.toml").read_text()
    needed = re.search(r"^generator = \[(.*)\]$", project, re.MULTILINE)
    assert needed
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["additional_dependencies"] == [name.strip(' "') for name in needed[1].split(",")]
    assert '"$HERE[generator]"' in (ROOT / "action.yml").read_text()


def test_the_action_runs_its_check(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    step = action["runs"]["steps"][1]
    write(tmp_path / "plugins/pipe", changed(WRONG))
    (tmp_path / "ultra-plugin/bin").mkdir(parents=True)
    program = tmp_path / "ultra-plugin/bin/ultra-plugin"
    modules, python = shlex.quote(str(ROOT / "generator")), shlex.quote(sys.executable)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={modules} exec {python} -m ultra_plugin "$@"\n')
    program.chmod(0o755)
    variables = {
        "PATH": os.environ["PATH"],
        "RUNNER_TEMP": str(tmp_path),
        "FOLDERS": "plugins/*",
        "ARGS": "--strict",
    }
    done = subprocess.run(
        [step["shell"], "-e", "-c", step["run"]], cwd=tmp_path, env=variables, text=True, capture_output=True
    )
    assert (done.returncode, done.stdout[:9], done.stderr) == (1, "::warning", "")
