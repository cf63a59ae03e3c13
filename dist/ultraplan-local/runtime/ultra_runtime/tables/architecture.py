"""Rendered from contracts/architecture.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Modes

CONTRACT = Contract(
    artifact="architecture",
    title="Architecture notes",
    prefix="ARCH",
    format="directory",
    modes=Modes(write="none"),
    places=("{project_dir}/architecture/",),
    files={"overview.md": "canonical", "architecture-overview.md": "tolerated", "overview.markdown": "tolerated", "README.md": "tolerated", "gaps.md": "optional"},
    codes={
        "ARCH_NON_CANONICAL_OVERVIEW": Code(name="ARCH_NON_CANONICAL_OVERVIEW", severity="warning", remedy="Rename it to overview.md, or leave it; it is used anyway."),
        "ARCH_LOOSE_FILES": Code(name="ARCH_LOOSE_FILES", severity="warning", remedy="Move what matters into overview.md or gaps.md."),
    },
)
