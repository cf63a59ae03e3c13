"""The real client and we call the same plugin folders wrong.

A call takes a good part of a second. So variants of one file are judged together where the client reports
on each, and one in sixteen of them alone too, by the exit status; all of them alone in the long tests
(ULTRA_SOAK=1). All other variants are always judged alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.check.headers import HEADERS, LENIENT
from tests.check.plugins import BRIEF, CRITIC, GOOD, HOOKS, MANIFEST, REVIEW, changed, write
from tests.check.variants import EXCEPTIONS, HOOK_FILES, VARIANTS
from tests.client.session import Client
from tests.kit.quick import times
from ultra_plugin.check import check_bundle
from ultra_plugin.folder import read_folder

AT_A_TIME = 2
PLACES = {BRIEF: "commands/{}.md", CRITIC: "agents/{}.md", REVIEW: "skills/{}/SKILL.md"}
"""Where another file of the same kind may lie."""


def texts(*paths: str) -> dict[str, tuple[str, str]]:
    """Return path and text of the variants that change one of some files, and no other, to a text."""
    found = {}
    for name, change in VARIANTS.items():
        ((path, content), *others) = change.items() or [("", None)]
        if path in paths and not others and isinstance(content, str):
            found[name] = (path, content)
    return found


TOGETHER = texts(*PLACES, HOOKS, MANIFEST)
ALSO_ALONE = list(TOGETHER)[:: times(48, 1)]
ALONE = [name for name in VARIANTS if name not in TOGETHER or name in ALSO_ALONE]


def errors(folder: Path) -> list[str]:
    """Return our errors."""
    return [str(problem) for problem in check_bundle(read_folder(folder)) if problem.severity == "error"]


def assert_alike(ours: Iterable[str], theirs: Iterable[str], lenient: Iterable[str] = ()) -> None:
    """Fail unless we call wrong what the client calls wrong, but for what we know of."""
    only_ours, only_theirs = set(ours) - set(theirs), set(theirs) - set(ours)
    assert (only_ours, only_theirs) == (set(), set(lenient))
    assert ours
    assert theirs


def test_the_good_plugin_has_no_finding(client: Client, tmp_path: Path) -> None:
    folder = write(tmp_path / "plugin", GOOD)
    done = client.run("plugin", "validate", "--strict", "--profile", "directory", "--json", str(folder))
    report = done.json()
    assert (done.status, report["contents"], report["directory"]["findings"]) == (0, [], []), done
    assert check_bundle(read_folder(folder)) == []


def test_ours_has_an_error_where_the_client_exits_with_1(client: Client, tmp_path: Path) -> None:
    assert len(ALONE) > 60
    folders = [write(tmp_path / f"{number:03}", changed(VARIANTS[name])) for number, name in enumerate(ALONE)]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        runs = list(pool.map(lambda folder: client.run("plugin", "validate", str(folder)), folders))
    assert {run.status for run in runs} == {0, 1}
    theirs = [name for name, run in zip(ALONE, runs, strict=True) if run.status]
    ours = [name for name, folder in zip(ALONE, folders, strict=True) if errors(folder)]
    assert_alike(ours, theirs, set(EXCEPTIONS) & set(ALONE))


def test_manifests_are_judged_alike(client: Client, tmp_path: Path) -> None:
    """A marketplace with a plugin for each manifest: the client names the plugins whose manifest is wrong."""
    manifests = texts(MANIFEST)
    entries = [{"name": f"p{number}", "source": f"./p{number}"} for number in range(len(manifests))]
    offer = {"name": "m", "owner": {"name": "o"}, "description": "d", "plugins": entries}
    write(tmp_path, {".claude-plugin/marketplace.json": json.dumps(offer)})
    folders = [
        write(tmp_path / f"p{number}", {**changed({path: content}), HOOKS: None})
        for number, (path, content) in enumerate(manifests.values())
    ]
    report = client.run("plugin", "validate", "--json", str(tmp_path)).json()
    wrong = {fault["path"].partition(" ")[0] for fault in report["manifest"]["errors"]}
    theirs = [name for number, name in enumerate(manifests) if f"plugins[{number}]" in wrong]
    ours = [name for name, folder in zip(manifests, folders, strict=True) if errors(folder)]
    assert_alike(ours, theirs, EXCEPTIONS)


def test_hooks_are_judged_alike(client: Client, tmp_path: Path) -> None:
    """Many hooks files in one plugin: the client reports on each."""
    hooks = {name: text for name, (_, text) in texts(HOOKS).items()} | HOOK_FILES
    files = {f"more/{number}.json": text for number, text in enumerate(hooks.values())}
    manifest = {"name": "pipe", "hooks": [f"./{path}" for path in files]}
    files[MANIFEST] = json.dumps(manifest)
    judge_each(client, write(tmp_path / "plugin", changed(files)), dict(zip(files, hooks, strict=False)))


def test_components_are_judged_alike(client: Client, tmp_path: Path) -> None:
    """Many commands, agents and skills in one plugin: the client reports on each."""
    components = texts(*PLACES)
    files = {PLACES[path].format(number): text for number, (path, text) in enumerate(components.values())}
    judge_each(client, write(tmp_path / "plugin", changed(files)), dict(zip(files, components, strict=True)))


def test_headers_are_read_alike(client: Client, tmp_path: Path) -> None:
    """Hundreds of headers in one plugin: the client reports on each."""
    files = {f"commands/{number}.md": f"---\n{text}\n---\nText\n" for number, text in enumerate(HEADERS)}
    folder = write(tmp_path / "plugin", changed(files))
    judge_each(client, folder, dict(zip(files, HEADERS, strict=True)), LENIENT)


def judge_each(client: Client, folder: Path, names: Mapping[str, str], lenient: Iterable[str] = ()) -> None:
    """Compare the files that the client and we find errors in."""
    report = client.run("plugin", "validate", "--json", str(folder)).json()
    wrong = [item["file"] for item in report["contents"] if item["errors"]]
    theirs = [names[str(Path(file).relative_to(folder))] for file in wrong]
    problems = check_bundle(read_folder(folder))
    ours = {names[problem.path] for problem in problems if problem.severity == "error"}
    assert_alike(ours, theirs, lenient)
