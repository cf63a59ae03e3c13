"""Settings are edited as text: the list gains what is missing, and every other byte stays."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.install.samples import Machine, plugin_files, snapshot, write_bundle
from tests.kit.files import write_tree
from tests.kit.quick import examples
from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import Package, PackedFile
from ultra_plugin.install.settings import Draft, Granted, needed

RULE = "Bash(ultra:*)"
EDITING = {"execute": "Bash(ultra:*), Read, Edit, Write", "look": "Read, Bash(Edit it:*), NotEdit"}
GRANTED = {
    "nothing but an object": ("{}", '{"permissions": {"allow": ["Bash(ultra:*)"]}}'),
    "other members on one line": ('{"a":1}', '{"a":1, "permissions": {"allow": ["Bash(ultra:*)"]}}'),
    "two spaces": (
        '{\n  "a": 1\n}\n',
        '{\n  "a": 1,\n  "permissions": {\n    "allow": [\n      "Bash(ultra:*)"\n    ]\n  }\n}\n',
    ),
    "tabs and CRLF": (
        '{\r\n\t"permissions": {\r\n\t\t"deny": []\r\n\t}\r\n}',
        '{\r\n\t"permissions": {\r\n\t\t"deny": [],'
        '\r\n\t\t"allow": [\r\n\t\t\t"Bash(ultra:*)"\r\n\t\t]\r\n\t}\r\n}',
    ),
    "a list of one": ('{"permissions":{"allow":["a"]}}', '{"permissions":{"allow":["a", "Bash(ultra:*)"]}}'),
    "a compact list": (
        '{"permissions":{"allow":["a","b"]}}',
        '{"permissions":{"allow":["a","b","Bash(ultra:*)"]}}',
    ),
    "an empty list over two lines": (
        '{\n    "permissions": {\n        "allow": [\n        ]\n    }\n}',
        '{\n    "permissions": {\n        "allow": [\n            "Bash(ultra:*)"\n        ]\n    }\n}',
    ),
    "a byte order mark": ("\ufeff{}", '\ufeff{"permissions": {"allow": ["Bash(ultra:*)"]}}'),
    "an escaped key": (
        '{"permissi\\u006fns": {"allow": []}}',
        '{"permissi\\u006fns": {"allow": ["Bash(ultra:*)"]}}',
    ),
    "the key twice, of which the later one counts": (
        '{"permissions": {"allow": ["x"]}, "permissions": {"allow": []}}',
        '{"permissions": {"allow": ["x"]}, "permissions": {"allow": ["Bash(ultra:*)"]}}',
    ),
    "brackets in strings and odd numbers": (
        '{"a": "]}\\"[{", "n": [1.0, 1e2, -0, 12345678901234567890123]}',
        '{"a": "]}\\"[{", "n": [1.0, 1e2, -0, 12345678901234567890123], '
        '"permissions": {"allow": ["Bash(ultra:*)"]}}',
    ),
}
REFUSED: dict[str, tuple[str | bytes, str]] = {
    "a comment": ('{\n  // mine\n  "a": 1\n}', "line 2, column 3"),
    "a trailing comma": ('{\n  "a": 1,\n}', "line 2, column 9|line 3, column 1"),
    "cut off": ('{"permissions": {"allow": [', "line 1, column 2"),
    "empty": ("", "line 1, column 1"),
    "two values": ("{}\n{}", "line 2, column 1"),
    "not a number": ('{\n "a": NaN}', "line 2, column 7"),
    "a list": ("[]", "not an object"),
    "permissions is a list": ('{\n"permissions": []}', "line 2: 'permissions' is not an object"),
    **{
        f"{key} is a text": (f'{{"permissions": {{"{key}": "all"}}}}', f"'permissions.{key}' is not a list")
        for key in ("allow", "deny", "ask")
    },
    "too deep": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "not UTF-8": (b'{\n"a": "\xff"}', "line 2, column 7: it is not UTF-8"),
}


def draft_of(folder: Path, text: str | bytes) -> Draft:
    """Write settings and open them for editing."""
    path = folder / "settings.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Draft(path)


def bytes_of(draft: Draft) -> bytes:
    """Return the settings as they shall be."""
    assert draft.after is not None
    return draft.after


@pytest.mark.parametrize("case", GRANTED)
def test_rule_goes_in_and_comes_out(tmp_path: Path, case: str) -> None:
    before, after = GRANTED[case]
    draft = draft_of(tmp_path, before)
    granted = draft.grant([RULE])
    assert bytes_of(draft).decode() == after
    assert granted.rules == (RULE,)
    again = draft_of(tmp_path, after)
    again.revoke(granted)
    assert bytes_of(again).decode() == before


@pytest.mark.parametrize("case", REFUSED)
def test_broken_settings_are_never_touched(machine: Machine, bundle: Path, case: str) -> None:
    text, reason = REFUSED[case]
    write_tree(machine.home, {".claude/settings.json": text})
    before = snapshot(machine.home)
    said = machine.refused("--from", bundle, "--yes", "--permissions", "minimal", "--short-names")
    assert any(one in said for one in reason.split("|")), said
    assert snapshot(machine.home) == before


def test_broken_settings_do_not_matter_to_who_leaves_them_alone(machine: Machine, bundle: Path) -> None:
    write_tree(machine.home, {".claude/settings.json": "{ broken"})
    before = snapshot(machine.home)
    machine.ok("--from", bundle, "--yes")
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == before


@pytest.mark.parametrize("held", ["allow", "deny", "ask"])
def test_rule_that_is_there_is_neither_added_nor_claimed(machine: Machine, bundle: Path, held: str) -> None:
    write_tree(machine.home, {".claude/settings.json": json.dumps({"permissions": {held: [RULE]}})})
    before = machine.settings.read_bytes()
    done = machine.ok("--from", bundle, "--yes", "--permissions", "minimal", "--json").json()
    assert machine.settings.read_bytes() == before
    assert done["plugins"][0]["permissions"] == []
    assert ("left" if held != "allow" else "") in json.dumps(done).replace('"leave"', '"left"')
    machine.ok("--uninstall", "--yes")
    assert machine.settings.read_bytes() == before


def test_rules_name_exactly_the_programs_of_the_plugin(machine: Machine, tmp_path: Path) -> None:
    files = {**plugin_files(), "bin/second-one": "#!/bin/sh\n"}
    machine.ok("--from", write_bundle(tmp_path / "two", files=files), "--yes", "--permissions", "minimal")
    allowed = json.loads(machine.settings.read_text())["permissions"]["allow"]
    assert sorted(allowed) == ["Bash(second-one:*)", RULE]
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == {}


def test_a_command_that_edits_files_may_be_called_again(machine: Machine, tmp_path: Path) -> None:
    texts = {
        name: f"---\ndescription: {name}\nallowed-tools: {tools}\n---\n{name}\n"
        for name, tools in EDITING.items()
    }
    files = {**plugin_files(), **{f"commands/{name}.md": text for name, text in texts.items()}}
    done = machine.ok(
        "--from", write_bundle(tmp_path / "edits", files=files), "--yes", "--permissions", "minimal"
    )
    allowed = json.loads(machine.settings.read_text())["permissions"]["allow"]
    assert sorted(allowed) == [RULE, "Skill(sample:execute)"]
    assert (
        "the rule Skill(sample:execute): Claude calls /sample:execute again after a pause in a run"
        in done.stdout
    )
    machine.ok("--uninstall", "--yes")
    assert snapshot(machine.home) == {}


@pytest.mark.parametrize(
    ("program", "reason"), [("ls", "would also allow"), ("a b", "safely"), ("*", "safely")]
)
def test_rule_that_would_allow_more_is_refused(
    machine: Machine, tmp_path: Path, program: str, reason: str
) -> None:
    files = {**plugin_files(), f"bin/{program}": "#!/bin/sh\n"}
    bundle = write_bundle(tmp_path / "broad", files=files)
    assert reason in machine.refused("--from", bundle, "--yes", "--permissions", "minimal")
    assert snapshot(machine.home) == {}


def test_mode_owner_and_link_stay(machine: Machine, bundle: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    write_tree(tmp_path, {"dotfiles/claude.json": "{}"})
    real.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(real, 1234, 2345)
    machine.config.mkdir()
    machine.settings.symlink_to(real)
    before = real.stat()
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal")
    after = real.stat()
    assert machine.settings.is_symlink()
    assert RULE in real.read_text()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    backup = machine.config / "settings.json.ultra-backup"
    assert backup.read_text() == "{}"
    assert backup.stat().st_mode == before.st_mode
    machine.ok("--uninstall", "--yes")
    assert (real.read_text(), backup.exists(), machine.settings.is_symlink()) == ("{}", False, True)


@pytest.mark.parametrize("without", [("--uninstall",), ("--permissions", "none")], ids=" ".join)
def test_backup_is_made_once_and_goes_with_the_last_rule(
    machine: Machine, bundle: Path, tmp_path: Path, without: tuple[str, ...]
) -> None:
    backup = machine.config / "settings.json.ultra-backup"
    other = write_bundle(tmp_path / "other", files=plugin_files(plugin="other"), plugin="other")
    write_tree(machine.home, {".claude/settings.json": '{"a": 1}'})
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal")
    machine.settings.write_text(machine.settings.read_text().replace('"a": 1', '"a": 2'))
    machine.ok("--from", other, "--yes", "--permissions", "minimal")
    assert backup.read_text() == '{"a": 1}'
    source = () if without == ("--uninstall",) else ("--from", bundle)
    done = machine.ok("sample", *source, *without, "--yes")
    assert "removed the backup" in done.stdout
    assert (machine.settings.read_text(), backup.exists()) == ('{"a": 2}', False)


def test_settings_that_were_made_for_the_first_plugin_go_with_the_last(
    machine: Machine, tmp_path: Path
) -> None:
    """All leave in one call, whichever of them came first."""
    bundles = {}
    for name in ("alpha", "zeta"):
        files = plugin_files(plugin=name)
        files[f"bin/{name}"] = files.pop("bin/ultra")
        bundles[name] = write_bundle(tmp_path / name, files=files, plugin=name)
    for order in (("alpha", "zeta"), ("zeta", "alpha")):
        for name in order:
            machine.ok("--from", bundles[name], "--yes", "--permissions", "minimal")
        assert sorted(json.loads(machine.settings.read_text())["permissions"]["allow"]) == [
            "Bash(alpha:*)",
            "Bash(zeta:*)",
        ]
        machine.ok("--uninstall", "--yes")
        assert not machine.settings.exists()


def test_settings_that_the_client_rewrote_lose_only_the_rule(machine: Machine, bundle: Path) -> None:
    write_tree(machine.home, {".claude/settings.json": '{"a": 1.50, "permissions": {"allow": ["x"]}}'})
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal")
    value = json.loads(machine.settings.read_text())
    value["permissions"]["allow"] += ["y"]
    machine.settings.write_text(json.dumps(value, indent=3))
    machine.ok("--uninstall", "--yes")
    assert json.loads(machine.settings.read_text()) == {"a": 1.5, "permissions": {"allow": ["x", "y"]}}


def test_permissions_none_takes_the_rule_out_again(machine: Machine, bundle: Path) -> None:
    write_tree(machine.home, {".claude/settings.json": "{ }"})
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal")
    machine.ok("--from", bundle, "--yes")
    assert RULE in machine.settings.read_text()
    machine.ok("--from", bundle, "--yes", "--permissions", "none")
    assert machine.settings.read_text() == "{ }"
    machine.ok("--verify")


# --- any settings at all

TEXTS = st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
RULES = st.lists(st.sampled_from([RULE, "Bash(ls:*)", "Read", "Bash(git log:*)", ""]) | VALUES, max_size=4)
PERMISSIONS = st.fixed_dictionaries(
    {}, optional={"allow": RULES, "deny": RULES, "ask": RULES, "defaultMode": TEXTS}
)
ROOTS = st.tuples(
    st.dictionaries(TEXTS.filter(lambda key: key != "permissions"), VALUES, max_size=4),
    st.fixed_dictionaries({}, optional={"permissions": PERMISSIONS}),
    st.booleans(),
).map(lambda parts: {**parts[0], **parts[1]} if parts[2] else {**parts[1], **parts[0]})
STYLES = st.tuples(
    st.sampled_from([None, 0, 1, 2, 4, "\t", "   "]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)


def spelled(value: Any, style: tuple[Any, bool, str, bool]) -> bytes:
    """Write a value in one of many styles."""
    indent, ascii_only, line_end, mark = style
    separators = (",", ":") if indent is None and not ascii_only else None
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=separators)
    text = text.replace("\n", line_end) + (line_end if mark else "")
    return ("\ufeff" * mark + text).encode("utf-8", "surrogatepass")


WANTED = st.lists(st.sampled_from([RULE, "Bash(two:*)", "Read"]), min_size=1, max_size=3, unique=True)


def left_of(value: dict[str, Any], granted: Granted) -> dict[str, Any]:
    """Return settings without what was granted: the last of each rule, and what was made for them and is empty now."""
    copy: dict[str, Any] = json.loads(json.dumps(value))
    permissions = copy["permissions"]
    allow = permissions["allow"]
    for rule in granted.rules:
        del allow[len(allow) - 1 - allow[::-1].index(rule)]
    if granted.created and not allow:
        del permissions["allow"]
        if granted.created == "permissions" and not permissions:
            del copy["permissions"]
    return copy


@given(value=ROOTS, style=STYLES, wanted=WANTED)
@hypothesis_settings(max_examples=examples(150), deadline=None)
def test_only_the_list_gains_and_the_bytes_come_back(
    tmp_path_factory: pytest.TempPathFactory,
    value: dict[str, Any],
    style: tuple[Any, bool, str, bool],
    wanted: list[str],
) -> None:
    before = spelled(value, style)
    folder = tmp_path_factory.mktemp("settings")
    draft = draft_of(folder, before)
    granted = draft.grant(wanted)
    after = bytes_of(draft)
    permissions = value.get("permissions", {})
    spoken_for = [one for key in ("allow", "deny", "ask") for one in permissions.get(key, [])]
    assert granted.rules == tuple(rule for rule in wanted if rule not in spoken_for)
    if not granted.rules:
        assert after == before
        return
    expected = {**permissions, "allow": [*permissions.get("allow", []), *granted.rules]}
    found = json.loads(after.removeprefix(b"\xef\xbb\xbf"))
    assert found == json.loads(json.dumps({**value, "permissions": expected}))
    at = next(index for index in range(len(after)) if index >= len(before) or after[index] != before[index])
    assert after[at + len(after) - len(before) :] == before[at:], "more than one piece was put in"

    again = draft_of(folder, after)
    again.revoke(granted)
    assert bytes_of(again) == before


@given(value=ROOTS, style=STYLES, wanted=WANTED, extra=VALUES, where=st.tuples(*[st.booleans()] * 3))
@hypothesis_settings(max_examples=examples(300), deadline=None)
def test_what_was_added_since_stays(
    tmp_path_factory: pytest.TempPathFactory,
    value: dict[str, Any],
    style: tuple[Any, bool, str, bool],
    wanted: list[str],
    extra: Any,
    where: tuple[bool, bool, bool],
) -> None:
    """Another program may write everything anew, with more in it: only the rules go."""
    folder = tmp_path_factory.mktemp("settings")
    draft = draft_of(folder, spelled(value, style))
    granted = draft.grant(wanted)
    if not granted.rules:
        return
    found = json.loads(bytes_of(draft).removeprefix(b"\xef\xbb\xbf"))
    if where[0]:
        found["permissions"]["allow"].insert(0, "theirs")
    if where[1]:
        found["permissions"]["theirs"] = extra
    if where[2]:
        found["theirs"] = extra
    again = draft_of(folder, json.dumps(found, indent=2))
    again.revoke(granted)
    assert json.loads(bytes_of(again)) == left_of(found, granted)


def test_a_link_to_the_program_of_the_plugin_allows_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin, links = tmp_path / "plugin", tmp_path / "links"
    write_tree(tmp_path, {"plugin/bin/here": "#!/bin/sh\n", "other/there": "#!/bin/sh\n"})
    links.mkdir()
    for name, target in (("here", plugin / "bin/here"), ("there", tmp_path / "other/there")):
        target.chmod(0o755)
        (links / name).symlink_to(target)
    monkeypatch.setenv("PATH", str(links))
    here, there = (
        Package("p", "1.0.0", "", {f"bin/{name}": PackedFile(b"", executable=True)})
        for name in ("here", "there")
    )
    assert needed(here, plugin) == ("Bash(here:*)",)
    with pytest.raises(UltraError, match="would also allow"):
        needed(there, plugin)
