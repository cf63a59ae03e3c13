"""Faults of eval cases, which the client finds only when it runs them, and some not even then."""

from __future__ import annotations

import pytest

from tests.check.plugins import MANIFEST, Case, Files, bundle_of, changed, edit
from ultra_plugin.check import check_bundle

YAML, PROMPT, GRADER = "evals/plan/case.yaml", "evals/plan/prompt.md", "evals/plan/graders/said.md"
TOP = 'schema_version: "1.1"\nname: plan\n'
GRADERS = "graders:\n- {name: done, type: regex, pattern: done}\n"
RUN = "execution:\n  prompt: Do it.\n  allowed_tools: [Read, Bash]\n"
WHOLE: Files = {YAML: f"{TOP}{GRADERS}", PROMPT: "/pipe:brief now\n"}


def case(text: str, code: str, line: int, *also: str) -> Case:
    """Expect a fault in a case.yaml, after its first two lines."""
    return Case({**WHOLE, YAML: f"{TOP}{text}"}, code, YAML, line, also=also)


def grader(text: str, code: str = "eval-value") -> Case:
    """Expect a fault in a grader of a case.yaml."""
    return case(f"{RUN}graders:\n- {{name: one, {text}}}\n", code, 7)


def prompt(header: str, code: str, line: int) -> Case:
    """Expect a fault in what stands above a prompt."""
    return Case({**WHOLE, PROMPT: f"---\n{header}\n---\nDo it.\n"}, code, PROMPT, line)


CASES = (
    # does it parse
    case("graders: [\n", "eval-yaml", 4),
    case("description: one: two\n", "eval-yaml", 3),
    prompt("tags: [", "eval-yaml", 3),
    case(f"{GRADERS}runs: 1\nruns: 2\n", "duplicate-key", 6),
    # a case
    Case({**WHOLE, YAML: f"name: plan\n{GRADERS}"}, "eval-value", YAML, 1),
    Case({**WHOLE, YAML: f"schema_version: 1.1\nname: plan\n{GRADERS}"}, "eval-value", YAML, 1),
    Case({**WHOLE, YAML: f'schema_version: "2.0"\nname: plan\n{GRADERS}'}, "eval-value", YAML, 1),
    case(f"{GRADERS}run: 3\n", "eval-key", 5),
    case(f"{GRADERS}runs: 51\n", "eval-value", 5),
    case(f"{GRADERS}context:\n  scaffold: a.sh\n", "eval-key", 6),
    case(f"{GRADERS}execution:\n  env: {{TOKEN: x}}\n", "eval-value", 6),
    case(f"{GRADERS}execution:\n  allowed_tools: [Raed]\n", "unknown-tool", 6),
    case(f"{GRADERS}execution:\n  disallowed_tools:\n  - Bash(\n", "malformed-rule", 7),
    case(f"{GRADERS}context:\n  scaffold_script: gone.sh\n", "dangling-file", 6),
    case(f"{GRADERS}context:\n  history_file: gone.jsonl\n", "dangling-file", 6),
    case("", "eval-incomplete", 1),
    Case({YAML: f"{TOP}{GRADERS}"}, "eval-incomplete", YAML, 1),
    # the header of a prompt
    prompt("max_turn: 5", "eval-key", 2),
    prompt("max_turns: 201", "eval-value", 2),
    prompt("tags: one", "eval-value", 2),
    prompt("allowed_tools: [Read,\n  Baash]", "unknown-tool", 3),
    # graders
    grader("type: rgx, pattern: a"),
    grader("type: regex"),
    grader("type: regex, pattern: a, target: last"),
    grader("type: regex, pattern: a, match: count"),
    grader("type: regex, pattern: a, flags: q"),
    grader("type: regex, pattern: '('"),
    grader("type: regex, pattern: a, wieght: 2", "eval-key"),
    grader("type: tool_order, before: Read"),
    grader("type: tool_order, before: Read, after: {tool: Bash, input_match: '['}"),
    grader("type: tool_used, tool: Bash, min: -1"),
    grader("type: tool_used, tool: Write", "eval-ungranted"),
    grader("type: file_exists, path: a, exists: 'no'"),
    grader("type: baseline, baseline_file: gone.md, criteria: same", "dangling-file"),
    grader("type: regex, pattern: '/pipe:brieff'", "dangling-command"),
    case(f"{GRADERS}- {{name: done, type: file_exists, path: a}}\n", "duplicate-name", 5),
    Case({**WHOLE, GRADER: "---\ntype: regex\n---\n"}, "eval-value", GRADER, 2),
    Case({**WHOLE, GRADER: "---\ntype: regex\nwhat: x\n---\nsaid\n"}, "eval-key", GRADER, 3),
    # prompts are texts like all others
    Case({**WHOLE, PROMPT: "/pipe:breif now\n"}, "dangling-command", PROMPT, 1),
)  # fmt: skip


@pytest.mark.parametrize("fault", CASES, ids=str)
def test_a_fault_is_found_at_its_line(fault: Case) -> None:
    fault.assert_found_in(check_bundle(bundle_of(changed(fault.change))))


GOOD: dict[str, Files] = {
    "both files": WHOLE,
    "one file": {YAML: f"{TOP}{RUN}{GRADERS}"},
    "no case.yaml": {
        PROMPT: "---\nmax_turns: 6\nruns: 1\nallowed_tools: [Read, 'Bash(pipe:*)', Skill]\n---\nDo it.\n",
        GRADER: "---\ntype: regex\ntarget: trace\n---\nsaid so\n",
    },
    "everything": {
        YAML: f"{TOP}tags: [a]\nruns: 2\ncontext:\n  scaffold_script: s.sh\n{RUN}  env: {{EVAL_A: x}}\n"
        "graders:\n- name: file\n  type: regex\n  target: {source: file, path: a}\n  pattern: a\n  match: count:2\n"
        "- {name: order, type: tool_order, before: Read, after: {tool: Bash, input_match: '^a'}}\n"
        "- {name: never, type: tool_used, tool: Write, min: 0, max: 0, weight: 0.5, arm: both}\n"
        "- {name: there, type: file_exists, path: '**/a', exists: false}\n"
        "- {name: judge, type: llm, criteria: good, focus: files}\n",
        "evals/plan/s.sh": "true\n",
    },
    "a mock": {**WHOLE, "evals/mocks/issues/prompt.md": "---\nerror: true\n---\nno\n"},
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_case_is_left_alone(name: str) -> None:
    assert check_bundle(bundle_of(changed(GOOD[name]))) == []


def test_the_folder_that_the_manifest_names_is_the_one() -> None:
    named = edit(MANIFEST, '"license": "MIT"', '"license": "MIT", "experimental": {"evals": "./trials"}')
    faulty: Files = {"trials/plan/case.yaml": TOP, "evals/plan/case.yaml": "["}
    (found, other) = check_bundle(bundle_of(changed({**named, **faulty})))
    assert {(one.path, one.code) for one in (found, other)} == {("trials/plan/case.yaml", "eval-incomplete")}
