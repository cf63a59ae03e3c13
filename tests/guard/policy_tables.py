"""The policy of the sources: its files, and the tables that are rendered from them."""

from __future__ import annotations

from typing import Any

import yaml

from tests.kit.names import LAUNCHER, SOURCES
from ultra_runtime.guard.policy import Policy
from ultra_runtime.rendered import table

POLICY = SOURCES / "policy"


def load(name: str) -> list[dict[str, Any]]:
    """Read the rules of a policy file."""
    text = (POLICY / name).read_text(encoding="utf-8").replace("{launcher}", LAUNCHER)
    rules: list[dict[str, Any]] = yaml.safe_load(text)["rules"]
    return rules


def policy() -> Policy:
    """Return the policy of the sources."""
    return Policy.of(table("policy"))
