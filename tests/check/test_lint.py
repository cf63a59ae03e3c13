"""The check as a tool for many folders: places, settings, comments, baselines, repairs and formats."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.check.plugins import (
    BRIEF,
    CRITIC,
    MANIFEST,
    Files,
    add,
    changed,
    edit,
    text_of,
    write,
)
from tests.kit.generator import call
from tests.kit.quick import examples
from tests.kit.table import each
from ultra_plugin.errors import Problem, UltraError
from ultra_plugin.lint.baseline import new_problems, write_baseline
from ultra_plugin.lint.places import folders, with_plugins
from ultra_plugin.lint.run import Order, check_folder, check_folders
from ultra_plugin.lint.settings import Settings, checked_codes, read_settings

"""One warning, bare-command, in line 11."""

WRONG = add(BRIEF, "Type /brief.")


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
