"""A computed state -> what is printed of it: the ten steps by name, who holds what, sums over layers."""

from __future__ import annotations

from typing import Any

from explainers import fmt

BESIDE = ("no meeting yet", "the MLP reads x too")  # step 4 where both halves read x; step 5 is step 0 again
# name, what happens, name with sequence parallelism (at a meeting) and name without a gate
STEPS: tuple[tuple[str, str, str, str], ...] = (
    ("x on every rank", "each rank normalises its own copy", "all-gather of x", ""),
    ("heads of q, k, v", "columns: every rank computes its own heads", "", ""),
    ("attention", "head by head; no rank needs another's", "", ""),
    ("rows of o", "whole-sized, but only a partial sum on each rank", "", ""),
    ("all-reduce of y", "the partial sums meet; every rank has y", "reduce-scatter of y", ""),
    ("y on every rank", "each rank normalises its own copy", "all-gather of y", ""),
    ("columns of gate, up", "every rank computes its own columns", "", "columns of up"),
    ("silu(gate) · up", "stays sharded", "", "act(up)"),
    ("rows of down", "whole-sized, but only a partial sum on each rank", "", ""),
    ("all-reduce of z", "the partial sums meet; every rank has z", "reduce-scatter of z", ""),
)


def tiny(x: float) -> str:
    """1.1e-16 -> "1.1 · 10⁻¹⁶"."""
    m, e = f"{x:.1e}".split("e")
    return f"{m} · 10{fmt.sup(int(e))}" if x else "0"


def moments(model: dict[str, Any], sp: bool) -> list[list[str]]:
    """[name, what happens] of the ten steps."""
    made = []
    for k, (name, says, parallel, plain) in enumerate(STEPS):
        if model["parallel"] and k in (4, 5):
            made.append(list(BESIDE if k == 4 else STEPS[0][:2]))
        elif sp and k % 5 == 0:
            made.append([parallel, "every rank normalises its tokens, then gathers everybody's"])
        elif sp and k % 5 == 4:
            made.append(
                [parallel, f"the partial sums meet; every rank keeps its own tokens of {'y' if k == 4 else 'z'}"]
            )
        else:
            made.append([plain if plain and not model["gated"] else name, says])
    return made


def span(a: int, b: int) -> str:
    return f"{a:,}" if a == b else f"{a:,} to {b:,}"


def holds(model: dict[str, Any], held: list[list[int]], copies: int, t: int, r: int) -> str:
    """What every rank holds, or the one that is pointed at."""
    heads, kv, mlp = model["heads"], model["kv_heads"], model["mlp"]
    some = "head" if kv == 1 else "heads"
    if not 0 <= r < t:
        copied = f" {t} ranks share {kv} KV {some}: each stands on {copies} ranks." if copies > 1 else ""
        return (
            f"Every rank holds {heads // t} of {heads} query heads, {len(held[0])} of {kv} KV {some} and "
            f"{mlp // t:,} of {mlp:,} {'columns of each expert' if model['expert'] else 'MLP columns'}.{copied}"
        )
    twins = [o for o in range(t) if o != r and copies > 1 and held[o][0] == held[r][0]]
    also = f" (also on rank {', '.join(map(str, twins))})" if twins else ""
    return (
        f"Rank {r} holds query heads {span(r * heads // t, (r + 1) * heads // t - 1)}, "
        f"KV {'heads' if len(held[r]) > 1 else 'head'} {span(held[r][0], held[r][-1])}{also}, "
        f"columns {span(r * mlp // t, (r + 1) * mlp // t - 1)} of {'gate and up' if model['gated'] else 'up'}, "
        "the same rows of down."
    )


def sizes(model: dict[str, Any]) -> dict[str, Any]:
    """The model's shape, and how wide q and k are."""
    keys = ("title", "hidden", "heads", "kv_heads", "head_dim", "mlp", "layers")
    wide = {"q": model["heads"] * model["head_dim"], "kv": model["kv_heads"] * model["head_dim"]}
    return {key: model[key] for key in keys} | wide


def total(memory: dict[str, float]) -> float:
    """What a rank holds, added in the widget's order."""
    return memory["cut"] + memory["kv"] + memory["whole"] + memory["cache"] + memory["stream"]


def sent(
    message: int, counted: dict[str, float], formula: float, layers: int, once: int
) -> dict[str, dict[str, float]]:
    """Bytes of each meeting, of a layer, of a forward pass: the message, what the log counts, what the formula says.
    `once`: attention has no meeting of its own."""
    often = {"attention": 1 - once, "mlp": 1}
    meets = {
        what: {"message": often[what] * message, "counted": bytes_, "formula": often[what] * formula}
        for what, bytes_ in counted.items()
    }
    layer = {key: meets["attention"][key] + meets["mlp"][key] for key in ("message", "counted", "formula")}
    return meets | {"layer": layer, "pass": {key: layers * bytes_ for key, bytes_ in layer.items()}}
