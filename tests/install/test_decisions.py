"""What the installer decides, called in this process: options, errors, marks, releases, bundles, copies and folders."""

from __future__ import annotations

import dataclasses
import errno
import importlib
import inspect
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.install.samples import GENERATOR, PLUGIN, Machine, plugin_files, write_bundle
from tests.kit.files import write_tree
from tests.kit.repository import git, make_repository
from tests.kit.table import each
from ultra_plugin.errors import UltraError
from ultra_plugin.install import (
    calls,
    client,
    installing,
    main,
    marketplace,
    presence,
    released,
    report,
    scaffold,
    settings,
    staging,
)
from ultra_plugin.install.archive import LISTING, MOST_BYTES, MOST_FILES, read
from ultra_plugin.install.names import STATE
from ultra_plugin.install.place import Place
from ultra_plugin.install.preparing import prepare

# What a call gathers or reads from: everything else that the installer keeps is frozen.
GATHERS = {"Report", "Planner", "Draft"}
ONLY_FOR_INSTALLING = (
    ["--from", "x"], ["--permissions", "minimal"], ["--permissions", "none"], ["--keys", "x"], ["--release", "x"],
    ["--short-names"], ["--no-short-names"], ["--prepare"],
)  # fmt: skip


def test_what_the_installer_keeps_is_frozen() -> None:
    for path in sorted((GENERATOR / "ultra_plugin/install").glob("*.py")):
        module = importlib.import_module(f"ultra_plugin.install.{path.stem}")
        for name, one in inspect.getmembers(module, dataclasses.is_dataclass):
            assert vars(one)["__dataclass_params__"].frozen == (name not in GATHERS), name


# -- the command line


@each(
    (action, option) for action in ("--status", "--verify", "--uninstall") for option in ONLY_FOR_INSTALLING
)
def test_each_option_for_installing_is_refused_elsewhere(action: str, option: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", io.StringIO())
        assert main._status([action, *option]) == 2
    assert main._options(option)
    assert main._options([action])


@each(
    [
        *((["--purge"], False), (["--purge", "--uninstall"], True)),
        *((["--dry-run", one], one == "--uninstall") for one in ("--status", "--verify", "--uninstall")),
        *(([name], fits) for name, fits in (("sample", True), ("../x", False), ("", False), ("a b", False))),
    ]
)
def test_options_that_do_not_go_together_are_refused(words: list[str], fits: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", io.StringIO())
        if fits:
            assert main._options(words)
        else:
            assert main._status(words) == 2


HINTS = {errno.EACCES: "make it writable", errno.EROFS: "make it writable", errno.ENOSPC: "make room"}


@each((number, name) for number in (*HINTS, errno.EIO, errno.ELOOP, None) for name in ("a/file", None))
def test_an_error_of_the_system_is_a_sentence_with_what_to_do(number: int | None, name: str | None) -> None:
    error = OSError(number, "why", name) if number else OSError("why")

    def fail(*_: Any) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        said = io.StringIO()
        patch.setattr(sys, "stderr", said)
        patch.setattr(calls, "call_verify", fail)
        assert main.main(["--verify"]) == 1
    place = f"{name}: " if name and number else ""
    hint = HINTS.get(number or 0, "fix this")
    assert said.getvalue() == f"ultra-install: {place}why; nothing was changed: {hint} and try again\n"


@each(
    (encoding, tty)
    for encoding in ("utf-8", "UTF-8", "utf8", "latin-1", "ascii", "", None)
    for tty in (True, False)
)
def test_marks_are_for_terminals_that_can_show_them(encoding: str | None, tty: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", SimpleNamespace(encoding=encoding, isatty=lambda: tty))
        shown = tty and (encoding or "").lower() in ("utf-8", "utf8")
        assert report._mark("x") == ("x" if shown else "")


# -- releases and bundles

NAMES = st.from_regex(r"[a-z][a-z.]{0,5}(/[a-z][a-z.]{0,5})?", fullmatch=True)
DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(st.dictionaries(NAMES, DIGESTS, min_size=1, max_size=4))
def test_checksums_are_read_as_sha256sum_writes_them(digests: dict[str, str]) -> None:
    text = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    assert released._parsed(Path("s"), text.encode()) == digests


@each(
    [
        "", "x\n", f"{'a' * 63}  x\n", f"{'A' * 64}  x\n", f"{'a' * 64} x\n", f"{'a' * 64}  .x\n", f"{'a' * 64}  ../x\n",
        f"{'a' * 64}  a/b/c\n", f"{'a' * 64}  /x\n", f"{'a' * 64}  a\\b\n", f"{'a' * 64}  x\n{'b' * 64}  x\n",
    ]
)  # fmt: skip
def test_checksums_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UltraError, match="download it again"):
        released._parsed(Path("s"), text.encode())


def test_only_what_a_release_lists_with_its_digest_is_part_of_it(tmp_path: Path) -> None:
    package = read(write_bundle(tmp_path / "b"))
    name, digest = f"{PLUGIN}/{LISTING}", package.files[LISTING].sha256
    released.require_released(package, released.Release(tmp_path, {name: digest}))
    for digests in ({}, {name: "0" * 64}, {LISTING: digest}, {f"other/{LISTING}": digest}):
        with pytest.raises(UltraError, match=r"another release|download it again"):
            released.require_released(package, released.Release(tmp_path, digests))


@each([("a/x", "a/X"), ("é", "e\u0301"), ("a:b",), ("x" * 250,)])
def test_a_folder_is_refused_for_the_names_for_which_a_zip_is(*names: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), dict.fromkeys(names, b""))
        with pytest.raises(UltraError, match=r"nothing was written|same file on some systems"):
            read(Path(folder))


def test_a_bundle_has_at_most_so_many_bytes_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (MOST_BYTES, MOST_FILES) == (64 << 20, 5000)
    with open(tmp_path / "x", "wb") as file:
        file.truncate(MOST_BYTES)
    with pytest.raises(UltraError, match="not a plugin bundle"):
        read(tmp_path)
    (tmp_path / "y").write_bytes(b"1")
    with pytest.raises(UltraError, match="more than 64 MB unpacked"):
        read(tmp_path)
    for most, said in ((2, "more than 64 MB unpacked"), (1, "more than 1 files")):
        monkeypatch.setattr("ultra_plugin.install.archive.MOST_FILES", most)
        with pytest.raises(UltraError, match=said):
            read(tmp_path)


# -- what is there


def entries(*rows: tuple[str, Any]) -> dict[str, Any]:
    return {"version": 2, "plugins": dict(rows)}


@each(
    [
        ("sample@market", [{"version": "2", "installPath": "/p"}], [("sample@market", "2", "/p")]),
        ("sample@market", [{"version": "2", "installPath": "/p", "projectPath": "/elsewhere"}], []),
        ("sample@market", [None, 1], [("sample@market", "None", "None")] * 2),
        ("sample@market", {"version": "2"}, []),
        ("sample@market", None, []),
        ("other@market", [{"version": "2", "installPath": "/p"}], []),
        ("sample", [{"version": "2", "installPath": "/p"}], []),
        ("a@sample@market", [{"version": "2"}], []),
    ]
)
def test_a_copy_of_a_marketplace_is_one_of_this_plugin(
    id_: str, found: Any, copies: list[tuple[str, str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        write_tree(Path(name), {"plugins/installed_plugins.json": json.dumps(entries((id_, found)))})
        place = Place.at("user", Path(name), Path(name))
        told = [(one.id, one.version, one.where) for one in presence.copies(place, PLUGIN)]
    assert told == copies


def test_the_client_is_shown_settings_records_and_plugins(tmp_path: Path) -> None:
    files = {
        "settings.json": "1",
        "plugins/installed_plugins.json": "2",
        "plugins/known_marketplaces.json": "3",
    }
    for shown in ({}, files):
        config, mirror = tmp_path / f"config{len(shown)}", tmp_path / f"mirror{len(shown)}"
        write_tree(config, {**shown, "other.json": "4", **({"skills/x": "5"} if shown else {})})
        mirror.mkdir()
        client._mirror(Place.at("user", config, config), mirror)
        there = {str(one.relative_to(mirror)): one.read_text() for one in mirror.rglob("*") if one.is_file()}
        assert {name: text for name, text in there.items() if not name.startswith("skills")} == shown
        assert (mirror / "skills").is_symlink() == bool(shown)


@each(
    [
        ("\n{}", "x", 1),
        ('{"x": 1}', "x", 1),
        ('{\n"x": 1}', "x", 2),
        ('{"x": 1,\n\n"x": 2}', "x", 3),
        ("", "x", 1),
    ]
)
def test_a_setting_is_told_with_its_last_line(text: str, key: str, line: int) -> None:
    assert settings._line(text, key) == line


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("bits", [0o4755, 0o2755, 0o600])
def test_a_file_of_another_owner_keeps_owner_and_mode(tmp_path: Path, bits: int) -> None:
    like, new = tmp_path / "like", tmp_path / "new"
    like.write_bytes(b"old")
    os.chown(like, 12345, 12346)
    like.chmod(bits)
    staging.stage_file(b"new", like, new)
    found = new.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (12345, 12346, bits)


# -- the folder for work in progress


@pytest.mark.parametrize("where", ["", "skills", "home"])
def test_folders_are_only_removed_while_nothing_else_is_in_them(tmp_path: Path, where: str) -> None:
    top = tmp_path / "home"
    state = top / "skills" / STATE
    write_tree(state, {"lock": "", "made": "1\n"})
    if where:
        ((tmp_path / where if where == "home" else top / where) / "own").write_text("x")
    assert scaffold._dismantled(state, top) == (not where)
    assert (state / "lock").exists() == top.exists() == bool(where)


def test_what_a_process_with_this_number_left_is_no_obstacle(tmp_path: Path) -> None:
    state = tmp_path / "config/skills" / STATE
    left = tmp_path / f"{STATE}-{os.getpid()}"
    write_tree(left, {f"skills/{STATE}/made": "1\n"})
    scaffold._put_up(state)
    assert (state.is_dir(), scaffold.made(state), left.exists()) == (True, 2, False)


@each((missing, agrees) for missing in ([], ["Bash(a)", "Bash(b)"]) for agrees in (True, False))
def test_missing_permissions_are_asked_for_once(missing: list[str], agrees: bool) -> None:
    asked: list[str] = []
    runs: list[bool] = []

    def run(_: object, __: object, ___: object, permitted: bool) -> dict[str, Any]:
        runs.append(permitted)
        return {"made": ["two"], "kept": []} if permitted else {
            "made": ["one"], "kept": ["k"], "missing": missing, "file": "f"
        }  # fmt: skip

    def ask(question: str) -> bool:
        asked.append(question)
        return agrees

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ultra_plugin.install.preparing._run", run)
        said = prepare(None, None, Path("/r"), False, ask)  # type: ignore[arg-type]
    assert asked == (["Add Bash(a), Bash(b) to /r/f?"] if missing else [])
    added = bool(missing) and agrees
    assert runs == [False, True][: 1 + added]
    denied = [] if agrees else [f"/r: not permitted yet: {one}" for one in missing]
    assert said == ["/r: made one", *(["/r: made two"] if added else []), "/r: kept k", *denied]


@each((left, gone) for left, gone in (
    (("lock",), True), (("lock", "made"), True), (("lock", "made", "made.new"), True), ((), True),
    (("lock", "own"), False), (("made.old",), False),
))  # fmt: skip
def test_what_a_dead_process_left_is_swept_unless_it_holds_other_files(
    left: tuple[str, ...], gone: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        dead, living = Path(name, f"{STATE}-999999999"), Path(name, f"{STATE}-{os.getpid()}")
        other = Path(name, f"{STATE}-x")
        for folder in (dead, living, other):
            (folder / "in").mkdir(parents=True)
            write_tree(folder / "in", dict.fromkeys(left, b""))
        scaffold._sweep(Path(name))
        assert (dead.exists(), living.exists(), other.exists()) == (not gone, True, True)


@each(["{", "[" * 100_000, b"\xff", "[]", "1", "{}", '{"name": "x"}'])
def test_the_name_in_a_manifest_is_read_if_there_is_one(text: str | bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(text if isinstance(text, bytes) else text.encode())
        file.flush()
        assert installing._manifest_name(Path(file.name)) == ("x" if text == '{"name": "x"}' else None)
    assert installing._manifest_name(Path(file.name)) is None


def test_without_options_everything_is_installed_for_the_user_after_a_question() -> None:
    found = vars(main._options([]))
    assert {name: value for name, value in found.items() if value not in (None, False, [])} == {"wait": 60.0}


def test_an_error_is_told_as_json_in_its_own_letters(capsys: pytest.CaptureFixture[str]) -> None:
    main._print_error("größer: \N{CHECK MARK}")
    assert capsys.readouterr().out == '{\n  "ok": false,\n  "error": "größer: \N{CHECK MARK}"\n}\n'


@each(
    (named, variable, config, home)
    for named in (True, False)
    for variable in (True, False)
    for config in (True, False, None)
    for home in (True, False, None)
)
def test_keys_are_the_named_ones_the_variable_s_or_the_configured_ones(
    named: bool, variable: bool, config: bool | None, home: bool | None
) -> None:
    with tempfile.TemporaryDirectory() as name:
        usual = "ultra-suite/allowed_signers"
        files = {"named": "", "variable": ""}
        files |= {f"config/{usual}": ""} if config else {}
        files |= {f"home/.config/{usual}": ""} if home else {}
        root = write_tree(Path(name), files)
        environment = {released.KEYS_VARIABLE: f"{root}/variable"} if variable else {}
        environment |= {} if config is None else {"XDG_CONFIG_HOME": f"{root}/config"}
        environment |= {} if home is None else {"HOME": f"{root}/home"}
        found = released.keys_file(root / "named" if named else None, environment)
        configured = root / "config" / usual if config is not None else root / "home/.config" / usual
        there = configured if configured.is_file() else None
        assert found == (root / "named" if named else root / "variable" if variable else there)


@each((given, signer) for given in (True, False) for signer in ("", "me@x"))
def test_a_release_is_told_with_its_folder_and_signer(given: bool, signer: str) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        source = write_bundle(Path(name, "here", "b"))
        package = read(source)
        asked = calls.Asked(source=source, release=Path(name, "r") if given else None, keys=Path("k"))

        def release(folder: Path, keys: Path | None) -> released.Release:
            assert keys == Path("k")
            return released.Release(folder, {f"{PLUGIN}/{LISTING}": package.files[LISTING].sha256}, signer)

        patch.setattr(calls, "read_release", release)
        folder = Path(name, "r") if given else Path(name, "here").resolve()
        by = f" signed by {signer}" if signer else ""
        assert calls._released(asked, [package]) == [f"{PLUGIN} 1.0.0 is part of the release{by} in {folder}"]
    assert calls._released(calls.Asked(), [package]) == []


def test_a_plugin_that_is_not_installed_is_a_problem(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes")
    done = machine.run("--verify", PLUGIN, "other")
    assert (done.status, f"other is not installed in {machine.config}" in done.stdout) == (1, True)
    assert machine.ok("--verify", PLUGIN).status == 0


def test_the_client_lists_what_it_is_shown_with_the_owner_s_paths(tmp_path: Path) -> None:
    config = write_tree(tmp_path / "config", {"settings.json": "7"})
    row = '{"id": "x@skills-dir", "version": "%s", "enabled": true, "installPath": "%s/skills/x"}'
    for text, listed in (
        (f'printf \'[{row}]\' "$(cat "$CLAUDE_CONFIG_DIR/settings.json")" "$CLAUDE_CONFIG_DIR"', True),
        ("echo no JSON", False),
        ("echo '[{}]'", False),
        ("exit 1", False),
    ):
        (tmp_path / "claude").write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "claude").chmod(0o755)
        found = client.listing(tmp_path / "claude", Place.at("user", config, config))
        expected = [client.Listed("x@skills-dir", "7", True, (), f"{config}/skills/x")]
        assert found == (expected if listed else None)
    assert client.listing(tmp_path / "nothing", Place.at("user", config, config)) is None


def test_a_repository_is_prepared_only_if_the_call_says_so(machine: Machine, tmp_path: Path) -> None:
    program = """#!/bin/sh\necho '{"ok": true, "made": ["x"], "kept": ["y"]}'\n"""
    files = {**plugin_files(), "runtime/ultra_runtime/verbs/work_init.py": "", "bin/ultra": program}
    source = write_bundle(tmp_path / "b", files=files)
    machine.cwd = make_repository(tmp_path / "repo", {"a": "x"})
    told = f"{machine.cwd}: made x\n{machine.cwd}: kept y\n"
    assert told not in machine.ok("--from", source, "--yes").stdout
    assert told in machine.ok("--from", source, "--yes", "--prepare").stdout
    assert "is not in a git repository" in Machine(machine.home, cwd=tmp_path).refused(
        "--from", source, "--yes", "--prepare"
    )


@each(range(5))
def test_the_owner_s_version_gets_the_next_free_name(count: int) -> None:
    names = ["a/b.kept-1", *(f"a/b.kept-1-{number}" for number in range(2, 7))]
    assert installing.aside("a/b", "1", names[:count]) == names[count]
    inside = [f"{name}/x" for name in names[:count]]
    assert installing.aside("a/b", "1", inside) == names[count]
    assert installing.aside("a/b", "1", ["a"]) == "a.kept-1/b"


def test_leftovers_are_swept_in_the_client_s_folder_and_the_one_above(tmp_path: Path) -> None:
    state = tmp_path / "above/home/config/skills" / STATE
    state.parent.mkdir(parents=True)
    left = [folder / f"{STATE}-999999999" for folder in state.parents[:4]]
    for folder in left:
        folder.mkdir()
    scaffold.sweep(state)
    assert [folder.exists() for folder in left] == [False, False, False, True]


@each(
    (listed, remote)
    for listed in (True, False)
    for remote in ("https://x/y.git", "https://me:key@x/y.git", "")
)
def test_the_marketplace_is_where_this_clone_came_from(listed: bool, remote: str) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        clone = make_repository(Path(name, "clone").resolve(), {"a": "x"})
        if remote:
            git(clone, "remote", "add", "origin", remote)
        write_tree(clone, {".claude-plugin/marketplace.json": "{}"} if listed else {})
        patch.setattr(marketplace, "__file__", f"{clone}/generator/ultra_plugin/install/marketplace.py")
        assert marketplace._address() == ("https://x/y.git" if listed and remote else marketplace.UNKNOWN)
        value = json.loads(marketplace.settings_for(["a", "b"]))
    assert value["enabledPlugins"] == {f"a@{marketplace.NAME}": True, f"b@{marketplace.NAME}": True}


def test_a_folder_is_ignored_only_if_git_says_so(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {".gitignore": "/out/\n"})
    place = Place.at("project", root / ".claude", root)
    assert calls._ignored(place, root / "out")
    assert not calls._ignored(place, root / "in")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert not calls._ignored(place, root / "out")
