"""Write the files with which others verify a release: parts list, provenance, checksums, signature."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from ultra_plugin import __version__
from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import LISTING
from ultra_plugin.install.released import NAMESPACE, SIGNATURE, SUMS, file_digest
from ultra_plugin.overlay.layers import open_tree
from ultra_plugin.provenance.statement import release_time, statement
from ultra_plugin.report import Report
from ultra_plugin.stamp import inputs_digest
from ultra_plugin.tree import write_file

PARTS_LIST = ".cdx.json"
STATEMENT = ".intoto.json"
_LIMIT = 300  # seconds: a person may have to touch a hardware key or type a passphrase


def attest(
    report: Report, source: Path, out: Path, command: Sequence[str], builder: str, key: Path | None
) -> list[Path]:
    """Write the files that describe a build, sign their checksums with a key if there is one, and return them."""
    try:
        from ultra_plugin.provenance.parts_list import parts_list, suite_component
    except ModuleNotFoundError as error:
        raise UltraError(f"the parts list needs {error.name}: pip install 'ultra-suite[package]'") from None

    tree = open_tree(source)
    when = release_time(tree.project)
    digests = _outputs(report)
    versions = {plugin.version for plugin in report.plugins}
    version = __version__ if report.packages else versions.pop() if len(versions) == 1 else ""
    name = f"{report.suite}-{version}" if version else report.suite
    plugins = {digests[Path(plugin.zip).name]: plugin for plugin in report.plugins}
    wheels = {digests[Path(path).name]: "ultra-suite" for path in report.packages if path.endswith(".whl")}
    written = [out / f"{name}{PARTS_LIST}", out / f"{name}{STATEMENT}", out / SUMS]
    write_file(written[0], parts_list(suite_component(report.suite, version), when, plugins, wheels))
    digests[written[0].name] = file_digest(written[0])
    sources = inputs_digest(tree, bool(report.packages))
    write_file(written[1], statement(digests, sources, tree.project, command, builder, when))
    digests[written[1].name] = file_digest(written[1])
    lines = [f"{digest}  {path}\n" for path, digest in sorted(digests.items())]
    write_file(out / SUMS, "".join(lines).encode())
    (out / SIGNATURE).unlink(missing_ok=True)  # also because ssh-keygen asks before it replaces one
    return [*written, sign(out / SUMS, key)] if key else written


def _outputs(report: Report) -> dict[str, str]:
    """Return the digests of the packages, and of the listing in the folder of each plugin that has one."""
    files = [Path(plugin.zip) for plugin in report.plugins] + list(map(Path, report.packages))
    listings = [Path(plugin.folder, LISTING) for plugin in report.plugins]
    return {file.name: file_digest(file) for file in files} | {
        f"{listing.parent.name}/{LISTING}": file_digest(listing) for listing in listings if listing.is_file()
    }


def sign(file: Path, key: Path) -> Path:
    """Sign a file with ssh-keygen, and return the signature."""
    if not key.is_file():
        raise UltraError(f"{key}: no such key; make one with: ssh-keygen -t ed25519 -f {key}")
    signature = file.with_name(f"{file.name}.sig")
    command = ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT)
    except FileNotFoundError:
        raise UltraError(
            "releases are signed with ssh-keygen, which is not installed; install OpenSSH"
        ) from None
    except subprocess.TimeoutExpired:
        raise UltraError(f"{key}: ssh-keygen did not sign within {_LIMIT} seconds; try again") from None
    if done.returncode or not signature.is_file():
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UltraError(f"{key}: ssh-keygen did not sign with it: {reason}")
    return signature
