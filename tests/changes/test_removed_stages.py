"""A stage is removed with its files and with what the build lists; the rest of the plugin works and does not mention it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.built import lend_byte_code
from tests.changes.conftest import PLUGIN, Fork
from tests.kit.calls import FIXED, Ultra
from tests.kit.names import EXAMPLE, LAUNCHER, NAME, PIPELINE, PROJECT, SETTINGS
from tests.kit.quick import later
from tests.kit.repository import make_repository
from ultra_plugin.config import load
from ultra_plugin.model import Plugin, Suite
from ultra_plugin.per_plugin import own_contracts
from ultra_plugin.source import SourceTree

EXPLORERS = (
    "architecture-mapper", "convention-scanner", "dependency-tracer", "risk-assessor", "task-finder", "test-strategist",
)  # fmt: skip
EXAMPLES = f"{PLUGIN}/docs/examples/*"
# The recorded session shows the whole pipeline.
TUTORIAL = (f"{PLUGIN}/docs/TUTORIAL.md.j2", "fragments/tutorial-session.md.j2")
TOLD = {
    f"{PLUGIN}/README.md.j2": {
        "- [A first project](docs/TUTORIAL.md): a whole project, with the text of a recorded session.\n": ""
    },
    f"{PLUGIN}/docs/PIPELINE.md.j2": {" [A first project](TUTORIAL.md) shows the pipeline in use.": ""},
}


@dataclass(frozen=True)
class Removal:
    """What goes with some stages, what the build then lists, and what nothing mentions afterwards."""

    stages: tuple[str, ...]
    files: tuple[str, ...]
    listed: Mapping[str, Mapping[str, str] | None] = field(default_factory=dict)
    """Source -> the words to replace; None when the source is removed."""
    artifacts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """The end of each path of the bundle that may name the artifacts, because another artifact has a field for them."""
    alone: bool = False
    """Whether the other plugins go too: one of them runs its tasks as the steps of a plan, with its contracts."""


def files_of(stage: str) -> tuple[str, ...]:
    """Return what every stage has."""
    return (
        f"{PLUGIN}/commands/{stage}.md.j2",
        f"{PLUGIN}/docs/commands/{stage}.md.j2",
        f"{PLUGIN}/evals/{stage}-*",
    )


def contract_files(artifact: str) -> tuple[str, ...]:
    """Return what every artifact that a model writes has."""
    return (
        f"contracts/{artifact}.yaml",
        f"contracts/fixtures/{artifact}",
        f"{PLUGIN}/templates/{artifact}.md.j2",
    )


REVIEW = Removal(
    ("review",),
    (
        *files_of("review"),
        *contract_files("review"),
        *(f"outputs/{name}.yaml" for name in ("conformance", "coordination", "findings")),
        "fragments/reviewer*",
        *(f"{PLUGIN}/agents/{name}*" for name in ("[!b]*-reviewer", "review-coordinator")),
        f"{PLUGIN}/guides/plan/remediation.md.j2",
        f"{PLUGIN}/guides/review",
        f"{EXAMPLES}/review.md",
    ),
    {
        "contracts/brief.yaml": {"[research, plan, review]": "[research, plan]"},
        "contracts/fixtures/plan/PLAN_UNKNOWN_FINDING.md": None,  # a finding of a review that the plan takes up
    },
    ("review.md",),
)
CONTINUE = Removal(
    ("continue",),
    (*files_of("continue"), f"{PLUGIN}/guides/continue"),
    {"contracts/session-state.yaml": {"consumer: continue": "consumer: execute"}},
)
RESEARCH = Removal(
    ("research",),
    (
        *files_of("research"),
        *contract_files("research"),
        "outputs/research-report.yaml",
        "fragments/research-*",
        "fragments/web-rules*",
        *(f"{PLUGIN}/agents/{name}" for name in ("local-*", "web-*", "gemini-*")),
        f"{PLUGIN}/guides/research",
        f"{EXAMPLES}/research",
    ),
    {
        "contracts/brief.yaml": {"[research, plan, review]": "[plan, review]"},
        f"{PLUGIN}/evals/guard-agents-write": None,
    },
    ("research/",),
)
# Session states and reviews have a field that names the file of a brief.
BRIEF = Removal(
    ("brief",),
    (
        *files_of("brief"),
        *contract_files("brief"),
        "outputs/brief-review.yaml",
        f"{PLUGIN}/agents/brief-reviewer*",
        f"{PLUGIN}/guides/brief",
        f"{EXAMPLES}/brief.md.j2",
    ),
    {
        "contracts/fixtures/common": None,  # which are briefs
        "contracts/fixtures/research/RESEARCH_TOPIC_UNANSWERED": None,
        f"{PLUGIN}/evals/guard-agent-answers": None,
        f"{PLUGIN}/evals/research-without-brief": None,
        f"{PLUGIN}/README.md.j2": {
            **TOLD[f"{PLUGIN}/README.md.j2"],
            "rate-limit/brief.md": "rate-limit/plan.md",
        },
    },
    ("brief.md",),
    ("docs/commands/ultracontinue.md", "templates/review.md"),
)
GUARDED = (
    "commands", "compaction", "early-stop", "paths", "run-agent", "run-files", "unfinished-run", "worktree",
)  # fmt: skip
PLAN = Removal(
    ("plan", "execute", "review", "continue"),
    (
        *(path for stage in ("plan", "execute") for path in files_of(stage)),
        *(path for artifact in ("plan", "session-spec") for path in contract_files(artifact)),
        *(
            path
            for artifact in ("progress", "session-state", "settings", "architecture")
            for path in contract_files(artifact)[:2]
        ),
        *(f"outputs/{name}.yaml" for name in ("plan-critique", "scope-check", "sessions", "exploration")),
        "fragments/explorer*",
        f"{PLUGIN}/agents/plan-critic*",
        f"{PLUGIN}/agents/scope-guardian*",
        f"{PLUGIN}/agents/session-decomposer*",
        *(f"{PLUGIN}/agents/{name}*" for name in EXPLORERS),
        "fragments/plan-*",
        "fragments/agents.md.j2",
        f"{PLUGIN}/guides/plan",
        f"{PLUGIN}/guides/execute",
        f"{PLUGIN}/docs/WAVES.md.j2",
        f"{PLUGIN}/docs/TWO-MACHINES.md.j2",
        f"{PLUGIN}/docs/CLUSTER.md.j2",
        "fragments/waves-session.md.j2",
        f"{PLUGIN}/guides/brief/auto.md.j2",
        f"{EXAMPLES}/plan.md",
        f"{EXAMPLES}/sessions",
        *(path for path in REVIEW.files if "guides/plan" not in path),
        *CONTINUE.files,
    ),
    {
        "contracts/brief.yaml": {"[research, plan, review]": "research"},
        "contracts/research.yaml": {"consumer: plan": "consumer: another plugin"},
        "fragments/eval-plan.sh.j2": None,
        "fragments/eval-run.sh.j2": None,
        "fragments/eval-history.jsonl.j2": None,
        **{f"{PLUGIN}/evals/guard-{name}": None for name in GUARDED},
        f"{PLUGIN}/docs/GUARD.md.j2": {
            "    {{ verb('scan') }} plan.md\n": "",
            "verb('scan')": "verb('check-command')",
        },
    },
    ("plan.md", "progress.json", "review.md"),
    alone=True,
)


def together(*removals: Removal, **changed: Mapping[str, str]) -> Removal:
    """Return the removal of the stages of several at once; keywords change what is replaced in contracts."""
    return Removal(
        tuple(stage for one in removals for stage in one.stages),
        tuple(path for one in removals for path in one.files),
        {
            **{path: words for one in removals for path, words in one.listed.items()},
            **{f"contracts/{name}.yaml": words for name, words in changed.items()},
        },
        tuple(name for one in removals for name in one.artifacts),
        tuple(name for one in removals for name in one.names),
    )


# The stage that most others need goes; in `make soak` each goes with others, and alone.
TOGETHER = (
    together(BRIEF, CONTINUE),
    together(RESEARCH, REVIEW, brief={"[research, plan, review]": "plan"}),
    PLAN,
)
ALONE = (BRIEF, RESEARCH, REVIEW, CONTINUE)
REMOVALS = {"-".join(one.stages): one for one in (*TOGETHER, *ALONE)}
QUICK = ["-".join(BRIEF.stages)]


def test_every_stage_is_removed_at_least_once() -> None:
    assert {stage for one in TOGETHER for stage in one.stages} == {*SETTINGS["pipeline"]}


class Removed:
    """The plugin without some stages."""

    def __init__(self, folder: Path, removal: Removal) -> None:
        self.fork = fork = Fork(folder)
        self.removal = removal
        if removal.alone:
            fork.keep_flagship()
        fork.remove(*removal.files, *TUTORIAL)
        fork.change(f"{PLUGIN}/plugin.yaml", pipeline_without(removal.stages))
        self.listed = self.settle({**TOLD, **removal.listed})
        self.bundle = fork.folder / "dist" / NAME
        FIXED.add(self.bundle)
        suite, own = flagship(fork.sources)
        self.verbs = {verb.name: verb.usage for verb in own.verbs.values()}
        self.gone = {verb.name for verb in flagship(fork.ours)[1].verbs.values()} - self.verbs.keys()
        self.kinds = [contract.artifact for contract in own_contracts(suite, own).values()]

    def settle(self, changes: Mapping[str, Mapping[str, str] | None]) -> set[str]:
        """Change what the build lists until it lists nothing, and return what it listed."""
        listed: set[str] = set()
        while faults := self.fork.problems():
            named = {
                next((path for path in changes if fault.startswith((f"{path}:", f"{path}/"))), fault)
                for fault in faults
            }
            assert named <= changes.keys() - listed, named
            for path in named:
                words = changes[path]
                if words is None:
                    self.fork.remove(path)
                else:
                    self.fork.change(path, words)
            listed |= named
        assert listed == changes.keys()
        return listed


def flagship(sources: Path) -> tuple[Suite, Plugin]:
    """Return a suite and its flagship."""
    suite = load(SourceTree(sources))
    return suite, next(one for one in suite.plugins if one.settings.name == NAME)


def pipeline_without(stages: tuple[str, ...]) -> dict[str, str]:
    """Return the lines of plugin.yaml to replace: the rows of the stages, and the `next` that leads to them."""
    rows = SETTINGS["pipeline"]
    text = (Fork.ours / f"{PLUGIN}/plugin.yaml").read_text()
    changes = {}
    for stage, row in rows.items():
        (line,) = re.findall(rf"^  {stage}: \{{.*\}}\n", text, re.MULTILINE)
        following = row.get("next")
        while following in stages:
            following = rows[following].get("next")
        if stage in stages:
            changes[line] = ""
        elif following != row.get("next"):
            changes[line] = line.replace(
                f", next: {row['next']}", f", next: {following}" if following else ""
            )
    return changes


# A verb that goes on until it is interrupted is called so that it has to refuse.
ENDING = {"board": ("--port", "70000")}
WORDS = {
    "PATH": f"{PROJECT}/plan.md", "PLAN": f"{PROJECT}/plan.md", "DIR": PROJECT, "VALUE": "complete", "N": "1",
    "AGENT": "plan-critic", "COMMAND": "plan", "REVIEWER": "test-reviewer", "SLUG": "other", "TEXT": "words",
    "FILE": f"{PROJECT}/brief.md",
}  # fmt: skip


def calls(removed: Removed) -> list[list[str]]:
    """Return a call of every verb with what it needs, one with a project, and one for each kind of artifact."""
    found = []
    for name, usage in removed.verbs.items():
        needed = re.sub(r"\[(?:[^][]|\[[^]]*\])*\]", "", usage[len(name) :]).split()
        words = [*name.split(), *(WORDS.get(word, word) for word in needed), *ENDING.get(name, ())]
        kinds = [*removed.kinds, "project", *removed.removal.stages] if "KIND" in needed else [""]
        for kind in kinds:
            call = [kind if word == "KIND" else word for word in words]
            found.append(call)
            if "[--project DIR" in usage:
                found.append([*call, "--project", PROJECT])
    return found


# One test for each removal: its builds take longer than everything that is asked of them.
@pytest.mark.parametrize("stages", [one if one in QUICK else later(one) for one in REMOVALS])
def test_a_removed_stage_leaves_nothing_behind(
    stages: str, tmp_path: Path, bundle: Path, python: Path
) -> None:
    removed = Removed(tmp_path / "fork", REMOVALS[stages])
    lend_byte_code(bundle, removed.bundle)
    the_build_lists_what_names_it(removed)
    every_verb_answers(removed, make_repository(tmp_path / "empty", {"a.py": "x = 1\n"}), python)
    every_verb_answers(removed, with_a_project(tmp_path / "project"), python)
    nothing_that_people_or_models_read_mentions_it(removed, tmp_path, python)
    the_bundle_has_no_verb_of_it(removed, tmp_path, python)


def with_a_project(folder: Path) -> Path:
    """Return a repository with the project of the examples."""
    repo = make_repository(folder, {"a.py": "x = 1\n"})
    for path in EXAMPLE.rglob("*.md"):
        target = repo / PROJECT / path.relative_to(EXAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return repo


def the_build_lists_what_names_it(removed: Removed) -> None:
    """Compare what had to be changed with what the build listed."""
    own = {path for path in removed.fork.changed if (removed.fork.sources / path).exists()}
    edited = {path for path, words in {**TOLD, **removed.removal.listed}.items() if words is not None}
    assert own == {f"{PLUGIN}/plugin.yaml", *edited}, "no source was changed that the build did not list"


def every_verb_answers(removed: Removed, repo: Path, python: Path) -> None:
    """Call every verb: none fails for a reason of ours, and none mentions what is gone."""
    ultra = Ultra(removed.bundle, repo, python)
    assert ultra("status").status == 0
    assert ultra("doctor").data["checks"]
    hook = ultra.hook("session_start", {"cwd": str(repo), "source": "startup", "session_id": "s"})
    assert (hook.status, hook.err) == (0, "")
    for words in calls(removed):
        told = ultra(*words)
        assert told.status in (0, 1, 2), (words, told.out)
        assert "KeyError" not in told.out, words
        assert "internal" not in told.data, words
        assert told.status == 0 or told.data.get("errors") or told.data.get("next"), (words, told.out)
        said = json.dumps(
            {name: value for name, value in told.data.items() if name != "files"}
        )  # of the tree
        assert not mentions(removed, said, words), (words, told.out)


def mentions(removed: Removed, text: str, given: list[str]) -> list[str]:
    """Return the removed commands, and verbs that the bundle does not have, that a text mentions."""
    commands = [PIPELINE[stage] for stage in removed.removal.stages if PIPELINE[stage] != NAME]
    verbs = [f"{LAUNCHER} {verb}" for verb in removed.gone]
    words = [*commands, *verbs, *(name for name in removed.removal.artifacts if name not in " ".join(given))]
    return [word for word in words if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)]


def nothing_that_people_or_models_read_mentions_it(removed: Removed, tmp_path: Path, python: Path) -> None:
    """Look for what is gone in prompts, documentation and help."""
    texts = {
        path: path.read_text()
        for path in sorted(removed.bundle.rglob("*.md"))
        if "examples" not in path.parts and not str(path).endswith(removed.removal.names or "?")
    }
    ultra = Ultra(removed.bundle, tmp_path, python)
    texts |= {Path(f"{verb} --help"): ultra.say(*verb.split(), "--help").out for verb in removed.verbs}
    texts[Path("--help")] = ultra.say("--help").out
    found = {str(path): words for path, text in texts.items() if (words := mentions(removed, text, []))}
    assert found == {}


def the_bundle_has_no_verb_of_it(removed: Removed, tmp_path: Path, python: Path) -> None:
    """Call the verbs that are gone, and compare the schemas with the contracts that are left."""
    ultra = Ultra(removed.bundle, tmp_path, python)
    assert removed.gone
    for verb in removed.gone:
        told = ultra(*verb.split())
        assert told.status == 2, (verb, told.out)
        name = verb.replace(" ", "_").replace("-", "_")
        assert not [*removed.bundle.glob(f"runtime/ultra_runtime/verbs/{name}*.py")]
    contracts = {path.name.partition(".")[0] for path in (removed.bundle / "schemas").iterdir()}
    assert contracts == {*removed.kinds}
