"""Say what a stage costs before it begins: agents, their models, tokens of protocol."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.files.guides import guide_text
from ultra_runtime.text import frontmatter
from ultra_runtime.typed import Sequence
from ultra_runtime.words import counted

MODEL = "model"
ROUNDED = 100


def price(agents: Sequence[str], tokens: int, most: bool = True) -> str:
    """Return the price in words; an agent that may be spawned twice is listed twice."""
    if not agents:
        return f"no agents, about {rounded(tokens)} tokens of protocol"
    at_most = "at most " if most else ""
    named = f"{at_most}{counted(len(agents), 'agent')} ({models(agents)})"
    return f"{named}, about {rounded(tokens)} tokens of protocol"


def models(agents: Sequence[str]) -> str:
    """Return how many of the agents use each model, such as `2 opus, 1 haiku`."""
    used = [_model(name) for name in agents]
    return ", ".join(f"{used.count(model)} {model}" for model in dict.fromkeys(used))


def rounded(tokens: int) -> str:
    """Return a number of tokens in words, to the hundred."""
    number = max(round(tokens / ROUNDED), 1) * ROUNDED
    return f"{number:,}"


def _model(agent: str) -> str:
    try:
        header = frontmatter.parse(guide_text("..", "agents", agent).encode()).values or {}
    except UltraError:
        header = {}
    return str(header.get(MODEL) or "the session's model")
