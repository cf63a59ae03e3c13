"""Changes that touch one source: the words of a phase, an optional field of a contract, a new verb."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.changes.conftest import PLUGIN, Fork, words_of
from tests.kit.calls import Ultra
from tests.kit.names import EXAMPLE, LAUNCHER, NAME, PIPELINE, PROJECT, ROOT
from tests.kit.quick import later
from ultra_plugin.pipeline import checked, unshipped
from ultra_plugin.source import SourceTree

PHASE = f"{PLUGIN}/commands/plan.md.j2"
CONTRACT = "contracts/brief.yaml"
VERB = "runtime/ultra_runtime/verbs/count_words.py"
MOOD = """\
  mood:
    type: text
    required: false
    means: How the user feels about the task.
    values: {calm: There is time., tense: It was wanted yesterday.}
"""
WHY = """\
      Urgency:
        type: text
        required: false
        means: When the answer is needed.
        values: {now: Before anything else., later: Before the plan ends.}
"""
SOURCE = '''\
"""Count the words of a file."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.files.regular_file import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

USAGE = "count words PATH [--json]"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer with the number of words."""
    number = len(read_regular(args.need("PATH")).split())
    return Answer({"words": number}, f"{number} words")
'''


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plugin with these changes, each in its one file, built beside a MIGRATION.md without a new entry."""
    fork = Fork(tmp_path_factory.mktemp("one"))
    shutil.copy(ROOT / "MIGRATION.md", fork.folder)
    fork.change(PHASE, {"{% block begin %}\n": "{% block begin %}\nThink of the weather first.\n\n"})
    fork.change(
        CONTRACT,
        {"fields:\n  type:\n": f"fields:\n{MOOD}  type:\n", "      Scope:\n": f"{WHY}      Scope:\n"},
    )
    fork.write(VERB, SOURCE)
    assert fork.changed == {PHASE, CONTRACT, VERB}
    return fork.build()


@pytest.mark.soak
def test_the_words_of_a_phase(bundle: Path) -> None:
    assert "\nThink of the weather first.\n" in (bundle / f"commands/{PIPELINE['plan']}.md").read_text()


def test_an_optional_field_with_allowed_values(bundle: Path, repo: Path, python: Path) -> None:
    ultra = Ultra(bundle, repo, python)
    text = (EXAMPLE / "brief.md").read_text()
    brief = repo / PROJECT / "brief.md"
    for mood, codes in (("", []), ("mood: calm\n", []), ("mood: sad\n", ["BRIEF_BAD_VALUE"])):
        brief.write_text(text.replace("---\n", f"---\n{mood}", 1))
        answer = ultra("validate", "brief", brief).data
        assert [one["code"] for one in answer["errors"]] == codes
    assert "mood must be" in answer["errors"][0]["message"] or "calm" in answer["errors"][0]["message"]
    schema = json.loads((bundle / "schemas/brief.schema.json").read_text())
    assert schema["properties"]["mood"]["enum"] == ["calm", "tense", None]
    assert "mood" not in schema["required"]
    assert "| `mood` | `calm`, `tense` | no |" in words_of(bundle / "docs/HANDOVER-CONTRACTS.md")
    for path in ("templates/brief.md", "guides/brief/draft.md"):
        assert "\n# mood: calm # optional: calm, tense\n" in (bundle / path).read_text(), path


def test_an_optional_field_of_a_part(bundle: Path, repo: Path, python: Path) -> None:
    ultra = Ultra(bundle, repo, python)
    text = (EXAMPLE / "brief.md").read_text()
    brief = repo / PROJECT / "brief.md"
    for line, codes in (("now", []), ("soon", ["BRIEF_TOPIC_INVALID"])):
        brief.write_text(text.replace("- **Scope:**", f"- **Urgency:** {line}\n- **Scope:**"))
        assert [one["code"] for one in ultra("validate", "brief", brief).data["errors"]] == codes
    for path in ("docs/HANDOVER-CONTRACTS.md", f"commands/{PIPELINE['brief']}.md"):
        assert "Urgency" in (bundle / path).read_text(), path
    for path in ("templates/brief.md", "guides/brief/draft.md"):
        assert "- **Urgency:** now" in (bundle / path).read_text(), path


def test_a_new_verb(bundle: Path, repo: Path, python: Path) -> None:
    ultra = Ultra(bundle, repo, python)
    (repo / "a.txt").write_text("one two\n")
    assert ultra("count", "words", "a.txt").data == {"words": 2}
    assert (
        f"{LAUNCHER} count words PATH [--json]\n      Count the words of a file." in ultra.say("--help").out
    )
    assert ultra.say("count", "words", "--help").status == 0
    assert f"| `{LAUNCHER} count words` | Count the words of a file." in words_of(bundle / "README.md")
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(repo), "session_id": "s"}
    agent = {"agent_id": "a", "agent_type": f"{NAME}:plan-critic"}
    for verb, said in (("count words a.txt", ""), ("project new x", "deny")):
        told = ultra.hook("guard", {**call, **agent, "tool_input": {"command": f"{LAUNCHER} {verb}"}})
        assert said in told.out
        assert bool(told.out) == bool(said), verb


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "    required: false\n",
            "",
            "its shape changed, but brief_version is still 2.0 (raise the version)",
        ),
        later(
            "  mood:\n",
            "  mood:\n    missing: BRIEF_BAD_VALUE\n",
            "its shape changed, but brief_version is still 2.0",
        ),
    ],
)
def test_a_breaking_change_needs_the_protocol(fork: Fork, old: str, new: str, expected: str) -> None:
    shutil.copy(ROOT / "MIGRATION.md", fork.folder)
    fork.change(CONTRACT, {"fields:\n  type:\n": f"fields:\n{MOOD.replace(old, new)}  type:\n"})
    found = [fault for fault in fork.faults() if ": contract-protocol: " in fault]
    line = fork.line(CONTRACT, "  current:")
    assert any(fault.startswith(f"{CONTRACT}:{line}: ") and expected in fault for fault in found), found
    assert fork.changed == {CONTRACT}


def test_a_verb_of_a_room_that_no_plugin_names_is_listed(fork: Fork) -> None:
    """The room has to be named in plugin.yaml; until then the build says that nothing of it ships."""
    verb = (
        '"""Say a lesson."""\n\nfrom ultra_runtime.answer import Answer\nfrom ultra_runtime.lessons.one import TEXT\n'
        'from ultra_runtime.usage import Args\n\nUSAGE = "lesson [--json]"\n\n\ndef run(args: Args) -> Answer:\n'
        '    """Answer with it."""\n    return Answer({"ok": True}, TEXT)\n'
    )
    new = {
        "verbs/lesson.py": verb,
        "lessons/__init__.py": '"""Lessons."""\n',
        "lessons/one.py": 'TEXT = "Ask"\n',
    }
    for path, text in new.items():
        fork.write(f"runtime/ultra_runtime/{path}", text)
    tree = SourceTree(fork.sources)
    listed = [path.partition("ultra_runtime/")[2] for path in unshipped(tree, checked(tree, "dist")[0])]
    assert set(new) <= set(listed)
    fork.change(f"{PLUGIN}/plugin.yaml", {"rooms: [waves": "rooms: [lessons, waves"})
    tree = SourceTree(fork.sources)
    assert not any("ultra_runtime" in path for path in unshipped(tree, checked(tree, "dist")[0]))
