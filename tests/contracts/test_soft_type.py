"""The type of an artifact is checked at every read, the soft one included."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.conftest import Validate, codes, place


@pytest.mark.parametrize("artifact", ["brief", "research", "review"])
def test_a_file_without_its_type_is_refused_softly_too(
    repository: Path, validate: Validate, artifact: str
) -> None:
    path = place(repository, artifact, "valid")
    text = path.read_text()
    path.write_text("\n".join(line for line in text.split("\n") if not line.startswith("type:")))
    answer, status = validate(artifact, path, "--soft")
    assert (status, codes(answer)["errors"]) == (1, [f"{artifact.upper()}_WRONG_TYPE"])
    answer, status = validate(artifact, path)
    assert (status, codes(answer)["errors"]) == (1, [f"{artifact.upper()}_MISSING_FIELD"])
    path.write_text(text.replace("created:", "created_on:"))
    assert validate(artifact, path, "--soft")[1] == 0, "another field that is missing is only a warning"
