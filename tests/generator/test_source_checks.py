"""The source half of the check: what only the templates can show, with their own file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.sample import COMMAND, CONTRACT, PLUGIN, README, write_sample
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree

FOLDER = "plugins/acme-plan"
BRIEF = f"{FOLDER}/commands/brief.md.j2"
VERB = '"""Say how far a work order is."""\nUSAGE = "status PATH [--long]"\n\n\ndef run(args):\n    return args.flag("--long")\n'


RUNTIME: dict[str, str | bytes | None] = {
    "runtime/ultra_runtime/verbs/status.py": VERB,
    "runtime/bin/launcher": "#!/bin/sh\n",
    f"{FOLDER}/plugin.yaml": PLUGIN + "runtime: {launcher: ultra}\nfill: true\n",
}


def found(tmp_path: Path, changes: dict[str, str | bytes | None]) -> list[str]:
    tree = SourceTree(write_sample(tmp_path, changes))
    try:
        checked(tree, "dist")
    except ProblemsFound as error:
        return [
            f"{problem.path.removeprefix(f'{tree.root}/')}:{problem.line}: {problem.code}"
            for problem in error.problems
        ]
    return []


def with_line(line: str) -> dict[str, str | bytes | None]:
    """Return the command with one more line at its end, which is line 11."""
    return {BRIEF: COMMAND + line + "\n"}


def test_the_sample_is_sound(tmp_path: Path) -> None:
    assert found(tmp_path, {}) == []


@pytest.mark.parametrize(
    "line",
    [
        "Refused with ORDER_PARSE_ERROR.",
        "The state is `open` now.",
        "| open | not begun |",
        '| "shut" | over |',
        "This is version 1.2.3 of it.",
        "Write `schema_version: 1` there.",
        '    {"schema_version": 1}',
    ],
)
def test_what_a_contract_says_is_not_spelled_by_hand(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, with_line(line)) == [f"{BRIEF}:11: spelled-by-hand"]


PARTED = CONTRACT.replace(
    "sections:",
    """parts:
  items:
    heading: "Item {number}: {title}"
    under: [Reason]
    means: One thing.
    fields: {Urgency: {type: text, means: How soon., values: {high: Today., low: Later.}}}
sections:""",
).replace("values: {open", "values: {review: Looked at., open")


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("The risk is `high`.", False),
        ("| high | a risk |", False),
        ("Write Urgency as `high`.", True),
        ("| urgency | `low` |", True),
        ("Then comes `review`.", False),
        ("The state is `review`.", True),
        ("Write `## Reason` first.", True),
        ("The reason is clear.", False),
    ],
)
def test_everyday_words_count_beside_their_field_only(tmp_path: Path, line: str, is_told: bool) -> None:
    problems = found(tmp_path, {**with_line(line), "contracts/work-order.yaml": PARTED})
    assert problems == ([f"{BRIEF}:11: spelled-by-hand"] if is_told else [])


@pytest.mark.parametrize(
    "line",
    [
        "Leave the window open.",
        "{{ contract.work_order.value('state', 'open') }} and {{ contract.work_order.code('ORDER_PARSE_ERROR') }}",
        "Keep `open()` and `--open` and ORDERLY_CODE and `opened`.",
        "{# the state is `open` #}",
        "Version {{ version }}, not 11.2.3 or 1.2.34.",
        "| opened | shutter |",
    ],
)
def test_other_words_are_left_alone(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, with_line(line)) == []


def test_hand_spelling_in_a_fragment_is_told_there(tmp_path: Path) -> None:
    assert found(tmp_path, {"fragments/rules.md.j2": "Rule one.\n\nIt is `shut`.\n"}) == [
        "fragments/rules.md.j2:3: spelled-by-hand"
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Call `ultra stat x`.", "dangling-verb"),
        ("    ultra stat x", "dangling-verb"),
        ("Call `ultra status x --lon`.", "dangling-flag"),
        ("Call `ultra guide brief none`.", "dangling-verb"),
        ("It says ORDER_PARSE_EROR.", "dangling-code"),
        ("See [there](docs/gone.md).", "dangling-file"),
        ("Go on with /acme-plan:gone.", "dangling-command"),
        ("Ask acme-plan:gone.", "dangling-agent"),
    ],
)
def test_a_reference_to_nothing_has_its_source_line(tmp_path: Path, line: str, code: str) -> None:
    changes = with_line(line) | RUNTIME
    assert f"{BRIEF}:11: {code}" in found(tmp_path, changes)


def test_a_call_that_exists_is_fine(tmp_path: Path) -> None:
    changes = with_line("Call `{{ verb('status') }} x --long --json`, or just talk about ultra things.")
    assert found(tmp_path, changes | RUNTIME) == []


def test_a_problem_in_an_included_line_is_told_at_the_fragment(tmp_path: Path) -> None:
    fragment = "Rule: {{ contract.work_order.values('state') }}.\n\nSee /acme-plan:gone.\n"
    assert found(tmp_path, {"fragments/rules.md.j2": fragment}) == [
        "fragments/rules.md.j2:3: dangling-command"
    ]


def test_each_problem_of_a_filled_paragraph_keeps_its_source_line(tmp_path: Path) -> None:
    """The four lines become one, and what is wrong in two of them is told for each, in order."""
    changes = with_line("Short lines\nwith /acme-plan:gone\nthat a reader sees\nas one: /acme-plan:gone.")
    assert found(tmp_path, changes) == [f"{BRIEF}:12: dangling-command", f"{BRIEF}:14: dangling-command"]


def test_what_only_filling_shows_is_told_where_the_line_begins(tmp_path: Path) -> None:
    changes = with_line("\nCall `ultra\nstat x` now.") | RUNTIME
    assert found(tmp_path, changes) == [f"{BRIEF}:12: dangling-verb"]


def test_prose_may_begin_a_line_with_the_name_of_the_program(tmp_path: Path) -> None:
    changes = with_line("\nultra things are fine here.\n\n```sh\nultra stat x\n```") | RUNTIME
    assert found(tmp_path, changes) == [f"{BRIEF}:15: dangling-verb"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("\n# Another title", "second-title"),
        ("\n### Too deep", "heading-level"),
        ("\nIt is {{ '{{ name }}' }}.", "template-noise"),
        ("\n{{ '{%' }} if it %}", "template-noise"),
    ],
)
def test_what_a_reader_would_stumble_over(tmp_path: Path, line: str, code: str) -> None:
    assert found(tmp_path, with_line(line)) == [f"{BRIEF}:12: {code}"]


@pytest.mark.parametrize(
    "line",
    [
        "\n## Deeper\n\n### And deeper\n\n## Up again",
        "\n```\n# a comment\n# another\n{{ '{{ name }}' }}\n```",
        "\n    # a comment\n    {{ '{{ name }}' }}",
        "\nIn a template write `{{ '{{ name }}' }}`.",
    ],
)
def test_what_a_reader_takes_in_stride(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, with_line(line)) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"fragments/lonely.md.j2": "x\n"}, ["fragments/lonely.md.j2:0: unused-fragment"]),
        ({BRIEF: COMMAND.replace("{{ agent('critic') }}", "nobody")}, [f"{FOLDER}/agents/critic.md.j2:0: unused-agent"]),
        ({BRIEF: COMMAND.replace("allowed-tools: Read", "allowed-tools: Reed")}, [f"{BRIEF}:4: unknown-tool"]),
        ({BRIEF: COMMAND.replace("allowed-tools", "budget: {on_invoke: 9}\nallowed-tools")}, [f"{BRIEF}:4: over-budget"]),
        (
            {BRIEF: COMMAND.replace("allowed-tools: Read", "budget: {on_invoke: 900}\nallowed-tools: Reed")},
            [f"{BRIEF}:5: unknown-tool"],
        ),
        ({"suite.yaml": "name: acme\ndescription: Tools of the Acme company.\nowner: {name: Acme}\nlicense: MIT\n"
                        "oldest_client: 2.1.197\nversion: v1\n"}, [f"{FOLDER}/plugin.yaml:0: not-semver"]),
        ({f"{FOLDER}/README.md.j2": README.split("\n\n", 2)[0] + "\n"}, [f"{FOLDER}/README.md.j2:1: readme-short"]),
    ],
)  # fmt: skip
def test_what_the_client_would_not_see(
    tmp_path: Path, changes: dict[str, str | bytes | None], expected: list[str]
) -> None:
    assert set(expected) <= set(found(tmp_path, changes))


def test_a_missing_icon_or_readme_is_told_where_its_source_would_be(tmp_path: Path) -> None:
    tree = SourceTree(
        write_sample(tmp_path, {f"{FOLDER}/icon/icon.png": None, f"{FOLDER}/README.md.j2": None})
    )
    with pytest.raises(ProblemsFound) as caught:
        checked(tree, "dist")
    assert [str(problem).replace(f"{tree.root}/", "") for problem in caught.value.problems] == [
        f"{FOLDER}/README.md.j2: readme-missing: does not exist (add {FOLDER}/README.md.j2)",
        f"{FOLDER}/icon/icon.png: icon-missing: does not exist (add {FOLDER}/icon/icon.png)",
    ]


def test_a_budget_is_told_at_its_line_with_what_to_raise(tmp_path: Path) -> None:
    head = COMMAND.replace("allowed-tools", "budget:\n  closure: 900\n  on_invoke: 9\nallowed-tools")
    tree = SourceTree(write_sample(tmp_path, {BRIEF: head}))
    with pytest.raises(ProblemsFound) as caught:
        checked(tree, "dist")
    (problem,) = caught.value.problems
    assert (problem.line, problem.remedy) == (4, "shorten it, or raise on_invoke in `budget:`")


def test_a_contract_without_fixtures_is_told_where_there_are_some(tmp_path: Path) -> None:
    other: dict[str, str | bytes | None] = {"contracts/fixtures/bill/valid.json": "{}"}
    assert found(tmp_path, other) == ["contracts/work-order.yaml:0: untested-contract"]


def test_the_changelog_must_know_the_version(tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.2] - 2026-01-01\n")
    assert found(tmp_path, {}) == [f"{tmp_path}/CHANGELOG.md:0: changelog"]


def test_a_plugin_without_a_runtime_needs_no_verbs(tmp_path: Path) -> None:
    assert CONTRACT  # the sample has a contract and no runtime
    assert found(tmp_path, with_line("Say `ultra whatever`.")) == []


MERGED = "A heading\n=======\n\n<<<<<<< HEAD\nmine\n||||||| base\nold\n=======\nyours\n>>>>>>> other\n\nAnother\n=======\n"


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("fragments/rules.md.j2", MERGED, [4, 6, 8, 10]),
        ("suite.yaml", "<<<<<<< HEAD\nname: a\n=======\nname: b\n>>>>>>> other\n", [1, 3, 5]),
        ("runtime/ultra_runtime/verbs/status.py", "x = 1\n>>>>>>> other\n", [2]),
        ("contracts/fixtures/work-order/valid.json", "<<<<<<< HEAD\n{}\n", [1]),
    ],
)
def test_conflict_markers_are_told_before_anything_is_read(
    tmp_path: Path, path: str, text: str, lines: list[int]
) -> None:
    assert found(tmp_path, {path: text}) == [f"{path}:{line}: conflict-marker" for line in lines]


def test_an_underlined_heading_is_no_conflict(tmp_path: Path) -> None:
    text = "A heading\n=======\n\nSay `<<<<<<< HEAD` when it happens.\n"
    assert found(tmp_path, {"fragments/rules.md.j2": text}) == []
