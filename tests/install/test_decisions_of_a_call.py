"""What a call of the installer decides from what it finds: names, copies, settings, signers and plans."""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.install.receipts import RULE, SOUND, command, put
from tests.kit.files import write_tree
from ultra_plugin.errors import UltraError
from ultra_plugin.install import calls, preparing, released, scaffold
from ultra_plugin.install.archive import Package, PackedFile
from ultra_plugin.install.installing import Wishes, _only_kept, install
from ultra_plugin.install.journal import perform
from ultra_plugin.install.names import RECEIPT
from ultra_plugin.install.place import Place
from ultra_plugin.install.plan import Line, Plan, Planner
from ultra_plugin.install.presence import copies
from ultra_plugin.install.removing import purge, uninstall
from ultra_plugin.install.settings import Draft, Granted
from ultra_plugin.install.shortnames import taken
from ultra_plugin.install.staging import FolderContent
from ultra_plugin.install.steps import Change, Step
from ultra_plugin.install.survey import _compiled_from, sha256


def test_a_name_is_taken_by_a_command_a_link_or_a_skill(place: Place) -> None:
    write_tree(place.config, {"commands/one.md": "", "skills/two/SKILL.md": "", "skills/four/README.md": ""})
    (place.commands / "three.md").symlink_to("nowhere")
    for name, by in (
        ("one", "commands/one.md"),
        ("two", "skills/two/SKILL.md"),
        ("three", "commands/three.md"),
    ):
        assert taken(place, name) == str(place.config / by)
    assert taken(place, "four") is taken(place, "five") is None


@pytest.mark.parametrize(
    ("path", "ours", "is_compiled"),
    [
        ("__pycache__/a.cpython-311.pyc", "a.py", True),
        ("lib/b/__pycache__/a.cpython-311.opt-1.pyc.1234", "lib/b/a.py", True),
        ("lib/__pycache__/a.cpython-311.pyc", "a.py", False),
        ("__pycache__/b.cpython-311.pyc", "a.py", False),
        ("a.pyc", "a.py", False),
    ],
)
def test_byte_code_is_ours_if_its_module_is(path: str, ours: str, is_compiled: bool) -> None:
    assert _compiled_from(path, {ours, "other.py"}) == is_compiled


def test_a_folder_that_is_no_plugin_may_get_one(place: Place) -> None:
    folder = place.plugin("sample")
    assert not _only_kept(folder)
    write_tree(folder, {"own.txt": ""})
    assert _only_kept(folder)
    (place.skills / "link").symlink_to(folder)
    assert not _only_kept(place.skills / "link")
    for name in (".claude-plugin/plugin.json", "SKILL.md", RECEIPT):
        write_tree(place.plugin(name[:5]), {name: "x"})
        assert not _only_kept(place.plugin(name[:5]))


@pytest.mark.parametrize("scope", ["user", "project"])
def test_every_copy_is_told_the_loaded_one_first_and_only_a_project_s_has_files_for_git(
    tmp_path: Path, scope: str
) -> None:
    person, config = tmp_path / "user", tmp_path / ("user" if scope == "user" else "repo/.claude")
    place = Place.at(scope, config, person)  # type: ignore[arg-type]
    folders = list(dict.fromkeys([person / "skills/sample", config / "skills/sample"]))
    for number, folder in enumerate(folders):
        manifest = json.dumps({"name": "sample", "version": f"1.{number}"})
        write_tree(folder, {".claude-plugin/plugin.json": manifest})
    write_tree(person, {"settings.json": json.dumps({"enabledPlugins": {"sample@skills-dir": False}})})
    expected = [("sample@skills-dir", f"1.{at}", str(one), False) for at, one in enumerate(folders)]
    assert [(one.id, one.version, one.where, one.enabled) for one in copies(place, "sample")] == expected
    assert copies(place, "other") == []
    planner = Planner(place)
    install(planner, package("other"), Wishes())
    content = planner.changes[0].content
    assert isinstance(content, FolderContent)
    assert (content.files.keys() > {RECEIPT, *package("other").files}) == (scope == "project")


@pytest.mark.parametrize("closes", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_the_folder_of_commands_goes_with_our_last_command_only(
    place: Place, closes: bool, own: bool
) -> None:
    write_tree(place.commands, {"plan.md": "plan", **({"mine.md": "mine"} if own else {})})
    perform(place, [command("plan", None, b"plan")], closes)
    assert not (place.commands / "plan.md").exists()
    assert place.commands.exists() == (own or not closes)


@pytest.mark.parametrize("link", [False, True])
def test_data_is_purged_but_never_through_a_link(place: Place, tmp_path: Path, link: bool) -> None:
    data = place.data("sample")
    target = tmp_path / "target" if link else data
    write_tree(target, {"notes.txt": "mine"})
    if link:
        data.parent.mkdir(parents=True)
        data.symlink_to(target)
    planner = Planner(place)
    purge(planner, "sample")
    assert planner.finish().purged == (() if link else (data,))
    assert planner.finish().empty == link
    assert len(planner.lines) == (not link)


def test_an_uninstallation_takes_what_the_receipt_names_and_keeps_the_rest(place: Place) -> None:
    folder = put(place)
    write_tree(place.commands, {"plan.md": "plan"})
    write_tree(place.config, {"settings.json": json.dumps({"permissions": {"allow": [RULE, "Read"]}})})
    planner = Planner(place)
    uninstall(planner, SOUND)
    plan = planner.finish()
    assert [(one.step.kind, one.step.after) for one in plan.changes] == [
        ("plugin", None), ("command", None), ("settings", sha256(plan.changes[-1].content or b"")),  # type: ignore[arg-type]
    ]  # fmt: skip
    assert json.loads(plan.changes[-1].content or b"") == {"permissions": {"allow": ["Read"]}}  # type: ignore[arg-type]
    assert (plan.above, plan.closes_commands, plan.empty) == (1, True, False)
    (folder / "hollow").mkdir()
    planner = Planner(place)
    uninstall(planner, SOUND)
    assert planner.changes[0] == Change(
        Step("plugin", "sample", "folder", "folder"), FolderContent({}, {}, ("hollow",))
    )
    write_tree(folder, {"README.md": "mine", "own.txt": "own"})
    planner = Planner(place)
    uninstall(planner, SOUND)
    assert planner.changes[0].content == FolderContent(
        {}, {"README.md": "README.md", "own.txt": "own.txt"}, ("hollow",)
    )
    kept = [line.what for line in planner.lines if line.verb == "keep"]
    assert kept == ["README.md: you have changed it", "own.txt: it is yours"]


@pytest.mark.parametrize(("backup", "granting", "verbs"), [
    ("", False, []), ("theirs", False, ["remove"]), ("", True, ["back up"]), ("theirs", True, []),
])  # fmt: skip
def test_the_backup_is_made_once_and_goes_with_the_last_rule(
    place: Place, backup: str, granting: bool, verbs: list[str]
) -> None:
    put(place)
    text = json.dumps({"permissions": {"allow": [RULE]}})
    write_tree(place.config, {"settings.json": text, **({place.backup.name: backup} if backup else {})})
    planner = Planner(place)
    planner.draft.revoke(Granted((RULE,)))
    if not granting:
        planner.granting.clear()
    plan = planner.finish()
    assert [line.verb for line in plan.lines] == verbs
    contents = {change.step.kind: change.content for change in plan.changes}
    assert contents.pop("settings") is not None
    assert contents == ({"backup": text.encode() if granting else None} if verbs else {})
    assert (plan.above, plan.closes_commands) == (0, False)


@pytest.mark.parametrize("changed", [True, False])
def test_only_settings_that_change_must_be_writable(
    place: Place, changed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(place)
    write_tree(place.config, {"settings.json": json.dumps({"permissions": {"allow": [RULE]}})})
    planner = Planner(place)
    if changed:
        planner.draft.revoke(Granted((RULE,)))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UltraError, match="read-only") if changed else nullcontext():
        planner.finish()


def test_a_lock_that_another_call_removed_meanwhile_is_made_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, told, before = iter([False, False, True]), list[str](), os.umask(0)
    monkeypatch.setattr(scaffold, "_still_there", lambda *_: next(there))
    try:
        with scaffold._acquire(place.state, time.monotonic() + 60, 60, told.append) as lock:
            lock.seek(0)
            assert lock.read() == f"{os.getpid()}\n"
            assert os.fstat(lock.fileno()).st_mode & 0o777 == 0o644
    finally:
        os.umask(before)
    assert (told, list(there)) == ([], [])


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([(0, b"first\nsecond\n"), (0, b"")], ""),
        ([(1, b"first\n")], "was made by no key that .* allows today"),
        ([(0, b"")], "was made by no key that .* allows today"),
        ([(0, b"first\n"), (1, b"")], "is not the signature of this SHA256SUMS"),
        ([FileNotFoundError()], "ssh-keygen, which is not installed"),
        ([subprocess.TimeoutExpired("", 1)], "gave no answer within"),
        ([], "is not signed, and .* says who must sign"),
    ],
)
def test_the_signer_is_the_one_whose_signature_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[Any], said: str
) -> None:
    calls, left = list[list[str]](), iter(answers)

    def run(command: list[str], **_: object) -> Any:
        calls.append(command)
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return subprocess.CompletedProcess(command, *answer)

    monkeypatch.setattr(subprocess, "run", run)
    if answers:
        (tmp_path / released.SIGNATURE).touch()
    with pytest.raises(UltraError, match=said) if said else nullcontext():
        assert released._signer(tmp_path, b"", tmp_path / "keys") == "first"
        assert [command[command.index("-I") + 1] for command in calls if "verify" in command] == ["first"]
    assert list(left) == []


def test_a_backup_stays_if_no_rule_was_ours(place: Place) -> None:
    put(place, replace(SOUND, granted=Granted()))
    write_tree(place.config, {"settings.json": "{}", place.backup.name: "theirs"})
    planner = Planner(place)
    assert (planner.granting, planner.finish().empty, planner.lines) == (set(), True, [])


def package(plugin: str) -> Package:
    """Return a package with two commands."""
    files = {f"commands/{name}.md": PackedFile(b"Do it.\n") for name in ("brief", "plan")}
    return Package(plugin, "1.0.0", "sample.zip", files)


def test_a_short_name_is_of_the_first_plugin_of_a_call_that_has_the_command(place: Place) -> None:
    planner = Planner(place)
    for name in ("one", "two"):
        install(planner, package(name), Wishes(short_names=True))
    plan = planner.finish()
    told = [(line.plugin, line.what) for line in plan.lines if line.verb in ("add", "leave")]
    taken = "another plugin's command has this name"
    assert told == [
        *(("one", f"the short name /{name}") for name in ("brief", "plan")),
        *(("two", f"/{name}: {taken}") for name in ("brief", "plan")),
    ]
    written = [change.step.name for change in plan.changes if change.step.kind == "command"]
    assert sorted(written) == ["brief", "plan"]


@pytest.mark.parametrize("named", [False, True])
def test_an_upgrade_is_of_what_is_installed_and_of_all_that_is_named(place: Place, named: bool) -> None:
    put(place)
    packages = [package("other"), package("sample")]
    with pytest.raises(UltraError, match=r"^other is not installed") if named else nullcontext():
        assert calls._installed(place, packages, named) == packages[1:]
    with pytest.raises(UltraError, match=r"^other is not installed"):
        calls._installed(place, packages[:1], named)


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ('{"ok": true, "words": "%s"}', ""),
        ('{"ok": false, "error": "no %s"}', "no work init --json"),
        ('{"ok": 1, "error": "one"}', "one"),
        ('{"ok": false}', "'error'"),
        ("[]", "list indices"),
        ("", "Expecting value"),
        (None, "No such file"),
    ],
)
def test_a_repository_is_prepared_by_the_program_of_the_plugin(
    place: Place, tmp_path: Path, says: str | None, reason: str
) -> None:
    own = Package("sample", "1.0.0", "sample.zip", {"bin/run": PackedFile(b"")})
    if says is not None:
        write_tree(place.plugin("sample"), {"bin/run": f"#!/bin/sh\nprintf '{says}' \"$*\"\n"})
    with pytest.raises(UltraError, match=f"is not prepared: .*{reason}") if reason else nullcontext():
        for more, permitted in (("", False), (" --permissions", True)):
            said = preparing._run(place, own, tmp_path, permitted)
            assert said["words"] == f"work init --json{more}"


@pytest.mark.parametrize("later", ["as shown", "another text"])
def test_only_the_plan_that_was_shown_is_done(place: Place, later: str) -> None:
    texts = iter(["as shown", later])

    def make() -> Plan:
        return Plan((Line("sample", "add", next(texts), "x"),), (command("plan", b"new"),))

    same = later == "as shown"
    with nullcontext() if same else pytest.raises(UltraError, match="files changed while waiting"):
        calls._do(place, calls.Asked(), make, lambda _: True, print, calls.Report("install", place))
    assert (place.commands / "plan.md").exists() == same


@pytest.mark.parametrize(("new", "agrees", "asked"), [(True, True, 1), (True, False, 1), (False, True, 0)])
def test_the_owner_of_a_new_plugin_is_asked_whether_to_prepare(
    place: Place, monkeypatch: pytest.MonkeyPatch, new: bool, agrees: bool, asked: int
) -> None:
    questions: list[str] = []
    monkeypatch.setattr(preparing, "preparers", list)
    monkeypatch.setattr(preparing, "prepare", lambda *_: ["prepared"])
    report = calls.Report("install", place, (Line("sample" if new else "other", "install", "it", "x"),))

    def ask(question: str) -> bool:
        questions.append(question)
        return agrees

    said = calls._prepared(report, calls.Asked(), [package("sample")], Path("/repo"), ask)
    assert (said, len(questions)) == (["prepared"] if new and agrees else [], asked)


@pytest.mark.parametrize(("counts", "found"), [((), 0), ((2,), 2), ((2, 5, 3), 5)])
def test_the_most_folders_that_a_receipt_made_count(
    place: Place, counts: tuple[int, ...], found: int
) -> None:
    for at, count in enumerate(counts):
        one = json.loads(SOUND.dump())
        one |= {"plugin": f"p{at}", "folders_made": {"above": count, "commands": at == 1}}
        write_tree(place.plugin(f"p{at}"), {RECEIPT: json.dumps(one)})
    planner = Planner(place)
    assert (planner.made, planner.made_commands) == (found, len(counts) > 1)


@pytest.mark.parametrize(("first", "allow"), [
    ({"deny": ["x"]}, [RULE]), ({"allow": ["Read"]}, [RULE]), ({"deny": ["x"]}, [RULE, "Read"]), ({}, [RULE]),
])  # fmt: skip
def test_settings_from_which_a_rule_cannot_be_taken_alone_are_refused(
    tmp_path: Path, first: dict[str, Any], allow: list[str]
) -> None:
    """Of a name that is there twice the client reads the last: without it the first would count, which the owner did not ask for."""
    path = tmp_path / "settings.json"
    path.write_text(f'{{"permissions": {json.dumps(first)}, "permissions": {json.dumps({"allow": allow})}}}')
    draft = Draft(path)
    if first and allow == [RULE]:
        with pytest.raises(
            UltraError, match="the rules cannot be removed without other changes; nothing was changed"
        ):
            draft.revoke(Granted((RULE,), "permissions"))
    else:
        draft.revoke(Granted((RULE,), "permissions"))
        assert json.loads(draft.after or b"").get("permissions", {}).get("allow", []) == allow[1:]
