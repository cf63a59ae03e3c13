"""Find sources that nothing uses: fragments, agents, and contracts that no test covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Suite
from ultra_plugin.source import SourceTree


def unused_problems(tree: SourceTree, suite: Suite, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield a problem for everything that could be deleted without anybody noticing."""
    used = {source for bundle in bundles for file in bundle.files.values() for source in file.sources}
    for path in tree.files("fragments"):
        if path not in used:
            yield Problem(
                tree.shown(path), 0, "unused-fragment", "no template includes it", "include or delete it"
            )
    for plugin, bundle in zip(suite.plugins, bundles, strict=True):
        texts = {path: file.text for path, file in bundle.files.items() if path.endswith(".md")}
        for key, name in plugin.agents.items():
            own, called = f"agents/{name}.md", f"{bundle.name}:{name}"
            if not any(called in text for path, text in texts.items() if _prompts(path) and path != own):
                shown = tree.shown(f"{plugin.folder}/agents/{key}.md.j2")
                yield Problem(shown, 0, "unused-agent", f"no prompt spawns {called}", "use or delete it")
            if suite.outputs and key not in suite.outputs:
                shown = tree.shown(f"{plugin.folder}/agents/{key}.md.j2")
                message = "no file of outputs/ says in which block this agent ends"
                yield Problem(
                    shown, 0, "agent-without-output", message, "list it under agents: in one of them"
                )
    agents = {agent for plugin in suite.plugins for agent in plugin.agents}
    for agent, output in suite.outputs.items():
        if agent not in agents:
            shown = tree.shown(f"outputs/{output.output}.yaml")
            yield Problem(shown, output.line, "unused-output", f"there is no agent '{agent}'", "drop it")
    tests = tree.root.parent / "tests" / "contracts"
    if tests.is_dir():
        for contract in suite.contracts.values():
            if not (tests / contract.artifact).is_dir():
                shown = tree.shown(f"contracts/{contract.artifact}.yaml")
                message = f"no fixtures in tests/contracts/{contract.artifact}"
                yield Problem(shown, 0, "untested-contract", message, "add one for each code")


def _prompts(path: str) -> bool:
    return path.startswith(("commands/", "agents/", "skills/", "guides/"))
