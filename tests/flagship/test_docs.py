"""The pages for people: what they say is what the prompts, the runtime and the files say, and every link leads there."""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from tests.kit.imports import module_name
from tests.kit.names import EXAMPLE, LAUNCHER, NAME, PIPELINE, PROJECT, ROOT
from ultra_plugin.bill import bill, tokens
from ultra_plugin.folder import read_folder
from ultra_plugin.views import heading_anchor

READER = MarkdownIt("commonmark").enable("table")
RUNTIME = ROOT / "plugin_src/runtime/ultra_runtime"
STATE = ROOT / "plugin_src/contracts/fixtures/session-state/valid.json"
PROGRESS = ROOT / "plugin_src/contracts/fixtures/progress/valid.json"

command = pytest.mark.parametrize(("stage", "name"), PIPELINE.items())


def page(bundle: Path, name: str) -> str:
    return (bundle / "docs/commands" / f"{name}.md").read_text()


def section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def indented_usage(prompt: str) -> str:
    """Return what the prompt makes the model print, however the page got at it."""
    lines = prompt.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("    Usage: "))
    end = next(number for number, line in enumerate(lines[start:], start) if not line.startswith("    "))
    return "\n".join(line[4:] for line in lines[start:end])


def test_every_command_has_its_page_and_no_page_is_left_over(bundle: Path) -> None:
    pages = {path.stem for path in (bundle / "docs/commands").iterdir()}
    assert pages == {path.stem for path in (bundle / "commands").iterdir()} == set(PIPELINE.values())


@command
def test_the_usage_is_the_one_that_the_prompt_prints(bundle: Path, stage: str, name: str) -> None:
    prompt = (bundle / "commands" / f"{name}.md").read_text()
    guide = bundle / "guides" / stage / "usage.md"
    assert ("    Usage: " in prompt) != guide.exists()
    assert not guide.exists() or f"ultra guide {stage} usage" in prompt
    usage = indented_usage(f"{guide.read_text()}\n" if guide.exists() else prompt)
    assert usage.startswith(f"Usage: /{NAME}:{name}")
    assert f"```text\n{usage}\n```" in section(page(bundle, name), "Usage")


@command
def test_phases_agents_and_costs_are_those_of_the_prompts(bundle: Path, stage: str, name: str) -> None:
    text = page(bundle, name)
    prompt = (bundle / "commands" / f"{name}.md").read_text()
    phases = re.findall(r"^\d+\. (.+)$", section(text, "What happens, in order"), re.MULTILINE)
    assert phases == re.findall(r"^## \d+\. (.+)$", prompt, re.MULTILINE)
    guides = sorted((bundle / "guides" / stage).glob("*.md"))
    assert all(f"`ultra guide {stage} {path.stem}`" in text for path in guides)
    everything = "\n".join([prompt, *(path.read_text() for path in guides)])
    agents = {path.stem for path in (bundle / "agents").iterdir()}
    started = set(re.findall(rf"`{NAME}:([a-z-]+)`", everything)) & agents
    shown = re.findall(
        r"^\| `([a-z-]+)` +\| .+ \| (\w+) +\| +(\d+) +\|$", section(text, "Agents"), re.MULTILINE
    )
    costs = {item.path: item for item in bill(read_folder(bundle))}
    assert {agent for agent, _, _ in shown} == started
    for agent, model, cost in shown:
        assert f"\nmodel: {model}\n" in (bundle / "agents" / f"{agent}.md").read_text()
        assert int(cost) == tokens(costs[f"agents/{agent}.md"].body)
    own = costs[f"commands/{name}.md"]
    used = re.findall(r"^\| [a-z ]+ \| +(\d+) ", section(text, "What it costs"), re.MULTILINE)
    assert list(map(int, used)) == [tokens(own.listed), tokens(own.body), tokens(own.closure)]


@command
def test_a_page_says_everything_in_plain_sentences(bundle: Path, stage: str, name: str) -> None:
    text = page(bundle, name)
    purpose = text.split("\n\n", 2)[1]
    assert 2 <= len(re.findall(r"[.!?](?:\s|$)", purpose)) <= 3
    for title in (
        "What it asks you",
        "An example",
        "What can go wrong",
        "What comes next",
        "What it reads and writes",
    ):
        assert section(text, title).strip(), title
    assert re.search(rf"^/{NAME}:{name}", section(text, "An example"), re.MULTILINE)
    assert "](" in section(text, "What comes next")


@command
def test_codes_are_linked_and_not_listed(bundle: Path, stage: str, name: str) -> None:
    trouble = section(page(bundle, name), "What can go wrong")
    assert re.findall(r"`[A-Z]+(?:_[A-Z]+)+`", trouble) == []
    linked = dict(re.findall(r"^- `([A-Z]+_)`.*: \[.+\]\((.+)\)$", trouble, re.MULTILINE))
    assert linked.pop("FM_") == "../TROUBLESHOOTING.md#any-artifact"
    explained = (bundle / "docs/TROUBLESHOOTING.md").read_text()
    assert linked
    for beginning, link in linked.items():
        title = re.search(rf"^## (.+)\n(?:(?!^## ).*\n)*?\| `{beginning}", explained, re.MULTILINE)
        assert title
        assert link == f"../TROUBLESHOOTING.md#{heading_anchor(title.group(1))}"


def calls(text: str) -> Iterator[tuple[str, str]]:
    """Yield each call of the program in a page, with the answer that the page shows."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for call in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            typed, _, answer = call.partition("\n")
            yield typed, answer


def is_the_answer(shown: str, said: str) -> bool:
    """Compare; a line `...` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), said) is not None


def completed_run() -> str:
    """Return the progress of a run whose four steps are done: a review comes after one."""
    progress = json.loads(PROGRESS.read_text())
    step = progress["steps"]["1"]
    progress |= {"status": "completed", "total_steps": 4, "current_step": 4}
    progress["plan_digest"] = hashlib.sha256((EXAMPLE / "plan.md").read_bytes()).hexdigest()
    return json.dumps(progress | {"steps": {str(number): step for number in range(1, 5)}})


@command
def test_the_examples_answer_as_they_are_shown(project: Path, bundle: Path, stage: str, name: str) -> None:
    shutil.copytree(EXAMPLE, project / PROJECT)
    if stage == "continue":
        shutil.copy(STATE, project / PROJECT / ".session-state.local.json")
    if stage == "review":
        (project / PROJECT / "progress.json").write_text(completed_run())
    found = list(calls(page(bundle, name)))
    assert found
    for typed, shown in found:
        program, *words = typed.split()
        assert program == "ultra"
        done = subprocess.run(
            [bundle / "bin" / program, *words],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert is_the_answer(shown, done.stdout), f"{typed}\n{done.stdout}{done.stderr}"
        assert done.returncode == 0


def test_an_answer_that_differs_is_seen() -> None:
    assert is_the_answer("a\n...\nd\n", "a\nb\nc\nd\n")
    assert is_the_answer("a\n...\nd\n", "a\nd\n")
    assert not is_the_answer("a\n...\nd\n", "a\nb\nc\n")
    assert not is_the_answer("a\n", "a\nb\n")


# --- troubleshooting --------------------------------------------------------------------------------------------


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of all tables by their first cell, without its backticks."""
    found = {}
    for line in text.split("\n"):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) > 2:
            found[cells[0].strip("`")] = cells[1:]
    return found


def runtime_codes(bundle: Path) -> set[str]:
    """Return every code in the tables that the runtime carries."""
    found: set[str] = set()
    for path in sorted((bundle / "runtime/ultra_runtime/tables").glob("*.py")):
        if path.stem == "environment":  # names of variables
            continue
        tree = ast.parse(path.read_text())
        found |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"(?:[A-Z][A-Z0-9]*)(?:_[A-Z0-9]+)+", node.value)
        }
    return found


def test_every_code_that_the_runtime_knows_is_explained(bundle: Path) -> None:
    explained = rows((bundle / "docs/TROUBLESHOOTING.md").read_text())
    verdicts = {"READY_WITH_RISKS", "PROCEED_WITH_RISKS"}  # what a reviewer answers, no code
    codes = runtime_codes(bundle) - verdicts
    assert len(codes) > 70
    assert sorted(codes - set(explained)) == []
    for code in codes:
        severity, means, remedy = explained[code]
        assert severity.startswith(("error", "warning"))
        assert means.endswith(".")
        assert remedy.endswith(".")


def test_every_code_in_the_source_of_the_runtime_is_in_a_table(bundle: Path) -> None:
    """Codes are written whole, or without their prefix: both have to lead to one that is explained."""
    pages = bundle.parent.glob("*/docs/TROUBLESHOOTING.md")
    explained = {code for page in pages for code in rows(page.read_text())}
    ends = {code.partition("_")[2] for code in explained}
    said = set()
    for path in RUNTIME.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", "") in ("add", "_note", "_warn")
                and node.args
            ):
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.isupper():
                    said |= {*first.value.split("|")}
        said |= set(re.findall(r'"((?:FM|SECRET)_[A-Z_]*[A-Z])"', path.read_text()))
    assert len(said) > 10
    assert sorted(one for one in said if one not in explained and one not in ends) == []


def named_first(path: Path, *calls: str) -> set[str]:
    """Return the names that a module gives what it finds: the first argument, or the first of each row."""
    firsts: list[ast.expr] = []
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    assigned = {
        ast.unparse(node.targets[0]): node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.JoinedStr)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in calls:
            firsts.append(assigned.get(ast.unparse(node.args[0]), node.args[0]))
        elif (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "rows"
            and isinstance(node.value, ast.Tuple)
        ):
            firsts += [row.elts[0] for row in node.value.elts if isinstance(row, ast.Tuple)]
    names = {_spelled(one, path) for one in firsts}
    return {name for name in names if name}


def _spelled(node: ast.expr, path: Path) -> str:
    """Return the text of a literal or of a constant of the module; nothing of what only a call knows."""
    if isinstance(node, ast.JoinedStr):
        return ast.unparse(node)[2:-1].replace("{launcher()}", LAUNCHER)
    known = vars(importlib.import_module(module_name(path)))
    is_constant = isinstance(node, ast.Constant) or ast.unparse(node).partition(".")[0] in known
    return str(eval(ast.unparse(node), known)) if is_constant else ""  # noqa: S307


@pytest.mark.parametrize(
    ("title", "rooms", "calls", "least"),
    [
        ("The audit of a run", ("run", "proof"), ("Drift", "Fault", "Promise"), 15),
        ("The set-up", ("doctor",), ("Check",), 8),
    ],
)
def test_every_check_has_its_line(
    bundle: Path, title: str, rooms: tuple[str, ...], calls: tuple[str, ...], least: int
) -> None:
    explained = set(rows(section((bundle / "docs/TROUBLESHOOTING.md").read_text(), title))) - {"check"}
    modules = [path for room in rooms for path in (RUNTIME / room).rglob("*.py")]
    said = set[str]().union(*(named_first(path, *calls) for path in modules))
    assert len(said) >= least
    assert {name for name in explained if not re.fullmatch("-+", name)} == said


def test_every_rule_of_the_guard_has_its_line(bundle: Path) -> None:
    explained = rows(section((bundle / "docs/TROUBLESHOOTING.md").read_text(), "Rules of the guard"))
    rules = re.findall(
        r"^ *- (?:\{)?id: (\w+)",
        "".join(path.read_text() for path in (ROOT / "plugin_src/policy").glob("*.yaml")),
        re.MULTILINE,
    )
    assert len(rules) > 15
    assert sorted(set(rules) - set(explained)) == []


# --- links ------------------------------------------------------------------------------------------------------

PAGES = [*sorted((ROOT / "dist").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
LINKING = [path for path in PAGES if not {"examples", "templates"} & {*path.parts}]


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page, the second of one name numbered as readers number it."""
    found: dict[str, int] = {}
    for token, inner in pairwise(READER.parse(path.read_text())):
        if token.type == "heading_open":
            text = "".join(child.content for child in inner.children or [])
            name = heading_anchor(text)
            found[name] = found.get(name, -1) + 1
    return set(found) | {f"{name}-{n}" for name, last in found.items() for n in range(1, last + 1)}


def links(path: Path) -> Iterator[str]:
    for token in READER.parse(path.read_text()):
        for child in token.children or []:
            target = child.attrs.get("href") or child.attrs.get("src")
            if target and not re.match(r"[a-z]+:", str(target)):
                yield unquote(str(target))


@pytest.mark.parametrize("path", LINKING, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_and_anchor_leads_somewhere(path: Path) -> None:
    for link in links(path):
        target, _, anchor = link.partition("#")
        aim = (path.parent / target).resolve() if target else path
        assert aim.exists(), f"{path}: {link}"
        if anchor:
            assert anchor in anchors(aim), f"{path}: {link}"


def test_there_are_links_and_anchors_to_follow() -> None:
    found = [link for path in LINKING for link in links(path)]
    assert len(found) > 60
    assert len([link for link in found if "#" in link]) > 30


def test_the_pages_are_linked_from_where_people_begin(bundle: Path) -> None:
    overview = set(links(bundle / "docs/PIPELINE.md"))
    assert {f"commands/{name}.md" for name in PIPELINE.values()} <= overview
    assert "docs/PIPELINE.md" in set(links(bundle / "README.md"))
    assert f"dist/{NAME}/docs/PIPELINE.md" in set(links(ROOT / "README.md"))
