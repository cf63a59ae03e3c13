"""Some tests in surroundings that users have, all at once; `make soak` tries all tests in each of them."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.anywhere import NOT_ROOT, OFFLINE, SURROUNDINGS, run_tests, together

# A run, a verb that writes, and the installer.
SAMPLE = (
    "tests/executor/test_lock.py",
    "tests/door/test_project_new.py",
    "tests/install/test_places.py",
)


def can(words: tuple[str, ...]) -> bool:
    """Tell whether this machine lets us run a program behind these words."""
    if shutil.which(words[0]) is None:
        return False
    return subprocess.run([*words, "true"], capture_output=True, check=False, timeout=30).returncode == 0


def test_the_sample_passes_in_all_surroundings_at_once() -> None:
    names = [
        name for name, one in SURROUNDINGS.items() if one.before not in (OFFLINE, NOT_ROOT) or can(one.before)
    ]
    done = run_tests(together(names), SAMPLE, seed=1)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout
    assert passed
    assert int(passed[1]) > 40


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_each_surrounding_is_part_of_all_together(name: str) -> None:
    every, one = together(), SURROUNDINGS[name]
    assert (every.umask | one.umask, every.home_mode & one.home_mode) == (every.umask, every.home_mode)
    assert set(one.before) <= set(every.before)
    assert one.variables.items() <= every.variables.items()
    assert one.home.items() <= every.home.items()
    assert one.folder in ("sources", every.folder)
