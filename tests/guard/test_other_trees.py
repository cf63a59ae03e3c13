"""What a session in a worktree must not change: the main tree and the worktrees of other sessions, however it gets there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.repository import git, make_repository
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.site import site_of_plan

UP = "../../../.."
"""The main tree, seen from a session."""
DENIED = f"""\
tar xf a.tar -C {UP}
tar -xzf a.tgz -C ../session-2
tar -x -f a.tar --directory={UP}
tar --extract --file a.tar --directory {UP}
tar xf a.tar -C src -C {UP}
bsdtar -xf a.zip -C {UP}
tar -C {UP} -xf a.tar
cat a.tar | tar x -C {UP}
tar cf {UP}/a.tar src
tar -cf ../session-2/a.tar src
(cd {UP} && tar xf -) < a.tar
cd {UP} && tar xf .claude/a.tar
unzip a.zip -d {UP}
unzip -q a.zip -d../session-2
cd {UP}; unzip a.zip
7z x a.7z -o{UP}
zip -r {UP}/a.zip src
gunzip {UP}/a.gz
gzip ../session-2/README.md
xz -d {UP}/a.xz
cp -t {UP} README.md
cp README.md --target-directory={UP}
install -Dm644 README.md {UP}/README.md
rsync -a --delete src/ {UP}/src/
rsync -a src ../session-2
ln -sf /etc/passwd {UP}/README.md
make -C {UP}
make -C{UP} test
make --directory={UP} install
make --directory {UP} install
cd {UP} && make
(cd ../session-2; make build)
env -C {UP} make
env --chdir={UP} touch x
ninja -C ../session-2
npm --prefix {UP} install
npm install --prefix={UP}
pnpm -C {UP} run build
yarn --cwd {UP} build
cd {UP} && npm ci
cd ../session-2 && yarn
cargo build --manifest-path {UP}/Cargo.toml
cargo -C {UP} build
go -C {UP} generate
cd {UP} && cargo fix
uv --directory {UP} sync
poetry -C {UP} install
pip install -t {UP}/lib requests==1
python3 -m pip install --target={UP}/lib requests==1
cmake -S . -B {UP}/build
cmake --build {UP}/build
mvn -f {UP}/pom.xml package
gradle -p {UP} build
composer -d {UP} update
git -C {UP} checkout .
git -C ../session-2 commit -am x
git clone . {UP}/copy
git archive -o {UP}/a.tar HEAD
git archive --output={UP}/a.tar HEAD
git format-patch -o {UP} HEAD~1
git diff --output={UP}/a.diff
git bundle create {UP}/a.bundle HEAD
git checkout-index -a --prefix={UP}/
git apply --directory={UP} a.diff
patch -d {UP} < a.diff
patch -p1 --directory={UP} < a.diff
patch {UP}/README.md a.diff
cd {UP} && patch -p1 < a.diff
cd {UP} && git apply a.diff
python3 -c 'open("{UP}/README.md", "w").write("x")'
python3 -c 'open("{UP}/README.md", mode="a").write("x")'
python3 -c 'from pathlib import Path; Path("{UP}/README.md").write_text("x")'
python3 -c 'import pathlib; p = pathlib.Path("../session-2/x"); p.unlink()'
python3 -c 'import shutil; shutil.copy("README.md", "{UP}/README.md")'
python3 -c 'import os; os.rename("README.md", "{UP}/README.md")'
python3 -c 'import os; os.remove("{UP}/README.md")'
python3 -c 'import os; os.chdir("{UP}"); open("README.md", "w")'
echo 'open("{UP}/README.md", "w")' | python3 -
node -e 'require("fs").writeFileSync("{UP}/README.md", "x")'
node -e 'fs.appendFileSync("../session-2/x", "x")'
node -e 'fs.promises.rm("{UP}/README.md")'
ruby -e 'File.write("{UP}/README.md", "x")'
ruby -e 'File.open("{UP}/README.md", "w")'
perl -e 'open(F, ">", "{UP}/README.md")'
perl -e 'unlink("{UP}/README.md")'
perl -pi -e 's/a/b/' {UP}/README.md
perl -i -pe 's/a/b/' ../session-2/README.md
ruby -i -pe 'x' {UP}/README.md
php -r 'file_put_contents("{UP}/README.md", "x");'
awk 'BEGIN {{ print "x" > "{UP}/README.md" }}'
awk -i inplace 1 {UP}/README.md
sed -i s/a/b/ {UP}/README.md
sed -n 'w {UP}/x' README.md
split -b 1 README.md {UP}/x
wget -P {UP} https://example.org/a
curl --output-dir {UP} -O https://example.org/a
sort -o {UP}/README.md README.md
tee {UP}/README.md < README.md
dd if=README.md of={UP}/README.md
truncate -s 0 {UP}/README.md
find {UP}/src -delete
find . -name a -exec cp {{}} {UP} \\;
xargs -I@ cp @ {UP} < list
mkdir {UP}/new
mkdir -p ../session-2/src/new
prettier --write {UP}/README.md
black {UP}/src
ruff format {UP}
ruff check --fix {UP}
gofmt -w {UP}/main.go
eslint --fix {UP}/src
npx prettier --write {UP}/README.md
cd {UP} && black .
python3 -m black {UP}/src
uv run ruff format {UP}
npm exec prettier -- --write {UP}/README.md
python3 -c 'import subprocess; subprocess.run(["make"], cwd="{UP}")'
node -e 'require("child_process").execSync("make", {{cwd: "{UP}"}})'
""".splitlines()
ALLOWED = f"""\
tar xf a.tar
tar xf a.tar -C src
tar xf {UP}/a.tar
tar tf {UP}/a.tar
tar -cf a.tar -C {UP} README.md
tar -c -C {UP} . | tar -x -C src
tar -xf a.tar -C src && cat {UP}/README.md
unzip {UP}/a.zip
unzip -l {UP}/a.zip
unzip {UP}/a.zip -d src
zip -r a.zip src
gzip -c {UP}/README.md
gunzip -c {UP}/a.gz
zcat {UP}/a.gz
gzip README.md
7z l {UP}/a.7z
cp {UP}/README.md src/
cp -t src {UP}/README.md
rsync -a {UP}/src/ src/
make
make -C src
make -C . test
make test CFLAGS=-C
make -f {UP}/Makefile
cd src && make
cd {UP} && ls
cd {UP} && cat README.md
(cd {UP} && pwd); make
npm ci
npm --prefix web test
npm run build
yarn --cwd web build
cargo build --manifest-path web/Cargo.toml
cargo test
go -C src test ./...
go test ./...
uv sync
pip install -r requirements.txt
pip install -r {UP}/requirements.txt
cmake -S {UP} -B build
cmake --build build
mvn package
gradle build
git archive -o a.tar HEAD
git format-patch -o patches HEAD~1
git diff --output=a.diff
git apply a.diff
git apply {UP}/a.diff
patch -p1 < {UP}/a.diff
patch -d src < a.diff
python3 -c 'print(open("{UP}/README.md").read())'
python3 -c 'open("{UP}/README.md", "r")'
python3 -c 'from pathlib import Path; print(Path("{UP}/README.md").read_text())'
python3 -c 'from pathlib import Path; Path("src/x").write_text("x")'
python3 -c 'from pathlib import Path; Path("src/x").write_text(Path("{UP}/x").read_text())'
python3 -c 'import shutil; shutil.copy("{UP}/README.md", "src/x")'
python3 -c 'import os; print(os.listdir("{UP}"))'
python3 -m pytest {UP}/tests
python3 {UP}/tools/check.py
python3 -c 'x = "{UP}"; y.remove("{UP}")'
node -e 'fs.readFileSync("{UP}/README.md")'
node -e 'fs.writeFileSync("src/x", fs.readFileSync("{UP}/x"))'
node {UP}/tools/check.js
ruby -e 'puts File.read("{UP}/README.md")'
perl -pe 's/a/b/' {UP}/README.md
perl -ne 'print' {UP}/README.md
perl -pi -e 's/a/b/' README.md
perl -Ilib -e 'print' {UP}/README.md
awk '{{ print }}' {UP}/README.md
sed s/a/b/ {UP}/README.md
split -b 1 {UP}/README.md src/x
curl -o x https://example.org/a
curl --output-dir src -O https://example.org/a
sort {UP}/README.md
diff -r src {UP}/src
grep -r x {UP}/src
mkdir -p src/new
mkdir -p /tmp/x
find {UP} -name x
ls -C {UP}
prettier --check {UP}/README.md
prettier --write src
black --check {UP}/src
black src
ruff check {UP}
ruff check --fix src
ruff format --diff {UP}
gofmt -l {UP}
eslint {UP}/src
cd /usr/share && make
make -C /usr/share/x
cd "$(mktemp -d)" && npm init -y
cd "$BUILD" && make
env -C src make
npx prettier --check {UP}/README.md
npm run prettier {UP}
python3 -m pytest -q
python3 -c 'import subprocess; subprocess.run(["make"], cwd="src")'
""".splitlines()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Return the judge in the worktree of a session that has a run."""
    repo = make_repository(tmp_path_factory.mktemp("trees") / "repo", {"README.md": "x\n", "src/a.py": "x\n"})
    for number in (1, 2):
        tree = f".claude/worktrees/greet/session-{number}"
        git(repo, "worktree", "add", "--quiet", "-b", f"session-{number}", tree)
    tree = str(repo / ".claude/worktrees/greet/session-1")
    return Judge(tree, site_of_plan(tree, ""), str(repo.parent / "home"))


@pytest.mark.parametrize("command", DENIED)
def test_nothing_reaches_another_tree(session: Judge, command: str) -> None:
    assert session.command(command).verdict == "block"


def test_a_call_that_is_made_in_another_tree_works_there(session: Judge) -> None:
    """The shell of the client keeps the folder of the call before."""
    away = Judge(str(Path(session.cwd, UP)), session.site, session.home)
    assert [away.command(command).verdict for command in ("make", "ls", "tar xf a.tar")] == [
        "block",
        "allow",
        "block",
    ]


@pytest.mark.parametrize("command", ALLOWED)
def test_reading_there_and_working_here_is_left_alone(session: Judge, command: str) -> None:
    found = session.command(command)
    assert found.verdict != "block", found
