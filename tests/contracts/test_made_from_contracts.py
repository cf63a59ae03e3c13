"""What is made from the contracts agrees with the validator: schemas, skeletons, the document."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.contracts.conftest import FIXTURES, OWNERS, SUITES, Validate, codes, place
from tests.contracts.test_codes import CODES, COMMON, CONTRACTS, VALID
from ultra_plugin.schema import json_schema
from ultra_plugin.skeleton import skeleton
from ultra_runtime.text.frontmatter import parse

FIELD_CODES = (
    "_BAD_TYPE", "_BAD_VALUE", "_WRONG_TYPE", "_MISSING_FIELD", "_SCHEMA_MISMATCH", "_VERSION_UNSUPPORTED",
    "SETTINGS_UNKNOWN_FIELD",
)  # fmt: skip
# The fault of these stands in the body, of which a schema knows nothing.
IN_THE_BODY = ("REVIEW_MISSING_FIELD", "REVIEW_BAD_VALUE")
SHAPED = ("brief", "research", "review", "progress", "session-state", "settings", "overview", "gaps")


def is_valid(artifact: str, path: Path) -> bool:
    """Check the fields of a fixture by the schema of its artifact."""
    contract = CONTRACTS[artifact]
    types = {name: str(field.type) for name, field in contract.fields.items()}
    data = path.read_bytes()
    if path.suffix == ".yaml":
        values = yaml.safe_load(data) or {}
    else:
        values = json.loads(data) if path.suffix == ".json" else parse(data, types).values
    schema = json.loads(json_schema(contract))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema).is_valid(values)


@pytest.mark.parametrize(("artifact", "fixture"), [pair for pair in VALID if pair[0] in SHAPED])
def test_the_schema_takes_what_is_valid(artifact: str, fixture: str) -> None:
    files = list((FIXTURES / artifact).glob(f"{fixture}.*"))
    for path in files or sorted((FIXTURES / artifact / fixture / "research").iterdir()):
        assert is_valid(artifact, path), path


@pytest.mark.parametrize(
    ("artifact", "code"),
    [
        (artifact, code)
        for artifact, code in CODES
        if artifact in SHAPED and code.endswith(FIELD_CODES) and code not in IN_THE_BODY
    ],
)
def test_the_schema_refuses_what_is_not(artifact: str, code: str) -> None:
    (path,) = (FIXTURES / artifact).glob(f"{code}.*")
    assert not is_valid(artifact, path)


@pytest.mark.parametrize("artifact", ["brief", "research", "review"])
def test_a_skeleton_with_its_braces_filled_is_valid(
    repository: Path, validate: Validate, artifact: str
) -> None:
    text = skeleton(CONTRACTS[artifact], parts=1)
    assert "{" in text
    filled = text.replace("{", "").replace("}", "") if artifact != "review" else _filled_review(text)
    target = place(repository, artifact, "valid")
    target.write_text(filled)
    answer, _ = validate(artifact, target)
    assert codes(answer)["errors"] == [], answer
    assert set(codes(answer)["warnings"]) <= {"RESEARCH_NO_CONFIDENCE"}


def _filled_review(text: str) -> str:
    name = "a" * 40
    text = text.replace("findings: []", f"findings: [{name}]").replace("{id}", name)
    text = text.replace('scope_sha_end: "{Last commit reviewed.}"', f"scope_sha_end: {'b' * 40}")
    return text.replace("{", "").replace("}", "")


@pytest.mark.parametrize("plugin", SUITES)
def test_the_document_names_everything(bundle: Path, plugin: str) -> None:
    text = (bundle.parent / plugin / "docs/HANDOVER-CONTRACTS.md").read_text()
    contracts = [one for one in SUITES[plugin].contracts.values() if OWNERS[one.artifact] == plugin]
    for code in [*COMMON, *(code for one in contracts for code in one.codes)]:
        assert f"| `{code}`" in text, code
    for contract in contracts:
        chapter = text.split(f"## {contract.handover}. {contract.title}\n")[1].split("\n## ")[0]
        headings = (
            "Producer:",
            "Consumer:",
            "Path when",
            "### Validation",
            "### Versioning",
            "### Failure modes",
        )
        found = [chapter.find(heading) for heading in headings]
        assert -1 not in found, contract.artifact
        assert found == sorted(found), "every chapter has the same order"
        assert all(f"`{place.path}`" in chapter for place in contract.places)
        assert all(f"`{name}`" in chapter for name in contract.fields)
        assert all(f"| {name} " in chapter for name in contract.sections)
    assert text.count("| handover ") == 2
    assert "{{" not in text
