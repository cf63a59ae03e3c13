"""Find sources that nothing uses: fragments, agents, and contracts without fixtures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultra_plugin.check.protocol import FIXTURES
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Suite
from ultra_plugin.source import SourceTree


def unused_problems(tree: SourceTree, suite: Suite, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield a problem for each unused source."""
    used = {source for bundle in bundles for file in bundle.files.values() for source in file.sources}
    for path in tree.files("fragments"):
        if path not in used and tree.owns(path):
            yield tree.problem(path, 0, "unused-fragment", "no template includes it", "include or delete it")
    for plugin, bundle in zip(suite.plugins, bundles, strict=True):
        texts = {path: file.text for path, file in bundle.files.items() if path.endswith(".md")}
        for key, name in plugin.agents.items():
            own, called = f"agents/{name}.md", f"{bundle.name}:{name}"
            if not any(called in text for path, text in texts.items() if _prompts(path) and path != own):
                shown = tree.shown(f"{plugin.folder}/agents/{key}.md.j2")
                yield Problem(shown, 0, "unused-agent", f"no prompt spawns {called}", "use or delete it")
            if tree.files("outputs") and key not in suite.outputs:
                shown = tree.shown(f"{plugin.folder}/agents/{key}.md.j2")
                message = "its header has no 'output:'"
                yield Problem(
                    shown, 0, "agent-without-output", message, "add 'output: NAME' for a file of outputs/"
                )
    used_forms = {form.output for form in suite.outputs.values()}
    for path in tree.files("outputs"):
        form = path.rpartition("/")[2].removesuffix(".yaml")
        if path.endswith(".yaml") and form not in used_forms and tree.owns(path):
            message = "no agent uses this output"
            yield tree.problem(path, 0, "unused-output", message, "name it in an agent, or delete it")
    covered = tree.folders(FIXTURES)
    for contract in suite.contracts.values() if covered else ():
        if contract.artifact not in covered:
            shown = tree.shown(f"contracts/{contract.artifact}.yaml")
            message = f"no fixtures in {tree.shown(FIXTURES)}/{contract.artifact}"
            yield Problem(shown, 0, "untested-contract", message, "add one for each code")


def _prompts(path: str) -> bool:
    return path.startswith(("commands/", "agents/", "skills/", "guides/"))
