"""Where an artifact that a model writes belongs, and where none may be written."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.forms import FORMS, is_number, is_slug
from ultra_runtime.contract.stages import DRAFT, file_of, gaps_of
from ultra_runtime.files.project import Project, find_project, subfolder
from ultra_runtime.files.root import current_folder, find_root, seen_from
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

DRAFTED = ("brief", "plan")
"""Artifacts whose gate makes a draft the artifact."""
NUMBERS = {"topic": "{:02}", "session": "{}"}
SLUG = "slug"
WITHOUT_PROJECT = ("plans", "research")
SUFFIX = ".md"


class ArtifactPlace:
    """Where an artifact goes: its path, the folder whose writers wait for each other, the path as it is told."""

    __slots__ = ("folder", "guarded", "name", "project", "shown")

    def __init__(self, folder: str, name: str, shown: str, project: Project | None = None) -> None:
        self.folder = folder
        self.name = name
        self.shown = shown
        self.project = project
        self.guarded = project.folder if project else folder

    @property
    def path(self) -> str:
        return os.path.join(self.folder, self.name)


def find_place(kind: str, args: Args) -> ArtifactPlace:
    """Return the place that the words of a call name."""
    out, directory = args.get("--out"), args.get("--project")
    pattern = file_of(kind)
    taken = [f"--{gap}" for gap in gaps_of(pattern)] + (["--draft"] if kind in DRAFTED else [])
    for option in ("--draft", *(f"--{gap}" for gap in (*NUMBERS, SLUG))):
        if args.flag(option) if option in args.flags else args.get(option):
            if option not in taken:
                raise args.usage.error(f"{option} does not go with {kind}")
            if out is not None:
                raise args.usage.error(f"{option} does not go with --out")
    if out is not None:
        return _by_name(out)
    if directory is None:
        raise args.usage.error("--project DIR or --out FILE is missing")
    for gap in gaps_of(pattern):
        if gap in NUMBERS:
            pattern = pattern.replace(f"{{{gap}}}", NUMBERS[gap].format(number(args, f"--{gap}", 1)))
    folder, _, name = pattern.rpartition("/")
    slug = _slug(args)
    project = find_project(directory)
    if SLUG in gaps_of(name):
        name = _with_slug(project, folder, name, slug, args)
    name += DRAFT if args.flag("--draft") else ""
    if not folder:
        return ArtifactPlace(project.folder, name, project.show(name), project)
    return ArtifactPlace(subfolder(project, folder), name, project.show(folder, name), project)


def number(args: Args, option: str, least: int) -> int:
    """Return the value of an option that has to be there and a number."""
    given = args.get(option)
    if given is None:
        raise args.usage.error(f"{option} N is missing")
    if not is_number(given) or int(given) < least:
        raise args.usage.error(f"{option} is {one_line(given)}, not a number from {least} on")
    return int(given)


def _slug(args: Args) -> str | None:
    slug = args.get(f"--{SLUG}")
    if slug is not None and not is_slug(slug):
        raise args.usage.error(f"--slug is {one_line(slug)}: {FORMS['slug'][1]} is needed")
    return slug


def _with_slug(project: Project, folder: str, pattern: str, slug: str | None, args: Args) -> str:
    """Return the file's name; what comes before the slug names one file, whatever its slug is."""
    start, end = pattern.split(f"{{{SLUG}}}")
    there = [
        name for name in _names(subfolder(project, folder)) if name.startswith(start) and name.endswith(end)
    ]
    if slug is None:
        if len(there) != 1 or not start:
            raise args.usage.error("--slug S is missing")
        return there[0]
    name = f"{start}{slug}{end}"
    if start and there and name not in there:
        error = f"{start.rstrip('-')} is there already: {project.show(folder, there[0])}"
        raise RefusedError(error, f"replace that one with --slug {there[0][len(start) : -len(end)]}")
    return name


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _by_name(given: str) -> ArtifactPlace:
    """Return a place without a project: a Markdown file of the repository that nothing but a reader uses."""
    here = current_folder()
    root = os.path.realpath(find_root(here) or here)
    hint = "name a Markdown file in a folder of the repository, or use --project DIR"
    parent, name = os.path.split(os.path.join(here, given))
    if "\0" in given or not name.endswith(SUFFIX) or name == SUFFIX:
        raise RefusedError(f"{one_line(given)} does not end in {SUFFIX}", hint)
    folder = os.path.realpath(parent)
    if os.path.commonpath([root, folder]) != root:
        raise RefusedError(f"{one_line(given)} is outside the repository {one_line(root)}", hint)
    parts = [part.casefold() for part in os.path.relpath(folder, root).split(os.sep)]
    if ".git" in parts:
        raise RefusedError(f"{one_line(given)} is in a git directory", hint)
    if ".claude" in parts and parts[parts.index(".claude") + 1 :][:1] not in [
        [one] for one in WITHOUT_PROJECT
    ]:
        error = (
            f"{one_line(given)} is in .claude, where only {listed(WITHOUT_PROJECT)} can be written by name"
        )
        raise RefusedError(error, hint)
    if ".claude" in parts:
        os.makedirs(folder, exist_ok=True)  # nobody else gets to make one there in a headless session
    if not os.path.isdir(folder):
        raise RefusedError(f"the folder {one_line(seen_from(root, folder))} does not exist", "make it first")
    return ArtifactPlace(folder, name, seen_from(root, os.path.join(folder, name)))
