"""A drawn part with no page of its own -> where it leads all the same: the rows behind reading.LEARN, in one place.

reading.py asks its own rows first. What they leave is taken from the rows here, by operation; a page that is not there
yet, or cannot be opened with the model, is passed over. What only carries numbers from one part to the next leads
where the part that reads it leads. What is left is an activation or a table, and the glossary has a sentence for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.graph import Graph, Node

NORMS, LOOPS = ("norms",), ("loops",)
LONG, SPARSE = ("long-context",), ("sparse", "long-context")
STATES = ("delta-rule", "linear-family", "long-context", "decoder")
MATRIX = ("tensor-parallel", "bits")  # how it is split, or at least how its numbers are stored
ROWS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("norm add multiply scale softcap shift gated_sum parameter", NORMS),
    ("temperature learned_temperature log_scale clip l2_clip", NORMS),
    ("stream_weights sinkhorn collapse expand mix_streams mean_streams copies flatten attend_depth", LOOPS),
    ("predict correct match add_to stack pick ngram_ids signed_root", LOOPS),
    ("index_scores best_tokens block_scores best_blocks their_tokens means pool", SPARSE),
    ("relative dynamic_mask", LONG),
    ("attend attend_entries differ", ("heads", *LONG)),
    ("keep", ("heads", *STATES)),
    ("conv dynamic_conv step decay delta lightning scan wkv wkv7 mlstm rg_lru lerp previous rated bonus blend", STATES),
    ("score choose weigh experts one_number_experts product_keys expert_queries expert_outputs", ("experts",)),
    ("linear grouped_linear per_head embed rows", MATRIX),
)
PAGES = {op: pages for ops, pages in ROWS for op in ops.split()}
CARRIES = frozenset(["slice", "concat", "delay", "head_mean", "group_mean", "fill", "in_front", "behind"])
SPOKEN = {  # operations -> mechanisms of the glossary, of which a part is the first that its model has
    "glu act xielu sparse": "swigluoai swiglu geglu situ sparse-gate relu2 xielu channel-mix gelu",
    "positions": "learned-position",
    "distance_bias": "alibi relative",
}
ACTIVATIONS = frozenset(("glu", "act", "xielu", "sparse"))
SENTENCES = {op: keys.split() for ops, keys in SPOKEN.items() for op in ops.split()}


def further(op: str, known: set[str]) -> list[str]:
    """Pages of an operation that its model can open, where reading.LEARN has none."""
    return [page for page in PAGES.get(op, ()) if page in known]


def sentence(node: Node, mechanisms: tuple[str, ...]) -> str:
    """The mechanism of the glossary that says what a node is; "" where there is none. Gates of mixers are no MLP's."""
    keys = SENTENCES.get(node.op, ()) if node.op not in ACTIVATIONS or "mlp" in node.name else ()
    return next((key for key in keys if key in mechanisms), "")


def inherited(graph: Graph, learn: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Node that only carries -> the pages of the first part that reads it, or else of what it reads."""
    found: dict[str, list[str]] = {}
    only = CARRIES | ACTIVATIONS
    carries = [node for node in graph.nodes if node.op in only and not learn.get(node.name)]
    for node in reversed(carries):
        readers = (other for other in graph.nodes if node.name in other.inputs)
        led = (learn.get(other.name) or found.get(other.name) for other in readers)
        found[node.name] = next((pages for pages in led if pages), [])
    for node in carries:
        fed = (learn.get(one) or found.get(one) for one in node.inputs)
        found[node.name] = next((pages for pages in (found[node.name], *fed) if pages), [])
    return found
