"""The command line of ultra-install, and the place where errors become sentences and statuses."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys

if sys.version_info < (3, 9):  # noqa: UP036 - on an older Python the next lines would fail without a sentence
    sys.exit(
        f"ultra-install: Python 3.9 or newer is required, but {sys.executable} is "
        f"{sys.version_info[0]}.{sys.version_info[1]}; name a newer one: make install PYTHON=..."
    )

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ultra_plugin import __version__
from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import plugin_name

if TYPE_CHECKING:
    from ultra_plugin.install.calls import Report
    from ultra_plugin.install.place import Place
    from ultra_plugin.install.plan import Plan

_WINDOWS = "native Windows is not supported: install WSL (wsl --install), and run Claude Code and ultra-install there"
_EPILOG = """\
files it changes:
  <config>/skills/<plugin>/       the plugin and its receipt; <config> is ~/.claude or $CLAUDE_CONFIG_DIR
  <config>/commands/<name>.md     only with --short-names
  <config>/settings.json          only with --permissions minimal, edited as text: nothing else changes;
                                  settings.json.ultra-backup is a copy of the old file until the rule is removed
  works/, .agent/ of a repository only with --prepare, or if you agree; with --permissions minimal, or if you
                                  agree, also its .claude/settings.local.json; existing entries stay
  with --scope project, <config> is the .claude folder of the current repository

examples:
  ultra-install                             install the plugins in this package; shows a plan and asks
  ultra-install --yes --short-names         the same without asking, with /ultrabrief-local and the others
  ultra-install --upgrade --from x.zip      install another version; files that you edited are kept next to the new ones
  ultra-install --verify                    exit 1 if anything differs from what was installed
  ultra-install --uninstall                 remove exactly what was installed

exit status: 0 done, 1 refused, failed or different from what was installed, 2 wrong usage, 130 interrupted
"""
_ACTIONS = {
    "--upgrade": "upgrade an installed plugin; do not install a new one",
    "--uninstall": "remove what was installed; your changes stay",
    "--status": "show what is installed and what was changed",
    "--verify": "exit 1 if any file differs from what was installed",
}
_FLAGS = {
    "--prepare": "also prepare the current repository for a plugin that needs it, as its init command does",
    "--purge": "with --uninstall: also delete the plugin's data folder",
    "--dry-run": "show what would be done, but do nothing",
    "--yes": "do not ask",
    "--json": "report as JSON on standard output; needs --yes to change things",
}


class _Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage as JSON too if the call asks for it."""

    as_json = False

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        if self.as_json:
            _print_error(message)
        super().error(message)


def parser(as_json: bool = False) -> argparse.ArgumentParser:
    """Return the command line."""
    made = _Parser(
        prog="ultra-install",
        description="Install plugins into Claude Code, for you or a project, offline, and remove them again.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.as_json = as_json
    made.add_argument("plugins", nargs="*", metavar="PLUGIN", help="the plugins to install; all by default")
    what = made.add_mutually_exclusive_group()
    for name, said in _ACTIONS.items():
        what.add_argument(name, action="store_true", help=said)
    scope = "install for you (default) or for the current repository"
    made.add_argument("--scope", choices=["user", "project"], help=scope)
    source = "install this built bundle instead of the included ones"
    made.add_argument("--from", dest="source", type=Path, metavar="ZIP|DIR", help=source)
    allow = "minimal: allow the plugin's own programs in settings.json"
    made.add_argument("--permissions", choices=["none", "minimal"], help=allow)
    keys = "file of allowed signers; install only releases that one of them signed"
    made.add_argument("--keys", type=Path, metavar="FILE", help=keys)
    release = "folder with the SHA256SUMS to check against (default: that of the bundle)"
    made.add_argument("--release", type=Path, metavar="DIR", help=release)
    names = "add (or remove) the commands by their bare names"
    made.add_argument("--short-names", action=argparse.BooleanOptionalAction, help=names)
    for name, said in _FLAGS.items():
        made.add_argument(name, action="store_true", help=said)
    wait = "how long to wait for another ultra-install (60)"
    made.add_argument("--wait", type=float, default=60.0, metavar="SECONDS", help=wait)
    made.add_argument("-V", "--version", action="version", version=f"%(prog)s {__version__}")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one call and return its status."""
    try:
        status = _status(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python prints an error at exit
        return 1


def _status(arguments: Sequence[str] | None) -> int:
    try:
        options = _options(arguments)
    except SystemExit as done:  # --help, --version and wrong usage
        return int(done.code or 0)
    try:
        if sys.platform == "win32":
            raise UltraError(_WINDOWS)
        return _call(options)
    except KeyboardInterrupt:
        return _fail(options, "interrupted; ultra-install --status shows what is installed", 130)
    except UltraError as error:
        return _fail(options, str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        writable = dict.fromkeys((errno.EACCES, errno.EROFS), "make it writable")
        hint = {errno.ENOSPC: "make room", **writable}.get(error.errno or 0, "fix this")
        return _fail(options, f"{place}{error.strerror or error}; nothing was changed: {hint} and try again")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = parser("--json" in (sys.argv[1:] if arguments is None else arguments))
    options = made.parse_intermixed_args(arguments)
    reads = options.status or options.verify
    for name in options.plugins:
        if not plugin_name(name):
            made.error(f"'{name}' is not a plugin name")
    if options.purge and not options.uninstall:
        made.error("--purge needs --uninstall")
    if (options.uninstall or reads) and (
        options.source
        or options.permissions
        or options.keys
        or options.release
        or options.short_names is not None
        or options.prepare
    ):
        made.error(
            "--from, --keys, --release, --permissions, --short-names, --prepare are only for installing"
        )
    if reads and options.dry_run:
        made.error("--status and --verify change nothing; leave out --dry-run")
    return options


def _call(options: argparse.Namespace) -> int:
    # Imported late: Windows has no fcntl, and its users should get a sentence.
    from ultra_plugin.install import calls, report
    from ultra_plugin.install.installing import Wishes
    from ultra_plugin.install.place import project_place, user_place
    from ultra_plugin.install.released import keys_file

    environment = dict(os.environ)
    place = project_place(environment, Path.cwd()) if options.scope == "project" else user_place(environment)
    asked = calls.Asked(
        plugins=tuple(options.plugins),
        source=options.source,
        upgrade=options.upgrade,
        dry_run=options.dry_run,
        purge=options.purge,
        wishes=Wishes(options.permissions, options.short_names),
        wait=options.wait,
        keys=keys_file(options.keys, environment),
        release=options.release,
        prepare=options.prepare,
    )

    def agree(plan: Plan) -> bool:
        return options.yes or _ask(options, report.planned(plan.lines), plan)

    def ask(question: str) -> bool:
        try:
            return sys.stdin.isatty() and not options.yes and not options.json and _agrees(question)
        except EOFError:
            return False

    result: Report
    if options.status:
        places = [place] if options.scope else [place, *_project_here(environment)]
        result = calls.call_status(places, asked, _tell)
    elif options.verify:
        result = calls.call_verify(place, asked, _tell)
    elif options.uninstall:
        result = calls.call_uninstall(place, asked, agree, _tell)
    else:
        result = calls.call_install(place, asked, agree, _tell, ask)
    print(report.as_json(result) if options.json else report.as_text(result))
    return 1 if result.problems else 0


def _project_here(environment: Mapping[str, str]) -> list[Place]:
    """Return the place of the current repository if plugins are installed there."""
    from ultra_plugin.install.place import project_place

    try:
        place = project_place(environment, Path.cwd())
    except (UltraError, OSError):
        return []
    return [place] if place.skills.is_dir() else []


def _ask(options: argparse.Namespace, lines: Sequence[str], plan: Plan) -> bool:
    if options.json:
        raise UltraError("--json cannot ask; add --yes, or --dry-run to see the plan")
    for line in lines:
        print(line, file=sys.stderr)
    back = any(line.verb == "downgrade" for line in plan.lines)
    warning = "This installs an older version. " if back else ""
    try:
        return _agrees(f"{warning}Continue?")
    except EOFError:
        print(file=sys.stderr)
        raise UltraError("no terminal to ask on; add --yes to continue without asking") from None


def _agrees(question: str) -> bool:
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return input().strip().lower() in ("y", "yes")


def _tell(sentence: str) -> None:
    print(f"ultra-install: {sentence}", file=sys.stderr)


def _fail(options: argparse.Namespace, sentence: str, status: int = 1) -> int:
    if options.json:
        _print_error(sentence)
    _tell(sentence)
    return status


def _print_error(sentence: str) -> None:
    print(json.dumps({"ok": False, "error": sentence}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
