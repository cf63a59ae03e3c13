"""A fork is an upstream with files on top: added, replaced, extended, removed and patched; every error names its layer."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kit.names import ROOT
from tests.overlay.forks import PLUGIN, Files, built, call, opened, settings, told, write_fork, write_upstream
from ultra_plugin.creating import create
from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.work import accept
from ultra_plugin.scaffold import PARTS, Wanted

EXTENDED = """\
{% extends "upstream:commands/brief.md.j2" %}

{% block ask %}
First think.
{{ super() }}
{% endblock %}
"""
ALLOWED = "allow: [symlink]\n"
AGENT = "---\nname: %s\ndescription: Finds what is wrong with a brief and says so\ntools: Read\n---\nLook.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an upstream."""
    write_upstream(tmp_path)
    return tmp_path


def fork(folder: Path, files: Files, more: str = "") -> Path:
    """Return an overlay whose overrides are recorded."""
    root = write_fork(folder, files, more)
    accept(opened(root), ())
    return root


def words(text: str) -> str:
    """Return a text with its paragraphs on one line, however they are filled."""
    return " ".join(text.split())


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


def test_a_wheel_and_a_git_tag_render_as_the_folder_does(folder: Path) -> None:
    upstream = folder / "upstream-1.2.3"
    root = fork(folder, {"commands/brief.md.j2": EXTENDED})
    expected = {path: file.content for path, file in built(root).files.items()}
    with zipfile.ZipFile(folder / "acme-1.2.3.whl", "w") as wheel:
        for path in sorted((upstream / "plugin_src").rglob("*")):
            wheel.write(path, f"ultra_plugin/{path.relative_to(upstream)}")
    commit(upstream)
    text = settings(folder)
    for place in ("wheel: ../acme-{version}.whl", "git: ../upstream-1.2.3@v{version}"):
        (root / "overlay.yaml").write_text(text.replace("folder: ../upstream-{version}", place))
        assert {path: file.content for path, file in built(root).files.items()} == expected
    bad = EXTENDED.replace("block ask", "block aks")
    (root / "commands/brief.md.j2").write_text(bad)
    assert told(root)[0].startswith("commands/brief.md.j2:3: unknown-block")


def test_programs_links_and_files_of_any_kind_ship_from_every_layer(folder: Path) -> None:
    theirs = folder / f"upstream-1.2.3/plugin_src/{PLUGIN}"
    (theirs / "bin").mkdir()
    for name in ("theirs", "changed"):
        (theirs / "bin" / name).write_text("#!/bin/sh\n")
        (theirs / "bin" / name).chmod(0o755)
    (theirs / "skills/greet").mkdir(parents=True)
    (theirs / "skills/greet/SKILL.md").write_text(
        "---\nname: greet\ndescription: Say hello to whoever asks for it\n---\nHello.\n"
    )
    (theirs / "skills/greet/link.md").symlink_to("SKILL.md")
    root = fork(
        folder, {"bin/changed": "#!/bin/sh\nexit\n", "scripts/own.js": "1;\n", "skills/greet/.hidden": "x\n"}
    )
    for place in ("folder: ../upstream-{version}", "git: ../upstream-1.2.3@v{version}"):
        (root / "overlay.yaml").write_text(
            settings(folder, ALLOWED).replace("folder: ../upstream-{version}", place)
        )
        files = built(root).files
        assert [files[f"bin/{name}"].executable for name in ("theirs", "changed")] == [True, True]
        assert files["bin/changed"].text.endswith("exit\n")
        assert (files["skills/greet/link.md"].symlink, files["skills/greet/link.md"].text) == (
            True,
            "SKILL.md",
        )
        assert {"scripts/own.js", "skills/greet/.hidden"} < {*files}
        if not (folder / "upstream-1.2.3/.git").exists():
            commit(folder / "upstream-1.2.3")


def commit(upstream: Path) -> None:
    """Make a tag of an upstream."""
    git = ["git", "-C", str(upstream), "-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    for more in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["tag", "v1.2.3"]):
        subprocess.run([*git, *more], check=True, timeout=30)


def test_a_fork_is_not_told_to_remove_what_is_the_upstreams(folder: Path) -> None:
    overridden = EXTENDED.replace("block ask", "block intro").replace("{{ super() }}", "Go.")
    (folder / "upstream-1.2.3/plugin_src/fragments/spare.md.j2").write_text("Spare.\n")
    assert built(fork(folder, {"commands/brief.md.j2": overridden}))
    root = fork(folder, {"fragments/own.md.j2": "Own.\n"})
    assert told(root) == [
        "fragments/own.md.j2: unused-fragment: no template includes it (include or delete it)"
    ]


def test_a_link_of_the_overlay_ships_as_a_link_and_never_leaves_the_plugin(
    folder: Path, tmp_path: Path
) -> None:
    root = fork(folder, {"docs/commands/more.md.j2": "# More\n"}, ALLOWED)
    os.symlink("docs", root / "papers")
    done = call(root, "build")
    assert (done.returncode, done.stderr) == (0, "")
    (link,) = root.glob("dist/*/papers")
    assert (link.is_symlink(), os.readlink(link)) == (True, "docs")
    (tmp_path / "secret").write_text("x")
    os.symlink("../secret", root / "secret.txt")
    done = call(root, "build")
    assert done.returncode == 1
    assert "secret.txt: link-outside: links to '../secret', outside the plugin" in done.stderr


def test_a_linked_folder_and_a_pipe_are_refused_and_nothing_is_read(folder: Path) -> None:
    root = fork(folder, {})
    (folder / "elsewhere").mkdir()
    for name in ("fragments", "contracts", "plugins"):
        os.symlink("../elsewhere", root / name)
        done = call(root, "build")
        assert (done.returncode, done.stderr.splitlines()[0]) == (
            1,
            f"{name}: link-outside: links to '../elsewhere', which is not a file "
            "(put a copy there; an overlay follows no links to folders)",
        )
        (root / name).unlink()
    for place, shown in ((root / "docs", "docs"), (root / "policy", "policy")):
        place.mkdir()
        os.mkfifo(place / "pipe.yaml")
        done = call(root, "build")
        said = f"ultra-plugin: {shown}/pipe.yaml: is neither a file, a folder nor a link; remove it\n"
        assert (done.returncode, done.stderr) == (1, said)
        (place / "pipe.yaml").unlink()
    assert not (root / "dist").exists()


def test_a_place_that_cannot_be_written_is_one_sentence_with_a_remedy(folder: Path) -> None:
    root = fork(folder, {"dist": "x", "README.md": "x"})
    (root / "upstream.lock").unlink(missing_ok=True)
    (root / "upstream.lock").mkdir()
    for words, says in (
        (("build",), "dist: File exists; move away what has this name, or name another place"),
        (("build", "--out", "README.md/dist"), "README.md/dist: Not a directory; move away"),
        (("build", "--out", "/proc/made/dist"), "/proc/made: No such file or directory; correct the path"),
        (("overlay", "accept", "--all"), "upstream.lock: Is a directory; move away"),
    ):
        done = call(root, *words)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith(f"ultra-plugin: {says}"), done.stderr
    assert {path.name for path in root.iterdir()} == {"README.md", "dist", "overlay.yaml", "upstream.lock"}


def test_a_plugin_without_stages_and_title_can_be_forked(tmp_path: Path) -> None:
    create(
        Wanted("base", "Says hello in plain words.", "Ann", parts=tuple(PARTS)),
        tmp_path / "base",
        ROOT / "plugin_src",
    )
    settings = tmp_path / "base/plugin_src/plugins/base/plugin.yaml"
    lines = settings.read_text().splitlines(keepends=True)
    settings.write_text("".join(line for line in lines if not line.startswith("title:")))
    done = call(tmp_path, "overlay", "new", "mine too", "--upstream", "base")
    assert (done.returncode, (tmp_path / "mine too").exists()) == (1, False)
    assert "'mine too' cannot be a name; give one of a-z, 0-9 and single hyphens with --name" in done.stderr
    done = call(tmp_path, "overlay", "new", "mine too", "--upstream", "base", "--name", "mine")
    assert "Build it: cd 'mine too' && ultra-plugin build" in done.stdout
    done = call(tmp_path, "overlay", "new", "mine", "--upstream", "base")
    assert (done.returncode, done.stderr) == (0, "")
    done = call(tmp_path / "mine", "build")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "mine/dist/mine/.claude-plugin/plugin.json").read_text())["name"] == "mine"
