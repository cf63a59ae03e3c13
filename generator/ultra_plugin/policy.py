"""Load the policy: the rules for commands and for paths, and the environment of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ultra_plugin.document import nearest, read_document
from ultra_plugin.errors import Problem, refuse
from ultra_plugin.guard import read_guard, resolve
from ultra_plugin.rules import Environment, Pack, Policy, Rule, SecretFiles
from ultra_plugin.source import SourceTree

COMMANDS, PATHS, ENVIRONMENT = "policy/commands.yaml", "policy/paths.yaml", "policy/environment.yaml"
PACKS = "policy/packs"


@dataclass(frozen=True, slots=True)
class _Rules:
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class _Paths:
    rules: tuple[Rule, ...]
    secret_files: SecretFiles | None = None


def load_policy(tree: SourceTree) -> Policy | None:
    """Return the policy of a source tree, or None."""
    if tree.find(COMMANDS) is None and tree.find(PATHS) is None:
        return None
    paths = read_document(tree.shown(PATHS), tree.read(PATHS), _Paths)
    loaded = {
        COMMANDS: read_document(tree.shown(COMMANDS), tree.read(COMMANDS), _Rules).rules,
        PATHS: paths.rules,
    }
    packs = {
        pack_name(path): read_document(tree.shown(path), tree.read(path), Pack) for path in pack_files(tree)
    }
    loaded |= {f"{PACKS}/{name}.yaml": pack.rules for name, pack in packs.items()}
    environment = read_document(tree.shown(ENVIRONMENT), tree.read(ENVIRONMENT), Environment)
    problems = [
        problem for path, rules in loaded.items() for problem in _rule_problems(tree.shown(path), rules)
    ]
    seen: dict[str, str] = {}
    for path, rules in loaded.items():
        for rule in rules:
            if rule.id in seen:
                message = f"the rule '{rule.id}' is also in {seen[rule.id]}"
                problems.append(tree.problem(path, rule.line, "duplicate-rule", message, "rename one"))
            seen[rule.id] = tree.shown(path)
    problems += [
        tree.problem(path, rule.line, "rule-calls", f"the rule '{rule.id}' lists no calls", "add 'calls:'")
        for path, rules in loaded.items()
        for rule in rules
        if path.startswith(PACKS) and not rule.calls
    ]
    if paths.secret_files:
        problems += _secret_problems(tree.shown(PATHS), paths.secret_files, [rule.id for rule in paths.rules])
    guard = read_guard(tree)
    functions, faults = resolve(tree, COMMANDS, loaded[COMMANDS], guard)
    problems += faults
    refuse(problems)
    return Policy(loaded[COMMANDS], loaded[PATHS], environment, paths.secret_files, guard, functions, packs)


def pack_files(tree: SourceTree) -> list[str]:
    """Return the files of the packs."""
    return [path for path in tree.files(PACKS) if path.endswith(".yaml")]


def pack_name(path: str) -> str:
    """Return the name of a pack, which is that of its file."""
    return path.rpartition("/")[2].removesuffix(".yaml")


def _secret_problems(path: str, secrets: SecretFiles, known: list[str]) -> Iterable[Problem]:
    for name in secrets.rules:
        if name not in known:
            message = f"secret_files names the rule '{name}', which does not exist"
            yield Problem(path, secrets.line, "bad-value", message, nearest(name, known))


def _rule_problems(path: str, rules: Iterable[Rule]) -> Iterable[Problem]:
    for rule in rules:
        if set(rule.examples) != {"match", "pass"} or not all(rule.examples.values()):
            message = f"the rule '{rule.id}' needs examples that match and examples that pass"
            yield Problem(path, rule.line, "rule-examples", message, "add 'match:' and 'pass:' with one each")
