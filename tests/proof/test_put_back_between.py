"""Between two commands of a proof the checkout is put back; without a checkout nothing is."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from ultra_runtime.proof.run_all import Commands


@pytest.mark.parametrize("root", ["", "/copy"])
@pytest.mark.parametrize("known", [[], ["a"], ["b"]])
def test_only_a_checkout_is_put_back(monkeypatch: pytest.MonkeyPatch, root: str, known: list[str]) -> None:
    for exits in itertools.product([False, True], repeat=3):
        done: list[Any] = []

        def row(
            _: Commands, number: int, one: dict[str, Any], place: str, into: list[Any] = done
        ) -> dict[str, Any]:
            into.append((number, place))
            return {"command": one["command"]}

        kept: Any = SimpleNamespace(put_back=lambda into=done: into.append("put back"))
        monkeypatch.setattr(Commands, "_row", row)
        monkeypatch.setattr(Commands, "save", lambda self, into=done: into.append("saved"))
        commands = [{"command": name, "exit": is_exit} for name, is_exit in zip("abc", exits, strict=True)]
        runs: Any = object.__new__(Commands)
        runs.job, runs.state = (
            {"end": "commit", "commands": commands},
            {"rows": [{"command": one} for one in known]},
        )
        runs._run_each(root, kept if root else None)
        expected: list[Any] = []
        for number, (name, is_exit) in enumerate(zip("abc", exits, strict=True), 1):
            if name not in known and (root or is_exit):
                expected += ["put back"] if root and expected else []
                expected += [(number, root), "saved"]
        assert done == expected
        ran = ["abc"[one[0] - 1] for one in expected if isinstance(one, tuple)]
        assert [one["command"] for one in runs.state["rows"]] == [*known, *ran]
