"""A small vocabulary for stories: what Claude does in a run, and what is true of the repository afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.client.fixtures import ModelFactory
from tests.client.model import Call, Say, ScriptedModel, ToolResult
from tests.client.session import Client, Session
from tests.executor.sample import PLAN, PROGRESS, PROJECT, Repo
from tests.interpreters import interpreters
from tests.kit.model import edit, read, ultra, write
from tests.kit.names import COMMANDS, NAME

EXECUTE = COMMANDS["execute"]
TYPED = f"{EXECUTE} --project {PROJECT}"
DATA = "${CLAUDE_PLUGIN_DATA}"  # filled in by the client in the text that Claude reads
FILES = {"README.md": "# Greet\n", "src/hello.py": "print('hello')\n", "settings.ini": "tone = kind\n"}

GREETING = """\
---
plan_version: "1.7"
---

# Greet people by name

## Implementation Plan

### Step 1: Make a greeting

- **Files:** `src/greet.py`
- **Changes:** Add `greet(name)`, which returns `Hello, NAME!`.
- **Verify:** `PYTHONPATH=src python3 -B -c 'import greet; print(greet.greet("Ada"))'` -> expected: `Hello, Ada!`
- **On failure:** revert
- **Checkpoint:** `git commit -m "feat: make a greeting"`
- **Manifest:**

  ```yaml
  manifest:
    expected_paths: [src/greet.py]
    min_file_count: 1
    commit_message_pattern: "^feat: make"
    bash_syntax_check: []
    forbidden_paths: [settings.ini]
    must_contain: [{path: src/greet.py, pattern: "^def greet"}]
  ```

### Step 2: Say it on the command line

- **Files:** `src/hello.py`
- **Changes:** Print the greeting for the first argument.
- **Reuses:** `greet` of `src/greet.py`
- **Verify:** `python3 -B src/hello.py Ada` -> expected: `Hello, Ada!`
- **On failure:** revert
- **Checkpoint:** `git commit -m "feat: greet on the command line"`
- **Manifest:**

  ```yaml
  manifest:
    expected_paths: [src/hello.py]
    min_file_count: 1
    commit_message_pattern: "^feat: greet"
    bash_syntax_check: []
    forbidden_paths: [src/greet.py]
    must_contain: []
  ```

### Step 3: Tell how it is used

- **Files:** `README.md`
- **Changes:** Add a line with the command `python3 src/hello.py NAME`.
- **Verify:** `grep -c 'hello.py NAME' README.md`
- **On failure:** revert
- **Checkpoint:** `git commit -m "docs: tell how to greet"`
- **Manifest:**

  ```yaml
  manifest:
    expected_paths: [README.md]
    min_file_count: 1
    commit_message_pattern: "^docs: "
    bash_syntax_check: []
    forbidden_paths: [src/]
    must_contain: []
  ```

## Verification

- `python3 -B src/hello.py Bob`
"""
GREET = 'def greet(name):\n    return f"Hello, {name}!"\n'
HELLO = "import sys\n\nfrom greet import greet\n\nprint(greet(sys.argv[1]))\n"
README = "# Greet\n\nRun `python3 src/hello.py NAME`.\n"
COMMITS = ["feat: make a greeting", "feat: greet on the command line", "docs: tell how to greet"]


# What Claude does.


def start(*flags: str) -> Call:
    return ultra(" ".join([f'run start "{PLAN}"', *flags]))


def begin(number: int) -> Call:
    return ultra(f"step begin {number}")


def verify(number: int) -> Call:
    return ultra(f"step verify {number}")


def commit(number: int) -> Call:
    return ultra(f"step commit {number}")


def finish() -> Call:
    return ultra(f'run finish --data "{DATA}"')


def make_greeting() -> list[Call]:
    """Do step 1 honestly."""
    return [begin(1), write("src/greet.py", GREET), verify(1), commit(1)]


def greet_on_the_command_line() -> list[Call]:
    """Do step 2 honestly."""
    return [
        begin(2),
        read("src/greet.py"),
        read("src/hello.py"),
        write("src/hello.py", HELLO),
        verify(2),
        commit(2),
    ]


def tell_how_it_is_used() -> list[Call]:
    """Do step 3 honestly."""
    return [begin(3), read("README.md"), edit("README.md", "# Greet\n", README), verify(3), commit(3)]


# What came of it.


@dataclass(frozen=True)
class Played:
    """What one session was told, call by call."""

    session: Session
    model: ScriptedModel
    results: tuple[ToolResult, ...]

    def answers(self, line: str) -> list[dict[str, Any]]:
        """Return the answers to a verb such as `step verify 2`, in order."""
        return [json.loads(one.text[one.text.index("{") :]) for one in self.results if is_verb(one, line)]

    def answer(self, line: str) -> dict[str, Any]:
        """Return the answer to a verb that was called once."""
        (only,) = self.answers(line)
        return only

    def refusals(self, line: str) -> list[str]:
        """Return the words of every refusal of a verb."""
        return [f"{one['error']} | {one['next']}" for one in self.answers(line) if not one["ok"]]

    def refused(self, tool: str, about: str) -> str:
        """Return what the client said to a call that it did not make."""
        (only,) = [
            one for one in self.results if one.call.name == tool and about in json.dumps(dict(one.call.input))
        ]
        assert only.is_error, only
        return only.text


def is_verb(result: ToolResult, line: str) -> bool:
    """Tell whether a call was `ultra` with these words first."""
    return result.call.name == "Bash" and f"{result.call.input['command']} ".startswith(f"ultra {line} ")


class Story:
    """A repository with a plan, and the real client in it."""

    def __init__(
        self,
        client: Client,
        scripted: ModelFactory,
        bundle: Path,
        folder: Path,
        plan: str = GREETING,
        files: Mapping[str, str] = FILES,
    ) -> None:
        self.client = client
        self.scripted = scripted
        self.bundle = bundle
        self.repo = Repo(folder, bundle, interpreters()[-1].parent).create(plan, files)

    def claude(
        self,
        typed: str,
        *does: Call | Say | Iterable[Call],
        after: Played | None = None,
        may: Iterable[str] = (),
    ) -> Played:
        """Type something, let Claude do all of this, and return what it was told; `may` allows more tools."""
        turns = [turn for one in does for turn in ([one] if isinstance(one, Call | Say) else one)]
        model = self.scripted(*map(self._absolute, turns))
        extra = ["--allowedTools", *may] if may else []
        earlier = len(after.model.tool_results()) if after else 0
        session = self.client.ask(
            typed, model, cwd=self.repo.folder, plugin_dirs=[self.bundle], extra=extra,
            resume=after.session if after else None, timeout=300,
        )  # fmt: skip
        assert session.init.plugin_errors == ()
        results = model.tool_results()
        if isinstance(turns[-1], Say):
            # In a run the client asks once more before it ends: the words are there, but not the last ones.
            assert turns[-1].text in json.dumps(session.messages), results
        calls = sum(isinstance(turn, Call) for turn in turns)
        assert len(results) in (calls, calls + earlier), (
            results
        )  # a resumed conversation holds the earlier ones
        return Played(session, model, tuple(results[-calls:] if calls else ()))

    def _absolute(self, turn: Call | Say) -> Call | Say:
        """Name files as the client wants them, and the data folder as it fills it in."""
        if isinstance(turn, Say):
            return turn
        if turn.name == "Bash":
            return Call(
                "Bash", {**turn.input, "command": turn.input["command"].replace(DATA, str(self.data))}
            )
        if "file_path" not in turn.input:
            return turn
        return Call(turn.name, {**turn.input, "file_path": str(self.repo.folder / turn.input["file_path"])})

    @property
    def data(self) -> Path:
        """The folder of the plugin's data."""
        return self.client.home.config / f"plugins/data/{NAME}-inline"

    def commits(self) -> list[str]:
        """Return the subjects of the run's commits."""
        return self.repo.subjects()[1:]

    def files_of(self, subject: str) -> list[str]:
        """Return what a commit changed."""
        commit = self.repo.git("log", "--format=%H", "--fixed-strings", f"--grep={subject}")
        return self.repo.git("show", "--format=", "--name-only", commit).split()

    def status(self) -> tuple[str, list[str]]:
        """Return what is on record: the status of the run and of its steps."""
        progress = self.repo.progress()
        return progress["status"], [progress["steps"][number]["status"] for number in "123"]

    def report(self) -> str:
        return self.repo.read(f"{PROJECT}/logs/report.md")

    def is_clean(self) -> bool:
        """Tell whether nothing is changed and not committed but the project of the plan."""
        return self.repo.git("status", "--porcelain", "--", ".", ":!.claude") == ""

    def is_over(self) -> bool:
        """Tell whether no run holds the tree."""
        return not self.repo.has(".git/ultra/run.json")

    def audit(self) -> tuple[str, list[int]]:
        """Return what an audit says that knows nothing of the session."""
        answer = self.repo.ultra(f"audit {PLAN}")
        return answer["status"], answer["completed_steps"]

    def is_valid(self) -> bool:
        """Tell whether every artifact of the project keeps its contract, its progress file among them."""
        told = self.repo("validate", "progress", PROGRESS).data
        assert told["valid"], told
        return self.is_valid_project()

    def is_valid_project(self) -> bool:
        """Tell whether every artifact of the project that is there keeps its contract."""
        return bool(self.repo("validate", "project", PROJECT).data["valid"])
