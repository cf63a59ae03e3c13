"""The token bill, counted in characters / 4."""

from __future__ import annotations

from ultra_plugin.bill import always_on, bill, split_front_matter, tokens
from ultra_plugin.model import Budget, Bundle, BundleFile


def bundle(**files: str) -> Bundle:
    paths = {path.replace("__", "/") + ".md": text for path, text in files.items()}
    made = {path: BundleFile(path, text.encode(), budget=Budget(on_invoke=3)) for path, text in paths.items()}
    return Bundle("p", "1.0.0", made)


def test_what_is_listed_and_what_is_read_on_use() -> None:
    items = bill(
        bundle(commands__a="---\ndescription: does a\n---\nten chars\n", agents__b="---\nname: b\n---\nx")
    )
    assert [(item.name, item.listed, item.body) for item in items] == [
        ("p:a", len("p:a does a"), 10),
        ("p:b", 2, 1),
    ]
    assert always_on(items) == len("p:a does a" + "b ")


def test_the_closure_follows_guides_of_guides_and_attachments_once() -> None:
    made = bundle(
        commands__a="go: `ultra guide a`, `ultra guide a deep`, @${CLAUDE_PLUGIN_ROOT}/docs/d.md\n",
        guides__a="again `ultra guide a`, then `ultra guide a more`\n",
        guides__a__deep="12345",
        guides__a__more="1234567",
        docs__d="123",
    )
    item = bill(made)[0]
    assert item.closure == item.body + len(made.files["guides/a.md"].text) + 5 + 7 + 3


def test_what_is_over_its_budget() -> None:
    assert [list(item.over()) for item in bill(bundle(commands__a="x" * 13, commands__b="x" * 14))] == [
        [],
        [("on_invoke", 4, 3)],
    ]


def test_rounding_is_half_up() -> None:
    assert [tokens(characters) for characters in (0, 1, 2, 5, 6, 10, 176)] == [0, 0, 1, 1, 2, 3, 44]


def test_front_matter_is_not_part_of_the_body() -> None:
    assert split_front_matter("---\na: b\n---\nbody\n---\nmore") == ("a: b", "body\n---\nmore")
    assert split_front_matter("no front matter") == ("", "no front matter")
