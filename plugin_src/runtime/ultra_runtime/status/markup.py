"""Write HTML in which only our own tags are markup."""

from __future__ import annotations

from ultra_runtime.words import one_line

ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}
LONGEST = 2000


def escaped(text: object, limit: int = LONGEST) -> str:
    """Return text that a browser shows as it is: escaped, on one line, control characters visible."""
    return one_line(str(text), limit).translate(ESCAPES)


def tag(name: str, *inner: str, **attributes: object) -> str:
    """Return an element; `inner` is already markup, attributes are escaped. `class_` writes `class`."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{given}>{''.join(inner)}</{name}>"


def text(name: str, content: object, **attributes: object) -> str:
    """Return an element that contains only text."""
    return tag(name, escaped(content), **attributes)


def table(heads: tuple[str, ...], rows: list[list[str]]) -> str:
    """Return a table; cells are already markup."""
    head = tag("thead", tag("tr", *(text("th", one, scope="col") for one in heads)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) + "\n" for row in rows))
    return tag("div", tag("table", head, body), class_="wide")
