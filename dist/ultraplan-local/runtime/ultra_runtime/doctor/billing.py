"""Say who pays for agents, before a command starts the first one."""

from __future__ import annotations

import os

KEY = "ANTHROPIC_API_KEY"


def billing() -> str:
    """Return the sentence for the user."""
    if os.environ.get(KEY):
        return f"agents are billed to {KEY}"
    return "agents use the account that this client is logged in with"
