"""The parts that the scripted model acts on the whole way, one module per stage: each goes on with what it was answered."""

from tests.flagship.acting.agents import cast, heading
from tests.flagship.acting.briefing import GO_ON, INTERVIEW, WRONG_N, brief
from tests.flagship.acting.executing import Executing, day_one, going_on, work_of
from tests.flagship.acting.material import DONE, TASK, scenes, text
from tests.flagship.acting.moves import offered
from tests.flagship.acting.planning import plan, plan_fixes
from tests.flagship.acting.researching import research
from tests.flagship.acting.reviewing import review

__all__ = [
    "DONE", "GO_ON", "INTERVIEW", "TASK", "WRONG_N", "Executing", "brief", "cast", "day_one", "going_on", "heading",
    "offered", "plan", "plan_fixes", "research", "review", "scenes", "text", "work_of",
]  # fmt: skip
