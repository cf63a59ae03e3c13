"""Every code of the bundle checks, with its meaning and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ultra_plugin.errors import Problem, Severity
from ultra_plugin.similar import closest


class Code(NamedTuple):
    """The meaning of a code, and its default remedy."""

    means: str
    remedy: str


CODES: Mapping[str, Code] = MappingProxyType({
    # plugin.json
    "no-manifest": Code(
        "The folder has no readable .claude-plugin/plugin.json.",
        "write .claude-plugin/plugin.json, with at least a name",
    ),
    "manifest-json": Code("plugin.json does not parse.", "fix the JSON"),
    "manifest-value": Code(
        "A field of plugin.json does not have the shape that the client requires.",
        "fix the value, or remove the key",
    ),
    "unknown-key": Code("The client ignores this key.", "remove it"),
    "duplicate-key": Code("A key is in one object twice.", "remove one of them"),
    "moved-key": Code("The key has moved under 'experimental'.", "move it there"),
    "ignored-value": Code("The client ignores a value of this type.", "write an object"),
    "no-version": Code("The plugin has no version, so the client does not notice updates.", "add a version such as 1.0.0"),
    "no-author": Code("The plugin has no author.", "add an author with a name"),
    "not-semver": Code("The version is not MAJOR.MINOR.PATCH.", "write a version such as 1.0.0"),
    "not-https": Code("An address is not encrypted.", "use https"),
    "path-outside": Code("A path points outside the plugin.", "move the file into the plugin"),
    "path-missing": Code("A path in plugin.json does not exist.", "add the file, or fix the path"),
    "path-kind": Code(
        "A path names a file where a folder is needed, or a folder where a file is needed.",
        "name a file or folder as needed",
    ),
    "hooks-declared-twice": Code(
        "plugin.json names hooks/hooks.json, which is loaded by default.",
        "remove 'hooks' from plugin.json",
    ),
    # names
    "not-kebab-case": Code("A name is not made of lower-case letters, digits and hyphens.", "write it in kebab-case"),
    "reserved-name": Code("A name is reserved for Anthropic or the client.", "choose another name"),
    "bad-name": Code("A name cannot be typed, called or installed.", "use letters, digits and hyphens"),
    "no-name": Code("An agent has no name.", "add 'name', the same as the file's"),
    "name-mismatch": Code("The name in a header is not the one in the path.", "make them the same"),
    "duplicate-name": Code("Two components, or two plugins of a marketplace, have one name.", "rename one of them"),
    "skill-missing": Code("A folder below skills/ has no SKILL.md.", "add SKILL.md, or move the folder elsewhere"),
    "skill-case": Code("SKILL.md has the wrong case and is not found on case-sensitive systems.", "rename it to SKILL.md"),
    "not-a-component": Code("A file in a component folder is not a component.", "move it elsewhere"),
    # headers of commands, agents and skills
    "no-header": Code("A component has no YAML header.", "start the file with '---', a description and '---'"),
    "yaml": Code("The YAML header of a component does not parse.", "quote values that contain punctuation"),
    "yaml-repaired": Code(
        "The YAML header parses only because the client repairs it; other clients ignore all of it.",
        "quote values that contain punctuation",
    ),
    "header-not-a-mapping": Code("The YAML header is a list or a single value.", "write 'key: value' lines"),
    "header-cut": Code("A '---' inside a value ends the header.", "write another dash"),
    "bad-type": Code("A value in a header has a type that the client refuses.", "write text, in quotes if needed"),
    "bad-value": Code("A value in a header is not one of the known values.", "use one of the known values"),
    "ignored-key": Code("A key of an agent that has no effect in a plugin.", "remove it"),
    "no-description": Code("There is no description that says when to use it.", "add a description"),
    "short-description": Code("The description is too short to say when to use it.", "say what it does and when to use it"),
    "long-description": Code("The client's listing cuts the description.", "shorten it"),
    "empty-body": Code("There is no text below the header.", "add the prompt"),
    "unknown-tool": Code("The client has no such tool.", "use a tool that the client has"),
    "malformed-rule": Code("A permission rule matches nothing.", "write Tool or Tool(pattern)"),
    "unknown-model": Code("The client has no such model.", "use inherit, sonnet, opus, haiku, fable or a full model id"),
    "unknown-effort": Code("The client has no such effort.", "use low, medium, high, xhigh, max or an integer"),
    "unknown-color": Code("The client has no such colour.", "use red, blue, green, yellow, purple, orange, pink or cyan"),
    # hooks
    "hooks-json": Code("A hooks file does not parse.", "fix the JSON"),
    "hooks-wrapper": Code("Hooks are outside the 'hooks' object.", 'wrap them: {"hooks": {...}}'),
    "hooks-value": Code("Hooks do not have the shape that the client requires.", "fix the value, or remove the key"),
    "unknown-event": Code(
        "The client has no such hook event; older clients then drop all hooks of the plugin.",
        "use an event that the client has",
    ),
    "unknown-hook-type": Code("The client has no such type of hook.", "use command, prompt, agent, http or mcp_tool"),
    "bad-matcher": Code("A matcher never matches.", "name tools, or write a regular expression"),
    "matcher-ignored": Code("The event takes no matcher.", "remove the matcher"),
    "long-timeout": Code("A time-out of many hours; time-outs are in seconds.", "write seconds"),
    "no-privacy-policy": Code("Data leaves the machine, and no privacy policy is named.", "add privacyPolicyUrl to plugin.json"),
    # programs
    "script-missing": Code(
        "A hook runs a file that does not exist; a missing Python script blocks every call.",
        "add the file, or fix the path",
    ),
    "script-not-executable": Code("A program lacks its executable bit.", "chmod +x"),
    "no-shebang": Code("A program has no '#!' line.", "start it with a line such as '#!/usr/bin/env python3'"),
    "relative-command": Code(
        "The client looks for a relative path in the user's project.",
        "start it with ${CLAUDE_PLUGIN_ROOT}/",
    ),
    "unquoted-root": Code("An unquoted path breaks at a space.", 'use "args", or put it in double quotes'),
    "shell-syntax": Code("A shell command does not parse.", "close the quote"),
    "dangerous-command": Code(
        "A hook, server, monitor or prompt runs a command that the guard refuses, and nobody is asked first.",
        "do it another way, or accept it with a reason",
    ),
    # MCP servers
    "servers-json": Code("A file of MCP servers does not parse.", "fix the JSON"),
    "servers-value": Code("An MCP server does not have the shape that the client requires.", "fix the value, or remove the key"),
    "unknown-option": Code("A server uses an option that userConfig does not declare.", "declare the option"),
    # files
    "symlink": Code("A symlink, which the client may not follow.", "replace it with a copy"),
    "stray-file": Code("A file from the system, an editor or a cache, or one with secrets.", "remove it"),
    "misplaced": Code("A component inside .claude-plugin, where the client does not look.", "move it to the top of the plugin"),
    "not-loaded": Code("A CLAUDE.md, which the client does not load from a plugin.", "make it a skill"),
    "unportable-path": Code("A path that some systems do not allow.", "rename it"),
    "case-collision": Code("Two paths differ only in case.", "rename one of them"),
    "oversize": Code("A file is too large.", "make it smaller"),
    "not-utf8": Code("A text file is not UTF-8.", "save it as UTF-8"),
    "bom": Code("A file starts with a byte order mark.", "save it without a byte order mark"),
    "crlf": Code("Windows line ends.", "save it with LF line ends"),
    "hidden-character": Code("An invisible character: zero-width, bidirectional or a tag.", "remove it"),
    "hidden-instruction": Code(
        "A comment, which readers do not see, tells the model to act behind the user's back.",
        "remove it, or say it in the open",
    ),
    "json": Code("A JSON file does not parse.", "fix the JSON"),
    # cases of `claude plugin eval`
    "eval-yaml": Code("A case or grader does not parse.", "quote values that contain punctuation"),
    "eval-value": Code("A case or grader does not have the shape that the client requires.", "fix the value, or remove the key"),
    "eval-key": Code("Cases and graders have no such key.", "remove it"),
    "eval-incomplete": Code("A case has no prompt, or nothing grades it.", "add prompt.md and a grader"),
    "eval-ungranted": Code("A grader expects a tool that the case does not allow.", "add it to allowed_tools"),
    # promises of headers
    "bash-not-allowed": Code(
        "A command in the text of a prompt has no permission; the client then sends nothing to the model.",
        "add a rule such as Bash(git status:*) to allowed-tools",
    ),
    "unreachable": Code("Neither the user nor the model can call it.", "remove user-invocable or disable-model-invocation"),
    "unknown-agent": Code("A header names an agent that does not exist.", "write PLUGIN:AGENT"),
    "unknown-skill": Code("An agent names a skill that does not exist.", "fix the name"),
    "unknown-server": Code("A header names tools of a server that the plugin does not declare.", "declare the server, or fix the name"),
    "tool-conflict": Code("A tool is both allowed and disallowed.", "remove it from one of the lists"),
    "skill-limit": Code("A skill exceeds a limit of the Agent Skills format; other clients refuse it.", "shorten it"),
    # monitors, workflows, language servers, settings, output styles
    "part-value": Code("A part of the plugin does not have the shape that the client requires, and is dropped.", "fix the value"),
    # programs and settings as text
    "script-syntax": Code("A script that a hook runs does not parse.", "fix the syntax"),
    "secret": Code("A file has what looks like a key or a token.", "remove it, and revoke it where it was issued"),
    # comments that accept a problem
    "suppression": Code(
        "A comment accepts a problem without a reason, or a code that no check has.",
        "write 'ultra-check: ignore CODE -- the reason'",
    ),
    "unused-suppression": Code("A comment accepts a problem that is not found there.", "remove the comment"),
    # references
    "dangling-command": Code("A text names an unknown command.", "fix the name"),
    "dangling-agent": Code("A text names an unknown agent.", "fix the name"),
    "dangling-file": Code("A text names a file that does not exist.", "add the file, or fix the path"),
    "bare-command": Code("A command without the plugin's prefix is unknown to the client.", "write the prefix"),
    "absolute-path": Code("A path exists on one machine only.", "make it relative to ${CLAUDE_PLUGIN_ROOT} or the project"),
    "root-without-braces": Code("A variable without braces is not replaced in prompts.", "write ${CLAUDE_PLUGIN_ROOT}"),
    "not-substituted": Code("The client does not replace this placeholder in this kind of text.", "remove it"),
    # what a directory asks for
    "readme-missing": Code("There is no README.md.", "add one"),
    "readme-short": Code("The README is too short for a directory.", "say what the plugin does and how to use it"),
    "readme-no-install": Code(
        "The README does not say how to install the plugin.",
        "add a line such as /plugin install NAME@MARKETPLACE",
    ),
    "license-missing": Code("The plugin has neither a license field nor a LICENSE file.", "add one of them"),
    "icon-missing": Code("There is no icon.", "add .claude-plugin/icon.png"),
    "icon-invalid": Code("The icon is not a PNG.", "save it as PNG"),
    "icon-size": Code("The icon is not a square of 512 to 2048 pixels.", "resize it"),
    # marketplace.json
    "marketplace-json": Code("marketplace.json does not parse.", "fix the JSON"),
    "marketplace-value": Code(
        "A field of marketplace.json does not have the shape that the client requires.",
        "fix the value, or remove the key",
    ),
    "no-plugins": Code("The marketplace offers no plugin.", "add an entry"),
    "source-missing": Code("An entry names a folder without a plugin.", "fix the source"),
    "entry-mismatch": Code("An entry disagrees with the plugin's own manifest, which wins.", "make them the same"),
    "plugin-invalid": Code("The manifest of an offered plugin has errors.", "check that plugin by itself"),
    # sources: rules of this house, which only the profile `strict` enforces
    "unused-fragment": Code("No template includes a fragment.", "include or delete it"),
    "unused-agent": Code("No prompt spawns an agent, so it starts only if the model thinks of it.", "use or delete it"),
    "unused-limit": Code(
        "Nothing uses a limit.", "import it from ultra_runtime.tables.limits, name it in a text, or delete it"
    ),
    "unused-output": Code("No agent uses a form of answer.", "name it in an agent, or delete it"),
    "agent-without-output": Code("An agent has no form of answer, although the suite has some.", "add 'output: NAME' for a file of outputs/"),
    "untested-contract": Code("A contract, or one of its codes, has no fixture.", "add one for each code"),
    "conflict-marker": Code("A merge was not finished, or a text shows the markers of one.", "finish the merge"),
    "spelled-by-hand": Code("A template spells out a word that a contract defines, or the version.", "let the template ask for it"),
    "template-noise": Code("A rendered text still has the braces of a template.", "render it, or put it in a code span"),
    "second-title": Code("A rendered text has two titles.", "write '##'"),
    "heading-level": Code("A heading skips a level.", "write one level below the heading above"),
})  # fmt: skip


FREE_KEYS = "remove it, or put it under 'metadata'"
"""The remedy of an unknown key where the client reads nothing below 'metadata'."""


def problem(severity: Severity, path: str, line: int, code: str, message: str, remedy: str = "") -> Problem:
    """Make a problem whose code is registered."""
    usual = "add it" if code.endswith("-value") and " lacks '" in message else CODES[code].remedy
    return Problem(path, line, code, message, remedy or usual, severity)


def error(path: str, line: int, code: str, message: str, remedy: str = "") -> Problem:
    """Make a problem that is an error for the client."""
    return problem("error", path, line, code, message, remedy)


def warning(path: str, line: int, code: str, message: str, remedy: str = "") -> Problem:
    """Make a problem that the client accepts."""
    return problem("warning", path, line, code, message, remedy)


def quote(text: str) -> str:
    """Show a text of unknown origin in quotes."""
    return f"'{printable(text)}'"


def printable(text: str, longest: int = 80) -> str:
    """Show a text of unknown origin: shortened, on one line, with nothing hidden."""
    cut = text if len(text) <= longest else f"{text[:longest]}..."
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in cut
    )


def suggest(word: str, known: Iterable[str]) -> str:
    """Return a remedy that names the closest known word, or ""."""
    close = closest(word, frozenset(known)) if len(word) <= 60 else ""
    return f"did you mean {quote(close)}?" if close else ""
