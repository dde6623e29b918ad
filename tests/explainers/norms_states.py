"""The reference of norms and loops, its modules, and what the pages print in a state."""

from cutaway import explainers

around, data = explainers.reference("norms"), explainers.data("norms")
stack, mixing, small, legal = around.stack, around.mixing, around.small, around.legal


def at(**state) -> dict:
    """What the page prints in a state."""
    return around.compute({**around.STATE, **state}, data)
