"""A promise in the documentation is shown by a test: every "cannot", "always", "never" and "whatever" names one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from tests.kit.names import ROOT

CLAIM = re.compile(r"\b(cannot|can't|always|never|whatever)\b", re.IGNORECASE)
LISTED = yaml.safe_load((ROOT / "tests/claims.yaml").read_text())
SHOWN: dict[str, str] = LISTED["shown"]
CONDITIONS: list[str] = LISTED["conditions"]


def pages() -> list[Path]:
    """Return what people read before they trust the plugin; the tutorial's recorded session is not ours.

    The page about the seed documents quotes them, and each of its rows names its own test.
    """
    own = [path for path in ROOT.glob("docs/*.md") if path.name != "seeds.md"]
    return [ROOT / "README.md", ROOT / "SECURITY.md", *own, *ROOT.glob("dist/*/README.md"),
            *ROOT.glob("dist/*/docs/*.md"), *ROOT.glob("dist/*/docs/commands/*.md")]  # fmt: skip


def claims(page: Path) -> list[str]:
    """Return the sentences and table cells of a page that promise something; code is not a sentence."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "`code`", text)
    parts = re.split(r"\n\s*\n|\n(?=[-*#|] ?)|(?<=[.:?!]) |\|", text)
    return [" ".join(part.split()) for part in parts if CLAIM.search(part)]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_promise_names_its_test(page: Path) -> None:
    known = [*SHOWN, *CONDITIONS]
    assert [one for one in claims(page) if not any(part in one for part in known)] == []


def test_every_listed_promise_is_still_made() -> None:
    said = [one for page in pages() for one in claims(page)]
    assert [part for part in (*SHOWN, *CONDITIONS) if not any(part in one for one in said)] == []


@pytest.mark.parametrize(
    "test", sorted(set(SHOWN.values())), ids=lambda test: test.replace("::", "-").replace("/", "-")
)
def test_the_test_of_a_promise_is_not_left_to_soak(test: str) -> None:
    path, _, name = test.partition("::")
    tree = ast.parse((ROOT / path).read_text())
    (found,) = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == name]
    assert "pytest.mark.soak" not in map(ast.unparse, found.decorator_list)
