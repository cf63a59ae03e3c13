"""The path policy, decided on real paths of a real tree."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guard.policy_tables import policy
from tests.kit.quick import examples
from tests.kit.repository import git, make_repository
from ultra_runtime.guard.paths import PathContext, _like, path_verdict, protected_name
from ultra_runtime.guard.realpath import inside, real_path
from ultra_runtime.guard.shell.marks import HOME, UNKNOWN, USER_HOME

POLICY = policy()


def build(base: Path, files: dict[str, str]) -> None:
    """Make files and links; `-> target` as the text makes a link, a name with a slash at its end a folder."""
    for name, text in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        elif text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    build(
        tmp_path,
        {"repo/src/a.py": "", "repo/.git/hooks/": "", "repo-evil/x": "", "home/.ssh/": "", "other/x": ""},
    )
    return tmp_path


def rule(base: Path, path: str, cwd: str = "repo", **more: object) -> str:
    place = PathContext(str(base / cwd), str(base / "repo"), str(base / "home"))
    for name, value in more.items():
        setattr(place, name, value)
    return path_verdict(path, place, POLICY).rule


def test_inside_and_outside(base: Path) -> None:
    assert rule(base, "src/a.py") == ""
    assert rule(base, "new/folder/file.py") == ""
    assert rule(base, str(base / "repo" / "x")) == ""
    assert rule(base, "../repo/x") == ""
    assert rule(base, "../x", "repo/src") == ""
    assert rule(base, "../../other/x", "repo/src") == "outside_repository"
    assert rule(base, str(base / "repo-evil" / "x")) == "outside_repository"
    assert rule(base, "/tmp/x") == "outside_repository"
    assert rule(base, "/") == "outside_repository"
    assert rule(base, ".") == ""


def test_the_boundary_can_be_left_out(base: Path) -> None:
    assert rule(base, "/tmp/x", boundary=False) == ""
    assert rule(base, "~/.ssh/x", boundary=False) == "secret_keys"
    assert rule(base, "~root/x", boundary=False) == ""
    assert rule(base, "~root/.ssh/x", boundary=False) == "secret_keys"


def test_no_file(base: Path) -> None:
    for path in ("", "a\0b", "\0"):
        assert rule(base, path) == "bad_path"
    build(base, {"repo/loop": "-> loop", "repo/a": "-> b", "repo/b": "-> a"})
    assert rule(base, "loop") == "bad_path"
    assert rule(base, "a/x") == "bad_path"


def test_links_are_followed(base: Path) -> None:
    build(
        base,
        {
            "repo/out": f"-> {base}/other",
            "repo/up": "-> ../other",
            "repo/secret": "-> .env",
            "repo/innocent": "-> src/a.py",
            "repo/.env.local": "-> src/a.py",
            "repo/dir": "-> src/deep",
            "repo/src/deep/": "",
            "other/in": f"-> {base}/repo/src",
        },
    )
    assert rule(base, "out/x") == "outside_repository"
    assert rule(base, "up/x") == "outside_repository"
    assert rule(base, "secret") == "env_file"
    assert rule(base, "innocent") == ""
    assert rule(base, "dir/../x") == ""
    assert rule(base, "dir/../../../x") == "outside_repository"  # `..` leaves what the link leads to
    assert rule(base, "../other/in/x") == ""


def test_a_link_from_a_protected_place_protects_what_it_leads_to(base: Path) -> None:
    build(
        base,
        {
            "repo/dotfiles/bashrc": "",
            "home/.bashrc": f"-> {base}/repo/dotfiles/bashrc",
            "home/.aws": f"-> {base}/repo/aws",
            "repo/.claude/hooks": "-> ../tools",
            "repo/.env": "-> config/dev",
        },
    )
    assert rule(base, "dotfiles/bashrc") == "shell_startup"
    assert rule(base, "dotfiles/zshrc") == ""
    assert rule(base, "aws/credentials") == "secret_keys"
    assert rule(base, "tools/guard.py") == "hook_script"
    assert rule(base, "config/dev") == "env_file"


def test_home_spellings(base: Path) -> None:
    for spelling in ("~", "$HOME", "${HOME}", HOME, str(base / "home")):
        assert rule(base, f"{spelling}/.ssh/config") == "secret_keys"
        assert rule(base, f"{spelling}/.zshrc") == "shell_startup"
        assert rule(base, f"{spelling}/x") == "outside_repository"
    assert rule(base, "$HOMER/x") == ""  # a folder of that name
    assert rule(base, "a~/x") == ""
    assert rule(base, "~other/x") == "outside_repository"
    assert rule(base, USER_HOME + "other/x") == "outside_repository"


def test_case_is_not_looked_at(base: Path) -> None:
    assert rule(base, ".ENV") == "env_file"
    assert rule(base, ".Git/HOOKS/pre-commit") == "hook_script"
    assert rule(base, "~/.SSH/id") == "secret_keys"
    assert rule(base, ".claude/SETTINGS.json") == "client_settings"


def test_case_of_the_root_is_up_to_the_file_system(base: Path) -> None:
    (base / "REPO").mkdir(exist_ok=True)
    same = os.path.samefile(base / "REPO", base / "repo")
    assert rule(base, str(base / "REPO" / "x")) == ("" if same else "outside_repository")


def test_hooks_of_every_git_dir(base: Path) -> None:
    build(
        base,
        {
            "repo/bare/HEAD": "", "repo/bare/objects/": "", "repo/bare/hooks/": "", "repo/lib/hooks/x": "",
            "repo/half/HEAD": "", "repo/half/hooks/": "", "repo/other/objects/": "", "repo/other/hooks/": "",
        },
    )  # fmt: skip
    assert rule(base, "half/hooks/x") == rule(base, "other/hooks/x") == ""
    assert rule(base, ".git/hooks/pre-commit") == "hook_script"
    assert rule(base, ".git/modules/lib/hooks/post-merge") == "hook_script"
    assert rule(base, ".git/worktrees/w/hooks/x") == "hook_script"
    assert rule(base, "bare/hooks/update") == "hook_script"
    assert rule(base, "lib/hooks/x") == ""
    assert rule(base, "hooks/x") == ""
    assert rule(base, ".git/description") == rule(base, "hooks/.git/description") == "git_dir"


def test_hooks_that_git_itself_makes(base: Path) -> None:
    source, repo = base / "source", base / "real"
    for folder in (source, repo):
        make_repository(folder, {"README.md": "# A repository\n"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", source, "sub")
    git(repo, "worktree", "add", "-q", ".claude/worktrees/w")
    tree = repo / ".claude/worktrees/w"
    place = PathContext(str(tree), str(tree), str(base / "home"))

    def verdict(path: str) -> str:
        return path_verdict(path, place, POLICY).rule

    hooks = git(repo / "sub", "rev-parse", "--git-path", "hooks")
    whole = PathContext(str(repo / "sub"), str(repo), str(base / "home"))
    assert path_verdict(f"{hooks}/pre-commit", whole, POLICY).rule == "hook_script"
    assert verdict("new.py") == ""
    assert verdict("../../../x.py") == "outside_repository"  # the main tree
    assert verdict(str(repo / "x.py")) == "outside_repository"
    assert verdict(str(repo / ".git/hooks/pre-commit")) == "hook_script"


def test_files_that_settings_name(base: Path) -> None:
    named = ("tools/check.py", str(base / "repo" / "githooks"))
    assert rule(base, "tools/check.py", hook_files=named) == "hook_script"
    assert rule(base, "githooks/pre-push", hook_files=named) == "hook_script"
    assert rule(base, "tools/other.py", hook_files=named) == ""


def test_partly_known_paths(base: Path) -> None:
    assert rule(base, UNKNOWN) == ""
    assert rule(base, f"{UNKNOWN}/.env") == "env_file"
    assert rule(base, f"{UNKNOWN}/.env.example") == ""
    assert rule(base, f"{UNKNOWN}/.ssh/authorized_keys") == "secret_keys"
    assert rule(base, f"src/{UNKNOWN}.py") == ""
    assert rule(base, f"/etc/{UNKNOWN}") == "outside_repository"
    assert rule(base, f"/{UNKNOWN}/x") == ""
    assert rule(base, f"{base}/{UNKNOWN}") == ""  # may be the repository
    assert rule(base, f"../other/{UNKNOWN}") == "outside_repository"
    assert rule(base, f"{HOME}/{UNKNOWN}") == "outside_repository"


def fits(names: list[str], pattern: str, first: int | None) -> bool:
    """Tell whether components fit a pattern that begins at one of them; None for a pattern that ends at the last."""
    fixed = pattern.lower().removesuffix("/**").split("/")
    whole = pattern.endswith("/**")
    places = [first] if first is not None else range(len(names)) if whole else [len(names) - len(fixed)]
    return any(
        at >= 0
        and (len(names) >= at + len(fixed) if whole else len(names) == at + len(fixed))
        and all(map(fnmatchcase, names[at:], fixed))
        for at in places
    )


def paths_about(pattern: str) -> Iterator[str]:
    """Yield paths that fit a pattern, and paths that nearly do."""
    bare = pattern.removeprefix("~/").removeprefix("/").removesuffix("/**")
    for star in ("", "x", "Long.Name"):
        path = bare.replace("*", star)
        yield from (path, path.upper(), f"{path}/below", f"{path}/a/b", f"pre/{path}", f"{path}x", f"x{path}")
        yield from (path[:-1], path.rpartition("/")[2], f"{path}.example", f"{path}.lock")
    yield from (
        f"{bare.replace('*', 'x')}/{free}" for free in (".env.example", "x.lock")
    )  # exceptions of two rules
    head, _, tail = bare.partition("*")
    yield from (head + tail[1:], head[:-1] + tail)


def test_every_pattern_protects_what_it_says_and_nothing_near_it(base: Path) -> None:
    """The rules of the policy as data, compared with an oracle of their sentence."""
    rules = [
        (name, patterns, [one.lower() for one in unless]) for name, (patterns, unless) in POLICY.paths.items()
    ]
    about = {path for _, patterns, _ in rules for pattern in patterns for path in paths_about(pattern)}
    wrong = []
    for path in sorted(
        one for one in about if one.strip("/.") and "hooks" not in one.lower() and "//" not in one
    ):
        names = path.lower().split("/")

        def expected(
            *forms: tuple[str, list[str], int | None], tail: list[str] = names, excused: bool = True
        ) -> str:
            """Return the first rule with a pattern that fits one of the forms: its beginning, components, place."""
            for name, patterns, unless in rules:
                if excused and any(fnmatchcase(tail[-1], one) for one in unless):
                    continue
                for start, parts, first in forms:
                    own = [one for one in patterns if (one[0] if one[0] in "~/" else "") == start[:1]]
                    own = [one for one in own if not start.endswith("**") or one.endswith("/**")]
                    if any(fits(parts, one.removeprefix("~/").removeprefix("/"), first) for one in own):
                        return name
            return ""

        told = {
            path: expected(("", names, None)),
            f"{HOME}/{path}": expected(("~", names, 0), ("", names, None)),
            f"/{path}": expected(("/", names, 0), ("", names, None)),
            f"{USER_HOME}other/{path}": expected(("~", names, 0), excused=False),
            f"{UNKNOWN}/{path}": expected(("", names, None), ("~**", names, 0)),
        }
        found = {one: rule(base, one, boundary=False) for one in told}
        wrong += [(one, found[one], told[one]) for one in told if found[one] != told[one]]
        if protected_name(path, POLICY) != told[path]:
            wrong.append((path, protected_name(path, POLICY), told[path]))
    assert wrong == []


def test_links_are_followed_behind_folders_that_are_not_there(tmp_path: Path) -> None:
    """Every short path of these parts leads where the system says."""
    build(tmp_path, {"out/d/": "", "d/": "", "l": "-> out/d", "d/l": "-> ../l/.."})
    parts = ("new", "..", "l", "d", "")
    paths = [
        f"{tmp_path}/{'/'.join(one)}" for size in (3, 5) for one in itertools.product(parts, repeat=size)
    ]
    assert not [path for path in paths if real_path(path) != os.path.realpath(path)]


NAMES = ("a", "b", "c", "l1", "l2", "l3", ".env", "repo", "repo-evil")
COMPONENT = st.sampled_from([*NAMES, "..", ".", "", "new"])
TARGET = st.lists(COMPONENT, min_size=1, max_size=4).map("/".join)


@settings(
    deadline=None, max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    links=st.lists(
        st.tuples(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), TARGET, st.booleans()), max_size=6
    ),
    folders=st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), max_size=5),
    paths=st.lists(st.lists(COMPONENT, min_size=1, max_size=6), min_size=1, max_size=8),
)
def test_real_paths_are_those_of_the_system(
    tmp_path_factory: pytest.TempPathFactory,
    links: list[tuple[list[str], str, bool]],
    folders: list[list[str]],
    paths: list[list[str]],
) -> None:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("tree")))
    (base / "repo").mkdir()
    for names in folders:
        os.makedirs(base.joinpath(*names), exist_ok=True)
    for names, target, absolute in links:
        link = base.joinpath(*names)
        if link.parent.is_dir() and not link.exists() and not link.is_symlink():
            link.symlink_to(f"{base}/{target}" if absolute else target or ".")
    place = PathContext(str(base / "repo"), str(base / "repo"), str(base / "home"))
    for names in paths:
        path = f"{base}/" + "/".join(names)
        try:
            os.stat(path)
            looped = False
        except OSError as error:
            looped = error.errno == errno.ELOOP
        ours = real_path(path)
        if looped:
            assert path_verdict(path, place, POLICY).verdict == "block"
            continue
        if ours is None:  # a loop behind a folder that is not there: nothing to write to either
            with pytest.raises(OSError, match="symbolic links"):
                os.stat(os.path.realpath(path))
            continue
        assert ours == os.path.realpath(path)
        verdict = path_verdict(path, place, POLICY)
        below = os.path.commonpath([ours, str(base / "repo")]) == str(base / "repo")
        if verdict.verdict == "allow":
            assert below
        elif verdict.rule == "outside_repository":
            assert not below
        assert path_verdict(ours, place, POLICY).rule == verdict.rule


@given(
    st.text("ab", max_size=5),
    st.text("ab", max_size=3),
    st.sampled_from(["", "*"]),
    st.text("ab", max_size=3),
)
def test_a_star_stands_for_any_part_of_one_component(name: str, head: str, star: str, tail: str) -> None:
    assert _like(name, head + star + tail) == fnmatchcase(name, head + star + tail)


def test_inside_tells_siblings_apart(tmp_path: Path) -> None:
    assert inside("/a/repo/x", "/a/repo")
    assert inside("/a/repo", "/a/repo")
    assert not inside("/a/repo-evil/x", "/a/repo")
    assert not inside("/a", "/a/repo")
    assert inside("/anything", "/")


def test_a_path_whose_case_differs_is_inside_where_the_file_system_says_so(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    folder = str(tmp_path / "repo")
    for name, expected in (("repo", True), ("REPO", False), ("other", False), ("repox", False)):
        assert inside(str(tmp_path / name), folder) == inside(str(tmp_path / name / "x"), folder) == expected
    for name in ("REPO", "other"):
        (tmp_path / name).symlink_to("repo")  # as on a disk that takes both names for one
    assert inside(str(tmp_path / "REPO/x"), folder)
    assert not inside(str(tmp_path / "other/x"), folder)
