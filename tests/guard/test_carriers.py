"""Commands that run others, from the tables that list them: the command behind them is found, their values are not it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.kit.table import each
from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.follow import wrappers
from ultra_runtime.guard.follow.kinds import SHELLS

POLICY = policy()
BAD, RULE = "rm -rf x", "recursive_force_delete"
# As a value it is no command; as a command it is harmless, although its options are those of a bad one.
VALUE, GOOD = "rm", "ls -rf x"
# A first letter of these options has a meaning of its own.
OTHERWISE = {("env", "S"), ("genv", "S"), ("flock", "c")}


# The only wrappers with a word of their own before the command, whatever the table says.
WITH_A_WORD = {
    "chroot", "chrt", "dotenv-run", "envdir", "faketime", "flock", "gosu", "gtimeout", "lckdo",
    "logsave", "s6-setuidgid", "setarch", "setlock", "setuidgid", "su-exec", "taskset", "timeout",
}  # fmt: skip


def options(short: str, long: str) -> Iterator[str]:
    """Return each option that has a value, in each form that it can have."""
    for letter in short:
        yield from (f"-{letter} {VALUE}", f"-{letter}{VALUE}")
    for name in long.split():
        yield from (f"--{name} {VALUE}", f"--{name}={VALUE}")


def wrapped() -> Iterator[tuple[str, str]]:
    for name, (short, long, own) in wrappers.PLAIN.items():
        plain = "".join(letter for letter in short if (name, letter) not in OTHERWISE)
        for given in ["", *options(plain, long.replace("split-string", ""))]:
            yield name, f"{name} {given} {' '.join([VALUE] * own)}"


@each(wrapped())
def test_a_wrapper_with_any_option(name: str, words: str) -> None:
    assert wrappers.PLAIN[name][2] == (name in WITH_A_WORD)
    later = name == "systemd-run" and any(word in words for word in (" --on-", " --timer"))
    assert verdict_for(f"{words} {BAD}", POLICY).rule == ("cron_persistence" if later else RULE)
    assert may_match(f"{words} {BAD}")
    assert verdict_for(f"{words} {GOOD}", POLICY).rule == ("cron_persistence" if later else "")


@each((name, word) for name, words in wrappers.SCANNED.items() for word in words or ("",))
def test_a_wrapper_whose_options_nobody_lists(name: str, word: str) -> None:
    assert verdict_for(f"{name} {word} --any other {BAD}", POLICY).rule == RULE
    if word:
        assert verdict_for(f"{name} {BAD}", POLICY).rule == ""


@each((name, *rows) for name, rows in wrappers.TEXT_OPTIONS.items())
def test_an_option_with_text_for_a_shell(name: str, short: str, long: str) -> None:
    for given in [*(f"-{letter} '{BAD}'" for letter in short), *(f"--{one}='{BAD}'" for one in long.split())]:
        file = "lock" if name == "flock" else ""  # its text follows its file
        assert verdict_for(f"{name} {file} {given.replace('=', ' ', 1)}", POLICY).rule == RULE


@each(wrappers.TEXT_OPERANDS.items())
def test_operands_with_text_for_a_shell(name: str, values: tuple[str, str]) -> None:
    for given in ["", *options(*values)]:
        assert verdict_for(f"{name} {given} '{BAD}'", POLICY).rule == RULE
        assert verdict_for(f"{name} {given} '{GOOD}'", POLICY).rule == ""


SHELL_WORDS = (
    "-c", "-ec", "-c -x", "-o pipefail -c", "-O extglob -c", "+O extglob -c", "-eo pipefail -c", "-oO pipefail extglob -c",
    "--norc -c", "--rcfile file -c", "--init-file file -c", "--command",
)  # fmt: skip


@each((shell, words) for shell in sorted(SHELLS) for words in SHELL_WORDS)
def test_every_shell_with_every_option(shell: str, words: str) -> None:
    assert verdict_for(f"{shell} {words} '{BAD}'", POLICY).rule == RULE
    assert verdict_for(f"{shell} {words} '{GOOD}' name '{BAD}'", POLICY).rule == ""
    assert verdict_for(f"echo '{BAD}' | {shell} -s name", POLICY).rule == RULE
    assert verdict_for(f"echo '{BAD}' | {shell} script", POLICY).rule == ""
    assert verdict_for(f"{shell} -- script -c '{BAD}'", POLICY).rule == ""


# A program in another language: a string that it runs, in each way to write a string.
STRINGS = {
    "python3": ("os.system({})", ('"{}"', "'{}'", '"""{}"""', "'''{}'''")),
    "perl": ("system {}", ('"{}"', "'{}'", "q{{{}}}", "q({})", "q[{}]", "q<{}>", "q/{}/", "q|{}|", "qq!{}!")),
    "ruby": ("system({})", ('"{}"', "'{}'")),
    "node": ("require('child_process').execSync({})", ('"{}"', "'{}'", "`{}`")),
    "php": ("system({});", ('"{}"', "'{}'")),
}
RUN_AT_ONCE = {
    "perl": ("`{}`", "qx{{{}}}", "qx/{}/"),
    "ruby": ("`{}`", "%x({})", "%x{{{}}}", "%x<{}>"),
    "php": ("`{}`",),
}
COMMENTS = {"python3": "#", "perl": "#", "ruby": "#", "node": "//", "php": "//"}
FLAG = {"node": "-e", "perl": "-e", "ruby": "-e", "python3": "-c", "php": "-r"}


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@each((name, call.format(form)) for name, (call, forms) in STRINGS.items() for form in forms)
def test_a_program_that_runs_a_string(name: str, code: str) -> None:
    for before in ("", "x = 1; ", "y = 'a\\'b'; "):
        assert verdict_for(f"{name} {FLAG[name]} {quoted(before + code.format(BAD))}", POLICY).rule == RULE
        assert verdict_for(f"{name} {FLAG[name]} {quoted(before + code.format(GOOD))}", POLICY).rule == ""
    hidden = f"{COMMENTS[name]} {code.format(BAD)}\nprint(1)"
    assert verdict_for(f"{name} {FLAG[name]} {quoted(hidden)}", POLICY).rule == ""


@each((name, form) for name, forms in RUN_AT_ONCE.items() for form in forms)
def test_a_program_with_text_for_a_shell(name: str, form: str) -> None:
    for text, rule in ((BAD, RULE), (GOOD, "")):
        assert (
            verdict_for(f"{name} {FLAG[name]} {quoted('x = ' + form.format(text) + '; 1')}", POLICY).rule
            == rule
        )
