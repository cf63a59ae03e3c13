"""What a model writes lands at its place when it keeps its contract, and nowhere when it does not."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.door.samples import BRIEF, RESEARCH, REVIEW, plan
from tests.interpreters import python_on_path, sampled
from tests.kit.calls import Ultra
from tests.kit.files import tree_of
from tests.kit.names import PROJECT, ROOT

GITHUB = "ghp" + "_3Kq" + "a7Xb2Zc9Yd4We6Vf8Ug1Th5Si0Rj3Qk7P"
PLACES = {
    "brief": ([], BRIEF, "brief.md"),
    "research": (["--topic", "3", "--slug", "stores"], RESEARCH, "research/03-stores.md"),
    "review": ([], REVIEW, "review.md"),
}


@pytest.mark.parametrize("kind", PLACES)
def test_each_kind_lands_at_its_place_byte_for_byte(ultra: Ultra, project: Path, kind: str) -> None:
    words, text, place = PLACES[kind]
    told = ultra("put", kind, "--project", PROJECT, *words, given=text)
    assert (told.status, told.data["ok"], told.data["path"]) == (0, True, f"{PROJECT}/{place}"), told.out
    assert set(told.data) == {"ok", "path", "warnings", "next"}
    assert (project / place).read_bytes() == text.encode()
    assert [path.name for path in project.rglob("*.prev")] == []


@pytest.mark.parametrize("interpreter", sampled(), ids=str)
def test_every_interpreter_puts_and_refuses(
    bundle: Path, repo: Path, project: Path, tmp_path: Path, interpreter: Path
) -> None:
    (tmp_path / "path").mkdir()
    ultra = Ultra(bundle, repo, python_on_path(interpreter, tmp_path / "path"))
    assert ultra("put", "brief", "--project", PROJECT, given=BRIEF).status == 0
    told = ultra("put", "brief", "--project", PROJECT, given=BRIEF.replace("## Goal\n", "## Gaol\n"))
    assert [one["code"] for one in told.data["errors"]] == ["BRIEF_MISSING_SECTION"]
    assert (project / "brief.md").read_text() == BRIEF


def test_a_bad_one_is_answered_with_its_codes_and_nothing_is_written(
    ultra: Ultra, repo: Path, project: Path
) -> None:
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    before = tree_of(repo)
    bad = BRIEF.replace("research_topics: 1", "research_topics: many").replace("slug: rate-limit\n", "")
    told = ultra("put", "brief", "--project", PROJECT, given=bad)
    assert (told.status, told.data["ok"], set(told.data)) == (1, False, {"ok", "error", "errors", "next"})
    found = {one["code"]: one for one in told.data["errors"]}
    assert found["BRIEF_BAD_TYPE"]["line"] == 7
    assert "BRIEF_MISSING_FIELD" in found
    assert all(set(one) == {"code", "line", "message"} and one["message"] for one in told.data["errors"])
    assert tree_of(repo) == before
    said = ultra.say("put", "brief", "--project", PROJECT, given=bad)
    assert f"{PROJECT}/brief.md:7: BRIEF_BAD_TYPE: " in said.out + said.err


def test_a_refused_first_artifact_leaves_no_folder_behind(ultra: Ultra, repo: Path, project: Path) -> None:
    told = ultra("put", "research", "--project", PROJECT, "--topic", "1", "--slug", "x", given="nothing")
    assert (told.status, [one["code"] for one in told.data["errors"]]) == (1, ["FM_MISSING"])
    assert list(project.iterdir()) == []


def test_a_draft_may_be_unfinished_and_a_brief_may_not(ultra: Ultra, project: Path) -> None:
    unfinished = BRIEF.replace("## Success Criteria", "## Criteria")
    told = ultra("put", "brief", "--project", PROJECT, given=unfinished)
    assert [one["code"] for one in told.data["errors"]] == ["BRIEF_MISSING_SECTION"]
    told = ultra("put", "brief", "--project", PROJECT, "--draft", given=unfinished)
    assert (told.status, told.data["path"]) == (0, f"{PROJECT}/brief.md.draft")
    assert [one["code"] for one in told.data["warnings"]] == ["BRIEF_MISSING_SECTION"]
    assert f"ultra gate brief --project {PROJECT}" in told.data["next"]
    told = ultra("put", "brief", "--project", PROJECT, "--draft", given=unfinished.replace("ultrabrief", "x"))
    assert [one["code"] for one in told.data["errors"]] == ["BRIEF_WRONG_TYPE"]


def test_a_partial_brief_may_be_unfinished_too(ultra: Ultra) -> None:
    partial = BRIEF.replace("slug:", "brief_quality: partial\nslug:").replace("## Goal\n", "## Aim\n")
    assert ultra("put", "brief", "--project", PROJECT, given=partial).data["ok"] is True


def test_no_brief_is_put_while_the_gate_is_open(ultra: Ultra, repo: Path, project: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF)
    before = tree_of(repo)
    told = ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    assert (told.status, "gate is open" in told.data["error"], "--draft" in told.data["next"]) == (
        1,
        True,
        True,
    )
    assert tree_of(repo) == before
    assert not (project / "brief.md").exists()


def test_a_draft_over_a_brief_opens_the_gate_and_the_brief_waits(ultra: Ultra, project: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    told = ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF.replace("many", "more"))
    assert "brief.md.prev until the gate ends" in told.data["next"]
    assert {path.name for path in project.iterdir()} == {".gitignore", "brief.md.draft", "brief.md.prev"}
    assert (project / "brief.md.prev").read_text() == BRIEF


def test_a_draft_that_cannot_be_written_gives_the_brief_back(ultra: Ultra, project: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    (project / "brief.md.draft").mkdir()
    told = ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF)
    assert (told.status, "brief.md.draft is a directory" in told.data["error"]) == (1, True)
    (project / "brief.md.draft").rmdir()
    assert ultra("brief", "status", PROJECT, "in_progress").data["ok"] is True
    assert {path.name for path in project.iterdir()} == {".gitignore", "brief.md"}


def test_text_of_every_kind_arrives_whole(ultra: Ultra, repo: Path, project: Path) -> None:
    odd = "\"quotes\" 'single' $HOME `id` \\n \\ $(id) ä 漢字 🎉\u00a0EOF\nEOF\n!! %s {} \t tab\n"
    text = BRIEF.replace("Ask for a plan.", odd)
    assert ultra("put", "brief", "--project", PROJECT, given=text).status == 0
    assert (project / "brief.md").read_text() == text
    (repo / "from here.md").write_text(text + "\nlater\n")
    assert ultra("put", "brief", "--project", PROJECT, "--from", "from here.md").status == 0
    assert (project / "brief.md").read_text() == text + "\nlater\n"


def test_a_heredoc_arrives_whole(ultra: Ultra, project: Path) -> None:
    text = BRIEF.replace("EOF", "EOT")
    told = ultra.shell(f"ultra put brief --project {PROJECT} --draft --json <<'EOF'\n{text}EOF\n")
    assert (told.status, told.data["ok"]) == (0, True)
    assert (project / "brief.md.draft").read_text() == text


def test_a_large_plan_arrives_whole(ultra: Ultra, project: Path) -> None:
    text = plan(400)
    assert len(text) > 200_000 / 2
    text = text.replace("Count the requests.", "Count the requests. " + "x" * 400)
    assert len(text) > 200_000
    told = ultra("put", "plan", "--project", PROJECT, "--draft", given=text)
    assert told.data["ok"] is True
    assert (project / "plan.md.draft").read_text() == text


def test_carriage_returns_and_a_mark_at_the_start_stay(ultra: Ultra, project: Path) -> None:
    data = b"\xef\xbb\xbf" + BRIEF.replace("\n", "\r\n").encode()
    assert ultra("put", "brief", "--project", PROJECT, given=data).data["ok"] is True
    assert (project / "brief.md").read_bytes() == data


@pytest.mark.parametrize(("given", "error"), [
    (b"", "no input: standard input or the file is empty"),
    (b" \n\t\n", "no input: standard input or the file is empty"),
    (b"\xef\xbb\xbf\n", "no input: standard input or the file is empty"),
    (b"---\ntype: \xff\n", "line 2 of the input is not UTF-8"),
])  # fmt: skip
def test_nothing_to_put_is_one_sentence(ultra: Ultra, project: Path, given: bytes, error: str) -> None:
    told = ultra("put", "brief", "--project", PROJECT, given=given)
    assert (told.status, told.data["error"]) == (1, error)
    assert list(project.iterdir()) == []


def test_a_terminal_is_not_waited_for(ultra: Ultra) -> None:
    leader, follower = pty.openpty()
    try:
        command = [str(ultra.command), "put", "brief", "--project", PROJECT]
        done = subprocess.run(
            command,
            stdin=follower,
            cwd=ultra.folder,
            env=ultra.env,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 1
    assert done.stderr.startswith("ultra: no input: standard input is a terminal\ngive the text on")


@pytest.mark.parametrize(
    ("name", "error"),
    [("no.md", "there is no such file"), (".", "it is a directory"), ("fifo", "it is not a regular file")],
)
def test_a_source_that_is_no_file_is_one_sentence(ultra: Ultra, repo: Path, name: str, error: str) -> None:
    os.mkfifo(repo / "fifo")
    told = ultra("put", "brief", "--project", PROJECT, "--from", name)
    assert (told.status, error in told.data["error"]) == (1, True)


def test_closed_standard_input_is_one_sentence(ultra: Ultra) -> None:
    told = ultra.shell(f"ultra put brief --project {PROJECT} --json <&-")
    assert told.status == 1
    assert told.data["error"].startswith(("standard input cannot be read", "no input"))


@pytest.mark.parametrize("words", [[], ["--draft"]])
def test_a_secret_is_refused_and_not_repeated(
    ultra: Ultra, repo: Path, project: Path, words: list[str]
) -> None:
    told = ultra("put", "brief", "--project", PROJECT, *words, given=BRIEF.replace("Ask for", GITHUB))
    (error,) = told.data["errors"]
    assert (told.status, error["code"]) == (1, "SECRET_FOUND")
    assert GITHUB in BRIEF.replace("Ask for", GITHUB).splitlines()[error["line"] - 1]
    assert GITHUB not in told.out
    assert list(project.iterdir()) == []


def test_the_kinds_that_the_runtime_writes_are_refused(ultra: Ultra) -> None:
    for kind in ("progress", "session-state"):
        told = ultra("put", kind, "--project", PROJECT, given="{}")
        assert (told.status, "only the runtime writes it" in told.data["error"]) == (1, True)
    told = ultra("put", "architecture", "--project", PROJECT, given="# x")
    assert (told.status, "another tool writes it" in told.data["error"]) == (1, True)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["brief"], "missing --project DIR or --out FILE"),
        (
            ["breif", "--project", PROJECT],
            "KIND must be one of brief, research, plan, review and session-spec, not breif (did you mean brief?)",
        ),
        (["review", "--project", PROJECT, "--draft"], "--draft cannot be used with review"),
        (["brief", "--project", PROJECT, "--topic", "1"], "--topic cannot be used with brief"),
        (["brief", "--out", "x.md", "--draft"], "--draft and --out cannot be used together"),
        (["brief", "--out", "x.md", "--project", PROJECT], "--out and --project cannot be used together"),
        (
            ["brief", "--project", PROJECT, "--section", "Goal", "--step", "1"],
            "--section and --step cannot be used together",
        ),
        (["research", "--project", PROJECT, "--slug", "x"], "missing --topic N"),
        (["research", "--project", PROJECT, "--topic", "1"], "missing --slug S"),
        (
            ["research", "--project", PROJECT, "--topic", "0", "--slug", "x"],
            "--topic must be a number, 1 or more, not 0",
        ),
        (
            ["research", "--project", PROJECT, "--topic", "1", "--slug", "../x"],
            "--slug must be a short name of letters, digits and hyphens, not ../x",
        ),
        (["session-spec", "--project", PROJECT], "missing --session N"),
        (
            ["session-spec", "--project", PROJECT, "--session", "x"],
            "--session must be a number, 1 or more, not x",
        ),
        (["plan", "--project", PROJECT, "--step", "one"], "--step must be a number, 0 or more, not one"),
    ],
)
def test_wrong_words_are_wrong_usage(ultra: Ultra, project: Path, words: list[str], error: str) -> None:
    told = ultra("put", *words, given=BRIEF)
    assert (told.status, told.data["next"][:16]) == (2, "usage: ultra put")
    assert told.data["error"].startswith(error)
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    ("directory", "error"),
    [
        ("/", "/ is outside the repository"),
        ("..", ".. is outside the repository"),
        (".", ". is not a project directory"),
        ("src", "src is not a project directory"),
        (".claude/projects", ".claude/projects is not a project directory"),
        (f"{PROJECT}/research", f"{PROJECT}/research is not a project directory"),
        (".claude/projects/none", "there is no project directory .claude/projects/none"),
        (".claude/projects/link", ".claude/projects/link is outside the repository"),
        ("\0", "there is no project directory"),
        (f"{PROJECT}/../../../..", "is outside the repository"),
    ],
)
def test_only_a_project_of_this_repository_is_written_to(
    ultra: Ultra, repo: Path, tmp_path: Path, directory: str, error: str
) -> None:
    (repo / "src").mkdir()
    (repo / PROJECT / "research").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (repo / ".claude/projects/link").symlink_to(tmp_path / "elsewhere")
    if "\0" in directory:
        directory = "x" * 5000
    told = ultra("put", "brief", "--project", directory, given=BRIEF)
    assert (told.status, error in told.data["error"]) == (1, True), told.out
    assert "ultra project new" in told.data["next"]
    assert list(tmp_path.rglob("brief*")) == []


def test_the_project_may_be_named_from_anywhere_inside(ultra: Ultra, repo: Path, project: Path) -> None:
    (repo / "src").mkdir()
    for directory, folder in (
        (PROJECT, repo / "src"),
        (".", project),
        (str(project), repo),
        (f"{PROJECT}/", repo),
    ):
        told = ultra("put", "brief", "--project", directory, given=BRIEF, cwd=folder)
        assert told.data["path"] == f"{PROJECT}/brief.md"
    assert ultra("put", "brief", "--project", PROJECT, given=BRIEF, cwd=Path("/")).status == 1


def test_a_link_in_the_place_of_an_artifact_is_not_followed(ultra: Ultra, repo: Path, project: Path) -> None:
    (repo / "precious.md").write_text("precious")
    (project / "brief.md").symlink_to(repo / "precious.md")
    told = ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    assert (told.status, "brief.md is a symbolic link" in told.data["error"]) == (1, True)
    (project / "research").symlink_to(repo)
    told = ultra("put", "research", "--project", PROJECT, "--topic", "1", "--slug", "x", given=RESEARCH)
    assert (told.status, "research is not a folder of the project" in told.data["error"]) == (1, True)
    assert (repo / "precious.md").read_text() == "precious"
    assert not (repo / "01-x.md").exists()


def test_one_topic_has_one_file(ultra: Ultra, project: Path) -> None:
    words = ["put", "research", "--project", PROJECT, "--topic", "1"]
    assert ultra(*words, "--slug", "stores", given=RESEARCH).data["ok"] is True
    told = ultra(*words, "--slug", "other", given=RESEARCH)
    assert (told.status, "--slug stores" in told.data["next"]) == (1, True)
    (project / "research/01-zones.md").write_text(RESEARCH)
    told = ultra(*words, "--slug", "other", given=RESEARCH)
    assert told.data["error"] == f"01 already exists: {PROJECT}/research/01-stores.md"
    assert told.data["next"] == "replace that one with --slug stores"
    assert ultra(*words, given=RESEARCH).data["error"] == "missing --slug S"
    (project / "research/01-zones.md").unlink()
    assert ultra(*words, given=RESEARCH + "\nMore.\n").data["path"] == f"{PROJECT}/research/01-stores.md"
    assert ultra(*words, "--section", "Dimensions", given="None.").data["ok"] is True
    assert (project / "research/01-stores.md").read_text().endswith("## Dimensions\n\nNone.\n")


def test_research_is_read_in_the_order_of_its_names(ultra: Ultra, project: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    for topic, slug in ((10, "costs"), (2, "clock"), (1, "stores")):
        words = ("put", "research", "--project", PROJECT, "--topic", str(topic), "--slug", slug)
        assert ultra(*words, given=RESEARCH).data["ok"] is True
    names = ("01-stores", "02-clock", "10-costs")
    told = ultra("plan", "begin", "--project", PROJECT).data
    assert told["research"] == [f"{PROJECT}/research/{name}.md" for name in names]


def test_one_section_of_a_draft(ultra: Ultra, project: Path) -> None:
    words = ["put", "brief", "--project", PROJECT, "--draft"]
    told = ultra(*words, "--section", "Goal", given="Better.")
    assert (told.status, told.data["next"]) == (1, "put the whole artifact first")
    ultra(*words, given=BRIEF)
    assert ultra(*words, "--section", "Goal", given="## Goal\n\nBetter.\n").data["ok"] is True
    line = 'Every user has a limit of their own, "quoted", with $HOME and `ticks`.'
    assert (project / "brief.md.draft").read_text() == BRIEF.replace(line, "Better.")
    before = tree_of(project)
    told = ultra(*words, "--section", "Gaol", given="x")
    assert (told.status, "there is no section Gaol" in told.data["error"]) == (1, True)
    told = ultra(*words, "--section", "Goal", given=f"with {GITHUB}")
    assert [one["code"] for one in told.data["errors"]] == ["SECRET_FOUND"]
    assert tree_of(project) == before


def test_the_whole_is_validated_when_a_section_is_put(ultra: Ultra, project: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    told = ultra("put", "brief", "--project", PROJECT, "--section", "Research Plan", given="No topics.")
    assert [one["code"] for one in told.data["errors"]] == ["BRIEF_TOPIC_COUNT"]
    assert (project / "brief.md").read_text() == BRIEF


def test_without_a_project_a_file_is_named(ultra: Ultra, repo: Path, project: Path) -> None:
    (repo / "docs").mkdir()
    for name in ("docs/brief.md", ".claude/plans/x.md", ".claude/plans/a/b/x.md", ".claude/research/x.md"):
        told = ultra("put", "brief", "--out", name, given=BRIEF)
        assert (told.data["ok"], told.data["path"]) == (True, name)
        assert (repo / name).read_text() == BRIEF
    assert ultra("put", "brief", "--out", "docs/brief.md", given=BRIEF + "\nMore.\n").data["ok"] is True


@pytest.mark.parametrize(
    "name",
    [
        "../outside.md", "/tmp/outside.md", ".git/x.md", ".git/hooks/x.md", "sub/.GIT/x.md", ".claude/commands/x.md",
        ".claude/agents/x.md", ".claude/x.md", f"{PROJECT}/brief.md", "no/folder/x.md", "x.txt", ".env", ".md",
        ".claude/settings.json", "link/x.md", "README.md", "CLAUDE.md", ".claude/settings/plans/x.md", ".claude/.git/x.md", "plans/.claude/a/x.md",
    ],
)  # fmt: skip
def test_other_places_are_not_written_to(ultra: Ultra, repo: Path, tmp_path: Path, name: str) -> None:
    (repo / "README.md").write_text("# Read me\n")
    (repo / "CLAUDE.md").write_text("# Instructions\n")
    (repo / "sub/.GIT").mkdir(parents=True)
    for folder in ("commands", "agents"):
        (repo / ".claude" / folder).mkdir()
    (repo / "link").symlink_to(tmp_path)
    before = tree_of(tmp_path)
    told = ultra("put", "brief", "--out", name, given=BRIEF)
    assert (told.status, told.data["ok"]) == (1, False)
    assert tree_of(tmp_path) == before


@pytest.mark.parametrize("kind", ["brief", "research", "review", "plan", "session-spec"])
@pytest.mark.parametrize(
    "there",
    [
        "# Read me\n",
        "---\ntitle: A page\n---\n\n# Page\n",
        "---\na: {b: c}\n---\n",
        "---\ntype: other\n---\n",
        "## Steps\n",
    ],
)
def test_a_file_of_another_kind_is_never_replaced(ultra: Ultra, repo: Path, kind: str, there: str) -> None:
    valid = (ROOT / "plugin_src/contracts/fixtures" / kind / "valid.md").read_text()
    assert ultra("put", kind, "--out", "new.md", given=valid).data["ok"] is True
    (repo / "page.md").write_text(there)
    told = ultra("put", kind, "--out", "page.md", given=valid)
    assert (told.status, "page.md exists and is no" in told.data["error"]) == (1, True)
    assert (repo / "page.md").read_text() == there


def test_a_session_spec_and_its_parts(ultra: Ultra, project: Path) -> None:
    valid = (ROOT / "plugin_src/contracts/fixtures/session-spec/valid.md").read_text()
    words = ["put", "session-spec", "--project", PROJECT, "--session", "2"]
    assert ultra(*words, given=valid).data["path"] == f"{PROJECT}/sessions/session-2.md"
    assert ultra(*words, "--section", "Context", given="What came before.").data["ok"] is True
    text = (project / "sessions/session-2.md").read_text()
    assert "## Context\n\nWhat came before.\n\n## Dependencies" in text
    assert text.partition("## Dependencies")[2] == valid.partition("## Dependencies")[2]
    told = ultra(*words, "--step", "0", given="No manifest.")
    assert (told.status, "MANIFEST_MISSING" in [one["code"] for one in told.data["errors"]]) == (1, True)
    assert (project / "sessions/session-2.md").read_text() == text


def test_a_read_only_artifact_and_a_full_disk_are_sentences(ultra: Ultra, project: Path) -> None:
    ultra("put", "brief", "--project", PROJECT, given=BRIEF)
    (project / "brief.md").chmod(0o444)
    told = ultra("put", "brief", "--project", PROJECT, given=BRIEF + "\nMore.\n")
    assert (told.status, told.data["error"]) == (1, "brief.md is read-only")
    (project / "brief.md").chmod(0o644)
    (project / "new.md").write_text(BRIEF + "x" * 400_000)
    told = ultra.shell(f"ulimit -f 100; ultra put brief --project {PROJECT} --from {PROJECT}/new.md --json")
    assert (told.status, told.data["error"]) == (1, "brief.md cannot be written: File too large")
    assert (project / "brief.md").read_text() == BRIEF
    assert sorted(path.name for path in project.iterdir()) == [".gitignore", "brief.md", "new.md"]


def test_putting_twice_is_putting_once(ultra: Ultra, project: Path) -> None:
    for _ in range(2):
        assert ultra("put", "brief", "--project", PROJECT, given=BRIEF).data["ok"] is True
    assert sorted(path.name for path in project.iterdir()) == [".gitignore", "brief.md"]
    shutil.rmtree(project)


def test_a_brief_that_a_killed_call_had_put_aside_is_there_again(ultra: Ultra, project: Path) -> None:
    (project / "brief.md.prev").write_text(BRIEF)
    told = ultra("put", "brief", "--project", PROJECT, "--section", "Goal", given="Better.")
    assert told.data["ok"] is True
    assert "## Goal\n\nBetter.\n" in (project / "brief.md").read_text()
    (project / "brief.md").rename(project / "brief.md.prev")
    ultra("put", "review", "--project", PROJECT, given=REVIEW)
    assert not (project / "brief.md").exists(), "only a call about the brief brings it back"
