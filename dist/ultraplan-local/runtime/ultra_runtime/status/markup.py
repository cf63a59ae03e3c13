"""Write HTML of which nothing but our own tags is markup."""

from __future__ import annotations

from ultra_runtime.words import one_line

ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}
LONGEST = 2000


def escaped(text: object, limit: int = LONGEST) -> str:
    """Return any text so that a browser shows it and nothing else: control characters as escapes, on one line."""
    return one_line(str(text), limit).translate(ESCAPES)


def tag(name: str, *inner: str, **attributes: object) -> str:
    """Return an element; `inner` is markup already, attributes are not. `class_` writes `class`."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{given}>{''.join(inner)}</{name}>"


def text(name: str, content: object, **attributes: object) -> str:
    """Return an element that holds nothing but text."""
    return tag(name, escaped(content), **attributes)


def table(heads: tuple[str, ...], rows: list[list[str]]) -> str:
    """Return a table; cells are markup already."""
    head = tag("thead", tag("tr", *(text("th", one, scope="col") for one in heads)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) + "\n" for row in rows))
    return tag("div", tag("table", head, body), class_="wide")
