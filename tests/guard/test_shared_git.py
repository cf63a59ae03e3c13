"""What worktrees share, in the process: which git commands change it, which change the stash, and where the others are."""

from __future__ import annotations

from pathlib import Path

from tests.kit.files import write_tree
from tests.kit.table import each
from ultra_runtime.guard import judge, shared_git
from ultra_runtime.guard.follow.writes import with_dashes
from ultra_runtime.guard.other_trees import other_trees
from ultra_runtime.guard.realpath import real_place
from ultra_runtime.guard.shared_git import ALWAYS, FORCING, READS_CONFIG, SUBCOMMANDS, reaches_others
from ultra_runtime.guard.shell.marks import HOME

CHANGES = [
    *(f"{verb} other x" for verb in SUBCOMMANDS),
    *(f"{verb} {option} x" for verb, options in FORCING.items() for option in options),
    *(f"{verb} -q{option[1:]} x" for verb, options in FORCING.items() for option in options if len(option) == 2),
    *(f"{verb}{rest}" for verb in ALWAYS for rest in ("", " x")),
    *("config a.b c", "config --unset a.b", "config --edit", "config -e", "config --add a.b c", "config --replace-all a.b c"),
    *("config set a.b c", "config --global a.b c", "config --remove-section a", "config --rename-section a b"),
    *("symbolic-ref HEAD x", "symbolic-ref -d HEAD", "symbolic-ref --delete HEAD"),
    *("gc --prune", "gc --prune=now", "fetch . a:b", "fetch origin a:b", "pull . main:main", "push . a", "replace -d x", "replace -f"),
]  # fmt: skip
LEAVES = [
    *SUBCOMMANDS,
    *(f"{verb} {one} x" for verb, reads in SUBCOMMANDS.items() for one in reads),
    *(f"{verb} -v" for verb in SUBCOMMANDS if verb != "replace"),
    *(f"{verb} x" for verb in FORCING),
    *(f"{verb} --quiet x" for verb in FORCING),
    *(f"config {one} a.b" for one in READS_CONFIG),
    *(f"config {one} f a.b c" for one in ("-f", "--file", "--blob")),
    *("config", "config a.b", "config --file=f a.b c", "symbolic-ref HEAD", "gc", "gc --auto", "fetch", "fetch a:b"),
    *("fetch origin main", "pull origin main", "push", "push origin a", "push x .", "status", "log a:b", "commit -m x"),
]  # fmt: skip


@each(CHANGES)
def test_a_command_changes_what_worktrees_share(words: str) -> None:
    verb = words.split()[0]
    for front in (["git"], ["git", "-C", "x"], ["git", "--no-pager"]):
        assert reaches_others([["ls"], [*front, *words.split()]]) == f"git {verb}"
    assert reaches_others([[f"git-{verb}", *words.split()[1:]]]) == f"git {verb}"
    assert reaches_others([["hub", *words.split()]]) == ""
    assert verb in shared_git.NAMES


@each(LEAVES)
def test_a_command_leaves_alone_what_worktrees_share(words: str) -> None:
    assert reaches_others([["git", *words.split()]]) == ""


@each((new, verb) for new in ("init", "clone") for verb in ("config a.b c", "remote add x y", "branch -D x"))
def test_settings_of_a_new_repository_are_its_own(new: str, verb: str) -> None:
    calls = [["git", new, "x"], ["git", *verb.split()]]
    assert reaches_others(calls) == ("git branch" if verb.startswith("branch") else "")


@each(
    [
        *((words, True) for words in ("git stash", "git stash push", "git stash pop x", "git -C x stash drop", "git-stash clear")),
        *((f"git stash {one}", False) for one in judge._ONLY_READ),
        *((words, False) for words in ("git", "git status", "git log stash", "ls stash", "digit stash", "gitstash pop")),
    ]
)  # fmt: skip
def test_a_command_changes_the_stash(words: str, changes: bool) -> None:
    assert judge._stashes(words.split()) == changes


def test_the_other_trees_of_a_repository_are_found(tmp_path: Path) -> None:
    main = tmp_path / "main"
    (main / ".git").mkdir(parents=True)
    assert other_trees(str(main)) == []
    shared = main / ".git/worktrees"
    trees = {name: tmp_path / name for name in ("one", "two")}
    write_tree(shared, {f"{name}/gitdir": f"{tree}/.git\n" for name, tree in trees.items()})
    (shared / "going").mkdir()
    write_tree(tmp_path, {f"{name}/.git": f"gitdir: {shared}/{name}\n" for name in trees})
    write_tree(shared, {f"{name}/commondir": "../..\n" for name in trees})
    assert sorted(other_trees(str(main))) == sorted(map(str, trees.values()))
    assert sorted(other_trees(str(trees["one"]))) == sorted([str(main), str(trees["two"])])


@each(
    [
        (f"{HOME}/a", "/h/a"), (HOME, "/h"), ("a", "/c/a"), ("../a", "/a"), ("/a/./b//c", "/a/b/c"),
        (f"x{HOME}", f"/c/x{HOME}"), ("", "/c"), ("..", "/"), ("../../..", "/"),
    ]
)  # fmt: skip
def test_a_path_starts_at_the_home_at_the_folder_or_at_the_root(path: str, real: str) -> None:
    assert real_place(path, "/c", "/h") == real


@each(
    [
        ("", ""), ("-xf a", "-xf a"), ("--extract x", "--extract x"), ("xf a", "-x -f a"), ("x a", "-x a"),
        ("xfC a.tar /o x", "-x -f a.tar -C /o x"), ("xCf /o a.tar", "-x -C /o -f a.tar"), ("cf", "-c -f"),
    ]
)  # fmt: skip
def test_the_letters_of_tar_take_their_values_in_turn(words: str, options: str) -> None:
    assert with_dashes(words.split()) == options.split()
