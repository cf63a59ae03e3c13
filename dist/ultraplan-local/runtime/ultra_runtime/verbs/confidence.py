"""Compute the confidence of an answer from a table of evidence on standard input, one source per line.

A line is `dimension | agent | kind | agrees | source`: the number of the dimension, who found it, the kind of source,
whether it agrees with the answer (yes, partly or no), and where it is. Each source counts once, by the weight of its
kind. Sources that agree are weighed against those that do not, and the weakest dimension lowers the result. With
--project and --topic the result is stored, and `put research` writes it into the file. If a level is needed
(--needed, or the one in the brief's topic), the answer says whether it is reached and which dimensions are weak. With
--guide it has the guide for the research file.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing
from ultra_runtime.artifacts.places import number as topic_number
from ultra_runtime.contract.agent_output import known_outputs
from ultra_runtime.contract.forms import is_number
from ultra_runtime.contract.stages import folder_of, need, stage_that_makes
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.rendered import verb
from ultra_runtime.research.evidence import (
    COLUMNS,
    ENOUGH,
    EvidenceError,
    as_table,
    confidence,
    read_evidence,
)
from ultra_runtime.research.folder import read_brief
from ultra_runtime.research.putting import Computed, keep_computed
from ultra_runtime.research.topics import Topic, topics_of
from ultra_runtime.tables.fields import research_fields
from ultra_runtime.tables.limits import DIMENSIONS
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line

USAGE = "confidence --dimensions N [--project DIR] [--topic N] [--needed high|medium|low] [--guide] [--json]"
STAGE = "research"

HINT = f"give lines of `{' | '.join(COLUMNS)}` on standard input"
MOST_TOLD = 10
AGAINST = "no"


def run(args: Args) -> Answer:
    """Answer with the confidence of the whole and of each dimension."""
    need(research_fields.KIND)
    given = args.need("--dimensions")
    if not is_number(given) or not 1 <= int(given) <= DIMENSIONS:
        raise args.usage.error(f"--dimensions must be a number from 1 to {DIMENSIONS}, not {one_line(given)}")
    count = int(given)
    project, topic = _topic(args)
    outputs = known_outputs()
    weights = next(output.weights for output in outputs.values() if output.weights)
    agents = [name for name, output in outputs.items() if output.weights]
    try:
        text = as_text(read_given(None, HINT), HINT)
        evidence = read_evidence(text, count, weights, agents)
    except EvidenceError as problem:
        told = "; ".join(problem.faults[:MOST_TOLD])
        raise RefusedError(f"the evidence cannot be read: {told}", f"{HINT}; nothing was computed") from None
    whole, each = confidence(evidence, count, weights)
    bare = [str(number) for number, one in enumerate(each, 1) if one == 0]
    disputed = sorted({one.dimension for one in evidence if one.agrees == AGAINST})
    next_step = "write these numbers to the research unchanged"
    if project and topic:
        _keep(project, topic, Computed(whole, count, topic.question, as_table(evidence)))
        next_step = (
            f"`{verb('put')} research` writes the first number to the front matter; write the others yourself"
        )
    if bare:
        next_step += f"; nothing supports the answer to dimension {listed(bare)}: say so in the text"
    data: dict[str, Any] = {"ok": True, "confidence": whole, "dimensions": each, "contradicted": disputed}
    needed = args.get("--needed") or (topic.needed if topic and topic.needed in ENOUGH else None)
    if needed:
        data["enough"] = whole >= ENOUGH[needed]
        data["weak"] = [number for number, value in enumerate(each, 1) if value < ENOUGH[needed]]
    if args.flag("--guide"):
        data["guide"] = guide_text(stage_that_makes(research_fields.KIND), "write")
        next_step = "follow `guide`" + (
            "" if not bare else f"; nothing supports dimension {listed(bare)}: say so"
        )
    data["next"] = next_step
    lines = [f"confidence {whole}", *(f"  dimension {number}: {one}" for number, one in enumerate(each, 1))]
    return Answer(data, "\n".join(lines))


def _topic(args: Args) -> tuple[Project | None, Topic | None]:
    """Return the project and the topic of the evidence: one of the brief, or a new one; none without a project."""
    directory, given = args.get("--project"), args.get("--topic")
    if (directory is None) != (given is None):
        raise args.usage.error("--project DIR and --topic N must be used together")
    if directory is None or given is None:
        return None, None
    number = topic_number(args, "--topic", 1)
    project = find_project(directory)
    folder = project.path(folder_of(research_fields.KIND))
    known = [topic for topic in topics_of(read_brief(project.folder), folder) if topic.number == number]
    return project, known[0] if known else Topic(number, {})


def _keep(project: Project, topic: Topic, computed: Computed) -> None:
    with Refusing("fix this and retry; nothing was stored"), locked(project.folder):
        keep_computed(project, topic.number, computed)
