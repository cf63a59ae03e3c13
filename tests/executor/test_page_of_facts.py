"""The status page as a function of the facts: each of them in its row, each section there when it has something."""

from __future__ import annotations

import datetime
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.kit.files import write_tree
from tests.kit.quick import examples
from tests.kit.repository import git
from ultra_runtime.contract.stages import Next
from ultra_runtime.files.project import Project
from ultra_runtime.run.life.run_facts import RunFacts, StepFacts
from ultra_runtime.run.state.wave_state import SessionStand
from ultra_runtime.status.board import Board
from ultra_runtime.status.links import LAST_LINES, BoardLinks, Links, last_lines, log_of
from ultra_runtime.status.page import MOST_ROWS, page
from ultra_runtime.status.picture import FITS, LONGEST, escaped, pipeline, track
from ultra_runtime.words import one_line

COLOURS = {
    "completed": "done",
    "in_progress": "now",
    "skipped": "warn",
    "failed": "bad",
    "blocked": "bad",
    "pending": "wait",
}
STATES = sorted(COLOURS)
WORDS = st.text("abc<&é", min_size=1, max_size=8)
TEXTS = st.just("") | WORDS
STAMPS = st.sampled_from(["", "2026-01-31T12:29:59Z", "2026-07-01T00:00:00+02:00", "a while ago"])
STEPS = st.fixed_dictionaries(
    {"title": WORDS, "status": st.sampled_from(STATES), "attempts": st.integers(0, 3), "error": TEXTS, "note": TEXTS,
     "completed_at": STAMPS, "commit": st.sampled_from(["", "0123456789abcdef"]),
     "seconds": st.none() | st.sampled_from([0, 59, 60, 61, 3599, 3600, 3661, 7325])}
)  # fmt: skip


def steps_of(values: list[dict[str, Any]]) -> list[StepFacts]:
    made = []
    for number, one in enumerate(values, 1):
        made.append(StepFacts(number, one["title"], one))
        made[-1].seconds = one["seconds"]
    return made


def run_of(values: list[dict[str, Any]], session: int | None = None, status: str = "in_progress") -> RunFacts:
    run = RunFacts("progress.json", session)
    run.status, run.steps = status, steps_of(values)
    return run


def standing(folder: Path, **given: Any) -> Any:
    """Return the facts about a project that has nothing, with what is given."""
    runs = given.pop("runs", [])
    execution = SimpleNamespace(
        runs=runs, run=runs[0] if runs else None, waves=None, is_of_plan=lambda run: True
    )
    nothing = {
        "project": Project(str(folder), "2026-01-31-x"), "task": "", "parts": [],
        "coming": Next("plan", "there is no plan", "/plan"),
        "issues": [], "research": None, "plan": None, "review": None, "execution": execution,
    }  # fmt: skip
    return SimpleNamespace(**{**nothing, **given})


def shown(element: ET.Element) -> str:
    return "".join(element.itertext())


class Read:
    """A page as its tables and sections."""

    def __init__(self, facts: list[Any], links: Links) -> None:
        self.text = page(facts, links)
        self.root = ET.fromstring(self.text.replace("<!DOCTYPE html>", ""))  # noqa: S314 - we made it
        self.tables = {
            shown(next(table.iter("caption"))): [
                [shown(cell) for cell in row.iter("td")] for row in table.iter("tr")
            ][1:]
            for table in self.root.iter("table")
        }
        self.titles = [shown(title) for title in self.root.iter("h2")]
        spans = [(one.get("class") or "", shown(one)) for one in self.root.iter("span")]
        self.pills = [(kind, words) for kind, words in spans if "pill" in kind]


def moment(stamp: str) -> str:
    try:
        found = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    except ValueError:
        return stamp
    return found.astimezone().strftime("%Y-%m-%d %H:%M")


def duration(seconds: int | None) -> str:
    if seconds is None:
        return ""
    hours, rest = divmod(seconds, 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min" if rest >= 60 else f"{rest} s"


BARE = {"title": "x", "attempts": 1, "error": "", "note": "", "completed_at": "", "commit": ""}
EACH = [
    {**BARE, "status": state, "seconds": seconds}
    for state, seconds in zip([*STATES, "pending"], (0, 59, 60, 61, 3599, 3600, 7325), strict=True)
]


@settings(max_examples=examples(60))
@example(EACH, "", "failed")
@given(st.lists(STEPS, max_size=4), TEXTS, st.sampled_from(["", "in_progress", "failed", "completed"]))
def test_each_step_is_in_its_row(values: list[dict[str, Any]], task: str, status: str) -> None:
    folder = Path("/nowhere")
    read = Read([standing(folder, runs=[run_of(values, status=status)], task=task)], Links(str(folder)))
    rows = [
        [
            str(number), one["title"] + one["error"] + one["note"], one["status"].replace("_", " "),
            str(one["attempts"] or ""), moment(one["completed_at"]), duration(one["seconds"]), one["commit"][:10],
        ]
        for number, one in enumerate(values, 1)
    ]  # fmt: skip
    assert read.tables.get("The steps of the run", []) == rows
    assert ("No steps are recorded." in read.text) == (not rows)
    colours = [
        "bad" if one["note"] and one["status"] == "completed" else COLOURS[one["status"]] for one in values
    ]
    assert [colour for colour, _ in read.pills][bool(status) :] == [f"pill {one}" for one in colours]
    if status:
        assert read.pills[0][1] == status.replace("_", " ")
    assert [shown(title) for title in read.root.iter("h1")] == [task or "2026-01-31-x"]
    done = sum(one["status"] in ("completed", "skipped") for one in values)
    labels = [one.get("aria-label") for one in read.root.iter("svg")]
    assert labels[1:] == ([f"{done} of {len(values)} steps done"] if values else [])


@pytest.mark.parametrize("count", [0, 1, MOST_ROWS, MOST_ROWS + 1, MOST_ROWS + 7])
def test_what_does_not_fit_is_counted(tmp_path: Path, count: int) -> None:
    step = {"title": "x", "status": "pending", "attempts": 0, "seconds": None}
    finding = SimpleNamespace(
        severity="MAJOR", location="src/x.py:3", message="wrong", fix="right", rule="R1"
    )
    plan = SimpleNamespace(
        steps=[(number, "planned") for number in range(1, count + 1)], waves=[], sessions=[]
    )
    review = SimpleNamespace(findings=[finding] * count)
    more = [f"and {count - MOST_ROWS} more"] if count > MOST_ROWS else []
    (tmp_path / "src").mkdir()
    (tmp_path / "src/x.py").touch()
    for facts in ({"runs": [run_of([step] * count)]}, {"plan": plan}, {"review": review}):
        read = Read([standing(tmp_path, **facts)], Links(str(tmp_path)))
        rows = [row for table in read.tables.values() for row in table]
        assert len(rows) == min(count, MOST_ROWS)
        assert [shown(one) for one in read.root.iter("p") if shown(one).startswith("and ")] == more
        if "review" in facts and count:
            assert rows[0] == ["major", "src/x.py:3", "wrongright", "R1"]
            assert next(one.get("href") for one in read.root.iter("a")) == "src/x.py"
        if "plan" in facts:
            assert rows == [[str(number), "planned"] for number in range(1, min(count, MOST_ROWS) + 1)]


def test_each_section_is_there_when_it_has_something(tmp_path: Path) -> None:
    drifted, clean = run_of([]), run_of([], session=2)
    drifted.audit, drifted.audit_source = "drift", "checked now"
    drifted.drifts = [{"step": 3, "check": "scope", "expected": "e", "actual": "a"}, {"step": None}]
    clean.audit, clean.findings = "pass", ["found this"]
    topic = SimpleNamespace(number=1, title="Which?", fits=True)
    open_topic = SimpleNamespace(number=2, title="Why?", fits=False)
    part = SimpleNamespace(
        stage="plan", mark="now", caption="a draft", rows=lambda: [("Plan", "a draft"), ("Empty", "")]
    )
    bare = Read([standing(tmp_path)], Links(str(tmp_path)))
    assert bare.titles == ["Next"]
    full = Read([standing(tmp_path, runs=[drifted, clean], issues=["broken"], parts=[part],
                          research=SimpleNamespace(topics=[topic, open_topic]))], Links(str(tmp_path)))  # fmt: skip
    assert full.titles == [
        "Next",
        "Steps",
        "Steps of session 2",
        "Audit",
        "Audit of session 2",
        "Research",
        "To fix",
    ]
    assert full.tables["What the audit found"] == [["3", "scope", "e", "a"], ["", "", "", ""]]
    assert full.tables["The research topics"] == [["1", "Which?", "answered"], ["2", "Why?", "open"]]
    pills = [
        ("pill now", "in progress"),
        ("pill warn", "drift"),
        ("pill done", "pass"),
        ("pill done", "answered"),
        ("pill wait", "open"),
    ]
    assert full.pills == pills
    assert [shown(one) for one in full.root.iter("dt")] == ["Plan"]
    assert [shown(one) for one in full.root.iter("li")] == ["found this", "broken"]
    assert next(shown(one) for one in full.root.iter("code")) == "/plan"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_several_projects_have_a_list_of_them_first(tmp_path: Path, count: int) -> None:
    facts = [standing(tmp_path, task="" if number else "do it") for number in range(count)]
    for number, one in enumerate(facts):
        one.project = Project(str(tmp_path), f"2026-01-0{number + 1}-p")
    read = Read(facts, Links(str(tmp_path)))
    names = [f"2026-01-0{number + 1}-p" for number in range(count)]
    expected = [
        [name if number else "do it", "plan", "there is no plan"] for number, name in enumerate(names)
    ]
    assert read.tables.get("The projects of this repository", []) == (expected if count > 1 else [])
    assert [one.get("id") for one in read.root.iter("article")] == names
    assert shown(next(read.root.iter("title"))).startswith(f"{count} projects: " if count != 1 else names[0])
    assert ("No projects yet" in read.text) == (count == 0)
    assert [one.get("href") for one in read.root.iter("a")] == (
        [f"#{name}" for name in names] if count > 1 else []
    )


@given(st.sets(st.sampled_from(STATES), max_size=3), st.booleans())
def test_a_session_of_the_whole_run_stands_where_its_steps_stand(states: set[str], ran: bool) -> None:
    folder = Path("/nowhere")
    values = [{"title": "x", "status": one, "attempts": 0, "seconds": None} for one in sorted(states)]
    session = SimpleNamespace(number=1, title="First", steps=tuple(range(1, len(values) + 1)))
    plan = SimpleNamespace(steps=[], waves=[(1,)], sessions=[session])
    own = [run_of([], session=1, status="partial")] if ran else []
    read = Read([standing(folder, plan=plan, runs=[run_of(values), *own])], Links(str(folder)))
    if ran:
        expected = ("pill warn", "partial")
    elif states and states <= {"completed", "skipped"}:
        expected = ("pill done", "completed")
    elif states & {"failed", "blocked"}:
        expected = ("pill bad", "failed")
    elif states - {"pending"}:
        expected = ("pill now", "in progress")
    else:
        expected = ("pill wait", "pending")
    assert read.pills[-1] == expected
    assert read.titles[-1] == "Waves"
    listed = ", ".join(map(str, session.steps)) or "none"
    assert "Session 1First" in shown(read.root)
    assert f"Steps {listed}" in shown(read.root)


def numbers(element: ET.Element, *names: str) -> list[float]:
    return [float(element.get(name) or 0) for name in names]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_nothing_of_the_picture_overlaps_or_leaves_it(count: int) -> None:
    caption = "x" * FITS + ", " + "y" * (FITS + 1)
    marks = ["done", "now", "wait", "bad", "warn"][:count]
    parts = [SimpleNamespace(stage=f"stage{at}", mark=mark, caption=caption) for at, mark in enumerate(marks)]
    facts: Any = SimpleNamespace(parts=parts, coming=Next("stage0", "r"))
    svg = ET.fromstring(pipeline(facts))  # noqa: S314
    _, _, wide, high = map(float, (svg.get("viewBox") or "").split())
    nodes = list(svg.iter("g"))
    classes = [[mark, *(["here"] if not at else [])] for at, mark in enumerate(marks)]
    assert [(node.get("class") or "").split() for node in nodes] == classes
    boxes = []
    for node, part in zip(nodes, parts, strict=True):
        (rect,), (disc,), (sign,) = node.findall("rect"), node.findall("circle"), node.findall("path")
        x, y, width, height = numbers(rect, "x", "y", "width", "height")
        boxes.append((x, x + width))
        centre_x, centre_y, radius = numbers(disc, "cx", "cy", "r")
        assert sign.get("transform") == f"translate({centre_x:g} {centre_y:g})"
        assert x < centre_x - radius < centre_x + radius < x + width
        assert y < centre_y - radius < centre_y + radius < y + height
        name, *lines = node.findall("text")
        assert [shown(one) for one in (name, *lines)] == [
            part.stage.capitalize(),
            "x" * FITS,
            "y" * (FITS - 1) + "…",
        ]
        assert centre_x + radius < numbers(name, "x")[0] < x + width / 2
        tops = [numbers(one, "y")[0] for one in (name, *lines)]
        assert all(x < numbers(one, "x")[0] < x + width / 4 for one in lines)
        assert y < tops[0] < tops[1] < tops[2] < y + height
        assert y == high - (y + height), "as much room above as below"
    assert boxes[0][0] == wide - boxes[-1][1], "as much room on the left as on the right"
    arrows = [one for one in svg.findall("path") if one.get("class") == "link"]
    assert len(arrows) == count - 1
    for arrow, (left, right) in zip(arrows, pairwise(boxes), strict=True):
        start, middle, length = (float(one.lstrip("Mh")) for one in (arrow.get("d") or "").split()[:3])
        assert left[1] < start < start + length < right[0]
        assert middle == high / 2
    assert len({right[0] - left[1] for left, right in pairwise(boxes)}) <= 1


PICTURE = """\
<svg viewBox="0 0 382 104" role="img" aria-label="Pipeline. plan: 5 steps, version 1.7; execute: going" class="pipeline">
<g class="done">
<rect x="4" y="8" width="172" height="88" rx="12">
</rect>
<circle cx="28" cy="35" r="11" class="disc">
</circle>
<path d="M-5 0 L-1.5 4 L5 -4" transform="translate(28 35)" class="sign">
</path>
<text x="47" y="41" class="name">Plan</text>
<text x="18" y="67">5 steps</text>
<text x="18" y="84">version 1.7</text>
</g>
<path class="link" d="M181 52.0 h15 m-6 -5 l6 5 l-6 5">
</path>
<g class="now here">
<rect x="206" y="8" width="172" height="88" rx="12">
</rect>
<circle cx="230" cy="35" r="11" class="disc">
</circle>
<path d="M-3.5 -5 L5 0 L-3.5 5 Z" transform="translate(230 35)" class="sign">
</path>
<text x="249" y="41" class="name">Execute</text>
<text x="220" y="67">going</text>
</g>
</svg>"""
TRACK = """\
<svg viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label="1 of 2 steps done" class="track">
<g class="done">
<rect x="0.00" y="0" width="496.00" height="14" rx="3">
<title>Step 1: x (completed)</title>
</rect>
</g>
<g class="wait">
<rect x="500.00" y="0" width="496.00" height="14" rx="3">
<title>Step 2: x (pending)</title>
</rect>
</g>
</svg>"""


def test_the_picture_of_two_stages_and_the_track_of_two_steps_are_drawn_like_this() -> None:
    parts = [
        SimpleNamespace(stage="plan", mark="done", caption="5 steps, version 1.7"),
        SimpleNamespace(stage="execute", mark="now", caption="going"),
    ]
    facts: Any = SimpleNamespace(parts=parts, coming=Next("execute", "r"))
    assert pipeline(facts).replace("><", ">\n<") == PICTURE
    steps = [
        {"title": "x", "status": state, "attempts": 0, "seconds": None} for state in ("completed", "pending")
    ]
    assert track(run_of(steps)).replace("><", ">\n<") == TRACK


@pytest.mark.parametrize("count", [1, 3, 400])
def test_the_steps_share_the_width_of_the_track(count: int) -> None:
    states = [STATES[number % len(STATES)] for number in range(count)]
    values = [{"title": "x", "status": state, "attempts": 0, "seconds": None} for state in states]
    svg = ET.fromstring(track(run_of(values)))  # noqa: S314
    boxes = [numbers(rect, "x", "width") for rect in svg.iter("rect")]
    assert [group.get("class") for group in svg.iter("g")] == [COLOURS[state] for state in states]
    hints = [f"Step {at}: x ({state})" for at, state in enumerate(states, 1)]
    assert [shown(one) for one in svg.iter("title")] == hints
    assert len(boxes) == count
    for number, (x, width) in enumerate(boxes):
        assert abs(x - number * 1000 / count) < 0.01
        assert abs(1000 / count - width - min(4, 200 / count)) < 0.01, "a fifth is the gap, at most 4"


def test_a_link_leads_to_a_file_that_is_there(tmp_path: Path) -> None:
    project = Project(str(tmp_path), "p")
    (Path(project.folder) / "logs").mkdir(parents=True)
    (tmp_path / "a b.md").touch()
    for links, start in ((Links(str(tmp_path)), ""), (BoardLinks(str(tmp_path)), "file/")):
        assert links.file(str(tmp_path / "a b.md"), "<w>") == f'<a href="{start}a%20b.md">&lt;w&gt;</a>'
        assert links.file(str(tmp_path / "missing"), "<w>") == "&lt;w&gt;"
    assert 'href="commit/0123456789abcdef"' in BoardLinks("/").commit("0123456789abcdef")
    step = StepFacts(4, "x", {"attempts": 3})
    assert log_of(project, step) == ""
    for attempt in (1, 2, 4):
        Path(project.path("logs", f"step-4-verify-{attempt}.log")).write_text(
            "".join(f"{row}\n" for row in range(20))
        )
    assert log_of(project, step) == project.path("logs", "step-4-verify-2.log")
    assert last_lines(log_of(project, step)).split("\n") == [str(row) for row in range(20 - LAST_LINES, 20)]
    assert last_lines(str(tmp_path / "missing")) == ""


@pytest.fixture
def board(repo: Path) -> Iterator[Board]:
    """Serve the board of a repository with one commit in this process."""
    write_tree(repo, {"a.txt": "committed\n", ".claude/projects/p/x.md": "of the project\n"})
    git(repo, "add", "a.txt")
    git(repo, "commit", "--quiet", "--message=first")
    write_tree(repo, {"a.txt": "changed\n", "secret.txt": "not in git\n"})
    (repo / ".claude/projects/p/link").symlink_to("../../../secret.txt")
    made = Board(str(repo), 0)
    thread = Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_the_board_answers_its_own_addresses_only(board: Board) -> None:
    token = board.address.rstrip("/").rpartition("/")[2]
    commit = git(Path(board.root), "rev-parse", "HEAD")
    plain = "text/plain; charset=utf-8"
    for name in ("", "?later"):
        found = board.answer(f"/{token}/file/.claude/projects/p/x.md{name}")
        assert found == (plain, b"of the project\n")
        assert board.answer(f"/{token}/file/a.txt{name}") == (plain, b"committed\n")
    kind, text = board.answer(f"/{token}/commit/{commit}") or ("", b"")
    assert (kind, text.startswith(f"commit {commit}\n".encode())) == (plain, True)
    assert b" a.txt | 1 +\n" in text
    assert b"\n+committed\n" in text
    for path in ("/", "", f"/{token[:-1]}/", f"/x{token}/", f"/{token}/file/secret.txt", f"/{token}/else",
                 f"/{token}/commit/", f"/{token}/commit/HEAD", f"/{token}/commit/--help", f"/{token}/commit/{'0' * 40}",
                 f"/{token}/file/.claude/projects/p/missing", f"/{token}/file/.claude/projects/p/link",
                 f"/{token}/file/.claude/projects/../../secret.txt", f"/{token}/file/.claude/projects/p"):  # fmt: skip
        assert board.answer(path) is None, path
    assert board.answer(f"/{token}/file/%61.txt") == (plain, b"committed\n")
    kind, text = board.answer(f"/{token}/") or ("", b"")
    assert (kind, b"<h1>p</h1>" in text) == ("text/html; charset=utf-8", True)
    assert b"script-src 'nonce-board'; connect-src 'self'" in text


def test_of_a_long_file_and_a_long_commit_the_board_sends_the_beginning(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ultra_runtime.status.board.LARGEST", 5)
    for path in (
        "file/.claude/projects/p/x.md",
        "file/a.txt",
        f"commit/{git(Path(board.root), 'rev-parse', 'HEAD')}",
    ):
        _, content = board.answer(f"/{board.token}/{path}") or ("", b"")
        assert content in (b"of th", b"commi")


def test_the_board_sends_what_has_changed_and_only_to_its_own_host(board: Board) -> None:
    port = board.server.server_port

    def ask(path: str, **headers: str) -> tuple[int, bytes, str]:
        line = HTTPConnection("127.0.0.1", port, timeout=60)
        line.request("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        told = line.getresponse()
        content = told.read()
        line.close()
        assert int(told.headers["Content-Length"]) == len(content)
        for name, value in (
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ):
            assert told.headers[name] == value
        return told.status, content, told.headers["ETag"] or ""

    assert board.address == f"http://127.0.0.1:{port}/{board.token}/"
    path = f"/{board.token}/file/.claude/projects/p/x.md"
    status, content, tag = ask(path)
    assert (status, content, bool(tag)) == (200, b"of the project\n", True)
    assert ask(path, If_None_Match=tag) == (304, b"", tag)
    write_tree(Path(board.root), {".claude/projects/p/x.md": "later\n"})
    assert ask(path, If_None_Match=tag)[:2] == (200, b"later\n")
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert ask(path, Host=host)[0] == 200
    for host in ("example.com", "", f"127.0.0.1:{port + 1}", "localhost"):
        assert ask(path, Host=host) == (404, b"not found\n", "")
    assert ask("/")[0] == 404


def test_what_a_step_printed_last_is_shown_if_it_is_not_completed(tmp_path: Path) -> None:
    project = Project(str(tmp_path), "2026-01-31-x")
    write_tree(tmp_path, {f"{project.shown}/logs/step-1-verify-1.log": "first <b>\nlast\n", f"{project.shown}/plan.md": "x",
                          f"{project.shown}/logs/report.md": "x"})  # fmt: skip
    links = Links(str(tmp_path))
    for status in STATES:
        for attempts in (0, 1):
            step = {
                "title": "t",
                "status": status,
                "attempts": attempts,
                "seconds": None,
                "error": "e",
                "note": "n",
            }
            run = run_of([step])
            run.started_at, run.updated_at = "2026-01-31T12:00:00Z", "2026-01-31T12:30:00Z"
            read = Read([standing(tmp_path, runs=[run])], links)
            printed = status in ("failed", "blocked", "skipped") and attempts
            assert [shown(one) for one in read.root.iter("details")] == [
                "What it printed lastfirst <b>\nlast"
            ] * bool(printed)
            log = [f"{project.shown}/logs/step-1-verify-1.log"] * attempts
            report = [f"{project.shown}/plan.md", f"{project.shown}/logs/report.md"]
            assert [one.get("href") for one in read.root.iter("a")] == [*report, *log]
            assert [shown(one) for one in read.root.iter("nav")] == ["plan.md logs/report.md"]
            times = [moment(stamp) for stamp in (run.started_at, run.updated_at)]
            assert f"Started {times[0]}, last change {times[1]}, times in " in read.text
    bare = Read([standing(tmp_path / "none", runs=[run_of([])])], links)
    assert ("Started " in bare.text, list(bare.root.iter("nav"))) == (False, [])


def test_waves_that_are_under_way_stand_in_the_head_and_hide_what_was_merged(tmp_path: Path) -> None:
    stands = [SessionStand(number, f"Title {number}", 1, [number]) for number in (1, 2, 3)]
    stands[0].state, stands[0].why, stands[0].attempt, stands[0].seconds = "merged", "it was red", 2, 125
    stands[1].state, stands[1].why, stands[1].dollars = "failed", "w" * 301, 1.5
    titles = {1: "merged", 2: "failed", 3: "waiting", 4: "pending"}
    sessions = [
        SimpleNamespace(number=at, title=f"Title {at}", steps=tuple(range(1, 20 * at))) for at in titles
    ]
    plan = SimpleNamespace(steps=[], waves=[(1, 2), (3, 4)], sessions=sessions)
    runs = [run_of([], session=number) for number in (1, 2)]
    for unfinished in (True, False):
        state = SimpleNamespace(sessions={one.number: one for one in stands}, unfinished=unfinished)
        waves = SimpleNamespace(state=state, status="in progress", merged={1})
        execution = SimpleNamespace(runs=runs, run=runs[0], waves=waves, is_of_plan=lambda run: False)
        runs[0].status = "partial"
        read = Read([standing(tmp_path, plan=plan, execution=execution)], Links(str(tmp_path)))
        assert read.pills[0][1] == ("in progress" if unfinished else "partial")
        assert read.titles == ["Next", "Waves", "Steps of session 2"]
        cards = [one for one in read.root.iter("div") if one.get("class") == "card"]
        assert [shown(one) for card in cards for one in card.findall("span")] == [*titles.values()]
        assert [one[1].text for one in cards] == [f"Title {at}" for at in titles]
        steps = [f"Steps {', '.join(map(str, range(1, min(20 * at, 31))))}" for at in titles]
        rest = [[one.text for one in list(card)[4:]] for card in cards]
        assert [card[2].text for card in cards] == steps
        assert rest == [["attempt 2, 2 min"], ["$1.50", "w" * 300], [], []]
        assert [shown(one) for one in read.root.iter("h3")] == ["Wave 1", "Wave 2"]
        colours = ["pill done", "pill bad", "pill wait", "pill wait"]
        assert [kind for kind, _ in read.pills[1:]] == colours


def test_a_page_loads_nothing_and_only_the_board_has_a_script(tmp_path: Path) -> None:
    facts = [standing(tmp_path)]
    bare, scripted = page(facts, Links("")), page(facts, Links(""), "go();", "n1")
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"/>' in bare
    assert f"content=\"{policy}; script-src 'nonce-n1'; connect-src 'self'\"/>" in scripted
    assert ("<script" in bare, '<script nonce="n1">go();</script>' in scripted) == (False, True)
    assert page([], Links("")).count("No projects yet") == 1
    assert "<h2>Next</h2><p>There is no plan.</p><pre><code>/plan</code></pre></section>" in bare
    for words, fitted in (("x" * (FITS + 5), "x" * (FITS - 1) + "…"), ("a b", "a b")):
        assert escaped(words) == words
        svg = pipeline(standing(tmp_path, parts=[SimpleNamespace(stage="s", mark="now", caption=words)]))
        assert f">{fitted}</text>" in svg
        assert f'aria-label="Pipeline. s: {words}"' in svg
    assert escaped("x" * 3000) == one_line("x" * 3000, LONGEST)
    assert escaped("<&>\"'") == "&lt;&amp;&gt;&quot;&#39;"
