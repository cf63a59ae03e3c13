"""A workflow of GitHub Actions for a plan: one job per wave, with a matrix over its sessions."""

from __future__ import annotations

from ultra_runtime.contract.stages import command_for
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.waves.client_words import client_words
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.waves.wave_run import WaveRun
    from ultra_runtime.waves.wave_start import WaveOptions

LONGER = 15
BUNDLE_REF = f"refs/{launcher()}/bundle"
HEAD = """# Waves of {plan}, rendered by `{verb}`. Our tests check this file against the schema of workflow
# files; they do not run it. Start it once per wave. Merging stays on your machine, where each session is audited.
name: waves of {slug}
on:
  workflow_dispatch:
    inputs:
      wave:
        description: The wave to run; those before it must be on the branch
        required: true
        type: choice
        options: [{waves}]
permissions:
  contents: write
jobs:
"""
JOB = """  wave-{wave}:
    if: inputs.wave == '{wave}'
    runs-on: ubuntu-latest
    timeout-minutes: {minutes}
    strategy:
      fail-fast: false
      max-parallel: {jobs}
      matrix:
        session: [{sessions}]
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - name: The client and the plugin
        run: |
          npm install --global @anthropic-ai/claude-code
          mkdir "$RUNNER_TEMP/bundle"
          git fetch origin {bundle} 'refs/{launcher}/run/*:refs/{launcher}/run/*'
          git archive FETCH_HEAD | tar -xf - -C "$RUNNER_TEMP/bundle"
          git config user.name "$GITHUB_ACTOR"
          git config user.email "$GITHUB_ACTOR@users.noreply.github.com"
          git switch --create {branch}-${{{{ matrix.session }}}}
      - name: The session
        env:
          ANTHROPIC_API_KEY: ${{{{ secrets.ANTHROPIC_API_KEY }}}}
          PROMPT: {prompt}
        run: {client}
      - name: The result
        if: always()
        run: >-
          git push origin HEAD:refs/heads/{branch}-${{{{ matrix.session }}}}
          'refs/{launcher}/run/*:refs/{launcher}/run/*'
"""


def workflow_text(run: WaveRun, options: WaveOptions) -> str:
    """Return the workflow of a plan."""
    place = run.place
    waves = run.plan.waves
    project = f"--project {place.project.shown} " if place.project else ""
    prompt = f"{command_for(progress_fields.KIND)} {project}--session ${{{{ matrix.session }}}} {place.shown}"
    dollars = options.budget / len(run.plan.sessions) if options.budget is not None else None
    words = client_words("claude", "BUNDLE", "PROMPT", options.mode, options.model, dollars)
    client = (
        " ".join(map(shell_word, words))
        .replace("BUNDLE", '"$RUNNER_TEMP/bundle"')
        .replace("PROMPT", '"$PROMPT"')
    )
    parts = [
        JOB.format(
            wave=wave, minutes=round(options.minutes) + LONGER, jobs=options.jobs, bundle=BUNDLE_REF, launcher=launcher(),
            sessions=", ".join(str(one.number) for one in sessions), branch=run.branch_of(0)[: -len("-0")],
            prompt=_quoted(prompt), client=_quoted(client),
        )
        for wave, sessions in waves
    ]  # fmt: skip
    head = HEAD.format(
        plan=one_line(place.shown), verb=verb("waves export"), slug=place.slug,
        waves=", ".join(f"'{wave}'" for wave, _ in waves),
    )  # fmt: skip
    return head + "".join(parts)


def _quoted(text: str) -> str:
    """Return a text as a YAML string in single quotes."""
    return "'" + text.replace("'", "''") + "'"
