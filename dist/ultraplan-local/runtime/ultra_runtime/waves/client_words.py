"""The call of the client as it runs one session, here or on another machine."""

from __future__ import annotations

TOOLS = "Bash,Read,Edit,Write,Grep,Glob"


def client_words(
    client: str, bundle: str, prompt: str, mode: str, model: str, dollars: float | None
) -> list[str]:
    """Return the client with a bundle and a prompt."""
    words = [client, "-p", prompt, "--plugin-dir", bundle, "--tools", TOOLS]
    words += ["--output-format", "stream-json", "--verbose"]
    if mode:
        words += ["--permission-mode", mode]
    if model:
        words += ["--model", model]
    if dollars is not None:
        words += ["--max-budget-usd", f"{dollars:.2f}"]
    return words
