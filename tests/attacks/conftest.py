"""The histories of the proof serve the attacks too."""

from tests.proof.conftest import history as history
