"""Rendering: a source tree becomes bundles in memory, and nothing else happens."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.generator.sample import COMMAND, PLUGIN, write_sample
from tests.kit.names import COMMANDS, PIPELINE
from ultra_plugin.config import load
from ultra_plugin.errors import ProblemsFound, UltraError
from ultra_plugin.model import Budget, Bundle
from ultra_plugin.prompt import finish
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree, is_source

BRIEF = "plugins/acme-plan/commands/brief.md.j2"


def rendered(tmp_path: Path, changes: dict[str, str | bytes | None] | None = None) -> Bundle:
    tree = SourceTree(write_sample(tmp_path, changes))
    return render(tree, load(tree))[0]


def fault(tmp_path: Path, changes: dict[str, str | bytes | None]) -> str:
    with pytest.raises(UltraError) as caught:
        rendered(tmp_path, changes)
    return str(caught.value).replace(f"{tmp_path}/plugin_src/", "")


def test_every_file_has_its_place_and_its_sources(tmp_path: Path) -> None:
    bundle = rendered(tmp_path)
    folder = "plugins/acme-plan"
    assert {path: file.sources for path, file in bundle.files.items()} == {
        ".claude-plugin/icon.png": (f"{folder}/icon/icon.png",),
        ".claude-plugin/plugin.json": (f"{folder}/plugin.yaml", "suite.yaml"),
        "LICENSE": ("LICENSE",),
        "README.md": (f"{folder}/README.md.j2",),
        "agents/critic.md": (f"{folder}/agents/critic.md.j2",),
        "bundle.json": ("suite.yaml",),
        "commands/acmebrief.md": (f"{folder}/commands/brief.md.j2", "fragments/rules.md.j2"),
        "commands/acmereview.md": (f"{folder}/commands/review.md.j2",),
        "docs/commands/acmebrief.md": (f"{folder}/docs/commands/brief.md.j2",),
        "docs/commands/acmereview.md": (f"{folder}/docs/commands/review.md.j2",),
    }


def test_names_are_spelled_as_the_client_wants_them(tmp_path: Path) -> None:
    text = rendered(tmp_path).files["commands/acmebrief.md"].text
    assert "Ask acme-plan:critic, then go on with /acme-plan:acmereview." in text
    assert "Rule: `open`, `shut` are the states." in text


def test_renaming_a_command_renames_every_mention(tmp_path: Path) -> None:
    bundle = rendered(tmp_path, {"plugins/acme-plan/plugin.yaml": PLUGIN.replace("acmereview", "look-again")})
    assert "commands/look-again.md" in bundle.files
    assert "/acme-plan:look-again" in bundle.files["commands/acmebrief.md"].text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("agent('critic')", "agent('critc')", f"{BRIEF}:10: render: unknown agent 'critc' (did you mean 'critic'?)"),
        ("command('review')", "command('x')", f"{BRIEF}:10: render: unknown command 'x' (known: brief, review)"),
        ("command('review')", "verb('go')", f"{BRIEF}:10: render: unknown verb 'go' (none exists yet)"),
        ("command('review')", "contract.work_order.value('state', 'o')", "'o' is not a value of state"),
        ("command('review')", "plugin.nme", "has no attribute 'nme'"),
    ],
)  # fmt: skip
def test_an_unknown_name_fails_with_template_and_line(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert expected in fault(tmp_path, {BRIEF: COMMAND.replace(old, new)})


def test_every_fault_of_one_template_is_told(tmp_path: Path) -> None:
    """What is blank because of one fault is no fault of its own, and what was defined is none at all."""
    text = """---
description: x
---
{{ comand('review') }} and {{ plugin.nme.more }}
{% for one in contract.work_ordr.moves() %}{{ one }}{% endfor %}
{% if nope is defined %}{{ nope }}{% endif %}
{{ command(nobody) }} {{ contract.work_order.value('state', 'opn') }}
{% macro twice(word) %}{{ word }}{{ agent(word) }}{% endmacro %}
{{ twice('critc') }} {{ command('brief') }} {{ command() }}
"""
    tree = SourceTree(write_sample(tmp_path, {BRIEF: text}))
    with pytest.raises(ProblemsFound) as caught:
        render(tree, load(tree))
    assert [(one.line, one.code, one.message, one.remedy) for one in caught.value.problems][:6] == [
        (4, "undefined", "'comand' is undefined", "did you mean 'command'?"),
        (
            4,
            "undefined",
            "'ultra_plugin.model.PluginSettings object' has no attribute 'nme'",
            "did you mean 'name'?",
        ),
        (5, "undefined", "'dict object' has no attribute 'work_ordr'", "did you mean 'work_order'?"),
        (7, "render", "'opn' is not a value of state of the contract work-order", "did you mean 'open'?"),
        (7, "undefined", "'nobody' is undefined", caught.value.problems[4].remedy),
        (8, "render", "unknown agent 'critc'", "did you mean 'critic'?"),
    ]
    assert [(one.line, one.code) for one in caught.value.problems][6:] == [(9, "render")]


def test_a_missing_licence_is_told_with_everything_else(tmp_path: Path) -> None:
    tree = SourceTree(write_sample(tmp_path, {"LICENSE": None, BRIEF: COMMAND + "{{ nope }}\n"}))
    with pytest.raises(ProblemsFound) as caught:
        render(tree, load(tree))
    assert [problem.code for problem in caught.value.problems] == ["undefined", "license-missing"]


def test_all_templates_with_faults_are_told(tmp_path: Path) -> None:
    broken = "---\ndescription: x\n---\n{{ nope }}\n"
    tree = SourceTree(write_sample(tmp_path, {BRIEF: broken, BRIEF.replace("brief", "review"): broken}))
    with pytest.raises(ProblemsFound) as caught:
        render(tree, load(tree))
    assert [problem.line for problem in caught.value.problems] == [4, 4]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"plugins/acme-plan/commands/review.md": "x"}, "two-sources: 'commands/acmereview.md' is already built from"),
        (
            {"plugins/acme-plan/plugin.yaml": PLUGIN.replace("acmereview", "acmebrief")},
            "2 commands are called 'acmebrief'",
        ),
        ({"plugins/acme-plan/plugin.yaml": PLUGIN.replace("acmereview", "../up")}, "'../up' cannot be a name"),
        ({"plugins/acme-plan/plugin.yaml": None}, "plugins/acme-plan: no-manifest: has no plugin.yaml"),
        ({"plugins/acme-plan/plugin.yaml": PLUGIN.replace("name: acme-plan", "name: other")}, "is in a folder called"),
        ({"LICENSE": None}, "suite.yaml:4: license-missing: the text of the licence is missing (add "),
    ],
)  # fmt: skip
def test_sources_that_cannot_be_laid_out(
    tmp_path: Path, changes: dict[str, str | bytes | None], expected: str
) -> None:
    assert expected in fault(tmp_path, changes)


def test_bundle_json_lists_every_file_with_its_digest(tmp_path: Path) -> None:
    bundle = rendered(tmp_path)
    listing = json.loads(bundle.files["bundle.json"].content)
    assert set(listing["files"]) == set(bundle.files) - {"bundle.json"}
    for path, entry in listing["files"].items():
        file = bundle.files[path]
        assert entry["sha256"] == hashlib.sha256(file.content).hexdigest()
        assert entry["size"] == len(file.content)
        assert entry["sources"] == list(file.sources)


def test_the_source_digest_follows_every_source_and_nothing_else(tmp_path: Path) -> None:
    def digest(name: str, changes: dict[str, str | bytes | None]) -> str:
        return str(
            json.loads(rendered(tmp_path / name, changes).files["bundle.json"].content)["source_digest"]
        )

    same = digest("a", {"fragments/.rules.md.j2.swp": "junk", "commands~": "junk"})
    assert same == digest("b", {})
    assert same != digest("c", {"fragments/rules.md.j2": "Other rule.\n"})


def test_rendering_writes_nothing(tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    root = write_sample(tmp_path)
    written = sorted(tmp_path.rglob("*"))
    tree = SourceTree(root)
    render(tree, load(tree))
    assert sorted(tmp_path.rglob("*")) == written != before


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("commands/brief.md.j2", True),
        ("runtime/bin/launcher", True),
        ("LICENSE", True),
        ("icon/icon.png", True),
        ("commands/brief.md.j2~", False),
        ("commands/.brief.md.j2.swp", False),
        ("commands/#brief.md.j2#", False),
        ("commands/.DS_Store", False),
        ("runtime/ultra_runtime/__pycache__/x.py", False),
        ("runtime/ultra_runtime/x.pyc", False),
        ("commands/Thumbs.db", False),
        ("commands/.git/x.md", False),
    ],
)
def test_the_allow_list(path: str, counts: bool) -> None:
    assert is_source(path) is counts


def test_a_budget_is_for_us_and_never_reaches_the_client() -> None:
    prompt = finish("x.md.j2", "---\ndescription: d\nbudget:\n  on_invoke: 5\nmodel: opus\n---\nbody\n")
    assert prompt.text == "---\ndescription: d\nmodel: opus\n---\nbody\n"
    assert prompt.budget == Budget(on_invoke=5)
    assert [prompt.lines[n] for n in (0, 1, 2, 4)] == [0, 1, 4, 6]


def test_a_fault_in_a_budget_has_its_line() -> None:
    with pytest.raises(ProblemsFound) as caught:
        finish("x.md.j2", "---\ndescription: d\nbudget: {on_invok: 5}\n---\nbody\n")
    assert [(problem.line, problem.code) for problem in caught.value.problems] == [(3, "unknown-key")]


def test_blank_runs_go_but_code_stays_as_it_is() -> None:
    text = "a  \n\n\n\nb\n```\nx  \n\n\n\ny\n```\n\n\n"
    assert finish("x.md", text).text == "a\n\nb\n```\nx  \n\n\n\ny\n```\n"


def test_prose_is_filled_and_what_is_copied_line_by_line_is_not(tmp_path: Path) -> None:
    text = "# Title\n\nOne {{ plugin.title }}\nand more.\n"
    folder = "plugins/acme-plan"
    places = ("docs/PAGE.md", "guides/brief.md", "templates/brief.md", "docs/examples/one/brief.md")
    changes: dict[str, str | bytes | None] = {f"{folder}/{place}.j2": text for place in places}
    files = rendered(tmp_path, {**changes, f"{folder}/plugin.yaml": f"{PLUGIN}fill: true\n"}).files
    assert [files[place].text.count("\n") for place in places] == [3, 3, 4, 4]
    assert files["docs/PAGE.md"].text == "# Title\n\nOne Acme Plan and more.\n"


def test_the_overview_names_what_the_prompts_call(bundle: Path) -> None:
    page = (bundle / "docs/PIPELINE.md").read_text()
    lines = {
        line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith(("| `", "| ["))
    }
    assert "`session-spec`" in lines[f"[`{COMMANDS['plan']}`](commands/{PIPELINE['plan']}.md)"]
    plan = page.split(f"\n- `{PIPELINE['plan']}` calls")[1].split("\n- ")[0]
    assert all(f"`{word}`" in plan for word in ("gate plan", "plan begin", "plan-critic"))
    assert "gate brief" not in plan
    for path in (bundle / "agents").glob("*.md"):
        assert f"`{path.stem}`" in lines
    used = {
        re.split(r" *\| *", line)[-2] for line in page.split("\n## Agents\n")[1].splitlines() if "| `" in line
    }
    assert used == set(re.findall(r"^- (`[a-z-]+`): ", page, re.MULTILINE)), (
        "what each agent ends in is explained"
    )
    assert max(map(len, page.splitlines())) < 160
    assert max(map(len, (bundle / "README.md").read_text().splitlines())) < 160
