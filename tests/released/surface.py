"""Read from a built bundle what users, scripts and other programs rely on."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

Surface = dict[str, Any]

# Calls in an empty repository, one per way to answer: the exit status and the keys of the JSON answer are kept.
CALLS = {
    "a result": ["--version"],
    "a blocked command": ["check-command", "rm -rf out"],
    "a harmless command": ["check-command", "ls"],
    "a protected path": ["check-path", ".env"],
    "an invalid file": ["validate", "brief", "missing.md"],
    "a missing file": ["scan", "missing.md"],
    "no project": ["continue"],
    "no run": ["step", "verify", "1"],
    "no verb": [],
    "an unknown verb": ["brew"],
    "an unknown kind": ["validate", "tea", "missing.md"],
    "an unknown option": ["doctor", "--tea"],
    "a missing argument": ["scan"],
}


def read_surface(bundle: Path) -> Surface:
    """Return everything that a later version must still offer."""
    listing = _json(bundle / "bundle.json")
    plugin = str(listing["plugin"])
    launcher = next(path for path in sorted((bundle / "bin").iterdir()) if path.is_file())
    usages = _call(launcher, ["--help"], bundle)[1]["verbs"]
    return {
        "verbs": sorted(usages),
        "answers": {name: _answer(launcher, words) for name, words in CALLS.items()},
        "commands": {path.stem: _flags(path) for path in sorted((bundle / "commands").glob("*.md"))},
        "codes": _codes((bundle / "docs/TROUBLESHOOTING.md").read_text()),
        "schemas": {path.name: _json(path) for path in sorted((bundle / "schemas").iterdir())},
        "hooks": sorted(_hooks(_json(bundle / "hooks/hooks.json"), plugin)),
        "files": _files(listing["files"], launcher.name),
        "manifest": sorted(_json(bundle / ".claude-plugin/plugin.json")),
        "listing": sorted(listing),
    }


def _json(path: Path) -> Any:
    return json.loads(path.read_text())


def _call(launcher: Path, words: list[str], cwd: Path) -> tuple[int, dict[str, Any]]:
    command = [str(launcher), *words, "--json"]
    done = subprocess.run(command, cwd=cwd, input="", capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, json.loads(done.stdout)


def _answer(launcher: Path, words: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="ultra-surface-") as folder:
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        status, data = _call(launcher, words, Path(folder))
    return {"status": status, "keys": sorted(data)}


def _flags(command: Path) -> list[str]:
    hint = re.search(r"^argument-hint: (.*)$", command.read_text(), re.MULTILINE)
    return sorted(set(re.findall(r"--[a-z-]+", hint.group(1)))) if hint else []


def _codes(page: str) -> dict[str, str]:
    """Return code -> severity from the tables of the troubleshooting page."""
    return dict(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` *\| ((?:error|warning).*?) *\|", page, re.MULTILINE))


def _hooks(hooks: dict[str, Any], plugin: str) -> set[str]:
    """Return one line per hook: event, matcher, script."""
    return {
        f"{event} {group.get('matcher', '*').replace(plugin, 'PLUGIN')} {Path(hook['args'][-1]).name}"
        for event, groups in hooks["hooks"].items()
        for group in groups
        for hook in group["hooks"]
    }


def _files(listed: dict[str, Any], launcher: str) -> list[str]:
    """Return the files that people and the client open; the modules of the runtime are nobody's interface."""
    opened = [path for path in listed if not path.startswith(("runtime/ultra_runtime/", "evals/"))]
    return sorted(path.replace(f"bin/{launcher}", "bin/LAUNCHER") for path in opened)
