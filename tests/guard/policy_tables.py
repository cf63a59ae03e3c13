"""The policy as the guard needs it, read from the policy files and the guard's sources without the generator."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

import yaml

from tests.kit.names import LAUNCHER, RUNTIME, SOURCES
from ultra_runtime.guard.policy import Policy

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
POLICY = SOURCES / "policy"
RULES = RUNTIME / "ultra_runtime/guard/rules"
# How many arguments the function of a rule gets, by what it looks at.
ARGUMENTS = {"command": 2, "source": 1, "assign": 2, "write": 1}


@cache
def read(name: str) -> dict[str, Any]:
    """Read a policy file; nobody changes what is returned."""
    text = (POLICY / name).read_text(encoding="utf-8").replace("{launcher}", LAUNCHER)
    found: dict[str, Any] = yaml.load(text, LOADER)  # noqa: S506  the safe one
    return found


def load(name: str) -> list[dict[str, Any]]:
    """Read the rules of a policy file."""
    rules: list[dict[str, Any]] = read(name)["rules"]
    return rules


def packs() -> dict[str, list[dict[str, Any]]]:
    """Read the rules of every pack, by its name."""
    return {path.stem: load(f"packs/{path.name}") for path in sorted((POLICY / "packs").glob("*.yaml"))}


def functions() -> dict[tuple[str, int], str]:
    """Return name and number of arguments of each rule function -> `module.name`."""
    return {
        (node.name, len(node.args.args)): f"{path.stem}.{node.name}"
        for path in RULES.glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    }


def tables() -> dict[str, Any]:
    """Return the literals that the rendered module must have."""
    known = functions()
    tables: dict[str, Any] = {
        name: {} for name in ("RULES", "COMMANDS", "EVENTS", "SOURCES", "ADDERS", "PATHS")
    }

    def add(table: str, name: str, first: str, use: str) -> None:
        tables[table][name] = (*tables[table].get(name, ()), (first, use))

    for rule in load("commands.yaml"):
        tables["RULES"][rule["id"]] = (rule["verdict"], rule["title"], rule["why"], rule["instead"])
        for logic in rule.get("logic", ()):
            when = logic.get("when", "command")
            use = known[logic["use"], ARGUMENTS[when]] if "use" in logic else ""
            for name, adder in logic.get("adders", {}).items():
                add("COMMANDS", name, rule["id"], use)
                values = tuple(adder.get("values", ()))
                tables["ADDERS"][name] = (tuple(adder["verbs"]), not adder.get("bare", False), values)
            if when in ("command", "source"):
                for name in logic.get("commands", ()):
                    first = rule["id"] if when == "command" else logic["gives"]
                    add("COMMANDS" if when == "command" else "SOURCES", name, first, use)
            else:
                add("EVENTS", when, rule["id"], use)
    for rule in load("paths.yaml"):
        tables["RULES"][rule["id"]] = (rule["verdict"], rule["title"], rule["why"], rule["instead"])
        tables["PATHS"][rule["id"]] = (tuple(rule.get("patterns", ())), tuple(rule.get("unless", ())))
    told = read("paths.yaml")["secret_files"]
    own = (tuple(told["patterns"]), tuple(told["unless"]))
    tables["SECRET_FILES"] = {**{name: tables["PATHS"][name] for name in told["rules"]}, "own": own}
    tables["IN_RUN"] = tuple(rule["id"] for rule in load("commands.yaml") if "only" in rule)
    return tables


def policy() -> Policy:
    """Return the policy of the sources."""
    made = tables()
    names = ("RULES", "COMMANDS", "EVENTS", "SOURCES", "ADDERS", "PATHS")
    return Policy(*(made[name] for name in names))
