"""The id of a finding outlives shifted lines and white space, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.calls import Ultra
from ultra_runtime.review.finding import FindingError, finding_id

FINDING = {"path": "src/limit.py", "rule": "no-silent-failure", "evidence": "except StoreError:\n    pass"}
TEXT = st.text(min_size=1).filter(str.strip)
FINDINGS = st.fixed_dictionaries({"path": TEXT, "rule": TEXT, "evidence": TEXT})


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": "    except StoreError:\n\n\n        pass   "},
        {"evidence": "except StoreError:\tpass"},
        {"evidence": "except  StoreError :\r\npass"},
        {"path": "./src/limit.py"},
        {"path": "src//limit.py"},
        {"path": "src/limit.py:42"},
        {"path": "src/limit.py:77-80"},
        {"rule": " no-silent-failure\n"},
        {"line": 7},
    ],
)
def test_what_does_not_change_the_id(change: dict[str, Any]) -> None:
    assert finding_id({**FINDING, **change}) == finding_id(FINDING)


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": "except StoreError:\n    raise"},
        {"evidence": "Except StoreError:\n    pass"},
        {"path": "src/limits.py"},
        {"path": "/src/limit.py"},
        {"rule": "no-silent-failures"},
        {"path": "src", "rule": "limit.pyno-silent-failure"},
    ],
)
def test_what_changes_the_id(change: dict[str, Any]) -> None:
    assert finding_id({**FINDING, **change}) != finding_id(FINDING)


@given(FINDINGS, st.sampled_from([" ", "\n", "\t", "\r\n", "  \n  "]), st.integers(0))
def test_white_space_anywhere_does_not_matter(finding: dict[str, str], space: str, at: int) -> None:
    evidence = finding["evidence"]
    cut = at % (len(evidence) + 1)
    spaced = {**finding, "evidence": evidence[:cut] + space + evidence[cut:]}
    assert finding_id(spaced) == finding_id(finding)


@given(FINDINGS, FINDINGS)
def test_findings_that_differ_have_ids_that_differ(one: dict[str, str], other: dict[str, str]) -> None:
    def bare(finding: dict[str, str]) -> tuple[str, ...]:
        return tuple("".join(finding[name].split()) for name in ("rule", "evidence"))

    if bare(one) != bare(other):
        assert finding_id(one) != finding_id(other)


def test_one_finding(ultra: Ultra) -> None:
    assert ultra("finding-id", given=json.dumps(FINDING)).data == {"ok": True, "id": finding_id(FINDING)}
    assert ultra.say("finding-id", given=json.dumps(FINDING, indent=2)).out.strip() == finding_id(FINDING)
    assert finding_id(FINDING) == "e7b914166c8ce791840528ec46662afb84e0a532", (
        "reviews that exist name findings by it"
    )


def test_a_batch_answers_line_by_line(ultra: Ultra) -> None:
    lines = [json.dumps({**FINDING, "rule": f"rule-{number}"}) for number in range(200)]
    for flags in (["--batch"], ["--batch", "--json"]):
        told = ultra.say("finding-id", *flags, given="\n".join(lines) + "\n")
        ids = [json.loads(line)["id"] for line in told.out.splitlines()]
        assert (told.status, len(set(ids))) == (0, 200)
        assert ids[3] == finding_id({**FINDING, "rule": "rule-3"})


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nonsense", '{"path": "a", "rule": "b"}', '{"path": "a", "rule": "b", "evidence": " "}',
             '{"path": "a", "rule": 7, "evidence": "c"}', '{"path": "a", "rule": "b", "evidence": "\\ud800"}'],
)  # fmt: skip
def test_what_cannot_have_an_id_is_told(ultra: Ultra, line: str) -> None:
    one = ultra("finding-id", given=line)
    assert (one.status, one.data["ok"]) == (1, False)
    batch = ultra.say("finding-id", "--batch", given=f"{json.dumps(FINDING)}\n{line}\n")
    answers = [json.loads(told) for told in batch.out.splitlines()]
    assert batch.status == 1
    assert answers[0] == {"id": finding_id(FINDING)}
    assert list(answers[1]) == ["error"]


def test_the_first_part_that_is_missing_is_named() -> None:
    for at, name in enumerate(("path", "rule", "evidence")):
        for bad in (None, "", " \n", 7, ["a"]):
            later = dict.fromkeys(("path", "rule", "evidence")[at + 1 :])
            with pytest.raises(FindingError, match=f"^missing {name}: give path, rule and evidence as text$"):
                finding_id({**FINDING, **later, name: bad})


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"\0", b"{" * 100_000])
def test_any_bytes(ultra: Ultra, data: bytes) -> None:
    for flag in ("--json", "--batch"):
        told = ultra.say("finding-id", flag, given=data)
        assert told.status in (0, 1)
        assert "Traceback" not in told.err
