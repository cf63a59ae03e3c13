"""Modules of verbs: what the runtime could not call is refused before it ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.sample import write_sample
from tests.kit import sources
from tests.kit.names import ROOT
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.constants import help_module
from ultra_plugin.verbs import read_verbs

MODULE = "runtime/ultra_runtime/verbs/status.py"
HEAD = '"""Say how far a work order is."""\nUSAGE = "status PATH [--long]"; LONG = "--long"\n'
RUN = "def run(args):\n    return args\n"


def faults(tmp_path: Path, text: str) -> list[str]:
    found = sources.faults(write_sample(tmp_path, {MODULE: text}), read_verbs)
    return [fault.removeprefix(f"{MODULE}:") for fault in found]


def test_a_verb_is_read_and_not_run(tmp_path: Path) -> None:
    text = HEAD + 'READ_ONLY = True\nraise SystemExit("it was run")\n' + RUN
    verb = read_verbs(SourceTree(write_sample(tmp_path, {MODULE: text})))["status"]
    assert (verb.summary, verb.reads_only) == ("Say how far a work order is.", True)
    assert verb.flags == {"--long", "--help", "--json"}


@pytest.mark.parametrize(
    ("head", "taken"),
    [
        ("def run():", "none"),
        ("def run(args, more):", "'args', 'more'"),
        ("def run(args, more=None):", "'args', 'more'"),
        ("def run(*args):", "'args'"),
        ("def run(*, args):", "'args'"),
        ("def run(args, **more):", "'args', 'more'"),
    ],
)
def test_run_takes_exactly_one_argument(tmp_path: Path, head: str, taken: str) -> None:
    (fault,) = faults(tmp_path, f"{HEAD}\n\n{head}\n    return None\n")
    assert fault == f"5: verb: run() must take exactly one argument, but takes {taken} (write run(args))"


@pytest.mark.parametrize("head", ["async def run(args):", "class run:"])
def test_run_is_a_plain_function(tmp_path: Path, head: str) -> None:
    assert faults(tmp_path, f"{HEAD}{head}\n    pass\n") == [
        "3: verb: run is not a plain function (define run(args) with def)"
    ]


def test_a_verb_for_people_looks_or_acts(tmp_path: Path) -> None:
    rest = "def run(args):\n    return None\n"
    assert faults(tmp_path, f"{HEAD}FOR_PEOPLE = 'look'\n{rest}") == []
    assert faults(tmp_path, f"{HEAD}FOR_PEOPLE = True\n{rest}") == [
        "3: verb: FOR_PEOPLE is True (write 'look' or 'act')"
    ]


def test_the_help_says_for_whom_a_verb_is_or_to_which_stage_it_belongs() -> None:
    suite = load(SourceTree(ROOT / "plugin_src"))
    for plugin in suite.plugins:
        space: dict[str, dict[str, tuple[str, str, str]]] = {}
        exec(help_module(plugin), space)  # noqa: S102
        assert {*space["VERBS"]} == {verb.name for verb in plugin.verbs.values()}
        for verb in plugin.verbs.values():
            usage, summary, use = space["VERBS"][verb.name]
            assert (usage, summary) == (verb.usage, verb.summary)
            assert use in {verb.for_people, verb.stage, ""}
            assert bool(use) == bool(verb.for_people or verb.stage)


def test_everything_that_a_module_lacks_is_told_at_once(tmp_path: Path) -> None:
    assert faults(tmp_path, '"""Say it."""\n') == [
        '1: verb: the verb has no USAGE (write USAGE = "verb PATH [--flag]" below the docstring)',
        "1: verb: the verb has no run() (define run(args), which returns the verb's answer)",
    ]


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        ("USAGE = '--long'", "USAGE does not begin with the verb"),
        ("USAGE = 5", "USAGE is not a plain string"),
        ("USAGE = word()", "USAGE is not a plain string"),
    ],
)
def test_a_usage_that_is_none_has_its_line(tmp_path: Path, usage: str, said: str) -> None:
    (fault,) = faults(tmp_path, f'"""Say it."""\n{usage}\n{RUN}')
    assert fault.startswith(f"2: verb: {said}")


def test_a_syntax_error_has_its_line_and_its_own_remedy(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, '"""Say it."""\nUSAGE = = "status"\n' + RUN)
    assert fault == ("2: verb: is not Python: invalid syntax (fix the syntax of this line or the one above)")


def test_a_null_byte_is_no_traceback(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, HEAD + "\0" + RUN)
    assert "is not Python" in fault


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ("state PATH", "USAGE says 'state', but the file is status.py (rename the file to state.py,"),
        (
            "status show PATH",
            "USAGE says 'status show', but the file is status.py (rename the file to",
        ),
        ("status  PATH", "USAGE cannot be parsed from ' PATH' on (write NAME,"),
        ("status [--long", "USAGE cannot be parsed from '[--long' on"),
        ("status --out", "USAGE cannot be parsed from '--out' on"),
        ("status [--long [--json]]", "USAGE cannot be parsed from '[--long [--json]]' on"),
        ("status PATH ", "USAGE cannot be parsed from ' ' on"),
    ],
)
def test_a_usage_fits_its_file_and_the_parser(tmp_path: Path, usage: str, expected: str) -> None:
    (fault,) = faults(tmp_path, f'"""Say it."""\nUSAGE = "{usage}"\n{RUN}')
    assert fault.startswith(f"2: verb: {expected}")


@pytest.mark.parametrize("usage", ["continue [--json]", "continue"])
def test_a_keyword_has_a_final_underscore_in_its_file_name(tmp_path: Path, usage: str) -> None:
    path = "runtime/ultra_runtime/verbs/continue_.py"
    root = write_sample(tmp_path, {path: f'"""Go on."""\nUSAGE = "{usage}"\n{RUN}'})
    assert list(read_verbs(SourceTree(root))) == ["continue"]


ASKING = """\
"Say how far it is."
USAGE = "status PATH [MORE...] --to FILE [--long|--data DIR] [--mode a|b]"


def run(args):
    named = {"--anything": args.flag("--long")}
    return _told(args), named.get("--anything"), args.need("PATH"), args.rest("MORE"), args.need("--to")


def _told(given: Args):
    return given.get("--data"), given.get("--mode")
"""


def test_an_option_that_no_code_reads_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, ASKING.replace("[--mode a|b]", "[--mode a|b] [--deep]"))
    assert fault == "2: verb: USAGE has --deep, which no code reads (read it, or take it out of USAGE)"


def test_options_that_usage_has_may_be_asked_for(tmp_path: Path) -> None:
    assert list(read_verbs(SourceTree(write_sample(tmp_path, {MODULE: ASKING})))) == ["status"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('given.get("--data")', 'given.get("--date")', "11: verb: args.get('--date') is not in USAGE"),
        ('args.flag("--long")', 'args.flag("--data")', "6: verb: args.flag('--data') is not in USAGE"),
        ('args.flag("--long")', 'args.get("--long")', "6: verb: args.get('--long') is not in USAGE"),
        ('args.need("PATH")', 'args.need("FILE")', "7: verb: args.need('FILE') is not in USAGE"),
    ],
)
def test_an_option_that_usage_does_not_have_is_refused(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    (fault,) = faults(tmp_path, ASKING.replace(old, new))
    assert fault.startswith(expected)
