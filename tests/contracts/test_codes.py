"""Every code of a contract has a fixture whose only code it is, and the bundled validator says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.contracts.conftest import FIXTURES, OWNERS, PLACES, SUITES, Validate, codes, place
from tests.kit.names import NAME, PROJECT
from ultra_plugin.check.fixtures import QUOTED
from ultra_plugin.ranges import walk
from ultra_runtime.contract.forms import FORMS

CONTRACTS = {
    contract.artifact: contract
    for name, suite in SUITES.items()
    for contract in suite.contracts.values()
    if OWNERS[contract.artifact] == name
}
CODES = [(contract.artifact, code) for contract in CONTRACTS.values() for code in contract.codes]
SOFT = [(artifact, code) for artifact, code in CODES if CONTRACTS[artifact].codes[code].soft]
COMMON = list(SUITES[NAME].common_codes)
# No validator gives these: `ultra frontmatter` does, see tests/runtime/test_validate.py.
OF_FRONTMATTER = {"FM_NOT_FOUND", "FM_READ_ERROR"}
VALID = [
    (artifact, path.stem)
    for artifact in CONTRACTS
    for path in sorted((FIXTURES / artifact).iterdir())
    if path.stem.startswith("valid")
]
# No bytes in a file make these: nobody is there, nobody can read, nothing to resume.
WITHOUT_LINE = ("_NOT_FOUND", "_READ_ERROR", "_TOPIC_UNANSWERED", "ARCH_", "_ALREADY_DONE")
# Given by `ultra run start --mode resume`, see tests/executor/test_order.py.
OF_RESUMING = "PROGRESS_ALREADY_DONE"


def faulty(repository: Path, artifact: str, code: str) -> Path:
    """Return the artifact at its place, faulty in the one way that the code is for."""
    target = repository / PROJECT / PLACES[artifact]
    if code.endswith(("_NOT_FOUND", "_READ_ERROR")):
        target.parent.mkdir(exist_ok=True)
        target.unlink(missing_ok=True)
        if code.endswith("_READ_ERROR"):
            os.mkfifo(target)
        return target
    return place(repository, artifact, code)


@pytest.mark.parametrize(("artifact", "code"), [pair for pair in CODES if pair[1] != OF_RESUMING])
def test_each_code_has_a_fixture_of_its_own(
    repository: Path, validate: Validate, lenient_bundle: Path, artifact: str, code: str
) -> None:
    path = faulty(repository, artifact, code)
    is_lenient = code.endswith("_VERSION_MISMATCH") and not CONTRACTS[artifact].version.legacy  # type: ignore[union-attr]
    answer, status = validate(artifact, path, of=lenient_bundle) if is_lenient else validate(artifact, path)
    severity = CONTRACTS[artifact].codes[code].severity
    assert codes(answer) == {"errors": [], "warnings": []} | {f"{severity}s": [code]}
    assert (status, answer["valid"]) == ((1, False) if severity == "error" else (0, True))
    entry = (answer["errors"] + answer["warnings"])[0]
    assert entry["message"].endswith(CONTRACTS[artifact].codes[code].remedy)
    assert any(word in code for word in WITHOUT_LINE) or entry["line"] >= 1


@pytest.mark.parametrize("code", [code for code in COMMON if code not in OF_FRONTMATTER])
def test_each_common_code_has_a_fixture_of_its_own(repository: Path, validate: Validate, code: str) -> None:
    answer, status = validate("brief", place(repository, "common", code))
    severity = "warnings" if code == "SECRET_FOUND" else "errors"
    assert codes(answer) == {"errors": [], "warnings": []} | {severity: [code]}
    assert status == (severity == "errors")
    assert (answer["errors"] + answer["warnings"])[0]["line"] >= 1


@pytest.mark.parametrize(("artifact", "code"), SOFT)
def test_soft_turns_soft_codes_into_warnings(
    repository: Path, validate: Validate, artifact: str, code: str
) -> None:
    answer, status = validate(artifact, place(repository, artifact, code), "--soft")
    assert (codes(answer), status) == ({"errors": [], "warnings": [code]}, 0)


@pytest.mark.parametrize(("artifact", "fixture"), VALID)
def test_a_valid_artifact_has_nothing_to_say(
    repository: Path, validate: Validate, artifact: str, fixture: str
) -> None:
    answer, status = validate(artifact, place(repository, artifact, fixture))
    assert (answer["errors"], answer["warnings"], status) == ([], [], 0)


def test_every_contract_has_a_valid_fixture() -> None:
    assert {artifact for artifact, _ in VALID} == set(CONTRACTS)
    assert len(CODES) > 50


def test_every_form_is_a_function() -> None:
    fields = [field for one in CONTRACTS.values() for _, field in walk(one)]
    used = {field.form for field in fields if field.form}
    assert used <= {*FORMS, "pattern"}
    assert used > {"slug", "sha1"}


def test_no_fixture_is_left_over() -> None:
    known = {*COMMON, *(code for _, code in CODES)}
    for artifact in PLACES:
        for path in (FIXTURES / artifact).glob("*"):
            assert path.stem in known or path.stem.startswith(("valid", "old-")) or path.name == QUOTED, path
