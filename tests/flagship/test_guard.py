"""The guard in the real client, main conversation and sub-agent: who is stopped, and who never notices it."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import Call, ScriptedModel, SubAgent, ToolResult
from tests.client.session import Client, Session
from tests.guard.scene import PLAN
from tests.guard.test_hook import REMOVE
from tests.kit.model import bash, write
from tests.kit.names import NAME, PROJECT, ROOT, SUITE
from tests.kit.quick import later

NESTED = "bash -c 'cd src && rm -rf old'"
HARMLESS = "echo one two && ls src"
AGENT = "look after the sources"
ALLOWED = ("--allowedTools", "Bash", "Write", "Edit", "Agent")
WRITES = f"ultra put plan --project {PROJECT}"


def agent(kind: str = "general-purpose") -> Call:
    given = {"description": "test", "prompt": AGENT, "subagent_type": kind, "run_in_background": False}
    return Call("Agent", given)


@pytest.fixture
def tree(project: Path) -> Path:
    """Return a repository with something to lose."""
    for name in ("src/a.txt", "src/old/b.txt", PLAN):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x\n")
    return project


def start_run(tree: Path) -> str:
    """Write the lock of a run and return the session that owns it."""
    session = str(uuid.uuid4())
    lock = {
        "root": str(tree),
        "plan": PLAN,
        "project": PROJECT,
        "progress": f"{PROJECT}/progress.json",
        "owner": {"session": session, "pid": 1, "started": "1", "host": "here"},
    }
    path = tree / ".git/ultra/run.json"
    path.parent.mkdir()
    path.write_text(json.dumps(lock))
    return session


def play(
    client: Client,
    model: ScriptedModel,
    tree: Path,
    bundle: Path | None,
    session: str = "",
    extra: Sequence[str] = (),
) -> Session:
    """Let the model play its script with every tool allowed, so that only the guard says no."""
    words = [*ALLOWED, *extra, *(["--session-id", session] if session else [])]
    return client.ask("go", model, cwd=tree, plugin_dirs=[bundle] if bundle else [], extra=words)


def assert_denied(result: ToolResult, rule: str, instead: str) -> None:
    assert result.is_error
    assert f"ultra guard, rule {rule}: " in result.text
    assert "Instead: " in result.text
    assert instead in result.text


def test_a_run_is_stopped_and_told_what_to_do_instead(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path
) -> None:
    session = start_run(tree)
    calls = [
        bash(REMOVE),
        bash(NESTED),
        bash("echo x > ../outside.txt"),
        write(tree / ".env", "A=1\n"),
        write(tree / PLAN, "A=1\n"),
        bash(HARMLESS),
        write(tree / "src/new.txt", "A=1\n"),
        agent(),
    ]
    model = scripted(*calls)
    play(client, model, tree, bundle, session)
    removed, nested, outside, env, plan, harmless, new, spawned = model.tool_results()
    for one in (removed, nested):
        assert_denied(one, "recursive_force_delete", "`rm -r`")
    assert_denied(outside, "outside_repository", "inside the repository")
    assert_denied(env, "env_file", "`.env.example`")
    assert_denied(plan, "run_file", "`ultra run abort`")
    assert (harmless.is_error, harmless.text.split()) == (False, ["one", "two", "a.txt", "old"])
    assert not new.is_error
    assert (tree / "src/new.txt").exists()
    assert_denied(spawned, "run_agent", "do the step here")
    assert (tree / "src/old/b.txt").exists()
    assert (tree / PLAN).read_text() == "x\n"
    assert not [path for path in (tree / ".env", tree.parent / "outside.txt") if path.exists()]


@pytest.mark.soak
def test_outside_a_run_it_is_as_if_we_were_not_there(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path
) -> None:
    calls = [
        bash(HARMLESS),
        bash("false"),
        bash(NESTED),
        bash("echo x > ../outside.txt"),
        write(tree / ".env", "A=1\n"),
    ]
    script = [*calls, bash(REMOVE)]
    results = []
    for plugin in (None, bundle):
        shutil.copytree(tree / "src", tree.parent / "kept", dirs_exist_ok=True)
        model = scripted(*script)
        play(client, model, tree, plugin)
        results.append([(one.is_error, one.text) for one in model.tool_results()])
        assert not (tree / "src").exists()
        assert (tree / ".env").exists()
        (tree / ".env").unlink()
        (tree.parent / "outside.txt").unlink()
        shutil.move(tree.parent / "kept", tree / "src")
    without, with_us = results
    assert len(with_us) == len(script)
    assert with_us == without


def test_the_run_of_another_session_stops_nobody(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path
) -> None:
    start_run(tree)
    model = scripted(bash(REMOVE))
    play(client, model, tree, bundle)
    assert not model.tool_results()[0].is_error
    assert not (tree / "src").exists()


def test_a_sub_agent_of_the_plugin_cannot_write_artifacts(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path, tmp_path: Path
) -> None:
    copy = Path(
        shutil.copytree(bundle, tmp_path / "own" / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    )
    (copy / "agents").mkdir(exist_ok=True)
    (copy / "agents/reader.md").write_text("---\nname: reader\ndescription: Reads\ntools: Bash\n---\nRead.\n")
    model = scripted(
        agent(f"{NAME}:reader"), agents=[SubAgent(AGENT, bash(WRITES), bash("ultra guide continue none"))]
    )
    play(client, model, tree, copy)
    writes, reads = model.agent(AGENT).tool_results()
    assert_denied(writes, "agent_writes", "into your answer")
    assert (reads.is_error, reads.text.startswith("# Nothing to continue")) == (False, True)


@pytest.mark.soak
def test_always_as_an_option_of_the_installed_plugin(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    shutil.copytree(bundle, shop / "dist" / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / ".claude-plugin", shop / ".claude-plugin")
    for words in (
        ["marketplace", "add", str(shop)],
        ["install", f"{NAME}@{SUITE}", "--config", "guard=always"],
    ):
        done = client.run("plugin", *words)
        assert done.status == 0, done
    model = scripted(bash(REMOVE), bash(NESTED), write(tree / ".env", "A=1\n"), bash(HARMLESS))
    play(client, model, tree, None)
    removed, nested, env, harmless = model.tool_results()
    for one in (removed, nested):
        assert_denied(one, "recursive_force_delete", "`rm -r`")
    assert_denied(env, "env_file", "`.env.example`")
    assert not harmless.is_error
    assert (tree / "src/old/b.txt").exists()


@pytest.mark.parametrize("place", ["inline", later("skills-dir")])
def test_always_as_a_setting_for_every_other_way_to_load_it(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path, place: str
) -> None:
    option = {"pluginConfigs": {f"{NAME}@{place}": {"options": {"guard": "always"}}}}
    (client.home.config / "settings.json").write_text(json.dumps(option))
    if place == "skills-dir":
        target = client.home.config / "skills" / NAME
        shutil.copytree(bundle, target, ignore=shutil.ignore_patterns("__pycache__"))
    model = scripted(bash(REMOVE), bash(HARMLESS))
    play(client, model, tree, bundle if place == "inline" else None)
    removed, harmless = model.tool_results()
    assert_denied(removed, "recursive_force_delete", "`rm -r`")
    assert not harmless.is_error


BROKEN = {
    # what is done to it: (a call in a run goes ahead, a call outside does)
    "module": (False, True),
    "syntax": (True, True),
    "missing": (False, False),
}


SAID = {
    "module": "a module of the guard does not load",
    "syntax": "the hook file itself is not valid Python",
    "missing": "the hook file does not exist",
}


@pytest.mark.parametrize("fault", ["module", later("syntax"), later("missing")])
def test_what_a_broken_hook_does_is_what_we_say(
    client: Client, scripted: ModelFactory, tree: Path, bundle: Path, tmp_path: Path, fault: str
) -> None:
    copy = Path(
        shutil.copytree(bundle, tmp_path / "own" / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    )
    hook = copy / "runtime/ultra_runtime/hooks/guard.py"
    if fault == "module":
        (copy / "runtime/ultra_runtime/guard/site.py").write_text("def broken(\n")
    elif fault == "syntax":
        hook.write_text("def broken(\n")
    else:
        hook.unlink()
    went = []
    session = start_run(tree)
    for name in (session, ""):
        model = scripted(bash("echo went ahead"))
        play(client, model, tree, copy, name)
        (result,) = model.tool_results()
        went.append(not result.is_error and result.text == "went ahead")
        (tree / ".git/ultra/run.json").unlink(missing_ok=True)
    assert tuple(went) == BROKEN[fault]
    page = (bundle / "docs/GUARD.md").read_text()
    assert f"| {SAID[fault]} |" in page
