"""Find the architecture notes of another plugin; the overview is read up to its first heading only."""

from __future__ import annotations

import os
import stat

from ultra_runtime.contract.result import Report, Result
from ultra_runtime.files.root import names_in
from ultra_runtime.typed import Iterator
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Contract

FOLDER = "architecture"
FURTHEST = 64 * 1024
FENCES = ("```", "~~~")
FRONT_MATTER = "---"
OPTIONAL = "optional"


def discover(contract: Contract, path: str) -> Result:
    """Search a project directory, or the folder itself; this never fails."""
    folder = _folder(path)
    report = Report(contract, folder)
    there = _files(folder)
    known = [(name, role) for name, role in contract.files.items() if name in there]
    overview = next((name for name, role in known if role != OPTIONAL), "")
    gaps = next((name for name, role in known if role == OPTIONAL), "")
    if overview and contract.files[overview] == "tolerated":
        report.add("NON_CANONICAL_OVERVIEW", f"the overview is called {overview}")
    loose = [name for name in there if name.endswith(".md") and name not in contract.files]
    if loose:
        more = f" and {len(loose) - 5} more" if len(loose) > 5 else ""
        report.add("LOOSE_FILES", f"no command reads {one_line(', '.join(loose[:5]), 300)}{more}")
    return report.result(
        {
            "found": bool(overview),
            "overview": os.path.join(folder, overview) if overview else None,
            "title": first_heading(os.path.join(folder, overview)) if overview else None,
            "gaps": os.path.join(folder, gaps) if gaps else None,
            "loose": loose,
        }
    )


def _folder(path: str) -> str:
    inside = os.path.join(path, FOLDER)
    if not is_folder(inside):
        if is_folder(path) and os.path.basename(os.path.abspath(path)) == FOLDER:
            return path
        above = os.path.dirname(path)
        if not is_folder(path) and os.path.basename(above) == FOLDER:
            return above
    return inside


def is_folder(path: str) -> bool:
    """Tell whether the path is a folder; false for a name that no path can have."""
    try:
        return os.path.isdir(path)
    except ValueError:  # a path with a NUL
        return False


def _files(folder: str) -> list[str]:
    """Return the names of its readable files, sorted."""
    return [name for name in names_in(folder) if _is_readable(os.path.join(folder, name))]


def _is_readable(path: str) -> bool:
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)
    except OSError:
        return False


def first_heading(path: str) -> str | None:
    """Return the text of the first heading of level 1, or nothing when it is not near the top."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _heading(_lines(descriptor))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _heading(lines: Iterator[str]) -> str | None:
    above, fence = "", ""
    for number, line in enumerate(lines):
        text, inside = line.strip(), fence
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0]) else fence
        elif number == 0 and text == FRONT_MATTER:
            fence = FRONT_MATTER
        elif text.startswith(FENCES):
            fence = text[:3]
        elif text.startswith("#") and text[1:2] in ("", " ", "\t"):
            return one_line(text[1:].strip().rstrip("#").strip(), 200)
        elif text and above and not text.strip("="):
            return one_line(above, 200)
        above = "" if inside or fence else text
    return None


def _lines(descriptor: int) -> Iterator[str]:
    """Yield lines without reading a byte of the next one, so that a pipe keeps the rest."""
    line = bytearray()
    for _ in range(FURTHEST):
        try:
            byte = os.read(descriptor, 1)
        except BlockingIOError:  # an empty pipe
            byte = b""
        if byte in (b"\n", b""):
            yield line.decode("utf-8", "replace").lstrip("\ufeff")
            if not byte:
                return
            line.clear()
        else:
            line += byte
    yield line.decode("utf-8", "replace")
