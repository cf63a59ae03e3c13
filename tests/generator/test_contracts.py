"""One YAML file an artifact: what is wrong with it is told, and everything else is made from it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.generator.sample import CONTRACT, write_sample
from tests.kit import sources
from ultra_plugin.artifact import Contract
from ultra_plugin.config import load
from ultra_plugin.errors import UltraError
from ultra_plugin.schema import json_schema
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.contract import contract_module
from ultra_plugin.views import ContractView, markdown_table

RUNTIME = Path(__file__).parent.parent.parent / "plugin_src/runtime"
ORDER = "contracts/work-order.yaml"


def loaded(tmp_path: Path, text: str = CONTRACT) -> Contract:
    return load(SourceTree(write_sample(tmp_path, {ORDER: text}))).contracts["work_order"]


def faults(tmp_path: Path, changes: dict[str, str | bytes | None]) -> list[str]:
    return sources.faults(write_sample(tmp_path, changes), load)


def test_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    broken = CONTRACT.replace("prefix: ORDER", "prefx: ORDER").replace("severity: error", "severity: fatal")
    found = faults(tmp_path, {ORDER: broken, "suite.yaml": "name: 7\n"})
    assert found[:3] == [
        f"{ORDER}:1: missing-key: the file has no 'prefix' (add 'prefix:')",
        f"{ORDER}:4: unknown-key: unknown key 'prefx' in the file (did you mean 'prefix'?)",
        f"{ORDER}:20: bad-value: 'severity' cannot be 'fatal' (known: error, warning)",
    ]
    assert "suite.yaml:1: wrong-type: 'name' must be text (put it in quotes)" in found


GATED = """\
gate:
  dimensions: {reach: {means: How far., detail: gaps}}
  tie_order: [reach]
  verdicts: {PASS: Good., REVISE: Not yet.}
  lowest: 1
  highest: 3
  passes_at: 2
  detail_at: 1
  rounds: 2
  degraded_score: 1
  degraded_verdict: REVISE
"""
REVIEW = "output: order-review\nmeans: The scores.\ngate: work-order\n"


def test_a_broken_contract_is_the_only_fault_that_is_told(tmp_path: Path) -> None:
    """What reads it, or its codes, is not wrong because it could not be read."""
    forms: dict[str, str | bytes | None] = {"outputs/order-review.yaml": REVIEW}
    broken = (CONTRACT + GATED).replace("prefix: ORDER", "prefx: ORDER")
    assert [fault.split(": ")[1] for fault in faults(tmp_path, {ORDER: broken, **forms})] == [
        "missing-key",
        "unknown-key",
    ]
    coded = CONTRACT.replace("type: integer,", "type: integer, code: COMMON_TYPE,")
    common = "codes:\n  COMMON_TYPE: {severity: fatal, means: Wrong., remedy: Fix it.}\n"
    (fault,) = faults(tmp_path / "2", {ORDER: coded, "contracts/common.yaml": common})
    assert fault.startswith("contracts/common.yaml:2: bad-value")
    (fault,) = faults(tmp_path / "3", forms)
    assert fault.endswith("bad-output: 'work-order' has no gate (none exists yet)")


def test_statistics_take_no_free_text(tmp_path: Path) -> None:
    stats = "stats:\n  said: {type: text, means: What was said.}\n  slug: {type: text, means: A name., form: slug}\n"
    (fault,) = faults(tmp_path, {ORDER: CONTRACT + stats})
    assert "'said' of the statistics accepts any text (give it values or a form)" in fault


def test_a_code_stands_in_one_contract_only(tmp_path: Path) -> None:
    other = CONTRACT.replace("work-order", "bill").replace("prefix: ORDER", "prefix: BILL")
    other = other.replace("handover: 1", "handover: 2")
    assert faults(tmp_path, {"contracts/bill.yaml": other}) == [
        f"{ORDER}:20: duplicate-code: ORDER_PARSE_ERROR is also a code of 'bill' (rename one)"
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ORDER_PARSE_ERROR", "order-parse", "20: bad-code: order-parse is not a code (use WORDS_LIKE_THIS)"),
        (
            "field: schema_version",
            "field: schema",
            "10: bad-value: the version's field 'schema' is not a field (did you mean 'schema_version'?)",
        ),
        (
            "  ORDER_P",
            "  ORDER_PARSE_ERROR: {}\n  ORDER_P",
            "duplicate-key: 'ORDER_PARSE_ERROR' is listed twice in 'codes'",
        ),
        ("type: integer", "type: int", "15: bad-value: 'type' cannot be 'int' (did you mean 'integer'?)"),
    ],
)
def test_a_fault_in_a_contract(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert any(expected in fault for fault in faults(tmp_path, {ORDER: CONTRACT.replace(old, new)}))


def test_macros_write_what_the_contract_says(tmp_path: Path) -> None:
    view = ContractView(loaded(tmp_path))
    assert view.values("state") == "`open`, `shut`"
    assert view.value("state", "open") == "`open`"
    assert view.code("ORDER_PARSE_ERROR") == "`ORDER_PARSE_ERROR`"
    assert view.sections() == "Reason"
    assert view.fields_table().splitlines() == [
        "| field            | type           | required | meaning                   |",
        "|------------------|----------------|----------|---------------------------|",
        "| `schema_version` | integer, `1`   | yes      | Version of this contract. |",
        "| `state`          | `open`, `shut` | yes      | How far it is.            |",
    ]
    assert (
        view.codes_table().splitlines()[2]
        == "| `ORDER_PARSE_ERROR` | error    | It is not JSON. | Write it again. |"
    )
    assert view.values_table("state").splitlines()[2] == "| `open` | Not begun. |"
    assert view.sections_table().splitlines()[2] == "| Reason  | yes      | Why it is done. |"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda view: view.value("state", "opn"), "'opn' is not a value of state of the contract work-order"),
        (lambda view: view.code("ORDER_X"), "'ORDER_X' is not a code"),
        (lambda view: view.field("stat"), "did you mean 'state'?"),
        (lambda view: view.values("schema_version"), "has no list of allowed values"),
    ],
)
def test_a_macro_refuses_what_the_contract_does_not_know(tmp_path: Path, call: Any, message: str) -> None:
    with pytest.raises(UltraError) as caught:
        call(ContractView(loaded(tmp_path)))
    assert message in str(caught.value)


def test_everything_inside_a_field_has_its_line(tmp_path: Path) -> None:
    inner = "{type: object, means: Steps., form: step-number, entries: {done: {type: boolean, means: Over., required: false}}}"
    text = CONTRACT.replace(
        "sections:",
        f"  steps: {inner}\n  count: {{type: integer, means: Many., minimum: 1, maximum: 9}}\nsections:",
    )
    rows = [
        line.split("|")[1:4] for line in ContractView(loaded(tmp_path, text)).fields_table().splitlines()[4:]
    ]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["`steps`", "object", "yes"],
        ["`steps.N.done`", "boolean", "no"],
        ["`count`", "integer, 1 to 9", "yes"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "values: {open",
            "legacy: {ajar: opn}, values: {open",
            "'opn' is not a value of 'state' (did you mean 'open'?)",
        ),
        ("values: {open", "moves: {open: [shot]}, values: {open", "'shot' is not a value of 'state'"),
        ("values: {open", "code: ORDER_BAD, values: {open", "the code 'ORDER_BAD' is not listed"),
        (
            "sections:",
            "parts: {x: {heading: '{id}', under: [Cause], means: M., fields: {}}}\nsections:",
            "which is not a section",
        ),
        (
            "current: 1}",
            "current: 1, accepts: [1]}",
            "accepts lists 1, which is not older than the current version 1",
        ),
        ("current: 1}", "current: 1, block: manifest}", "the version's block 'manifest' is not a block"),
    ],
)
def test_a_contract_names_only_what_it_has(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert any(expected in fault for fault in faults(tmp_path, {ORDER: CONTRACT.replace(old, new, 1)}))


def test_cells_with_bars_stay_cells() -> None:
    assert markdown_table(("a",), [("x|y",)]).splitlines()[2] == "| x\\|y |"


@pytest.mark.parametrize(
    ("document", "valid"),
    [
        ({"schema_version": 1, "state": "open"}, True),
        ({"schema_version": 1, "state": "open", "more": []}, True),
        ({"schema_version": 2, "state": "open"}, False),
        ({"schema_version": 1, "state": "ajar"}, False),
        ({"schema_version": 1}, False),
        ({"schema_version": "1", "state": "open"}, False),
    ],
)
def test_the_schema_agrees_with_the_contract(
    tmp_path: Path, document: dict[str, object], valid: bool
) -> None:
    schema = json.loads(json_schema(loaded(tmp_path)))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert jsonschema.Draft202012Validator(schema).is_valid(document) is valid


def test_the_table_is_python_that_says_the_same(tmp_path: Path) -> None:
    odd = CONTRACT.replace("Not begun.", "'It''s \\ \"quoted\" 🦊\u2028 | x'")
    contract = loaded(tmp_path, odd)
    (tmp_path / "table.py").write_text(contract_module(contract), encoding="utf-8")
    script = "import table, json; print(json.dumps([[f.name, f.values] for f in table.CONTRACT.fields]))"
    runtime = {"PYTHONPATH": f"{RUNTIME}:{tmp_path}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=runtime, capture_output=True, check=True)
    fields = json.loads(done.stdout)
    assert [name for name, _ in fields] == list(contract.fields)
    assert fields[1][1] == contract.fields["state"].values


RANGED = f"""\
{CONTRACT}{GATED}parts:
  jobs:
    heading: "Job {{number}}"
    under: [Reason]
    means: One job.
    counted_by: schema_version
    count_code: ORDER_PARSE_ERROR
    fields:
      Hours: {{type: integer, means: How long., minimum: 1, maximum: 8, example: "4"}}
""".replace(
    "values: {open: Not begun., shut: Over.}",
    "values: {open: Not begun., shut: Over.}, example: open, moves: {open: [shut]}, legacy: {closed: shut}",
).replace("write: {mode: strict,", "write: {mode: strict, soft_when: {state: open},")


@pytest.mark.parametrize("rounds", [1, 9])
def test_what_is_in_range_is_taken(tmp_path: Path, rounds: int) -> None:
    gate = loaded(tmp_path, RANGED.replace("  rounds: 2", f"  rounds: {rounds}")).gate
    assert gate
    assert gate.rounds == rounds


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  passes_at: 2", "  passes_at: 9", "passes_at must be from 1 to 3, not 9 (write a score from 1 to 3)"),
        ("  passes_at: 2", "  passes_at: 0", "passes_at must be from 1 to 3, not 0"),
        ("  detail_at: 1", "  detail_at: 4", "detail_at must be from 1 to 3, not 4"),
        ("  degraded_score: 1", "  degraded_score: 0", "degraded_score must be from 1 to 3, not 0"),
        ("  highest: 3", "  highest: 1", "lowest (1) must be less than highest (1)"),
        ("  rounds: 2", "  rounds: 0", "rounds must be from 1 to 9, not 0 (write a number in that range)"),
        ("  rounds: 2", "  rounds: 10", "rounds must be from 1 to 9, not 10"),
        ("  rounds: 2", "  rework_at: 2\n  rounds: 2", "rework_at must be below passes_at (2), not 2"),
        ("tie_order: [reach]", "tie_order: []", "'reach' must be both a dimension of the gate and in tie_order"),
        ("tie_order: [reach]", "tie_order: [reach, reach]", "tie_order lists 'reach' 2 times"),
        ("detail: gaps}", "detail: gaps, passes_at: 5}", "'reach'.passes_at must be from 1 to 3, not 5"),
        ("verdict: REVISE", "verdict: PAS", "the degraded verdict 'PAS' is not one of the verdicts (did you mean 'PASS'?)"),
        ("minimum: 1, maximum: 8", "minimum: 9, maximum: 8", "the minimum of 'Hours' is 9, more than its maximum 8"),
        ('example: "4"', 'example: "9"', "the example of 'Hours' is 9 (write one from 1 to 8)"),
        ('{type: integer, means: How long., minimum: 1, maximum: 8, example: "4"}', '{type: date, means: When., example: 31.01.2026}',
         "the example of 'Hours' is '31.01.2026' (write a day as YYYY-MM-DD)"),
        ('example: "4"', 'example: many', "the example of 'Hours' is 'many' (write a number)"),
        ("example: open", "example: opened", "the example of 'state' is 'opened', which is not one of its values"),
        ("moves: {open: [shut]}", "moves: {open: [shot]}", "'shot' is not a value of 'state' (did you mean 'shut'?)"),
        ("moves: {open: [shut]}", "moves: {opn: [shut]}", "'opn' is not a value of 'state' (did you mean 'open'?)"),
        ("soft_when: {state: open}", "soft_when: {stat: open}", "soft_when names 'stat', which is not a field"),
        ("soft_when: {state: open}", "soft_when: {state: opn}", "soft_when names 'opn', which is not a value of 'state'"),
        ("counted_by: schema_version", "counted_by: schema", "'jobs' is counted by 'schema', which is not a field"),
        ("schema_version\n    count_code: ORDER_PARSE_ERROR", "schema_version", "'jobs' is counted but has no count_code"),
        ("field: schema_version", "field: schema", "the version's field 'schema' is not a field"),
        ("current: 1}", "current: 1, accepts: [2]}", "accepts lists 2, which is not older than the current version 1"),
        ("producer: brief", "producer: breif", "the producer 'breif' is not a stage (did you mean 'brief'?)"),
        ("consumer: review", "consumer: [review, plan]", "the consumer 'plan' is not a stage"),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_told_at_its_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert RANGED.count(old) == 1
    (fault,) = faults(tmp_path, {ORDER: RANGED.replace(old, new)})
    before = RANGED[: RANGED.index(old)]
    assert fault.startswith(f"{ORDER}:{before.count(chr(10)) + 1}: bad-value: {expected}")


def test_two_contracts_with_one_handover_are_told(tmp_path: Path) -> None:
    other = CONTRACT.replace("work-order", "bill").replace("ORDER", "BILL")
    (fault,) = faults(tmp_path, {"contracts/bill.yaml": other})
    assert fault.startswith(f"{ORDER}:3: bad-value: 'bill' has the handover 1 too")
