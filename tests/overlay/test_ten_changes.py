"""A fork with ten changes lives through three releases of its upstream: told, shown, accepted, never merged by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.client.model import ScriptedModel
from tests.client.session import Client
from tests.executor.sample import Repo, plan, step
from tests.flagship.test_in_the_client import validated
from tests.kit.calls import Ultra
from tests.kit.names import LAUNCHER as OLD_LAUNCHER
from tests.kit.names import NAME, PIPELINE
from tests.kit.quick import SOAK
from tests.overlay.conftest import Told
from tests.overlay.story import CHANGES, FIRST, FORK, LAUNCHER, RELEASES, RETRO_TEXT, lines_of

MOST_LINES = 30
OLD = re.compile(
    rf"(?<![\w.-])(?:{NAME}|{'|'.join(PIPELINE.values())}|ultrabrief|ultrareview|{OLD_LAUNCHER})(?![\w{{-])".encode()
)


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_is_a_few_lines(change: str) -> None:
    assert 0 < lines_of(CHANGES[change]) <= MOST_LINES
    assert not [path for path in CHANGES[change] if path.endswith(".py")]


def test_a_release_tells_what_it_changed_below_the_fork(story: list[Told]) -> None:
    assert [(one.version, one.stale) for one in story] == [
        (FIRST, []),
        ("0.2.0", ["commands/plan.md.j2#finish"]),
        ("0.3.0", []),
        ("0.4.0", []),
    ]
    renamed = "upstream renamed 'fragments/data.md.j2' to 'fragments/foreign.md.j2'"
    assert [[renamed in line for line in one.warnings] for one in story] == [[], [], [True], [True]]


@pytest.mark.parametrize("at", range(len(RELEASES) + 1))
def test_the_fork_stays_what_it_is(
    story: list[Told], at: int, client: Client, model: ScriptedModel, repo: Path, python: Path
) -> None:
    told = story[at]
    bundle = told.bundle
    assert validated(client, bundle) == []
    loaded = client.ask("hello", model, cwd=repo, plugin_dirs=[bundle]).init
    assert (loaded.plugins, loaded.plugin_errors) == ((FORK,), ())
    typed = {one.partition(":")[2] for one in loaded.slash_commands if one.startswith(f"{FORK}:")}
    assert typed == {
        f"acme-{name}" for name in ("brief", "plan-it", "execute", "review", "retro", "continue")
    }
    assert _left(bundle) == {}
    said = {path.relative_to(bundle).as_posix(): path.read_text() for path in bundle.rglob("*.md")}
    phase = said["commands/acme-plan-it.md"]
    assert "approves the plan before it is run" in phase
    assert ("weaknesses that are left" if told.version == FIRST else "every weakness") in phase
    assert "| Warum, und was geschieht sonst?" in said["commands/acme-brief.md"]
    assert "four attempts" in said["docs/commands/acme-execute.md"]
    reviewers = re.findall(rf"^- `{FORK}:(\S+)`$", said["commands/acme-review.md"], re.MULTILINE)
    assert sorted(reviewers) == [
        "access-reviewer",
        "conformance-reviewer",
        "correctness-reviewer",
        "security-reviewer",
        "test-reviewer",
    ]
    assert "forbidden libraries" in said["agents/security-reviewer.md"]
    assert not [path for path in said if "research" in path.rpartition("/")[2] or "TUTORIAL" in path]

    ultra = Ultra(bundle, repo, python, LAUNCHER)
    blocked = ultra("check-command", "ansible-playbook apply").data
    assert (blocked["verdict"], blocked["rule"]) == ("block", "infrastructure")
    assert ultra("check-path", "deploy/live.yaml").data["rule"] == "deployment"
    assert ultra("check-path", "src/a.py").data["verdict"] == "allow"
    _check_brief(ultra, said, repo, told.version)


def _check_brief(ultra: Ultra, said: dict[str, str], repo: Path, version: str) -> None:
    """Try the fork's artifacts: its field, its discriminator, its stage, and the upstream's new field."""
    brief = next(text for path, text in said.items() if path.endswith("rate-limit/brief.md"))
    project = repo / ".claude/projects/2026-01-31-rate-limit"
    project.mkdir(parents=True)
    more = "audience: Everybody\n" if version == "0.4.0" else ""
    (project / "brief.md").write_text(brief.replace("\nslug:", f"\nticket: ACME-17\n{more}slug:"))
    assert "\ntype: acme-brief\n" in brief
    folder = str(project.relative_to(repo))
    answer = ultra("validate", "brief", f"{folder}/brief.md", "--strict")
    assert answer.data["valid"], answer.out
    assert ultra("status").data["next"].startswith(f"/{FORK}:acme-plan-it")
    assert ultra("put", "retro", "--project", folder, given=RETRO_TEXT).data["path"] == f"{folder}/retro.md"


def _left(bundle: Path) -> dict[str, bytes]:
    """Return the files of a bundle that have a name of the upstream."""
    texts = {
        path.relative_to(bundle).as_posix(): path.read_bytes() for path in bundle.rglob("*") if path.is_file()
    }
    return {
        path: found.group()
        for path, text in texts.items()
        if path != "LICENSE" and (found := OLD.search(text))
    }


def test_the_retry_cap_and_the_thresholds_hold(story: list[Told], tmp_path: Path, python: Path) -> None:
    bundle = story[-1].bundle
    repository = Repo(tmp_path / "work", bundle, python)
    repository.launcher = LAUNCHER
    repository.create(plan(step(1, verify="false")))
    repository.start()
    repository.ok("step begin 1")
    repository.write({"src/part1.py": "print(1)\n"})
    assert [repository.ok("step verify 1")["of"] for _ in range(4)] == [4, 4, 4, 4]
    assert repository.has("src/part1.py") is False
    schema = json.loads((bundle / "bundle.json").read_text())
    assert schema["version"] == "5.0.0"
    tables = (bundle / "runtime/ultra_runtime/tables/outputs.py").read_text()
    assert "passes_at=5" in tables


def test_what_the_fork_ships_passes_its_tests_after_each_release(story: list[Told]) -> None:
    tested = story if SOAK else [story[0], story[-1]]
    assert [" passed, 0 failed, 0 not run" in one.tested for one in tested] == [True] * len(tested)
