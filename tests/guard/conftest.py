"""Let the tests import the runtime from its sources, with the tables that are rendered from them."""

from __future__ import annotations

import tests.guard.policy_tables  # noqa: F401
