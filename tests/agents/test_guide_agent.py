"""`guide agent NAME`: an agent's text for a conversation that has to do its work itself."""

from __future__ import annotations

from tests.kit.calls import Ultra


def test_an_agents_text_without_its_header(ultra: Ultra) -> None:
    told = ultra.say("guide", "agent", "brief-reviewer")
    assert (told.status, told.out.startswith("# Review a brief")) == (0, True)
    assert "model: sonnet" not in told.out


def test_an_unknown_agent_is_refused_with_the_names(ultra: Ultra) -> None:
    for name in ("nobody", "../guides/brief/draft", ""):
        told = ultra("guide", "agent", name)
        assert (told.status, "brief-reviewer" in told.data["error"]) == (1, True)
    assert ultra("guide", "agent").status == 1
