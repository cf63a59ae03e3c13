"""The page of `status`: what it shows, and that nothing of an artifact is markup."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.page_reader import page_of, status
from tests.executor.sample import PLAN, PROGRESS, PROJECT, Repo, Stand, plan, step
from tests.executor.status_sample import add_brief, finished, plan_text
from tests.kit.names import COMMANDS
from tests.kit.quick import later

Make = Callable[..., Repo]
EVIL = "</title></style></svg>--><script>alert(1)</script>]]>\"'><img src=x onerror=alert(1)>&amp;&lt;"


def test_the_page_shows_all_of_it(stand: Stand) -> None:
    page = page_of(stand(finished, plan_text()))
    for words in (
        "Limit the rate of requests to the public API",
        "3 Keep the counters in the store log completed 2 2026-01-31 12:29 17 min",
        "4 Show the budget in the admin panel",
        "skipped",
        "Wave 2 Session 2 What people see",
        "1 Limits of the upstream services answered",
        "Audit pass (checked now, commits from git refs)",
        "major src/limit.py:42 An error of the store is lost.",
        f"{COMMANDS['plan']} --brief {PROJECT}/review.md",
    ):
        assert words in page.text, words
    assert page.tags["svg"] == 2


@pytest.mark.parametrize("answered", [0, 1])
def test_a_project_that_has_hardly_begun_has_a_page(make: Make, answered: int) -> None:
    repo = make(plan(step(1)))
    (repo.folder / PLAN).unlink()
    if answered:
        add_brief(repo, answered)
    assert "Pipeline" not in page_of(repo).text
    repo.write({PLAN: plan(step(1))})
    assert "Make part 1" in page_of(repo).text


def nasty(kind: str) -> str:
    """Return text that tries to leave its place on the page."""
    return {
        "markup": EVIL,
        "control": "a\x0bb\x1b[31mc\u202ed\u2028e\ufffef",
        "long": "<b>" + "x" * 20000,
        "template": "{{ 7*7 }} %s {0} ${HOME} \\u003cscript\\u003e",
    }[kind]


@pytest.mark.parametrize("kind", ["markup", later("control"), later("long"), "template"])
def test_nothing_of_an_artifact_is_markup(make: Make, kind: str) -> None:
    evil = nasty(kind)
    repo = finished(make(plan_text().replace("Document the limits", evil)))
    brief = repo.read(f"{PROJECT}/brief.md")
    task = json.dumps(evil)
    brief = brief.replace("task: Limit the rate of requests to the public API", f"task: {task}")
    repo.write({f"{PROJECT}/brief.md": brief.replace("Limits of the upstream services", evil)})
    review = repo.read(f"{PROJECT}/review.md").replace("An error of the store is lost.", evil)
    repo.write({f"{PROJECT}/review.md": review.replace("src/limit.py:42", evil)})
    values = repo.progress()
    values["started_at"] = values["steps"]["1"]["error"] = values["steps"]["1"]["note"] = evil
    values["steps"]["2"]["completed_at"] = values["steps"]["2"]["commit"] = evil
    values["status"] = "failed"
    values["steps"]["3"]["status"] = evil
    repo.write({PROGRESS: json.dumps(values)})
    clean = set(page_of(repo).tags)
    assert clean <= {
        "html", "head", "meta", "title", "style", "body", "main", "header", "p", "h1", "h2", "h3", "div", "svg", "path",
        "g", "rect", "circle", "text", "section", "pre", "code", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th",
        "td", "span", "strong", "ul", "li", "footer", "article", "nav", "a", "caption", "details", "summary",
    }  # fmt: skip
    told = repo.say("status")
    assert all(line.isprintable() for line in told.out.splitlines())


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\0", b"{", b"---\n---\n", b"[1]", b"---\ntask: [a]\n---\n# x\n"]
)
@pytest.mark.parametrize(
    "name", ["brief.md", "plan.md", "progress.json", "review.md", "progress-session-1.json"]
)
def test_any_bytes_in_an_artifact_are_told_and_shown(make: Make, name: str, data: bytes) -> None:
    repo = make(plan(step(1)))
    repo.write({f"{PROJECT}/{name}": data})
    assert status(repo)["issues"]
    assert "To fix" in page_of(repo).text


def test_an_artifact_that_is_a_folder_or_a_link_to_nowhere(make: Make) -> None:
    repo = make(plan(step(1)))
    (repo.folder / PROJECT / "brief.md").mkdir()
    (repo.folder / PROJECT / "review.md").symlink_to("nowhere")
    (repo.folder / PROJECT / "research").write_text("a file")
    assert status(repo)["issues"]
    page_of(repo)


def test_a_page_replaces_only_a_page(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    repo.write({"mine.html": "<p>mine</p>", "README.md": "mine"})
    assert "README.md does not end in .html or .htm" in repo.refused("status --html README.md")
    assert "was not written by" in repo.refused("status --html mine.html")
    (repo.folder / "link.html").symlink_to("README.md")
    assert "was not written by" in repo.refused("status --html link.html")
    assert "does not exist" in repo.refused("status --html no/such/folder/x.html")
    assert (repo.read("mine.html"), repo.read("README.md")) == ("<p>mine</p>", "mine")
    target = tmp_path / "page.html"
    assert status(repo, "--html", str(target))["html"] == str(target)
    assert status(repo, "--html", str(target))["html"] == str(target)
    assert [one.name for one in tmp_path.glob("*page*")] == ["page.html"]
    (repo.folder / "to-page.html").symlink_to(target)
    assert "was not written by" in repo.refused("status --html to-page.html"), "nobody knows whose it is"
