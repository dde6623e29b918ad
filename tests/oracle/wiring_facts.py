"""A config -> the facts of facts_wiring.csv, derived from its graphs: what a running class was seen to do, by column.

A column's function takes a `Read` and says what the graph says; None where this column says nothing of such a graph.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from cutaway.gallery import read
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.reading.keys import SPELLINGS
from cutaway.gallery.running.state import Stored, walk
from cutaway.gallery.spec import Layer
from cutaway.gallery.sublayers import norm_name
from cutaway.gallery.wiring import closing_graph, layer_graph

CALLED = {"gelu_pytorch_tanh": "gelu(tanh)", "gelu_new": "gelu(tanh)", "gelu_fast": "gelu(tanh)", "relu2": "relu",
          "gelu_tanh": "gelu(tanh)", "swish": "silu", "swiglu": "silu"}  # fmt: skip
SCORES = {"sqrtsoftplus": "sqrt(softplus)"}


@dataclass
class Read:
    """One tiny config, its spec and the graphs of its layers."""

    config: dict

    @cached_property
    def spec(self) -> object:
        return read(self.config, as_class=True)

    @cached_property
    def graphs(self) -> list[Graph]:
        return [layer_graph(self.spec, layer) for layer in self.spec.layers]

    @cached_property
    def end(self) -> Graph:
        return closing_graph(self.spec)

    def nodes(self, *ops: str, inside: str = "") -> Iterator[Node]:
        """Nodes of the layers with one of these operations, "inside" a half or anywhere."""
        for graph in self.graphs:
            yield from (node for node in graph.nodes if node.op in ops and node.name.startswith(inside))

    @cached_property
    def names(self) -> dict[str, str]:
        """Our name of a tensor -> its name inside the layer of the modelling code's state dict."""
        return {ours: theirs for graph in self.graphs for ours, theirs in self.named(graph).items()}

    def named(self, graph: Graph) -> dict[str, str]:
        """The same for one layer: a rule may hold in some kinds of layers alone (Zamba)."""
        rules = tuple(r for r in (*self.spec.names, *self.spec.state_names) if not r[0].startswith(("model", "lm_")))
        return {one.ours: one.name for one in walk([Stored(t.name, t.name, t.shape) for t in graph.tensors()], rules)}

    def with_key(self, key: str, value: object) -> Read:
        """The same config with one key, under whatever spelling it has, set to another value."""
        config = copy.deepcopy(self.config)
        written = [word for word in config if SPELLINGS.get(word, ("",))[0] == key] or [key]
        return Read(config | dict.fromkeys(written, value))

    def says(self, key: str) -> bool:
        return any(SPELLINGS.get(word, ("",))[0] == key for word in self.config)


def routers(it: Read) -> Iterator[tuple[Node | None, Node, Node]]:
    """(scores before the choice or None, the choice, the weights) of every router."""
    for graph in it.graphs:
        own = {node.name: node for node in graph.nodes}
        for node in graph.nodes:
            if node.op == "weigh" and node.inputs[1] in own:
                scored = own.get(node.inputs[0])
                yield (scored if scored is not None and scored.op == "score" else None), own[node.inputs[1]], node


def scoring(it: Read) -> str:
    """Whether scores come before the choice or after it."""
    said = []
    for scored, choice, weights in routers(it):
        if choice.op != "choose":
            continue
        act = scored.facts["act"] if scored else weights.facts["score"]
        word = SCORES.get(act, act)
        said.append(f"{word}>topk" if scored else f"topk>{word}")
    said += ["topk>softmax" for _ in it.nodes("product_keys")]
    return " | ".join(dict.fromkeys(said))


def bias(it: Read) -> str:
    """The last word of the selection bias in the state dict."""
    names = [choice.tensors["bias"].name for _, choice, _ in routers(it) if "bias" in choice.tensors]
    return " ".join(dict.fromkeys(it.names[name].rpartition(".")[2] for name in names))


def weighed(it: Read) -> list[tuple]:
    return [(node.facts["normalise"], node.facts["scale"]) for node in it.nodes("weigh")]


def norm_topk(it: Read) -> bool:
    """Whether the flag changes the graph."""
    return weighed(it.with_key("norm_topk_prob", True)) != weighed(it.with_key("norm_topk_prob", False))


def routed_scale(it: Read) -> bool | None:
    """Whether the factor changes the graph; None where the file has no such key."""
    if not it.says("routed_scaling_factor"):
        return None
    return weighed(it.with_key("routed_scaling_factor", 1.5)) != weighed(it.with_key("routed_scaling_factor", 3.0))


def activations(it: Read) -> set[str]:
    """Every activation inside the MLPs, as torch calls them."""
    nodes = it.nodes("glu", "act", "experts", inside="mlp.")
    own = [node for node in nodes if "act" in node.facts and not re.search(r"router_|shared_gate", node.name)]
    cut = {"relu"} if any(it.nodes("sparse", inside="mlp.")) else set()  # what lies below the cutoff becomes zero
    return {CALLED.get(node.facts["act"], node.facts["act"]) for node in own} | cut


def caps(it: Read) -> str:
    """The caps of logits and scores."""
    found = [("final", node.facts["cap"]) for node in it.end.nodes if node.op == "softcap"]
    found += [("attn", node.facts["softcap"]) for node in it.nodes("attend") if node.facts.get("softcap")]
    return " ".join(sorted({f"{where}={cap:g}" for where, cap in found}))


def plus_one(it: Read) -> bool:
    """Whether a norm multiplies by 1 + w."""
    nodes = [node for graph in (*it.graphs, it.end) for node in graph.nodes if node.op == "norm" and node.tensors]
    return any(node.facts["normal"].plus_one for node in nodes)


def layer_norm(it: Read) -> bool:
    """Whether a norm takes the mean away."""
    nodes = [node for graph in (*it.graphs, it.end) for node in graph.nodes if node.op == "norm"]
    return any(node.facts["normal"].kind == "LayerNorm" for node in nodes)


def qk_norms(it: Read) -> set[str]:
    """Modules that normalise queries and keys, as the state dict calls them; "" for those without a weight."""
    found = set()
    for node in it.nodes("norm", inside="mixer."):
        own = re.fullmatch(r"mixer\.(\d+\.|self_attn\.|indexer\.)?[qk]_(layer)?norm", node.name)
        if own and node.facts["normal"].kind != "L2Norm":  # those belong to delta rules
            weight = node.tensors.get("weight")
            found.add(it.names[weight.name].split(".")[-2] if weight else "")
    return found


def steps(it: Read, graph: Graph, layer: Layer) -> list[str]:
    """The modules a layer calls in running order: norms of the stream, the mixer, the MLP."""
    out: list[str] = []
    names = it.named(graph)
    bare = {f"{norm.position}_norm": norm_name(layer, norm) for norm in layer.norms if not norm.weight}
    for node in graph.nodes:
        tensor = next(iter(node.tensors.values()), None)
        if tensor and tensor.part == "buffer" and node.op == "scale":  # a stored number is no module
            continue
        name = names[tensor.name] if tensor else bare.get(node.name, "")
        said, dot, _ = name.partition(".")  # a name without a dot is a bare parameter, no module
        if said and (dot or not node.tensors) and said not in out:
            out.append(said)
    return out


def order(it: Read) -> list[str]:
    """Each kind of layer once."""
    pairs = zip(it.graphs, it.spec.layers, strict=True)
    return list(dict.fromkeys(">".join(steps(it, graph, layer)) for graph, layer in pairs))


def style(it: Read) -> str:
    """Where norms stand around the two halves."""
    said = set()
    for graph, layer in zip(it.graphs, it.spec.layers, strict=True):
        line = "".join({"<mixer>": "M", "<mlp>": "F"}.get(step, "n") for step in placed(graph))
        both = "parallel, two norms" if line.count("n") > 1 else "parallel, one norm"
        said.add(both if layer.parallel and {"M", "F"} <= set(line) else STYLES.get(line, line))
    return " | ".join(sorted(said))


def placed(graph: Graph) -> list[str]:
    """Norms and halves in running order, weightless norms too."""
    out: list[str] = []
    for node in graph.nodes:
        half = node.name.partition(".")[0]
        said = f"<{half}>" if half in ("mixer", "mlp") and "." in node.name else "n" if node.op == "norm" else ""
        if said == "n" and "_hc_" in node.name:  # the norm inside a hyper-connection
            continue
        if said and (said == "n" or said not in out[-1:]):
            out.append(said)
    return out


STYLES = {"nMnF": "pre-norm", "nMnnFn": "sandwich", "MnFn": "post-norm", "nM": "single mixer pre-norm",
          "nF": "single mixer pre-norm"}  # fmt: skip

Column = Callable[[Read], object]
