"""In the real client: a command that may run nothing but ultra puts a brief under .claude/ without a question."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import Call
from tests.client.session import Client
from tests.door.samples import BRIEF, answer, plan, step
from tests.kit.files import write_tree
from tests.kit.model import bash, given
from tests.kit.names import NAME, PROJECT
from tests.kit.repository import make_repository

COMMAND = """---
description: Write a brief
allowed-tools: Bash(ultra:*)
---
Write the brief for $ARGUMENTS.
"""
TYPED = f"/{NAME}:write-brief the rate limit"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a git repository without a project."""
    return make_repository(tmp_path / "work")


@pytest.fixture
def plugin(bundle: Path, tmp_path: Path) -> Path:
    """Return the flagship with one command more, which may run nothing but ultra."""
    copy = shutil.copytree(bundle, tmp_path / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    return write_tree(copy, {"commands/write-brief.md": COMMAND})


def test_a_good_brief_lands_and_a_bad_one_is_refused_with_its_codes(
    client: Client, scripted: ModelFactory, project: Path, plugin: Path
) -> None:
    put = f"ultra put brief --project {PROJECT} --draft --json"
    bad = BRIEF.replace("brief_version: 2.0", "brief_version: 2.0\nsource: hearsay")
    model = scripted(
        bash("ultra project new rate-limit --date 2026-01-31 --json"),
        given(put, bad),
        bash(f"ls {PROJECT}"),
        given(put, BRIEF),
    )
    session = client.ask(TYPED, model, cwd=project, plugin_dirs=[plugin])
    assert (session.init.plugin_errors, model.finished) == ((), True)
    made, refused, listed, landed = model.tool_results()
    assert json.loads(made.text)["path"] == PROJECT
    said = json.loads(
        refused.text.partition("\n")[2] if refused.text.startswith("Exit code") else refused.text
    )
    assert {one["code"] for one in said["errors"]} >= {"BRIEF_BAD_VALUE"}
    assert (said["ok"], "draft" in listed.text) == (False, False)
    assert (json.loads(landed.text)["ok"], landed.is_error) == (True, False)
    assert (project / PROJECT / "brief.md.draft").read_text() == BRIEF
    assert not (project / PROJECT / "brief.md").exists()


@pytest.mark.soak
def test_the_whole_loop_from_draft_to_brief(
    client: Client, scripted: ModelFactory, project: Path, plugin: Path
) -> None:
    put = f"ultra put brief --project {PROJECT} --draft"
    gate = f"ultra gate brief --project {PROJECT} --json"
    model = scripted(
        bash("ultra project new rate-limit --date 2026-01-31"),
        given(put, BRIEF),
        given(gate, answer({"testability": 2}, "REVISE")),
        given(f"{put} --section 'Success Criteria'", "- p95 is below 200 ms, measured by `make bench`.\n"),
        given(gate, answer()),
        bash(f"ultra brief status {PROJECT} in_progress --json"),
    )
    client.ask(TYPED, model, cwd=project, plugin_dirs=[plugin])
    results = model.tool_results()
    assert [result.is_error for result in results] == [False] * 6, results
    assert [json.loads(results[at].text)["passed"] for at in (2, 4)] == [False, True]
    text = (project / PROJECT / "brief.md").read_text()
    assert "p95 is below 200 ms" in text
    assert "research_status: in_progress   # nobody has begun" in text
    assert not (project / PROJECT / "brief.md.draft").exists()


def test_there_is_no_other_way_in(
    client: Client, scripted: ModelFactory, project: Path, plugin: Path
) -> None:
    """The client refuses to write there itself, whatever the rule: that is why the door exists."""
    target = f"{PROJECT}/brief.md"
    write = Call("Write", {"file_path": str(project / target), "content": BRIEF})
    model = scripted(
        bash("ultra project new rate-limit --date 2026-01-31"), write, bash(f"echo x > {target}")
    )
    client.ask(TYPED, model, cwd=project, plugin_dirs=[plugin])
    _, by_tool, by_shell = model.tool_results()
    assert (by_tool.is_error, by_shell.is_error) == (True, True)
    assert not (project / target).exists()


def test_odd_text_survives_the_client(
    client: Client, scripted: ModelFactory, project: Path, plugin: Path
) -> None:
    odd = "\"double\" 'single' it's `id` $(id) ${HOME} $X \\\\x \\n !x a; b && c > d 漢字 🎉\nEOF\n"
    text = BRIEF.replace("Ask for a plan.", odd)
    put = f"ultra put brief --project {PROJECT} --draft --json"
    model = scripted(bash("ultra project new rate-limit --date 2026-01-31"), given(put, text))
    client.ask(TYPED, model, cwd=project, plugin_dirs=[plugin])
    assert json.loads(model.tool_results()[1].text)["ok"] is True
    assert (project / PROJECT / "brief.md.draft").read_text() == text


def test_what_the_client_does_not_pass_comes_from_a_file(
    client: Client, scripted: ModelFactory, project: Path, plugin: Path
) -> None:
    """A call of more than 10,000 characters, or with JSON in it, needs an answer that nobody gives headless."""
    text = BRIEF.replace("Ask for a plan.", '{"a": "b"}\n' + "A line of a long brief.\n" * 9_000)
    assert len(text) > 200_000
    command = COMMAND.replace("Bash(ultra:*)", "Bash(ultra:*), Edit(.scratch/**)")
    write_tree(plugin, {"commands/write-brief.md": command})
    put = f"ultra put brief --project {PROJECT} --draft --json"
    model = scripted(
        bash("ultra project new rate-limit --date 2026-01-31"),
        given(put, text),
        Call("Write", {"file_path": str(project / ".scratch/brief.md"), "content": text}),
        bash(f"{put} --from .scratch/brief.md"),
    )
    client.ask(TYPED, model, cwd=project, plugin_dirs=[plugin])
    _, refused, written, landed = model.tool_results()
    assert (refused.is_error, written.is_error, landed.is_error) == (True, False, False)
    assert (project / PROJECT / "brief.md.draft").read_text() == text


@pytest.mark.soak
def test_a_long_plan_is_put_step_by_step(
    client: Client, scripted: ModelFactory, project: Path, plugin: Path
) -> None:
    steps = [step(number).replace("Count the requests.", "Count them. " * 500) for number in range(1, 5)]
    first = plan(1).replace(step(1), steps[0])
    whole = "\n".join(steps)
    put = f"ultra put plan --project {PROJECT} --draft --json"
    model = scripted(
        bash("ultra project new rate-limit --date 2026-01-31"),
        given(put, first),
        *[given(f"{put} --step {number}", text) for number, text in enumerate(steps[1:], 2)],
    )
    client.ask(TYPED, model, cwd=project, plugin_dirs=[plugin])
    assert [result.is_error for result in model.tool_results()] == [False] * 5
    assert len(whole) > 20_000
    assert (project / PROJECT / "plan.md.draft").read_text() == first.replace(steps[0], whole)
