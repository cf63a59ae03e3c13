"""A release of the upstream: told, shown in three texts, accepted; renames resolve with a warning."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.kit.generator import call
from tests.overlay.forks import (
    BLOCKS,
    EXTENDED,
    PLUGIN,
    Files,
    built,
    opened,
    told,
    write_fork,
    write_upstream,
)
from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.lock import standings
from ultra_plugin.overlay.work import accept, moved, pin, take

COMMAND = f"{PLUGIN}/commands/brief.md.j2"
NEXT = "1.3.0"


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """Return an overlay that overrides a block, a key and a file, all recorded."""
    root = write_fork(
        tmp_path,
        {
            "commands/brief.md.j2": EXTENDED,
            "contracts/work-order.patch.yaml": "title: Job\nfields: {due: {type: date, required: false, means: When.}}\n",
            "docs/commands/review.md.j2": "# Our review\n",
            "docs/commands/more.md.j2": "# More\n",
        },
    )
    accept(opened(root), ())
    return root


def release(fork: Path, changes: Files | None = None) -> None:
    """Move a fork to a new version of its upstream with some changes."""
    write_upstream(fork.parent, NEXT, changes)
    before = opened(fork).settings
    tree, _ = moved(fork, NEXT)
    pin(fork, before, tree.settings)


def _edited(text: str, change: str) -> str:
    old, _, new = change.partition(" -> ")
    return text.replace(old, new)


def states(fork: Path) -> dict[str, str]:
    return {one.part.id: one.state for one in standings(opened(fork))}


def test_a_release_that_changes_nothing_below_needs_no_look(fork: Path) -> None:
    text = (fork / "overlay.yaml").read_text()
    release(fork, {f"{PLUGIN}/docs/commands/brief.md.j2": "# The brief, again\n"})
    assert states(fork) == {
        "commands/brief.md.j2#ask": "fresh",
        "contracts/work-order.patch.yaml#title": "fresh",
        "docs/commands/more.md.j2": "added",
        "docs/commands/review.md.j2": "fresh",
    }
    assert built(fork).files["docs/commands/acmebrief.md"].text == "# The brief, again\n"
    lines = [(old, new) for old, new in zip(text.split("\n"), (fork / "overlay.yaml").read_text().split("\n"), strict=True) if old != new]  # fmt: skip
    assert [new.split(":")[0].strip() for _, new in lines] == ["version", "sha256"]


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({COMMAND: BLOCKS.replace("then go on", "and go on")}, "commands/brief.md.j2#ask"),
        (
            {"contracts/work-order.yaml": "title: Work order -> title: Order"},
            "contracts/work-order.patch.yaml#title",
        ),
        ({f"{PLUGIN}/docs/commands/review.md.j2": "# Another review\n"}, "docs/commands/review.md.j2"),
        ({f"{PLUGIN}/docs/commands/more.md.j2": "# Theirs\n"}, "docs/commands/more.md.j2"),
    ],
)
def test_a_release_that_changes_what_is_overridden_is_refused_until_it_is_accepted(
    fork: Path, changes: dict[str, str], part: str
) -> None:
    ours = fork.parent / "upstream-1.2.3/plugin_src"
    changed = {path: _edited((ours / path).read_text(), text) if " -> " in text else text for path, text in changes.items()}  # fmt: skip
    release(fork, changed)
    added = part == "docs/commands/more.md.j2"
    assert {name for name, state in states(fork).items() if state in ("stale", "new")} == {part}
    (one,) = told(fork)
    assert one.startswith(part.partition("#")[0])
    assert (": unrecorded: " if added else ": stale: ") in one
    assert f"ultra-plugin overlay accept '{part}'" in one
    assert accept(opened(fork), (part,)) == [part]
    assert told(fork) == []


def test_the_three_texts_are_shown(fork: Path) -> None:
    write_upstream(fork.parent, NEXT, {COMMAND: BLOCKS.replace("then go on", "and go on")})
    shown = call(fork, "overlay", "upgrade", NEXT, "--dry-run")
    assert (shown.returncode, shown.stderr) == (1, "")
    expected = """\
stale     commands/brief.md.j2#ask
  --- upstream 1.2.3
  Ask {{ agent('critic') }}, then go on with {{ command('review') }}.
  --- upstream 1.3.0
  Ask {{ agent('critic') }}, and go on with {{ command('review') }}.
  --- yours
  First think.
  {{ super() }}
"""
    assert shown.stdout.startswith(expected)
    assert call(fork, "overlay", "status").returncode == 0, "a dry run changes nothing"
    done = call(fork, "overlay", "upgrade", NEXT)
    assert done.returncode == 0
    assert done.stdout.endswith("overlay.yaml: now on 1.3.0; it was 1.2.3\n")
    assert call(fork, "overlay", "status").stdout.startswith(expected)
    assert (
        call(fork, "overlay", "accept", "commands/brief.md.j2").stdout
        == "commands/brief.md.j2#ask: accepted\n"
    )
    status = call(fork, "overlay", "status", "--json")
    assert yaml.safe_load(status.stdout)["parts"][0] == {"part": "commands/brief.md.j2#ask", "state": "fresh"}
    record = yaml.safe_load((fork / "upstream.lock").read_text())["parts"]
    assert record["commands/brief.md.j2#ask"]["version"] == NEXT
    assert record["docs/commands/review.md.j2"]["version"] == "1.2.3"


def test_what_is_gone_is_an_orphan(fork: Path) -> None:
    release(
        fork,
        {COMMAND: BLOCKS.replace("block ask", "block request"), f"{PLUGIN}/docs/commands/review.md.j2": None},
    )
    assert told(fork) == [
        "commands/brief.md.j2:3: orphan: overrides 'ask', which the upstream no longer has (known: intro, request)",
        "docs/commands/review.md.j2: orphan: overrides this file, which the upstream no longer has "
        "(remove it, or keep it as yours: ultra-plugin overlay accept 'docs/commands/review.md.j2')",
    ]
    accept(opened(fork), ("docs/commands/review.md.j2",))
    assert states(fork)["docs/commands/review.md.j2"] == "added"


def test_a_rename_that_upstream_lists_resolves_with_a_warning(fork: Path) -> None:
    (fork / "fragments").mkdir()
    (fork / "fragments/rules.md.j2").write_text("Our rule.\n")
    (fork / "commands/brief.md.j2").write_text(EXTENDED + '{% block intro %}\n{% include "fragments/rules.md.j2" %}\n{% endblock %}\n')  # fmt: skip
    accept(opened(fork), ())
    contract = (fork.parent / "upstream-1.2.3/plugin_src/contracts/work-order.yaml").read_text()
    release(
        fork,
        {
            COMMAND: BLOCKS.replace("block ask", "block request").replace("fragments/rules", "fragments/law"),
            "fragments/rules.md.j2": None,
            "fragments/law.md.j2": "Rule: {{ contract.work_order.values('state') }} are the states.\n",
            "contracts/work-order.yaml": contract,
            "renames.yaml": "files: {fragments/rules.md.j2: fragments/rule.md.j2, fragments/rule.md.j2: fragments/law.md.j2}\n"
            f"blocks: {{{COMMAND}: {{ask: request}}}}\n",
        },
    )
    assert set(states(fork).values()) == {"fresh", "added"}
    tree = opened(fork)
    assert [str(one).replace(f"{fork}/", "") for one in tree.renamed] == [
        "commands/brief.md.j2:8: renamed: upstream renamed 'fragments/rules.md.j2' to 'fragments/law.md.j2' "
        "(write 'fragments/law.md.j2')",
        "commands/brief.md.j2:3: renamed: upstream renamed the block 'ask' to 'request' (write 'request')",
        "fragments/rules.md.j2:1: renamed: upstream renamed 'fragments/rules.md.j2' to 'fragments/law.md.j2' "
        "(rename it to fragments/law.md.j2)",
    ]
    text = " ".join(built(fork).files["commands/acmebrief.md"].text.split())
    assert "Our rule." in text
    assert "First think. Ask acme-plan:critic" in text
    done = call(fork, "build")
    assert (done.returncode, done.stdout.count("[warning]")) == (0, 3)


def test_a_renamed_key_resolves_with_a_warning(fork: Path) -> None:
    (fork / "contracts/work-order.patch.yaml").write_text(
        "fields:\n  state: {means: How far., required: true}\n"
    )
    accept(opened(fork), ())
    contract = (fork.parent / "upstream-1.2.3/plugin_src/contracts/work-order.yaml").read_text()
    release(
        fork,
        {
            "contracts/work-order.yaml": contract.replace("  state:", "  standing:"),
            "fragments/rules.md.j2": "Rule: {{ contract.work_order.values('standing') }} are the states.\n",
            "renames.yaml": "keys: {contracts/work-order.yaml: {fields/state: fields/standing}}\n",
        },
    )
    tree = opened(fork)
    told_ = "contracts/work-order.patch.yaml:2: renamed: upstream renamed the key 'state' to 'standing' (write 'standing')"
    assert told_ in [str(one).replace(f"{fork}/", "") for one in tree.renamed]
    assert states(fork)["contracts/work-order.patch.yaml#fields/state/means"] == "fresh"
    assert built(fork)


def test_an_override_without_a_record_is_refused(tmp_path: Path) -> None:
    root = write_fork(tmp_path, {"commands/brief.md.j2": EXTENDED})
    assert told(root) == [
        "commands/brief.md.j2:3: unrecorded: overrides 'ask' without a record "
        "(run: ultra-plugin overlay accept 'commands/brief.md.j2#ask')"
    ]


@pytest.mark.parametrize(
    ("asked", "file", "text"),
    [
        (
            "commands/brief.md.j2#ask",
            "commands/brief.md.j2",
            '{% extends "upstream:commands/brief.md.j2" %}\n\n{% block ask %}\n'
            "Ask {{ agent('critic') }}, then go on with {{ command('review') }}.\n{% endblock %}\n",
        ),
        ("docs/commands/brief.md.j2", "docs/commands/brief.md.j2", "# The brief\n"),
        (
            "contracts/work-order.yaml#fields/state/values",
            "contracts/work-order.patch.yaml",
            'fields:\n  state:\n    values:\n      open: "Not begun."\n      shut: "Over."\n',
        ),
        ("plugin.yaml#title", "plugin.patch.yaml", 'title: "Acme Plan"\n'),
    ],
)
def test_what_is_taken_is_copied_and_recorded(tmp_path: Path, asked: str, file: str, text: str) -> None:
    root = write_fork(tmp_path)
    before = {path: one.content for path, one in built(root).files.items() if path != "bundle.json"}
    assert take(opened(root), asked) == file
    assert (root / file).read_text() == text
    assert set(states(root).values()) == {"fresh"}
    assert {path: one.content for path, one in built(root).files.items() if path != "bundle.json"} == before
    with pytest.raises(UltraError, match="already"):
        take(opened(root), asked)


def test_a_second_block_goes_into_the_same_file(tmp_path: Path) -> None:
    root = write_fork(tmp_path)
    for block in ("ask", "intro"):
        take(opened(root), f"commands/brief.md.j2#{block}")
    assert states(root) == {"commands/brief.md.j2#ask": "fresh", "commands/brief.md.j2#intro": "fresh"}


@pytest.mark.parametrize(
    ("words", "says", "status"),
    [
        (("take", "commands/breif.md.j2"), "the upstream has no file 'commands/breif.md.j2' (did you mean 'commands/brief.md.j2'?)", 1),
        (("take", "commands/brief.md.j2#aks"), "commands/brief.md.j2 has no block 'aks' (did you mean 'ask'?)", 1),
        (("take", "plugin.yaml#titel"), "has no key 'titel' (did you mean 'title'?)", 1),
        (("accept", "commands/breif.md.j2"), "the overlay overrides no 'commands/breif.md.j2'", 1),
        (("accept",), "name what to accept, or give --all", 2),
        (("upgrade", "9.9.9"), "../upstream-9.9.9: no such upstream", 1),
        (("status", "--overlay", "nowhere"), "nowhere/overlay.yaml: does not exist; go to the overlay's folder", 1),
        (("new", "docs", "--upstream", "../upstream-1.2.3"), "docs: exists already; name a new folder", 1),
        (("new", "own", "--upstream", "nowhere"), "nowhere: no such upstream", 1),
        (("new", "own", "--upstream", "../upstream-1.2.3", "--plugin", "acme-paln"), "has no plugin 'acme-paln' (did you mean 'acme-plan'?)", 1),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_changes_nothing(
    fork: Path, words: tuple[str, ...], says: str, status: int
) -> None:
    before = sorted(str(path) for path in fork.rglob("*"))
    done = call(fork, "overlay", *words)
    assert (done.returncode, says in " ".join(done.stderr.split())) == (status, True), done.stderr
    assert sorted(str(path) for path in fork.rglob("*")) == before


def test_a_new_overlay_builds_at_once_with_its_own_names(tmp_path: Path) -> None:
    write_upstream(tmp_path)
    done = call(tmp_path, "overlay", "new", "mine", "--upstream", "upstream-1.2.3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "../upstream-{version}" in (tmp_path / "mine/overlay.yaml").read_text()
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        "overlay.yaml",
        ".gitignore",
        ".gitattributes",
        ".schemas",
    }
    first = (tmp_path / "mine/overlay.yaml").read_text().split("\n")[0]
    schema = json.loads((tmp_path / "mine" / first.partition("$schema=")[2]).read_text())
    jsonschema.validate(yaml.safe_load((tmp_path / "mine/overlay.yaml").read_text()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"upstream": {"version": "1", "sha256": "x"}, "nmes": {}}, schema)
    assert call(tmp_path / "mine", "build").returncode == 0
    files = {path.name for path in (tmp_path / "mine/dist/mine/commands").iterdir()}
    assert files == {"mine-brief.md", "mine-review.md"}
    shown = call(tmp_path / "mine", "overlay", "diff")
    assert (shown.returncode, shown.stdout) == (0, ""), "names alone are no difference"
    take(opened(tmp_path / "mine"), "commands/brief.md.j2#ask")
    path = tmp_path / "mine/commands/brief.md.j2"
    path.write_text(path.read_text().replace("Ask", "Please ask"))
    shown = call(tmp_path / "mine", "overlay", "diff")
    assert (shown.returncode, shown.stderr) == (1, "")
    assert "+Please ask mine:critic" in shown.stdout
    assert shown.stdout.split("\n")[2].endswith(" @@ commands/brief.md.j2:4"), "a hunk names its layer"
    shown = call(tmp_path / "mine", "diff")
    assert " @@ commands/brief.md.j2:4\n" in shown.stdout


def test_an_overlay_changes_one_plugin_and_leaves_the_others_out(tmp_path: Path) -> None:
    ours = {path.removeprefix(PLUGIN): text for path, text in dict(_files(tmp_path)).items()}
    other = {f"plugins/other{path}": text for path, text in ours.items()}
    other["plugins/other/plugin.yaml"] = (
        "name: other\ntitle: Other\ndescription: Does something else for Acme entirely.\n"
    )
    other["plugins/other/commands/brief.md.j2"] = "---\ndescription: Do something else for Acme\n---\n{% include \"fragments/other.md.j2\" %}\nAsk {{ agent('critic') }}.\n"  # fmt: skip
    other["fragments/other.md.j2"] = "Other.\n"
    write_upstream(tmp_path, changes=other)
    done = call(tmp_path, "overlay", "new", "mine", "--upstream", "upstream-1.2.3")
    assert "has several plugins; add --plugin with one of acme-plan, other" in done.stderr
    assert (
        call(
            tmp_path, "overlay", "new", "mine", "--upstream", "upstream-1.2.3", "--plugin", "acme-plan"
        ).returncode
        == 0
    )
    assert built(tmp_path / "mine").name == "mine"


def _files(folder: Path) -> list[tuple[str, str | bytes]]:
    from tests.generator.sample import sample

    return [(path, text) for path, text in sample().items() if path.startswith(PLUGIN)]
