"""An unexpected error: exit status 3, one sentence that names the log, and a log without secrets."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kit.calls import Ultra

FAIL = '"""Fail."""\nUSAGE = "doctor [WORD...] [--json]"\n\ndef run(args):\n    return {}["boom"]\n'
HOOKS = ("stop", "session_start", "pre_compact", "agent_answer")
SECRET = "ghp_" + "Ab3d" * 9


@pytest.fixture
def broken(own_bundle: Path, repo: Path, python: Path, tmp_path: Path) -> Ultra:
    """Return a launcher whose verb doctor fails, with a folder for temporary files of its own."""
    (own_bundle / "runtime/ultra_runtime/verbs/doctor.py").write_text(FAIL)
    launcher = Ultra(own_bundle, repo, python)
    (tmp_path / "tmp").mkdir()
    launcher.env["TMPDIR"] = str(tmp_path / "tmp")
    return launcher


def logs(folder: Path) -> list[Path]:
    return sorted(folder.glob("errors/*.log"))


def test_the_sentence_names_the_log_in_the_git_dir(broken: Ultra, repo: Path) -> None:
    told = broken.say("doctor")
    (log,) = logs(repo / ".git/ultra")
    assert (told.status, told.out) == (3, "")
    assert told.err == f"ultra: internal error, KeyError: 'boom'\nThe log is {log}; please report it.\n"
    head, _, trace = log.read_text().partition("\n\n")
    values = dict(line.split(": ", 1) for line in head.split("\n"))
    assert list(values) == ["time", "call", "error", "plugin", "python", "platform", "git"]
    assert (values["call"], values["error"]) == ("doctor", "KeyError: 'boom'")
    assert values["plugin"].startswith("ultraplan-local ")
    assert values["git"].startswith("git version ")
    assert 'verbs/doctor.py", line 5, in run' in trace
    assert log.parent.stat().st_mode & 0o777 == 0o700


def test_json_says_the_same(broken: Ultra, repo: Path) -> None:
    answer = broken("doctor")
    (log,) = logs(repo / ".git/ultra")
    assert (answer.status, answer.data["ok"], str(log) in answer.data["next"]) == (3, False, True)


def test_the_data_folder_comes_first_and_a_temporary_one_last(
    broken: Ultra, repo: Path, tmp_path: Path
) -> None:
    broken.say("doctor", env={"CLAUDE_PLUGIN_DATA": str(tmp_path / "data")})
    assert len(logs(tmp_path / "data")) == 1
    assert logs(repo / ".git/ultra") == []
    shutil.rmtree(repo / ".git")
    told = broken.say("doctor")
    (log,) = (tmp_path / "tmp" / f"ultra-errors-{os.getuid()}").glob("*.log")
    assert (told.status, str(log) in told.err) == (3, True)


def test_a_log_that_cannot_be_written_hides_nothing(broken: Ultra, repo: Path, tmp_path: Path) -> None:
    (repo / ".git/ultra").write_text("a file where the folder would be")
    (tmp_path / "tmp" / f"ultra-errors-{os.getuid()}").write_text("here, too")
    told = broken.say("doctor", env={"CLAUDE_PLUGIN_DATA": "/dev/null"})
    assert told.status == 3
    assert told.err.startswith("ultra: internal error, KeyError: 'boom'\nNo log could be written")


def test_nobody_else_chooses_where_it_is_written(broken: Ultra, repo: Path, tmp_path: Path) -> None:
    shutil.rmtree(repo / ".git")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tmp" / f"ultra-errors-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    assert broken.say("doctor").status == 3
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_no_secret_no_text_no_environment_and_no_input(broken: Ultra, repo: Path) -> None:
    words = [
        SECRET,
        "password=hunter2",
        "a text of some words",
        "x" * 200,
        "https://me:pw@example.org/",
        "plain.md",
    ]
    given = subprocess.run(
        [broken.bundle / "bin" / "ultra", "doctor", *words],
        input="typed on standard input",
        env={**broken.env, "MY_VALUE": "of-the-environment"},
        cwd=repo,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert given.returncode == 3
    (log,) = logs(repo / ".git/ultra")
    text = log.read_text()
    masked = " ".join(f"<{len(word)} characters>" for word in words[:-1])
    assert f"call: doctor {masked} plain.md\n" in text
    for hidden in (SECRET, "hunter2", "some words", "xxx", "me:pw", "typed", "of-the-environment"):
        assert hidden not in text


def test_what_an_error_says_is_masked_too(broken: Ultra, repo: Path) -> None:
    verb = broken.bundle / "runtime/ultra_runtime/verbs/doctor.py"
    verb.write_text(FAIL.replace('return {}["boom"]', 'raise ValueError("token=" + args.rest("WORD")[0])'))
    assert broken.say("doctor", SECRET).status == 3
    (log,) = logs(repo / ".git/ultra")
    assert f"error: ValueError: <{len(SECRET) + 6} characters>\n" in log.read_text()
    assert SECRET not in log.read_text()


def test_doctor_shows_the_newest(ultra: Ultra, broken: Ultra, repo: Path) -> None:
    broken.say("doctor", "first.md")
    broken.say("doctor", "second.md")
    log = logs(repo / ".git/ultra")[-1]
    own = {"TMPDIR": broken.env["TMPDIR"]}  # not the logs of other tests
    checks = {check["name"]: check for check in ultra("doctor", env=own).data["checks"]}
    found = checks["last error"]
    assert found["status"] == "warn"
    assert found["message"].endswith("Z, ultra doctor second.md: KeyError: 'boom'")
    assert str(log) in found["remedy"]


def test_doctor_finds_the_log_of_a_hook_in_the_data_folder(ultra: Ultra, repo: Path, tmp_path: Path) -> None:
    folder = repo / ".claude/plugins/data/ultraplan-local-skills-dir/errors"
    folder.mkdir(parents=True)
    (folder / "20200101T000000-000000-1.log").write_text("time: T\ncall: hook stop\nerror: E: e\n\n")
    own = {"CLAUDE_CONFIG_DIR": str(repo / ".claude"), "TMPDIR": str(tmp_path)}
    checks = ultra("doctor", env=own).data["checks"]
    assert [one["message"] for one in checks if one["name"] == "last error"] == ["T, ultra hook stop: E: e"]


@pytest.mark.parametrize("missing", ["__main__", "usage"])
def test_a_bundle_that_does_not_load_is_logged_too(broken: Ultra, repo: Path, missing: str) -> None:
    (broken.bundle / f"runtime/ultra_runtime/{missing}.py").unlink()
    told = broken.say("continue")
    (log,) = logs(repo / ".git/ultra")
    assert (told.status, told.out, told.err.count("\n")) == (3, "", 1)
    assert told.err.endswith(f": install the plugin again; the log is {log}.\n")
    assert "ModuleNotFoundError" in log.read_text()


def test_a_bundle_without_the_log_still_says_its_sentence(broken: Ultra) -> None:
    (broken.bundle / "runtime/ultra_runtime/__main__.py").write_text("(")
    (broken.bundle / "runtime/ultra_runtime/files/unexpected.py").unlink()
    told = broken.say("continue")
    assert (told.status, told.out, told.err.count("\n")) == (3, "", 1)
    assert told.err.endswith(": install the plugin again.\n")


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_that_fails_ends_well_and_is_logged(
    broken: Ultra, repo: Path, tmp_path: Path, name: str
) -> None:
    hook = broken.bundle / f"runtime/ultra_runtime/hooks/{name}.py"
    text = hook.read_text()
    start = text.index('"""', text.index("def main()") + 20)
    place = text.index("\n", start) + 1
    hook.write_text(
        text[:place]
        + "    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))\n"
        + "    raise RuntimeError('of the hook')\n"
        + text[place:]
    )
    env = {"CLAUDE_PLUGIN_DATA": str(tmp_path / "data")}
    told = broken.run(["python3", "-I", "-S", "-X", "utf8", hook], env=env)
    assert (told.status, told.out, told.err) == (0, "", "")
    (log,) = logs(tmp_path / "data")
    assert f"call: hook {name}\nerror: RuntimeError: of the hook\n" in log.read_text()


@pytest.mark.parametrize(("in_run", "status"), [(True, 2), (False, 1)])
@pytest.mark.parametrize("fault", ["at start", "when it judges"])
def test_a_guard_that_fails_keeps_its_word_and_is_logged(
    broken: Ultra, repo: Path, tmp_path: Path, in_run: bool, status: int, fault: str
) -> None:
    module = "hook" if fault == "at start" else "judge"
    (broken.bundle / f"runtime/ultra_runtime/guard/{module}.py").write_text(
        "raise RuntimeError('of the guard')\n"
    )
    if in_run:
        (repo / ".git/ultra").mkdir()
        lock = {"root": str(repo), "owner": {"session": "s"}}
        (repo / ".git/ultra/run.json").write_text(json.dumps(lock))
    payload = {"session_id": "s", "tool_name": "Bash", "cwd": str(repo), "tool_input": {"command": "ls"}}
    done = subprocess.run(
        ["python3", "-I", "-S", "-X", "utf8", broken.bundle / "runtime/ultra_runtime/hooks/guard.py"],
        input=json.dumps(payload),
        env={
            **broken.env,
            "CLAUDE_PLUGIN_OPTION_GUARD": "always",
            "CLAUDE_PLUGIN_DATA": str(tmp_path / "data"),
            "CLAUDE_CODE_SESSION_ID": "s",
            "PWD": str(repo),
        },
        cwd=repo,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    (log,) = logs(tmp_path / "data")
    assert (done.returncode, str(log) in done.stderr) == (status, True)
    assert "call: hook guard\nerror: RuntimeError: of the guard\n" in log.read_text()
