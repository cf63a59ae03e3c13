"""An agent's answer against its form: by the verb, by the hook, and the forms themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generator.sample import write_sample
from tests.kit.calls import Ultra
from tests.kit.model import fenced
from tests.kit.names import COMMANDS, NAME, ROOT
from ultra_plugin.config import load
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree

FINDING = {"dimension": 1, "claim": "It is so.", "source": "src/a.py:3", "kind": "code"}
REPORT = {"status": "complete", "findings": [FINDING], "gaps": []}
SCORES = {
    "completeness": {"score": 5, "gaps": []},
    "consistency": {"score": 4, "issues": []},
    "testability": {"score": 2, "weak_criteria": ["'fast'"]},
    "scope_clarity": {"score": 5, "unclear_sections": []},
    "research_plan": {"score": 5, "invalid_topics": []},
    "verdict": "REVISE",
}


def faults(ultra: Ultra, agent: str, answer: str) -> list[str]:
    told = ultra("check-output", agent, given=answer)
    assert told.status == 0
    assert told.data["valid"] is (not told.data["faults"])
    found = told.data["faults"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("agent", ["local-structure", f"{NAME}:web-docs", "gemini-bridge"])
def test_a_report_in_its_form(ultra: Ultra, agent: str) -> None:
    assert faults(ultra, agent, fenced(REPORT)) == []


@pytest.mark.parametrize(
    ("report", "fault"),
    [
        ({"status": "complete", "findings": []}, "gaps is missing"),
        ({**REPORT, "status": "done"}, 'status must be complete, partial or unavailable, not "done"'),
        ({**REPORT, "findings": "none"}, 'findings must be a list, not "none"'),
        ({**REPORT, "findings": [{**FINDING, "kind": "rumour"}]}, "findings[1].kind must be "),
        (
            {**REPORT, "findings": [{**FINDING, "dimension": 0}]},
            "findings[1].dimension must be at least 1, not 0",
        ),
        ({**REPORT, "findings": [{**FINDING, "source": " "}]}, "findings[1].source is empty"),
        ({**REPORT, "findings": [FINDING, "x"]}, 'findings[2] must be an object, not "x"'),
        ({**REPORT, "opinion": "yes"}, "opinion is not a key of this form"),
    ],
)
def test_what_is_wrong_is_named(ultra: Ultra, report: object, fault: str) -> None:
    assert [one for one in faults(ultra, "local-tests", fenced(report)) if fault in one]


@pytest.mark.parametrize(
    "answer", ["Nothing.", "```json\n{\n```", "```json\n[]\n```", '```yaml\n{"a": 1}\n```']
)
def test_an_answer_without_a_block_that_can_be_read(ultra: Ultra, answer: str) -> None:
    assert len(faults(ultra, "web-issues", answer)) == 1


def test_the_last_block_counts_even_indented_by_the_client(ultra: Ultra) -> None:
    answer = f"{fenced({'an': 'example'})}\n\n{fenced(REPORT)}"
    assert faults(ultra, "web-issues", "\n".join("  " + line for line in answer.splitlines())) == []


def test_a_review_is_read_as_the_gate_reads_it(ultra: Ultra) -> None:
    assert faults(ultra, "brief-reviewer", fenced(SCORES)) == []
    bare = {**SCORES, "testability": {"score": 2, "weak_criteria": []}}
    assert faults(ultra, "brief-reviewer", fenced(bare)) == [
        "testability.weak_criteria is empty although its score is 2"
    ]
    half = {name: value for name, value in SCORES.items() if name != "consistency"}
    assert "consistency.score must be a whole number from 1 to 5" in faults(
        ultra, "brief-reviewer", fenced(half)
    )
    assert faults(ultra, "brief-reviewer", fenced({**SCORES, "verdict": "FINE"}))


def test_an_unknown_agent_is_wrong_usage(ultra: Ultra) -> None:
    told = ultra("check-output", "local-structur", given="x")
    assert (told.status, "did you mean local-structure?" in told.data["error"]) == (2, True)


def stopped(agent: str, answer: str, active: bool = False) -> dict[str, object]:
    return {"agent_type": agent, "last_assistant_message": answer, "stop_hook_active": active}


def test_the_hook_sends_an_answer_back_once(ultra: Ultra) -> None:
    told = ultra.hook("agent_answer", stopped(f"{NAME}:web-docs", "no block"))
    said = json.loads(told.out)
    assert (told.status, said["decision"], "the required form" in said["reason"]) == (0, "block", True)
    for quiet in (
        stopped(f"{NAME}:web-docs", "no block", active=True),
        stopped(f"{NAME}:web-docs", fenced(REPORT)),
        stopped("web-docs", "no block"),
        stopped("other:web-docs", "no block"),
        stopped(f"{NAME}:nobody", "no block"),
        {},
        b"not json \xff",
        b"",
    ):
        told = ultra.hook("agent_answer", quiet)
        assert (told.status, told.out) == (0, "")


def test_an_agent_without_a_form_and_a_form_without_an_agent_do_not_build(tmp_path: Path) -> None:
    form = "output: verdict\nmeans: What it says.\nfields: {word: {type: text, means: One word.}}\n"
    source = write_sample(tmp_path, {"outputs/verdict.yaml": form})
    from ultra_plugin.pipeline import checked

    with pytest.raises(ProblemsFound) as caught:
        checked(SourceTree(source), "dist")
    assert {one.code for one in caught.value.problems} >= {"agent-without-output", "unused-output"}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (
            "output: other\nmeans: x\nfields: {a: {type: text, means: b}}\n",
            "is not in outputs/",
        ),
        ("output: verdict\nmeans: x\n", "needs exactly one of fields, gate and scores"),
        ("output: verdict\nmeans: x\ngate: work-order\n", "has no gate"),
        (
            "output: verdict\nmeans: x\nfields: {a: {type: text, means: b, values_of: x.y}}\n",
            "'x.y' must be a part of a contract whose sections name values",
        ),
        (
            "output: verdict\nmeans: x\nscores: {dimensions: {a: {means: b, detail: c}},"
            " tie_order: [a], verdicts: {GO: d}, lowest: 1, highest: 2, passes_at: 2, detail_at: 1, rounds: 1,"
            " degraded_score: 1, degraded_verdict: GO, scale: {'1': bad}}\n",
            "the scale of the gate does not name every score",
        ),
    ],
)
def test_a_form_with_a_fault_is_named(tmp_path: Path, form: str, message: str) -> None:
    source = write_sample(tmp_path, {"outputs/verdict.yaml": form})
    with pytest.raises(ProblemsFound) as caught:
        load(SourceTree(source))
    assert [one for one in caught.value.problems if message in one.message]


def test_a_prompt_shows_the_block_that_is_checked(tmp_path: Path) -> None:
    form = (
        "output: verdict\nmeans: What it says.\nfields:\n"
        "  word: {type: text, means: One word., values: {yes: It is., no: It is not.}}\n"
        "  reasons: {type: list, items: text, means: why}\n"
    )
    agent = "---\nname: critic\ndescription: Finds what is wrong with a brief and says so\ntools: Read\noutput: verdict\n---\n"
    source = write_sample(
        tmp_path,
        {
            "outputs/verdict.yaml": form.replace("{yes:", '{"yes":').replace("no: It", '"no": It'),
            "plugins/acme-plan/agents/critic.md.j2": agent + "{{ output('critic').block() }}\n",
        },
    )
    (bundle,) = render(SourceTree(source), load(SourceTree(source)))
    text = bundle.files["agents/critic.md"].text
    assert '```json\n{\n  "word": "yes | no",\n  "reasons": ["why"]\n}\n```' in text


def test_severities_are_spelled_in_the_contract_of_the_review_alone(bundle: Path) -> None:
    suite = load(SourceTree(ROOT / "plugin_src"))
    sections = [name for name in suite.contracts["review"].sections if name.startswith("Findings")]
    words = [name[len("Findings (") : -1] for name in sections]
    for agent, path in {
        "test-reviewer": ("findings", "severity"),
        "conformance-reviewer": ("findings", "severity"),
        "review-coordinator": ("severity", "to"),
    }.items():
        field = suite.outputs[agent].fields[path[0]].fields[path[1]]
        assert list(field.values or ()) == words
    forms = "".join(path.read_text() for path in (ROOT / "plugin_src/outputs").glob("*.yaml"))
    assert not [word for word in words if word in forms]


def test_the_tables_of_the_pipeline_name_every_reader_and_what_an_agent_may_use(bundle: Path) -> None:
    text = (bundle / "docs/PIPELINE.md").read_text()
    rows = {line.split("`")[1]: line for line in text.split("\n") if line.startswith(("| `", "| [`"))}
    assert "| `brief`, `research`, `architecture`, `review` " in rows[COMMANDS["plan"]]
    assert "| `brief` " in rows[COMMANDS["review"]]
    assert "Bash, mcp__gemini" in rows["gemini-bridge"]
