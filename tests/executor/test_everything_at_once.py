"""A project that has everything at once: a plan in a folder of a monorepo, a linked worktree, a submodule, and more."""

from __future__ import annotations

from pathlib import Path

from tests.executor.sample import Repo, plan, step
from tests.kit.repository import make_repository
from ultra_runtime.checkout.carried import MOST_FOLDERS

HOME = "packages/app"
PLAN = f"{HOME}/plans/greet.md"
PART = f"{HOME}/src/part1.bin"
SETUP = "setup: sh scripts/setup.sh\nsetup_seconds: 30\n"
# Each needs something that no plain checkout has; `pwd` tells whether the proof ran in a copy.
NEEDS = {
    "the submodule": "grep -q lib vendor-lib/lib.txt",
    "the LFS-like filter": f"test $(head -c 4 {PART}) = part",
    "node_modules of the package": f"sh {HOME}/node_modules/runner/check.sh {PART}",
    "the Python environment": ".venv/bin/tool",
    "the setup script": "test -e ready.txt",
    "the ignored file that the project names": "grep -q secret local.env",
}
FILES = {
    ".gitignore": "node_modules/\n.venv/\nready.txt\n*.env\n",
    ".gitattributes": "*.bin filter=large\n",
    ".worktreeinclude": "*.env\n",
    ".claude/ultra.yaml": SETUP,
    "README.md": "# Monorepo\n",
    "scripts/setup.sh": "echo $PWD > ready.txt\n",
    f"{HOME}/package.json": "{}\n",
}
IGNORED = {
    f"{HOME}/node_modules/runner/check.sh": "grep -q part $1\n",
    ".venv/bin/tool": "#!/bin/sh\nexit 0\n",
    "local.env": "secret\n",
    "ready.txt": "here\n",
}


def test_a_project_with_everything_is_proved(tmp_path: Path, bundle: Path, python: Path) -> None:
    main = Repo(tmp_path / "main", bundle, python)
    make_repository(main.folder, FILES, "first", main.env)
    library = make_repository(tmp_path / "library", {"lib.txt": "lib\n"})
    allow = ("-c", "protocol.file.allow=always")
    main.git(*allow, "submodule", "--quiet", "add", str(library), "vendor-lib")
    main.git("commit", "--quiet", "--message=chore: the library")
    # As git-lfs does: what is committed is a pointer.
    main.git("config", "filter.large.clean", "sed s/^/pointer:/")
    main.git("config", "filter.large.smudge", "sed s/^pointer://")
    main.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "side")
    repo = Repo(tmp_path / "tree", bundle, python)
    repo.git(*allow, "submodule", "--quiet", "update", "--init")
    repo.write({PLAN: plan(step(1, [PART], verify=" && ".join(NEEDS.values()))), **IGNORED})
    (repo.folder / ".venv/bin/tool").chmod(0o755)
    below = repo.folder / HOME
    assert repo("run", "start", "plans/greet.md", cwd=below).data["ok"]
    assert repo("step", "begin", "1", cwd=below).data["files"] == [PART]
    repo.write({PART: "part 1\n"})
    for number in range(
        MOST_FOLDERS
    ):  # what the start has found is brought and compared however many folders come later
        (repo.folder / f"{number}").mkdir()
    resumed = repo("run", "start", "plans/greet.md", "--mode", "resume", cwd=below).data
    assert (resumed["ok"], "changed since" in str(resumed)) == (True, False), resumed
    assert repo("step", "verify", "1", cwd=below).data["passed"]
    assert repo("step", "commit", "1", cwd=below).data["ok"]
    assert repo.git("show", f"HEAD:{PART}") == "pointer:part 1"
    done = repo("run", "finish", cwd=below).data
    assert (done["result"], done["ultraexecute_summary"]["proof"]) == ("completed", "clean checkout"), done
    assert repo("audit", "plans/greet.md", cwd=below).data["status"] == "pass"
    assert main.git("status", "--porcelain") == ""
