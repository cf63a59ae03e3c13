"""Rendered from contracts/research.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="research",
    title="Research",
    prefix="RESEARCH",
    format="frontmatter",
    modes=Modes(write="strict", read="soft"),
    places=("{project_dir}/research/{NN}-{topic-slug}.md", ".claude/research/ultraresearch-{date}-{slug}.md",),
    fields=(
        Field(name="type", type="text", required=True, means="Marks this file as research.", values={"ultraresearch-brief": "An answer to a research question of this pipeline."}, code="RESEARCH_WRONG_TYPE"),
        Field(name="created", type="date", required=True, means="The day on which it was written."),
        Field(name="question", type="text", required=True, means="The question that is answered."),
        Field(name="confidence", type="number", required=False, means="Confidence of the answer, from 0.0 to 1.0.", minimum=0, maximum=1, missing="RESEARCH_NO_CONFIDENCE"),
        Field(name="dimensions", type="integer", required=False, means="How many aspects the question was divided into.", minimum=1),
        Field(name="mcp_servers_used", type="list", required=False, means="Servers that were queried.", items="text"),
        Field(name="local_agents_used", type="list", required=False, means="Agents that searched the repository.", items="text"),
        Field(name="external_agents_used", type="list", required=False, means="Agents that searched outside sources.", items="text"),
    ),
    sections=(
        Section(name="Executive Summary", required=True, means="The answer in a few sentences."),
        Section(name="Dimensions", required=True, means="The aspects of the question, each with what was found."),
        Section(name="Local Context", required=False, means="What the repository says."),
        Section(name="External Knowledge", required=False, means="What other sources say."),
        Section(name="Triangulation", required=False, means="Where sources agree and where they do not."),
        Section(name="Sources", required=False, means="What was read."),
        Section(name="Recommendations", required=False, means="What follows for the plan."),
    ),
    stats=(
        Field(name="ts", type="timestamp", required=True, means="When the line was written."),
        Field(name="slug", type="text", required=True, means="Slug of the project or topic.", form="slug"),
        Field(name="scope", type="text", required=True, means="Where the agents searched.", values={"local": "In the repository.", "external": "Outside.", "both": "In both."}),
        Field(name="agents", type="integer", required=True, means="How many agents were used.", minimum=0),
        Field(name="confidence", type="number", required=True, means="Confidence of the answer.", minimum=0, maximum=1),
    ),
    codes=(
        Code(name="RESEARCH_NOT_FOUND", severity="error", means="There is no research at this path.", remedy="Name a research file or a folder with research files."),
        Code(name="RESEARCH_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you can read."),
        Code(name="RESEARCH_WRONG_TYPE", severity="error", means="The front matter says that this is not research.", remedy="Name a research file, or correct the type."),
        Code(name="RESEARCH_MISSING_FIELD", severity="error", means="A required field is missing.", remedy="Add the field to the front matter.", soft=True),
        Code(name="RESEARCH_BAD_TYPE", severity="error", means="A field has the wrong type.", remedy="Write a value of the type that the contract requires."),
        Code(name="RESEARCH_BAD_VALUE", severity="error", means="A field has a value that is not allowed, out of range or in the wrong form.", remedy="Write a value that the message allows."),
        Code(name="RESEARCH_MISSING_SECTION", severity="error", means="A required section is missing.", remedy="Add the section with a level 2 heading (##).", soft=True),
        Code(name="RESEARCH_NO_CONFIDENCE", severity="warning", means="The confidence was not computed, or is lower than the topic needs.", remedy="Compute the confidence from the evidence, or have the plan treat the answer as an assumption."),
        Code(name="RESEARCH_TOPIC_UNANSWERED", severity="warning", means="A topic of the brief has no research file with its number, or that file answers another question.", remedy="Research the topic, or remove it from the brief."),
    ),
)
