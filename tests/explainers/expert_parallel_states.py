"""The reference of expert-parallel, models that its tests name, and what its page prints in a state."""

from __future__ import annotations

from cutaway import explainers

ep, data = explainers.reference("expert-parallel"), explainers.data("expert-parallel")
V3, V2, KIMI = "deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V2", "moonshotai/Kimi-K2.5"
MIXTRAL = "mistralai/Mixtral-8x7B-v0.1"


def at(**state) -> dict:
    """What the page prints in a state."""
    state = {**ep.STATE, **state}
    assert not ep.check(state, data)
    return ep.compute(state, data)


def made(**state) -> dict:
    """Choices, slots and what fits, in a state."""
    return ep.layer.deal_tokens(ep.layer.key_of({**ep.STATE, **state}))
