"""Load the fixtures that every test file may use, and print at the end what tests have to say."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

from tests.kit.quick import keep_byte_code, use_this_python, work_in_memory

keep_byte_code()
use_this_python()
work_in_memory()
# The same examples every time, so that a build says the same of the same sources; `make soak` looks for new ones.
settings.register_profile("steady", derandomize=True)
settings.load_profile("default" if "ULTRA_SOAK" in os.environ else "steady")

pytest_plugins = ["tests.built", "tests.kit.fixtures", "tests.client.fixtures"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the property `said` of every test that has one: output of a worker would be lost."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in (
                getattr(report, "user_properties", ()) if getattr(report, "when", "") == "call" else ()
            ):
                if name == "said":
                    terminalreporter.write_line(str(value))
