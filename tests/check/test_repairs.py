"""The check as a tool: what it repairs, how it tells, and the programs that call it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from tests.check.plugins import (
    BRIEF,
    CRITIC,
    HOOKS,
    REVIEW,
    Files,
    Script,
    changed,
    text_of,
    write,
)
from tests.check.test_lint import WRONG, check, codes
from tests.kit.names import ROOT
from tests.kit.table import each
from ultra_plugin.check.codes import CODES
from ultra_plugin.errors import Problem
from ultra_plugin.lint import formats
from ultra_plugin.lint.fixes import FIXABLE, Change, apply, changes
from ultra_plugin.lint.page import entry, page
from ultra_plugin.model import Bundle, BundleFile

"""One warning, bare-command, in line 11."""


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


def test_each_format_tells_place_code_message_and_remedy() -> None:
    known = Problem("a b/x:1.md", 3, "bare-command", "50%\r\nis bad, so", "fix: it", "warning")
    bare = Problem("y", 0, "of the client", "wrong", "", "error")
    assert formats.text([known, bare]) == f"{known} [warning]\n{bare}\n"
    assert formats.github([known, bare]) == (
        "::warning file=a b/x%3A1.md,line=3,title=bare-command::50%25%0D%0Ais bad, so (fix: it)\n"
        "::error file=y,title=of the client::wrong\n"
    )
    assert sarif_log(formats.sarif([]))["runs"][0]["results"] == []
    (run,) = sarif_log(formats.sarif([bare, known, known]))["runs"]
    rule = CODES["bare-command"]
    assert run["tool"]["driver"]["rules"] == [
        {"id": "bare-command", "shortDescription": {"text": rule.means}, "help": {"text": f"{rule.remedy[0].upper()}{rule.remedy[1:]}."}},
        {"id": "of the client", "shortDescription": {"text": "What the client's own validator says."}},
    ]  # fmt: skip
    place = {"artifactLocation": {"uri": "a%20b/x%3A1.md"}, "region": {"startLine": 3}}
    of_known = {"ruleId": "bare-command", "ruleIndex": 0, "level": "warning", "message": {"text": "50%\r\nis bad, so (fix: it)"},
                "locations": [{"physicalLocation": place}]}  # fmt: skip
    assert run["results"] == [
        {"ruleId": "of the client", "ruleIndex": 1, "level": "error", "message": {"text": "wrong"},
         "locations": [{"physicalLocation": {"artifactLocation": {"uri": "y"}}}]},
        of_known, of_known,
    ]  # fmt: skip


def test_a_rule_is_explained_with_what_repairs_and_what_accepts_it() -> None:
    for code, known in CODES.items():
        head = [f"{code}: {known.means}", f"remedy: {known.remedy}"]
        head += ["`ultra-plugin check FOLDER --fix` repairs it."] * (code in FIXABLE)
        ways = [
            f"accept one: <!-- ultra-check: ignore {code} -- the reason --> on its line or the line before",
            f"accept all: `ignore: [{code}]` in .ultra-check.yaml, or `allow: [{code}]` in plugin.yaml",
        ]
        assert entry(code) == "\n".join([*head, *ways, ""])


# A command in JSON -> the same with its folders quoted.
QUOTED = {
    "sh ${CLAUDE_PLUGIN_ROOT}/a.sh": 'sh \\"${CLAUDE_PLUGIN_ROOT}/a.sh\\"',
    "$CLAUDE_PLUGIN_DATA && x=$CLAUDE_PROJECT_DIR/a-b@1": '\\"$CLAUDE_PLUGIN_DATA\\" && x=\\"$CLAUDE_PROJECT_DIR/a-b@1\\"',
    'sh \\"${CLAUDE_PLUGIN_ROOT}/a b.sh\\" $CLAUDE_PLUGIN_ROOT': 'sh \\"${CLAUDE_PLUGIN_ROOT}/a b.sh\\" \\"$CLAUDE_PLUGIN_ROOT\\"',
    "sh '$CLAUDE_PLUGIN_ROOT/a' $CLAUDE_PLUGIN_ROOT/b": "sh '$CLAUDE_PLUGIN_ROOT/a' \\\"$CLAUDE_PLUGIN_ROOT/b\\\"",
    """a \\"it's $CLAUDE_PLUGIN_ROOT\\" ${CLAUDE_PLUGIN_ROOT}""": """a \\"it's $CLAUDE_PLUGIN_ROOT\\" \\"${CLAUDE_PLUGIN_ROOT}\\\"""",
    "echo $HOME ${CLAUDE_OTHER} \\\\n": "echo $HOME ${CLAUDE_OTHER} \\\\n",
    "": "",
}
REPAIRS: list[tuple[str, str, str, str]] = [
    ("bom", "x.md", "\ufeffa\ufeff", "a\ufeff"),
    ("crlf", "x.md", "a\r\nb\rc\n", "a\nb\rc\n"),
    *(("unquoted-root", "h.json", f'{{"command" : "{was}", "x": "$CLAUDE_PLUGIN_ROOT"}}', f'{{"command" : "{now}", "x": "$CLAUDE_PLUGIN_ROOT"}}')
      for was, now in QUOTED.items()),
    ("no-name", "agents/a.b.md", "---\nx: 1\n---\nname: z\n", "---\nname: a.b\nx: 1\n---\nname: z\n"),
    ("name-mismatch", "skills/plan/SKILL.md", "---\nx: 1\nname: y # c\n---\nname: z\n", "---\nx: 1\nname: plan\n---\nname: z\n"),
    ("yaml-repaired", "x.md", "---\na: b: c\n---\na: b: c\n", '---\na: "b: c"\n---\na: b: c\n'),
]  # fmt: skip


@each(REPAIRS)
def test_a_repair_changes_what_is_wrong_and_nothing_else(
    code: str, path: str, before: str, after: str
) -> None:
    bundle = Bundle("pipe", "", {path: BundleFile(path, before.encode())})
    found = changes(bundle, [Problem(path, 1, code, "x", "x"), Problem(path, 1, "bare-command", "x", "x")])
    assert [(one.path, one.old, one.new, one.becomes, one.executable) for one in found] == (
        [(path, before.encode(), after.encode(), "", False)] if before != after else []
    )


def test_a_program_gets_its_bit_where_it_is_and_a_diff_shows_each_change() -> None:
    files = {
        path: BundleFile(path, b"x\n") for path in ("bin/a", "hooks/h.json", "scripts/b", "skills/c/skill.md")
    }
    files["bin/done"] = BundleFile("bin/done", b"x\n", executable=True)
    told = [
        ("bin/a", "x"),
        ("bin/done", "x"),
        ("hooks/h.json", "'scripts/b' is not executable"),
        ("hooks/h.json", "'gone' is not executable"),
    ]
    problems = [Problem(path, 1, "script-not-executable", message, "x") for path, message in told]
    found = changes(
        Bundle("pipe", "", files), [*problems, Problem("skills/c/skill.md", 1, "skill-case", "x", "x")]
    )
    assert [(one.path, one.becomes, one.executable) for one in found] == [
        ("bin/a", "", True), ("scripts/b", "", True), ("skills/c/skill.md", "skills/c/SKILL.md", False),
    ]  # fmt: skip
    whole = Change("a", "\ufeffx\r\ny".encode(), b"x\ny", "b", True)
    assert whole.diff(Path("p")) == (
        "rename p/a to p/b\nmode of p/a: executable\n--- p/a\n+++ p/b\n@@ -1,2 +1,2 @@\n-<U+FEFF>x<CR>\n+x\n y\n"
    )
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "a").write_bytes(whole.old)
        (folder / "a").chmod(0o644)
        apply(folder, [whole])
        assert [path.name for path in folder.iterdir()] == ["b"]
        assert ((folder / "b").read_bytes(), (folder / "b").stat().st_mode & 0o777) == (b"x\ny", 0o755)


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
