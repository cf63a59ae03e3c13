"""ultra-plugin adopt: a source tree that renders to the same bytes, executable bits and links, or one sentence and nothing."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ultra_plugin.adopt
from tests.kit.files import write_tree
from tests.kit.quick import examples
from ultra_plugin.adopt import adopt, different, reading, writing
from ultra_plugin.adopt.reading import Shelf
from ultra_plugin.adopt.sharing import Shared
from ultra_plugin.cli.program import run
from ultra_plugin.errors import UltraError
from ultra_plugin.folder import read_folder
from ultra_plugin.pipeline import build

PARAGRAPHS = ("One {{ a }}.\nTwo.\n\n", "Three.\nFour {% b %}.\nFive.\n\n", "Short.\n\n", "Six.\nSeven.\n\n")
SHARED = "Write short sentences.\nName files {{ with }} their lines.\nSay what {% you %} did not see.\n\n"
THEIRS: dict[str, str | bytes] = {
    ".claude-plugin/plugin.json": '{"name": "theirs", "version": "1.0.0",\r\n "odd": {}}',
    "commands/Go.md": f"---\ndescription: go\n---\n{SHARED}Go  \n\n\n\nnow",
    "commands/deep/stop.md": f"# Stop\n\n{SHARED}Stop.\n",
    "commands/windows.md": SHARED.replace("\n", "\r\n"),
    "agents/latin.md": b"caf\xe9\n",
    "agents/roles.md": "---\nname: roles\nrole: reviewer\nbudget: 3\n---\nx\n",
    "templates/page[1]*?.html.j2": "{{ theirs }} {% not ours\n",
    "plugin.yaml": "also: theirs\n",
    "icon/icon.svg": "<svg/>",
    "scripts/run": "#!/bin/sh\n",
    "notes~": "kept, although it looks like a backup\n",
    "docs/odd[1]*.md": "# Odd\n",
    "merge.md": "<<<<<<< yours\nshown in a text\n",
}


def plugin(root: Path, name: str = "theirs") -> Path:
    folder = write_tree(root, THEIRS)
    manifest = folder / ".claude-plugin/plugin.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"theirs", name.encode()))
    os.symlink("Go.md", folder / "commands/link.md")
    os.symlink("../docs", folder / "scripts/docs")
    return folder


def same(original: Path, built: Path) -> bool:
    return different(read_folder(original), read_folder(built)) == ""


def test_a_folder_comes_back_byte_for_byte(tmp_path: Path) -> None:
    original = plugin(tmp_path / "original")
    adopted = adopt(original, tmp_path / "tree")
    assert (adopted.plugins, adopted.files) == (("theirs",), len(THEIRS) + 2)
    build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    assert same(original, tmp_path / "tree/dist/theirs")
    (tmp_path / "tree/dist/theirs/scripts/run").chmod(0o644)
    assert not same(original, tmp_path / "tree/dist/theirs")


def test_a_zip_comes_back_byte_for_byte(tmp_path: Path) -> None:
    original = plugin(tmp_path / "original")
    adopt(original, tmp_path / "tree")
    build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    adopt(tmp_path / "tree/dist/theirs-1.0.0.zip", tmp_path / "again")
    build(tmp_path / "again/plugin_src", tmp_path / "again/dist")
    assert same(original, tmp_path / "again/dist/theirs")


def marketplace(root: Path) -> Path:
    plugin(root / "plugins/one", "one")
    plugin(root / "plugins/two", "two")
    write_tree(root / "bare", {"skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\nc\n"})
    offer = {
        "name": "shelf",
        "owner": {"name": "Ann"},
        "metadata": {"description": "Things"},
        "plugins": [
            {"name": "one", "source": "./plugins/one", "category": "odd"},
            {"name": "two", "source": "./plugins/two"},
            {"name": "bare", "source": "./bare", "strict": False},
            {"name": "far", "source": {"source": "github", "repo": "a/b"}},
        ],
    }
    write_tree(root, {".claude-plugin/marketplace.json": json.dumps(offer)})
    return root


def test_a_marketplace_comes_with_all_its_plugins_and_offers_them_again(tmp_path: Path) -> None:
    original = marketplace(tmp_path / "shelf")
    adopt(original, tmp_path / "tree")
    build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    for name, place in (("one", "plugins/one"), ("two", "plugins/two"), ("bare", "bare")):
        assert same(original / place, tmp_path / "tree/dist" / name)
    offer = json.loads((tmp_path / "tree/.claude-plugin/marketplace.json").read_text())
    entries = {one["name"]: one for one in offer["plugins"]}
    assert (offer["name"], offer["owner"], offer["metadata"]) == (
        "shelf",
        {"name": "Ann"},
        {"description": "Things"},
    )
    assert entries["one"]["category"] == "odd"
    assert entries["bare"]["strict"] is False
    assert entries["far"]["source"] == {"source": "github", "repo": "a/b"}


@pytest.mark.parametrize(("name", "refused"), [("claude-plugins-official", []), ("shelf", ["reserved-name"])])
def test_names_of_anthropic_are_right_in_their_own_marketplaces(
    tmp_path: Path, name: str, refused: list[str]
) -> None:
    files = {
        ".claude-plugin/marketplace.json": json.dumps(
            {
                "name": name,
                "owner": {"name": "Anthropic"},
                "plugins": [{"name": "claude-code-setup", "source": "./one"}],
            }
        ),
        "one/.claude-plugin/plugin.json": '{"name": "claude-code-setup"}',
    }
    adopted = adopt(write_tree(tmp_path / "shelf", files), tmp_path / "tree")
    assert [one.code for one in adopted.refused] == refused
    with suppress(UltraError):
        build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    assert (tmp_path / "tree/dist/claude-code-setup").exists() == (not refused)


@pytest.mark.parametrize(("fewest", "fragments"), [(4, 1), (5, 0)])
def test_shared_passages_become_fragments_and_every_byte_stays(
    tmp_path: Path, fewest: int, fragments: int
) -> None:
    """The passage stands four times where a template can hold it; Windows line ends cannot be in a template."""
    original = marketplace(tmp_path / "shelf")
    shared = adopt(original, tmp_path / "tree", fewest).shared
    found = [*(tmp_path / "tree/plugin_src").glob("fragments/shared/*")]
    assert len(found) == fragments
    if not fragments:
        assert shared is None
        return
    assert shared is not None
    assert (shared.fragments, shared.uses, shared.lines) == (1, 4, 4 * (4 - 1) - 4)
    assert "{{ '{{' }} with }}" in found[0].read_text()
    build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    for name in ("one", "two"):
        assert same(original / "plugins" / name, tmp_path / "tree/dist" / name)


@given(
    texts=st.lists(st.lists(st.sampled_from(PARAGRAPHS), max_size=6).map("".join), min_size=1, max_size=4),
    fewest=st.integers(2, 4),
)
@settings(max_examples=examples(120), deadline=None)
def test_sharing_saves_the_lines_that_it_says_and_takes_only_what_occurs_often(
    texts: list[str], fewest: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        pages = {f"docs/{number}.md": text for number, text in enumerate(texts)}
        write_tree(Path(place, "original"), {".claude-plugin/plugin.json": '{"name": "theirs"}', **pages})
        shared = adopt(Path(place, "original"), Path(place, "tree"), fewest).shared
        sources = Path(place, "tree/plugin_src")
        fragments = {
            path.relative_to(sources).as_posix(): path.read_text()
            for path in sources.glob("fragments/shared/*")
        }
        templates = [path.read_text() for path in sources.glob("plugins/theirs/docs/*.j2")]
        plain = [path.read_text() for path in sources.glob("plugins/theirs/docs/*.md")]
        uses = {name: "".join(templates).count(f'{{% include "{name}" %}}') for name in fragments}
    after = sum(text.count("\n") for text in (*templates, *plain, *fragments.values()))
    found = shared or Shared(0, 0, 0)
    assert (found.fragments, found.uses) == (len(fragments), sum(uses.values()))
    assert found.lines == sum(text.count("\n") for text in texts) - after
    assert (found.lines > 0) == bool(fragments)
    assert all(count >= fewest for count in uses.values())
    long = [part for part in PARAGRAPHS if part.count("\n") >= 3]
    assert fragments or all("".join(texts).count(part) < fewest for part in long)


@pytest.mark.parametrize(("step", "fewest"), [("write_sources", 0), ("share", 2)])
def test_sources_that_would_render_to_other_bytes_are_not_adopted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, fewest: int
) -> None:
    theirs: Callable[..., object] = getattr(ultra_plugin.adopt, step)

    def damaging(shelf: Shelf, sources: Path, *more: int) -> object:
        done = theirs(shelf, sources, *more)
        (sources / "plugins/theirs/scripts/run").write_text("other\n")
        return done

    monkeypatch.setattr(f"ultra_plugin.adopt.{step}", damaging)
    with pytest.raises(UltraError, match=r"^theirs/scripts/run: would not be the same after rendering"):
        adopt(plugin(tmp_path / "original"), tmp_path / "tree", fewest)
    assert [path.name for path in tmp_path.iterdir()] == ["original"]


def test_a_plugin_with_an_error_is_adopted_and_the_error_told(tmp_path: Path) -> None:
    original = plugin(tmp_path / "original")
    write_tree(original, {"hooks/hooks.json": "{"})
    adopted = adopt(original, tmp_path / "tree")
    assert [problem.path for problem in adopted.refused] == ["theirs/hooks/hooks.json"]


# --- refusals: one sentence, and nothing is left ------------------------------------------------------------------


def no_manifest(folder: Path) -> None:
    shutil.rmtree(folder / ".claude-plugin")


def broken_manifest(folder: Path) -> None:
    (folder / ".claude-plugin/plugin.json").write_text('{\n"name": theirs}')


def list_manifest(folder: Path) -> None:
    (folder / ".claude-plugin/plugin.json").write_text("[]")


def nameless(folder: Path) -> None:
    (folder / ".claude-plugin/plugin.json").write_text('{"version": "1"}')


def link_outside(folder: Path) -> None:
    os.symlink("../../secret", folder / "docs/secret")


def large(folder: Path) -> None:
    with open(folder / "blob", "wb") as handle:
        handle.truncate(100_000_001)


def two_cases(folder: Path) -> None:
    write_tree(folder, {"docs/Page.md": "a", "docs/page.md": "b"})


def two_cases_of_a_folder(folder: Path) -> None:
    write_tree(folder, {"docs/a.md": "a", "Docs/b.md": "b"})


def two_encodings(folder: Path) -> None:
    write_tree(folder, {"docs/\u00e9.md": "a", "docs/e\u0301.md": "b"})


def manifest_outside(folder: Path) -> None:
    shutil.move(folder / ".claude-plugin/plugin.json", folder.parent / "elsewhere.json")
    os.symlink("../../elsewhere.json", folder / ".claude-plugin/plugin.json")


def odd_name(folder: Path) -> None:
    (folder / "new\nline.md").write_text("x")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "docs/pipe")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (pipe, "original/docs/pipe: special-file: is neither a file, a folder nor a link (remove it)"),
        (no_manifest, "original: has neither .claude-plugin/plugin.json nor .claude-plugin/marketplace.json; name the folder"),
        (broken_manifest, "original/.claude-plugin/plugin.json:2: manifest-json: is not JSON: "),
        (list_manifest, "original/.claude-plugin/plugin.json:1: manifest-value: must be an object (write {...})"),
        (nameless, "original/.claude-plugin/plugin.json:1: bad-name: 'name' must be the name of the plugin, not null"),
        (link_outside, "original/docs/secret: link-outside: links to '../../secret', outside the plugin"),
        (large, "original: oversize: has more than 100 MB, up to 'blob'"),
        (two_cases, "original/docs/page.md: case-collision: differs from 'docs/Page.md' only in case"),
        (two_cases_of_a_folder, "original/docs: case-collision: differs from 'Docs' only in case"),
        (two_encodings, "case-collision: differs from 'docs/e\u0301.md' only in the encoding of a letter"),
        (manifest_outside, "original/.claude-plugin/plugin.json: link-outside: links to '../../elsewhere.json', outside"),
        (odd_name, "unportable-path: has a name that is not printable UTF-8 text (rename it)"),
    ],
)  # fmt: skip
def test_what_cannot_be_adopted_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, change: object, said: str
) -> None:
    original = plugin(tmp_path / "original")
    change(original)  # type: ignore[operator]
    (tmp_path / "work").mkdir()
    with pytest.raises(UltraError) as caught:
        adopt(original, tmp_path / "work/made/for/tree")
    sentence = str(caught.value).replace(f"{tmp_path}/", "")
    assert said in sentence
    assert "\n" not in sentence.replace("\\n", "")
    assert [*(tmp_path / "work").iterdir()] == []


def test_a_zip_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../evil", "x")
    (tmp_path / "text.zip").write_text("no zip")
    for name, said in (
        ("bad", "'../evil' would be unpacked elsewhere"),
        ("text", "neither a folder nor a zip"),
    ):
        with pytest.raises(UltraError, match=said):
            adopt(tmp_path / f"{name}.zip", tmp_path / "tree")
    assert {path.name for path in tmp_path.iterdir()} == {"bad.zip", "text.zip"}


def test_a_zip_is_unpacked_with_modes_and_links_up_to_its_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zip that was made on Windows has no modes; a file that nobody may read can still be copied."""
    source, modes = tmp_path / "a.zip", {"plain": 0, "run": 0o755, "shut": 0o100000, "odd": 0o100640}
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("top/empty/", "")
        for name, mode in {**modes, "link": 0o120777}.items():
            member = zipfile.ZipInfo(f"top/{name}")
            member.external_attr = mode << 16 | 0x20  # the archive bit
            archive.writestr(member, "plain")
    for files, size, fits in ((6, 25, True), (5, 25, False), (6, 24, False)):
        monkeypatch.setattr(reading, "MOST_FILES", files)
        monkeypatch.setattr(reading, "MOST_BYTES", size)
        place = tmp_path / f"{files}-{size}"
        place.mkdir()
        with nullcontext() if fits else pytest.raises(UltraError, match="unpacks to 6 files and 25 bytes"):
            reading._unpack(source, place)
    top = reading._top(tmp_path / "6-25")
    assert (top.name, reading._top(top), os.readlink(top / "link")) == ("top", top, "plain")
    found = {name: (top / name).lstat().st_mode & 0o777 for name in modes}
    assert found == {"plain": 0o644, "run": 0o755, "shut": 0o400, "odd": 0o640}
    assert (top / "empty").is_dir()
    assert (top / "plain").read_text() == "plain"


@pytest.mark.parametrize(
    ("source", "metadata", "folder"),
    [
        ("./a/../b", None, "b"),
        ("./a", {"pluginRoot": "p"}, "a"),
        ("a", {"pluginRoot": "./p"}, "p/a"),
        ("a", {"pluginRoot": 3}, ""),
        ("a", "p", ""),
        ("a", None, ""),
        ("git:a", {"pluginRoot": "./p"}, ""),
        ({"source": "github"}, {"pluginRoot": "./p"}, ""),
    ],
)
def test_an_entry_of_a_marketplace_is_in_this_folder_or_elsewhere(
    source: object, metadata: object, folder: str
) -> None:
    assert reading._local({"metadata": metadata}, {"source": source}) == folder


ANN = {"name": "Ann", "email": "a@x", "url": "https://x"}


@pytest.mark.parametrize(
    ("offer", "made"),
    [
        ({}, {}),
        ({"name": "other", "description": "D", "metadata": {"description": "M"}}, {"name": "other", "description": "D"}),
        ({"metadata": {"description": "M"}}, {"description": "M"}),
        ({"metadata": "M", "version": "1.0", "odd": 1}, {"version": "1.0"}),
        *(({"owner": one}, {"owner": one}) for one in (ANN, {"name": "Ann"})),
        *(({"owner": one}, {}) for one in ("Ann", {"email": "a@x"}, {**ANN, "age": "3"}, {"name": 3})),
    ],
)  # fmt: skip
def test_a_suite_has_the_name_owner_and_words_of_its_marketplace(
    offer: dict[str, object], made: dict[str, object]
) -> None:
    usual = {"name": "shelf", "description": "Plugins adopted from shelf.", "owner": {"name": "shelf"}}
    found = writing._suite(Shelf("shelf", (), offer))
    assert {name: value for name, value in found.items() if name != "metadata"} == {
        **usual,
        "profile": "client",
        **made,
    }


def test_what_git_and_python_keep_in_a_plugin_is_left_out_and_named(tmp_path: Path) -> None:
    original = plugin(tmp_path / "original")
    theirs = {".git": "gitdir: x\n", "sub/.git": "gitdir: y\n", "lib/__pycache__/a.pyc": "x", "lib/a.py": "a"}
    write_tree(original, theirs)
    assert adopt(original, tmp_path / "tree").left_out == (
        "theirs/.git",
        "theirs/lib/__pycache__",
        "theirs/sub/.git",
    )
    build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    built = read_folder(tmp_path / "tree/dist/theirs").files
    assert {*read_folder(original).files} - {*built} == {".git", "sub/.git"}


@pytest.mark.parametrize("as_zip", [False, True])
def test_modes_and_empty_folders_that_are_not_kept_are_named(
    tmp_path: Path, as_zip: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original = write_tree(plugin(tmp_path / "original"), {"lib/__pycache__/a.pyc": "x"})
    (original / "scripts/docs").unlink()  # Python archives what a link points to
    for file in original.rglob("*"):
        if file.is_file() and not file.is_symlink():
            file.chmod(0o644)
    for path, mode in (("merge.md", 0o600), ("scripts/run", 0o750), ("plugin.yaml", 0o664)):
        (original / path).chmod(mode)
    (original / "empty/below").mkdir(parents=True)
    (original / "docs/none").mkdir()
    if as_zip:
        shutil.make_archive(str(tmp_path / "theirs"), "zip", original)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["ultra-plugin", "adopt", "theirs.zip" if as_zip else "original", "tree"])
    assert run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [
        "left out, because git or Python made it: theirs/lib/__pycache__",
        "modes that become 644 or 755: theirs/merge.md (600), theirs/plugin.yaml (664), theirs/scripts/run (750)",
        "empty folders, which are not kept: theirs/docs/none/, theirs/empty/, theirs/lib/",
    ]
    files = read_folder(tmp_path / "tree/plugin_src/plugins/theirs").files
    assert [path for path in files if files[path].executable] == ["scripts/run"]


def test_names_of_any_script_and_with_any_space_come_back(tmp_path: Path) -> None:
    names = (
        "Screenshot 3.04\u202fPM.png",
        "no\u00a0break",
        "日本/größe.md",
        "👩\u200d💻.txt",
        "-rf",
        "a'b\"c$(d)",
    )
    original = write_tree(plugin(tmp_path / "original"), {f"assets/{name}": name for name in names})
    adopt(original, tmp_path / "tree")
    build(tmp_path / "tree/plugin_src", tmp_path / "tree/dist")
    assert same(original, tmp_path / "tree/dist/theirs")
    assert {*os.listdir(tmp_path / "tree/dist/theirs/assets")} == {name.partition("/")[0] for name in names}


def test_the_name_of_a_marketplace_does_not_choose_a_place_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = marketplace(tmp_path / "shelf")
    offer = original / ".claude-plugin/marketplace.json"
    (tmp_path / "work/here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work/here")
    for name in ("../evil", "/evil", "", ".."):
        offer.write_text(json.dumps({**json.loads(offer.read_text()), "name": name}))
        assert adopt(original).target == "shelf"
        assert [*(tmp_path / "work").glob("**/plugin_src")] == [tmp_path / "work/here/shelf/plugin_src"]
        shutil.rmtree("shelf")


@pytest.mark.parametrize(
    "plugins", [None, {}, "x", [], [{"name": "far", "source": {"source": "github", "repo": "a/b"}}]]
)
def test_a_marketplace_without_plugins_of_its_own_is_told_from_a_folder_without_one(
    tmp_path: Path, plugins: object
) -> None:
    offer = json.dumps({"name": "shelf", "plugins": plugins})
    write_tree(tmp_path / "shelf", {".claude-plugin/marketplace.json": offer})
    with pytest.raises(
        UltraError, match=r"shelf: \.claude-plugin/marketplace\.json offers no plugin that is in this"
    ):
        adopt(tmp_path / "shelf", tmp_path / "tree")
    assert not (tmp_path / "tree").exists()


def test_a_marketplace_whose_folder_is_a_link_outside_is_refused(tmp_path: Path) -> None:
    original = marketplace(tmp_path / "shelf")
    shutil.move(original / "bare", tmp_path / "elsewhere")
    os.symlink("../elsewhere", original / "bare")
    with pytest.raises(UltraError, match="shelf/bare: link-outside: is a link to a folder outside"):
        adopt(original, tmp_path / "tree")


def test_two_plugins_of_one_name_are_refused_whatever_their_case(tmp_path: Path) -> None:
    original = marketplace(tmp_path / "shelf")
    manifest = original / "plugins/two/.claude-plugin/plugin.json"
    manifest.write_text('{"name": "ONE"}')
    with pytest.raises(UltraError) as caught:
        adopt(original, tmp_path / "tree")
    place = original / ".claude-plugin/marketplace.json"
    assert str(caught.value) == f"{place}: duplicate-name: two plugins are called 'ONE' (rename one)"
    assert not (tmp_path / "tree").exists()


def test_a_target_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    original = plugin(tmp_path / "original")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(".")
    for target in (tmp_path / "file", tmp_path / "link"):
        with pytest.raises(UltraError, match=f"^{target}: is not a folder; name another target$"):
            adopt(original, target)
    (tmp_path / "link").unlink()
    for target, said in (
        (tmp_path / "file/tree", "Not a directory|File exists"),
        (Path("/proc/made/tree"), "No such file or directory"),  # where even root may not write
    ):
        with pytest.raises(UltraError, match=f"^{target}: cannot be made: ({said}); name another target$"):
            adopt(original, target)
    assert {path.name for path in tmp_path.iterdir()} == {"original", "file"}


def test_a_marketplace_whose_folder_is_missing_is_refused(tmp_path: Path) -> None:
    original = marketplace(tmp_path / "shelf")
    shutil.rmtree(original / "bare")
    with pytest.raises(
        UltraError, match="source-missing: the entry 'bare' names the folder 'bare', which is not there"
    ):
        adopt(original, tmp_path / "tree")


def test_the_command_line_says_what_it_did_and_refuses_a_full_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin(tmp_path / "original")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["ultra-plugin", "adopt", "original", "--share", "2"])
    assert run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("theirs/plugin_src: theirs, 15 files, ")
    assert lines[1] == "1 fragment, used 2 times; lines saved: 2"
    assert run() == 1
    assert capsys.readouterr().err == "ultra-plugin: theirs: is not empty; name another target, or empty it\n"


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("stage", ["read", "write", "render and compare", "share"])
def test_stopped_at_any_moment_it_leaves_nothing(
    tmp_path: Path, sent: signal.Signals, status: int, stage: str
) -> None:
    original = plugin(tmp_path / "original")
    write_tree(original, {f"docs/{number}.md": f"# {number}\n\n{SHARED}" for number in range(1500)})
    work = tmp_path / "work"
    (work / "tmp").mkdir(parents=True)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ultra_plugin", "adopt", str(original), "made/tree", "--share", "2"],
        cwd=work,
        env={**os.environ, "TMPDIR": str(work / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    with process:
        while stage.encode() not in said:
            said += os.read(ours, 1000)
        time.sleep(0.1)  # into the stage
        process.send_signal(sent)
        assert process.wait(30) == status, said
    os.close(ours)
    assert [path.name for path in work.rglob("*")] == ["tmp"]


def test_interrupted_while_it_loads_its_modules_it_says_so(tmp_path: Path) -> None:
    write_tree(tmp_path, {"click.py": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"})
    done = subprocess.run(
        [sys.executable, "-m", "ultra_plugin", "adopt", "x"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "ultra-plugin: interrupted; nothing was changed\n")
