"""Check references in Markdown: files, commands and agents of this plugin, and machine-specific paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath
from urllib.parse import unquote

from ultra_plugin.check.client import BUILT_IN_COMMANDS
from ultra_plugin.check.codes import quote, suggest, warning
from ultra_plugin.check.components import Component
from ultra_plugin.check.servers import declared_servers
from ultra_plugin.check.subject import Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_WORTH_A_LOOK = re.compile(r"```|~~~|[/:\]$\\]")
"""What every line with a fence, a reference or a path has."""
_CODE = re.compile(r"`[^`]*`")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
"""Code and quotations, whose links are examples."""
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
_LINK_LINE = re.compile(r" {0,3}\[[^\]]{1,200}\]:\s*(\S+)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ROOT_PATH = re.compile(r"\$\{CLAUDE_(PLUGIN_ROOT|SKILL_DIR)\}[\"']?/([\w./@%+-]*)([*?<{$\[]?)")
_PROBE = re.compile(
    r"2>\s*/dev/null|\[\[? -[a-z] |\btest -[a-z] |\bif .*\bexists?\b|\bif present\b", re.IGNORECASE
)
"""A line that asks whether a file is there."""
_BARE_ROOT = re.compile(r"(?<!\(`)(\$CLAUDE_PLUGIN_(?:ROOT|DATA))\b[\"']?/")
_ABOUT_VARIABLES = re.compile(r"\benvironment\b|\bis set\b|\bis unset\b|\bexport\b", re.IGNORECASE)
"""A line about a variable of a shell that may be there."""
_BARE_COMMAND = re.compile(r"(?<![\w./:~\-\\<>@})*&=%|\]])/([A-Za-z][\w-]*)(?![\w/:*<{|=&?~-]|\.\w)")
_ROUTE = re.compile(
    r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b|https?:|localhost|\b(?:route|path|endpoint|URL)s?\b"
)
"""A line about a web server, whose addresses look like commands."""
_FORMER = re.compile(
    r"\b(?:moved|renamed|removed|deleted|dropped|deprecated|retired|obsolete|legacy|gone|formerly|previously|replaced"
    r"|replaces|superseded|instead of|no longer|there is no|do not|don't|never|must not|deferred|future|planned|roadmap"
    r"|proposed|not yet|coming soon|not shipped|unshipped)\b",
    re.IGNORECASE,
)
"""A line about a name that is not there on purpose."""
_ABSOLUTE = re.compile(
    r"(?<![\w./\\$}*-])(?:(?:/home|/Users)/|[A-Z]:\\{1,2}Users\\{1,2})(\w[\w.-]*)(?:/(?!\.\.\.)|\\|$)",
    re.MULTILINE,
)
_ANYBODY = frozenset({
    "user", "username", "name", "you", "me", "yourname", "your-name", "your-username", "youruser", "myuser", "dev",
    "developer", "alice", "bob", "john", "jane", "foo", "runner", "node", "ubuntu", "vscode", "core", "claude", "astro",
    "app", "agent", "coder", "git", "codespace", "admin", "root", "test", "testuser", "example", "shared", "public",
    "firstname.lastname", "myname", "person", "alex", "sam", "tom", "dave", "mary", "max", "joe", "carol", "user1", "victim", "attacker", "xxx", "...", "someone", "jovyan", "airflow", "sandbox", "linuxbrew",
})  # fmt: skip
"""Home folders of examples, containers and services."""
_SAMPLE_LINE = re.compile(r"\be\.g\.|\bexample\b|\bsuch as\b|\*\*problem|→|(?<!-)[-=]>", re.IGNORECASE)
_SCRIPT_ENDS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".json")
_RUN_FENCES = frozenset({"", "bash", "sh", "shell", "zsh", "console"})
"""Languages of code that a model is told to run; code in others is mostly an example."""
_EXAMPLE = re.compile(
    r"path/to|\burl\b|^link$|example|your[-_]|placeholder|\.\.\.|[\"',|*$\\]"
    r"|(?:^|/)(?:file-?name|helper|script|name)\.\w+$|\bslug\b|^path\b",
    re.IGNORECASE,
)
_FILE_LIKE = re.compile(r"(?:[\w@%+~-][\w.@%+~ -]*|\.{1,2})(?:/[\w.@%+~ -]+)*/?\Z")
_FILE_END = re.compile(r"/\Z|\.[a-zA-Z][\w]{0,9}\Z")
_HOST = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|co|gov|edu)(?:/|\Z)")
_NAME = re.compile(r"\bname\s*:\s*[\"'`]([\w-]+)[\"'`]")
_BUILT = re.compile(r"(?:^|/)(?:target|dist|build|node_modules|out|\.venv)/")
_TEST = re.compile(r"(?:^|/)tests?[/_]|[._]test\.|\.spec\.")
_ABOUT_PLUGINS = re.compile(r"\b(?:plugin|hooks)\.json\b")
"""A text about writing plugins, whose paths are examples."""
_PLACEHOLDER = re.compile(
    r"(?:skill|command|agent|plugin|workflow|reviewer|my|your|some|the|other|example)(?:[-_]?(?:name|command|skill|agent|one|x))?"
    r"|(?:.*[-_])?name|[xyz]|foo|bar|baz|latest|main|dev|stable|v?\d.*|.*example.*"
)
"""What a text says in place of a name, and the tags of container images."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that a text may call, and the pattern of such calls."""

    plugin: str
    calls: re.Pattern[str]
    commands: frozenset[str]
    bare: frozenset[str]
    both: frozenset[str]
    """Agents and commands."""
    others: frozenset[str]
    """Workflows and servers, which are neither."""


def check_references(subject: Subject) -> Iterator[Problem]:
    """Find unresolved references in what the client or a reader of the plugin reads."""
    mention = re.compile(
        rf"(?<![\w./:@$#-])(/?){re.escape(subject.name)}:([A-Za-z0-9][\w:.-]*)(?![\w:.*<{{(=-])"
    )
    loaded = (item for item in subject.components if item.kind == "agent" and item.is_loaded)
    agents = subject.names("agent") | {_stem(item) for item in loaded}
    commands = subject.names("command", "skill")
    names = _Names(subject.name, mention, commands, subject.bare_names(), agents | commands, _others(subject))
    components = {item.path: item for item in subject.components}
    for file in subject.files.values():
        if file.symlink:
            continue
        path = file.path
        if path.lower().endswith(".md"):
            is_read = path in components and subject.is_plugin
            if is_read or path == "README.md" or file.sources or _is_case(path):
                yield from _markdown(subject, file, components.get(path), names)
        elif (
            subject.is_plugin
            and path.startswith(_OWN_SCRIPTS)
            and not _TEST.search(path)
            and path.lower().endswith(_SCRIPT_ENDS)
        ):
            yield from _absolute_paths(file)
        elif path.lower().endswith((".yaml", ".yml")) and (file.sources or _is_case(path)):
            for number, line in enumerate(file.text.split("\n"), 1):
                yield from _calls(path, number, line, names)


def _is_case(path: str) -> bool:
    """Say whether a file tells the client what to do in a case of `claude plugin eval`."""
    return path.startswith("evals/") and path.endswith(("/prompt.md", "/case.yaml"))


_OWN_SCRIPTS = ("hooks/", "bin/", "scripts/", ".claude-plugin/", ".mcp.json")


def _others(subject: Subject) -> frozenset[str]:
    """Return the names of workflows and servers."""
    names = {name for name, _ in declared_servers(subject)}
    for path, file in subject.files.items():
        if path.startswith("workflows/") or "/workflows/" in path:
            names.add(basename(path).partition(".")[0])
            names.update(_NAME.findall(file.text))
    return frozenset(names)


def _stem(component: Component) -> str:
    return component.path.partition("/")[2][:-3].replace("/", ":")


def _absolute_paths(file: BundleFile) -> Iterator[Problem]:
    for match in _ABSOLUTE.finditer(file.text):
        before = file.text[file.text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip()
        if match.group(1).lower() not in _ANYBODY and not before.startswith(("#", "//", "*")):
            line = file.text.count("\n", 0, match.start()) + 1
            yield _absolute(file.path, line, match)
            return


def _absolute(path: str, line: int, match: re.Match[str]) -> Problem:
    return warning(path, line, "absolute-path", f"{quote(match.group())} exists on one machine only")


def _markdown(
    subject: Subject, file: BundleFile, component: Component | None, names: _Names
) -> Iterator[Problem]:
    fence = language = ""
    seen: set[str] = set()
    is_former = is_route = False
    is_about_plugins = not file.sources and bool(_ABOUT_PLUGINS.search(file.text))
    for number, line in enumerate(file.text.split("\n"), 1):
        if line.startswith("#") and not fence:
            is_former, is_route = bool(_FORMER.search(line)), bool(_ROUTE.search(line))
        if not _WORTH_A_LOOK.search(line):
            continue
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence, language = ("", "") if fence else (mark.group(1), mark.group(2).lower())
            continue
        if not fence or language in _RUN_FENCES:
            if (":" in line or "/" in line) and not is_former:
                yield from _calls(file.path, number, line, names)
                if not is_route:
                    yield from _bare_calls(file.path, number, line, names, seen)
            if not is_about_plugins and subject.is_plugin:
                yield from _root_paths(subject, file.path, number, line, component)
        if not fence:
            yield from _links(subject, file.path, number, line)
        if component and not fence and ("/home/" in line or "Users" in line):
            is_sample = bool(_SAMPLE_LINE.search(line) or _ROUTE.search(line))
            for match in _ABSOLUTE.finditer(line):
                if match.group(1).lower() not in _ANYBODY and not is_sample:
                    yield _absolute(file.path, number, match)
        if component and "$" in line and not is_about_plugins:
            yield from _substitutions(component, number, line, fence, language)


def _calls(path: str, number: int, line: str, names: _Names) -> Iterator[Problem]:
    for match in names.calls.finditer(line) if names.plugin in line else ():
        name = match.group(2).rstrip(":.-")
        known = names.commands if match.group(1) else names.both
        if (
            name in known
            or name in names.others
            or match.group(2).endswith("-")
            or "::" in name
            or _PLACEHOLDER.fullmatch(name)
            or _FORMER.search(f"{line[: match.start()]} {line[match.end() :]}")
        ):
            continue
        if match.group(1):
            message = f"unknown command {quote(match.group())}"
            yield warning(path, number, "dangling-command", message, suggest(name, names.commands))
        elif name.partition(":")[0] not in known:
            remedy = suggest(name, names.both)
            if _is_named(line, match, any("_" in one for one in known), bool(remedy)):
                message = f"unknown agent or command {quote(match.group())}"
                yield warning(path, number, "dangling-agent", message, remedy)


def _is_named(line: str, match: re.Match[str], has_underscores: bool, is_close: bool) -> bool:
    """Say whether a word with a colon is meant as a name: alone, and near a known name or a word for components."""
    before, after = line[: match.start()], line[match.end() :]
    if "<!--" in before:
        return False  # the mark of a section
    is_alone = before[-1:] in _AROUND and after[:1] in (*_AROUND, ".", ",") and "docker" not in line.lower()
    if match.group().partition(":")[0] in _SCHEMES or ("_" in match.group(2) and not has_underscores):
        return False  # a module such as bun:test, or a tool of a server
    is_meant = is_close or bool(_COMPONENT.search(f"{before[-50:]} {after[:30]}"))
    is_alone = is_alone and is_meant and "." not in match.group(2).rstrip(".")
    return bool(re.fullmatch(r"[a-z][\w:.-]*", match.group(2))) and (is_alone or "subagent_type" in before)


_COMPONENT = re.compile(
    r"agent|skill|command|invok|dispatch|spawn|delegat|launch|task|\b(?:use|run|call|start|type|via|let|ask|have)\b",
    re.IGNORECASE,
)
"""What a text says near the name of a component."""
_SCHEMES = frozenset({"bun", "node", "npm", "deno", "jsr", "http", "https", "file", "data"})
_AROUND = ("`", '"', "'", "*", " ", "(", ")", "")


def _bare_calls(path: str, number: int, line: str, names: _Names, seen: set[str]) -> Iterator[Problem]:
    """Find commands without the plugin's prefix, each once in a file."""
    for match in _BARE_COMMAND.finditer(line):
        name = match.group(1)
        is_known = name not in names.commands or name in names.bare or name in BUILT_IN_COMMANDS
        if is_known or name in seen or _ROUTE.search(line):
            continue
        seen.add(name)
        message = f"{quote(match.group())} is unknown without the plugin's prefix"
        yield warning(path, number, "bare-command", message, f"write {quote(f'/{names.plugin}:{name}')}")


def _root_paths(
    subject: Subject, path: str, number: int, line: str, component: Component | None
) -> Iterator[Problem]:
    for match in _ROOT_PATH.finditer(line) if "${CLAUDE_" in line else ():
        base, inner, pattern = match.groups()
        if base == "SKILL_DIR":
            if component is None or component.kind != "skill":
                continue
            inner = join(dirname(component.path), inner)
        target = inner.rpartition("/")[0] if pattern else inner.rstrip(".")
        if target == ".." or _PROBE.search(line):
            continue
        if target and not subject.has(target) and not _BUILT.search(target) and not _EXAMPLE.search(target):
            yield warning(path, number, "dangling-file", f"{quote(target)} does not exist in the plugin")


def _links(subject: Subject, path: str, number: int, line: str) -> Iterator[Problem]:
    if "]" not in line:
        return
    targets = [match.group(1) for match in _LINK.finditer(_QUOTED.sub("", line))]
    if match := _LINK_LINE.match(line):
        targets.append(match.group(1))
    for link in targets:
        target = unquote(re.split(r"[#?]", link, maxsplit=1)[0])
        if not _is_path(target):
            continue
        inner = normpath(join(dirname(path), target))
        if inner.startswith(".."):
            if path != "README.md":  # which people read in the repository
                message = f"the link {quote(link)} points outside the plugin"
                yield warning(path, number, "dangling-file", message)
        elif not subject.has(inner) and not subject.has(target):
            yield warning(path, number, "dangling-file", f"the link {quote(link)} does not exist")


def _is_path(target: str) -> bool:
    """Say whether the target of a link is meant to be a file here."""
    if not target or _SCHEME.match(target) or _EXAMPLE.search(target) or _HOST.match(target):
        return False
    return bool(_FILE_LIKE.match(target) and _FILE_END.search(target) and not target.startswith("~"))


def _substitutions(
    component: Component, number: int, line: str, fence: str, language: str
) -> Iterator[Problem]:
    """Find placeholders that the client does not replace in this kind of text."""
    path = component.path
    if line.lstrip().startswith("<!--"):
        return
    if fence and language not in _RUN_FENCES:
        return
    if (match := _BARE_ROOT.search(line)) and not _ABOUT_VARIABLES.search(line):
        message = f"{quote(match.group(1))} is not replaced without braces"
        yield warning(path, number, "root-without-braces", message)
    if component.kind != "skill" and "${CLAUDE_SKILL_DIR}" in line:
        yield warning(path, number, "not-substituted", "'${CLAUDE_SKILL_DIR}' is replaced in skills only")
    if component.kind == "agent" and not fence and "$ARGUMENTS" in _CODE.sub("", line) and "$1" not in line:
        yield warning(path, number, "not-substituted", "'$ARGUMENTS' is not replaced in agents")
