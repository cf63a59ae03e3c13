"""The policy files as the literals that the rendered module holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ultra_runtime.guard.policy import Policy

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "plugin_src" / "policy"


def load(name: str) -> list[dict[str, Any]]:
    """Read the rules of a policy file."""
    rules: list[dict[str, Any]] = yaml.safe_load((POLICY / name).read_text(encoding="utf-8"))["rules"]
    return rules


def tables() -> dict[str, Any]:
    """Return the literals: RULES, COMMANDS, EVENTS, SOURCES, ADDERS, PATHS, SECRET_FILES."""
    rules: dict[str, tuple[str, str, str, str]] = {}
    commands: dict[str, list[tuple[str, str]]] = {}
    events: dict[str, list[tuple[str, str]]] = {}
    sources: dict[str, list[tuple[str, str]]] = {}
    adders: dict[str, tuple[tuple[str, ...], bool, tuple[str, ...]]] = {}
    for rule in load("commands.yaml"):
        rules[rule["id"]] = (rule["verdict"], rule["title"], rule["why"], rule["instead"])
        for logic in rule.get("logic", ()):
            on, use = logic.get("when", "command"), logic.get("use", "")
            for name, adder in logic.get("adders", {}).items():
                commands.setdefault(name, []).append((rule["id"], use))
                values = tuple(adder.get("values", ()))
                adders[name] = (tuple(adder["verbs"]), not adder.get("bare", False), values)
            if on == "command":
                for name in logic.get("commands", ()):
                    commands.setdefault(name, []).append((rule["id"], use))
            elif on == "source":
                for name in logic["commands"]:
                    sources.setdefault(name, []).append((logic["gives"], use))
            else:
                events.setdefault(on, []).append((rule["id"], use))
    paths: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for rule in load("paths.yaml"):
        rules[rule["id"]] = (rule["verdict"], rule["title"], rule["why"], rule["instead"])
        paths[rule["id"]] = (tuple(rule.get("patterns", ())), tuple(rule.get("unless", ())))
    return {
        "RULES": rules,
        "COMMANDS": _frozen(commands),
        "EVENTS": _frozen(events),
        "SOURCES": _frozen(sources),
        "ADDERS": adders,
        "PATHS": paths,
        "SECRET_FILES": _secret_files(paths),
    }


def _secret_files(paths: dict[str, Any]) -> dict[str, Any]:
    told = yaml.safe_load((POLICY / "paths.yaml").read_text(encoding="utf-8"))["secret_files"]
    own = (tuple(told["patterns"]), tuple(told["unless"]))
    return {**{name: paths[name] for name in told["rules"]}, "own": own}


def _frozen(table: dict[str, list[tuple[str, str]]]) -> dict[str, tuple[tuple[str, str], ...]]:
    return {name: tuple(uses) for name, uses in table.items()}


def policy() -> Policy:
    """Return the policy of the sources."""
    made = tables()
    return Policy(
        made["RULES"], made["COMMANDS"], made["EVENTS"], made["SOURCES"], made["ADDERS"], made["PATHS"]
    )
