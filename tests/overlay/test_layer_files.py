"""Files of every kind, from every form of upstream, ship from the layer that has them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

from tests.kit.generator import call
from tests.kit.names import ROOT
from tests.overlay.forks import (
    EXTENDED,
    PLUGIN,
    built,
    fork,
    settings,
    told,
)
from ultra_plugin.creating import create
from ultra_plugin.pipeline import build
from ultra_plugin.scaffold import PARTS, Wanted

ALLOWED = "allow: [symlink]\n"


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


def test_servers_at_the_top_are_the_repositorys_own_and_the_build_names_them(folder: Path) -> None:
    servers = '{"mcpServers": {"a": {"command": "python3"}}}'
    root = fork(folder, {f"{PLUGIN}/.mcp.json": servers})
    assert build(root, root / "dist").unshipped == ()
    (root / ".mcp.json").write_text("{}")
    assert build(root, root / "dist").unshipped == (str(root / ".mcp.json"),)
    assert (root / "dist/acme-plan/.mcp.json").read_text() == servers


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
            "(put a copy there; an overlay does not follow links to folders)",
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
    assert re.search("Build it: cd 'mine too' && .*ultra-plugin.? build", done.stdout)
    done = call(tmp_path, "overlay", "new", "mine", "--upstream", "base")
    assert (done.returncode, done.stderr) == (0, "")
    done = call(tmp_path / "mine", "build")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "mine/dist/mine/.claude-plugin/plugin.json").read_text())["name"] == "mine"
