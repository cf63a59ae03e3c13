"""A release can be verified: what describes it, who signed it, and what anything else is answered with."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

from tests.generator.sample import write_sample
from tests.install.samples import Machine, snapshot
from tests.kit.files import write_tree
from tests.kit.generator import call as cli
from tests.kit.names import ROOT
from tests.kit.quick import SOAK
from tests.kit.repository import git, make_repository
from ultra_plugin.errors import UltraError
from ultra_plugin.install.released import Release
from ultra_plugin.provenance.parts_list import parts_list, suite_component
from ultra_plugin.provenance.statement import release_time, statement
from ultra_plugin.provenance.verifying import _rebuild, _sdist, _sources, _statement, _unpacked, verify

ZIP = "dist/acme-plan-1.2.3.zip"
WHO = "release@acme.example"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with a signed release in dist/, and `keys`, the file of its allowed signers."""
    root = tmp_path_factory.mktemp("released")
    write_sample(root)
    make_repository(root)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Begin")
    for name in ("key", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", root / name], check=True)
    (root / "keys").write_text(allowed(root / "key.pub"))
    done = cli(root, "attest", "--sign", "key")
    assert (done.returncode, done.stderr) == (0, "")
    return root


@pytest.fixture
def project(released: Path, tmp_path: Path) -> Path:
    """Return a copy to change."""
    return Path(shutil.copytree(released, tmp_path / "project", symlinks=True))


def allowed(key: Path, options: str = "") -> str:
    return f"{WHO} {options} {' '.join(key.read_text().split()[:2])}\n"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sign(project: Path, key: str, file: str = "dist/SHA256SUMS") -> None:
    (project / f"{file}.sig").unlink(missing_ok=True)
    namespace = "ultra-suite-release"
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, file],
        cwd=project, check=True, capture_output=True,
    )  # fmt: skip


def dependencies(project: Path) -> dict[str, dict[str, Any]]:
    said = json.loads((project / "dist/acme-1.2.3.intoto.json").read_text())
    return {one["name"]: one for one in said["predicate"]["buildDefinition"]["resolvedDependencies"]}


def as_written(value: object) -> str:
    """Return JSON as a release has it, so that people can read it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def refused(project: Path, *words: str, file: str = ZIP) -> str:
    done = cli(project, "verify", file, *words)
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_every_file_of_a_release_is_listed_with_its_checksum(released: Path) -> None:
    names = {"acme-1.2.3.cdx.json", "acme-1.2.3.intoto.json", "acme-plan-1.2.3.zip", "acme-plan/bundle.json"}
    lines = (released / "dist/SHA256SUMS").read_text().splitlines()
    assert {line.split("  ")[1] for line in lines} == names
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=released / "dist", check=True)


def test_the_parts_list_is_a_cyclonedx_document_that_names_the_plugin(released: Path) -> None:
    text = (released / "dist/acme-1.2.3.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    listed = json.loads(text)
    (plugin,) = listed["components"]
    assert (plugin["name"], plugin["version"]) == ("acme-plan", "1.2.3")
    assert plugin["hashes"] == [{"alg": "SHA-256", "content": digest(released / ZIP)}]
    assert {"ref": "suite:acme", "dependsOn": ["plugin:acme-plan"]} in listed["dependencies"]


def test_the_provenance_is_a_statement_of_sources_command_builder_and_files(released: Path) -> None:
    text = (released / "dist/acme-1.2.3.intoto.json").read_text()
    parsed = json_format.Parse(text, statement_pb2.Statement())
    Statement.copy_from_pb(parsed).validate()
    said = json.loads(text)
    json_format.ParseDict(said["predicate"], provenance_pb2.Provenance())  # refuses unknown fields
    subjects = {one["name"]: one["digest"]["sha256"] for one in said["subject"]}
    assert subjects["acme-plan-1.2.3.zip"] == digest(released / ZIP)
    definition = said["predicate"]["buildDefinition"]
    used = {one["name"]: one for one in definition["resolvedDependencies"]}
    assert used["commit"] == {
        "name": "commit",
        "digest": {"gitCommit": git(released, "rev-parse", "HEAD")},
    } | ({"annotations": {"modified": True}} if git(released, "status", "--porcelain") else {})
    assert definition["externalParameters"] == {"command": ["ultra-plugin", "build"]}
    assert said["predicate"]["runDetails"]["builder"]["id"] == "urn:ultra-suite:builder:local"


def test_the_same_commit_is_described_by_the_same_bytes(project: Path) -> None:
    before = snapshot(project / "dist")
    shutil.rmtree(project / "dist")
    assert cli(project, "attest", "--sign", "key").returncode == 0
    after = snapshot(project / "dist")
    changing = (".lock", ".build.json", ".parts.json", ".seen.json")
    assert {path: one for path, one in after.items() if path not in changing} == {
        path: one for path, one in before.items() if path not in changing
    }


@pytest.mark.parametrize("file", [ZIP, "dist/acme-plan", "dist/acme-1.2.3.cdx.json"])
def test_what_was_released_is_verified_with_its_signer(released: Path, file: str) -> None:
    done = cli(released, "verify", file, "--keys", "keys", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "file": file,
        "release": str((released / "dist").resolve()),
        "signer": WHO,
        "is_signed": True,
        "commit": f"{git(released, 'rev-parse', 'HEAD')} and changes",  # such as the keys
        "sources": dependencies(released)["sources"]["digest"]["sha256"],
        "command": ["ultra-plugin", "build"],
        "builder": "urn:ultra-suite:builder:local",
        "rebuilt": "",
    }
    assert f"signed by   {WHO}" in cli(released, "verify", file, "--keys", "keys").stdout


def test_without_keys_the_answer_says_that_no_signature_was_checked(released: Path) -> None:
    assert (
        "signed by   not checked: name the allowed signers with --keys" in cli(released, "verify", ZIP).stdout
    )


def test_sources_that_are_released_give_the_same_bytes_again(released: Path) -> None:
    for file in (ZIP, "dist/acme-plan"):
        done = cli(released, "verify", file, "--rebuild", "--source", "plugin_src")
        assert done.returncode == 0, done.stderr
        assert "built again from plugin_src: the same bytes" in done.stdout


def test_other_sources_are_told_from_other_bytes(project: Path) -> None:
    readme = project / "plugin_src/plugins/acme-plan/README.md.j2"
    readme.write_text(readme.read_text() + "\nOne more line.\n")
    said = refused(project, "--rebuild", "--source", "plugin_src")
    assert "these are not the sources and the generator that the release was built with" in said
    git(project, "checkout", "--", "plugin_src")
    # A release whose checksums, provenance and zip agree, but whose zip the sources do not give.
    old = digest(project / ZIP)
    (project / ZIP).write_bytes((project / ZIP).read_bytes() + b"more")
    for name in ("acme-1.2.3.intoto.json", "SHA256SUMS"):
        place = project / "dist" / name
        place.write_text(place.read_text().replace(old, digest(project / ZIP)))
    sums = project / "dist/SHA256SUMS"
    before = next(line for line in sums.read_text().splitlines() if line.endswith("intoto.json"))
    after = f"{digest(project / 'dist/acme-1.2.3.intoto.json')}  acme-1.2.3.intoto.json"
    sums.write_text(sums.read_text().replace(before, after))
    assert "gives other bytes" in refused(project, "--rebuild", "--source", "plugin_src")


def test_sources_that_cannot_be_built_are_refused_with_the_last_line_of_the_reason(project: Path) -> None:
    (project / "plugin_src/suite.yaml").write_text("nonsense: 1\nmore: 2\n")
    said = refused(project, "--rebuild", "--source", "plugin_src")
    assert re.fullmatch(
        r"ultra-plugin: plugin_src: cannot be built again: ultra-plugin: \d problems?; nothing was written\n",
        said,
    )


def test_a_release_without_an_sdist_needs_the_sources_by_name(released: Path) -> None:
    assert "lists no sdist; name the sources with --source" in refused(released, "--rebuild")


def test_a_changed_file_is_refused(project: Path) -> None:
    (project / ZIP).write_bytes(b"PK" + (project / ZIP).read_bytes())
    assert f"{ZIP}: its SHA-256 is not the one in" in refused(project)
    (project / "dist/acme-plan/README.md").write_text("changed\n")
    assert "'README.md' is not the file that bundle.json describes" in refused(project, file="dist/acme-plan")


def test_what_a_release_does_not_have_is_refused(project: Path) -> None:
    (project / "dist/acme-plan/extra.md").write_text("x\n")
    assert "extra.md" in refused(project, file="dist/acme-plan")
    (project / "dist/acme-plan/extra.md").unlink()
    with zipfile.ZipFile(project / ZIP, "a") as archive:
        archive.writestr("acme-plan/extra.md", "x\n")
    assert f"{ZIP}: its SHA-256 is not the one in" in refused(project)
    cache = project / "dist/acme-plan/__pycache__"
    cache.mkdir()
    (cache / "guard.cpython-311.pyc").write_bytes(b"x")
    assert "guard.cpython-311.pyc: no release describes compiled files" in refused(
        project, file="dist/acme-plan"
    )


def test_an_older_release_does_not_pass_for_a_newer_one(project: Path) -> None:
    """A signed release of before, with every name and the folder of the next version."""
    newer = project / "acme-1.2.4"
    shutil.copytree(project / "dist", newer)
    shutil.move(newer / "acme-plan-1.2.3.zip", newer / "acme-plan-1.2.4.zip")
    words = ("--keys", "keys")
    assert "does not list acme-plan-1.2.4.zip" in refused(
        project, *words, file="acme-1.2.4/acme-plan-1.2.4.zip"
    )
    sums = newer / "SHA256SUMS"
    sums.write_text(sums.read_text().replace("acme-plan-1.2.3.zip", "acme-plan-1.2.4.zip"))
    assert "is not the signature of this SHA256SUMS" in refused(
        project, *words, file="acme-1.2.4/acme-plan-1.2.4.zip"
    )
    sign(project, "key", "acme-1.2.4/SHA256SUMS")
    assert "the provenance of the release does not name it" in refused(
        project, *words, file="acme-1.2.4/acme-plan-1.2.4.zip"
    )


def test_links_in_a_release_change_nothing(project: Path) -> None:
    (project / "dist/evil.zip").write_bytes(b"PK other")
    (project / ZIP).unlink()
    (project / ZIP).symlink_to("evil.zip")
    assert f"{ZIP}: its SHA-256 is not the one in" in refused(project)
    (project / "dist/acme-plan/README.md").unlink()
    (project / "dist/acme-plan/README.md").symlink_to("/etc/hostname")
    assert "is a link or a special file" in refused(project, file="dist/acme-plan")


def test_a_changed_listing_is_refused(project: Path) -> None:
    readme, listing = project / "dist/acme-plan/README.md", project / "dist/acme-plan/bundle.json"
    old = digest(readme)
    size = readme.stat().st_size
    readme.write_text("x" * size)
    listing.write_text(listing.read_text().replace(old, digest(readme)))
    assert "dist/acme-plan: its SHA-256 is not the one in" in refused(project, file="dist/acme-plan")


def test_a_provenance_of_something_else_is_refused(project: Path) -> None:
    (project / "dist/acme-1.2.3.intoto.json").write_text("{}")
    assert "acme-1.2.3.intoto.json: its SHA-256 is not the one in" in refused(project)
    (project / "dist/acme-1.2.3.intoto.json").unlink()
    assert "acme-1.2.3.intoto.json: no such file; download it with the release" in refused(project)


# What a statement must have.
PARTS = (("subject",), ("predicate", "runDetails", "builder", "id"), *(("predicate", "buildDefinition", *more) for more in (
    ("externalParameters", "command"), ("internalParameters",), ("resolvedDependencies",),
)))  # fmt: skip


def test_a_statement_that_lacks_anything_is_refused(released: Path, tmp_path: Path) -> None:
    good = (released / "dist/acme-1.2.3.intoto.json").read_text()
    place = tmp_path / "a.intoto.json"

    def read_as(text: str) -> object:
        place.write_text(text)
        return _statement(Release(tmp_path, {place.name: digest(place), "a.zip": "0" * 64}))

    assert read_as(good) == json.loads(good)
    bad = ["{", "[]", good.replace('"name": "sources"', '"name": "others"')]
    for part in PARTS:
        said = json.loads(good)
        inner = said
        for name in part[:-1]:
            inner = inner[name]
        del inner[part[-1]]
        bad.append(json.dumps(said))
    for text in bad:
        with pytest.raises(UltraError, match=r"a\.intoto\.json: is not a provenance statement of ours"):
            read_as(text)
    for count in (0, 2):
        names = [f"{number}.intoto.json" for number in range(count)]
        with pytest.raises(
            UltraError, match=rf"SHA256SUMS: must list one file \*\.intoto\.json, not {count}"
        ):
            _statement(Release(tmp_path, dict.fromkeys(names, "")))


def test_what_cannot_be_built_again_is_told(tmp_path: Path) -> None:
    with pytest.raises(UltraError, match=r"^a: an sdist is the sources; --rebuild needs a zip"):
        _rebuild(Path("a"), "a.tar.gz", "", Release(tmp_path, {}), {}, None)
    for names in ([], ["a.tar.gz", "b.tar.gz"]):
        with pytest.raises(UltraError, match="lists no sdist; name the sources with --source"):
            _sdist(Release(tmp_path, dict.fromkeys(names, "")))
    release = Release(tmp_path, {"a.tar.gz": "", "b.zip": ""})
    with pytest.raises(UltraError, match=r"a\.tar\.gz: no such file; download it with the release, or name"):
        _unpacked(release, _sdist(release), tmp_path / "new")
    with pytest.raises(UltraError, match="none: no such file or folder; name a zip, wheel or plugin folder"):
        verify(tmp_path / "none", None, None, False, None)


def test_the_time_of_a_release_is_given_or_that_of_the_commit_or_now(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")
    assert release_time(released) == datetime(1970, 1, 1, 23, 59, 59, tzinfo=timezone.utc)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    committed = int(git(released, "log", "-1", "--format=%ct"))
    assert release_time(released) == datetime.fromtimestamp(committed, timezone.utc)
    before = datetime.now(timezone.utc)
    assert before <= release_time(tmp_path) <= datetime.now(timezone.utc)


def test_a_file_of_another_release_is_refused(project: Path) -> None:
    shutil.copy(project / ZIP, project / "dist/acme-plan-1.2.4.zip")
    assert "does not list acme-plan-1.2.4.zip" in refused(project, file="dist/acme-plan-1.2.4.zip")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nonsense\n", 1),
        ("a" * 64 + "  x\n" + "a" * 64 + "  x\n", 2),
        ("A" * 64 + "  x\n", 1),
        ("a" * 64 + "  ../evil.intoto.json\n", 1),
        ("a" * 64 + "  x/../../evil.intoto.json\n", 1),
        ("a" * 64 + "  /tmp/evil.intoto.json\n", 1),
        ("a" * 64 + "  x\\..\\evil.intoto.json\n", 1),
    ],
)
def test_checksums_that_cannot_be_read_are_refused_with_their_line(
    project: Path, text: str, line: int
) -> None:
    (project / "dist/SHA256SUMS").write_text(text)
    assert f"SHA256SUMS:{line}: must be one SHA-256 and one new file name" in refused(project)


def test_with_keys_only_their_signature_counts(project: Path) -> None:
    sums, signature = project / "dist/SHA256SUMS", project / "dist/SHA256SUMS.sig"
    good = sums.read_bytes()
    sums.write_bytes(good.replace(b"acme-plan-1.2.3.zip", b"acme-plan-1.2.9.zip"))
    assert "is not the signature of this SHA256SUMS" in refused(project, "--keys", "keys")
    sums.write_bytes(good)
    sign(project, "other")
    assert "was made by no key that keys allows today" in refused(project, "--keys", "keys")
    sign(project, "key")
    (project / "keys").write_text(allowed(project / "key.pub", 'valid-before="20200101"'))
    assert "was made by no key that keys allows today" in refused(project, "--keys", "keys")
    (project / "keys").write_text(allowed(project / "key.pub"))
    signature.write_text("not a signature\n")
    assert "was made by no key that keys allows today" in refused(project, "--keys", "keys")
    signature.unlink()
    assert "is not signed, and keys says who must sign" in refused(project, "--keys", "keys")


def test_a_signature_for_another_purpose_does_not_count(project: Path) -> None:
    (project / "dist/SHA256SUMS.sig").unlink()
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", "key", "-n", "git", "dist/SHA256SUMS"]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    assert "is not the signature of this SHA256SUMS" in refused(project, "--keys", "keys")


def test_a_key_that_cannot_sign_is_named(project: Path) -> None:
    done = cli(project, "attest", "--sign", "key.pub.missing")
    assert (done.returncode, "key.pub.missing: no such key" in done.stderr) == (1, True)
    (project / "broken").write_text("no key\n")
    done = cli(project, "attest", "--sign", "broken")
    assert (done.returncode, "broken: ssh-keygen did not sign with it" in done.stderr) == (1, True)


def test_an_unsigned_release_leaves_no_signature_of_the_last_one(project: Path) -> None:
    assert cli(project, "attest").returncode == 0
    assert not (project / "dist/SHA256SUMS.sig").exists()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    home.mkdir()
    return Machine(home)


def test_the_installer_says_whose_release_it_installs(project: Path, machine: Machine) -> None:
    for source in (ZIP, "dist/acme-plan"):
        done = machine.ok("--yes", "--keys", project / "keys", "--from", project / source)
        assert f"acme-plan 1.2.3 is part of the release signed by {WHO} in {project / 'dist'}" in done.stdout
        machine.ok("--yes", "--uninstall")


@pytest.mark.parametrize("where", ["variable", "configuration"])
def test_configured_keys_are_used_without_being_named(project: Path, machine: Machine, where: str) -> None:
    if where == "variable":
        machine.variables["ULTRA_RELEASE_KEYS"] = str(project / "keys")
    else:
        write_tree(machine.home, {".config/ultra-suite/allowed_signers": (project / "keys").read_text()})
    machine.ok("--yes", "--from", project / ZIP)
    before = snapshot(machine.home)
    (project / "dist/SHA256SUMS.sig").unlink()
    assert "is not signed, and" in machine.refused("--yes", "--from", project / ZIP)
    assert snapshot(machine.home) == before


def test_the_installer_refuses_what_the_release_does_not_have(project: Path, machine: Machine) -> None:
    keys = ("--yes", "--keys", project / "keys")
    readme, listing = project / "dist/acme-plan/README.md", project / "dist/acme-plan/bundle.json"
    old = digest(readme)
    readme.write_text("x" * readme.stat().st_size)
    listing.write_text(listing.read_text().replace(old, digest(readme)))
    assert "its SHA-256 is not the one in" in machine.refused(*keys, "--from", project / "dist/acme-plan")
    shutil.copytree(project / "dist/acme-plan", machine.home / "elsewhere/acme-plan")
    said = machine.refused(*keys, "--from", machine.home / "elsewhere/acme-plan")
    assert "SHA256SUMS: no such file; name the folder of the release with --release" in said
    said = machine.refused("--yes", "--keys", machine.home / "none", "--from", project / ZIP)
    assert "none: no such file of allowed signers" in said
    assert not machine.config.exists()


def test_a_release_elsewhere_is_named(project: Path, machine: Machine) -> None:
    moved = shutil.move(project / "dist/acme-plan", machine.home / "acme-plan")
    machine.ok("--yes", "--keys", project / "keys", "--release", project / "dist", "--from", moved)


def test_the_release_workflow_is_one_that_its_host_accepts() -> None:
    workflow = ROOT / ".github/workflows/release.yml"
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    subprocess.run([*command, workflow], check=True, capture_output=True)


@pytest.mark.parametrize("missing", ["", "click", "jinja2", "pyyaml", "build", "hatchling"])
def test_every_tool_that_is_installed_is_named_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def version(name: str) -> str:
        if name == missing:
            raise importlib.metadata.PackageNotFoundError
        return f"{len(name)}.0"

    monkeypatch.setattr("importlib.metadata.version", version)
    monkeypatch.setenv("PATH", str(tmp_path))  # without git there is no commit
    text = statement({}, "x", tmp_path, (), "Zoë", datetime.now(timezone.utc)).decode()
    said = json.loads(text)
    assert text == as_written(said)
    named = [one["name"] for one in said["predicate"]["buildDefinition"]["resolvedDependencies"]]
    tools = ["click", "jinja2", "pyyaml", "build", "hatchling"]
    assert named == ["sources", *(name for name in tools if name != missing)]


def test_the_parts_list_of_a_wheel_names_all_that_it_needs_and_nothing_else() -> None:
    when = datetime.fromtimestamp(0, timezone.utc)
    text = parts_list(suite_component("acme", "1"), when, {}, {"a" * 64: "ultra-suite"}).decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    listed = json.loads(text)
    assert text == as_written(listed)
    parts = {one["name"]: one for one in listed["components"]}
    assert [name for name, one in parts.items() if "hashes" in one] == ["ultra-suite"]
    assert all(one["version"] == importlib.metadata.version(name) for name, one in parts.items())
    needs = {one["ref"]: {*one.get("dependsOn", ())} for one in listed["dependencies"]}
    assert needs.pop("suite:acme") == {"pypi:ultra-suite"}
    assert needs == {
        "pypi:ultra-suite": {"pypi:click", "pypi:jinja2", "pypi:pyyaml"},
        "pypi:click": set(),
        "pypi:jinja2": {"pypi:markupsafe"},
        "pypi:markupsafe": set(),
        "pypi:pyyaml": set(),
    }
    assert {f"pypi:{name}" for name in parts} == needs.keys()


def test_an_sdist_is_unpacked_and_a_damaged_one_is_at_most_refused(tmp_path: Path) -> None:
    large = random.Random(0).randbytes(20_000).hex()  # so that damage is met while a member is read  # noqa: S311
    write_tree(tmp_path / "acme-1", {"plugin_src/suite.yaml": large, "dist/old": "x"})
    sdist = tmp_path / "acme-1.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        archive.add(tmp_path / "acme-1", "acme-1")
    data = sdist.read_bytes()

    def unpack(name: str, content: bytes) -> Path:
        sdist.write_bytes(content)
        return _unpacked(Release(tmp_path, {sdist.name: digest(sdist)}), sdist, tmp_path / name)

    root = unpack("whole", data)
    assert [path.relative_to(root).as_posix() for path in root.rglob("*")] == [
        "plugin_src",
        "plugin_src/suite.yaml",
    ]
    with tarfile.open(sdist, "w:gz") as archive:
        for name in ("one", "two"):
            archive.add(tmp_path / "acme-1", name)
    harmed = [sdist.read_bytes()]
    for at in range(0, len(data), len(data) // 80):
        harmed += [data[:at], data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]]
    said = set()
    for turn, content in enumerate(harmed):
        try:
            unpack(f"harmed-{turn}", content)
        except UltraError as error:
            said.add(str(error).partition(" (")[0])
    assert said == {f"{sdist}: cannot be unpacked"}
    with pytest.raises(UltraError, match="its SHA-256 is not the one in"):
        _unpacked(Release(tmp_path, {sdist.name: "0" * 64}), sdist, tmp_path / "other")


def test_the_sources_of_a_wheel_are_copied_with_their_links_and_without_what_is_made(tmp_path: Path) -> None:
    project = tmp_path / "project"
    kept = {"plugin_src/suite.yaml": "name: acme\n", "generator/a.py": "", "pyproject.toml": ""}
    write_tree(
        project,
        kept | {f"{name}/x": "x" for name in ("dist", ".git", ".venv", "a/__pycache__", ".mypy_cache")},
    )
    os.symlink("suite.yaml", project / "plugin_src/link")
    tree = _sources(Release(tmp_path, {}), project / "plugin_src", True, tmp_path / "copy")
    assert os.readlink(tree / "link") == "suite.yaml"
    found = {path.relative_to(tree.parent).as_posix() for path in tree.parent.rglob("*") if path.is_file()}
    assert found == {*kept, "plugin_src/link"}


# Building our own packages twice takes long, so `make test` does it with the small project alone.
if SOAK:

    def test_the_wheel_is_built_again_from_its_sdist(tmp_path: Path) -> None:
        project = tmp_path / "project"
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, project], check=True)

        def own(*words: str) -> subprocess.CompletedProcess[str]:
            """Run the generator of the clone."""
            env = {**os.environ, "PYTHONPATH": str(project / "generator")}
            command = [sys.executable, "-m", "ultra_plugin", *words]
            return subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)

        assert own("attest", "--wheel").returncode == 0
        (wheel,) = (project / "dist").glob("*.whl")
        (sdist,) = (project / "dist").glob("*.tar.gz")
        listed = json.loads(next((project / "dist").glob("*.cdx.json")).read_text())
        assert {"click", "jinja2", "pyyaml", "markupsafe"} <= {one["name"] for one in listed["components"]}
        done = own("verify", str(wheel), "--rebuild")
        assert f"built again from {sdist}: the same bytes" in done.stdout, done.stderr
        assert "an sdist is the sources" in own("verify", str(sdist), "--rebuild").stderr
