"""Building a suite of many plugins: all of it, after one change, and with nothing to do."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.bench.measure import Run, run, show
from tests.kit.files import write_tree

SIZES = (100, 1_000)
BUILD = [sys.executable, "-m", "ultra_plugin", "build"]
SUITE = "name: many\ndescription: Many plugins.\nowner: {name: Ann}\nversion: 1.0.0\nprofile: client\n"
BODY = "Some words about what to do here, and why it is done like this.\n" * 60


def main() -> None:
    """Print the figures for every size."""
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as folder:
        runs = {count: _runs(Path(folder) / str(count), count) for count in SIZES}
    for count, (full, again, one) in runs.items():
        show(
            f"{count} plugins of eleven files, a whole build ({full.seconds:.2f} s here)",
            [
                ("with nothing to do", f"{again.processor / full.processor:.2f} of a full build"),
                ("after one template changed", f"{one.processor / full.processor:.2f} of a full build"),
                ("memory", f"{full.peak_mb:.0f} MB"),
            ],
        )
    small, large = (runs[count][0] for count in SIZES)
    show(
        f"From {SIZES[0]} to {SIZES[1]} plugins",
        [("processor time grows", f"{large.processor / small.processor:.1f} times")],
    )


def _runs(folder: Path, count: int) -> tuple[Run, Run, Run]:
    print(f"building {count} plugins ...", file=sys.stderr)
    files = {"suite.yaml": SUITE, "fragments/tone.md.j2": "Write short sentences.\n"}
    for number in range(count):
        files |= _plugin(f"p{number}")
    write_tree(folder / "plugin_src", files)
    own_cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    full, again = (run(BUILD, folder, own_cache) for _ in range(2))
    with open(folder / "plugin_src/plugins/p3/commands/c1.md.j2", "a") as command:
        command.write("More.\n")
    return full, again, run(BUILD, folder, own_cache)


def _plugin(name: str) -> dict[str, str]:
    folder = f"plugins/{name}"
    files = {
        f"{folder}/plugin.yaml": f"name: {name}\ntitle: {name}\ndescription: Does the work of {name}.\n",
        f"{folder}/README.md.j2": f"# {{{{ plugin.title }}}}\n\n{BODY}",
    }
    for number in range(3):
        head = f"---\nname: NAME{number}\ndescription: Does part {number} of the work of this plugin\n---\n"
        include = '{% include "fragments/tone.md.j2" %}\n'
        files[f"{folder}/commands/c{number}.md.j2"] = (
            head.replace("name: NAME", "argument-hint: x") + include + BODY
        )
        files[f"{folder}/agents/a{number}.md.j2"] = head.replace("NAME", "a") + BODY
        files[f"{folder}/skills/s{number}/SKILL.md"] = head.replace("NAME", "s") + BODY
    return files
