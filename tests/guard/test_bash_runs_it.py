"""Bash itself is the oracle: what it would really run, with harmless programs standing in, the guard has to see."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.kit.files import write_tree
from tests.kit.quick import times
from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.shell.marks import collapsed, known

POLICY = policy()
SIZE = times(150, 100_000)
# Programs that are there as they are; every other name is a stand-in that only writes down how it was called.
REAL = (
    "bash",
    "sh",
    "env",
    "nice",
    "timeout",
    "xargs",
    "find",
    "cat",
    "echo",
    "printf",
    "tr",
    "sed",
    "tee",
    "nohup",
    "rev",
)
# Call -> the rule that forbids it.
CALLS = {
    "rm -rf victim": "recursive_force_delete",
    "rm -R victim --force": "recursive_force_delete",
    "git push --force origin main": "git_force_push",
    "git reset --hard": "git_reset_hard",
    "chmod 777 victim": "chmod_777",
    "shutdown -h now": "shutdown",
}
STRICT = {"block": ("block",), "warn": ("block", "warn")}
HARMLESS = ("rm victim", "git push origin main", "git status", "chmod 644 victim", "ls -rf victim")


def _split(call: str) -> str:
    name, _, rest = call.partition(" ")
    return f"{name[:1]}''{name[1:]} {rest}"


# Ways to spell one call.
SPELLINGS = {
    "plain": lambda call: call,
    "quoted": lambda call: " ".join(f'"{word}"' for word in call.split()),
    "in pieces": _split,
    "escaped": lambda call: "\\" + call,
    "ansi": lambda call: f"$'\\x{ord(call[0]):02x}'{call[1:]}",
    "braces": lambda call: "{" + ",".join(call.split()) + "}",
    "variable": lambda call: f"x={call.split()[0]}; $x {call.partition(' ')[2]}",
    "all in a variable": lambda call: f"x='{call}'; $x",
    "array": lambda call: f'x=({call}); "${{x[@]}}"',
    "positional": lambda call: f'set -- {call}; "$@"',
    "substitution": lambda call: f"$(echo {call.split()[0]}) {call.partition(' ')[2]}",
    "backquotes": lambda call: f"`printf %s {call.split()[0]}` {call.partition(' ')[2]}",
    "default": lambda call: f"${{none:-{call.split()[0]}}} {call.partition(' ')[2]}",
    "continued": lambda call: call.replace(" ", " \\\n", 1),
    "upper case": lambda call: f"x={call.split()[0].upper()}; ${{x,,}} {call.partition(' ')[2]}",
}
# Ways to have a call run.
CARRIERS = {
    "alone": "{}",
    "list": "true && {{ {}; }}",
    "or": "false || ( {} )",
    "if": "if true; then {}; fi",
    "loop": "for y in 1; do {}; done",
    "while": "while true; do {}; break; done",
    "case": "case a in b) ;; a) {} ;; esac",
    "function": "f() {{ {}; }}; f",
    "eval": "eval {q}",
    "bash -c": "bash -c {q}",
    "sh with flags": "sh -ec {q}",
    "twice": "bash -c {qq}",
    "pipe": "printf '%s\\n' {q} | bash",
    "here document": "bash <<'END'\n{}\nEND",
    "here string": "bash <<< {q}",
    "file": "printf '%s\\n' {q} > run.sh; bash run.sh",
    "source": "echo {q} > run.sh; . ./run.sh",
    "process substitution": "bash <(printf '%s\\n' {q})",
    "trap": "trap {q} EXIT",
    "background": "{{ {}; }} & wait",
    "in a substitution": "echo $({})",
    "assigned": "z=$({})",
    "condition": "[[ -n $({}) ]]",
    "redirected": "{{ {}; }} > out 2>&1",
    "after a comment": "# it's nothing\n{}",
    "env": "env A=1 bash -c {q}",
    "wrappers": "nice -n 5 timeout 9 bash -c {q}",
    "xargs": "echo x | xargs -I_ bash -c {q}",
    "find": "find . -maxdepth 0 -exec bash -c {q} ';'",
    "find with a plus": "find . -maxdepth 0 -exec env -u + bash -c {q} ';'",
    "reversed": "bash -c \"$(echo {r} | rev)\"",
    "not run": "echo {q} > note.txt",
    "not run either": "if false; then :; else echo {q}; fi",
    "only a comment": "true # {}",
}  # fmt: skip


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def programs(calls: tuple[str, ...], *without: str) -> Iterator[tuple[str, str]]:
    """Return a sample of all programs, each with the call in it."""
    carriers = [(name, carrier) for name, carrier in CARRIERS.items() if name not in without]
    rows = list(itertools.product(calls, SPELLINGS.values(), carriers))
    random.Random(7).shuffle(rows)  # noqa: S311
    for call, spell, (name, carrier) in rows[:SIZE]:
        text = spell(call)
        if name == "only a comment" and "\n" in text:
            continue
        inner = quoted(text)
        filled = carrier.format(text, q=inner, qq=quoted(f"bash -c {inner}"), r=quoted(text[::-1]))
        yield filled, call


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the only programs that bash finds."""
    folder = programs_in(tmp_path_factory.mktemp("tools"), REAL)
    for name in ("rm", "git", "chmod", "shutdown", "ls"):
        (folder / name).write_text('#!/bin/bash\nprintf "%s\\n" "${0##*/} $*" >> "$CALLS"\n')
        (folder / name).chmod(0o755)
    return folder


def programs_in(folder: Path, names: tuple[str, ...]) -> Path:
    """Put programs of this machine into a folder."""
    for name in names:
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


def really_run(program: str, tools: Path, folder: Path) -> list[str]:
    """Return the calls of stand-ins that bash makes for a program."""
    log, scratch = folder / "calls", folder / "scratch"
    log.write_text("")
    scratch.mkdir()
    bash(program, scratch, tools, CALLS=str(log))
    shutil.rmtree(scratch)
    return log.read_text().splitlines()


def bash(program: str, scratch: Path, tools: Path, **more: str) -> None:
    """Run a program in a folder, with no other programs than these."""
    env = {"PATH": str(tools), "HOME": str(scratch), "LC_ALL": "C.UTF-8", **more}
    subprocess.run(
        ["bash", "--norc", "-c", program],
        cwd=scratch, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60,
    )  # fmt: skip


def test_what_bash_would_run_is_blocked_or_warned_of(tools: Path, tmp_path: Path) -> None:
    missed, ran = [], 0
    for program, call in programs(tuple(CALLS)):
        if call not in really_run(program, tools, tmp_path):
            continue
        ran += 1
        found = verdict_for(program, POLICY)
        if found.verdict not in STRICT[POLICY.rules[CALLS[call]][0]] or not may_match(program):
            missed.append((program, found))
    assert not missed
    assert ran > SIZE // 2


def test_a_harmless_call_in_the_same_shapes_passes(tools: Path, tmp_path: Path) -> None:
    ran = 0
    for program, call in programs(HARMLESS, "eval", "reversed"):  # what is unknown until it runs is blocked
        ran += call in really_run(program, tools, tmp_path)
        found = verdict_for(program, POLICY)
        assert found.rule in ("", "unreadable"), (program, found)
    assert ran > SIZE // 2


WRITING = ("cp", "mv", "ln", "install", "dd", "touch", "truncate", "rm", "chmod", "rsync")
WRITES = (
    "cp a b", "cp -r d e", "cp -t d a", "cp a d/../b:c", "mv a b", "mv -t d a", "ln -s a b", "ln a d/c", "install -m 600 a b",
    "install -d n", "tee b c < a", "dd if=a of=b", "touch b", "truncate -s 0 a", "sed -i s/x/y/ a", "echo x > b",
    "echo x >> a", "rm a", "rm -r d", "cd d && echo x > f", "echo x | tee -a a", ": > a", "chmod 600 a", "cp a b:c",
)  # fmt: skip


def seen_in(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return what is in a folder."""
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    }


def test_every_file_that_bash_changes_is_seen(tmp_path: Path) -> None:
    """The guard judges the paths that a command writes: it has to know them all."""
    (tmp_path / "tools").mkdir()
    found = tuple(name for name in WRITING if shutil.which(name))
    tools = programs_in(tmp_path / "tools", (*REAL, *found))
    missed, changed = [], 0
    for program, _ in [*programs(WRITES), *((write, write) for write in WRITES)]:
        scratch = write_tree(tmp_path / "scratch", {"a": "x\n", "d/f": "x\n"})
        before = seen_in(scratch)
        bash(program, scratch, tools)
        after = seen_in(scratch)
        shutil.rmtree(scratch)
        really = {path for path in {**before, **after} if before.get(path) != after.get(path)}
        told = [collapsed(one.path) for one in watch(program).changed()]
        changed += bool(really)
        open_ends = any(not known(path) for path in told)
        unseen = {path for path in really if not any(f"{path}/".startswith(f"{one}/") for one in told)}
        if really and ((unseen and not open_ends) or not Judge("/", None).may_write(program)):
            missed.append((program, unseen, told))
    assert not missed
    assert changed > SIZE // 3
