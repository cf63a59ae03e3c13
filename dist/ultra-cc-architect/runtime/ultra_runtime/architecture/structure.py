"""Read the table of components, and derive the diagram from it."""

from __future__ import annotations

from ultra_runtime.architecture.citations import NEW
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import overview_fields
from ultra_runtime.text.markdown import Document, TextBlock, TextSection
from ultra_runtime.typed import Iterator, Sequence

COLUMNS = ("Component", overview_fields.OPTIONS_FILES, "Does", "Uses")
DIAGRAM = "mermaid"
NOTHING = ("", "-", "\u2013", "\u2014")


class NamedFile(Struct):
    """A file or folder in backticks, and whether it does not exist yet."""

    path: str
    new: bool


class Component(Struct):
    """One row: its name, the files it is made of, and the components that it uses."""

    line: int
    name: str
    files: list[NamedFile]
    uses: list[str]

    def has(self, path: str) -> bool:
        """Tell whether a file belongs to the component: by its own name or by a folder that ends in a slash."""
        return any(
            path == one.path or (one.path.endswith("/") and path.startswith(one.path)) for one in self.files
        )


def components_of(document: Document, section: TextSection) -> list[Component]:
    """Return the rows of the table of components; none when the section has no such table."""
    rows = list(_rows(document, section))
    heads = [at for at, (_, cells) in enumerate(rows) if tuple(cells) == COLUMNS]
    found = []
    for line, cells in rows[heads[0] + 1 :] if heads else ():
        if len(cells) == len(COLUMNS) and not set("".join(cells)) <= set("-: "):
            name, files, _, uses = cells
            names = [one.strip(" `") for one in uses.split(",")]
            found.append(
                Component(
                    line, name.strip("`* "), files_in(files), [one for one in names if one not in NOTHING]
                )
            )
    return found


def _rows(document: Document, section: TextSection) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(document.body(section), section.line + 1):
        if line.strip().startswith("|"):
            yield number, [cell.strip() for cell in line.strip().strip("|").split("|")]


def files_in(text: str) -> list[NamedFile]:
    """Return the files that a text names in backticks."""
    pieces = text.split("`")
    return [
        NamedFile(pieces[at].strip(), pieces[at + 1].lstrip().startswith(NEW))
        for at in range(1, len(pieces) - 1, 2)
        if pieces[at].strip()
    ]


def diagram(components: Sequence[Component]) -> list[str]:
    """Return the lines of the diagram: a box for each component, an arrow for each use."""
    ids = {one.name: f"c{number}" for number, one in enumerate(components, 1)}
    boxes = [f'    {ids[one.name]}["{_label(one.name)}"]' for one in components]
    arrows = [
        f"    {ids[one.name]} --> {ids[used]}" for one in components for used in one.uses if used in ids
    ]
    return ["flowchart LR", *boxes, *arrows]


def _label(name: str) -> str:
    return name.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def diagrams_in(section: TextSection) -> list[TextBlock]:
    """Return the diagrams of a section."""
    return [block for block in section.blocks if block.language == DIAGRAM]
