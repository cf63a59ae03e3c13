"""Rendered from contracts/architecture.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Modes

CONTRACT = Contract(
    artifact="architecture",
    title="Architecture notes",
    prefix="ARCH",
    format="directory",
    modes=Modes(write="none", read="discovery"),
    places=("{project_dir}/architecture/",),
    files={"overview.md": "canonical", "architecture-overview.md": "tolerated", "overview.markdown": "tolerated", "README.md": "tolerated", "gaps.md": "optional"},
    codes=(
        Code(name="ARCH_NON_CANONICAL_OVERVIEW", severity="warning", means="The overview has an unexpected name.", remedy="Rename it to overview.md, or leave it; it is used anyway."),
        Code(name="ARCH_LOOSE_FILES", severity="warning", means="The folder contains Markdown files that no stage reads.", remedy="Move what matters into overview.md or gaps.md."),
    ),
)
