"""What goes with the stages that a fork switches off, for every set of stages, and what a discriminator renames."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
import yaml

from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.naming import with_discriminators
from ultra_plugin.overlay.stages import Cut
from ultra_plugin.overlay.values import Value, as_value, written

FOLDER = "plugins/acme"
STAGES = ("ask", "plan", "do", "judge")
SETS = [off for size in range(1, len(STAGES)) for off in combinations(STAGES, size)]


def files_with(stage: str) -> dict[str, str]:
    """Return what belongs to one stage: it must go with the stage, and with no other."""
    later = STAGES[STAGES.index(stage) :]
    return {
        f"{FOLDER}/commands/{stage}.md.j2": f"{{{{ agent('{stage}-first') }}}} {{{{ agent('shared') }}}}"
        f"{{% for one in agents_with('{stage}-role') %}}",
        f"{FOLDER}/docs/commands/{stage}.md.j2": "x",
        f"{FOLDER}/guides/{stage}/more.md": "x",
        f"{FOLDER}/agents/{stage}-first.md.j2": f"{{{{ agent('{stage}-second') }}}}",
        f"{FOLDER}/agents/{stage}-second.md.j2": "x",
        f"{FOLDER}/agents/{stage}-third.md.j2": f"---\nrole: [other, {stage}-role]\n---\n",
        f"{FOLDER}/evals/{stage}-works/case.yaml": "x",
        f"{FOLDER}/evals/of-an-agent-{stage}/case.yaml": "x",
        f"{FOLDER}/evals/of-an-agent-{stage}/prompt.md": f'{{{{ agent("{stage}-second") }}}}',
        f"{FOLDER}/evals/of-a-command-{stage}/prompt.md": f"{{{{ command('{stage}') }}}}",
        f"contracts/{stage}-note.yaml": f"producer: {stage}\nconsumer: [{', '.join(later)}]\n",
        f"contracts/fixtures/{stage}-note/valid.md": "x",
        f"{FOLDER}/templates/{stage}-note.md.j2": "x",
        f"{FOLDER}/docs/examples/one/{stage}-note.md": "x",
    }


def upstream() -> dict[str, str]:
    """Return the files of a plugin with four stages, and those of another plugin."""
    rows = {stage: {"command": stage, "next": after} for stage, after in pairwise(STAGES)}
    kept = {
        f"{FOLDER}/plugin.yaml": yaml.safe_dump(
            {"name": "acme", "pipeline": {**rows, "judge": {"command": "judge"}}}
        ),
        f"{FOLDER}/agents/shared.md.j2": "x",
        f"{FOLDER}/agents/alone.md.j2": "x",
        f"{FOLDER}/evals/free/prompt.md": "{{ agent('shared') }}",
        f"{FOLDER}/docs/asking.md": "x",
        "contracts/fixtures.yaml": "producer: elsewhere\nconsumer: another stage\n",
        "contracts/none.yaml": "title: made by nobody\n",
        "contracts/deep/er.yaml": "producer: ask\n",
    }
    others = {"plugins/other/plugin.yaml": "pipeline: {elsewhere: {command: x}}\n", "plugins/other/x.md": "x"}
    return {**others, **kept, **{path: text for stage in STAGES for path, text in files_with(stage).items()}}


def cut(*off: str) -> Cut:
    files = {path: text.encode() for path, text in upstream().items()}
    return Cut(files, FOLDER, as_value(off, ("overlay.yaml", 7)).items)


def plain(value: Value) -> object:
    return yaml.safe_load(written(value)[0])


@pytest.mark.parametrize("off", SETS, ids="-".join)
def test_what_goes_with_stages_is_theirs_alone(off: tuple[str, ...]) -> None:
    found = cut(*off)
    others = {"plugins/other/plugin.yaml", "plugins/other/x.md"}
    assert found.removed == others | {path for stage in off for path in files_with(stage)}
    left = [stage for stage in STAGES if stage not in off]
    changes = {}
    for stage, after in zip(left, [*left[1:], None], strict=True):
        following = STAGES[STAGES.index(stage) + 1 :]
        if following and following[0] != after:
            changes[stage] = {"next": after} if after else {"$remove": ["next"]}
    patches = {path: plain(value) for path, value in found.patches.items()}
    assert patches.pop(f"{FOLDER}/plugin.yaml") == {"pipeline": {"$remove": [*off], **changes}}
    assert patches.pop("contracts/fixtures.yaml") == {"producer": "another plugin"}
    assert patches == {
        f"contracts/{stage}-note.yaml": {"consumer": later}
        for stage in left
        if (later := [one for one in left if one in STAGES[STAGES.index(stage) :]])
        and len(later) < len(STAGES) - STAGES.index(stage)
    }


def test_a_fork_with_all_stages_loses_only_the_other_plugins() -> None:
    found = cut()
    assert found.removed == {"plugins/other/plugin.yaml", "plugins/other/x.md"}
    assert {path: plain(value) for path, value in found.patches.items()} == {
        "contracts/fixtures.yaml": {"producer": "another plugin"}
    }
    with pytest.raises(
        UltraError, match=r"overlay\.yaml:7: bad-stage: 'stages_off' names 'pln', which is not a stage"
    ):
        cut("ask", "pln")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.md", "old-word is old-word. Not my-old-word, old-words.", "new is new. Not my-old-word, old-words."),
        ("a.py", "F.TYPE_OLD_WORD; OLD_WORD; 'old-word'; TYPE_OLD_WORDS", "F.TYPE_NEW; OLD_WORD; 'old-word'; TYPE_OLD_WORDS"),
        ("a.png", "old-word", "old-word"),
    ],
)  # fmt: skip
def test_a_discriminator_is_renamed_where_it_is_one(path: str, before: str, after: str) -> None:
    assert with_discriminators(path, before.encode(), {"old-word": "new"}).decode() == after
