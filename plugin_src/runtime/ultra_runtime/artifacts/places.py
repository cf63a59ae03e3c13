"""Where an artifact that a model writes belongs, and where none may be written."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.brief import gate as brief_gate
from ultra_runtime.contract.forms import FORMS, is_number, is_slug
from ultra_runtime.files.project import Project, find_project, subfolder
from ultra_runtime.files.root import current_folder, find_root, seen_from
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

RESEARCH = "research"
SPEC = "session-spec"
FILES = {"brief": brief_gate.BRIEF, "plan": PLAN_FILE, "review": "review.md"}
KINDS = (*FILES, RESEARCH, SPEC)
# Options that only some kinds take, and only in a project.
OPTIONS = {"--topic": (RESEARCH,), "--slug": (RESEARCH,), "--session": (SPEC,), "--draft": ("brief", "plan")}
DRAFT = ".draft"
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
    for option, owners in OPTIONS.items():
        if args.flag(option) if option in args.flags else args.get(option):
            if kind not in owners:
                raise args.usage.error(f"{option} does not go with {kind}")
            if out is not None:
                raise args.usage.error(f"{option} does not go with --out")
    if out is not None:
        return _by_name(out)
    if directory is None:
        raise args.usage.error("--project DIR or --out FILE is missing")
    if kind == RESEARCH:
        return _research(directory, number(args, "--topic", 1), args)
    if kind == SPEC:
        return _inside(find_project(directory), "sessions", f"session-{number(args, '--session', 1)}{SUFFIX}")
    project = find_project(directory)
    name = FILES[kind] + (DRAFT if args.flag("--draft") else "")
    return ArtifactPlace(project.folder, name, project.show(name), project)


def number(args: Args, option: str, least: int) -> int:
    """Return the value of an option that has to be there and a number."""
    given = args.get(option)
    if given is None:
        raise args.usage.error(f"{option} N is missing")
    if not is_number(given) or int(given) < least:
        raise args.usage.error(f"{option} is {one_line(given)}, not a number from {least} on")
    return int(given)


def _inside(project: Project, folder: str, name: str) -> ArtifactPlace:
    return ArtifactPlace(subfolder(project, folder), name, project.show(folder, name), project)


def _research(directory: str, topic: int, args: Args) -> ArtifactPlace:
    """Return the file of a topic, which is one whatever its slug was."""
    slug = args.get("--slug")
    if slug is not None and not is_slug(slug):
        raise args.usage.error(f"--slug is {one_line(slug)}: {FORMS['slug'][1]} is needed")
    project = find_project(directory)
    start = f"{topic:02}-"
    there = [name for name in _names(subfolder(project, RESEARCH)) if name.startswith(start)]
    if slug is None:
        if len(there) != 1:
            raise args.usage.error("--slug S is missing")
        return _inside(project, RESEARCH, there[0])
    name = f"{start}{slug}{SUFFIX}"
    if there and name not in there:
        error = f"topic {topic} is answered by {project.show(RESEARCH, there[0])}"
        raise RefusedError(error, f"replace that one with --slug {there[0][len(start) : -len(SUFFIX)]}")
    return _inside(project, RESEARCH, name)


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
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
