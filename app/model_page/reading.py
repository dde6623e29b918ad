"""A model's view -> what each drawn part says when it is pointed at: its formula, its tensors, the explainers for it.

/data/parts/<slug>.json is fetched with the first part that a reader looks at (app/model_page/reading.js). A drawing
names graphs in data-g ("layer3", "layer3.mixer" inside it) and nodes in data-n; the rows here stand under the same
names.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.app.model.view import ModelView, SpecView
from cutaway.app.model_page import explainer_links, part_links
from cutaway.explainers import fmt
from cutaway.gallery.comparing.mechanisms import MECHANISMS
from cutaway.gallery.counting.naming import trace_names
from cutaway.gallery.counting.weights import model_tensors, own_tensors, split_rules
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.formulas import formula
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

# operation -> explainers that teach it, the nearest first; a model has a door to one where it can be opened with it.
ATTENDING, ROUTING = ("masks", "heads", "flash"), ("experts", "expert-parallel")
LONG = ("long-context",)
PICKING = ("sparse", *LONG)  # where not all of the past is read
FAMILY = "linear-family"
STATES, RECURRENT = ("delta-rule", FAMILY, *LONG), (FAMILY, "delta-rule", *LONG)
NORMS, LOOPS = ("norms",), ("loops",)
LATENT = "mla-numbers"  # and of all that makes, keeps or reads a latent:
OF_LATENT = frozenset(
    ("q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_a", "k_rotated", "kv_b_proj", "k_nope", "k_rope")
)
LAYERS_OWN = frozenset(("per_layer_add", "per_layer.mine"))  # a layer's own embedding
LEARN = {
    "attend": ATTENDING, "attend_entries": (*PICKING, *ATTENDING), "keep": ("heads",), "rope": ("position",),
    "index_scores": PICKING, "block_scores": PICKING, "best_tokens": PICKING, "best_blocks": PICKING, "pool": PICKING,
    "means": PICKING, "their_tokens": PICKING, "rg_lru": LONG, "wkv": LONG,
    "delta": STATES, "decay": STATES, "scan": STATES,
    "lightning": RECURRENT, "wkv7": RECURRENT, "mlstm": (FAMILY, *LONG),
    "score": ROUTING, "choose": ROUTING, "weigh": ROUTING, "experts": ROUTING,
    "norm": NORMS, "softcap": NORMS,
    **dict.fromkeys(("sinkhorn", "mix_streams", "collapse", "expand", "predict", "correct"), LOOPS),
    "linear": ("tensor-parallel",), "grouped_linear": ("tensor-parallel",), "embed": ("tensor-parallel",),
}  # fmt: skip
WHAT = {  # operations whose boxes say a formula, not what they are
    "attend": "Softmax attention", "attend_entries": "Softmax attention", "index_scores": "Indexer",
    "block_scores": "Indexer", "delta": "Delta rule", "lightning": "Linear attention", "scan": "State space scan",
    "wkv7": "Generalised delta rule", "mlstm": "Matrix memory", "experts": "Experts", "glu": "Gate × up",
    "add": "Sum", "multiply": "Product", "differ": "Differential attention", "rg_lru": "Linear recurrence",
    "wkv": "Decaying mean of values",
}  # fmt: skip
GLOSSARY = {row.key: row.word for row in MECHANISMS}
STORED = "blocks"  # and of any tensor that is stored in blocks


def sheet(view: ModelView, doors: list[dict] | None = None) -> dict:
    """Everything, JSON-plain: graphs -> nodes -> what they say; tensors by name; layers by kind; explainers."""
    doors = explainer_links.of(view) if doors is None else doors
    doors = [*doors, *explainer_links.unlisted(view, doors)]
    known = {door["name"] for door in doors}
    blocks = {one.name for one in view.stored if one.row}
    graphs: dict[str, dict[str, dict]] = {}
    names: set[str] = set()
    spoken: set[str] = set()
    for name, prefix, graph, called in drawn(view.spec):
        nodes, rows = {node.name: node for node in graph.nodes}, graphs.setdefault(name, {})
        for node in graph.nodes:
            if prefix + node.name not in rows:
                rows[prefix + node.name] = row(node, nodes, called, blocks, known)
        spoken |= lead(rows, prefix, graph, view)
        names |= {tensor for one in rows.values() for tensor in one.get("tensors", ())}
    return {
        "graphs": graphs,
        "tensors": {
            one.name: [shape_words(one.shape), fmt.count(one.size), one.size]
            for one in view.weights
            if one.name in names
        },
        "kinds": [[kind.words, kind.where, fmt.count(kind.each), kind.indices[0]] for kind in view.kinds],
        "layers": of_kind(view),
        "learn": {door["name"]: [door["title"], door["what"], door["target"]] for door in doors}
        | {f"glossary/{key}": [GLOSSARY[key], "in a sentence", f"/glossary/#{key}"] for key in sorted(spoken)},
    }


def lead(rows: dict[str, dict], prefix: str, graph: Graph, view: SpecView) -> set[str]:
    """What only carries numbers leads where its reader leads, the rest to the glossary; the mechanisms asked there."""
    spoken = set()
    for node in graph.nodes:
        key = part_links.sentence(node, view.mechanisms)
        if key and "learn" not in rows[prefix + node.name]:
            rows[prefix + node.name]["learn"] = [f"glossary/{key}"]
            spoken.add(key)
    learn = {node.name: rows[prefix + node.name].get("learn", []) for node in graph.nodes}
    for name, pages in part_links.inherited(graph, learn).items():
        if pages:
            rows[prefix + name]["learn"] = pages
    return spoken


def of_kind(view: SpecView) -> list[int]:
    """For every layer the place of its kind in view.kinds."""
    place = {index: at for at, kind in enumerate(view.kinds) for index in kind.indices}
    return [place[index] for index in range(len(view.spec.layers))]


def row(node: Node, nodes: dict[str, Node], called: dict[str, str], blocks: set[str], known: set[str]) -> dict:
    """What one node says."""
    found: dict = {"is": formula(node, nodes.get(node.inputs[0]) if node.inputs else None)}
    if node.op in WHAT:
        found["what"] = WHAT[node.op]
    names = dict.fromkeys(called[tensor.name] for tensor in node.tensors.values() if tensor.name in called)
    if names:
        found["tensors"] = list(names)
    wanted = LEARN.get(node.op, ())
    if wanted is ATTENDING and not (node.facts.get("window") or node.facts.get("chunk")):
        wanted = ATTENDING[1:]
    name = node.name.removeprefix("mixer.")
    if node.facts.get("absorbed") or any(box.layout == "latent" for box in node.keeps) or name in OF_LATENT:
        wanted = (LATENT, *wanted)
    if node.facts.get("softcap") or name == "gated":  # a gate on attention
        wanted = (*wanted, *NORMS)
    if name in LAYERS_OWN or any(":mixer.keys" in one for one in node.inputs):  # another layer's keys and values
        wanted = (*wanted, *LOOPS)
    if blocks & names.keys():
        wanted = (*wanted, STORED)
    if learn := [name for name in wanted if name in known] or part_links.further(node.op, known):
        found["learn"] = learn
    return found


def drawn(spec: ModelSpec) -> Iterator[tuple[str, str, Graph, dict[str, str]]]:
    """(name in the drawing, what its nodes are called behind, graph, our names of its tensors -> the checkpoint's) of
    all that a drawing shows. An opened half is a part of its layer's graph; in a few schemes it has other names there.
    """
    ends, fig = (opening_graph(spec), closing_graph(spec)), figure(spec)
    yield "model", "", Graph(tuple(node for graph in ends for node in graph.nodes), ends[1].out), of_model(spec)
    opened = [(*inside.where.partition(".")[::2], inside.graph) for _, inside in fig.panels if inside.graph]
    names = {f"layer{kind.layer.index}" for kind in fig.kinds} | {name for name, _, _ in opened}
    for name in sorted(names, key=lambda name: int(name.removeprefix("layer"))):
        layer = spec.layers[int(name.removeprefix("layer"))]
        called = of_layer(spec, layer)
        yield name, "", layer_graph(spec, layer), called
        yield from ((name, f"{half}.", graph, called) for home, half, graph in opened if home == name)


def of_model(spec: ModelSpec) -> dict[str, str]:
    """Tensors outside the layers, as the checkpoint calls them."""
    names = [name for part in model_tensors(spec) for name, *_ in part]
    return trace_names(names, split_rules(spec)[1])


def of_layer(spec: ModelSpec, layer: Layer) -> dict[str, str]:
    """Tensors of a layer, those that it borrows from another one included."""
    rules, _, stack = split_rules(spec)
    homes = {tensor.name: tensor.of for tensor in layer_graph(spec, layer).tensors() if tensor.of is not None}
    found = {}
    for index in {layer.index, *homes.values()}:
        own = [name for name, *_ in own_tensors(spec, spec.layers[index])]
        prefix = spec.places[index] if spec.places else f"{stack}.{index}"
        for name, theirs in trace_names(own, rules).items():
            if homes.get(name, layer.index) == index:
                found[name] = f"{prefix}.{theirs}"
    return found
