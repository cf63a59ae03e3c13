"""Make a release: set the one version, build, verify, commit, attest, tag. On failure, restore everything."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

VERSION_FILE = Path("generator/ultra_plugin/__init__.py")
CONTRACTS = Path("plugin_src/contracts")
SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")


def main(version: str, key: str = "") -> None:
    """Release a version, signed with a key if there is one, or exit with one sentence."""
    if not SEMVER.fullmatch(version):
        sys.exit(f"release: '{version}' is not a version; use make release VERSION=x.y.z")
    if _git("status", "--porcelain"):
        sys.exit("release: the working tree has changes; commit or stash them first")
    if _git("tag", "--list", f"v{version}"):
        sys.exit(f"release: the tag v{version} exists; choose another version")
    if not re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", Path("CHANGELOG.md").read_text(), re.MULTILINE
    ):
        sys.exit(f"release: CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD'; write it first")
    if key and not Path(key).is_file():
        sys.exit(f"release: {key}: no such key; use make release VERSION={version} SIGN=FILE")
    start = _git("rev-parse", "HEAD")
    try:
        _set_version(version)
        for target in ("plugin", "test"):
            print(f"release: make {target}", file=sys.stderr)
            subprocess.run(["make", target], check=True, stdin=subprocess.DEVNULL)
        _keep_contracts(version)
        recorder = [sys.executable, "-m", "tests.released.record", f"v{version}", "dist"]
        subprocess.run(recorder, check=True)
        if _git("status", "--porcelain"):
            _git("add", "--all")
            _git("commit", "--quiet", "--message", f"Release {version}")
        # After the commit, because the provenance names it; before the tag, because a failure undoes the commit.
        subprocess.run(["make", "attest", f"SIGN={key}"], check=True, stdin=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, KeyboardInterrupt) as error:
        _git("reset", "--hard", "--quiet", start)
        _git("clean", "--force", "-d", "--quiet", "dist", ".claude-plugin")
        sys.exit(f"release: not released, nothing was changed: {error}")
    _git("tag", "--annotate", f"v{version}", "--message", f"Release {version}")
    print(f"release: tagged v{version}; push it with: git push --follow-tags")
    print(
        "release: publish the zips, wheel, sdist, *.cdx.json, *.intoto.json and SHA256SUMS* of dist/ together"
    )


def _set_version(version: str) -> None:
    """Write the version to its one place: manifest, marketplace, wheel and docs follow from it."""
    text = VERSION_FILE.read_text()
    VERSION_FILE.write_text(re.sub(r'__version__ = "[^"]+"', f'__version__ = "{version}"', text))


def _keep_contracts(version: str) -> None:
    """Store the current contracts as the released ones, for later comparisons."""
    released = CONTRACTS / "released"
    for path in released.glob("*.yaml"):
        path.unlink()
    for path in CONTRACTS.glob("*.yaml"):
        shutil.copy(path, released / path.name)
    (released / "version.txt").write_text(f"{version}\n")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
