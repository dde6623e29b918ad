"""A spec's graphs -> rows of words on how it is wired: rotation, norms, caps, multipliers, gates, routers, experts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cutaway.gallery.drawing.annotations import LINES, act, expert_words, router_lines, shared_words
from cutaway.gallery.drawing.experts import coarse
from cutaway.gallery.drawing.formula_attention import grown_words
from cutaway.gallery.drawing.words import layers
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.joined import join_words
from cutaway.gallery.records import Rope
from cutaway.gallery.spec import Combined, Dense, Mamba2, ModelSpec, MoE
from cutaway.gallery.sublayers import graph_of
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

ATTENDING = {"attend", "differ", "attend_entries"}
INSIDE = ("indexer.", "compressor.")  # rotations and norms that are not those of queries and keys
INSTEAD = {"alibi": "no RoPE: ALiBi", "learned": "no RoPE: learned positions",
"waves": "no RoPE: sines and cosines are added",
           "relative": "no RoPE: a learned bias per distance"}  # fmt: skip
Found = dict[str, list[int]]  # words -> the layers they are true of


def rows(spec: ModelSpec) -> list[tuple[str, str]]:
    """(what, words): a row for each thing that the model has."""
    mixers = Halves(spec, "mixer")
    found = [
        ("RoPE", mixers.say(rotation)),
        ("Norms in attention", mixers.say(norms)),
        ("Gate on attention", mixers.say(gate)),
        ("Soft-caps", ", ".join(filter(None, (mixers.say(score_cap), logits_cap(spec))))),
        ("Multipliers", all_multipliers(spec, mixers)),
        *mlp_rows(spec),
    ]
    return [row for row in found if row[1]]


def all_multipliers(spec: ModelSpec, mixers: Halves) -> str:
    """Constants around the layers, in attention, in state spaces and in MLPs."""
    inside = (mixers.say(multipliers), mixers.say(ssm_multipliers), Halves(spec, "mlp").say(mlp_multipliers))
    return ", ".join(filter(None, (*scales(spec), *inside)))


def mlp_rows(spec: ModelSpec) -> list[tuple[str, str]]:
    """Router and experts; where there are none, the MLP's activation."""
    halves = Halves(spec, "mlp")
    routers = [("Router", halves.say(router)), ("Experts", halves.say(experts))]
    return routers if routers[0][1] else [("MLP", halves.say(activation))]


class Halves:
    """The mixers, or the MLPs, of all layers, each kind with its layers."""

    def __init__(self, spec: ModelSpec, which: str) -> None:
        self.hidden, self.of = spec.hidden_size, len(spec.layers)
        self.kinds: dict[Any, list[int]] = {}
        for layer in spec.layers:
            for half in single(getattr(layer, which)):
                own = self.kinds.setdefault(half, [])
                if layer.index not in own:
                    own.append(layer.index)

    def say(self, words: Callable[[Any, dict[str, Node]], str | None]) -> str:
        """What is true of all kinds that it can be said of; where they differ, which layers each is true of."""
        found: Found = {}
        windowed: set[int] = set()
        for half, indices in self.kinds.items():
            nodes = {node.name: node for node in graph_of(half, self.hidden).nodes}
            said = words(half, nodes)
            if said is not None:
                found.setdefault(said, []).extend(i for i in indices if i not in found.get(said, ()))
                windowed |= set(indices) if has_window(nodes) else set()
        if len(found) == 1:
            return next(iter(found))
        every = {i for indices in found.values() for i in indices}
        named = [f"{words or 'none'} in {self.where(sorted(own), windowed, every)}" for words, own in found.items()]
        return "; ".join(named)

    def where(self, own: list[int], windowed: set[int], every: set[int]) -> str:
        """Windowed layers, full layers, or which ones."""
        if windowed and set(own) == windowed:
            return "windowed layers"
        if windowed and set(own) == every - windowed:
            return "full layers"
        words = layers(own, self.of) or f"{len(own)} of {self.of} layers"
        return words.replace(",", " layer,", 1) if words.startswith("every") else words


def single(half: Any) -> Iterator[Any]:
    """A half of a layer, or the several that it consists of."""
    if isinstance(half, Combined):
        for part in half.parts:
            yield from single(part)
    elif half is not None:
        yield half


def attention(nodes: dict[str, Node]) -> Node | None:
    """The softmax over the model's own tokens, if there is one."""
    return next((n for n in nodes.values() if n.op in ATTENDING and not n.facts.get("cross")), None)


def has_window(nodes: dict[str, Node]) -> bool:
    """Whether only so many tokens are seen."""
    node = attention(nodes)
    return bool(node and (node.facts.get("window") or node.facts.get("chunk")))


# ---------------------------------------------------------------- mixers


def rotation(m: Any, nodes: dict[str, Node]) -> str | None:
    """Base, share and stretching of the rotation; or that attention rotates nothing."""
    central = attention(nodes)
    if rope := rope_of(nodes):
        size = central.facts.get("d", 0) if central else getattr(m, "head_dim", 0)
        return rope_words(rope, size)
    if central is None:
        return None
    return INSTEAD.get(getattr(m, "position", ""), "no RoPE")


def rope_of(nodes: dict[str, Node]) -> Rope | None:
    """The rotation of queries and keys."""
    return next((n.facts["rope"] for n in nodes.values() if n.op == "rope" and not n.name.startswith(INSIDE)), None)


def rope_words(rope: Rope, size: int) -> str:
    """base 500,000, llama3 × 8; base 11,158,840 at all lengths (10,000 grown by alpha 1,000)."""
    out = [f"base {rope.theta:,.0f}"]
    if rope.alpha:
        out = [f"base {rope.base:,.0f} at all lengths ({rope.theta:,.0f} grown by alpha {rope.alpha:,.0f})"]
    if rope.dims < size:
        out.append(f"{rope.dims} of {size} dimensions")
    if rope.kind != "default" and not rope.alpha:
        factor = dict(rope.scaling).get("factor")
        out.append(f"{rope.kind} × {factor:g}" if isinstance(factor, int | float) and factor != 1 else rope.kind)
    return ", ".join(out)


def norms(_: Any, nodes: dict[str, Node]) -> str | None:
    """RMSNorm of queries and keys."""
    if attention(nodes) is None:
        return None
    of = {"q": "queries", "k": "keys", "v": "values"}
    found = [(of[word], nodes[f"{word}_norm"]) for word in of if f"{word}_norm" in nodes]
    kinds = dict.fromkeys(node.facts["normal"].kind for _, node in found if "normal" in node.facts)
    names = [name for name, _ in found]
    return f"{' and '.join(kinds) or 'norm'} of {join_words(names)}" if found else ""


def gate(m: Any, nodes: dict[str, Node]) -> str | None:
    """What the gate's numbers go through, and how many there are."""
    if attention(nodes) is None:
        return None
    if "gated" not in nodes:
        return ""
    opened = nodes.get("gate_act")
    each = "one value per head" if getattr(m, "gate", "") == "headwise" else "one value per dimension"
    return f"{act(opened.facts['act'])}, {each}" if opened else each


def score_cap(_: Any, nodes: dict[str, Node]) -> str | None:
    """How far scores go."""
    central = attention(nodes)
    cap = central.facts.get("softcap") if central else 0
    return f"scores ± {cap:g}" if cap else "" if central else None


def multipliers(_: Any, nodes: dict[str, Node]) -> str | None:
    """Constants inside attention; that of q·k where it is not 1 / √size, that of cos and sin where it is not 1."""
    central = attention(nodes)
    if central is None:
        return None
    scale, size = central.facts.get("scale"), central.facts.get("d", 0)
    out = [f"q·k × {short(scale)}"] if scale and size and abs(scale * size**0.5 - 1) > 1e-9 else []
    return ", ".join([*out, *rotation_scale(rope_of(nodes), size), *constants(PARTS, nodes)])


# ---------------------------------------------------------------- around the layers


def logits_cap(spec: ModelSpec) -> str:
    """How far logits go."""
    caps = [n.facts["cap"] for n in closing_graph(spec).nodes if n.op == "softcap"]
    return f"logits ± {caps[0]:g}" if caps else ""


# ---------------------------------------------------------------- MLPs


def router(m: Any, nodes: dict[str, Node]) -> str | None:
    """Scores, choice and weights, as the drawing says them."""
    if not isinstance(m, MoE):
        return None
    graph = coarse(Graph(tuple(nodes.values()), "experts"))
    box = next(node for node in graph.nodes if node.name == "router")
    return ", ".join(router_lines(box.facts["own"]))


def experts(m: Any, nodes: dict[str, Node]) -> str | None:
    """What happens inside an expert."""
    if not isinstance(m, MoE):
        return None
    node, shared = nodes["experts"], shared_words(nodes.values())
    own = f" (the shared expert: {shared})" if shared and shared != expert_words(node) else ""
    return expert_words(node) + own + (", weighted at the input" if node.facts.get("on_input") else "")


def activation(_: Any, nodes: dict[str, Node]) -> str | None:
    """How gate and up meet, or what up goes through."""
    node = nodes.get("glu") or nodes.get("act")
    return ", ".join(LINES[node.op](node)) if node and node.op in LINES else None


# ---------------------------------------------------------------- constants that are not one

PARTS = {"in_scaled": "input of attention", "k_scaled": "keys", "v_scale": "values",
         "out_scaled": "output of attention"}  # fmt: skip
SSM_PARTS = {"in_scaled": "input of Mamba", "out_scaled": "output of Mamba"}
MLP_PARTS = {"gate_scaled": "gate", "out_scaled": "output of the MLP"}
IN_PROJ = ("z", "x", "B", "C", "dt")  # what in_proj holds, in its order


def short(value: float) -> str:
    """A constant in full where that is short."""
    whole = f"{value:.9g}"
    return whole if len(whole) <= 9 else f"{value:.4g}"


def scales(spec: ModelSpec) -> list[str]:
    """Constants on the embedding, on what each half adds and on the logits."""
    names = {"embed_scaled": "embedding", "logits_scaled": "logits"}
    ends = {n.name: n for g in (opening_graph(spec), closing_graph(spec)) for n in g.nodes}
    first = layer_graph(spec, spec.layers[0]).nodes if spec.layers else ()
    inside = [n.facts["by"] for n in first if n.name in ("mixer_scaled", "mlp_scaled") and "by" in n.facts]
    found = {word: ends[name].facts.get("by") for name, word in names.items() if name in ends}
    found["sublayer outputs"] = inside[0] if inside else None
    return [f"{word} × {short(by)}" for word, by in found.items() if by]


def rotation_scale(rope: Rope | None, size: int) -> list[str]:
    """rotated part of q and k × 1.347: how much YaRN and LongRoPE make cos and sin grow."""
    times = grown_words(rope) if rope else ""
    which = "rotated part of q and k" if rope and rope.dims < size else "rotated q and k"
    return [f"{which} × {times}"] if times else []


def ssm_multipliers(m: Any, nodes: dict[str, Node]) -> str | None:
    """Constants inside a state space: of what it reads, of each part of in_proj, of what it gives (Falcon-H1)."""
    if not isinstance(m, Mamba2):
        return None
    parts = [f"{word} × {short(by)}" for word, by in zip(IN_PROJ, m.multipliers, strict=False)]
    first, *last = constants(SSM_PARTS, nodes) or [""]
    return ", ".join(filter(None, [first, *parts, *last]))


def mlp_multipliers(m: Any, nodes: dict[str, Node]) -> str | None:
    """Constants inside a dense MLP."""
    return ", ".join(constants(MLP_PARTS, nodes)) if isinstance(m, Dense) else None


def constants(words: dict[str, str], nodes: dict[str, Node]) -> list[str]:
    """values × 0.707: each of these nodes that a half has."""
    return [f"{what} × {short(nodes[name].facts['by'])}" for name, what in words.items() if name in nodes]
