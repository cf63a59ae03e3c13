"""A fork as the README says it: the names are changed, the folder is renamed, and every mention follows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NAME = "myplan"
LAUNCHER = "mine"
PREFIX = re.compile(rb"(?<![\w-])ultraplan-local:[a-z]|ultra-suite\b|(?<![\w.-])ultra(?![\w{-])")


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plugin that a fork builds."""
    folder = tmp_path_factory.mktemp("fork")
    source = folder / "plugin_src"
    shutil.copytree(ROOT / "plugin_src", source, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "plugins/ultraplan-local").rename(source / "plugins" / NAME)
    for path, name in (("suite.yaml", "my-suite"), (f"plugins/{NAME}/plugin.yaml", NAME)):
        text = (source / path).read_text()
        changed = re.sub(r"^( *)name: .*$", rf"\1name: {name}", text, flags=re.MULTILINE)  # the owner's, too
        (source / path).write_text(changed.replace("launcher: ultra\n", f"launcher: {LAUNCHER}\n"))
    build = [sys.executable, "-m", "ultra_plugin", "build", "--source", str(source), "--out", "dist"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder / "dist" / NAME


def test_every_mention_follows_the_name(forked: Path) -> None:
    assert json.loads((forked / ".claude-plugin/plugin.json").read_text())["name"] == NAME
    texts = {path: path.read_bytes() for path in forked.rglob("*") if path.is_file()}
    assert len(texts) > 300
    left = {
        str(path.relative_to(forked)): found.group()
        for path, text in texts.items()
        if path.name != "LICENSE" and (found := PREFIX.search(text))
    }
    assert left == {}


def test_what_the_readme_lists_is_enough_for_a_tree_of_ones_own(tmp_path: Path) -> None:
    fork = (ROOT / "README.md").read_text().split("\n## Fork\n")[1].split("\n## ")[0]
    words = "It says hello to whoever asks for it, in the language of the one who asks. " * 4
    ours = ROOT / "plugin_src"
    contents: dict[str, str | bytes] = {
        "suite.yaml": (ours / "suite.yaml").read_bytes(),
        "LICENSE": (ours / "LICENSE").read_bytes(),
        "plugins/<name>/plugin.yaml": "name: small\ntitle: Small\ndescription: A plugin that says hello to people.\n"
        "keywords: [hello]\n",
        "plugins/<name>/README.md.j2": f"# Small\n\n{words}\n\n    /plugin install small@{{{{ suite.name }}}}\n",
        "plugins/<name>/icon/icon.png": (ours / "plugins/ultraplan-local/icon/icon.png").read_bytes(),
        "plugins/<name>/commands/*.md.j2": "---\ndescription: Say hello to whoever asks for it\nbudget:\n"
        "  always_on: 20\n  on_invoke: 200\n---\n# Hello\n\nSay hello.\n",
    }
    assert re.findall(r"^\| `(.+?)` ", fork, re.MULTILINE) == list(contents)
    for path, content in contents.items():
        target = tmp_path / "tree" / path.replace("<name>", "small").replace("*", "hello")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    build = [sys.executable, "-m", "ultra_plugin", "build", "--source", "tree", "--out", "out"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/small/commands/hello.md").is_file()


def test_the_example_stays_valid(forked: Path) -> None:
    brief = forked / "docs/examples/2026-01-31-rate-limit/brief.md"
    assert f"/{NAME}:ultraresearch-local --project" in brief.read_text()
    done = subprocess.run(
        [forked / "bin" / LAUNCHER, "validate", "brief", brief, "--strict"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stdout


def test_the_runtime_answers_under_its_own_name(forked: Path, tmp_path: Path) -> None:
    def say(*words: str) -> tuple[int, str]:
        command = [str(forked / "bin" / LAUNCHER), *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
        return done.returncode, done.stdout + done.stderr

    subprocess.run(["git", "init", "--quiet", tmp_path], check=True, timeout=30)
    assert "mine guide continue none" in say("continue", "--json")[1]
    assert say("stp")[1].endswith("\nusage: mine --help lists the verbs\n")
    assert say("status", "--nothing")[1].split("\n")[1].startswith("usage: mine status")
    status, told = say("run", "finish")
    assert (status, "`mine run start PATH`" in told, told.startswith("mine: ")) == (1, True, True)
