"""The repository of the whole way, the client in it, and what one session was."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.client.conversation import ToolResult
from tests.client.fixtures import ModelFactory
from tests.client.model import ScriptedModel
from tests.client.script import Part
from tests.client.session import Client, Session
from tests.flagship import acting
from tests.flagship.recording import Recording, section
from tests.flagship.spelled import keeps_to, played
from tests.flagship.weight import Weight, weigh
from tests.interpreters import interpreters
from tests.kit.calls import Ultra
from tests.kit.model import answered, by_name
from tests.kit.repository import git

LIMIT = 300
LOOKING = {"Read", "Grep", "Glob", "WebSearch", "WebFetch"}


class Stage:
    """One session: what was typed, what the model was sent, what it called, what it said first and last."""

    def __init__(self, typed: str, model: ScriptedModel, told: Sequence[str]) -> None:
        self.typed = typed
        self.model = model
        self.words = [one for one in told if one != acting.DONE]
        self.opening, self.said = self.words[0], self.words[-1]
        self.results = model.tool_results()

    @property
    def verbs(self) -> list[str]:
        return played(self.results)

    @property
    def agents(self) -> list[str]:
        return [
            str(one.call.input["subagent_type"]).partition(":")[2] for one in by_name(self.model, "Agent")
        ]

    def answers(self, line: str) -> list[dict[str, object]]:
        """Return what a verb such as `gate plan` answered, in order."""
        return [
            answered(one)
            for one in self.results
            if str(one.call.input.get("command", "")).startswith(f"ultra {line} ")
        ]

    def since(self, line: str) -> list[ToolResult]:
        """Return the calls from this one on."""
        commands = [str(one.call.input.get("command", "")) for one in self.results]
        return self.results[next(at for at, one in enumerate(commands) if one.startswith(f"ultra {line}")) :]


class Way:
    """The repository, and the client in it."""

    def __init__(self, client: Client, scripted: ModelFactory, project: Path, bundle: Path) -> None:
        self.client = client
        self.scripted = scripted
        self.folder = project
        self.bundle = bundle
        self.agents = acting.cast(project, bundle)
        self.excerpts: dict[str, str] = {}
        self.weights: dict[str, Weight] = {}

    @property
    def place(self) -> Path:
        """The one project directory there is."""
        (found,) = self.folder.glob(".claude/projects/*")
        return found

    @property
    def project(self) -> str:
        return self.place.relative_to(self.folder).as_posix()

    def read(self, name: str) -> str:
        """Return an artifact of the project."""
        return (self.place / name).read_text()

    def tells(self, **excerpts: str) -> None:
        """Keep what the tutorial shows."""
        self.excerpts |= excerpts

    def recording(self) -> str:
        """Return what was kept, as a template."""
        rows = [row.partition(" ") for row in self.git("log", "--format=%H %s").split("\n")]
        recording = Recording(self.folder, {name: subject for name, _, subject in rows})
        for name, text in self.excerpts.items():
            recording.keep(name, text)
        return recording.template()

    def claude(self, typed: str, part: Part) -> Stage:
        """Type a command in a session of its own, and let Claude act its part to the end."""
        model = self.scripted(part, agents=self.agents)
        session: Session = self.client.ask(
            typed, model, cwd=self.folder, plugin_dirs=[self.bundle], timeout=LIMIT
        )
        assert session.init.plugin_errors == ()
        stage = Stage(typed, model, told_in(session))
        self.was_told(stage)
        return stage

    def was_told(self, stage: Stage) -> None:
        """Compare what the model was sent with the bundle: the command's rules, the guides, the agents' own texts."""
        name = stage.typed.split()[0].partition(":")[2]
        command = (self.bundle / "commands" / f"{name}.md").read_text()
        rules = section(command, "## Rules") if "## Rules" in command else section(command, "## 2.")
        assert rules in stage.model.main.text
        for one in stage.results:
            words = str(one.call.input.get("command", "")).split()
            if words[:2] == ["ultra", "guide"]:
                assert one.text.strip() in self.guides()
            elif "--guide" in words or ("--go-on" in words and "guide" in answered(one)):
                assert answered(one)["guide"].strip() in self.guides()
        for agent in stage.agents:
            told = stage.model.agent(acting.heading(self.bundle, agent))
            body = (self.bundle / "agents" / f"{agent}.md").read_text().split("---\n", 2)[2]
            assert body.strip() in told.system_prompt
            assert set(told.tools) <= LOOKING
        keeps_to(name, self.bundle, stage.results)
        self.weights[stage.typed.partition(" ")[0] + f" ({len(self.weights) + 1})"] = weigh(
            [self.bundle / "commands" / f"{name}.md"], stage.results
        )

    def guides(self) -> set[str]:
        """Return the texts of all guides."""
        return {path.read_text().strip() for path in (self.bundle / "guides").rglob("*.md")}

    def ultra(self, *words: str) -> str:
        """Run a verb as a person does in a shell."""
        told = Ultra(self.bundle, self.folder, interpreters()[-1].parent).say(*words)
        assert told.status == 0, told.out + told.err
        return told.out

    def status(self) -> dict[str, object]:
        found = json.loads(self.ultra("status", "--json"))
        assert isinstance(found, dict)
        return found

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def commit(self, message: str) -> None:
        """Commit what is the user's to commit: the artifacts of the project."""
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")

    def subjects(self) -> list[str]:
        """Return the subjects of all commits, the oldest first."""
        return self.git("log", "--reverse", "--format=%s").split("\n")

    def clean(self) -> bool:
        return self.git("status", "--porcelain") == ""

    def tests(self) -> str:
        """Run the sample's own tests."""
        done = subprocess.run(
            [sys.executable, "-B", "-m", "unittest", "test_tally"],
            cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stderr

    def tried(self, *words: str) -> tuple[int, str]:
        """Try the sample program."""
        done = subprocess.run(
            [sys.executable, "-B", "tally.py", *words],
            cwd=self.folder, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr


def told_in(session: Session) -> list[str]:
    """Return what Claude said to the user, in order; what its agents say is not among it."""
    main = [
        one for one in session.messages if one["type"] == "assistant" and not one.get("parent_tool_use_id")
    ]
    return [block["text"] for one in main for block in one["message"]["content"] if block["type"] == "text"]
