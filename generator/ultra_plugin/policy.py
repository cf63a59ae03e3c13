"""Load what a run must not do: the rules of commands and of paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ultra_plugin.document import read_document
from ultra_plugin.errors import Problem, ProblemsFound
from ultra_plugin.model import Policy, Rule
from ultra_plugin.source import SourceTree

COMMANDS, PATHS = "policy/commands.yaml", "policy/paths.yaml"


@dataclass(frozen=True, slots=True)
class _Rules:
    rules: tuple[Rule, ...]


def load_policy(tree: SourceTree) -> Policy | None:
    """Return the policy of a source tree, or None where it has none."""
    if tree.find(COMMANDS) is None and tree.find(PATHS) is None:
        return None
    loaded = {
        path: read_document(tree.shown(path), tree.read(path), _Rules).rules for path in (COMMANDS, PATHS)
    }
    problems = [
        problem for path, rules in loaded.items() for problem in _rule_problems(tree.shown(path), rules)
    ]
    seen: dict[str, str] = {}
    for path, rules in loaded.items():
        for rule in rules:
            if rule.id in seen:
                message = f"the rule '{rule.id}' stands in {seen[rule.id]} as well"
                problems.append(Problem(tree.shown(path), rule.line, "duplicate-rule", message, "rename one"))
            seen[rule.id] = tree.shown(path)
    if problems:
        raise ProblemsFound(problems)
    return Policy(loaded[COMMANDS], loaded[PATHS])


def _rule_problems(path: str, rules: Iterable[Rule]) -> Iterable[Problem]:
    for rule in rules:
        if set(rule.examples) != {"match", "pass"} or not all(rule.examples.values()):
            message = f"the rule '{rule.id}' needs examples that match and examples that pass"
            yield Problem(path, rule.line, "rule-examples", message, "add 'match:' and 'pass:' with one each")
