"""What a command writes, for the path policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.shell.marks import HOME, UNKNOWN, USER_HOME, known
from ultra_runtime.guard.site import site_of_plan


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
        ("cp a b:c", ["b:c"]),
        ("scp a b", ["b"]),
        ("scp a b:c", []),
        ("scp a d/b:c", ["d/b:c"]),
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
        ("sed -i 1ix f", ["f"]),
        ("sed '1i x' -i f", ["f"]),
        ("find . -fprintf out '%p' -o -fprint0 b", ["out", "b"]),
        ("split -l 5 a .git/hooks/", [".git/hooks/aa", ".git/hooks/ab"]),
        ("split --filter='cat > $FILE' a", [UNKNOWN]),
        ("csplit -f p a 3", ["p00", "p01"]),
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
    assert [write.path for write in watch(command).changed()] == paths


def test_what_a_directory_would_hold() -> None:
    (write,) = watch("cp x/settings.json y/.env dir").changed()
    assert (write.path, write.names, write.via) == ("dir", ("settings.json", ".env"), "cp")
    assert not known(watch("echo > $X").changed()[0].path)


def judge(folder: Path) -> Judge:
    """Return the judge of a run in a folder."""
    return Judge(str(folder), site_of_plan(str(folder), ""), str(folder / "home"))


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("echo x > .env", "env_file"),
        ("cp .env.example .env", "env_file"),
        ("echo x >> ~/.ssh/authorized_keys", "secret_keys"),
        ("rm ~/.ssh/known_hosts", "secret_keys"),
        ("mv ~/.ssh/config x", "secret_keys"),
        ("mv -t x ~/.ssh/config", "secret_keys"),
        ("mv x ~/.bashrc", "shell_startup"),
        ("truncate -s 0 ~/.bashrc", "shell_startup"),
        ("ln -sf x ~/.bashrc", "shell_startup"),
        ("chmod 644 ~/.aws/credentials", "secret_keys"),
        ("chmod -x ~/.aws/credentials", "secret_keys"),
        ("chown me .env", "env_file"),
        ("setfacl -m u:me:r .env", "env_file"),
        ("unlink .env", "env_file"),
        ("shred -u .env", "env_file"),
        ("git rm .env", "env_file"),
        ("git mv .env x", "env_file"),
        ("git -C web rm .env", "env_file"),
        ("find ~/.aws -name x -delete", "secret_keys"),
        ("rm ../y", "outside_repository"),
        ("rm -r /var/tmp/x", "outside_repository"),
        ("mv ../y .", "outside_repository"),
        ("chmod +x ../y", "outside_repository"),
        ("rmdir ../y", "outside_repository"),
        ("curl -o ~/.ssh/authorized_keys example.org/k", "secret_keys"),
        ("wget -O ../y example.org/k", "outside_repository"),
        ("cd .git/hooks && cat > pre-commit <<E\nx\nE", "hook_script"),
        ("tee .claude/settings.json < x", "client_settings"),
        ("echo x > ../y", "outside_repository"),
        ("cp x/settings.json .claude", "client_settings"),
        ("cp x/.env .", "env_file"),
        ("sed -i s/a/b/ src/x", ""),
        ("cp ../y .", ""),
        ("cp ~/.bashrc x", ""),
        ("rm src/x", ""),
        ("chmod --help /", ""),
        ("rm -- --help ~/.bashrc", "shell_startup"),
        ("rm -r src", ""),
        ('rm -r "$d"', ""),
        ("mv src/a src/b", ""),
        ("chmod +x run.sh", ""),
        ("chmod 755 src/x", ""),
        ("git rm --cached .env", ""),
        ("git mv src/a src/b", ""),
        ("find . -name '*.pyc' -delete", ""),
        ("cat ~/.ssh/config", ""),
        ("curl -o x example.org/k", ""),
        ("curl -o /dev/null example.org/k", ""),
        ("cp x/.env.sample .", ""),
    ],
)
def test_the_judge_of_what_a_command_changes(command: str, rule: str, tmp_path: Path) -> None:
    assert judge(tmp_path).command(command).rule == rule


def test_git_directories() -> None:
    assert watch("ls").git_directories == []
    assert watch("git status").git_directories == ["."]
    assert watch("git -C ../main commit -m x").git_directories == ["../main"]
    assert watch("cd ../main && git add x").git_directories == ["../main"]
    assert watch("GIT_DIR=/m/.git git add x; git add y").git_directories == ["/m/.git", "."]
    assert watch("git --git-dir=/m/.git --work-tree /m status").git_directories == ["/m/.git", "/m"]
