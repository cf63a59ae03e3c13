"""Programs themselves are the oracle for their options: none hides the command that runs or the file that changes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.test_bash_runs_it import bash, programs_in, seen_in
from tests.kit.files import write_tree
from tests.kit.table import each
from ultra_runtime.guard.follow import kinds, wrappers
from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.shell.marks import collapsed

# Wrapper -> its options with their values, and its own words before the command. What a version lacks, it refuses.
WRAPPERS = {
    "chrt": ("b o R T=1 all-tasks batch sched-runtime=1", "0"),
    "env": ("a=x argv0=x C=d chdir=d debug default-signal i ignore-signal S split-string u=x unset=x v", ""),
    "flock": ("close E=1 e n nonblock o s shared timeout=1 w=1 wait=1", "lock"),
    "ionice": ("c=2 class=2 classdata=1 ignore n=1 t", ""),
    "nice": ("adjustment=1 n=1", ""),
    "prlimit": ("core=1 cpu n=99 nofile verbose", ""),
    "setpriv": (
        "clear-groups egid=1 euid=1 inh-caps=-all nnp pdeathsig=9 regid=1 reset-env rgid=0 ruid=0",
        "",
    ),
    "setsid": ("ctty f fork w wait", ""),
    "stdbuf": ("e=0 error=0 i=0 input=0 o=0 output=0", ""),
    "taskset": ("a all-tasks c cpu-list", "1"),
    "timeout": ("foreground k=1 kill-after=1 preserve-status s=9 signal=9 v verbose", "9"),
    "unshare": ("f fork kill-child map-root-user r u wd=d", ""),
    "xargs": ("0 d=x E=x e I=x i l L=1 max-args=2 max-lines n=2 null P=1 r replace s=99 t verbose x", ""),
}
# Program -> its options, and the words around them; a and b are files, d is a folder, n is new.
COPYING = "b backup f force S=x suffix=x T t=d target=d target-directory=d v"
WRITERS = {
    "cp": (
        f"{COPYING} archive context l n no-preserve=all p parents preserve reflink r s sparse=auto u",
        ("{} a n", "a b {}"),
    ),
    "install": (
        f"{COPYING} C compare D g=0 group=0 m=600 mode=600 o=0 owner=0 p strip-program=x",
        ("{} a n", "a b {}"),
    ),
    "ln": (f"{COPYING} d i L logical s symbolic", ("{} a n", "-f a b {}")),
    "mv": (f"{COPYING} n strip-trailing-slashes u", ("{} a n", "a b {}")),
    "rm": ("d dir f force I one-file-system preserve-root r v", ("{} a", "a {} b")),
    "sed": ("E e=p expression=p i in-place l=9 n posix r s u z", ("-i {} s/x/y/ a", "{} s/x/y/ a")),
    "shred": ("f force iterations=1 n=1 remove s=1 size=1 u v x z zero", ("{} a",)),
    "sort": ("b buffer-size=9 f k=1 key=1 o=n output=n r S=9 s t=x T=d u z", ("{} a", "-o n {} a")),
    "split": ("a=2 b=1 bytes=1 C=1 e l=1 lines=1 n=1 number=1 separator=x t=x u verbose", ("{} a", "{} a p")),
    "tee": ("a append i output-error p", ("{} n < a", "b {} < a")),
    "touch": ("a c d=now date=now m no-create r=b reference=b t=01010000 time=mtime", ("{} a", "{} n b")),
    "truncate": ("c io-blocks no-create o r=b reference=b s=1 size=1", ("{} a", "-s 1 {} a b")),
}


def spellings(options: str) -> Iterator[str]:
    """Yield each option alone, with its value behind it, and with both in one word."""
    for one in options.split():
        name, _, value = one.partition("=")
        option, equals = (f"--{name}", "=") if len(name) > 1 else (f"-{name}", "")
        yield from (option, f"{option} {value}", f"{option}{equals}{value}") if value else (option,)


def test_no_option_of_a_wrapper_hides_the_command_that_it_runs(tmp_path: Path) -> None:
    found = tuple(name for name in WRAPPERS if shutil.which(name))
    tools = programs_in(tmp_path, ("bash", "sh", *found))
    (tools / "rm").write_text('#!/bin/sh\necho "$NUMBER rm $*" >> "$CALLS"\n')
    (tools / "rm").chmod(0o755)
    rows = [
        " ".join(f"{name} {option} {WRAPPERS[name][1]} rm -rf victim".split())
        for name in found
        for option in spellings(WRAPPERS[name][0])
    ]
    scratch, log = write_tree(tmp_path / "scratch", {"lock": "", "d/x": ""}), tmp_path / "calls"
    texts = [f"export NUMBER={at}; {row} <<< ''" for at, row in enumerate(rows)]
    bash("\n".join(texts), scratch, tools, CALLS=str(log))
    ran = {int(line.split()[0]) for line in log.read_text().splitlines() if " rm -rf victim" in line}
    assert len(ran) > len(rows) // 4
    seen = {at: [" ".join(words) for words in watch(rows[at]).commands()] for at in ran}
    missed = [at for at in ran if not any(one.startswith("rm -rf victim") for one in seen[at])]
    assert not [(rows[at], seen[at]) for at in sorted(missed)]


def test_no_option_of_a_program_hides_a_file_that_it_changes(tmp_path: Path) -> None:
    """What a program keeps of the old file stands beside it, under a name of its own choice."""
    found = tuple(name for name in WRITERS if shutil.which(name))
    (tmp_path / "tools").mkdir()
    tools = programs_in(tmp_path / "tools", ("bash", *found))
    rows = [
        f"{name} {words.format(option)}"
        for name in found
        for option in spellings(WRITERS[name][0])
        for words in WRITERS[name][1]
    ]
    files = {"a": "x\n", "b": "yy\n", "d/f": "x\n"}
    before = seen_in(write_tree(tmp_path / "before", files))
    for at in range(len(rows)):
        write_tree(tmp_path / f"at/{at}", files)
    bash("\n".join(f"cd ../{at}; {row}" for at, row in enumerate(rows)), tmp_path / "at/0", tools)
    missed, changed = [], 0
    for at, row in enumerate(rows):
        after = seen_in(tmp_path / f"at/{at}")
        really = {path for path in {**before, **after} if before.get(path) != after.get(path)}
        told = [collapsed(one.path) for one in watch(row).changed()]
        unseen = [one for one in really if not any(f"{one}/".startswith(f"{path}/") for path in told)]
        changed += bool(really)
        kept = [one for one in unseen if after.get(one) in before.values() and one[:1] in "ab" and one[1:]]
        if set(unseen) - set(kept) or (really and not Judge("/", None).may_write(row)):
            missed.append((row, sorted(unseen), told))
    assert not missed
    assert changed > len(rows) // 4


POLICY = policy()
NAMES = sorted(
    {
        *(
            "$X",
            "a$X",
            "xargs",
            *kinds.SHELLS,
            *kinds.SILENT,
            *kinds.VERIFIERS,
            *kinds.LANGUAGES,
            *kinds.BUILTINS,
        ),
        *(*kinds.WRITERS, *kinds.HOSTS, *kinds.STARTS, *kinds.CHANGERS, *kinds.PRINTERS, *kinds.LAUNCHERS),
        *(*wrappers.PLAIN, *wrappers.SCANNED, *POLICY.commands, *POLICY.sources),
    }
)
ENDS = (
    "", "-c", "-e", "-x", "-o", "-f", "-n", "-t", "-S", "-", "--", "--exec", "x", "run", "exec", "-s", "-u", "-C", "-i",
    "-d", "-I", "config alias.x", "rebase -x", "submodule foreach", "/c", "-enc", ":::", "+", "-u root", "=", "-X", "''",
    "-c ''", "new", "send-keys", "-l", "of=",
)  # fmt: skip


@each(
    (name, f"{name} {ENDS[(at + turn) % len(ENDS)]}")
    for at, name in enumerate(NAMES)
    for turn in (0, 9, 18, 27)
)
def test_a_call_that_stops_early_is_judged(name: str, call: str) -> None:
    """A word that is missing must not end the guard, which would then answer nothing."""
    assert verdict_for(call, POLICY).verdict in ("allow", "warn", "block")


def test_a_text_of_an_unknown_shell_may_be_missing() -> None:
    assert [verdict_for(f"$X {option}", POLICY).verdict for option in ("-c", "-lc", "-ec")] == ["allow"] * 3
