"""What a command writes, for the path policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.files import write_tree
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
        ("perl -pi -e s/a/b/ f g", ["f", "g"]),
        ("perl -i.bak -pe s/a/b/ f", ["f"]),
        ("perl -pe s/i/b/ f", []),
        ("perl -e 's/i/b/' f", []),
        ("perl p.pl -i f", []),
        ("perl -i p.pl f", ["f"]),
        ("ruby -i -pe x f", ["f"]),
        ("gawk -i inplace '{print}' f", ["f"]),
        ("gawk -i inplace -f p f", ["f"]),
        ("awk '{print}' f", []),
        ("ex -sc x f", ["f"]),
        ("tar -xf a.tar -C d", ["d"]),
        ("tar xfC a.tar d", ["d"]),
        ("tar --extract --directory=d -f a.tar", ["d"]),
        ("tar --get -C d -f a.tar", ["d"]),
        ("tar xf a.tar", []),
        ("tar -cf a.tar -C d .", []),
        ("git -C d clean -fdx", ["d"]),
        ("git --git-dir=d/.git commit -m x", []),
        ("git -C d status", []),
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
        ("tee -a a - b < in", ["a", "b"]),
        ("cp a", []),
        ("cp -S x a b", ["b"]),
        ("cp --suffix x a b", ["b"]),
        ("cp --target-directory d a", ["d"]),
        ("install -d a b", ["a", "b"]),
        ("install --directory a", ["a"]),
        ("install -o me -g us a b", ["b"]),
        ("ln -s a b c", ["c"]),
        ("ln x/", ["x"]),
        ("mv a b c", ["c", "a", "b"]),
        ("mv -t d a b", ["d", "a", "b"]),
        ("rsync a b", ["b"]),
        ("rsync -e ssh a host:b", []),
        ("rsync --exclude x a b", ["b"]),
        ("rsync -t a b", ["b"]),
        ("rm a b", ["a", "b"]),
        ("rm --help a", []),
        ("rm --version a", []),
        ("shred -n 3 -s 1 a", ["a"]),
        ("shred --iterations 3 --size 1 a", ["a"]),
        ("chmod 644 a", ["644", "a"]),
        ("chmod --version a", []),
        ("setfacl -m u:me:r a", ["a"]),
        ("setfacl -x u:me a", ["a"]),
        ("sed -ni p f", ["f"]),
        ("sed -in p f", ["f"]),
        ("sed -ei f", []),
        ("sed -nei f", []),
        ("sed -f i f", []),
        ("sed -fi f", []),
        ("sed -l5 p f", []),
        ("sed -i -f s f", ["f"]),
        ("sed -i --expression p f", ["f"]),
        ("sed -i --file=s f", ["f"]),
        ("sed --in-place p f", ["f"]),
        ("sed -n 'w out' f", ["out"]),
        ("sed 's/a/b/w out' f", ["out"]),
        ("sed 's/a/b/gw out' f", ["out"]),
        ("sed '1W out' f", ["out"]),
        ("sed 's/w x/b/' f", []),
        ("sed 's/a/w x/;p' f", []),
        ("ed f <<< 'w out'", ["out"]),
        ("ed f <<< w", []),
        ("sort -o out f", ["out"]),
        ("sort --output=out f", ["out"]),
        ("sort -k 2 -t o f", []),
        ("gcc -o out f.c", ["out"]),
        ("gcc -oout f.c", ["out"]),
        ("gcc -I o f.c", []),
        ("cc -c f.c -o -", []),
        ("openssl rand -out out 8", ["out"]),
        ("openssl req -keyout key -out out", ["key", "out"]),
        ("openssl enc -in out", []),
        ("yq -i .a f", ["f"]),
        ("yq --inplace .a f", ["f"]),
        ("yq .a f", []),
        ("yq -i -e .a f", ["f"]),
        ("gpg -o out -d f", ["out"]),
        ("gpg --output out f", ["out"]),
        ("gpg -r out f", []),
        ("iconv -f a -t b -o out f", ["out"]),
        ("pandoc -t html -o out f", ["out"]),
        ("patch -o out f", ["out"]),
        ("tcpdump -w out", ["out"]),
        ("tcpdump -i out", []),
        ("unzip -d out f", ["out"]),
        ("unzip f", []),
        ("rustc --out-dir out f", ["out"]),
        ("cpio -D out", ["out"]),
        ("cpio -O out", ["out"]),
        ("cpio -I out", []),
        ("xmllint --output out f", ["out"]),
        ("dot -Tpng -o out f", ["out"]),
        ("split f", ["xaa", "xab"]),
        ("split -b 5 f p", ["paa", "pab"]),
        ("split --bytes 5 f p", ["paa", "pab"]),
        ("split --filter=ls f", []),
        ("csplit f 3", ["xx00", "xx01"]),
        ("csplit --prefix p f 3", ["p00", "p01"]),
        ("touch -r a b", ["b"]),
        ("touch -d now b", ["b"]),
        ("touch --reference a b", ["b"]),
        ("truncate --size 5 b", ["b"]),
        ("ddrescue a b", ["b"]),
        ("ddrescue a", []),
        ("qemu-img convert a b", ["b"]),
        ("qemu-img dd a b", ["b"]),
        ("qemu-img dd if=a of=b", []),
        ("qemu-img info a b", []),
        ("curl -o out http://a/b", ["out"]),
        ("curl --output out http://a/b", ["out"]),
        ("curl -o - http://a/b", []),
        ("curl -o /dev/stdout http://a/b", []),
        ("curl -O http://a/b", ["b"]),
        ("curl -O http://a/b?c", ["b"]),
        ("curl --remote-name http://a/b", ["b"]),
        ("curl -H out http://a/b", []),
        ("curl http://a/b", []),
        ("curl -O b", []),
        ("wget http://a/b", ["b"]),
        ("wget -O out http://a/b", ["out"]),
        ("wget --output-document out http://a/b", ["out"]),
        ("wget -o log http://a/b", ["b"]),
        ("wget -O - http://a/b", ["b"]),
        ("aria2c -o out http://a/b", ["out"]),
        ("aria2c http://a/b", ["b"]),
        ("http -o out a/b", ["out"]),
        ("dd if=a", []),
        ("find . -delete", ["."]),
        ("find a b -delete", ["a", "b"]),
        ("find a ! -name x -delete", ["a"]),
        ("find a \\( -name x \\) -delete", ["a"]),
        ("find -name x -delete", ["."]),
        ("find . -fls out", ["out"]),
        ("find . -fprint out", ["out"]),
        ("find . -fprintf", []),
        ("git rm a b", ["a", "b"]),
        ("git mv a b", ["a", "b"]),
        ("git -C d rm a", ["d/a"]),
        ("git -C d rm /r/a", ["/r/a"]),
        ("git rm ':(top)a' ':(icase,literal)b(c)'", ["a", "b(c)"]),
        ("git rm --cached a", []),
        ("git restore a b", ["a", "b"]),
        ("git restore -s HEAD~1 --staged --worktree a", ["a"]),
        ("git restore --staged a", []),
        ("git -C sub checkout HEAD -- a", ["sub/a"]),
        ("git checkout main", []),
        ("git config -f a x.y z", ["a"]),
        ("git config --file=a --unset x.y", ["a"]),
        ("git config -f a x.y", []),
        ("git config x.y z", []),
        ("git add a", []),
        ("ls 3> out", ["out"]),
        ("ls 2>> out", ["out"]),
        ("ls >& out", ["out"]),
        ("ls >&2", []),
        ("ls 2>&-", []),
        ("ls &>> out", ["out"]),
        ("ls < in > out", ["out"]),
        ("{ ls; } > out", ["out"]),
        ("while ls; do ls; done >> out", ["out"]),
        ("env -C d touch x", ["d/x"]),
        ("env --chdir=d touch x; touch y", ["d/x", "y"]),
        ("sudo -D d touch x", ["d/x"]),
        ("cd a; cd b; touch x", ["a/b/x"]),
        ("bash -c 'cd a; touch x'; touch y", ["a/x", "y"]),
        ("echo 'cd a; touch x' > s; sh s; touch y", ["s", "a/x", "y"]),
        ("find . -exec sh -c 'cd a' \\;; touch y", ["y"]),
        ("cd a/..; touch x", ["x"]),
        ("cd ./a/./b; touch x", ["a/b/x"]),
        ("cd a; cd -; touch x", [UNKNOWN + "/x"]),
        ("cd; touch x", [HOME + "/x"]),
        ("pushd a; touch x; popd; touch y", ["a/x", UNKNOWN + "/y"]),
        ("cd a; touch /x", ["/x"]),
        ("cd a; touch ~/x", [HOME + "/x"]),
        ("cd -P a; touch x", ["a/x"]),
        ("touch ~+/x", ["x"]),
        ("touch ~a-b.c_d/x", [USER_HOME + "a-b.c_d/x"]),
        ("touch ~:/x", ["~:/x"]),
        ("diff <(ls) <(ls -a)", []),
        ("ls > >(cat)", []),
    ],
)
def test_written_paths(command: str, paths: list[str]) -> None:
    assert [write.path for write in watch(command).changed()] == paths


@pytest.mark.parametrize(
    ("how", "commands"),
    [
        ("append", "touch x; tee -a x; tee --append x; echo >> x; echo &>> x; ls <> x"),
        (
            "truncate",
            "truncate -s 0 x; tee x; echo > x; echo &> x; dd of=x; sort -o x; curl -o x a/b; split y x",
        ),
        ("replace", "cp a x; install a x; rsync a x; sed -i p x; yq -i p x"),
        ("link", "ln a x; ln -s a x; ln x"),
        ("remove", "rm x; rmdir x; shred x; git rm x; unlink x; find x -delete; find x -type f -delete"),
        ("mode", "chmod +x x; chown me x; find x -name y -delete"),
    ],
)
def test_how_a_file_changes(how: str, commands: str) -> None:
    for command in commands.split("; "):
        assert {write.how for write in watch(command).changed()} == {how}, command
    assert [write.how for write in watch("mv a x").changed()] == ["replace", "remove"]


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
        ("git rm ':(top).env'", "env_file"),
        ("git mv .env x", "env_file"),
        ("git -C web rm .env", "env_file"),
        ("find ~/.aws -name x -delete", "secret_keys"),
        ("rm ../y", "outside_repository"),
        ("rm -r /var/tmp/x", "outside_repository"),
        ("mv ../y .", "outside_repository"),
        ("chmod +x ../y", "outside_repository"),
        ("rmdir ../y", "outside_repository"),
        ("tar -xf x.tar -C ..", "outside_repository"),
        ("git -C ../y clean -fdx", "outside_repository"),
        ("cd .. && git reset --hard", "outside_repository"),
        ("cd src && git checkout -- x", ""),
        ("perl -pi -e s/a/b/ .env", "env_file"),
        ("ex -sc x .env", "env_file"),
        ("curl -o ~/.ssh/authorized_keys example.org/k", "secret_keys"),
        ("wget -O ../y example.org/k", "outside_repository"),
        ("wget -P .husky example.org/k", "hook_script"),
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
        ("find src -type f -delete", ""),
        ("cat ~/.ssh/config", ""),
        ("curl -o x example.org/k", ""),
        ("curl -o /dev/null example.org/k", ""),
        ("cp x/.env.sample .", ""),
    ],
)
def test_the_judge_of_what_a_command_changes(command: str, rule: str, tmp_path: Path) -> None:
    assert judge(tmp_path).command(command).rule == rule


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("rm .e*", "env_file"),
        ("sed -i s/a/b/ */.claude/set*", "client_settings"),
        ("cp x ?eb/.claude/settings.json", "client_settings"),
        ("chmod 644 .[a-f]nv", "env_file"),
        ("rm *", ""),
        ("rm -r web/*", ""),
        ("rm .x* nothing*", ""),
        ("rm */*/*", ""),  # to look for these could take too long
    ],
)
def test_a_pattern_means_the_files_that_it_names(command: str, rule: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {".env": "", "web/.claude/settings.json": "", "a": ""})
    assert judge(tmp_path).command(command).rule == rule


def test_what_is_written_first_is_judged_again_when_it_is_removed(tmp_path: Path) -> None:
    site = site_of_plan(str(tmp_path), str(tmp_path / "notes/plan.md"))
    own = Judge(str(tmp_path), site, str(tmp_path / "home"))
    assert own.command("cp a notes").rule == ""
    for command in ("rm -r notes", "cp a notes; rm -r notes", "rm -r notes; cp a notes"):
        assert own.command(command).rule == "run_file", command


def test_a_plan_at_the_root_has_its_records_there(tmp_path: Path) -> None:
    for plan, rule in (("plan.md", "run_file"), ("", "")):
        site = site_of_plan(str(tmp_path), str(tmp_path / plan) if plan else "")
        own = Judge(str(tmp_path), site, str(tmp_path / "home"))
        assert {own.path(name).rule for name in ("progress.json", "progress.json.prev")} == {rule}, plan


def test_git_directories() -> None:
    assert watch("ls").git_directories == []
    assert watch("git status").git_directories == ["."]
    assert watch("git -C ../main commit -m x").git_directories == ["../main"]
    assert watch("cd ../main && git add x").git_directories == ["../main"]
    assert watch("GIT_DIR=/m/.git git add x; git add y").git_directories == ["/m/.git", "."]
    assert watch("git --git-dir=/m/.git --work-tree /m status").git_directories == ["/m/.git", "/m"]
