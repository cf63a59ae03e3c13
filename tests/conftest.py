"""Load the fixtures that every test file may use, and print at the end what tests have to say."""

from __future__ import annotations

import gc
import os
import random
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.kit.quick import SOAK, keep_byte_code, put_off_grammars, use_this_python, work_in_memory

keep_byte_code()
put_off_grammars()
use_this_python()
work_in_memory()
# A job in the background is started with SIGINT ignored, one of nohup with SIGHUP, and its children inherit that; some
# tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# The same examples every time, so that a build says the same of the same sources; `make soak` looks for new ones.
# Neither a deadline nor a check of how slow examples are made: a busy machine is no fault of the code.
SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "steady", max_examples=40, derandomize=True, deadline=None, suppress_health_check=SLOW
)
settings.load_profile("default" if SOAK else "steady")

pytest_plugins = ["tests.built", "tests.kit.fixtures", "tests.client.fixtures"]


# The files that take longest: they come first, so that no worker waits for one of them at the end.
LONGEST = (
    "test_attacks.py", "test_readme.py", "test_whole_way.py", "test_ten_changes.py", "test_oracle.py", "test_finish.py",
    "test_one_file.py", "test_bounds.py", "test_any_bytes.py", "test_preflight.py", "test_standing.py", "test_client_user.py",
)  # fmt: skip


# What is loaded and collected stays until the end: looking for garbage in it takes a third of the collection.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage again, but only in what the tests make."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests to `make soak`; begin with the longest, or take them in a random order if ULTRA_ORDER is a seed."""
    left = [] if SOAK else [item for item in items if item.get_closest_marker("soak")]
    if left:
        items[:] = [item for item in items if not item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=left)
    if "ULTRA_ORDER" in os.environ:
        random.Random(os.environ["ULTRA_ORDER"]).shuffle(items)  # noqa: S311
    else:
        order = {name: place for place, name in enumerate(LONGEST)}
        items.sort(key=lambda item: order.get(item.path.name, len(LONGEST)))


@pytest.fixture(autouse=True)
def _same_folder() -> Iterator[None]:
    """Let no test leave the folder: paths that later tests read in messages would begin elsewhere."""
    here = os.getcwd()
    yield
    try:
        left = os.getcwd() != here
    except FileNotFoundError:
        left = True
    os.chdir(here)
    assert not left


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the property `said` of every test that has one: output of a worker would be lost."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in (
                getattr(report, "user_properties", ()) if getattr(report, "when", "") == "call" else ()
            ):
                if name == "said":
                    terminalreporter.write_line(str(value))
