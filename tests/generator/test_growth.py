"""The work of a build grows with the number of files, not with its square: counted in function calls, not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.kit.quick import later
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.pipeline import build
from ultra_plugin.similar import closest

MANY, FEWER = 600, 150
FEW = {
    "suite.yaml": "name: many\ndescription: d\nowner: {name: Ann}\nversion: 1.0.0\nprofile: client\n",
    "plugins/big/plugin.yaml": "name: big\ntitle: Big\ndescription: Does the work.\n",
}
HEAD = "---\ndescription: Does a part of the work\n---\n"
Shape = Callable[[int, int], dict[str, str]]
"""The files of one number of how many."""


def _calls(one: int, many: int) -> dict[str, str]:
    text = f"Use `/big:c{(one + 1) % many}`, then [that](c{(one + 7) % many}.md).\n"
    return {f"plugins/big/commands/c{one}.md": HEAD + text}


def _wrong_calls(one: int, many: int) -> dict[str, str]:
    return {f"plugins/big/commands/c{one}.md": f"{HEAD}Use `/big:d{one}x`.\n"}


def _agents(one: int, many: int) -> dict[str, str]:
    return {f"plugins/big/agents/a{one}.md": f"---\nname: a{one}\ndescription: d\n---\nWork.\n"}


def _cases(one: int, many: int) -> dict[str, str]:
    case = f"plugins/big/evals/e{one}"
    return {f"{case}/prompt.md": "Do it.\n", f"{case}/graders/g.md": "---\ntype: file_exists\npath: x\n---\n"}


def _plugins(one: int, many: int) -> dict[str, str]:
    folder = f"plugins/p{one}"
    return {f"{folder}/plugin.yaml": f"name: p{one}\ntitle: P\ndescription: d\n", f"{folder}/.DS_Store": ""}


def _wrong_templates(one: int, many: int) -> dict[str, str]:
    return {f"plugins/big/commands/c{one}.md.j2": f"{HEAD}{{{{ command('d{one}') }}}}\n"}


def work(root: Path, shape: Shape, many: int) -> int:
    """Return how many functions a first build calls, the first imports aside."""
    source = root / str(many) / "plugin_src"
    write_tree(source, FEW)
    for one in range(many):
        write_tree(source, shape(one, many))
    count = 0

    def counted(_frame: object, event: str, _value: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        with suppress(ProblemsFound):
            build(source, root / str(many) / "dist")
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("shape", "many"),
    [
        (_calls, MANY),
        later(_wrong_calls, MANY),
        later(_agents, MANY),
        later(_cases, MANY),
        later(_plugins, FEWER),
        later(_wrong_templates, MANY),
    ],
)
def test_twice_the_files_are_twice_the_work(
    tmp_path: Path, shape: Shape, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work(tmp_path, shape, 1)
    half, whole = work(tmp_path, shape, many), work(tmp_path, shape, 2 * many)
    assert whole / half < 2.1, (half, whole)


def test_a_misspelt_word_is_found_among_very_many() -> None:
    known = frozenset(f"command-{number:05}" for number in range(10_000))
    assert closest("comand-04711", known) == "command-04711"
    assert closest("nothing-like-it", known) == ""
