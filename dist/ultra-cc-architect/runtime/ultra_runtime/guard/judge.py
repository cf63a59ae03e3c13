"""The one judge: whether a command may run and whether a path may be written.

The hook, `scan`, the checks and everything that executes a command of a plan use it with the same facts.
"""

from __future__ import annotations

import os

from ultra_runtime.guard.policy import ALLOW, ALLOWED, BLOCK, Policy, Verdict, ruled
from ultra_runtime.tables import LAUNCHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ultra_runtime.guard.added_rules import AddedRules
    from ultra_runtime.guard.follow.watch import Watcher
    from ultra_runtime.guard.own_files import OwnFiles
    from ultra_runtime.guard.paths import PathContext
    from ultra_runtime.guard.site import Site

OUTSIDE = "outside_repository"
MAIN_TREE, SHARED_STASH, SHARED_GIT = "main_tree", "shared_stash", "shared_git"
CLAIMED = "claimed_for_the_user"
PATH_WORK = 400  # the cost of judging a path
_ONLY_READ = ("list", "show")
_BLANK = str.maketrans(dict.fromkeys(";&|()<{}[]=!,/\t\n\r", " "))
_BARE = str.maketrans(dict.fromkeys("'\"", None))
_APART = str.maketrans(dict.fromkeys("'\"", " "))
_TO_NOWHERE = ("2>&1", ">&2", ">/dev/null", "> /dev/null")
_ELSEWHERE = ("-C", "--git-dir", "--work-tree", "GIT_", "cd", "pushd", "chdir")


def load_policy(in_run: bool = True) -> Policy:
    """Return the policy of this bundle."""
    from ultra_runtime.rendered import table

    return Policy.of(table("policy"), in_run)


def rules_file(folder: str) -> str:
    """Return the file with added rules of a home or a repository."""
    return f"{folder}/.claude/{LAUNCHER}-guard.yaml"


def home_folder() -> str:
    """Return the user's home; the password database is read only when the environment does not name it."""
    return os.environ.get("HOME") or os.path.expanduser("~")


class Judge:
    """Judges for a folder and a site; without a site (outside a run) the repository is not a boundary."""

    def __init__(self, cwd: str, site: Site | None, home: str = "", packs: tuple[str, ...] = ()) -> None:
        self.cwd = cwd
        self.site = site
        self.home = home or home_folder()
        self.packs = packs
        self._place: PathContext | None = None
        self._own: OwnFiles | None = None

    def command(self, command: str) -> Verdict:
        """Return block, warn or allow for a shell command: by its rules, then by the files that it writes."""
        return self._command(command, ())

    def _command(self, command: str, off: tuple[str, ...]) -> Verdict:
        from ultra_runtime.guard.first_look import may_match

        added = self.added()
        matches, writes = may_match(command), self.may_write(command)
        matches = matches or (added is not None and added.may_match(command))
        if not matches and not writes:
            return ALLOW
        from ultra_runtime.guard.follow.watch import verdict_of, watch

        policy = load_policy(self.site is not None)
        if added is not None:
            policy = policy.with_added(added.rules, added.listed)
        policy.off = (*policy.off, *off)
        watcher = watch(command, policy if matches else None)
        verdict = verdict_of(watcher, policy) if matches else ALLOW
        if verdict.unreadable and self.site is None:
            verdict = ALLOW
        if verdict.verdict == BLOCK or not writes:
            return verdict
        effect = self._by_effects(watcher)
        return effect if effect.verdict == BLOCK else verdict

    def claim(self, command: str) -> Verdict:
        """Judge only whether a command says something for the user."""
        from ultra_runtime.guard.follow.watch import verdict_of, watch

        policy = load_policy()
        policy.off = tuple(rule for rule in policy.rules if rule != CLAIMED)
        return verdict_of(watch(command, policy), policy)

    def matches(self, command: str) -> list[Verdict]:
        """Return the verdict of every rule that a command matches, the deciding one first; empty when it may run."""
        found: dict[str, Verdict] = {}
        decided = self.command(command)
        while decided.verdict != ALLOWED and decided.rule not in found:
            found[decided.rule] = decided
            decided = self._command(command, tuple(found))
        return list(found.values())

    def path(self, path: str) -> Verdict:
        """Return block or allow for a path that is to be written."""
        return self._written(path, False)

    def may_write(self, command: str) -> bool:
        """Tell whether a command may change a file, or work in another tree; False means that it does not."""
        plain = command.replace("\\\n", "")
        if "\\" in plain:  # an escape may print the name of any command
            return True
        plain = plain.translate(_BARE).replace(".exe", "") + " "
        for nowhere in _TO_NOWHERE:
            for end in " ;|&)\n":  # `2>&1a` writes to a file
                plain = plain.replace(nowhere + end, end)
        if ">" in plain or "$" in plain or "`" in plain:
            return True
        if "open(" in plain or "-delete" in plain or ("{" in plain and "," in plain):
            return True
        if self.site is not None and self.site.is_linked and self._may_leave(plain):
            return True
        if "git" in plain and any(word in plain for word in _ELSEWHERE):
            return True
        from ultra_runtime.guard.first_look import WRITERS

        if not WRITERS.isdisjoint(plain.translate(_BLANK).split()):
            return True
        return self._may_name_protected(f"{plain} {command.translate(_APART)}")

    def _may_name_protected(self, text: str) -> bool:
        """Tell whether a command may name something protected: a hidden file, a record of the run, a hook."""
        for word in text.translate(_BLANK).split():
            if word[0] in ".-@:" and "." in word and word.strip("."):
                return True
        if self.site is None or self.cwd != self.site.root:
            return self.site is not None
        own = [str(self.site.lock.get(name) or "") for name in ("plan", "progress")]
        names = [os.path.basename(path.rstrip("/")) for path in (*own, *self.place().hook_files)]
        return any(name and name in text for name in names)

    def _may_leave(self, plain: str) -> bool:
        """Tell whether a command may reach another tree, or what all of them share."""
        if "/" in plain or ".." in plain or "~" in plain or self._is_outside(self.cwd):
            return True
        from ultra_runtime.guard.shared_git import NAMES

        return "git" in plain and any(word in plain for word in (*_ELSEWHERE, *NAMES, "stash", "alias"))

    def _is_outside(self, folder: str) -> bool:
        """Tell whether a folder is outside the worktree of the run."""
        return self.site is not None and _leaves(folder, self.cwd, self.site.root, self.home)

    def _by_effects(self, watcher: Watcher) -> Verdict:
        """Judge the files that a command would change, and the trees that its git commands work in."""
        from ultra_runtime.files.globbed import globbed
        from ultra_runtime.guard.shell.syntax import TooMuch

        judged: set[tuple[str, bool]] = set()
        try:
            for named, removed, is_place in _changes(watcher):
                for path in (named, *globbed(os.path.join(self.cwd, named))):
                    if (path, removed) in judged:
                        continue
                    judged.add((path, removed))
                    watcher.work.spend(PATH_WORK + len(path))
                    verdict = self._written(path, removed)
                    if verdict.verdict == BLOCK and not (is_place and verdict.rule == OUTSIDE):
                        return verdict
        except TooMuch as unreadable:
            return ruled(load_policy(), "unreadable", str(unreadable)) if self.site else ALLOW
        return self._leaving(watcher)

    def _written(self, path: str, removed: bool) -> Verdict:
        from ultra_runtime.guard.paths import path_verdict

        own = self._own_files()
        if own:
            verdict = own.verdict_of_removing(path) if removed else own.verdict(path)
            if verdict:
                return verdict
        return path_verdict(path, self.place(), load_policy())

    def _leaving(self, watcher: Watcher) -> Verdict:
        """Refuse git outside the worktree of the run, and what all worktrees share: the stash, branches, settings."""
        site = self.site
        if site and site.is_linked and any(map(_stashes, watcher.commands())):
            reason = "all worktrees share one stash, so another session could take or drop what is put there"
            return Verdict(
                BLOCK, SHARED_STASH, reason, "leave the changes in the worktree; the step commits them"
            )
        shared = self._shared(watcher) if site and site.is_linked else ""
        if shared:
            reason = f"`{shared}` here changes what all worktrees of the repository share"
            return Verdict(
                BLOCK, SHARED_GIT, reason, "work on the branch of this worktree; leave the rest to the user"
            )
        if not site or not site.is_linked:
            return ALLOW
        from ultra_runtime.guard.shell.marks import show

        for folder in filter(self._is_outside, watcher.git_directories):
            reason = f"git would work in {show(folder)}, which is not the worktree of this run"
            return Verdict(BLOCK, MAIN_TREE, reason, "use git inside the worktree only")
        from ultra_runtime.guard.other_trees import changed_elsewhere

        for program, path in changed_elsewhere(watcher.ran or (), site.root, self.cwd, self.home):
            reason = (
                f"{program} would change {show(path)}, which is in another working tree of this repository"
            )
            return Verdict(BLOCK, MAIN_TREE, reason, "work inside the worktree of this run only")
        return ALLOW

    @staticmethod
    def _shared(watcher: Watcher) -> str:
        from ultra_runtime.guard.shared_git import reaches_others

        return reaches_others(list(watcher.commands()))

    def added(self) -> AddedRules | None:
        """Return the rules that the user and the project have added."""
        root = self.site.root if self.site else ""
        if not root:
            from ultra_runtime.guard.site import trees

            root = next(trees(self.cwd), (self.cwd, ""))[0]
        lexists = os.path.lexists
        if not self.packs and not lexists(rules_file(self.home)) and not lexists(rules_file(root)):
            return None
        from ultra_runtime.guard.added_rules import added_rules

        return added_rules([rules_file(self.home), rules_file(root)], self.packs)

    def _own_files(self) -> OwnFiles | None:
        if self._own is None and self.site is not None:
            from ultra_runtime.guard.own_files import OwnFiles

            self._own = OwnFiles(self.site, self.cwd, self.home)
        return self._own

    def place(self) -> PathContext:
        """Return what the rules on paths need."""
        if self._place is None:
            from ultra_runtime.guard.hooks_in_force import hook_files
            from ultra_runtime.guard.paths import PathContext
            from ultra_runtime.guard.site import trees

            site = self.site
            root, git_dir = (site.root, site.git_dir) if site else next(trees(self.cwd), (self.cwd, ""))
            self._place = PathContext(
                self.cwd, root, self.home, site is not None, hook_files(root, git_dir, self.home)
            )
        return self._place


def _changes(watcher: Watcher) -> Iterator[tuple[str, bool, bool]]:
    """Yield each path that a command changes, whether it is removed, and whether it may be anywhere."""
    from ultra_runtime.guard.changed_places import places
    from ultra_runtime.guard.shell.calls import REMOVE

    for write in watcher.changed():
        # a copy into a folder also by its path in that folder
        for path in (write.path, *(f"{write.path}/{name}" for name in write.names)):
            yield path, write.how == REMOVE, False
    for ran in watcher.ran or ():
        watcher.work.spend(len(ran.stdin) + sum(map(len, ran.args)))
        for path in places(ran):
            yield path, False, True


def _stashes(words: list[str]) -> bool:
    """Tell whether a command changes the stash."""
    from ultra_runtime.guard.rules.git_use import GitCall

    if words[0] != "git" and not words[0].startswith("git-"):
        return False
    verb, args = GitCall(words[0], words[1:]).resolved()
    return verb == "stash" and args[:1] not in ([one] for one in _ONLY_READ)


def _leaves(folder: str, cwd: str, root: str, home: str) -> bool:
    """Tell whether a folder is outside the worktree; an unknown one is left to git."""
    from ultra_runtime.guard.realpath import inside, real_place
    from ultra_runtime.guard.shell.marks import known

    if not known(folder):
        return False
    real = real_place(folder, cwd, home)
    return real is None or not inside(real, root)
