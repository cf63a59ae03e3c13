"""Which defects the check, the client and other linters find: mutations of plugins, by class.

Plugins are a good one of the tests and the folders that ULTRA_BENCH_PLUGINS names (separated by colons); with
ULTRA_SOAK=1 also a new one of the generator. Each costs a start of the client for every defect. A defect is found if a tool says more than of the plugin before.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.bench.measure import show
from tests.bench.mutations import MUTATIONS, Files, Mutation
from tests.check.plugins import GOOD, Link, Script, write
from ultra_plugin.check.validator import client_problems
from ultra_plugin.creating import create
from ultra_plugin.pipeline import checked
from ultra_plugin.scaffold import PARTS, Wanted
from ultra_plugin.source import SourceTree, packaged_source
from ultra_plugin.tree import write as write_bundles

PEERS = {"agnix": "0.59.3", "skillsaw": "0.22.0"}
PLACE = Path(".bench/peers")

_EVERY = 25
Item = TypeVar("Item")
Findings = Counter[str]
Tool = Callable[[Sequence[Path]], list[Findings]]


def peers() -> dict[str, Path]:
    """Return the programs of the other linters, installed once; one line says which are not there."""
    programs = {name: PLACE.absolute() / "bin" / name for name in PEERS}
    wanted = [f"{name}=={PEERS[name]}" for name, program in programs.items() if not program.exists()]
    if wanted:
        print(f"installing {' and '.join(wanted)} into {PLACE} ...", file=sys.stderr)
        venv.create(PLACE, with_pip=True)
        for one in wanted:
            pip: list[str | Path] = [PLACE / "bin/pip", "install", "-q", "--disable-pip-version-check", one]
            subprocess.run(pip, check=False, capture_output=True)
    found = {name: program for name, program in programs.items() if program.exists()}
    for name in sorted(programs.keys() - found):
        print(f"{name} {PEERS[name]} is not installed and cannot be installed: it is not compared")
    return found


def tools(client: Path) -> dict[str, Tool]:
    """Return what is compared, by name."""
    readers = {"client": _client, "agnix": _agnix, "skillsaw": _skillsaw}
    programs = {"client": client, **peers()}
    return {
        "ours": _ours,
        **{name: _each(name, readers[name], program) for name, program in programs.items()},
    }


def _each(name: str, ask: Callable[[Path, Path], Findings], program: Path) -> Tool:
    """Return a tool that takes one folder at a call."""

    def tool(folders: Sequence[Path]) -> list[Findings]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(counted(name, pool.map(partial(ask, program), folders), len(folders)))

    return tool


def counted(what: str, items: Iterable[Item], total: int) -> Iterator[Item]:
    """Pass items on, and say on stderr now and then how many there were."""
    for number, item in enumerate(items, 1):
        if number % _EVERY == 0 or number == total:
            print(f"{what}: {number} of {total}", file=sys.stderr)
        yield item


def processor_time(tool: Tool, folders: Sequence[Path]) -> float:
    """Return the user and system seconds of a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    tool(folders)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(folders)


def _ours(folders: Sequence[Path]) -> list[Findings]:
    command = [sys.executable, "-m", "ultra_plugin", "check", "--client", "off", "--json", "-"]
    done = subprocess.run(
        command, input="\n".join(map(str, folders)), text=True, capture_output=True, check=False
    )
    found = {str(folder): Findings() for folder in folders}
    for problem in json.loads(done.stdout)["problems"]:
        folder = next(one for one in found if problem["path"].startswith(f"{one}/"))
        found[folder][f"{problem['code']} {problem['path'][len(folder) :]}"] += 1
    return list(found.values())


def _client(client: Path, folder: Path) -> Findings:
    problems = client_problems(str(client), folder)
    return Findings(f"{one.path} {one.message}".replace(str(folder), "") for one in problems)


def _answer(command: Sequence[str | Path], folder: Path) -> dict[str, list[dict[str, str]]]:
    done = subprocess.run([*command, folder], cwd=folder, text=True, capture_output=True, check=False)
    try:
        answer: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    except ValueError:
        return {"diagnostics": [{"rule": "refused"}], "violations": [{"rule_id": "refused"}]}
    return answer


def _agnix(program: Path, folder: Path) -> Findings:
    answer = _answer([program, "--target", "claude-code", "--format", "json"], folder)
    return Findings(
        f"{one['rule']} {one.get('file', '')}".replace(str(folder), "") for one in answer["diagnostics"]
    )


def _skillsaw(program: Path, folder: Path) -> Findings:
    answer = _answer([program, "lint", "--format", "json", "--no-progress"], folder)
    return Findings(f"{one['rule_id']} {one.get('file_path', '')}" for one in answer["violations"])


def read(folder: Path) -> Files:
    """Read a plugin as a table of path and content."""
    files: Files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            files[name] = Link(os.readlink(path))
        elif path.is_file() and ".git/" not in f"{name}/":
            content = path.read_bytes()
            files[name] = (
                Script(content.decode()) if os.access(path, os.X_OK) and b"\0" not in content else content
            )
    return files


def plugins(root: Path) -> dict[str, Files]:
    """Return the plugins that are changed, by name."""
    found = {"good": dict(GOOD)}
    folders = [Path(name) for name in os.environ.get("ULTRA_BENCH_PLUGINS", "").split(":") if name]
    if os.environ.get("ULTRA_SOAK"):
        wanted = Wanted("fresh", "Takes notes of a meeting and sorts them", "A. Uthor", parts=tuple(PARTS))
        create(wanted, root / "fresh", packaged_source())
        write_bundles(checked(SourceTree(root / "fresh/plugin_src"), "dist")[0], root / "fresh/dist")
        folders += (root / "fresh/dist").iterdir()
    for folder in folders:
        if (folder / ".claude-plugin/plugin.json").is_file():
            found[folder.name] = read(folder)
    return found


def recall(root: Path, compared: Mapping[str, Tool], mutations: Sequence[Mutation] = MUTATIONS) -> None:
    """Print how many defects of each class every tool finds, and those that we miss."""
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    bases = plugins(root)
    tried = [(name, one) for name in bases for one in mutations]
    for name, files in bases.items():
        folders = [write(root / f"mutants/{name}/before/{name}", files)]
        for number, one in enumerate(mutations):
            folders.append(write(root / f"mutants/{name}/{number}/{name}", _changed(files, one)))
        for tool, ask in compared.items():
            before, *after = ask(folders)
            for one, now in zip(mutations, after, strict=True):
                if now - before:
                    found.setdefault((tool, name), set()).add((one.kind, one.name))
        shutil.rmtree(root / f"mutants/{name}")

    def rate(tool: str, some: Iterable[tuple[str, Mutation]]) -> str:
        hits = [(one.kind, one.name) in found.get((tool, name), ()) for name, one in some]
        return f"{100 * sum(hits) / len(hits):.0f} %"

    rows = []
    for kind in (*dict.fromkeys(one.kind for one in mutations), "all"):
        some = [pair for pair in tried if kind in (pair[1].kind, "all")]
        rows.append((kind, ", ".join(f"{tool} {rate(tool, some)}" for tool in compared)))
    show(f"Recall of {len(mutations)} defects in each of {len(bases)} plugins", rows)
    for name, one in tried:
        if (one.kind, one.name) not in found.get(("ours", name), ()):
            others = [tool for tool in compared if (one.kind, one.name) in found.get((tool, name), ())]
            print(f"  missed in {name}: {one.kind}: {one.name} (found by {', '.join(others) or 'nobody'})")


def _changed(files: Files, mutation: Mutation) -> Files:
    return {path: one for path, one in {**files, **mutation.change(files)}.items() if one is not None}
