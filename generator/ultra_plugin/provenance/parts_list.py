"""The bill of materials of a release, in the CycloneDX format."""

from __future__ import annotations

import importlib.metadata
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

from ultra_plugin.report import PluginReport

_NOTE = "Claude Code plugin; the programs of its runtime use only Python's standard library"


def parts_list(
    suite: Component, when: datetime, plugins: Mapping[str, PluginReport], wheels: Mapping[str, str]
) -> bytes:
    """Return the SBOM of plugins (digest of the zip -> plugin) and of wheels (digest -> distribution)."""
    bom = Bom()
    bom.metadata.component, bom.metadata.timestamp = suite, when
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, " ".join((*plugins, *wheels)))
    made = [_plugin(plugin, digest) for digest, plugin in plugins.items()]
    for part in made:
        bom.register_dependency(part)
    libraries: dict[str, Component] = {}
    for digest, name in wheels.items():
        package = _package(name, digest)
        made.append(package)
        bom.register_dependency(package, _register(bom, name, libraries))
    bom.components.update([*made, *libraries.values()])
    bom.register_dependency(suite, made)
    return JsonV1Dot6(bom).output_as_string(indent=2).encode() + b"\n"


def suite_component(name: str, version: str) -> Component:
    """Return the component that stands for the whole release."""
    return Component(name=name, version=version, type=ComponentType.APPLICATION, bom_ref=f"suite:{name}")


def _plugin(plugin: PluginReport, digest: str) -> Component:
    return Component(
        name=plugin.name,
        version=plugin.version or None,
        type=ComponentType.APPLICATION,
        bom_ref=f"plugin:{plugin.name}",
        description=_NOTE,
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )


def _package(name: str, digest: str = "") -> Component:
    """Return an installed Python distribution, with the digest of its file if that is known."""
    version = importlib.metadata.version(name)
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"pypi:{name}",
        purl=PackageURL("pypi", None, name, version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else None,
    )


def _register(bom: Bom, name: str, known: dict[str, Component]) -> list[Component]:
    """Add what a distribution needs to the dependencies, and return the direct ones."""
    direct = []
    for needed in _requirements(name):
        if needed not in known:
            known[needed] = _package(needed)
            bom.register_dependency(known[needed], _register(bom, needed, known))
        direct.append(known[needed])
    return direct


def _requirements(name: str) -> Iterator[str]:
    """Yield the names of what an installed distribution, or our own generator, needs here."""
    for text in importlib.metadata.requires(name) or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": "generator"}):
            yield requirement.name.lower()
