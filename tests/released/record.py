"""Record what a release offers: python -m tests.released.record REF [DIST].

REF is the commit or tag of the release, and its dist/ is read unless DIST names another one. `make release` records
the dist/ that it has just built under the tag that it is about to make.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.kit.names import NAME
from tests.released.surface import Surface, read_surface

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BASELINE = HERE / "baseline.json"
DIFFERENCES = HERE / "differences.json"


def read_baseline() -> tuple[str, Surface]:
    """Return the ref of the last release and what it offers."""
    kept = json.loads(BASELINE.read_text())
    return kept["ref"], kept["surface"]


def read_differences() -> dict[str, str]:
    """Return every intended loss with its reason."""
    reasons: dict[str, str] = json.loads(DIFFERENCES.read_text())
    return reasons


def extract(ref: str, folder: Path) -> Path:
    """Unpack the bundle of a release and return its folder, or exit with one sentence."""
    command = ["git", "archive", "--format=tar", ref, "dist"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(
            f"released: git cannot read dist/ of {ref}: {done.stderr.decode().strip()}; fetch that commit"
        )
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder)
    return our_bundle(folder / "dist")


def our_bundle(dist: Path) -> Path:
    """Return the folder of our plugin in a dist/; that of a release under another name is the first one."""
    found = sorted(dist.glob("*/bundle.json"))
    return next((one.parent for one in found if one.parent.name == NAME), found[0].parent)


def record(ref: str, bundle: Path) -> None:
    """Write the baseline; what was an intended difference is now the rule."""
    kept = {"ref": ref, "surface": read_surface(bundle)}
    BASELINE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    DIFFERENCES.write_text("{}\n")


def main(arguments: list[str]) -> None:
    """Record the release that the arguments name."""
    if not 1 <= len(arguments) <= 2:
        sys.exit("usage: python -m tests.released.record REF [DIST]")
    ref, *dist = arguments
    with tempfile.TemporaryDirectory(prefix="ultra-released-") as folder:
        record(ref, our_bundle(Path(dist[0])) if dist else extract(ref, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
