"""Rendered from contracts/research.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="research",
    title="Research",
    prefix="RESEARCH",
    format="frontmatter",
    modes=Modes(write="strict"),
    places=("{project_dir}/research/{NN}-{topic-slug}.md", ".claude/research/ultraresearch-{date}-{slug}.md",),
    fields=(
        Field(name="type", type="text", required=True, values={"ultraresearch-brief": "An answer to a research question of this pipeline."}, code="RESEARCH_WRONG_TYPE"),
        Field(name="created", type="date", required=True),
        Field(name="question", type="text", required=True),
        Field(name="confidence", type="number", required=False, minimum=0, maximum=1, missing="RESEARCH_NO_CONFIDENCE"),
        Field(name="dimensions", type="integer", required=False, minimum=1),
        Field(name="mcp_servers_used", type="list", required=False, items="text"),
        Field(name="local_agents_used", type="list", required=False, items="text"),
        Field(name="external_agents_used", type="list", required=False, items="text"),
    ),
    sections=(
        Section(name="Executive Summary", required=True),
        Section(name="Dimensions", required=True),
        Section(name="Local Context", required=False),
        Section(name="External Knowledge", required=False),
        Section(name="Triangulation", required=False),
        Section(name="Sources", required=False),
        Section(name="Recommendations", required=False),
    ),
    stats=(
        Field(name="ts", type="timestamp", required=True),
        Field(name="slug", type="text", required=True, form="slug"),
        Field(name="scope", type="text", required=True, values={"local": "In the repository.", "external": "Outside.", "both": "In both."}),
        Field(name="agents", type="integer", required=True, minimum=0),
        Field(name="confidence", type="number", required=True, minimum=0, maximum=1),
    ),
    codes={
        "RESEARCH_NOT_FOUND": Code(name="RESEARCH_NOT_FOUND", severity="error", remedy="Name a research file or a folder with research files."),
        "RESEARCH_READ_ERROR": Code(name="RESEARCH_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "RESEARCH_WRONG_TYPE": Code(name="RESEARCH_WRONG_TYPE", severity="error", remedy="Name a research file, or correct the type."),
        "RESEARCH_MISSING_FIELD": Code(name="RESEARCH_MISSING_FIELD", severity="error", remedy="Add the field to the front matter.", soft=True),
        "RESEARCH_BAD_TYPE": Code(name="RESEARCH_BAD_TYPE", severity="error", remedy="Write a value of the type that the contract requires."),
        "RESEARCH_BAD_VALUE": Code(name="RESEARCH_BAD_VALUE", severity="error", remedy="Write a value that the message allows."),
        "RESEARCH_MISSING_SECTION": Code(name="RESEARCH_MISSING_SECTION", severity="error", remedy="Add the section with a level 2 heading (##).", soft=True),
        "RESEARCH_NO_CONFIDENCE": Code(name="RESEARCH_NO_CONFIDENCE", severity="warning", remedy="Compute the confidence from the evidence, or have the plan treat the answer as an assumption."),
        "RESEARCH_TOPIC_UNANSWERED": Code(name="RESEARCH_TOPIC_UNANSWERED", severity="warning", remedy="Research the topic, or remove it from the brief."),
    },
)
