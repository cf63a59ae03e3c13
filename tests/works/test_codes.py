"""Every code of a work's files has a fixture whose only code it is, at a line; the build tries each of them too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.names import SOURCES
from tests.works.conftest import Office

KINDS = (
    "requirement",
    "work-plan",
    "task",
    "task-progress",
    "task-result",
    "work-progress",
    "work-list",
)
FIXTURES = SOURCES / "contracts/fixtures"


@pytest.mark.parametrize("kind", KINDS)
def test_the_codes_of_a_kind(office: Office, kind: str) -> None:
    def codes(path: Path) -> list[tuple[str, bool]]:
        told = office("validate", kind, str(path), status=0 if path.stem.startswith("valid") else 1)
        return [(one["code"], one.get("line", 0) > 0) for one in told["errors"] + told["warnings"]]

    for path in sorted((FIXTURES / kind).iterdir()):
        code = path.name.partition(".")[0]
        assert codes(path) == ([] if code.startswith("valid") else [(code, True)]), path
    prefix = next(path.stem for path in (FIXTURES / kind).glob("*_PARSE_ERROR.md")).removesuffix(
        "_PARSE_ERROR"
    )
    pipe = office.repo / "pipe.md"
    assert codes(office.repo / "gone.md") == [(f"{prefix}_NOT_FOUND", False)]
    os.mkfifo(pipe)
    assert codes(pipe) == [(f"{prefix}_READ_ERROR", False)]
