"""The table: attempts to complete a run without the work, and honest runs that look like one."""

from tests.attacks.scripts import (
    afresh,
    between,
    caches,
    checkout,
    commands,
    environment,
    gitways,
    history,
    honest,
    ignored,
    meetings,
    outside,
    paths,
    people,
    records,
    settings,
    surroundings,
)

ATTACKS = [
    *outside.ATTACKS,
    *ignored.ATTACKS,
    *records.ATTACKS,
    *history.ATTACKS,
    *settings.ATTACKS,
    *environment.ATTACKS,
    *paths.ATTACKS,
    *checkout.ATTACKS,
    *commands.ATTACKS,
    *surroundings.ATTACKS,
    *caches.ATTACKS,
    *afresh.ATTACKS,
    *gitways.ATTACKS,
    *people.ATTACKS,
    *between.ATTACKS,
]
HONEST = [
    *honest.RUNS,
    *surroundings.RUNS,
    *caches.RUNS,
    *gitways.RUNS,
    *people.RUNS,
    *commands.RUNS,
    *meetings.RUNS,
]
