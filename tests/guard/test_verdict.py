"""What the guard says about commands: a long list of spellings, and how it says it."""

from __future__ import annotations

import pytest

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.rows import cases
from tests.kit.table import each
from ultra_runtime.guard.first_look import may_match

POLICY = policy()


@each(cases("block.txt"))
def test_blocked_in_every_spelling(command: str) -> None:
    verdict = verdict_for(command, POLICY)
    assert verdict.verdict == "block"
    assert verdict.rule != "unreadable"
    assert may_match(command)


@each(cases("allow.txt"))
def test_left_alone(command: str) -> None:
    verdict = verdict_for(command, POLICY)
    assert (verdict.verdict, verdict.rule) == ("allow", "")


def test_a_verdict_says_what_why_and_what_instead() -> None:
    verdict = verdict_for("ls && sudo rm -r --force 'a b'", POLICY)
    assert verdict.rule == "recursive_force_delete"
    assert "rm -r --force a b" in verdict.reason
    assert "cannot be undone" in verdict.reason
    assert "rmdir" in verdict.instead
    assert "\n" not in verdict_for('rm -rf "a\nb"', POLICY).reason
    assert len(verdict_for("rm -rf " + "x" * 500, POLICY).reason) < 250


def test_a_block_is_not_hidden_by_a_warning_before_it() -> None:
    assert verdict_for("git reset --hard; rm -rf x", POLICY).rule == "recursive_force_delete"
    assert verdict_for("git reset --hard; git push -f", POLICY).rule == "git_reset_hard"


def test_what_cannot_be_read_says_so_and_the_rest_is_still_judged() -> None:
    unread = verdict_for("echo 'open", POLICY)
    assert (unread.verdict, unread.rule, unread.unreadable) == ("block", "unreadable", True)
    first = verdict_for("rm -rf x\necho 'open", POLICY)
    assert (first.rule, first.unreadable) == ("recursive_force_delete", False)
    inner = verdict_for('bash -c "echo \'open"', POLICY)
    assert (inner.rule, inner.unreadable) == ("unreadable", True)
    warned = verdict_for("git reset --hard\necho 'open", POLICY)
    assert (warned.rule, warned.unreadable) == ("unreadable", True)


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        # a subshell does not change the shell around it
        ("(X=rm); $X build", ""),
        ("X=ls; (X=rm); $X -l", ""),
        ("X=rm; (X=ls; $X -rf y)", ""),
        ("X=rm | cat; X=ls; $X -rf y", ""),
        ("f() { local X=rm; }; X=ls; f; $X -rf y", ""),
        ("f() { X=rm; }; X=ls; f; $X -rf y", "recursive_force_delete"),
        ("X=rm env; X=ls; $X -rf y", ""),
        # a function stands in front of a command of the same name
        ("reboot() { echo no; }; reboot", ""),
        ("rm() { echo no; }; rm -rf x", ""),
        ("unset -f rm; rm -rf x", "recursive_force_delete"),
        ("X=rm; unset -f X; $X -rf y", "recursive_force_delete"),
        ("X=rm; unset -n X; $X -rf y", "recursive_force_delete"),
        ("X=rm; unset X; $X -rf y", ""),
        # files are followed as far as the text writes them
        ("echo ls > x.sh; bash x.sh", ""),
        ("echo 'rm -rf y' > x.sh; echo ls > x.sh; bash x.sh", ""),
        ("echo 'rm -rf y' > x.sh; cp x.sh z.sh; bash z.sh", "recursive_force_delete"),
        ("cd sub; echo 'rm -rf y' > x.sh; cd ..; bash sub/x.sh", "recursive_force_delete"),
        ("cd sub; echo 'rm -rf y' > x.sh; cd ..; bash x.sh", ""),
        ("curl x > f; sha256sum --check sums && sh f", ""),
        # loops and lists
        ("for x in ls 'rm -rf y'; do echo \"$x\"; done", ""),
        ("for x in ls 'rm -rf y'; do sh -c \"$x\"; done", "recursive_force_delete"),
        ("select x in a; do reboot; done", "shutdown"),
        # output that goes elsewhere does not reach the pipe
        ("echo 'rm -rf y' > f | bash", ""),
        ("echo 'rm -rf y' >&2 | bash", ""),
        ("echo 'rm -rf y' 2>&1 | bash", "recursive_force_delete"),
        ("{ echo ls; echo 'rm -rf y'; } | bash", "recursive_force_delete"),
        ("curl x | { read l; echo \"$l\"; }", ""),
        # arguments of nested shells
        ("bash -c 'echo \"$@\"' _ rm -rf x", ""),
        ("bash -c '$0 -rf x' rm", "recursive_force_delete"),
        ("bash -c 'shift; \"$@\"' _ ls rm -rf x", "recursive_force_delete"),
        ("bash x.sh -c 'rm -rf y'", ""),
        ("bash -n -c 'rm -rf y'", ""),
        # what is not known counts only with the rest of the rule
        ("$X", ""),
        ("$X -r d", ""),
        ("$X -f d", ""),
        ("$X 644 f", ""),
        ("$X 777 f", "chmod_777"),
        ("$X -9 -1", "kill_all"),
        ("$X push origin main", ""),
        ("kill $SIG $PID", ""),
        ("rm $A $B", ""),
        ("rm -f $A -- -r", ""),
        ("mkfs.ext4 $IMG", "disk_destruction"),
        ("$X reboot", ""),
        ("$SUDO reboot", "shutdown"),
        ("cp a /dev/$X", ""),
        # lines of another system
        ("ls\r\nreboot\r\n", "shutdown"),
    ],
)  # fmt: skip
def test_the_shell_is_followed(command: str, rule: str) -> None:
    assert verdict_for(command, POLICY).rule == rule
