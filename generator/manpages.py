"""Write the manual pages of our programs from their own help, so that they cannot disagree."""

from __future__ import annotations

import argparse
import json
import re
import runpy
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from ultra_plugin import __version__
from ultra_plugin.cli.program import group
from ultra_plugin.install.main import parser

SUITE = "ultra-suite"
STATUSES = {
    "0": "done or answered",
    "1": "refused, failed or not valid",
    "2": "wrong usage",
    "3": "an unexpected error (logged)",
    "130": "interrupted",
}
Section = tuple[str, Iterable[tuple[str, str]]]


def write_pages(bundles: Path, out: Path) -> list[Path]:
    """Write one page per program: the installer, the generator and the launcher of each built bundle."""
    pages = {"ultra-install": _installer(), "ultra-plugin": _generator()}
    for listing in sorted(bundles.glob("*/bundle.json")):
        pages |= _launchers(listing.parent)
    written = []
    for name, text in sorted(pages.items()):
        path = out / f"{name}.1"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _installer() -> str:
    made = parser()
    options = [
        (", ".join(action.option_strings) or str(action.metavar), _help(action)) for action in made._actions
    ]
    return _page("ultra-install", str(made.description), ["[OPTIONS] [PLUGIN ...]"], [("OPTIONS", options)])


def _help(action: argparse.Action) -> str:
    return str(action.help or "").replace("%(prog)s", "ultra-install")


def _generator() -> str:
    commands = []
    for name, command in _leaves(group, ()):
        context = click.Context(command, info_name=name)
        usage = " ".join(command.collect_usage_pieces(context))
        commands.append((f"ultra-plugin {name} {usage}", command.help or ""))
    return _page("ultra-plugin", group.help or "", ["COMMAND ..."], [("COMMANDS", commands)])


def _leaves(command: click.Command, words: Sequence[str]) -> Iterable[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in sorted(command.list_commands(context)):
            if one := command.get_command(context, name):
                yield from _leaves(one, (*words, name))
    else:
        yield " ".join(words), command


def _launchers(bundle: Path) -> dict[str, str]:
    """Return the page of the program of a bundle, if it has one with verbs."""
    tables = bundle / "runtime/ultra_runtime/tables/help.py"
    programs = sorted(bundle.glob("bin/*"))
    if not tables.is_file() or len(programs) != 1:
        return {}
    name = programs[0].name
    verbs: Mapping[str, tuple[str, str, str]] = runpy.run_path(str(tables))["VERBS"]
    manifest = json.loads((bundle / ".claude-plugin/plugin.json").read_text())
    what = f"The program of the Claude Code plugin {manifest['name']}: {manifest['description']}"
    rows = {one: (f"{name} {usage}", summary) for one, (usage, summary, _) in verbs.items()}
    people = [rows[one] for one, (_, _, use) in verbs.items() if use in ("look", "act")]
    others = [rows[one] for one, (_, _, use) in verbs.items() if use not in ("look", "act")]
    sections: list[Section] = [("VERBS FOR PEOPLE", people), ("VERBS FOR PROMPTS", others)]
    return {name: _page(name, what, ["VERB ..."], sections)}


def _page(name: str, description: str, usages: Sequence[str], sections: Iterable[Section]) -> str:
    first = " ".join(description.split())
    lines = [f'.TH "{name.upper()}" "1" "" "{SUITE} {__version__}"', ".SH NAME"]
    lines += [_text(f"{name} - {first.partition('. ')[0].rstrip('.')}"), ".SH SYNOPSIS"]
    for usage in usages:
        lines += [f".B {name}", _text(usage)]
    lines += [".SH DESCRIPTION", _text(first)]
    for title, rows in (*sections, ("EXIT STATUS", STATUSES.items())):
        lines += [f".SH {title}"]
        for head, said in rows:
            lines += [".TP", f".B {_text(head)}", _text(" ".join(said.split()))]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Return text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)
