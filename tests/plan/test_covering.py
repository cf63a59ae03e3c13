"""Whether a name of a plan covers a path, compared with a reader of its own for all short names and paths."""

from __future__ import annotations

import posixpath
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.quick import examples
from ultra_runtime.plan.covering import covers, is_pattern, means_folder, plain

PARTS = st.sampled_from(
    ["a", "b", "ab", "a", "b", "ab", "*", "?", "a*", "**", "[ab]", "[!a]", "x[", "..", ".", ""]
)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "abb", "[ab]", "x["]), min_size=1, max_size=4).map("/".join)


def part_fits(wanted: str, part: str, brackets: bool) -> bool:
    """Tell whether one part of a path has the form of one part of a name."""
    found = re.findall(r"\[!?[ab]+\]|.", wanted) if brackets else list(wanted)
    signs = {"*": ".*", "?": "."}
    rule = "".join(one.replace("!", "^") if len(one) > 1 else signs.get(one, re.escape(one)) for one in found)
    return re.fullmatch(rule, part) is not None


def fits(wanted: list[str], parts: list[str], brackets: bool) -> bool:
    """Tell whether the parts of a name fit the path or a folder above it."""
    if not wanted:
        return True
    if wanted[0] == "**":
        return any(fits(wanted[1:], parts[at:], brackets) for at in range(len(parts) + 1))
    return bool(parts) and part_fits(wanted[0], parts[0], brackets) and fits(wanted[1:], parts[1:], brackets)


def is_covered(name: str, path: str, forbidden: bool) -> bool:
    """Tell what the module's first lines promise."""
    spelled = posixpath.normpath(name.strip("/") or ".")
    if spelled == "." or f"{path}/".startswith(f"{spelled}/"):
        return True
    if not re.search(r"[*?[]" if forbidden else r"[*?]", spelled):
        return False
    wanted, parts = spelled.split("/"), path.split("/")
    if forbidden and len(wanted) == 1:
        wanted = ["**", *wanted]
    return fits(wanted, parts, False) or (forbidden and fits(wanted, parts, True))


@settings(max_examples=examples(3000))
@given(st.lists(NAMES, max_size=3), PATHS)
def test_a_name_covers_what_it_says(names: list[str], path: str) -> None:
    for forbidden in (False, True):
        expected = any(is_covered(name, path, forbidden) for name in names)
        assert covers(iter(names), path, anywhere=forbidden) == expected
    assert covers(names, path) == covers(names, path, anywhere=False)
    assert not covers(names, path) or covers(names, path, anywhere=True), (
        "what is forbidden is read more widely"
    )


@given(NAMES)
def test_a_name_is_spelled_as_git_spells_it(name: str) -> None:
    spelled = posixpath.normpath(name.strip("/") or ".")
    assert plain(name) == ("" if spelled == "." else spelled)
    assert is_pattern(name) == bool(re.search("[*?]", name))
    assert means_folder(name) == name.endswith("/")
