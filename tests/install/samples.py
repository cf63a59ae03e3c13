"""Small bundles and homes, made from what a test shows, and the installer as a process of its own."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.client.session import Client
from tests.kit.files import write_tree
from tests.kit.names import ROOT
from tests.kit.warm import Program

GENERATOR = ROOT / "generator"
MAIN = GENERATOR / "ultra_plugin/install/main.py"
INSTALLER = Program(Path(sys.executable), ("-S",), GENERATOR, "ultra_plugin/install")
PLUGIN = "sample"
ID = f"{PLUGIN}@skills-dir"
Files = Mapping[str, str | bytes]


def plugin_files(version: str = "1.0.0", plugin: str = PLUGIN) -> dict[str, str | bytes]:
    """Return the files of a plugin with everything that the client loads: commands, agent, hook, program."""
    manifest = {"name": plugin, "version": version, "description": "A sample", "author": {"name": "Test"}}
    hook = {
        "type": "command",
        "command": "python3",
        "args": ["-I", "-S", "${CLAUDE_PLUGIN_ROOT}/runtime/hook.py"],
    }
    return {
        ".claude-plugin/plugin.json": json.dumps(manifest),
        "README.md": f"Sample {version}.\n",
        "commands/brief.md": f"""---
description: Write a brief
argument-hint: "[topic]"
allowed-tools: Bash(ultra:*)
---
Brief by {plugin} {version} about $ARGUMENTS
""",
        "commands/plan.md": "---\ndescription: Write a plan\n---\nPlan about $ARGUMENTS\n",
        "agents/critic.md": "---\nname: critic\ndescription: Find faults\n---\nYou find faults.\n",
        "hooks/hooks.json": json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}}),
        "runtime/hook.py": f"""import os, sys
sys.path.insert(0, os.path.dirname(__file__))
import said
print("hook of {version}", said.WORD)
""",
        "runtime/said.py": 'WORD = "fired"\n',
        "bin/ultra": f'#!/bin/sh\necho "ultra {version}" "$@"\n',
    }


def listing(files: Files, plugin: str = PLUGIN, version: str = "1.0.0", **changes: Any) -> bytes:
    """Return bundle.json for some files."""
    entries = {}
    for path, content in sorted(files.items()):
        data = content.encode() if isinstance(content, str) else content
        entries[path] = {
            "sha256": hashlib.sha256(data).hexdigest(),
            "size": len(data),
            "mode": "755" if data.startswith(b"#!") else "644",
            "sources": [],
        }
    value = {
        "format": 1,
        "plugin": plugin,
        "version": version,
        "generator": "0",
        "source_digest": "0",
        "files": entries,
    }
    return json.dumps({**value, **changes}).encode()


def write_bundle(
    folder: Path, version: str = "1.0.0", files: Files | None = None, plugin: str = PLUGIN
) -> Path:
    """Write a bundle and return its folder."""
    shown = plugin_files(version, plugin) if files is None else files
    return write_tree(folder, {**shown, "bundle.json": listing(shown, plugin, version)})


def zip_of(members: Sequence[tuple[str | zipfile.ZipInfo, str | bytes]]) -> bytes:
    """Return a zip with exactly these members, however odd."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that is there twice is what some tests want
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


@dataclass(frozen=True)
class Done:
    """How a call of the installer ended."""

    status: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """Return the standard output, parsed."""
        return json.loads(self.stdout)


@dataclass
class Machine:
    """A home and a way to run the installer in it: no client on the PATH unless a test puts one there."""

    home: Path
    path: str = "/usr/bin:/bin"
    variables: dict[str, str] = field(default_factory=dict)
    cwd: Path | None = None

    @property
    def config(self) -> Path:
        """Return the client's folder."""
        return Path(self.variables.get("CLAUDE_CONFIG_DIR", self.home / ".claude"))

    @property
    def settings(self) -> Path:
        """Return the settings."""
        return self.config / "settings.json"

    def plugin(self, name: str = PLUGIN) -> Path:
        """Return where a plugin is installed."""
        return self.config / "skills" / name

    def environment(self) -> dict[str, str]:
        """Return the whole environment: nothing of the user's."""
        return {
            "PATH": self.path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(GENERATOR),
            **self.variables,
        }

    def run(self, *words: str | Path, answer: str = "", python: str = sys.executable, **extra: Any) -> Done:
        """Run the installer; `python` or options of the process make it a process of its own."""
        env, folder, given = self.environment(), self.cwd or self.home, answer.encode()
        options = tuple(sorted(str(word) for word in words if str(word).startswith("--")))
        plain = python == sys.executable and not extra and not self.variables
        if plain and INSTALLER.can_fork(("install", *options), given):
            done = INSTALLER.fork([str(MAIN), *map(str, words)], given, folder, env)
        else:
            command = [python, "-S", "-m", "ultra_plugin.install.main", *map(str, words)]
            done = subprocess.run(
                command,
                env=env,
                cwd=folder,
                input=given,
                capture_output=True,
                timeout=60,
                check=False,
                **extra,
            )
        said, told = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in told, told
        return Done(done.returncode, said, told)

    def ok(self, *words: str | Path, **extra: Any) -> Done:
        """Run the installer, which must succeed."""
        done = self.run(*words, **extra)
        assert done.status == 0, done
        return done

    def refused(self, *words: str | Path, **extra: Any) -> str:
        """Run the installer, which must refuse; return its sentence."""
        done = self.run(*words, **extra)
        assert done.status == 1, done
        return done.stderr


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return every entry below a folder with its mode and content."""
    found: dict[str, tuple[int, bytes]] = {}
    for base, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = os.path.join(base, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(path).encode()
            else:
                content = b"" if stat.S_ISDIR(status.st_mode) else Path(path).read_bytes()
            found[os.path.relpath(path, root)] = (status.st_mode, content)
    return found


def listed(client: Client) -> list[dict[str, Any]]:
    """Return what the client lists."""
    found: list[dict[str, Any]] = client.run("plugin", "list", "--json").json()
    return found


def copy_of(folder: Path, to: Path) -> Path:
    """Return a copy of a folder."""
    return Path(shutil.copytree(folder, to, symlinks=True))
