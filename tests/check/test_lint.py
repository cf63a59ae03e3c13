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
from tests.kit.generator import call
from tests.kit.names import ROOT
from ultra_plugin.check.codes import CODES
from ultra_plugin.errors import Problem
from ultra_plugin.lint.fixes import FIXABLE, changes
from ultra_plugin.lint.page import page
from ultra_plugin.lint.places import folders, with_plugins
from ultra_plugin.lint.run import Order, check_folders
from ultra_plugin.model import Bundle, BundleFile

WRONG = add(BRIEF, "Type /brief.")
"""One warning, bare-command, in line 11."""


def check(cwd: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Call `ultra-plugin check` in a folder."""
    return call(cwd, "check", "--client", "off", *words, stdin=stdin)


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
        [".", "--jobs", "4"],
    ],
)
def test_many_folders_in_one_call(shop: Path, words: list[str]) -> None:
    done = check(shop, *words, "--json", stdin="plugins/one\n\nplugins/two\n")
    assert codes(done) == ["bare-command"]
    assert json.loads(done.stdout)["problems"][0]["path"] == "plugins/two/commands/brief.md"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["plugins/one/.claude-plugin/plugin.json", "plugins/one"], ["plugins/one"]),
        ([".claude-plugin/marketplace.json"], ["."]),
        (["plugins/one/.claude-plugin"], ["plugins/one/.claude-plugin"]),
        (["plugins/plugin.json"], ["plugins/plugin.json"]),
        (["odd[1]", "gone"], ["odd[1]", "gone"]),
        (["*"], ["odd1"]),
        (["plugins/*"], ["plugins/one", "plugins/two"]),
        (["-", "plugins/one"], ["plugins/two", "plugins/one"]),
    ],
)
def test_which_folders_words_mean(
    shop: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], found: list[str]
) -> None:
    for name in ("odd[1]", "odd1/.claude-plugin", "no-plugin"):
        (shop / name).mkdir(parents=True)
    monkeypatch.chdir(shop)
    assert folders(words, ["plugins/two\n", "\n"]) == [*map(Path, found)]


@pytest.mark.parametrize("source", ["./", "./gone", "./plugins/one"])
def test_a_marketplace_comes_once_and_with_the_plugins_that_are_there(shop: Path, source: str) -> None:
    offer = {"name": "shop", "owner": {"name": "Me"}, "plugins": [{"name": "one", "source": source}] * 2}
    write(shop, {".claude-plugin/marketplace.json": json.dumps(offer)})
    inner = [shop / "plugins/one"] if source == "./plugins/one" else []
    assert with_plugins(shop) == [shop, *inner]
    assert with_plugins(shop / "plugins") == [shop / "plugins"]


@pytest.mark.parametrize(("count", "jobs"), [(1, 4), (2, 1)])
def test_one_folder_or_one_job_starts_no_process(
    shop: Path, monkeypatch: pytest.MonkeyPatch, count: int, jobs: int
) -> None:
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", None)
    named = [shop / "plugins/two", shop / "plugins/one"][:count]
    assert [one.folder for one in check_folders(named, Order(), jobs)] == named


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


def test_a_comment_with_an_unknown_code_names_it_and_the_nearest(tmp_path: Path) -> None:
    write(tmp_path / "pipe", changed(add(BRIEF, COMMENT % "bare-comand -- x")))
    said = "suppression: no check has the code 'bare-comand' (did you mean 'bare-command'?)"
    assert said in check(tmp_path, "pipe").stdout


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
    for path in (BRIEF, CRITIC, REVIEW, HOOKS):
        assert (folder / path).read_text() == text_of(path)
    assert (folder / "bin/walk").read_bytes() == b"#!/bin/sh\necho\n"
    assert {(folder / "bin" / name).stat().st_mode & 0o777 for name in ("pipe", "walk")} == {0o755}
    again = check(tmp_path, "pipe", "--fix", "--yes")
    assert again.stderr == "nothing that --fix can repair\n"


@pytest.mark.parametrize("code", sorted(FIXABLE))
def test_a_link_and_a_file_that_was_not_read_to_its_end_are_never_repaired(code: str) -> None:
    """A repair would write through the link, or cut the file off."""
    content = f"\ufeff---\r\nname: x\r\n---\n{text_of(HOOKS)} sh ${{CLAUDE_PLUGIN_ROOT}}/x".encode()
    files = {
        "bin/link": BundleFile("bin/link", content, symlink=True),
        "bin/long": BundleFile("bin/long", content, left_out=1),
    }
    problems = [Problem(path, 1, code, f"'{path}' is not executable", "x") for path in files]
    assert changes(Bundle("pipe", "", files), problems) == []


@pytest.mark.parametrize("text", ["# Note: a: b\nNote: a: b\n---\n", "---\nNote: a: b\n", "Note: a: b", ""])
def test_a_text_without_a_whole_header_gets_no_quotes(text: str) -> None:
    files = {"x.md": BundleFile("x.md", text.encode())}
    assert changes(Bundle("pipe", "", files), [Problem("x.md", 2, "yaml-repaired", "x", "x")]) == []


def test_a_line_of_text_says_what_json_says_and_marks_warnings(tmp_path: Path) -> None:
    write(tmp_path / "pipe", changed({**WRONG, HOOKS: "{"}))
    found = json.loads(check(tmp_path, "pipe", "--json").stdout)["problems"]
    assert {one["severity"] for one in found} == {"error", "warning"}
    assert check(tmp_path, "pipe").stdout.splitlines()[:-1] == [
        f"{one['path']}:{one['line']}: {one['code']}: {one['message']} ({one['remedy']})"
        f"{' [warning]' if one['severity'] == 'warning' else ''}"
        for one in found
    ]


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
