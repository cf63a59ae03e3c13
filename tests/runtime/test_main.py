"""The error boundary: help, versions, unknown verbs, closed pipes and faults of our own."""

from __future__ import annotations

import ast
import json
import keyword
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.kit.calls import Ultra
from tests.kit.names import LAUNCHER, NAME, PIPELINE, RUNTIME
from ultra_runtime.usage import Usage

VERBS = sorted(path for path in (RUNTIME / "ultra_runtime" / "verbs").glob("*.py") if path.stem != "__init__")


def literal_usage(path: Path) -> str:
    """Read USAGE as the generator does."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "USAGE":
            return str(ast.literal_eval(node.value))
    raise AssertionError(f"{path} has no USAGE")


def carrier(ultra: Ultra, path: Path) -> Ultra:
    """Return the launcher of a plugin that has the verb of a file, the flagship's if it can."""
    inside = path.relative_to(path.parents[2])
    found = [
        one for one in (ultra.bundle, *ultra.bundle.parent.iterdir()) if (one / "runtime" / inside).is_file()
    ]
    (launcher,) = (found[0] / "bin").iterdir()
    return Ultra(found[0], ultra.folder, Path(ultra.env["PATH"].partition(":")[0]), launcher.name)


def test_there_are_verbs() -> None:
    assert {path.stem for path in VERBS} >= {"continue_", "validate", "frontmatter", "guide", "doctor"}


@pytest.mark.parametrize("path", VERBS, ids=lambda path: path.stem)
def test_a_verb_is_named_as_its_file_and_explained(path: Path, ultra: Ultra) -> None:
    usage = Usage(literal_usage(path))
    name = "_".join(usage.verb).replace("-", "_")
    assert path.stem == (f"{name}_" if keyword.iskeyword(name) else name)
    assert "--json" in usage.options
    summary = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n")[0]
    assert summary.endswith(".")
    ultra = carrier(ultra, path)
    told = ultra.say(*usage.verb, "--help")
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(f"usage: {ultra.launcher} {usage.line}\n\n{summary}\n")
    listing = ultra.say("--help").out
    assert f"{ultra.launcher} {usage.line}\n" in listing
    assert summary in listing


@pytest.mark.parametrize(
    ("words", "status"), [(("gate", "--help"), 0), (("help", "gate"), 0), (("gate",), 2)]
)
def test_the_verbs_of_one_family_are_listed(ultra: Ultra, words: tuple[str, ...], status: int) -> None:
    told = ultra.say(*words)
    text = told.err if status else told.out
    listed = [line.split()[1:3] for line in text.splitlines() if line.startswith("  ultra ")]
    assert (told.status, listed) == (status, [["gate", "brief"], ["gate", "plan"]])
    assert ultra(*words).data["ok"] == (status == 0)
    assert "usage: ultra gate VERB ...\n" in text


def test_help_begins_with_the_verbs_for_people(ultra: Ultra) -> None:
    lines = ultra.say("--help").out.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles[:2] == ["For you, to look:", "For you, to act:"]
    assert titles[2:-1] == [
        f"{stage.capitalize()}:" for stage in PIPELINE if f"{stage.capitalize()}:" in titles
    ]
    assert titles[-1] == "Others:"
    look = lines[lines.index(titles[0]) : lines.index(titles[1])]
    assert any(line.startswith("  ultra status ") for line in look)
    assert not any(line.startswith("  ultra put ") for line in look)


def test_json_may_come_first(ultra: Ultra) -> None:
    assert json.loads(ultra.say("--json", "nope").out)["error"] == "unknown verb: nope"
    assert json.loads(ultra.say("--json", "-V").out)["plugin"] == NAME


def test_help_is_another_word_for_the_option(ultra: Ultra) -> None:
    assert ultra.say("help").out == ultra.say("--help").out
    data = ultra("help", "run", "abort").data
    assert (data["ok"], data["usage"].startswith("ultra run abort")) == (True, True)
    assert ultra.say("help", "run", "abort").out == ultra.say("run", "abort", "--help").out


def test_the_version_is_the_bundle_s(ultra: Ultra) -> None:
    names = (ultra.bundle / "runtime/ultra_runtime/tables/names.py").read_text()
    data = ultra("--version").data
    assert data["plugin"] == NAME
    assert ultra.say("-V").out == ultra.say("--version").out
    assert f'VERSION = "{data["version"]}"' in names


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["contineu"], "unknown verb: contineu (did you mean continue?)"),
        (["continue_"], "unknown verb: continue_ (did you mean continue?)"),
        (["__init__"], "unknown verb: __init__"),
        (["../x"], "unknown verb: ../x"),
        ([""], "unknown verb: "),
        (["\x1b[2Jx"], "unknown verb: \\x1b[2Jx"),
        (["nope"], "unknown verb: nope"),
        (["--foo"], "unknown verb: --foo"),
        (["step", "comit"], "unknown verb: step comit (did you mean step commit?)"),
        (["step"], "step is not a verb by itself"),
        (["stat"], "unknown verb: stat (did you mean status?)"),  # stats is as near, but writes
        (["runs"], "unknown verb: runs (did you mean run?)"),  # it lists its verbs; run start writes
        (["abort"], "unknown verb: abort (did you mean run abort?)"),
        (["show"], "unknown verb: show (did you mean plan show?)"),
        (["stp", "comit"], "unknown verb: stp (did you mean step commit?)"),
        (["continue", "--foo"], "unknown option: --foo"),
        (["continue", "--projekt", "x"], "unknown option: --projekt (did you mean --project?)"),
        (["continue", "--project"], "--project needs a value: --project DIR"),
        (["validate", "session-state"], "missing PATH"),
        (["validate", "session-state", "a", "b"], "unexpected argument: b"),
        (
            ["validate", "session-state", "a", "--strict", "--soft"],
            "--strict and --soft cannot be used together",
        ),
    ],
)
def test_wrong_words_are_wrong_usage(ultra: Ultra, words: list[str], error: str) -> None:
    told = ultra.say(*words)
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith(f"ultra: {error}\nusage: ultra ")
    answer = ultra(*words)
    assert (answer.status, answer.data["ok"]) == (2, False)
    assert answer.data["error"] == error
    assert answer.data["next"].startswith("usage: ultra ")


def test_what_follows_two_dashes_is_no_option(ultra: Ultra, repo: Path) -> None:
    (repo / "--json").write_text("---\na: b\n---\n")
    assert ultra.say("frontmatter", "--", "--json").out == 'a: "b"\n'
    assert ultra.say("guide", "--", "--help").err.startswith("ultra: there is no guide --help")


def test_verbs_of_two_words_and_with_hyphens(own_bundle: Path, repo: Path, python: Path) -> None:
    ultra = Ultra(own_bundle, repo, python)
    body = "from ultra_runtime.answer import Answer\n\ndef run(args):\n    return Answer({}, USAGE)\n"
    for module, usage in (
        ("run_start", "run start PATH"),
        ("finding_id", "finding-id"),
        ("run", "run [WORD]"),
    ):
        path = own_bundle / f"runtime/ultra_runtime/verbs/{module}.py"
        path.write_text(f'"""Tell."""\n\nUSAGE = "{usage}"\n{body}')
    assert ultra.say("run", "start", "x").out == "run start PATH\n"
    assert ultra.say("run", "other").out == ultra.say("run").out == "run [WORD]\n"
    assert ultra.say("finding-id").out == "finding-id\n"
    for words in (["run-start", "x"], ["run_start", "x"], ["finding", "id"], ["finding_id"]):
        assert ultra.say(*words).status == 2
    assert "(did you mean run start?)" in ultra.say("run-start").err


def test_no_verb_lists_them(ultra: Ultra) -> None:
    told = ultra.say()
    assert (told.status, told.out) == (2, "")
    assert told.err == f"ultra: missing verb\n{ultra.say('--help').out}"


def test_an_error_of_our_own_is_a_sentence(own_bundle: Path, repo: Path, python: Path) -> None:
    ultra = Ultra(own_bundle, repo, python)
    verb = own_bundle / "runtime/ultra_runtime/verbs/doctor.py"
    verb.write_text('"""Fail."""\nUSAGE = "doctor [--json]"\n\ndef run(args):\n    return {}["boom"]\n')
    told = ultra.say("doctor")
    assert (told.status, told.out) == (3, "")
    assert told.err.startswith("ultra: internal error, KeyError: 'boom'\n")
    assert "Traceback" not in told.err
    answer = ultra("doctor")
    assert (answer.status, answer.data["ok"]) == (3, False)
    assert "Traceback" in ultra.say("doctor", env={"ULTRA_DEBUG": "1"}).err


@pytest.mark.parametrize(
    ("redirection", "status", "err"),
    [
        ("--help | true", 0, ""),
        ("--help >&-", 0, ""),
        ("nothing 2>&-", 2, ""),
        ("--help >/dev/full", 1, "ultra: the answer cannot be written: No space left on device\n"),
    ],
)
def test_an_answer_that_nobody_takes(ultra: Ultra, redirection: str, status: int, err: str) -> None:
    script = f'set -o pipefail 2>/dev/null; "{ultra.command}" {redirection}'
    told = ultra.run(["bash", "-c", script])
    assert (told.status, told.err) == (status, err)


def test_a_reader_that_leaves_early_is_no_error(own_bundle: Path, repo: Path, python: Path) -> None:
    (own_bundle / "guides" / "long.md").write_text("line\n" * 1_000_000)
    script = f'set -o pipefail; "{own_bundle}/bin/{LAUNCHER}" guide long | head -n 1'
    told = Ultra(own_bundle, repo, python).run(["bash", "-c", script])
    assert (told.status, told.out, told.err) == (0, "line\n", "")


def test_an_interrupt_is_quiet(own_bundle: Path, repo: Path, python: Path) -> None:
    ultra = Ultra(own_bundle, repo, python)
    ready = repo / "ready"
    verb = own_bundle / "runtime/ultra_runtime/verbs/doctor.py"
    verb.write_text(
        '"""Wait."""\nUSAGE = "doctor [--json]"\n\ndef run(args):\n'
        f"    import time\n    open({str(ready)!r}, 'w').close()\n    time.sleep(30)\n"
    )
    command = [str(own_bundle / "bin" / LAUNCHER), "doctor"]
    process = subprocess.Popen(command, env=ultra.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 30
        while not ready.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, b"", b"")
