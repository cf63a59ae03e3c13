"""Whatever program changes a protected file of the repository, a run refuses it, and the same for another file not."""

from __future__ import annotations

from pathlib import Path

from tests.kit.files import write_tree
from tests.kit.names import PROJECT
from tests.kit.repository import make_repository
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.site import site_of_plan

PROTECTED = (
    *(".mcp.json", ".claude/hooks/x", ".claude/settings.json", ".git/config", ".git/hooks/x", ".env", "tools/hook.py"),
    f"{PROJECT}/plan.md",
)  # fmt: skip
HARMLESS = ("src/x.txt", ".github/x.yml")
# FILE is the path.
CHANGES = """\
python3 -c 'from pathlib import Path; Path("FILE").write_text("x")'
python3 -c 'from pathlib import Path; Path("FILE").write_bytes(b"x")'
python3 -c 'import pathlib; pathlib.Path("FILE").unlink()'
python3 -c 'import pathlib; p = pathlib.Path("FILE"); p.unlink()'
python3 -c 'from pathlib import Path; Path("FILE").rename("y")'
python3 -c 'from pathlib import Path; Path("FILE").open("w").write("x")'
python3 -c 'from pathlib import Path; (Path(".") / "FILE").write_text("x")'
python3 -c 'from pathlib import Path; Path(".", "FILE").write_text("x")'
python3 -c 'from pathlib import Path; f = Path(r"FILE"); f.touch()'
python3 -c 'open("FILE", "w").write("x")'
python3 -c 'open(file="FILE", mode="a")'
python3 -c 'import json; json.dump({}, open("FILE", "w"))'
python3 -c 'import shutil; shutil.copy("a", "FILE")'
python3 -c 'import shutil; shutil.move("FILE", "a")'
python3 -c 'import os; os.rename("a", "FILE")'
python3 -c 'import os; os.replace("a", "FILE")'
python3 -c 'import os; os.remove("FILE")'
python3 -c 'import os; os.chmod("FILE", 0o755)'
python3 -c 'from os import remove; remove("FILE")'
python3 -c 'from shutil import copy, move; move("a", "FILE")'
python3 -c '__import__("os").remove("FILE")'
python3 - <<E\\nfrom pathlib import Path\\nPath("FILE").write_text("x")\\nE
echo 'import os; os.remove("FILE")' | python3
node -e 'require("fs").writeFileSync("FILE", "x")'
node -e "require('fs').appendFileSync('FILE', 'x')"
node -e 'require("fs").unlink("FILE", () => 0)'
node -e 'require("node:fs/promises").rm("FILE")'
node -e 'const {rm} = require("fs"); rm("FILE", () => 0)'
node -e 'fs.rmSync("FILE")'
node -e 'fs.renameSync("a", "FILE")'
node -e 'fs.promises.writeFile("FILE", "x")'
ruby -e 'File.write("FILE", "x")'
ruby -e 'File.delete("FILE")'
php -r 'file_put_contents("FILE", "x");'
perl -e 'unlink("FILE")'
git archive -o FILE HEAD
git archive --output=FILE HEAD
git archive -oFILE HEAD
git diff --output=FILE
git log --output FILE
git show --output=FILE
git diff-tree --output=FILE HEAD
git bundle create FILE HEAD
git format-patch -o FILE HEAD~1
git clone . FILE
git checkout-index -a --prefix=FILE
git checkout-index -f FILE
git worktree add -b x FILE
git submodule add ./x FILE
git clean -f FILE
git merge-file FILE a b
git -C src archive -o ../FILE HEAD
tar cf FILE src
tar -czf FILE src
tar xf a.tar FILE
unzip -o a.zip FILE
zip FILE src/a.py
gzip FILE
gunzip FILE
xz -z FILE
split -b 1 a FILE/
uniq a FILE
shuf -o FILE a
sort -o FILE a
find . -fprint FILE
find . -path ./FILE -fls FILE
command time -o FILE ls
/usr/bin/time --output=FILE ls
strace -o FILE ls
script FILE
go build -o FILE
pip install -t FILE x==1
python3 -m pip install --target FILE x==1
prettier -w FILE
npx prettier --write FILE
eslint --fix FILE
black FILE
ruff format FILE
ruff check --fix FILE
mkdir FILE
mkfifo FILE
dos2unix FILE
rename s/a/b/ FILE
sd a b FILE
curl -o FILE https://example.org/a
curl --output-dir . -o FILE https://example.org/a
jq . a > FILE
esbuild a.js --outfile=FILE
ld -o FILE a.o
cd src && gzip ../FILE
cd src; git archive -o ../FILE HEAD
echo FILE | xargs gzip
""".splitlines()
READS = """\
cat FILE
python3 -c 'print(open("FILE").read())'
python3 -c 'from pathlib import Path; print(Path("FILE").read_text())'
python3 -c 'from pathlib import Path; Path("src/x").write_text(Path("FILE").read_text())'
python3 -c 'import os, shutil; shutil.copy("FILE", "src/x"); print(os.listdir("src"))'
python3 -c 'import json; print(json.load(open("FILE", "r")))'
python3 -c 'from os import path, stat; print(stat("FILE"), path.exists("FILE"))'
python3 -c 'import os; print({1: 2, rename: copy("FILE")}, copy("FILE"))'
node -e 'console.log(require("fs").readFileSync("FILE"))'
node -e 'fs.writeFileSync("src/x", fs.readFileSync("FILE"))'
node -e 'fs.copyFileSync("FILE", "src/x")'
ruby -e 'puts File.read("FILE")'
git diff --output=src/x FILE
git diff -- FILE
git log -p FILE
git archive -o src/x.tar HEAD FILE
git clone FILE src/x
git worktree list
tar tf FILE
tar xf FILE
tar cf src/x.tar FILE
unzip -l FILE
unzip -p FILE
gzip -c FILE
gunzip --stdout FILE
zip src/x.zip FILE
split -b 1 FILE src/
uniq FILE
uniq FILE src/x
shuf FILE
sort FILE
find . -path ./FILE
find . -not -path ./FILE -name '*.pyc' -delete
find src -name x -delete
command time ls FILE
strace ls FILE
prettier --check FILE
eslint FILE
black --check FILE
ruff check FILE
pip install -r FILE
jq . FILE
sd -p a b FILE
wc -l FILE
""".splitlines()
FOUND = (
    "find . -name settings.json -delete",
    "find . -type f -iname .mcp.json -delete",
    "find . -name 'se*.json' -delete",
)


def test_protected_files_can_only_be_read(tmp_path: Path) -> None:
    settings = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python3 tools/hook.py"}]}]}}'
    files = {"src/a.py": "", "tools/hook.py": "", ".claude/settings.json": settings}
    root = str(make_repository(tmp_path / "repo", files))
    write_tree(tmp_path / "repo", {f"{PROJECT}/plan.md": ""})
    site = site_of_plan(root, f"{root}/{PROJECT}/plan.md", PROJECT)
    judge = Judge(root, site, str(tmp_path / "home"))

    def refused(command: str) -> str:
        found = judge.command(command)
        return found.rule if found.verdict == "block" else ""

    changes = [(form.replace("\\n", "\n"), path) for form in CHANGES for path in PROTECTED]
    missed = [text for form, path in changes if not refused(text := form.replace("FILE", path))]
    missed += [text for text in FOUND if not refused(text)]
    assert not missed, "\n".join(missed)
    harmless = [(form.replace("\\n", "\n"), path) for form in CHANGES for path in HARMLESS]
    harmless += [(form, path) for form in READS for path in PROTECTED]
    wrongly = [
        (rule, text) for form, path in harmless if (rule := refused(text := form.replace("FILE", path)))
    ]
    assert not wrongly, "\n".join(map(str, wrongly))
