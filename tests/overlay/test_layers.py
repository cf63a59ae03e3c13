"""A fork is an upstream with files on top: added, replaced, extended, removed and patched; every error names its layer."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.overlay.forks import (
    EXTENDED,
    PLUGIN,
    Files,
    built,
    fork,
    opened,
    told,
    words,
    write_fork,
    write_upstream,
)
from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.work import accept

AGENT = "---\nname: %s\ndescription: Finds what is wrong with a brief and says so\ntools: Read\n---\nLook.\n"


def test_every_kind_of_file_does_what_it_says(folder: Path) -> None:
    root = fork(
        folder,
        {
            "commands/brief.md.j2": EXTENDED.replace("{{ super() }}", "Go.")
            + "{% block intro %}\nAsk {{ agent('helper') }}.\n{% endblock %}\n",
            "commands/review.md.j2": "---\ndescription: Review a piece of work with more care\n---\nReview it well.\n",
            "commands/deploy.md.j2": "---\ndescription: Deploy a piece of work for Acme\n---\nDeploy it.\n",
            "agents/helper.md.j2": AGENT % "helper",
            "agents/critic.md.j2.remove": "",
            "contracts/work-order.patch.yaml": "fields: {state: {values: {held: Not now.}}}\n",
            "docs/commands/brief.md.j2": "# {{ contract.work_order.values('state') }}\n",
        },
    )
    files = built(root).files
    assert "Ask acme-plan:helper. First think. Go." in words(files["commands/acmebrief.md"].text)
    assert files["commands/acmereview.md"].text.endswith("Review it well.\n")
    assert "commands/deploy.md" in files
    assert "agents/critic.md" not in files
    assert "`held`" in files["docs/commands/acmebrief.md"].text
    assert files["bundle.json"].text.count('"upstream:commands/brief.md.j2"') == 1
    assert '"version": "0.9.0"' in files[".claude-plugin/plugin.json"].text


def test_a_block_can_keep_what_upstream_says(folder: Path) -> None:
    text = words(built(fork(folder, {"commands/brief.md.j2": EXTENDED})).files["commands/acmebrief.md"].text)
    assert text.endswith("First think. Ask acme-plan:critic, then go on with /acme-plan:acmereview.")
    assert "`open`, `shut` are the states" in text


def test_a_folder_can_be_removed_with_one_marker(folder: Path) -> None:
    (folder / f"upstream-1.2.3/plugin_src/{PLUGIN}/skills/greet").mkdir(parents=True)
    skill = folder / f"upstream-1.2.3/plugin_src/{PLUGIN}/skills/greet/SKILL.md"
    skill.write_text("---\nname: greet\ndescription: Say hello to whoever asks for it\n---\nSay hello.\n")
    assert "skills/greet/SKILL.md" in built(fork(folder, {})).files
    assert "skills/greet/SKILL.md" not in built(fork(folder, {"skills/greet.remove": ""})).files


def test_every_mention_follows_the_names(folder: Path) -> None:
    names = "names: {suite: bcme, owner: Bcme, plugin: bcme-do, title: Bcme Do, commands: {brief: b, review: r}}\n"
    files = built(
        fork(folder, {"agents/critic.md.j2": '{% extends "upstream:agents/critic.md.j2" %}\n'}, names)
    ).files
    assert "Ask bcme-do:critic, then go on with /bcme-do:r." in files["commands/b.md"].text
    assert not [
        path for path, file in files.items() if b"acme-plan" in file.content or b"acmebrief" in file.content
    ]


@pytest.mark.parametrize(
    ("files", "more", "says"),
    [
        (
            {"commands/brief.md.j2": "\n" + EXTENDED.replace("block ask", "block aks")},
            "",
            "commands/brief.md.j2:4: unknown-block: no parent of this template has a block 'aks', so it is never "
            "rendered (did you mean 'ask'?)",
        ),
        (
            {"commands/brief.md.j2": EXTENDED.replace("upstream:commands/brief", "upstream:commands/breif")},
            "",
            "commands/brief.md.j2:1: missing-include: 'upstream:commands/breif.md.j2' does not exist "
            "(did you mean 'upstream:commands/brief.md.j2'?)",
        ),
        (
            {"commands/brief.md.j2": EXTENDED.replace("First", "{{ frist }}")},
            "",
            "commands/brief.md.j2:4: undefined: 'frist' is undefined (known:",
        ),
        (
            {"fragments/rules.md.j2": '{% include "commands/brief.md.j2" %}'},
            "",
            "fragments/rules.md.j2:1: missing-include: 'commands/brief.md.j2' does not exist, included from "
            f"upstream-1.2.3/plugin_src/{PLUGIN}/commands/brief.md.j2:9",
        ),
        (
            {
                "fragments/rules.md.j2": '{% include "fragments/more.md.j2" %}',
                "fragments/more.md.j2": '{% include "fragments/rules.md.j2" %}',
            },
            "",
            "fragments/more.md.j2:1: include-loop: includes or extends fragments/rules.md.j2, which leads back to it (break the loop)",
        ),
        (
            {
                "docs/commands/brief.md.j2": '{% extends "fragments/a.md.j2" %}',
                "fragments/a.md.j2": '{% extends "upstream:docs/commands/brief.md.j2" %}{% include "fragments/b.md.j2" %}',
                "fragments/b.md.j2": '{% extends "fragments/a.md.j2" %}',
            },
            "",
            "fragments/b.md.j2:1: include-loop: includes or extends fragments/a.md.j2, which leads back to it (break the loop)",
        ),
        (
            {
                "commands/brief.md.j2": '{% extends "fragments/a.md.j2" %}',
                "fragments/a.md.j2": '{% extends "fragments/b.md.j2" %}',
                "fragments/b.md.j2": '\n{% extends "fragments/a.md.j2" %}',
            },
            "",
            "fragments/b.md.j2:2: include-loop: includes or extends fragments/a.md.j2, which leads back to it (break",
        ),
        (
            {"commands/deploy.md": AGENT, "commands/deploy.md.j2": AGENT},
            "",
            "commands/deploy.md.j2: two-sources: 'commands/deploy.md' is already built from commands/deploy.md "
            "(rename or remove one)",
        ),
        (
            {"commands/brief.md": AGENT},
            "",
            "commands/brief.md: two-sources: 'commands/acmebrief.md' is already built from "
            f"upstream-1.2.3/plugin_src/{PLUGIN}/commands/brief.md.j2 "
            "(rename it, or remove the upstream's with a file PATH.remove)",
        ),
        (
            {"fragments/Rules.md.j2": "Rules.\n"},
            "",
            "fragments/Rules.md.j2: case-collision: differs from 'fragments/rules.md.j2' only in case, and some systems "
            "keep only one of them (rename it)",
        ),
        (
            {"Docs/more.md": "More.\n"},
            "",
            f"Docs/more.md: case-collision: differs from '{PLUGIN}/docs' only in case",
        ),
        (
            {"contracts/work-order.patch.yaml": "\n- title\n"},
            "",
            "contracts/work-order.patch.yaml:2: wrong-type: must be a mapping of the keys that it changes (write KEY",
        ),
        (
            {"agents/crtic.md.j2.remove": ""},
            "",
            "agents/crtic.md.j2.remove: orphan: removes 'agents/crtic.md.j2', which the upstream does not have "
            "(did you mean 'agents/critic.md.j2'?)",
        ),
        (
            {"agents/critic.md.j2.remove": "no\n"},
            "",
            "agents/critic.md.j2.remove:1: marker: must be empty: it only says that a file is removed "
            "(empty it, or drop .remove)",
        ),
        (
            {"contracts/work-oder.patch.yaml": "title: x\n"},
            "",
            "contracts/work-oder.patch.yaml: orphan: changes 'contracts/work-oder.yaml', which the upstream does not "
            "have (did you mean 'contracts/work-order.yaml'?)",
        ),
        (
            {"contracts/work-order.patch.yaml": "title: x\nfields:\n  state:\n    tpye: text\n"},
            "",
            "contracts/work-order.patch.yaml:4: unknown-key: unknown key 'tpye' in 'state' (did you mean 'type'?)",
        ),
        (
            {"contracts/work-order.patch.yaml": "fields:\n  $remove: [stat]\n"},
            "",
            "contracts/work-order.patch.yaml:2: unknown-key: the patch removes 'stat', which upstream does not have in "
            "'fields' (did you mean 'state'?)",
        ),
        (
            {"contracts/work-order.patch.yaml": "title: [\n"},
            "",
            "contracts/work-order.patch.yaml:2: yaml: ",
        ),
        (
            {"contracts/work-order.patch.yaml": "title: x\n", "contracts/work-order.yaml": "title: x\n"},
            "",
            "contracts/work-order.yaml: two-overlays: contracts/work-order.patch.yaml already overrides "
            "'contracts/work-order.yaml' (remove one of them)",
        ),
        (
            {"agents/critic.md.j2": AGENT % "critic", f"{PLUGIN}/agents/critic.md.j2.remove": ""},
            "",
            f"{PLUGIN}/agents/critic.md.j2.remove: two-overlays: agents/critic.md.j2 already overrides "
            f"'{PLUGIN}/agents/critic.md.j2' (remove one of them)",
        ),
        (
            {"agents/critic.md.j2": AGENT % "critic", f"{PLUGIN}/agents/critic.md.j2": AGENT % "critic"},
            "names: {plugin: bcme}\n",
            f"{PLUGIN}/agents/critic.md.j2: orphan: {PLUGIN} is plugins/bcme in this fork "
            "(move it to agents/critic.md.j2)",
        ),
        (
            {},
            "names: {commands: {breif: b}}\n",
            "overlay.yaml:6: bad-stage: 'commands' names 'breif', which is not a stage (did you mean 'brief'?)",
        ),
        (
            {},
            "names: {launcher: b}\n",
            "overlay.yaml:6: bad-name: names a launcher, but the plugin has no runtime (remove 'launcher')",
        ),
        (
            {},
            "stages_off: [reviw]\n",
            "overlay.yaml:6: bad-stage: 'stages_off' names 'reviw', which is not a stage (did you mean 'review'?)",
        ),
        (
            {"docs/commands/review.md.j2": "# acme-plan\n"},
            "names: {plugin: bcme}\n",
            "overlay.yaml:6: old-name: bcme/docs/commands/acmereview.md:1 still has the old name 'acme-plan' "
            "(change it in the overlay, or list it under names: keep:)",
        ),
        (
            {"docs/commands/review.md.j2": "In ~/.claude/plugins/data/acme-plan-inline.\n"},
            "names: {plugin: bcme}\n",
            "overlay.yaml:6: old-name: bcme/docs/commands/acmereview.md:1 still has the old name 'acme-plan' ",
        ),
        (
            {},
            "plugin: acme-paln\n",
            "overlay.yaml:1: bad-value: the upstream has no plugin 'acme-paln' (did you mean 'acme-plan'?)",
        ),
        (
            {},
            "nmes: {}\n",
            "overlay.yaml:6: unknown-key: unknown key 'nmes' in the file (did you mean 'names'?)",
        ),
    ],
)
def test_a_fault_names_its_layer_its_line_and_the_remedy(
    folder: Path, files: Files, more: str, says: str
) -> None:
    root = write_fork(folder, files, more)
    with suppress(UltraError):  # the build says it too
        accept(opened(root), ())
    found = told(root)
    assert any(one.startswith(says) for one in found), found


def test_a_kept_name_may_stay(folder: Path) -> None:
    files = {"docs/commands/review.md.j2": "# acme-plan\n"}
    assert built(fork(folder, files, "names: {plugin: bcme, keep: [acme-plan]}\n")).name == "bcme"


def test_another_upstream_is_refused(folder: Path) -> None:
    root = fork(folder, {})
    (folder / "upstream-1.2.3/plugin_src/LICENSE").write_text("Another licence.\n")
    (one,) = told(root)
    assert one.startswith("overlay.yaml:2: other-upstream: the upstream 1.2.3 has the SHA-256 ")
    assert one.endswith("(restore it, or run: ultra-plugin overlay upgrade 1.2.3)")
    write_upstream(folder, "1.3.0")
    (folder / "upstream-1.2.3").rename(folder / "gone")
    (folder / "upstream-1.3.0").rename(folder / "upstream-1.2.3")
    assert told(root) == [
        "overlay.yaml:2: other-upstream: the upstream is version 1.3.0, not 1.2.3 "
        "(run: ultra-plugin overlay upgrade 1.3.0)"
    ]
    (folder / "upstream-1.2.3").rename(folder / "elsewhere")
    assert told(root) == ["../upstream-1.2.3: no such upstream; correct 'upstream' in overlay.yaml"]


@pytest.mark.parametrize(
    ("upstream", "says"),
    [
        (
            "folder: ../upstream-1.2.3\n  wheel: x",
            "must have exactly one of folder, wheel, git, not folder and wheel",
        ),
        ("version2: 1", "unknown key 'version2'"),
        ("git: nowhere", "'git' must be FOLDER@TAG, not 'nowhere'"),
        ("git: ..@v9", "git cannot read this tag"),
        ("wheel: overlay.yaml", "cannot be read as a wheel"),
        ("folder: .", "is an overlay itself; an upstream must be a whole source tree"),
        ("folder: ..", "is not an upstream: it has no suite.yaml"),
    ],
)
def test_an_upstream_that_is_none_is_refused(folder: Path, upstream: str, says: str) -> None:
    root = write_fork(folder)
    text = (root / "overlay.yaml").read_text()
    (root / "overlay.yaml").write_text(text.replace("folder: ../upstream-{version}", upstream))
    assert any(says in one for one in told(root)), told(root)
