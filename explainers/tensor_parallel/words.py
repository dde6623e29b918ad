"""A computed state -> what is printed of it: the ten steps by name, who holds what, sums over layers."""

from __future__ import annotations

from typing import Any

from cutaway.explainers import fmt

BESIDE = ("no all-reduce yet", "the MLP reads x too")  # step 4 where attention and MLP read x; step 5 is step 0 again
# name, what happens, name with sequence parallelism (at a meeting) and name without a gate
STEPS: tuple[tuple[str, str, str, str], ...] = (
    ("x on every rank", "each rank normalises its own copy", "all-gather of x", ""),
    ("heads of q, k, v", "columns: every rank computes its own heads", "", ""),
    ("attention", "head by head; no rank needs data from another", "", ""),
    ("rows of o", "full size, but only a partial sum on each rank", "", ""),
    ("all-reduce of y", "the partial sums are added; every rank has y", "reduce-scatter of y", ""),
    ("y on every rank", "each rank normalises its own copy", "all-gather of y", ""),
    ("columns of gate, up", "every rank computes its own columns", "", "columns of up"),
    ("silu(gate) · up", "stays sharded", "", "act(up)"),
    ("rows of down", "full size, but only a partial sum on each rank", "", ""),
    ("all-reduce of z", "the partial sums are added; every rank has z", "reduce-scatter of z", ""),
)


# what some models do in some steps: kind, steps, name, what happens
OWN: tuple[tuple[str, tuple[int, ...], str, str], ...] = (
    ("latent", (1,), "latents, then heads", "every rank has the whole latents and projects them to its own heads"),
    (
        "full",
        (2,),
        "all-gather of q, k",
        "one norm spans all heads, so it needs all of q, k; attention is per rank",
    ),
    ("expert", (6,), "", "every rank has the whole router; each expert is sharded by columns"),
    ("after", (0, 5), "", "each rank reads its own copy; the norm comes after"),
    ("other", (7,), "act(gate) · up", ""),
    ("plus", (7,), "act(gate) · (up + 1)", ""),
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
            normed = "has its tokens" if model["after"] else "normalises its tokens"
            made.append([parallel, f"every rank {normed}, then gathers those of all ranks"])
        elif sp and k % 5 == 4:
            made.append(
                [parallel, f"the partial sums are added; every rank keeps its own tokens of {'y' if k == 4 else 'z'}"]
            )
        else:
            own, happens = next((rest for kind, at, *rest in OWN if k in at and model[kind]), ("", ""))
            made.append([own or (plain if plain and not model["gated"] else name), happens or says])
    return made


def span(a: int, b: int) -> str:
    return f"{a:,}" if a == b else f"{a:,} to {b:,}"


def holds(model: dict[str, Any], held: list[list[int]], copies: int, t: int, r: int) -> str:
    """What every rank holds, or the selected one."""
    heads, kv, mlp = model["heads"], model["kv_heads"], model["mlp"]
    some = "head" if kv == 1 else "heads"
    others = " and ".join(f"{n:,}" for n in model["also"])
    wide = f" In other layers ranks share {others} in the same way." if others else ""
    if not 0 <= r < t:
        copied = f" {t} ranks share {kv} KV {some}: each is stored on {copies} ranks." if copies > 1 else ""
        keys = "the whole latents" if model["latent"] else f"{len(held[0])} of {kv} KV {some}"
        return (
            f"Every rank holds {heads // t} of {heads} query heads, {keys} and {mlp // t:,} of {mlp:,} "
            f"{'columns of each expert' if model['expert'] else 'MLP columns'}.{copied}{wide}"
        )
    twins = [o for o in range(t) if o != r and copies > 1 and held[o][0] == held[r][0]]
    also = f" (also on rank {', '.join(map(str, twins))})" if twins else ""
    own = f"KV {'heads' if len(held[r]) > 1 else 'head'} {span(held[r][0], held[r][-1])}{also}"
    return (
        f"Rank {r} holds query heads {span(r * heads // t, (r + 1) * heads // t - 1)}, "
        f"{'the whole latents' if model['latent'] else own}, "
        f"columns {span(r * mlp // t, (r + 1) * mlp // t - 1)} of {'gate and up' if model['gated'] else 'up'}, "
        f"the same rows of down.{wide}"
    )


def sizes(model: dict[str, Any]) -> dict[str, Any]:
    """The model's shape; how wide q, k or what comes out of the latent, and what attention gives are; the latents."""
    keys = ("title", "hidden", "heads", "kv_heads", "head_dim", "mlp", "layers")
    heads, d = model["heads"], model["head_dim"]
    q_rank, rank, rope, value = model["latent"] or (0, 0, 0, d)
    kv = heads * (d - rope + value) if rank else model["kv_heads"] * d
    wide = {"q": heads * d, "kv": kv, "o": heads * value, "from": q_rank or model["hidden"]}
    return {key: model[key] for key in keys} | wide | {"latent": rank, "down": rank + rope}


def total(memory: dict[str, float]) -> float:
    """What a rank holds, added in the widget's order."""
    return memory["cut"] + memory["kv"] + memory["whole"] + memory["cache"] + memory["stream"]


MEETINGS = ("norm", "attention", "mlp")


def sent(meetings: dict[str, dict[str, float]], often: tuple[int, int]) -> dict[str, dict[str, float]]:
    """Bytes of each meeting, of a layer, of a forward pass: the message, what the log counts, what the formula says.
    `often`: how often attention and MLPs end in a pass."""
    keys = ("message", "counted", "formula")
    layer = {key: sum(meetings[what][key] for what in MEETINGS) for key in keys}
    first, second = often
    whole = {key: first * (layer[key] - meetings["mlp"][key]) + second * meetings["mlp"][key] for key in keys}
    return meetings | {"layer": layer, "pass": whole}
