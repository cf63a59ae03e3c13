"""A plugin of pytest: notes which tests run which lines of the sources, or runs chosen tests in a given order."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

from tests.mutants.fork_bundle import is_server, serve_with, source_of
from tests.mutants.fork_here import FAULTY, use_forks_of_tests
from tests.mutants.swap import swap, swapped_codes

NOTED, CHOSEN, FORKED = (f"ULTRA_MUTANTS_{name}" for name in ("NOTED", "CHOSEN", "FORKED"))
PASSED, CALLED, SHARED = "passed: ", "called", "shared: "
SOURCES = ("generator/ultra_plugin", "plugin_src/runtime/ultra_runtime")
OTHERS = ("bash", "sh", "git", "cp")


class Noting:
    """Notes for each test what it runs in this process, how long it takes, and whether it starts another."""

    def __init__(self, file: Path) -> None:
        self.file, self.root, self.now, self.away = file, Path.cwd(), "", set[str]()
        self.seconds: dict[str, float] = {}
        self.bundled: set[str] = set()
        self.using: dict[str, set[str]] = {}
        self.coverage = Coverage(data_file=None, source=list(SOURCES), config_file=False)
        self.coverage.start()
        self.calls = file.with_suffix(".calls")
        self.calls.mkdir()
        use_forks_of_tests(self.begin, self.leave)
        serve_with(self.calls, {"notes": str(self.calls)})
        sys.addaudithook(self.hear)

    def begin(self) -> None:
        """Note from now on what a fork for a call runs."""
        self.coverage.switch_context(CALLED)

    def leave(self) -> None:
        """Write what a fork for a call has run."""
        self.coverage.stop()
        (self.calls / str(os.getpid())).write_text(json.dumps([self.now, self.lines(CALLED)]))

    def lines(self, of: str) -> dict[str, dict[int, list[str]]]:
        """Return which tests ran each line of each file."""
        data = self.coverage.get_data()
        return {
            Path(path).relative_to(self.root).as_posix(): {
                line: [test for test in tests if test and (not of or test == of)]
                for line, tests in data.contexts_by_lineno(path).items()
            }
            for path in data.measured_files()
        }

    def hear(self, event: str, given: tuple[Any, ...]) -> None:
        """Note that a test starts a program that may be ours."""
        if event == "subprocess.Popen" and Path(given[0]).name not in OTHERS and not is_server(given[1]):
            self.away.add(self.now)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Build the bundles: what that starts is not of the tests that use them."""
        _make_bundles(session)
        self.away.clear()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Note a new test, and whether it uses the bundle, which is built for a whole session."""
        self.switch(item.nodeid)
        found = getattr(item, "_fixtureinfo", None)
        fixtures = found.name2fixturedefs if found else {}
        if any(
            one.scope != "function" for one in fixtures.get("bundle", ())
        ):  # else a test writes its own files
            self.bundled.add(self.now)
        definitions = (one for many in fixtures.values() for one in many)
        for name in filter(None, map(_shared, definitions)):
            self.using.setdefault(name, set()).add(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Note what a fixture that several tests share runs as what each of them runs."""
        before = self.now
        self.switch(_shared(fixturedef) or self.now)
        try:
            return (yield)
        finally:
            self.switch(before)

    def switch(self, name: str) -> None:
        """Note from now on what a test or a fixture runs."""
        self.now = name
        (self.calls / "now").write_text(name)
        self.coverage.switch_context(name)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a test took."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the notes."""
        self.coverage.stop()
        lines = self.lines("")
        for call in self.calls.glob("call-*"):
            test, ran, is_away = json.loads(call.read_text())
            self.away.update([test] if is_away else [])
            for path, line in ran:
                lines.setdefault(source_of(path), {}).setdefault(line, []).append(test)
        for call in self.calls.glob("[0-9]*"):
            test, ran = json.loads(call.read_text())
            for path, rows in ran.items():
                for line in (line for line, tests in rows.items() if tests):
                    lines.setdefault(path, {}).setdefault(int(line), []).append(test)
        for rows in lines.values():
            for line, tests in rows.items():
                rows[line] = sorted(self.of_tests(tests))
        self.away = self.of_tests(self.away)
        away, bundled = sorted(self.away - {""}), sorted(self.bundled)
        notes = {"seconds": self.seconds, "away": away, "bundled": bundled, "lines": lines}
        self.file.write_text(json.dumps(notes))

    def of_tests(self, names: Iterable[str]) -> set[str]:
        """Return names with the tests that use a fixture instead of its name."""
        return {
            test
            for name in names
            for test in self.using.get(name, () if name.startswith(SHARED) else (name,))
        }


def _make_bundles(session: pytest.Session) -> None:
    # Imported late: pytest rewrites the assertions of the module, which it loads after this one.
    importlib.import_module("tests.built").make_bundles(session.config)


def _shared(fixture: pytest.FixtureDef[Any]) -> str:
    """Return a name for a fixture of ours that is made once for several tests; nothing for another one."""
    is_ours = fixture.func.__module__.startswith("tests.")
    return f"{SHARED}{id(fixture)}" if is_ours and fixture.scope != "function" else ""


class Choosing:
    """Keeps chosen tests, in their order."""

    def __init__(self, file: Path) -> None:
        self.places = {name: place for place, name in enumerate(json.loads(file.read_text()))}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the others out."""
        kept = [item for item in items if item.nodeid in self.places]
        items[:] = sorted(kept, key=lambda item: self.places[item.nodeid])


class Forking:
    """Tries each fault in a fork of this process, which has collected all tests."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Try the faults, and write how each is noticed; nothing for one that no test notices here."""
        use_forks_of_tests(lambda: None, lambda: None)
        gc.unfreeze()
        items = {item.nodeid: item for item in session.items}
        session.items[:] = []
        _make_bundles(session)
        found = []
        for one in json.loads(self.file.read_text()):
            found.append(_noticed(one, [items[test] for test in one["tests"]]))
            self.file.with_suffix(".found").write_text(json.dumps(found))


def _noticed(one: dict[str, Any], items: list[pytest.Item]) -> str:
    """Return which test notices a fault, tried in a fork."""
    path = str(Path.cwd() / one["path"])
    codes = swapped_codes(one["before"], one["after"], path)
    if not items:
        return ""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        importlib.import_module("ultra_" + one["path"].partition("/ultra_")[2][:-3].replace("/", "."))
        FAULTY[path] = one["after"]
        fault = ["ultra_" + one["path"].partition("/ultra_")[2], one["after"]]
        serve_with(Path(tempfile.mkdtemp(prefix="ultra-fault-")), {"fault": fault})
        swap(codes, path)
        os.write(tell, _first_failure(items).encode())
        os._exit(0)
    os.close(tell)
    ready = select.select([told], [], [], one["limit"])[0]
    said = os.read(told, 1 << 16).decode() or "crashed" if ready else "timeout"
    os.close(told)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return said.removeprefix(PASSED)


def _first_failure(items: list[pytest.Item]) -> str:
    """Run tests until one fails, and return its name."""
    failed: list[str] = []

    class Hearing:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            failed.extend([report.nodeid] if report.failed else [])

    config = items[0].config
    config.pluginmanager.register(Hearing())
    for item, after in zip(items, [*items[1:], None], strict=True):
        config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if failed:
            return failed[0]
    return PASSED


def pytest_configure(config: pytest.Config) -> None:
    """Do what the environment asks for."""
    for name, plugin in ((NOTED, Noting), (CHOSEN, Choosing), (FORKED, Forking)):
        if name in os.environ:
            config.pluginmanager.register(plugin(Path(os.environ[name])))
