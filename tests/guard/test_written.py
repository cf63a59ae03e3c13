"""What a command writes, for the path policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guard.policy_tables import policy
from ultra_runtime.guard.paths import PathContext, path_verdict, write_verdict
from ultra_runtime.guard.shell.marks import HOME, UNKNOWN, USER_HOME
from ultra_runtime.guard.verdict import git_directories, written_paths


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("ls", []),
        ("ls > out", ["out"]),
        ("ls >out 2>err", ["out", "err"]),
        ("ls >> log &> all", ["log", "all"]),
        ("ls >| out; ls <> both", ["out", "both"]),
        ("ls > /dev/null 2>&1", []),
        ("ls > /dev/stderr", []),
        ("cat < in", []),
        ("echo '> out'", []),
        ("cat > ~/.bashrc <<E\nx > y\nE", [HOME + "/.bashrc"]),
        ("echo x > ~bob/f", [USER_HOME + "bob/f"]),
        ('echo x > "$HOME/.env"', [HOME + "/.env"]),
        ("echo x > $PWD/f", ["f"]),
        ("echo x > $OUT", [UNKNOWN]),
        ('echo x > "$DIR/.env"', [UNKNOWN + "/.env"]),
        ("F=a/b; echo x > $F.txt", ["a/b.txt"]),
        ("tee a b < in", ["a", "b"]),
        ("ls | sudo tee -a /etc/x > /dev/null", ["/etc/x"]),
        ("cp a b", ["b"]),
        ("cp -r a b c/", ["c/"]),
        ("cp -t dir a", ["dir"]),
        ("mv --target-directory=dir a", ["dir", "a"]),
        ("install -m 644 a b", ["b"]),
        ("ln -s a b", ["b"]),
        ("ln -s x/a", ["a"]),
        ("sed -i s/a/b/ f g", ["f", "g"]),
        ("sed -i.bak -e s/a/b/ f", ["f"]),
        ("sed -n p f", []),
        ("sed --in-place=.b -e x f", ["f"]),
        ("dd if=a of=b", ["b"]),
        ("touch x", ["x"]),
        ("truncate -s 0 x", ["x"]),
        ("cd sub && echo x > f", ["sub/f"]),
        ("(cd sub; echo x > f); echo x > g", ["sub/f", "g"]),
        ("cd sub && cd .. && echo x > f", ["f"]),
        ("cd sub && echo x > ../f", ["sub/../f"]),
        ("cd /etc && echo x > f", ["/etc/f"]),
        ("cd $D && echo x > f", [UNKNOWN + "/f"]),
        ("bash -c 'echo x > f'", ["f"]),
        ("find . -exec cp {} /x \\;", ["/x"]),
        ("if true; then echo > a; else echo > b; fi > c", ["c", "a", "b"]),
        ("f() { echo > a; }", ["a"]),
        ("x=$(echo > a)", ["a"]),
        ("echo > a; echo 'open", ["a"]),
        ('python3 -c \'open("f", "w")\'', ["f"]),
        ("diff <(ls) <(ls -a)", []),
        ("ls > >(cat)", []),
    ],
)
def test_written_paths(command: str, paths: list[str]) -> None:
    assert [write.path for write in written_paths(command)] == paths


def test_what_a_directory_would_hold() -> None:
    (write,) = written_paths("cp x/settings.json y/.env dir")
    assert (write.path, write.names, write.via, write.known) == ("dir", ("settings.json", ".env"), "cp", True)
    assert not written_paths("echo > $X")[0].known


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("echo x > .env", "env_file"),
        ("cp .env.example .env", "env_file"),
        ("echo x >> ~/.ssh/authorized_keys", "secret_keys"),
        ("cd .git/hooks && cat > pre-commit <<E\nx\nE", "hook_script"),
        ("tee .claude/settings.json < x", "client_settings"),
        ("echo x > ../y", "outside_repository"),
        ("sed -i s/a/b/ src/x", ""),
    ],
)
def test_together_with_the_path_policy(command: str, rule: str, tmp_path: Path) -> None:
    place = PathContext(str(tmp_path), str(tmp_path), str(tmp_path / "home"))
    (write,) = written_paths(command)
    assert path_verdict(write.path, place, policy()).rule == rule


def test_a_folder_is_judged_by_what_it_would_hold(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    place = PathContext(str(tmp_path), str(tmp_path), str(tmp_path / "home"))

    def rule(command: str) -> str:
        (write,) = written_paths(command)
        return write_verdict(write.path, write.names, place, policy()).rule

    assert rule("cp x/settings.json .claude") == "client_settings"
    assert rule("cp x/settings.json .claude/") == "client_settings"
    assert rule("cp x/.env new") == ""  # a file of that name
    assert rule("cp x/.env .") == "env_file"
    assert rule("cp x/.env.sample .") == ""
    assert rule("cp x ../y") == "outside_repository"


def test_git_directories() -> None:
    assert git_directories("ls") == []
    assert git_directories("git status") == ["."]
    assert git_directories("git -C ../main commit -m x") == ["../main"]
    assert git_directories("cd ../main && git add x") == ["../main"]
    assert git_directories("GIT_DIR=/m/.git git add x; git add y") == ["/m/.git", "."]
    assert git_directories("git --git-dir=/m/.git --work-tree /m status") == ["/m/.git", "/m"]
