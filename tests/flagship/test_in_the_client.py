"""The plugin in the real client: accepted without a word, loaded whole, and its command does its job."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.client.binary import OLDEST
from tests.client.conversation import Say
from tests.client.fixtures import ModelFactory, Play, TerminalFactory, require_client
from tests.client.model import Call, ScriptedModel
from tests.client.session import Client
from tests.flagship.states import RUN, write_state
from tests.kit.model import bash
from tests.kit.names import COMMANDS, NAME, PIPELINE, ROOT, SUITE
from ultra_plugin import __version__
from ultra_plugin.bill import always_on, bill, tokens
from ultra_plugin.folder import read_folder
from ultra_plugin.package import zip_bundle

CONTINUE = COMMANDS["continue"]
GO_ON = f"{COMMANDS['execute']} --project {RUN} --resume"


def validated(client: Client, target: Path) -> list[object]:
    """Return every error, warning and finding of the client's own validator."""
    done = client.run("plugin", "validate", "--strict", "--profile", "directory", "--json", str(target))
    report = done.json()
    parts = [report["manifest"], *report["contents"]]
    directory = report.get("directory") or {"findings": [], "undecided": []}
    found = [entry for part in parts for entry in (*part["errors"], *part["warnings"])]
    found += [*directory["findings"], *directory["undecided"]]
    assert (done.status, report["success"]) == (0, True), found
    return found


def copy_of(bundle: Path, folder: Path) -> Path:
    """Return a copy of the plugin without what ran in it before."""
    return Path(shutil.copytree(bundle, folder / NAME, ignore=shutil.ignore_patterns("__pycache__")))


def test_the_validator_has_nothing_to_say(client: Client, bundle: Path) -> None:
    assert validated(client, bundle) == []


def test_the_validator_has_nothing_to_say_about_the_marketplace(client: Client) -> None:
    done = client.run(
        "plugin", "validate", "--strict", "--json", str(ROOT / ".claude-plugin/marketplace.json")
    )
    report = done.json()
    assert (done.status, report["manifest"]["errors"], report["manifest"]["warnings"]) == (0, [], [])


def test_it_loads_whole_and_brings_exactly_what_it_says(
    client: Client, model: ScriptedModel, project: Path, bundle: Path
) -> None:
    plain = client.ask("hi", model, cwd=project).init
    loaded = client.ask("hi", model, cwd=project, plugin_dirs=[bundle]).init
    assert (loaded.plugins, loaded.plugin_errors) == ((NAME,), ())
    commands = {f"{NAME}:{path.stem}" for path in (bundle / "commands").glob("*.md")}
    agents = {f"{NAME}:{path.stem}" for path in (bundle / "agents").glob("*.md")}
    assert set(loaded.slash_commands) - set(plain.slash_commands) == commands
    assert set(loaded.agents) - set(plain.agents) == agents


@pytest.mark.soak
def test_continue_is_rendered_allowed_and_answers_from_a_real_state(play: Play, project: Path) -> None:
    write_state(project)
    model = play(CONTINUE, bash("ultra continue --json"))
    assert "# Continue where the last session stopped" in model.main.text
    assert "Run `ultra continue --short --json`" in model.main.text
    assert "{{" not in model.main.text.split("# Continue where")[1]
    (result,) = model.tool_results()
    assert not result.is_error
    answer = json.loads(result.text)
    assert (answer["found"], answer["project"], answer["status"], answer["command"]) == (
        True,
        RUN,
        "stopped",
        GO_ON,
    )


def test_the_command_allows_ultra_and_no_other_program_and_a_guide_is_one_call_away(
    play: Play, project: Path
) -> None:
    calls = (
        "touch made-by-model",
        "ultra doctor --json",
        "ultra continue --json",
        "ultra guide continue none",
    )
    model = play(CONTINUE, *map(bash, calls))
    refused, allowed, first, second = model.tool_results()
    assert (refused.is_error, (project / "made-by-model").exists()) == (True, False)
    checks = {check["name"]: check for check in json.loads(allowed.text)["checks"]}
    assert checks, allowed.text
    answer = json.loads(first.text)
    assert (answer["found"], "ultra guide continue none" in answer["next"]) == (False, True)
    assert second.text.startswith("# Nothing to continue")


def test_a_session_starts_with_one_line_about_an_unfinished_run(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    quiet, told = scripted(), scripted()
    client.ask("hi", quiet, cwd=project, plugin_dirs=[bundle])
    write_state(project)
    client.ask("hi", told, cwd=project, plugin_dirs=[bundle])
    assert RUN not in quiet.main.text
    assert RUN in told.main.text
    assert GO_ON in told.main.text


@pytest.mark.soak
def test_the_zip_loads_like_the_folder(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path, tmp_path: Path
) -> None:
    archive = zip_bundle(read_folder(bundle), tmp_path)
    write_state(project)
    model = scripted(bash("ultra continue --json"))
    session = client.ask(CONTINUE, model, cwd=project, plugin_dirs=[archive])
    assert (session.init.plugins, session.init.plugin_errors) == ((NAME,), ())
    assert json.loads(model.tool_results()[0].text)["command"] == GO_ON


@pytest.mark.soak
def test_a_read_only_plugin_in_a_folder_with_spaces(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path, tmp_path: Path
) -> None:
    copy = copy_of(bundle, tmp_path / "read only")
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
    write_state(project)
    model = scripted(bash("ultra continue --json"))
    client.ask(CONTINUE, model, cwd=project, plugin_dirs=[copy])
    assert json.loads(model.tool_results()[0].text)["found"] is True


@pytest.mark.soak
def test_the_marketplace_way_from_add_to_uninstall(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path, tmp_path: Path
) -> None:
    """Add, install, list, details, use, update after a version bump, uninstall: all by the client's own commands."""
    shop = tmp_path / "shop"
    copy_of(bundle, shop / "dist")
    shutil.copytree(ROOT / ".claude-plugin", shop / ".claude-plugin")

    def plugin(*words: str) -> str:
        done = client.run("plugin", *words)
        assert done.status == 0, done
        return done.stdout

    def listed() -> list[tuple[str, str]]:
        entries = client.run("plugin", "list", "--json").json()
        assert all(not entry.get("errors") for entry in entries), entries
        return [(entry["id"], entry["version"]) for entry in entries]

    plugin("marketplace", "add", str(shop))
    plugin("install", f"{NAME}@{SUITE}")
    assert listed() == [(f"{NAME}@{SUITE}", __version__)]
    assert PIPELINE["continue"] in plugin("details", NAME)
    write_state(project)
    model = scripted(bash("ultra continue --json"))
    client.ask(CONTINUE, model, cwd=project)
    assert json.loads(model.tool_results()[0].text)["found"] is True
    for path in (
        shop / ".claude-plugin/marketplace.json",
        shop / "dist" / NAME / ".claude-plugin/plugin.json",
    ):
        path.write_text(path.read_text().replace(f'"version": "{__version__}"', '"version": "99.0.0"'))
    plugin("marketplace", "update", SUITE)
    plugin("update", f"{NAME}@{SUITE}")
    assert listed() == [(f"{NAME}@{SUITE}", "99.0.0")]
    plugin("uninstall", f"{NAME}@{SUITE}")
    assert listed() == []
    plugin("marketplace", "remove", SUITE)


def test_our_token_bill_is_the_clients(client: Client, bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(
        bundle, client.home.config / "skills" / NAME, ignore=shutil.ignore_patterns("__pycache__")
    )
    details = client.run("plugin", "details", NAME).stdout
    items = bill(read_folder(bundle))
    assert f"Always-on: ~{tokens(always_on(items))} tok" in " ".join(details.split()), details


@pytest.mark.soak
def test_the_oldest_client_loads_it_too(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    oldest = Client(require_client(OLDEST), client.home)
    write_state(project)
    model = scripted(bash("ultra continue --json"))
    session = oldest.ask(CONTINUE, model, cwd=project, plugin_dirs=[bundle])
    assert (session.init.plugins, session.init.plugin_errors) == ((NAME,), ())
    assert json.loads(model.tool_results()[0].text)["command"] == GO_ON
    assert oldest.run("plugin", "validate", "--strict", str(bundle)).status == 0


QUESTION = Call(
    "AskUserQuestion",
    {
        "questions": [
            {
                "question": "Continue now?",
                "header": "Continue",
                "multiSelect": False,
                "options": [
                    {"label": "Run it", "description": GO_ON},
                    {"label": "Not now", "description": "Stop"},
                ],
            }
        ]
    },
)


def test_in_the_terminal_the_command_leads_to_a_question_and_on_consent_to_a_run(
    terminal: TerminalFactory, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    write_state(project)
    skill, words = GO_ON[1:].split(" ", 1)
    asks = (bash("ultra continue --json"), QUESTION)
    model = scripted(*asks, Say("As you like."), *asks, Call("Skill", {"skill": skill, "args": words}))
    screen = terminal(model, plugin_dirs=[bundle])
    screen.send(CONTINUE)
    screen.choose("2. Not now")
    screen.wait_for("As you like.")
    first, answered = model.tool_results()
    assert json.loads(first.text)["command"] == GO_ON
    assert "Not now" in answered.text
    assert f"Arguments: `{words}`" not in model.main.text
    screen.send(CONTINUE)
    screen.choose("1. Run it")
    model.wait_until(lambda played: played.finished)
    second, _, run = model.tool_results()[2:]
    answer = json.loads(second.text)
    assert (answer["skill"], answer["args"]) == (skill, words)
    assert not run.is_error, run.text
    assert f"Arguments: `{words}`" in model.main.text
