"""The reference of decoder, its modules, and what the page prints in a state."""

from cutaway import explainers
from tests.explainers import expected

decoder, data = explainers.reference("decoder"), explainers.data("decoder")
running, mixers, task, measured = decoder.running, decoder.mixers, decoder.task, decoder.measured
KINDS = list(mixers.KINDS.values())
answers = expected.answers("decoder")


def at(**state) -> dict:
    """What the page prints in a state."""
    return decoder.compute({**decoder.STATE, **state}, data)
