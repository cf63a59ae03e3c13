"""Gates and the json blocks of agents as plain values; few artifacts have them, so few calls load them."""

from __future__ import annotations

from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.typed import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Field


class Dimension(Struct):
    """One thing that a gate scores, the list that says what is wrong, and the least score that passes."""

    name: str
    detail: str
    detail_fields: tuple[str, ...]
    passes_at: int


class Gate(Struct):
    """The arithmetic that decides from scores whether a draft passes."""

    lowest: int
    highest: int
    detail_at: int
    rounds: int
    degraded_score: int
    degraded_verdict: str
    tie_order: tuple[str, ...]
    verdicts: Mapping[str, str]
    dimensions: tuple[Dimension, ...]
    hard: tuple[str, ...] = ()


class Output(Struct):
    """The json block that ends an agent's answer: its keys, the artifact whose gate reads it, or its own gate."""

    name: str
    fields: tuple[Field, ...]
    gate: str = ""
    weights: Mapping[str, int] = EMPTY
    scores: Gate | None = None
