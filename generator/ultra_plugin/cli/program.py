"""The subcommands, and the place where every error becomes a sentence and a status."""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from ultra_plugin import __version__
from ultra_plugin.cli.options import json_option
from ultra_plugin.errors import Problem, ProblemsFound, UltraError

_REMEDIES = {
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG): "free some space and build again",
    (errno.EACCES, errno.EPERM, errno.EROFS): "change its permissions, or name another place",
    (errno.EEXIST, errno.ENOTDIR, errno.EISDIR): "move away what has this name, or name another place",
    (errno.ENOENT,): "correct the path",
}
"""Errors of the system -> what to do."""
_NAMES = (
    "adopt", "attest", "build", "check", "diff", "explain", "new", "overlay", "schemas", "test", "verify", "watch",
)  # fmt: skip
_READERS = {"check", "diff", "test"}
"""Commands that write nothing into the folders of the user."""


class _Commands(click.Group):
    """The files of this folder that define a command, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names for the help."""
        return list(_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in _NAMES:
            return None
        command: click.Command = getattr(import_module(f"ultra_plugin.cli.{cmd_name}"), f"{cmd_name}_command")
        _answer_in_json(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command for an unknown one."""
        if args and args[0] not in _NAMES and not args[0].startswith("-"):
            from ultra_plugin.document import nearest  # late: a call that is right does not need it

            ctx.fail(f"No such command '{args[0]}' ({nearest(args[0], _NAMES)}).")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="ultra-plugin")
def group() -> None:
    """Render, check and package Claude Code plugins from templates and contracts."""


def _answer_in_json(command: click.Command) -> None:
    """Give --json to every command below this one that only prints lines: one object with these lines."""
    print_lines = command.callback

    def answer(*, as_json: bool, **values: Any) -> Any:
        if not as_json or print_lines is None or isinstance(command, click.Group):
            return print_lines(**values) if print_lines else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = print_lines(**values)
        told = {"ok": not status, "lines": printed.getvalue().splitlines()}
        click.echo(json.dumps(told, ensure_ascii=False))
        return status

    if not any("--json" in one.opts for one in command.params):
        json_option(command)
        command.callback = answer
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _answer_in_json(inner)


_answer_in_json(group)


def run() -> int:
    """Run the command line and return its status."""
    gc.set_threshold(50_000)  # a build keeps nearly all that it makes, so frequent collections find nothing
    try:
        status = group.main(_words(), standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.UsageError as error:
        error.show()
        return _told(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt) as stop:
        said = str(stop.__cause__ or stop)  # click turns an interrupt into Abort
        return _fail(said or "interrupted; nothing was changed", 130)
    except ProblemsFound as error:
        count = len(error.problems)
        end = "" if _READERS.intersection(sys.argv[1:2]) else "; nothing was written"
        return _fail(f"{count} problem{'s' if count > 1 else ''}{end}", problems=error.problems)
    except (UltraError, click.ClickException) as error:
        return _fail(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python prints an error at exit
        return 1
    except OSError as error:
        name = error.filename2 or error.filename  # of a rename, the file that was to be replaced
        place = f"{name}: " if name else ""
        remedy = next((f"; {words}" for codes, words in _REMEDIES.items() if error.errno in codes), "")
        return _fail(f"{place}{error.strerror or error}{remedy}")


def _words() -> list[str]:
    """Return the words of the call, with --json after all others of a subcommand: it may be given anywhere."""
    words, rest = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, rest = words[:at], words[at:]
    return sorted(words, key="--json".__eq__) + rest


def _fail(sentence: str, status: int = 1, problems: Sequence[Problem] = ()) -> int:
    for problem in problems:
        click.echo(str(problem), err=True)
    click.echo(f"ultra-plugin: {sentence}", err=True)
    return _told(sentence, status, problems)


def _told(sentence: str, status: int, problems: Sequence[Problem] = ()) -> int:
    """Also print the error as JSON if the call asks for it, even if the call is wrong in other ways."""
    words = sys.argv[1:]
    if "--json" in (words[: words.index("--")] if "--" in words else words):
        found = [problem.as_dict() for problem in problems]
        click.echo(json.dumps({"ok": False, "error": sentence, "problems": found}, ensure_ascii=False))
    return status
