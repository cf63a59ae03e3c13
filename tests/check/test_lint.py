"""The check as a tool for many folders: places, settings, comments, baselines, repairs and formats."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.check.plugins import (
    BRIEF,
    CRITIC,
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
from tests.kit.quick import examples
from tests.kit.table import each
from ultra_plugin.check.codes import CODES
from ultra_plugin.errors import Problem, UltraError
from ultra_plugin.lint import formats
from ultra_plugin.lint.baseline import new_problems, write_baseline
from ultra_plugin.lint.fixes import FIXABLE, Change, apply, changes
from ultra_plugin.lint.page import entry, page
from ultra_plugin.lint.places import folders, with_plugins
from ultra_plugin.lint.run import Order, check_folder, check_folders
from ultra_plugin.lint.settings import Settings, checked_codes, read_settings
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


def test_a_folder_without_a_plugin_has_one_problem_without_a_line(tmp_path: Path) -> None:
    (problem,) = check_folder(tmp_path, Order()).problems
    assert (problem.path, problem.line, problem.code) == (str(tmp_path / MANIFEST), 0, "no-manifest")
    assert (problem.severity, problem.message) == ("error", "does not exist")


def test_a_pattern_without_a_match_is_one_sentence(shop: Path) -> None:
    done = check(shop, "none/*")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ultra-plugin: none/*: no plugin folder matches this pattern.\n"


@pytest.mark.parametrize(
    ("words", "expected", "status"),
    [
        (["--select", "dangling-*"], [], 0),
        (["--ignore", "bare-*,bom"], [], 0),
        (["--severity", "bare-command=error"], ["bare-command"], 1),
        (["--strict"], ["bare-command"], 1),
    ],
)
def test_which_codes_count(tmp_path: Path, words: list[str], expected: list[str], status: int) -> None:
    write(tmp_path / "pipe", changed(WRONG))
    done = check(tmp_path, "pipe", "--json", *words)
    assert (codes(done), done.returncode) == (expected, status)


LEVELS = (None, "error", "warning", "off")
COMMANDS = {"commands/*": ("bare-*",), "agents/*": ("bom",)}


@each(product(((), ("bom",), ("ba*", "bom")), ((), ("bare-command",), ("b[o]*",)), LEVELS, ({}, COMMANDS)))
def test_settings_leave_problems_out_and_set_their_severity(
    select: tuple[str, ...], ignore: tuple[str, ...], level: str | None, paths: dict[str, tuple[str, ...]]
) -> None:
    chosen = Settings(select, ignore, {"bare-command": level} if level else {}, paths)
    rows: list[tuple[str, str, Literal["error", "warning"]]] = [
        ("bare-command", "commands/a.md", "warning"), ("bare-command", "agents/a.md", "error"), ("bom", "agents/a.md", "warning"),
        ("bom", "commands/a.md", "error"), ("yaml", "x", "error"),
    ]  # fmt: skip
    for code, path, severity in rows:
        problem = Problem(path, 1, code, "m", "r", severity)
        is_bare = code == "bare-command"
        left_out = (
            (is_bare and (level == "off" or "bare-command" in ignore))
            or (code == "bom" and ignore == ("b[o]*",))
            or (select and code == "yaml")
            or (is_bare and select == ("bom",))
            or (paths and (code, path) in (("bare-command", "commands/a.md"), ("bom", "agents/a.md")))
        )
        now = level if is_bare and level else severity
        found = chosen.sorted_out(problem)
        assert (found is None) == bool(left_out), problem
        assert found is None or (found, found.severity) == (replace(problem, severity=found.severity), now)


def test_the_command_line_wins_over_the_nearest_file_of_settings(tmp_path: Path) -> None:
    deep = tmp_path / "a/b"
    deep.mkdir(parents=True)
    whole = """\
select: bom
ignore: [bare-*, yaml]
severity: {bom: error, yaml: off, bare-command: warning, no-name: "off"}
paths: {x/*: [bom], y: yaml}
baseline: old.json
"""
    expected = Settings(
        ("bom",), ("bare-*", "yaml"), {"bom": "error", "yaml": "off", "bare-command": "warning", "no-name": "off"},
        {"x/*": ("bom",), "y": ("yaml",)}, tmp_path / "old.json",
    )  # fmt: skip
    (tmp_path / ".ultra-check.yaml").write_text(whole)
    assert read_settings(deep) == read_settings(tmp_path) == expected
    assert read_settings(tmp_path.parent, tmp_path / ".ultra-check.yaml") == expected
    (deep / ".git").touch()
    assert read_settings(deep) == Settings(), "what is above the repository is not its own"
    (deep / ".ultra-check.yaml").write_text("# nothing\n")
    assert read_settings(deep) == Settings()
    assert expected.merged(Settings()) == expected
    assert Settings().merged(expected) == replace(expected, paths={})
    other = Settings(("yaml",), ("bom",), {"bom": "off"}, {}, Path("new.json"))
    severity = {**expected.severity, "bom": "off"}
    assert expected.merged(other) == Settings(
        ("yaml",), ("bare-*", "yaml", "bom"), severity, expected.paths, Path("new.json")
    )
    assert checked_codes("x", [" bom", "", "bare-* "]) == ("bom", "bare-*")


@each(
    [
        ("ignore: [bare-comand]\n", ": no check has the code 'bare-comand' (did you mean 'bare-command'?)."),
        (
            "severity: {bare-comand: off}\n",
            ": no check has the code 'bare-comand' (did you mean 'bare-command'?).",
        ),
        (
            "paths: {x: bare-comand}\n",
            ": no check has the code 'bare-comand' (did you mean 'bare-command'?).",
        ),
        ("ignored: []\n", ": unknown key 'ignored' (did you mean 'ignore'?)."),
        ("severity: {bom: loud}\n", ": the severity of 'bom' must be error, warning or off, not 'loud'."),
        ("severity: {bom: true}\n", ": the severity of 'bom' must be error, warning or off, not 'True'."),
        ("ignore: {}\n", ": 'ignore' must be a list of codes."),
        ("select: [1]\n", ": 'select' must be a list of codes."),
        ("severity: [bom]\n", ": 'severity' and 'paths' must be mappings."),
        ("paths: [bom]\n", ": 'severity' and 'paths' must be mappings."),
        ("a: b\n  c\n: [\n", ":3: is not YAML; fix it."),
        ("- x\n", ": must be a mapping of select, ignore, severity, paths, baseline."),
        (b"\xff", ":1: is not YAML; fix it."),
        (None, ": No such file or directory."),
    ]
)
def test_faulty_settings_are_one_sentence(text: str | bytes | None, sentence: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / ".ultra-check.yaml"
        if text is not None:
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        with pytest.raises(UltraError) as refused:
            read_settings(Path(folder), path)
        assert str(refused.value) == f"{path}{sentence}"


def test_a_file_of_settings_is_found_and_a_fault_in_it_is_told(tmp_path: Path) -> None:
    write(tmp_path / "pipe", changed(WRONG))
    (tmp_path / ".ultra-check.yaml").write_text("paths: {'commands/*': [bare-command]}\n")
    assert codes(check(tmp_path, "pipe", "--json")) == []
    (tmp_path / ".ultra-check.yaml").write_text("ignored: []\n")
    done = check(tmp_path, "pipe")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "unknown key 'ignored'" in done.stderr


COMMENT = "<!-- ultra-check: ignore %s -->\n"


@each(
    [
        (COMMENT % "bare-command -- the old name" + "Type /brief.", []),
        ("Type /brief. " + COMMENT % "bare-command -- the old name", []),
        ("Type /brief.", ["11 bare-command"]),
        ("\nType /brief.\n" + COMMENT % "bare-command -- x", ["12 bare-command", "13 unused-suppression"]),
        (COMMENT % "bare-command" + "Type /brief.", ["11 suppression", "12 bare-command"]),
        (COMMENT % " , -- x" + "Type /brief.", ["11 suppression", "12 bare-command"]),
        (COMMENT % "bare-comand -- x" + "Type /brief.", ["11 suppression", "12 bare-command"]),
        (COMMENT % "bare-command -- x" + "Type /pipe:brief.", ["11 unused-suppression"]),
        (COMMENT % "bare-command -- x" + "\nType /brief.", ["11 unused-suppression", "13 bare-command"]),
        (COMMENT % "bom, bare-command -- x" + "Type /brief.", ["11 unused-suppression"]),
        ("<!-- ultra-check: ignore-file bare-command -- x -->\n\nType /brief.", []),
        ("<!-- ultra-check: ignored bare-command -- x -->\nType /brief.", ["12 bare-command"]),
    ]
)
def test_a_comment_accepts_a_problem(lines: str, expected: list[str]) -> None:
    with TemporaryDirectory() as place:
        folder = write(Path(place) / "pipe", changed(add(BRIEF, lines)))
        found = check_folder(folder, Order()).problems
        assert [f"{one.line} {one.code}" for one in found] == expected
        assert {one.path for one in found} <= {str(folder / BRIEF)}
        messages = {
            "unused-suppression": ("accepts 'bare-command', which is not found here", "accepts 'bom', which is not found here"),
            "suppression": ("no check has the code 'bare-comand'", "no check has the code ''", "accepts a problem without a reason"),
        }  # fmt: skip
        for one in found:
            assert one.message in messages.get(one.code, (one.message,))


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


KEYS = st.tuples(
    st.sampled_from(["a.md", "ü.md"]), st.sampled_from(["bom", "yaml"]), st.sampled_from(["m", 'q"\n'])
)
FOUND = st.lists(
    st.builds(
        lambda key, line, severity: Problem(key[0], line, key[1], key[2], "r", severity),
        KEYS, st.integers(0, 9), st.sampled_from(["error", "warning"]),
    ),
    max_size=6,
)  # fmt: skip


@settings(max_examples=examples(200))
@given(FOUND, FOUND)
def test_a_baseline_accepts_as_many_warnings_as_it_has_and_no_error(
    before: list[Problem], now: list[Problem]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "old.json"
        assert write_baseline(path, before) == len(before)
        assert json.loads(path.read_text(encoding="utf-8"))["version"] == 1
        left = [(one.path, one.code, one.message) for one in before]
        new = []
        for one in now:
            key = one.path, one.code, one.message
            if one.severity == "warning" and key in left:
                left.remove(key)
            else:
                new.append(one)
        assert new_problems(path, now) == new


@each(
    [
        "{}",
        "[",
        '{"accepted": [["a", "b", "c"]]}',
        '{"accepted": [["a", "b", "c", "x"]]}',
        '{"accepted": 1}',
        "[]",
        None,
    ]
)
def test_a_file_that_is_no_baseline_is_told(text: str | None) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "old.json"
        if text is not None:
            path.write_text(text)
        with pytest.raises(UltraError) as refused:
            new_problems(path, [])
        why = (
            "is not a baseline; write it again"
            if text is not None
            else "No such file or directory; write one"
        )
        assert str(refused.value) == f"{path}: {why} with --write-baseline."


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
