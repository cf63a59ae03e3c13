"""Check the syntax of JavaScript with node, where it is installed: workflows, and scripts that hooks run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence

from ultra_plugin.check.codes import printable, warning
from ultra_plugin.check.sources import hook_scripts
from ultra_plugin.check.subject import Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, BundleFile

_WORKFLOW = re.compile(r"workflows/[^/]+\.m?js")
_SCRIPT = (".js", ".mjs", ".cjs")
_LARGEST = 500_000
_MOST = 200
_TIME_LIMIT = 20
_READER = r"""
const vm = require("vm"), texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const fault = (make) => {
  try { make(); return null; } catch (error) {
    const at = /^ultra:(\d+)/.exec(error.stack || "");
    return error instanceof SyntaxError ? [at ? Number(at[1]) : 1, error.message] : null;
  }
};
process.stdout.write(JSON.stringify(texts.map(([kind, text]) => {
  text = text.replace(/^\uFEFF/, "").replace(/^#!/, "//");
  const script = (body) => fault(() => new vm.Script("(async function () {" + body + "\n})", "ultra"));
  if (kind === "workflow") return script(text.replace(/^([ \t]*)export(\s+default)?\b/gm, "$1"));
  const common = kind === "module" ? [1, ""] : script(text);
  if (!common || kind === "common") return common;
  const asModule = fault(() => new vm.SourceTextModule(text, {identifier: "ultra"}));
  return asModule && kind !== "module" && !/^\s*(import|export)\b/m.test(text) ? common : asModule;
})));
"""
"""Compile each text without running it; a .js file may be a script or a module."""


def check_javascript(subject: Subject) -> Iterator[Problem]:
    """Find scripts that node cannot read."""
    files = _scripts(subject)
    node = shutil.which("node") if files else None
    for file, fault in zip(files, _faults(node, files), strict=True) if node else ():
        if fault:
            yield warning(file.path, fault[0], "script-syntax", f"does not parse: {printable(fault[1])}")


def unchecked(bundle: Bundle) -> Iterator[str]:
    """Say that the scripts of a plugin could not be checked."""
    if any(path.endswith(_SCRIPT) for path in bundle.files) and not shutil.which("node"):
        yield "node is not installed, so the syntax of JavaScript was not checked"


def _scripts(subject: Subject) -> list[BundleFile]:
    """Return the files that node would run."""
    paths = [path for path in hook_scripts(subject) if path.endswith(_SCRIPT)]
    paths += [path for path in subject.files if _WORKFLOW.fullmatch(path)]
    files = [subject.files[path] for path in dict.fromkeys(paths)]
    return [file for file in files if not file.symlink and file.size <= _LARGEST][:_MOST]


def _faults(node: str, files: Sequence[BundleFile]) -> list[tuple[int, str] | None]:
    """Return line and message of each fault, in one process; nothing if node does not answer."""
    asked = json.dumps([[_kind(file.path), file.text] for file in files])
    try:
        done = subprocess.run(
            [node, "--experimental-vm-modules", "--no-warnings", "-e", _READER],
            input=asked.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=_TIME_LIMIT,
            check=True,
            env={"PATH": "/usr/bin:/bin"},
        )
        found: list[tuple[int, str] | None] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return [None] * len(files)
    return found


def _kind(path: str) -> str:
    if _WORKFLOW.fullmatch(path):
        return "workflow"
    return "module" if path.endswith(".mjs") else "common" if path.endswith(".cjs") else "either"
