"""Read the status page as a browser would, and notice what is not well-formed or would load something."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.executor.sample import Repo

Make = Callable[..., Repo]
VOID = {"meta"}
MAY_LOAD = {
    "href", "src", "srcset", "action", "formaction", "poster", "data", "background", "cite", "ping", "xlink:href",
    "manifest", "style", "srcdoc", "xmlns",
}  # fmt: skip


class Page(HTMLParser):
    """A page as a browser would read it: balanced, and with nothing in it that loads something."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: dict[str, int] = {}
        self.texts: list[str] = []
        self.styles: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            assert name not in MAY_LOAD or (tag, name) == ("a", "href"), (tag, name)
            assert name != "href" or not (value or "/").startswith("/"), value
            assert name != "href" or ":" not in (value or "").replace("%3A", ""), value
            assert not name.startswith("on"), (tag, name)
            assert value is not None
            assert "url(" not in value.lower()
        assert len({name for name, _ in attrs}) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.styles if self.open[-1:] == ["style"] else self.texts).append(data)

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def page_of(repo: Repo, *words: str) -> Page:
    """Write the page, check that it has nothing that a page must not have, and return it."""
    target = repo.folder.parent / "page.html"
    told = repo.say("status", *words, "--html", str(target))
    assert told.status == 0, told.err
    text = target.read_text(encoding="utf-8")
    page = Page(text)
    assert not {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "use",
        "image",
    } & set(page.tags)
    assert "://" not in text
    (style,) = page.styles
    assert "@import" not in style
    assert "url(" not in style
    assert "prefers-color-scheme: dark" in style
    assert "default-src 'none'" in text
    ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))  # noqa: S314 - we made it
    return page


def status(repo: Repo, *words: str) -> dict[str, Any]:
    return repo.ok(" ".join(["status", *words]))
