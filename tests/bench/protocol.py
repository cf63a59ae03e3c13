"""What the protocol weighs beside the release: calls of verbs, characters that the model reads and writes, agents."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench.measure import show
from tests.executor.sample import Repo
from tests.flagship.three_sessions import play, repository
from tests.flagship.weight import NOW, RELEASE, Weight, recorded, total
from tests.interpreters import interpreters, python_on_path
from tests.kit.names import BUILT
from tests.released.record import extract

WHOLE, THREE = "whole way", "three sessions"


def main() -> None:
    """Print the recorded whole way, and three sessions played now with both bundles."""
    ref = json.loads(RELEASE.read_text())["release"]
    _show(f"{WHOLE}, as recorded in the client", ref, recorded(NOW, WHOLE), recorded(RELEASE, WHOLE))
    with tempfile.TemporaryDirectory(prefix="ultra-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "python").mkdir()
        python = python_on_path(interpreters()[-1], folder / "python")
        now = play(repository(Repo(folder / "now/repo", BUILT, python)), released=False)
        bundle = extract(ref, folder / "old")
        then = play(repository(Repo(folder / "then/repo", bundle, python)), released=True)
    _show(f"{THREE}, played", ref, now, then)


def _show(title: str, ref: str, now: Mapping[str, Weight], then: Mapping[str, Weight]) -> None:
    rows = [(name, _beside(now[name], then.get(name))) for name in now]
    rows.append(("all of it", _beside(total(now.values()), total(then.values()))))
    show(f"Protocol of the {title} (release {ref} = 100 %)", rows)


def _beside(now: Weight, then: Weight | None) -> str:
    if then is None:
        return f"{now.calls} calls, {now.characters} characters, {now.agents} agents"
    parts = [
        f"{new} of {old} {what} ({new / old:.0%})" if old else f"{new} {what}"
        for new, old, what in zip(now, then, Weight._fields, strict=True)
    ]
    return ", ".join(parts)
