"""Check what the header of a component promises: permissions, other components, who may call it, limits of skills."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from pathlib import Path

from ultra_plugin.check.client import BUILT_IN_AGENTS, HARMLESS_COMMANDS
from ultra_plugin.check.codes import quote, suggest, warning
from ultra_plugin.check.components import Component, without_fences
from ultra_plugin.check.header import Value
from ultra_plugin.check.servers import declared_servers
from ultra_plugin.check.subject import Subject
from ultra_plugin.check.tools import split_rules
from ultra_plugin.errors import Problem
from ultra_plugin.surroundings import offered_skills

_SPAN = re.compile(r"(?:(?<=\s)|^)!`([^`\n]+)`")
_BLOCK = re.compile(r"^```!\s*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_NO_OUTPUT = re.compile(r"\d*>&\d|(?:&|\d*)>\s*/dev/null")
_WRITING = re.compile(
    r"git (?:branch (?:.* )?-[dDmMcC]\b|stash (?!list|show)\w|tag (?!-|$)|config (?!-|get|list)\S+ \S"
    r"|remote (?!-v)\w|worktree (?!list)\w|reflog (?:expire|delete))"
    r"|find .*-(?:delete|exec|execdir|ok|okdir|fprintf?|fprint0|fls)\b|sort .*-o|date (?:-s|--set)"
)
"""Calls of harmless commands that the client refuses, because they write."""
_STREAM_EDIT = re.compile(r"sed (?:(?:-[Enr]+ )*(?:-e )?s/[^/]*/[^/]*/[gip]*|-n \d+(?:,\d+)?p(?: [\w./-]+)?)")
_WRAPPED = re.compile(r"(?:timeout [\d.]+[smhd]?|command(?! -)|builtin|xargs(?: -[0rt])*) (?=\S)")
"""Programs that the client looks behind."""
_KEYWORDS = frozenset({"while", "for", "if", "case", "until", "do", "done", "then", "{", "}", "(", ")", "!"})
_OPTION = re.compile(r"\$\{user_config\.(\w+)\}")
_SERVER = re.compile(r"mcp__plugin_([\w-]+?)__")
_UNSAFE = re.compile(r"[<>$`*?{]")
LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 64, 1024, 500
"""Limits of the Agent Skills format."""
_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


def check_promises(subject: Subject) -> Iterator[Problem]:
    """Find what a header promises but the plugin lacks."""
    servers = {re.sub(r"[^A-Za-z0-9_-]", "_", name) for name, _ in declared_servers(subject)}
    agents = {f"{subject.name}:{name}" for name in subject.names("agent")} | BUILT_IN_AGENTS
    skills = subject.names("skill", "command") | subject.bare_names()
    marketplace = subject.bundle.around.marketplace
    for component in subject.components:
        if component.header.state == "mapping":
            if component.kind != "agent":
                yield from _commands(component)
                yield from _visibility(component)
            yield from _named(subject.name, component, agents, skills, marketplace)
            yield from _conflicts(component)
            yield from _servers(subject, component, servers)
            yield from _limits(component)
        yield from _options(subject, component)


def _rules(value: Value | None) -> list[str]:
    items = (value.items if value.kind == "list" else (value,)) if value else ()
    return [rule for item in items for rule in split_rules(item.text)]


def prompt_commands(component: Component) -> Iterator[tuple[int, str]]:
    """Return the commands that the client runs before it sends a prompt, with their lines."""
    body = component.header.body
    if "!`" not in body and "```!" not in body:
        return
    for match in (*_SPAN.finditer(body), *_BLOCK.finditer(body)):
        yield component.header.body_line + body.count("\n", 0, match.start(1)), match.group(1).strip()


def _commands(component: Component) -> Iterator[Problem]:
    """Find commands in the text that no rule allows: the client then sends nothing to the model."""
    header = component.header
    rules = [rule for rule in _rules(header.values.get("allowed-tools")) if rule.startswith(("Bash", "*"))]
    for line, command in prompt_commands(component):
        refused = next((part for part in _parts(command) if not _is_allowed(part, rules)), None)
        if refused is None and not rules and "$(" in command:
            refused = command
        if refused:
            message = f"no rule of allowed-tools covers {quote(refused)}, so the client stops here"
            yield warning(component.path, line, "bash-not-allowed", message)


def _parts(command: str) -> Iterator[str]:
    """Split a line of simple commands; yield nothing for a program with loops, which only a shell can follow."""
    try:
        lexer = shlex.shlex(
            _NO_OUTPUT.sub(" ", command).replace("\n", " ; "), posix=True, punctuation_chars=";|&"
        )
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return
    if not _KEYWORDS.isdisjoint(words) or any("$(" in word or "`" in word for word in words):
        return
    part: list[str] = []
    for word in (*words, ";"):
        if word and not word.strip(";|&"):
            if part:
                yield " ".join(part)
            part = []
        else:
            part.append(word)


def _is_allowed(part: str, rules: list[str]) -> bool:
    words = _WRAPPED.sub("", part).split()
    is_known = words[0] in HARMLESS_COMMANDS or " ".join(words[:2]) in HARMLESS_COMMANDS
    if (is_known and not _WRITING.match(part)) or _STREAM_EDIT.fullmatch(part):
        return True
    if _UNSAFE.search(words[0]):
        return True  # filled in before it is judged
    for rule in rules:
        inner = rule.partition("(")[2].removesuffix(")").strip()
        if rule == "*" or not inner or inner == "*" or "${" in inner:
            return True
        beginning = re.split(r":?\*", inner, maxsplit=1)[0].strip()
        if part == inner or (inner != beginning and f"{part} ".startswith(f"{beginning} ")):
            return True
        if "*" in inner and not inner.endswith(("*", ":*")) and part.startswith(beginning):
            return True
    return False


def _visibility(component: Component) -> Iterator[Problem]:
    values = component.header.values
    hidden, unasked = values.get("user-invocable"), values.get("disable-model-invocation")
    if hidden and unasked and hidden.text.lower() in _FALSE and unasked.text.lower() in _TRUE:
        message = "neither the user nor the model can call it"
        yield warning(component.path, unasked.line, "unreachable", message)


def _named(
    plugin: str,
    component: Component,
    agents: Collection[str],
    known: Collection[str],
    marketplace: Path | None,
) -> Iterator[Problem]:
    """Find agents and skills that a header names but that do not exist."""
    values, path = component.header.values, component.path
    agent = values.get("agent") if component.kind != "agent" else None
    if agent and agent.text and agent.text not in agents and _may_be_ours(plugin, agent.text):
        message = f"there is no agent {quote(agent.text)}"
        yield warning(path, agent.line, "unknown-agent", message, suggest(agent.text, agents))
    skills = values.get("skills") if component.kind == "agent" else None
    for name in _rules(skills):
        inner = name.removeprefix(f"{plugin}:")
        if skills and inner not in known and _may_be_ours(plugin, name):
            if inner == name and marketplace and name in offered_skills(marketplace):
                continue  # the client finds it where that plugin is installed
            message = f"there is no skill {quote(name)}"
            yield warning(path, skills.line, "unknown-skill", message, suggest(inner, known))


def _may_be_ours(plugin: str, name: str) -> bool:
    """Say whether a name has the plugin's prefix, or none."""
    return ":" not in name or name.startswith(f"{plugin}:")


def _conflicts(component: Component) -> Iterator[Problem]:
    values = component.header.values
    allowed = _rules(values.get("tools" if component.kind == "agent" else "allowed-tools"))
    denied = values.get("disallowedTools") or values.get("disallowed-tools")
    for rule in _rules(denied):
        if denied and rule in allowed:
            message = f"{quote(rule)} is both allowed and disallowed"
            yield warning(component.path, denied.line, "tool-conflict", message)


def _servers(subject: Subject, component: Component, servers: set[str]) -> Iterator[Problem]:
    """Find tools of servers of this plugin that it does not declare."""
    prefix = re.sub(r"[^A-Za-z0-9_-]", "_", subject.name) + "_"
    for key in ("tools", "allowed-tools", "disallowedTools"):
        value = component.header.values.get(key)
        for rule in _rules(value):
            match = _SERVER.match(rule)
            if value and match and match.group(1).startswith(prefix):
                name = match.group(1)[len(prefix) :]
                if name not in servers:
                    message = f"the plugin has no MCP server {quote(name)}"
                    yield warning(
                        component.path, value.line, "unknown-server", message, suggest(name, servers)
                    )


def _options(subject: Subject, component: Component) -> Iterator[Problem]:
    declared = subject.fields.get("userConfig")
    text = component.file.text
    if "user_config." not in text:
        return
    text = without_fences(text)
    for match in _OPTION.finditer(text):
        if match.group(1).isupper():
            continue  # a text about options, such as ${user_config.KEY}
        if not isinstance(declared, dict) or match.group(1) not in declared:
            line = text.count("\n", 0, match.start()) + 1
            message = f"the manifest's userConfig does not declare {quote(match.group(1))}"
            yield warning(component.path, line, "unknown-option", message)


def _limits(component: Component) -> Iterator[Problem]:
    """Find what the Agent Skills format does not allow."""
    if component.kind != "skill":
        return
    values, path = component.header.values, component.path
    name, description = values.get("name"), values.get("description")
    compatibility = values.get("compatibility")
    if name and name.kind == "string" and len(name.text) > LONGEST_NAME:
        yield warning(path, name.line, "skill-limit", f"the name has more than {LONGEST_NAME} characters")
    elif name and name.kind == "string" and not _SKILL_NAME.fullmatch(name.text):
        message = f"the name {quote(name.text)} is not made of lower-case letters, digits and hyphens"
        yield warning(path, name.line, "skill-limit", message)
    if description and len(description.text.strip()) > LONGEST_DESCRIPTION:
        message = f"the description has more than {LONGEST_DESCRIPTION} characters"
        yield warning(path, description.line, "skill-limit", message)
    if compatibility and len(compatibility.text) > LONGEST_COMPATIBILITY:
        message = f"'compatibility' has more than {LONGEST_COMPATIBILITY} characters"
        yield warning(path, compatibility.line, "skill-limit", message)
