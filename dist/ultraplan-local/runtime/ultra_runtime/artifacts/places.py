"""Where an artifact that a model writes belongs, and where it must not be written."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.forms import FORMS, is_number, is_slug
from ultra_runtime.contract.stages import DRAFT, file_of, gaps_of
from ultra_runtime.files.project import Project, find_project, subfolder
from ultra_runtime.files.root import current_folder, names_in, seen_from, working_root
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields, plan_fields
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

DRAFTED = (brief_fields.KIND, plan_fields.KIND)
"""Artifacts that start as a draft and pass a gate."""
NUMBERS = {"topic": "{:02}", "session": "{}"}
SLUG = "slug"
WITHOUT_PROJECT = ("plans", "research")
SUFFIX = ".md"


class ArtifactPlace(Struct):
    """Where an artifact goes: its folder and name, and the path to show."""

    folder: str
    name: str
    shown: str
    project: Project | None = None

    @property
    def path(self) -> str:
        """The path of the artifact."""
        return os.path.join(self.folder, self.name)

    @property
    def guarded(self) -> str:
        """The folder that writers lock."""
        return self.project.folder if self.project else self.folder


def find_place(kind: str, args: Args) -> ArtifactPlace:
    """Return the place that the arguments name."""
    out, directory = args.get("--out"), args.get("--project")
    pattern = file_of(kind)
    taken = [f"--{gap}" for gap in gaps_of(pattern)] + (["--draft"] if kind in DRAFTED else [])
    for option in ("--draft", *(f"--{gap}" for gap in (*NUMBERS, SLUG))):
        if args.flag(option) if option in args.flags else args.get(option):
            if option not in taken:
                raise args.usage.error(f"{option} cannot be used with {kind}")
            if out is not None:
                raise args.usage.error(f"{option} and --out cannot be used together")
    if out is not None:
        return _by_name(out)
    if directory is None:
        raise args.usage.error("missing --project DIR or --out FILE")
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
    """Return the value of a required option as a number."""
    given = args.get(option)
    if given is None:
        raise args.usage.error(f"missing {option} N")
    if not is_number(given) or int(given) < least:
        raise args.usage.error(f"{option} must be a number, {least} or more, not {one_line(given)}")
    return int(given)


def _slug(args: Args) -> str | None:
    slug = args.get("--slug")
    if slug is not None and not is_slug(slug):
        raise args.usage.error(f"--slug must be {FORMS['slug'][1]}, not {one_line(slug)}")
    return slug


def _with_slug(project: Project, folder: str, pattern: str, slug: str | None, args: Args) -> str:
    """Return the file name; the part before the slug names one file, whatever its slug is."""
    start, end = pattern.split(f"{{{SLUG}}}")
    names = names_in(subfolder(project, folder))
    there = [name for name in names if name.startswith(start) and name.endswith(end)]
    if slug is None:
        if len(there) != 1 or not start:
            raise args.usage.error("missing --slug S")
        return there[0]
    name = f"{start}{slug}{end}"
    if start and there and name not in there:
        error = f"{start.rstrip('-')} already exists: {project.show(folder, there[0])}"
        raise RefusedError(error, f"replace that one with --slug {there[0][len(start) : -len(end)]}")
    return name


def _by_name(given: str) -> ArtifactPlace:
    """Return a place outside any project: a Markdown file of the repository that only people read."""
    here, root = current_folder(), os.path.realpath(working_root())
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
        error = f"{one_line(given)} is in .claude, where --out can only write to {listed(WITHOUT_PROJECT)}"
        raise RefusedError(error, hint)
    if ".claude" in parts:
        os.makedirs(folder, exist_ok=True)  # a headless session cannot create folders there
    if not os.path.isdir(folder):
        error = f"the folder {one_line(seen_from(root, folder))} does not exist"
        raise RefusedError(error, "create it first")
    return ArtifactPlace(folder, name, seen_from(root, os.path.join(folder, name)))
