"""The records of a run after a kill at any write, after a loss, and beside exact trees."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.persons_tree import Step, write
from tests.kit.names import SOURCES
from tests.kit.repository import make_repository
from ultra_runtime.guard.site import LOCK
from ultra_runtime.run.life.asked import RESUME, StartRequest
from ultra_runtime.run.life.start import _lock
from ultra_runtime.run.state import known
from ultra_runtime.run.state.past import keep_findings
from ultra_runtime.run.state.record import Record, Records
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.raw import RawTrees
from ultra_runtime.run.tree.saves import find_saves, read_save
from ultra_runtime.run.tree.undo import save_replaced
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.standing.project_standing import line_of_projects


class Killed(Exception):
    """The call ends here."""


class Store:
    """A workspace in memory whose nth change is the last one of a call; `before` says if that one is still made."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, Any]] = {}
        self.left = 99

    def path(self, *parts: str) -> str:
        return "/dev/null" if "/".join(parts) in self.files else "/nowhere"

    def read_sealed(self, *parts: str) -> dict[str, Any]:
        return self.files.get("/".join(parts), {})

    def write_sealed(self, values: dict[str, Any], *parts: str) -> None:
        self._spend()
        self.files["/".join(parts)] = values

    def remove(self, *parts: str) -> None:
        self._spend()
        self.files.pop("/".join(parts), None)

    def _spend(self) -> None:
        if not self.left:
            raise Killed
        self.left -= 1


def number_of(records: Records) -> int | None:
    found = records.read()
    return found.number if found else None


@pytest.mark.parametrize(
    "calls", [("w1",), ("w1", "w2"), ("w1", "clear"), ("w1", "clear", "w2"), ("w1", "w2", "clear", "w3")]
)
def test_a_kill_leaves_the_record_before_or_after_the_call_and_none_that_looks_foreign(
    calls: tuple[str, ...],
) -> None:
    for left in range(5):
        store: Any = Store()
        records = Records(store, "p")
        for call in calls[:-1]:
            records.write(Record(int(call[1]), "start", "tree")) if call[0] == "w" else records.clear()
        before, store.left = number_of(records), left
        after = int(calls[-1][1]) if calls[-1][0] == "w" else None
        try:
            records.write(Record(after, "start", "tree")) if after else records.clear()
            assert number_of(records) == after
        except Killed:
            assert number_of(records) in (before, after), left
        assert not records.is_foreign(), left


def test_an_earlier_record_that_is_put_back_does_not_count() -> None:
    store: Any = Store()
    records = Records(store, "p")
    kept = []
    for number in (1, 2, 3):
        records.write(Record(number, "start", "tree"))
        kept.append(dict(store.files["p/step.json"]))
    records.clear()
    for old in kept:
        store.files["p/step.json"] = old
        assert records.read() is None
        assert records.is_foreign()


@pytest.mark.parametrize("there", [True, False])
def test_a_record_of_a_lost_tree_counts_for_nothing(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    whole = {"head": "h", "tree": "t", "artefacts": ["a"]}
    monkeypatch.setattr(known, "_committed", lambda live: "committed")
    for missing, now in itertools.product([None, *whole, "all"], ["", "t", "other"]):
        values = {} if missing == "all" else {name: value for name, value in whole.items() if name != missing}
        live: Any = SimpleNamespace(
            workspace=SimpleNamespace(read_sealed=lambda *_: values),  # noqa: B023
            git=SimpleNamespace(done=lambda *_, env: SimpleNamespace(status=0 if there else 1)),
            place=SimpleNamespace(slug="p"),
            snapshots=SimpleNamespace(env={}),
        )
        found: Any = known.read_known(live, now)
        if missing or (not there and now != "t"):
            assert found == "committed", (missing, now)
        else:
            assert (found.head, found.tree, found.artefacts) == ("h", "t", ["a"])


def test_an_exact_tree_has_the_bytes_of_each_file_that_the_user_does_not_ignore(tmp_path: Path) -> None:
    tree = Step(
        make_repository(tmp_path.resolve() / "repo", {"a.txt": "a\n", ".gitattributes": "* text=auto\n"})
    )
    (tree.folder / ".git/info/exclude").write_text("by-exclude\n")
    write(tree, "by-exclude", b"hidden\n")
    write(tree, "a.txt", b"a\r\nb\r\n")
    tree.begin()
    raw = RawTrees(tree.snapshots)
    made = raw.take()
    listed = raw.git.ask("ls-tree", "-r", "--name-only", made, env=raw.env).decode().split()
    assert listed == [".gitattributes", "a.txt"]
    assert raw.git.ask("cat-file", "blob", f"{made}:a.txt", env=raw.env) == b"a\r\nb\r\n"


def test_what_a_step_replaces_of_the_users_is_saved_as_what_it_was(tmp_path: Path) -> None:
    tree = Step(make_repository(tmp_path.resolve() / "repo", {"a.txt": "a\n", "kept.txt": "k\n"}))
    write(tree, "draft.txt", b"draft\n")
    (tree.folder / "draft.txt").chmod(0o640)
    (tree.folder / "link").symlink_to("there")
    tree.begin()
    for name in ("draft.txt", "link", "kept.txt"):
        write(tree, name, b"of the step\n")
    changes = tree.snapshots.changes(tree.record.tree, tree.snapshots.take())
    ref, paths = save_replaced(tree.workspace, tree.snapshots, tree.record, changes)
    assert sorted(paths) == ["draft.txt", "link"], "what was committed needs no save"
    (found,) = find_saves(tree.workspace.git, 1)["p"]
    assert found.ref == ref
    items = read_save(tree.workspace.git, found).items
    assert {path: item and item.bits for path, item in items.items()} == {"draft.txt": 0o640, "link": -1}
    assert tree.git("show", f"{ref}:link") == "there"


VALID = json.loads((SOURCES / "contracts/fixtures/progress/valid.json").read_text())


def test_the_newest_unfinished_run_is_told_when_a_session_starts(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    statuses = ("in_progress", "completed", "failed")
    for first, second in itertools.product(statuses, statuses):
        for at, status in ((1, first), (2, second)):
            folder = tmp_path / f".claude/projects/2026-01-0{3 - at}-p{at}"
            folder.mkdir(parents=True, exist_ok=True)
            values = {**VALID, "status": status, "updated_at": f"2026-02-0{at}T12:00:00Z"}
            (folder / "progress.json").write_text(json.dumps(values))
        told = line_of_projects(str(tmp_path))
        left = [at for at, status in ((2, second), (1, first)) if status != "completed"]
        assert (told == "") == (not left), (first, second)
        if left:
            assert f"-p{left[0]}" in told
            assert ("(and 1 more)" in told) == (len(left) == 2)


def test_a_start_takes_over_the_findings_that_the_runtime_wrote_of_the_same_run(tmp_path: Path) -> None:
    """From the lock, or else those that were kept when the run stopped."""
    root = make_repository(tmp_path / "repo", {"plan.md": "x\n"})
    workspace, place = find_workspace(str(root)), RunPlace(str(root), str(root / "plan.md"), None, None)
    asked = StartRequest("plan.md", RESUME, None, None, None, False, False, False, False)
    assert "findings" not in _lock(workspace, place, asked, b"")
    keep_findings(workspace, {"slug": place.slug, "findings": ["kept"]})
    assert _lock(workspace, place, asked, b"")["findings"] == ["kept"]
    for is_ours, slug in itertools.product((True, False), (place.slug, "another-run")):
        lock = {"root": workspace.root, "slug": slug, "findings": ["of the lock"]}
        (workspace.write_sealed if is_ours else workspace.write)(lock, LOCK)
        found = _lock(workspace, place, asked, b"")["findings"]
        assert found == (["of the lock"] if is_ours and slug == place.slug else ["kept"])


def test_every_other_unfinished_run_is_asked_what_it_left(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    tree = Step(root)
    tree.begin()
    head = tree.workspace.git.head()
    for number, slug in enumerate(("a-run", "m-own", "z-run"), 1):
        Records(tree.workspace, slug).write(Record(number, head, tree.record.tree))
    for name in ("a-empty", "n-empty"):
        Path(tree.workspace.path(name)).mkdir()
    (root / "a.txt").write_text("changed\n")
    live: Any = SimpleNamespace(
        workspace=tree.workspace, place=SimpleNamespace(slug="m-own"), snapshots=tree.snapshots, git=tree.workspace.git
    )  # fmt: skip
    assert known._leftovers(live, tree.snapshots.take(), head) == [
        f"step {number} of the unfinished run {slug} left a.txt uncommitted; this run counts that as the user's"
        for number, slug in ((1, "a-run"), (3, "z-run"))
    ]
    assert known._leftovers(live, tree.record.tree, head) == []
