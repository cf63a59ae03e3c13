"""Render the policy for the guard."""

from __future__ import annotations

from collections.abc import Mapping

from ultra_plugin.rules import Environment, Policy
from ultra_plugin.tables.literal import literal, table_of


def policy_module(policy: Policy) -> str:
    """Return the module that holds the policy for the guard, as plain literals."""
    commands: dict[str, tuple[tuple[str, str], ...]] = {}
    events: dict[str, tuple[tuple[str, str], ...]] = {}
    sources: dict[str, tuple[tuple[str, str], ...]] = {}
    adders: dict[str, tuple[tuple[str, ...], bool, tuple[str, ...]]] = {}
    for rule in policy.commands:
        for logic in rule.logic:
            for name, adder in logic.adders.items():
                commands[name] = (*commands.get(name, ()), (rule.id, policy.function(logic)))
                adders[name] = (adder.verbs, not adder.bare, adder.values)
            if logic.when in ("command", "source"):
                table, first = (commands, rule.id) if logic.when == "command" else (sources, logic.gives)
                for name in logic.commands:
                    table[name] = (*table.get(name, ()), (first, policy.function(logic)))
            else:
                events[logic.when] = (*events.get(logic.when, ()), (rule.id, policy.function(logic)))
    tables: dict[str, Mapping[str, object]] = {
        "RULES": {r.id: (r.verdict, r.title, r.why, r.instead) for r in (*policy.commands, *policy.paths)},
        "COMMANDS": commands,
        "EVENTS": events,
        "SOURCES": sources,
        "ADDERS": adders,
        "PATHS": {rule.id: (rule.patterns, rule.unless) for rule in policy.paths},
        "SECRET_FILES": _secret_files(policy),
    }
    body = "".join(f"{name} = {table_of(rows)}\n" for name, rows in tables.items())
    body += f"IN_RUN = {literal(tuple(rule.id for rule in policy.commands if rule.only))}\n"
    return f'"""Rendered from policy/commands.yaml and policy/paths.yaml: edit those files, not this one."""\n\n{body}'


def packs_module(policy: Policy) -> str:
    """Return the module that holds the packs, as plain literals."""
    packs = {
        name: {
            rule.id: ((rule.verdict, rule.title, rule.why, rule.instead), rule.calls, rule.unless)
            for rule in pack.rules
        }
        for name, pack in policy.packs.items()
    }
    return f'"""Rendered from policy/packs: edit those files, not this one."""\n\nPACKS = {table_of(packs)}\n'


def environment_module(environment: Environment) -> str:
    """Return the module that holds the names of variables, as plain literals."""
    dropped = environment.dropped
    tables = {"DROPPED": dropped.names, "UNLESS": dropped.unless, "VARYING": environment.varying.names}
    body = "".join(f"{name} = {literal(names)}\n" for name, names in tables.items())
    return f'"""Rendered from policy/environment.yaml: edit that file, not this one."""\n\n{body}'


def _secret_files(policy: Policy) -> dict[str, object]:
    """Return the names of files that are never quoted: from rules, and listed ones."""
    secrets = policy.secret_files
    if secrets is None:
        return {}
    rules = {rule.id: (rule.patterns, rule.unless) for rule in policy.paths if rule.id in secrets.rules}
    return {**rules, "own": (secrets.patterns, secrets.unless)}
