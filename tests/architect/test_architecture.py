"""Notes about structure: claims that must hold, a diagram that follows its table, and drift that is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import Say, SubAgent, Together
from tests.client.session import Client
from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.model import answered, bash, fenced, given, spawn
from tests.kit.names import LAUNCHER, PROJECT, SOURCES
from tests.kit.repository import git

NAME = "ultra-cc-architect"
FIXTURES = SOURCES / "contracts/fixtures"
APP = 'import http.server\n\n\ndef handle(request):\n    """Answer a request."""\n    return 200\n'
CLAIM = '- Requests enter in one function: `src/app.py:4` "def handle(request)".\n'
NOTES = f"{PROJECT}/architecture/overview.md"
# The brief, and the file that the fixtures of an overview quote.
GIVEN = {
    "brief.md": (FIXTURES / "brief/valid.md").read_text(),
    "request.md": (FIXTURES / "overview/project/request.md").read_text(),
}


def overview(claim: str = CLAIM) -> str:
    """Return an overview without a diagram, with one more claim."""
    text = (FIXTURES / "overview/valid.md").read_text()
    head, _, rest = text.partition("```mermaid\n")
    return head.replace("## Forces", f"{claim}\n## Forces") + rest.partition("```\n")[2].lstrip("\n")


@pytest.fixture
def architect(bundle: Path, repo: Path, python: Path) -> Ultra:
    """Return the launcher of the plugin in a repository with a program and a project that has a brief."""
    write_tree(repo, {"src/app.py": APP, **{f"{PROJECT}/{name}": text for name, text in GIVEN.items()}})
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Answer requests")
    return Ultra(bundle.parent / NAME, repo, python, "architect")


def put(architect: Ultra, text: str, *more: str) -> dict[str, Any]:
    """Put the overview and return the answer."""
    return architect("put", "overview", "--project", PROJECT, *more, given=text).data


def test_put_fills_in_the_commit_and_the_diagram(architect: Ultra) -> None:
    answer = put(architect, overview())
    assert (answer["ok"], "the one stage of this plugin is done" in answer["next"]) == (True, True)
    written = (architect.folder / NOTES).read_text()
    assert f"commit: {git(architect.folder, 'rev-parse', 'HEAD').strip()}\n" in written
    assert written.count("```mermaid\n") == 1
    assert '    c1["Limiter"]\n    c2["Store"]\n    c1 --> c2\n```\n\n## Interfaces' in written


def test_a_changed_table_changes_the_diagram(architect: Ultra) -> None:
    put(architect, overview())
    table = (
        '| Component | Files | Does | Uses |\n|---|---|---|---|\n| All "of" <it> | `src/` | serves | - |\n'
    )
    assert put(architect, table, "--section", "Structure")["ok"] is True
    written = (architect.folder / NOTES).read_text()
    assert written.count("```mermaid\n") == 1
    assert '    c1["All &quot;of&quot; &lt;it&gt;"]\n```' in written


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (
            '- It is slow: `src/app.py:4` "def serve(request)".\n',
            "src/app.py:4 does not say def serve(request)",
        ),
        ('- It is slow: `src/app.py:7` "return".\n', "src/app.py:7 has only 6 lines"),
        ('- It is slow: `src/app.py` "return".\n', "src/app.py is a file of the repository and needs a line"),
        ("- It is slow: `src/app.py:4`.\n", "src/app.py:4 is named without words quoted from it"),
        ('- It is slow: `src/gone.py:1` "x".\n', "there is no file src/gone.py"),
        ('- It is slow: `../outside.py:1` "x".\n', "there is no file ../outside.py"),
        ("- It is slow.\n", "names no source"),
        ("It is slow, and nobody knows why.\n", "names no source"),
    ],
)
def test_a_claim_that_does_not_hold_is_refused_with_its_line(architect: Ultra, claim: str, said: str) -> None:
    answer = put(architect, overview(claim))
    (error,) = answer["errors"]
    assert answer["ok"] is False
    assert said in error["message"]
    assert overview(claim).splitlines()[error["line"] - 1] == claim.strip()
    assert not (architect.folder / NOTES).exists()


def test_words_that_run_over_two_lines_of_a_range_are_found(architect: Ultra) -> None:
    write_tree(architect.folder, {"src/app.py": APP.replace('"', "'")})
    claim = "- One answer: `src/app.py:{}` \u201ca request.''' return 200\u201d.\n"
    assert put(architect, overview(claim.format("5-6")))["ok"] is True
    assert put(architect, overview(claim.format("4-5")))["warnings"][0]["code"] == "OVERVIEW_SOURCE_MOVED"


def test_a_file_of_an_option_needs_a_component(architect: Ultra) -> None:
    text = overview().replace(
        "- Files: `src/limit.py` (new)\n", "- Files: `src/limit.py` (new), `src/app.py`\n", 1
    )
    (error,) = put(architect, text)["errors"]
    assert error["code"] == "OVERVIEW_UNCOVERED"
    assert "Option 1 touches src/app.py" in error["message"]


def test_a_gap_needs_an_owner(architect: Ultra) -> None:
    text = (FIXTURES / "gaps/GAPS_INCOMPLETE.md").read_text()
    answer = architect("put", "gaps", "--project", PROJECT, given=text).data
    assert [error["code"] for error in answer["errors"]] == ["GAPS_INCOMPLETE"]
    assert "Owner is missing" in answer["errors"][0]["message"]


def test_drift_is_named_three_commits_later(architect: Ultra) -> None:
    put(architect, overview())
    fresh = architect.say("architecture", "check", PROJECT)
    assert (fresh.status, fresh.out) == (0, f"{NOTES}: holds, 5 claims, 0 commits after it was written\n")
    for number, text in enumerate(("\n" + APP, APP, APP.replace("handle", "serve"))):
        write_tree(architect.folder, {"src/app.py": text, "count.txt": str(number)})
        git(architect.folder, "add", "src", "count.txt")
        git(architect.folder, "commit", "--quiet", "--message", f"Change {number}")
        if number == 0:
            moved = architect("architecture", "check", PROJECT).data
            assert (moved["ok"], moved["commits_since"], moved["gone"]) == (True, 1, [])
            assert "is now on line 5 of src/app.py" in moved["moved"][0]["message"]
    told = architect("architecture", "check", PROJECT)
    assert (told.status, told.data["ok"], told.data["commits_since"]) == (1, False, 3)
    (gone,) = told.data["gone"]
    assert "src/app.py:4 does not say def handle(request)" in gone["message"]


def test_a_project_without_notes_is_told(architect: Ultra) -> None:
    told = architect("architecture", "check", PROJECT)
    assert (told.status, told.data["gone"][0]["code"]) == (1, "OVERVIEW_NOT_FOUND")


# --- in the real client ---------------------------------------------------------------------------------------

FACTS = fenced({"facts": [{"claim": "one function", "at": "src/app.py:4"}], "advice": [], "open": []})
AGREES = fenced({"verdict": "agree", "option": "In a database", "objections": []})
READERS = {
    "structure-reader": "Read the structure",
    "constraints-reader": "Read the constraints",
    "features-reader": "Match parts to Claude Code features",
}


def test_readers_sceptic_a_false_claim_refused_and_the_plan_finds_the_note(
    client: Client, scripted: ModelFactory, architect: Ultra, bundle: Path
) -> None:
    call = f"architect put overview --project {PROJECT} --json"
    model = scripted(
        bash(f"architect status --project {PROJECT} --json"),
        Together(*(spawn(name, "Where to count?", NAME) for name in READERS)),
        spawn("sceptic", "Option 1 or 2?", NAME),
        bash("architect guide architect write"),
        given(call, overview(CLAIM.replace("handle", "serve"))),
        given(call, overview()),
        bash(f"architect architecture check {PROJECT} --json"),
        bash(f"{LAUNCHER} plan begin --project {PROJECT} --json"),
        agents=[
            *(SubAgent(title, Say(FACTS)) for title in READERS.values()),
            SubAgent("Doubt a decision", Say("I agree."), Say(AGREES)),
        ],
    )
    typed = f"/{NAME}:ultra-cc-architect-local --project {PROJECT}"
    session = client.ask(
        typed, model, cwd=architect.folder.resolve(), plugin_dirs=[architect.bundle, bundle],
        extra=["--allowedTools", f"Bash({LAUNCHER}:*)"], timeout=120,
    )  # fmt: skip
    assert (session.init.plugin_errors, model.finished) == ((), True)
    results = model.tool_results()
    assert not [result for result in results if result.call.name == "Agent" and result.is_error]
    refused, written, check, begun = (answered(result) for result in results[-4:])
    assert refused["errors"][0]["code"] == "OVERVIEW_SOURCE_GONE"
    assert "does not say def serve(request)" in refused["errors"][0]["message"]
    assert (written["ok"], check["ok"], check["claims"]) == (True, True, 5)
    assert begun["architecture"]["overview"] == NOTES
    assert "Your answer does not have the required form" in model.agent("Doubt a decision").text


def test_without_the_other_plugin_the_note_is_made_all_the_same(
    client: Client, scripted: ModelFactory, architect: Ultra
) -> None:
    model = scripted(
        given(f"architect put overview --project {PROJECT} --json", overview()),
        bash(f"architect status --project {PROJECT} --json"),
    )
    session = client.ask(
        f"/{NAME}:ultra-cc-architect-local --project {PROJECT} --quick", model,
        cwd=architect.folder.resolve(), plugin_dirs=[architect.bundle],
    )  # fmt: skip
    assert (session.init.plugin_errors, model.finished) == ((), True)
    put_answer, status = (answered(result) for result in model.tool_results())
    assert (put_answer["ok"], status["ok"]) == (True, True)


@pytest.mark.soak
def test_a_gap_without_an_owner_and_drift_three_commits_later_in_the_client(
    client: Client, scripted: ModelFactory, architect: Ultra, bundle: Path
) -> None:
    gaps = (FIXTURES / "gaps/GAPS_INCOMPLETE.md").read_text()
    call = f"architect put gaps --project {PROJECT} --json"
    first = scripted(
        given(f"architect put overview --project {PROJECT} --json", overview()),
        given(call, gaps),
        given(call, gaps.rstrip("\n") + "\n- Owner: the operator of the service\n"),
        bash(f"architect architecture check {PROJECT} --json"),
    )
    typed = f"/{NAME}:ultra-cc-architect-local --project {PROJECT}"
    folder = architect.folder.resolve()
    client.ask(typed, first, cwd=folder, plugin_dirs=[architect.bundle])
    _, refused, put_answer, held = (answered(result) for result in first.tool_results())
    assert [error["code"] for error in refused["errors"]] == ["GAPS_INCOMPLETE"]
    assert (put_answer["ok"], held["ok"]) == (True, True)
    for number in range(3):
        text = APP.replace("handle", "serve") if number == 2 else APP
        write_tree(folder, {"src/app.py": text, "count.txt": str(number)})
        git(folder, "add", "src", "count.txt")
        git(folder, "commit", "--quiet", "--message", f"Change {number}")
    second = scripted(
        bash(f"architect architecture check {PROJECT} --json"),
        bash(f"{LAUNCHER} plan begin --project {PROJECT} --json"),
    )
    client.ask(
        typed, second, cwd=folder, plugin_dirs=[architect.bundle, bundle],
        extra=["--allowedTools", f"Bash({LAUNCHER}:*)"],
    )  # fmt: skip
    drifted, begun = (answered(result) for result in second.tool_results())
    assert (drifted["ok"], drifted["commits_since"]) == (False, 3)
    assert "src/app.py:4 does not say def handle(request)" in drifted["gone"][0]["message"]
    assert begun["architecture"] == {"overview": NOTES, "gaps": NOTES.replace("overview", "gaps")}
