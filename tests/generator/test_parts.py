"""A plugin carries the rooms of the runtime that it names, what these import, and no more."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fence import NAME, SETTINGS, build, copy_sources
from tests.generator.sample import COMMAND, PLUGIN, write_sample
from tests.kit.names import ROOT
from ultra_plugin.check.launcher import launcher_problems
from ultra_plugin.config import load
from ultra_plugin.errors import Problem, ProblemsFound
from ultra_plugin.model import Module
from ultra_plugin.parts import read_module
from ultra_plugin.pipeline import checked
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree

RUNTIME = "runtime/ultra_runtime"
SHELL = ("__init__", "__main__", "answer", "errors", "rendered", "struct", "typed", "usage", "words")
FOR_THE_GUARD = (
    "files/__init__", "files/atomic", "files/error_log", "files/given_text", "files/globbed", "files/json_file", "files/regular_file", "files/root",
    "files/run_files",
    "files/secret_scan", "files/unexpected", "hooks/__init__", "hooks/guard", "tables/__init__", "tables/help", "tables/names",
    "tables/stages",
    "tables/first_look", "tables/policy", "text/__init__", "text/colour", "text/jsontext", "verbs/__init__", "verbs/check_command", "verbs/check_path",
    "verbs/completion", "help_text", "text/yaml_value", "text/yaml_mapping", "tables/packs",
)  # fmt: skip
OTHERS = (
    ".claude-plugin/icon.png", ".claude-plugin/plugin.json", "LICENSE", "README.md", "bin/fence", "bundle.json",
    "hooks/hooks.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def fence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plugin that has the guard alone, built beside the flagship."""
    folder = tmp_path_factory.mktemp("two")
    return build(copy_sources(folder), folder / "dist") / NAME


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if path.is_file()} | {
        path.relative_to(folder).as_posix() for path in [*folder.glob("bin/*"), *folder.glob("LICENSE")]
    }


def call(fence: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(fence / "bin/fence"), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


def test_the_guard_alone_has_its_room_and_what_it_imports(fence: Path) -> None:
    guard = {path.as_posix() for path in (ROOT / "plugin_src" / RUNTIME / "guard").rglob("*.py")}
    room = {path[path.index(RUNTIME) :] for path in guard}
    rest = {f"{RUNTIME}/{name}.py" for name in (*SHELL, *FOR_THE_GUARD)}
    found = {path for path in files(fence) if "__pycache__" not in path}
    assert found == room | rest | {*OTHERS}
    assert len(found) == len(room) + 39 + 7


def test_its_verbs_are_those_of_the_guard(fence: Path, tmp_path: Path) -> None:
    said = call(fence, tmp_path, "--help", "--json")
    verbs = json.loads(said.stdout)["verbs"]
    assert [usage.split()[0] for usage in verbs] == ["check-command", "check-path", "completion"]
    assert call(fence, tmp_path, "--version").stdout.startswith("fence ")
    assert call(fence, tmp_path, "check-command", "rm -rf ~").stdout.startswith(
        "block (recursive_force_delete)"
    )
    assert call(fence, tmp_path, "check-command", "ls").stdout.startswith("allow")
    assert call(fence, tmp_path, "check-path", ".env").stdout.startswith("block (env_file)")
    refused = call(fence, tmp_path, "status")
    assert (refused.returncode, refused.stderr.splitlines()[1]) == (2, "usage: fence --help lists the verbs")


@pytest.mark.parametrize(("command", "denied"), [("rm -rf ~", True), ("ls -l", False)])
def test_its_hook_blocks_and_allows(fence: Path, tmp_path: Path, command: str, denied: bool) -> None:
    hook = fence / RUNTIME / "hooks/guard.py"
    payload = {
        "session_id": "s",
        "tool_name": "Bash",
        "cwd": str(tmp_path),
        "tool_input": {"command": command},
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", str(hook)],
        input=json.dumps(payload),
        env={**os.environ, "CLAUDE_PLUGIN_OPTION_GUARD": "always"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr, '"deny"' in done.stdout) == (0, "", denied)
    assert denied == ("fence guard, rule recursive_force_delete" in done.stdout)


def test_docs_and_prompts_speak_of_what_is_carried(fence: Path) -> None:
    readme = (fence / "README.md").read_text()
    assert "`fence check-command`" in readme
    assert "doctor" not in readme
    assert not (fence / "schemas").exists()


def test_the_plugins_together_carry_the_whole_runtime(bundle: Path) -> None:
    sources = {*SourceTree(ROOT / "plugin_src").files(RUNTIME)}
    found = {
        path
        for plugin in bundle.parent.iterdir()
        if (plugin / "runtime").is_dir()
        for path in files(plugin)
        if path.startswith("runtime/") and "__pycache__" not in path
    }
    tables = {path for path in found if path.startswith(f"{RUNTIME}/tables/")}
    assert found - tables == sources
    contracts = {path.stem.replace("-", "_") for path in (ROOT / "plugin_src/contracts").glob("*.yaml")}
    assert contracts | {"__init__", "names", "policy", "outputs"} <= {Path(path).stem for path in tables}
    assert [path.name for path in (bundle / "bin").iterdir()] == ["ultra"]


def test_a_plugin_that_names_no_runtime_has_none(tmp_path: Path) -> None:
    changes = {"runtime/ultra_runtime/__main__.py": "", "runtime/bin/launcher": "#!/bin/sh\n"}
    (bundle,), _ = checked(SourceTree(write_sample(tmp_path, changes)), "dist")
    assert [path for path in bundle.files if path.startswith(("bin/", "runtime/", "schemas/"))] == []


def problems(tmp_path: Path, settings: str) -> list[tuple[str, int, str, str, str]]:
    source = copy_sources(tmp_path, settings)
    with pytest.raises(ProblemsFound) as raised:
        load(SourceTree(source))
    plugins = f"{source}/plugins/"
    return [
        (one.path.removeprefix(plugins), one.line, one.code, one.message, one.remedy)
        for one in raised.value.problems
    ]


def test_a_room_that_does_not_exist_is_told_with_its_line(tmp_path: Path) -> None:
    found = problems(tmp_path, SETTINGS.replace("[guard]\noptions", "[gaurd]\noptions"))
    assert found == [
        ("fence/plugin.yaml", 7, "unknown-room", "the runtime has no room 'gaurd'", "did you mean 'guard'?")
    ]


def test_two_plugins_cannot_have_one_launcher(tmp_path: Path) -> None:
    found = problems(tmp_path, SETTINGS.replace("launcher: fence", "launcher: ultra"))
    flagship = next(path for path in (ROOT / "plugin_src/plugins").glob("*/plugin.yaml"))
    line = flagship.read_text().split("\n").index("  launcher: ultra") + 1
    message = "the plugin fence has the launcher 'ultra' too"
    remedy = "choose another name under runtime: launcher:"
    assert found == [(f"{flagship.parent.name}/plugin.yaml", line, "same-launcher", message, remedy)]


@pytest.mark.parametrize("name", ["../ultra", "Ultra", "a b", ""])
def test_a_launcher_is_a_plain_name(tmp_path: Path, name: str) -> None:
    found = problems(tmp_path, SETTINGS.replace("launcher: fence", f"launcher: '{name}'"))
    assert [(code, message) for _, _, code, message, _ in found] == [
        ("bad-name", f"'{name}' cannot be a name")
    ]


VERB = '"""Say it."""\nfrom ultra_runtime.%s import x\nUSAGE = "say"\n%s\ndef run(args):\n    return x\n'


@pytest.mark.parametrize(
    ("room", "stage", "rooms", "carried"),
    [
        ("lower", "", "[lower]", True),
        ("lower", "", "[upper]", False),
        ("upper", "", "[upper]", True),
        ("lower", 'STAGE = "review"\n', "[lower]", True),
        ("lower", 'STAGE = "deploy"\n', "[lower]", False),
    ],
)
def test_a_verb_belongs_to_its_topmost_room_and_its_stage(
    tmp_path: Path, room: str, stage: str, rooms: str, carried: bool
) -> None:
    runtime = "runtime/ultra_runtime"
    changes = {
        "runtime/bin/launcher": "#!/bin/sh\n",
        f"{runtime}/verbs/say.py": VERB % (f"{room}.words", stage),
        f"{runtime}/lower/words.py": "x = 1\n",
        f"{runtime}/lower/unused.py": "x = 1\n",
        f"{runtime}/upper/words.py": "from ultra_runtime.lower.words import x\n",
        "plugins/acme-plan/plugin.yaml": f"{PLUGIN}runtime: {{launcher: acme, rooms: {rooms}}}\n",
    }
    (bundle,), _ = checked(SourceTree(write_sample(tmp_path, changes)), "dist")
    assert (f"{runtime}/verbs/say.py" in bundle.files) == carried
    assert (f"{runtime}/lower/unused.py" in bundle.files) == (rooms == "[lower]")
    assert f"{runtime}/lower/words.py" in bundle.files  # named, or imported by the room that is
    assert (f"{runtime}/upper/words.py" in bundle.files) == (rooms == "[upper]")


def test_a_verb_that_is_not_carried_cannot_be_named(tmp_path: Path) -> None:
    changes = {
        "runtime/bin/launcher": "#!/bin/sh\n",
        "runtime/ultra_runtime/verbs/say.py": VERB % ("lower.words", ""),
        "runtime/ultra_runtime/lower/words.py": "x = 1\n",
        "plugins/acme-plan/plugin.yaml": f"{PLUGIN}runtime: {{launcher: acme}}\n",
        "plugins/acme-plan/commands/brief.md.j2": COMMAND + "Run `{{ verb('say') }}`.\n",
    }
    with pytest.raises(ProblemsFound) as raised:
        checked(SourceTree(write_sample(tmp_path, changes)), "dist")
    (problem,) = raised.value.problems
    assert (problem.line, problem.message) == (11, "unknown verb 'say'")


def test_what_a_module_uses_is_read_from_imports_and_from_data() -> None:
    known = frozenset(
        {"plan.check", "text.child", "text.parent", "guard.rules.one", "guard.rules.two", "text.json"}
    )
    text = (
        "from ultra_runtime.text.json import read\n"
        "if TYPE_CHECKING:\n    from ultra_runtime.plan.types import Plan\n"
        "def late():\n    from ultra_runtime.tables import limits\n"
        'OWN = {"plan": "plan.check"}\nCHILD = "child.py"\n'
        'RULES = "ultra_runtime.guard.rules."\nPOLICY = table("policy")\nLOOK = "ultra_runtime.tables.look"\nANY = table(kind)\n'
    )
    found = read_module("text.parent", text, known)
    late = {
        "plan.check", "text.child", "guard.rules.one", "guard.rules.two", "tables.policy", "tables.look",
        "tables.*",
    }  # fmt: skip
    assert found == Module(frozenset({"text.json", "tables", "tables.limits"}), frozenset(late))


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("runtime/ultra_runtime/verbs/guide.py", "HEAD = ", 'X = "run `ultra doctor`"\nHEAD = ', 22),
        ("runtime/ultra_runtime/verbs/guide.py", "Without COMMAND", "`ultra guide x`: without COMMAND", 3),
        ("fragments/runtime-calls.md.j2", "One verb per", "Call `ultra doctor`. One verb per", 2),
        ("contracts/brief.yaml", "title: ", "title: ultra put ", 2),
    ],
)
def test_a_launcher_spelled_by_hand_stops_the_build(
    tmp_path: Path, path: str, old: str, new: str, line: int
) -> None:
    source = copy_sources(tmp_path)
    text = (source / path).read_text()
    (source / path).write_text(text.replace(old, new, 1))
    found = by_launcher(source)
    assert {one.code for one in found} == {"launcher-by-hand"}
    assert [(one.path.endswith(path), one.line) for one in found] == [(True, line)]
    assert found[0].remedy.startswith("write ")


def by_launcher(source: Path) -> list[Problem]:
    """Return what the check of launchers and verbs finds in a tree."""
    tree = SourceTree(source)
    suite = load(tree)
    return [*launcher_problems(tree, suite, render(tree, suite))]


def test_a_message_that_names_no_verb_stops_the_build(tmp_path: Path) -> None:
    source = copy_sources(tmp_path)
    guide = source / "runtime/ultra_runtime/verbs/guide.py"
    guide.write_text(guide.read_text().replace("verb('guide')", "verb('giude')", 1))
    (problem,) = by_launcher(source)
    assert (problem.code, problem.severity) == ("dangling-verb", "error")
    assert problem.message.startswith("verb('giude') is not a verb of ")
    assert problem.remedy.startswith("did you mean 'guide'?")


LACKED = "verb('shout') is not a verb of acme-plan, where this module ships"


@pytest.mark.parametrize(
    ("named", "stage", "verbs", "expected"),
    [
        ("verb('shout')", "", "", LACKED),
        ("verb('say')", "", "", ""),
        ("verb('say') if has_verb('shout') else verb('shout')", "", "", ""),
        ("verb('shout') if has_verb('say') else ''", "", "", LACKED),
        ("verb('shout')", "", ", verbs: {shout: say}", ""),
        ("verb('shout')", "", ", verbs: {shout: scream}", LACKED),
        ("verb('shout')", 'STAGE = "deploy"\n', "", ""),
        ("verb('shout')", 'STAGE = "review"\n', "", LACKED),
        ("verb('whisper')", "", "", "verb('whisper') is not a verb of acme-plan, where this module ships"),
        ("verb('whisper')", "", ", verbs: {whisper: say}", ""),
    ],
)  # fmt: skip
def test_a_module_names_only_verbs_of_the_plugins_that_carry_it(
    tmp_path: Path, named: str, stage: str, verbs: str, expected: str
) -> None:
    changes = {
        "runtime/bin/launcher": "#!/bin/sh\n",
        "runtime/ultra_runtime/verbs/say.py": VERB % ("lower.words", ""),
        "runtime/ultra_runtime/verbs/shout.py": (VERB % ("upper.words", stage)).replace("say", "shout"),
        "runtime/ultra_runtime/lower/words.py": f"x = {named}\n",
        "runtime/ultra_runtime/upper/words.py": "from ultra_runtime.lower.words import x\n",
        "plugins/acme-plan/plugin.yaml": f"{PLUGIN}runtime: {{launcher: acme, rooms: [lower]{verbs}}}\n",
    }
    found = by_launcher(write_sample(tmp_path, changes))
    assert [one.message for one in found] == ([expected] if expected else [])
    assert [one.severity for one in found] == ["error"] * len(found)


def test_the_runtime_asks_only_for_verbs_that_exist() -> None:
    """A misspelled question would be answered with no for ever."""
    tree = SourceTree(ROOT / "plugin_src")
    asked = {
        verb
        for path in tree.files(RUNTIME)
        for verb in re.findall(r"has_verb\(['\"]([a-z -]+)", tree.text(path))
    }
    assert asked
    assert asked <= load(tree).verbs.keys()
