"""What `ultra-plugin test` gives the programs of a plugin, and what it says about their answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.check.plugins import HOOKS, MANIFEST, Content, Script, bundle_of, write
from ultra_plugin.check.subject import subject_of
from ultra_plugin.exercise.cases import Case, _tried
from ultra_plugin.exercise.hooks import SAMPLES, hook_outcomes
from ultra_plugin.exercise.outcome import Outcome, Place
from ultra_plugin.exercise.servers import server_outcomes
from ultra_plugin.exercise.verbs import verb_outcomes

Handler = dict[str, object]


def place(root: Path, files: dict[str, Content]) -> Place:
    """Return a written plugin with its folders."""
    files = {MANIFEST: '{"name": "acme"}', **files}
    write(root / "plugin", files)
    folders = [root / name for name in ("project", "data", "home")]
    for folder in folders:
        folder.mkdir()
    return Place(subject_of(bundle_of(files, "acme")), root / "plugin", *folders)


def with_hooks(root: Path, groups: dict[str, dict[str, object]]) -> Place:
    return place(root, {HOOKS: json.dumps({"hooks": {event: [group] for event, group in groups.items()}})})


def told(outcomes: Iterable[Outcome]) -> list[str]:
    return [f"{one.result}: {one.reason}".rstrip(": ") for one in outcomes]


def command(text: str) -> Handler:
    return {"type": "command", "command": text}


def test_every_event_reaches_its_hook_as_one_object_in_which_nothing_went_wrong(tmp_path: Path) -> None:
    """A hook that is told `stop_hook_active`, or of an interrupt, does nothing, so a run would show nothing."""
    groups: dict[str, dict[str, object]] = {
        event: {"hooks": [command(f'cat > "${{CLAUDE_PLUGIN_DATA}}/{event}"; pwd >> "$HOME/places"')]}
        for event in SAMPLES
    }
    groups["PreToolUse"]["matcher"] = "Write|Edit"
    here = with_hooks(tmp_path, groups)
    assert told(hook_outcomes(here)) == ["passed"] * len(SAMPLES)
    assert {*(here.home / "places").read_text().split()} == {str(here.project)}
    for event, sample in SAMPLES.items():
        given = json.loads((here.data / event).read_text())
        assert (given["hook_event_name"], given["cwd"]) == (event, str(here.project))
        expected = {**sample, "tool_name": "Write"} if event == "PreToolUse" else sample
        assert {key: given[key] for key in sample} == expected
        assert "true" not in json.dumps(given)


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (command("true"), "passed"),
        (command("true") | {"timeout": 600}, "passed"),
        (command("true") | {"timeout": 0}, "passed"),
        (command("true") | {"timeout": -1}, "passed"),
        (command("true") | {"timeout": "soon"}, "passed"),
        (command("sleep 9") | {"timeout": 0.1}, "failed: ended with status -1: did not end within 0.1 s"),
        (command("exit 2"), "passed"),
        (command("if true; then exit 2; fi"), "passed"),
        (command("echo one >&2; echo two >&2; exit 3"), "failed: ended with status 3: two"),
        (command("printf '\\377'; true"), "passed"),
        (command("echo ' {'"), "failed: answered with JSON that does not parse: "),
        (command("echo '[{'"), "passed"),
        (command("no-such-program x"), "not run: no-such-program is not installed"),
        (command("A=1 'no-such-program' x"), "not run: no-such-program is not installed"),
        (command("exit") | {"args": ["2"]}, "not run: exit is not installed"),
        (command("no-such-program") | {"args": ["x"]}, "not run: no-such-program is not installed"),
        (command("test") | {"args": ["-d", "${CLAUDE_PLUGIN_ROOT}"]}, "passed"),
        (command("${CLAUDE_PLUGIN_ROOT}/gone"), "failed: ended with status 127: "),
        (command("${CLAUDE_PLUGIN_ROOT}/gone") | {"args": []}, "failed: ended with status -1: cannot be started: "),
        ({"type": "prompt", "prompt": "x", "command": "true"}, "not run: a hook of type prompt needs the client"),
        ({"type": "prompt", "prompt": "x"}, "not run: a hook of type prompt needs the client"),
    ],
)  # fmt: skip
def test_what_is_said_about_a_hook(tmp_path: Path, handler: Handler, said: str) -> None:
    (found,) = told(hook_outcomes(with_hooks(tmp_path, {"Stop": {"hooks": [handler]}})))
    assert found.startswith(said)
    assert (found == "passed") == (said == "passed")


def test_programs_get_few_variables_and_a_home_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = place(tmp_path, {})
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.delenv("TMPDIR", raising=False)
    assert here.environment() == {
        "PATH": os.environ["PATH"],
        "LANG": "de_DE.UTF-8",
        "HOME": str(here.home),
        "CLAUDE_PLUGIN_ROOT": str(here.root),
        "CLAUDE_PLUGIN_DATA": str(here.data),
        "CLAUDE_PROJECT_DIR": str(here.project),
    }


@pytest.mark.parametrize(
    ("statuses", "expected", "said"),
    [
        ((0, 0), 0, "passed"),
        ((0, 2), 2, "passed"),
        ((2, 0), 2, "passed"),
        ((2, 0), 0, "failed: must end with status 0, not 2: two"),
        ((2, 1), 2, "failed: must end with status 2, not 1: two"),
        ((3, 0), 3, "passed"),
    ],
)
def test_the_strictest_hook_answers_a_case_unless_one_fails(
    tmp_path: Path, statuses: tuple[int, int], expected: int, said: str
) -> None:
    hooks = [command(f"test {status} != 2 || echo two; exit {status}") for status in statuses]
    here = with_hooks(tmp_path, {"Stop": {"hooks": hooks}})
    assert told([_tried(here, Case("x", "Stop", status=expected), "cases.yaml")]) == [said]


ANSWER = """read first; echo '{"jsonrpc": "2.0", "id": 1, "%s": {}}'; echo 'not JSON'; echo '[]'; cat > /dev/null"""
TOOLS = """; echo '{"jsonrpc": "2.0", "id": 2, "result": {"tools": []}}'"""


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ({"command": "sh", "args": ["-c", ANSWER % "result" + TOOLS]}, "passed"),
        ({"command": "sh", "args": ["-c", f'test -d "$A" || exit 1; {ANSWER % "result"}{TOOLS}'], "env": {"A": "x"}},
         "failed: did not answer initialize (status 1)"),
        ({"command": "sh", "args": ["-c", f'test -d "$A" || exit 1; {ANSWER % "result"}{TOOLS}'], "env": {"A": "${CLAUDE_PLUGIN_ROOT}"}}, "passed"),
        ({"command": "sh", "args": ["-c", ANSWER % "result"]}, "failed: did not answer tools/list (status 0)"),
        ({"command": "sh", "args": ["-c", ANSWER % "error" + TOOLS]}, "failed: refused initialize: {}"),
        ({"command": "sh", "args": ["-c", "for n in 1 2 3; do echo $n >&2; done; exit 4"]},
         "failed: did not answer initialize (status 4): 3"),
        ({"command": "${CLAUDE_PLUGIN_ROOT}/gone"}, "not run: ${CLAUDE_PLUGIN_ROOT}/gone is not installed"),
        ({"type": "http", "url": "https://example.org"}, "not run: a remote server needs the network"),
    ],
)  # fmt: skip
def test_what_is_said_about_a_server(tmp_path: Path, server: dict[str, object], said: str) -> None:
    here = place(tmp_path, {".mcp.json": json.dumps({"mcpServers": {"clock": server}})})
    assert told(server_outcomes(here)) == [said]


LAUNCHER = """\
#!/bin/sh
echo "$*" >> "$HOME/calls"
case "$*" in
"--help --json") echo '{"verbs": ["show", "run start PLAN [--json]", "check-path [PATH]", "bad NAME", "odd", "move FILE to PLACE"]}';;
"bad --help") echo broken >&2; exit 3;;
"odd --help") echo nothing;;
*) echo "usage: x";;
esac
"""


def test_each_verb_is_asked_for_its_own_help(tmp_path: Path) -> None:
    here = place(tmp_path, {"bin/acme": Script(LAUNCHER), "runtime/ultra_runtime/__main__.py": ""})
    assert {one.what: f"{one.result}: {one.reason}".rstrip(": ") for one in verb_outcomes(here)} == {
        "acme show --help": "passed",
        "acme run start PLAN [--json] --help": "passed",
        "acme check-path [PATH] --help": "passed",
        "acme bad NAME --help": "failed: status 3: broken",
        "acme odd --help": "failed: status 0",
        "acme move FILE to PLACE --help": "passed",
    }
    asked = [
        "--help --json",
        "show --help",
        "run start --help",
        "check-path --help",
        "bad --help",
        "odd --help",
        "move --help",
    ]
    assert (here.home / "calls").read_text().splitlines() == asked
    (here.root / "bin/acme").write_text("#!/bin/sh\necho gone >&2\nexit 7\n")
    assert told(verb_outcomes(here)) == ["failed: ended with status 7: gone"]
    bare = place(tmp_path / "bare", {"bin/acme": Script(LAUNCHER)})
    assert told(verb_outcomes(bare)) == []
