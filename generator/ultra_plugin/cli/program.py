"""The subcommands, and the place where every error becomes a sentence and a status."""

from __future__ import annotations

import errno
import gc
import json
import os
import sys
from collections.abc import Sequence

import click

from ultra_plugin import __version__
from ultra_plugin.cli.adopt import adopt_command
from ultra_plugin.cli.attest import attest_command
from ultra_plugin.cli.build import build_command
from ultra_plugin.cli.check import check_command
from ultra_plugin.cli.diff import diff_command
from ultra_plugin.cli.explain import explain_command
from ultra_plugin.cli.new import new_command
from ultra_plugin.cli.overlay import overlay_command
from ultra_plugin.cli.schemas import schemas_command
from ultra_plugin.cli.test import test_command
from ultra_plugin.cli.verify import verify_command
from ultra_plugin.cli.watch import watch_command
from ultra_plugin.errors import Problem, ProblemsFound, UltraError

_REMEDIES = {
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG): "free some space and build again",
    (errno.EACCES, errno.EPERM, errno.EROFS): "change its permissions, or name another place",
    (errno.EEXIST, errno.ENOTDIR, errno.EISDIR): "move away what has this name, or name another place",
    (errno.ENOENT,): "correct the path",
}
"""Errors of the system -> what to do."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="ultra-plugin")
def group() -> None:
    """Render, check and package Claude Code plugins from templates and contracts."""


for command in (
    adopt_command,
    attest_command,
    build_command,
    check_command,
    diff_command,
    explain_command,
    new_command,
    overlay_command,
    schemas_command,
    test_command,
    verify_command,
    watch_command,
):
    group.add_command(command)


def run() -> int:
    """Run the command line and return its status."""
    gc.set_threshold(50_000)  # a build keeps nearly all that it makes, so frequent collections find nothing
    try:
        status = group.main(standalone_mode=False)
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
        return _fail(
            f"{count} problem{'s' if count > 1 else ''}; nothing was written", problems=error.problems
        )
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
