"""Answers of which-axis's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.explainers.which_axis import reference

Answer = Callable[[dict, dict], float]


def plan(state: dict, data: dict, axis: str) -> list | str:
    """[name, bytes by part, bytes in all, sent, of these away, ms] of an axis; or why there is none."""
    plans = reference.model_of(state, data)["plans"][state["job"]]
    return plans[str(int(state["gpus"]))][data["axes"].index(axis)]


def share(axis: str, part: str) -> Answer:
    """What a GPU holds of a part of everything; 0 where there is no plan, or no such part."""

    def answer(state: dict, data: dict) -> float:
        names, found = data["parts"][state["job"]], plan(state, data, axis)
        if isinstance(found, str) or part not in names:
            return 0
        i = names.index(part)
        return found[1][i] / reference.model_of(state, data)["one"][state["job"]][i]

    return answer


def keeps_weights(state: dict, data: dict) -> int:
    """Which of tensor, pipeline and data leaves most of the weights on a GPU, experts among them."""
    held = [sum(plan(state, data, axis)[1][:2]) for axis in ("tp", "pp", "dp")]
    return held.index(max(held))


def pipeline_keeps(state: dict, data: dict) -> int:
    """0 an eighth, 1 about half, 2 nearly all."""
    return sum(pipeline_share(state, data) >= cut for cut in (0.3, 0.75))


def leaving(axis: str) -> Answer:
    """What an axis sends to another node, on two nodes."""
    return lambda state, data: plan({**state, "gpus": two_nodes()}, data, axis)[4]


def two_nodes(*_) -> int:
    """How many GPUs stand in two nodes."""
    return 2 * reference.table.NODE


def least(axes: tuple[str, ...], at: int) -> Answer:
    """Which of some axes has least of something; an axis that cannot be has nothing."""

    def answer(state: dict, data: dict) -> int:
        found = [plan(state, data, axis) for axis in axes]
        values = [0 if isinstance(one, str) else one[at] for one in found]
        return values.index(min(values))

    return answer


pipeline_share = share("pp", "activations")
answers = {
    "over": lambda state, data: sum(reference.model_of(state, data)["one"][state["job"]]) / data["room"],
    "keeps_weights": keeps_weights,
    "tensor_cache": share("tp", "cache"),
    "context_cache": share("cp", "cache"),
    "pipeline_keeps": pipeline_keeps,
    "pipeline_share": pipeline_share,
    "first_token": least(("dp", "tp", "pp"), 5),
    "two_nodes": two_nodes,
    "tensor_leaves": leaving("tp"),
    "pipeline_leaves": leaving("pp"),
    "sends_least": least(("tp", "zero", "pp"), 3),
}
