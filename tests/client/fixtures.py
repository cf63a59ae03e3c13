"""Fixtures around the real client; without it they skip, and on a build server they fail."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn, Protocol

import pytest

from tests.client.binary import PINNED, find, in_ci
from tests.client.conversation import Turn
from tests.client.model import ScriptedModel, SubAgent
from tests.client.script import Part
from tests.client.session import Client, Home
from tests.client.terminal import Terminal
from tests.kit.repository import make_repository


class ModelFactory(Protocol):
    """Start scripted models that are stopped after the test."""

    def __call__(self, *turns: Turn | Part, agents: Sequence[SubAgent] = ()) -> ScriptedModel: ...


class TerminalFactory(Protocol):
    """Start interactive clients that are stopped after the test."""

    def __call__(
        self, model: ScriptedModel, *, plugin_dirs: Sequence[Path] = (), extra: Sequence[str] = ()
    ) -> Terminal: ...


class Play(Protocol):
    """Type a command into the client and let a scripted model answer; return the model."""

    def __call__(self, typed: str, *turns: Turn | Part, agents: Sequence[SubAgent] = ()) -> ScriptedModel: ...


def unavailable(reason: str) -> NoReturn:
    """Skip the test, or fail it on a build server."""
    if in_ci():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def require_client(version: str = PINNED) -> Path:
    """Return the binary of a version, or skip."""
    binary = find(version)
    if binary is None:
        unavailable(f"client {version} is not in the cache: python tests/client/binary.py fetch {version}")
    return binary


@pytest.fixture(scope="session")
def client_binary() -> Path:
    """Return the pinned client."""
    return require_client()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home of the test's own."""
    return Home.create(tmp_path / "home")


@pytest.fixture
def client(client_binary: Path, home: Home) -> Client:
    """Return the pinned client in the test's home."""
    return Client(client_binary, home)


@pytest.fixture
def scripted() -> Iterator[ModelFactory]:
    """Return a function that starts a model with a script."""
    with ExitStack() as stack:

        def start(*turns: Turn | Part, agents: Sequence[SubAgent] = ()) -> ScriptedModel:
            return stack.enter_context(ScriptedModel(*turns, agents=agents))

        yield start


@pytest.fixture
def model(scripted: ModelFactory) -> ScriptedModel:
    """Return a model that only says "done"."""
    return scripted()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a git repository with one commit."""
    return make_repository(tmp_path / "project", {"README.md": "A project.\n"})


@pytest.fixture
def play(client: Client, scripted: ModelFactory, project: Path, bundle: Path) -> Play:
    """Return a function that plays a script in the project, with the plugin loaded."""

    def ask(typed: str, *turns: Turn | Part, agents: Sequence[SubAgent] = ()) -> ScriptedModel:
        model = scripted(*turns, agents=agents)
        client.ask(typed, model, cwd=project, plugin_dirs=[bundle])
        return model

    return ask


@pytest.fixture
def terminal(client: Client, project: Path) -> Iterator[TerminalFactory]:
    """Return a function that starts the interactive client in the project."""
    if shutil.which("tmux") is None:
        unavailable("tmux is not installed, so the interactive client cannot be played")
    with ExitStack() as stack:

        def start(
            model: ScriptedModel, *, plugin_dirs: Sequence[Path] = (), extra: Sequence[str] = ()
        ) -> Terminal:
            return stack.enter_context(
                Terminal(client, model, cwd=project, plugin_dirs=plugin_dirs, extra=extra)
            )

        yield start
