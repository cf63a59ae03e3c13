"""The ten changes of a real fork, each as the files that it adds to an overlay."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.kit.names import NAME, PLUGIN_SOURCE, SOURCES
from ultra_plugin.overlay.upstream import open_source

FORK, LAUNCHER = "acme-plan", "acme"
FIRST = "0.1.0"

RENAME = """\
names:
  suite: acme
  owner: Acme
  plugin: acme-plan
  title: Acme Plan
  launcher: acme
  commands:
    brief: acme-brief
    research: acme-research
    plan: acme-plan-it
    execute: acme-execute
    review: acme-review
    continue: acme-continue
  discriminators: {ultrabrief: acme-brief, ultrareview: acme-review}
"""
RETRO = """\
{artifact: retro, title: Retrospective, handover: 90, prefix: RETRO, format: frontmatter, producer: retro, consumer: brief,
 summary: What the next project should do otherwise., failure_modes: Without a lesson it is not written.,
 places: [{path: "{project_dir}/retro.md", when: always}], stability: {strength: strict, owner: this plugin, risk: low},
 modes: {write: {mode: strict, means: strictly}, read: {mode: soft, means: softly}},
 fields: {type: {type: text, means: Says what this is., values: {acme-retro: A retrospective.}},
   lesson: {type: text, means: What to do otherwise., example: Ask earlier}},
 codes: {RETRO_NOT_FOUND: {severity: error, means: There is none., remedy: Write one first.},
   RETRO_READ_ERROR: {severity: error, means: It cannot be read., remedy: Make it readable.},
   RETRO_BAD_TYPE: {severity: error, means: A value has the wrong type., remedy: Correct it.},
   RETRO_MISSING_FIELD: {severity: error, means: A field is missing., remedy: Add it.},
   RETRO_BAD_VALUE: {severity: error, means: A value is not allowed., remedy: Use one that is.},
   RETRO_WRONG_TYPE: {severity: error, means: It is something else., remedy: Name a retrospective.}}}
"""
RETRO_TEXT = "---\ntype: acme-retro\nlesson: Ask earlier\n---\n"

CHANGES: dict[str, dict[str, str]] = {
    "rename": {"overlay.yaml": RENAME},
    "reword a phase": {
        "commands/plan.md.j2": """\
{% extends "upstream:commands/plan.md.j2" %}
{% block finish %}
{{ super() }}
- the person at Acme who approves the plan before it is run.
{% endblock %}
""",
    },
    "gate thresholds": {"outputs/plan-critique.patch.yaml": "scores:\n  passes_at: 5\n  detail_at: 4\n"},
    "an optional field": {
        "contracts/brief.patch.yaml": """\
fields:
  ticket:
    $after: task
    type: text
    required: false
    means: The number of the ticket at Acme.
    example: ACME-17
""",
    },
    "a blocked command and a protected path": {
        "policy/commands.patch.yaml": """\
rules:
  - id: infrastructure
    $before: recursive_force_delete
    verdict: block
    title: changing the infrastructure
    why: only the release pipeline changes it
    instead: say in the plan what the pipeline has to do
    logic: [{use: always, commands: [ansible-playbook]}]
    examples: {match: [ansible-playbook apply], pass: [echo ansible-playbook apply]}
""",
        "policy/paths.patch.yaml": """\
rules:
  - id: deployment
    verdict: block
    title: deployment settings
    why: only the release pipeline changes them
    instead: leave them
    patterns: ["deploy/**"]
    examples: {match: [deploy/live.yaml], pass: [docs/deploy.md]}
""",
    },
    "replace and add a reviewer": {
        "agents/maintainability-reviewer.md.j2.remove": "",
        "agents/access-reviewer.md.j2": """\
{% extends "upstream:agents/test-reviewer.md.j2" %}
{% block front_matter %}
---
name: access-reviewer
description: Looks for what people cannot use
tools: Read, Grep, Glob
model: sonnet
role: reviewer
order: 5
output: findings
budget: {always_on: 22, on_invoke: 1200}
---
{% endblock %}
{% block look_for %}
## Look for

- pages that cannot be used without a mouse, or read without colours.
{% endblock %}
""",
        "agents/security-reviewer.md.j2": """\
{% extends "upstream:agents/security-reviewer.md.j2" %}
{% block look_for %}
{{ super() }}
Acme's list of forbidden libraries is in `docs/forbidden.md`: a use of one is a blocker.
{% endblock %}
""",
    },
    "add a stage": {
        "plugin.patch.yaml": "pipeline: {review: {next: retro}, retro: {$after: review, command: acme-retro, makes: retro}}\n",
        "contracts/retro.yaml": RETRO,
        "contracts/fixtures/retro/valid.md": RETRO_TEXT,
        "templates/retro.md.j2": "{{ contract.retro.skeleton() }}",
        "docs/commands/retro.md.j2": "# The retrospective\n\n{{ command_page('retro').usage() }}\n",
        "commands/retro.md.j2": """\
---
description: Say what the next project should do otherwise
---
    Usage: {{ command('retro') }} --project DIR

Put it with `{{ verb('put') }} {{ contract.retro.artifact }} --project DIR`.
{% include "fragments/data.md.j2" %}
""",
    },
    "drop a stage": {
        "overlay.yaml": "stages_off: [research]\n",
        "docs/TUTORIAL.md.j2.remove": "",
        "fragments/tutorial-session.md.j2.remove": "",
        "README.md.j2": '{% extends "upstream:README.md.j2" %}\n{% block tutorial %}{% endblock %}\n',
        "docs/PIPELINE.md.j2": '{% extends "upstream:docs/PIPELINE.md.j2" %}\n{% block tutorial %}{% endblock %}\n',
    },
    "translate the questions": {
        "commands/brief.md.j2": """\
{% extends "upstream:commands/brief.md.j2" %}
{% block required_section_table %}
| Pflicht | erste Frage | fertig, wenn |
|---|---|---|
| {{ contract.brief.section('Intent') }} | Warum, und was geschieht sonst? | ein ganzer Satz Grund und Betroffene nennt |
| {{ contract.brief.section('Goal') }} | Was gibt es am Ende? | man dem Satz widersprechen kann |
| {{ contract.brief.section('Success Criteria') }} | Woran ist es zu messen? | ein Punkt entscheidbar ist |
| {{ contract.brief.section('Research Plan') }} | Was daran ist neu? | ein Thema feststeht oder keines n\u00f6tig ist |
{% endblock %}
{% block optional_section_table %}
| Wahl | erste Frage |
|---|---|
| {{ contract.brief.section('Non-Goals') }} | Was geh\u00f6rt nicht dazu? |
| {{ contract.brief.section('Constraints') }} | Was muss bleiben, wie es ist? |
| {{ contract.brief.section('Preferences') }} | Welche Mittel sollen es sein? |
| {{ contract.brief.section('Non-Functional Requirements') }} | Wie schnell, sicher, gro\u00df? |
| {{ contract.brief.section('Prior Attempts') }} | Was wurde versucht? |
{% endblock %}
""",
    },
    "retry cap": {"limits.patch.yaml": "limits:\n  attempts:\n    value: 4\n"},
}  # fmt: skip


def lines_of(change: Mapping[str, str]) -> int:
    """Return how many lines a change adds to an overlay."""
    return sum(len(text.splitlines()) for text in change.values())


def write_release(
    folder: Path, version: str, change: Callable[[Path], None] | None = None, after: str = ""
) -> Path:
    """Write a version of our own sources, made from an earlier one by a change, and return its folder."""
    before = folder / f"upstream-{after}/plugin_src" if after else SOURCES
    root = folder / f"upstream-{version}"
    shutil.copytree(before, root / "plugin_src", ignore=shutil.ignore_patterns("__pycache__"))
    suite = root / "plugin_src/suite.yaml"
    text = re.sub(r"^version: .*\n", "", suite.read_text(), flags=re.MULTILINE)
    suite.write_text(f"{text}version: {version}\n")
    if change:
        change(root / "plugin_src")
    return root


def write_fork(folder: Path) -> Path:
    """Write the overlay with all ten changes on the first version of the upstream."""
    root = folder / "acme"
    digest = open_source(folder, "folder", f"upstream-{FIRST}").digest()
    several = len(list((SOURCES / "plugins").iterdir())) > 1
    which = f"plugin: {NAME}\n" if several else ""
    texts = {
        "overlay.yaml": f"upstream:\n  folder: ../upstream-{{version}}\n  version: {FIRST}\n  sha256: {digest}\n{which}version: 5.0.0\n"
    }
    for change in CHANGES.values():
        for path, text in change.items():
            texts[path] = texts.get(path, "") + text
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def reworded(sources: Path) -> None:
    """Reword a phase that the fork overrides."""
    _change(
        sources / "plugins" / PLUGIN_SOURCE.name / "commands/plan.md.j2",
        "weaknesses that are left",
        "every weakness that is left",
    )


def renamed(sources: Path) -> None:
    """Rename a fragment that the fork includes, and say so."""
    old, new = "fragments/data.md.j2", "fragments/foreign.md.j2"
    (sources / old).rename(sources / new)
    for path in sources.rglob("*.j2"):
        if old in (text := path.read_text()):
            path.write_text(text.replace(old, new))
    (sources / "renames.yaml").write_text(f"files: {{{old}: {new}}}\n")


def extended(sources: Path) -> None:
    """Add a field to the contract that the fork extends, with a new version."""
    contract = sources / "contracts/brief.yaml"
    _change(contract, 'current: "2.0"\n', 'current: "2.1"\n')
    _change(
        contract,
        "  slug:\n",
        "  audience:\n    type: text\n    required: false\n    means: Who uses the result.\n  slug:\n",
    )
    _change(contract, '    example: "2.0"\n', '    example: "2.1"\n')
    for path in (*(sources / "contracts/fixtures").rglob("*.md"), *sources.rglob("examples/**/*.md*")):
        text = path.read_bytes()
        path.write_bytes(text.replace(b'brief_version: "2.0"', b'brief_version: "2.1"'))


def _change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new))


RELEASES: dict[str, Callable[[Path], None]] = {"0.2.0": reworded, "0.3.0": renamed, "0.4.0": extended}
