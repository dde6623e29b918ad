"""ModelSpec -> the work sheet: each sort of mixer and MLP, and the head, with its FLOPs, its bytes and what it reads.

    blocks    [block, ...] in the order in which a token meets them
    alone     scheme of weights whose activations stay in 16 bits ("" = none): products run in 16 bits then
    fastest   format that an engine may run such weights in all the same; counting/products.py has both

    block     {name, half, count: how many layers have it, token: FLOPs of one token whatever the context,
              reads: [[FLOPs an entry, every, cap or null, when], ...], weights: bytes as stored that every step reads,
              runs: format of the products with its weights, the fastest of them, as the config says,
              experts: [[bytes as stored of all, how many, how many a token visits], ...],
              keeps: [[row of the growth sheet, most entries that one token reads or null, in how many layers], ...]}
              of all its layers together, in one pass
    loops     how often the stack runs; only the head is outside

Weights count once a step however many tokens share it, experts as many as all tokens can visit at most. What is kept
is read whole, but for what an indexer leaves out; a prompt writes it, and its last token alone meets the head.
Activations are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.checkpoint_names import Names
from cutaway.gallery.counting.products import ORDER, PLAIN, fastest_way, is_weight_only, runs
from cutaway.gallery.counting.stored_bytes import Stored
from cutaway.gallery.counting.weights import Weight
from cutaway.gallery.graph import Node, Tensor
from cutaway.gallery.operations import OPERATIONS, Reads
from cutaway.gallery.spec import Layer, ModelSpec, Quantization
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

Block = dict[str, Any]
Says = Callable[[object], str]
Sheet = dict[str, Any]
MIXER, MLP, AROUND, HEAD = "mixer", "mlp", "around", "head"
COSTS = ("token", "reads", "weights", "experts", "keeps")
AROUND_WORDS, HEAD_WORDS, INPUT_WORDS = "around the sublayers", "output head", "before the layers"


def half_of(node: Node) -> str:
    """Where in a layer a node stands."""
    start = node.name.partition(".")[0]
    return start if start in (MIXER, MLP) else AROUND


def terms(nodes: Iterable[Node]) -> tuple[int, list[list[Any]]]:
    """(FLOPs of a token, those of an entry by its reach) of some nodes."""
    token = 0
    sums: dict[tuple[int, int | None, str], int] = {}
    for node in nodes:
        row = OPERATIONS[node.op]
        token += row.flops(node) if row.flops else 0
        for one in row.reads(node) if row.reads else ():
            reach = (one.every, one.cap, one.when)
            sums[reach] = sums.get(reach, 0) + one.flops
    return token, [[flops, *reach] for reach, flops in sums.items()]


def cache_entries(rows: list[cache_growth.Row], nodes: list[Node]) -> list[list[Any]]:
    """What a mixer keeps, each with the most entries that an indexer lets one token read."""
    most = max((node.facts.get("at_most") or 0 for node in nodes), default=0)
    chosen = "compressed" if any(row[cache_growth.KIND] == "compressed" for row in rows) else "kv"
    return [[row, most if most and row[cache_growth.KIND] == chosen else None] for row in rows]


def quickest(forms: Iterable[str]) -> str:
    """The fastest of some formats of products."""
    return max(forms, key=ORDER.index, default=PLAIN)


class Sheets:
    """Adds up the blocks of a model, each stored tensor once."""

    def __init__(self, spec: ModelSpec, weights: tuple[Weight, ...], stored: tuple[Stored, ...], says: Says) -> None:
        self.spec, self.says, self.names = spec, says, Names(spec)
        self.bytes = {weight.name: kept.bytes for weight, kept in zip(weights, stored, strict=True)}
        rows = {row: runs(spec.quantization, row) for row in {kept.row for kept in stored}}
        self.runs = {weight.name: rows[kept.row] for weight, kept in zip(weights, stored, strict=True) if kept.row}
        self.seen: set[str] = set()
        self.blocks: dict[tuple[Any, ...], Block] = {}

    def add(self, name: str, half: str, index: int | None, nodes: list[Node], kept: list[list[Any]]) -> None:
        """The nodes of one half of a layer, or of the ends."""
        token, reads = terms(nodes)
        owned = [(node, self.names.of(index, tensor), tensor) for node in nodes if node.op != "embed"
                 for tensor in node.tensors.values()]  # fmt: skip
        form = quickest(self.runs.get(stored_as, PLAIN) for _, stored_as, _ in owned)
        key = (half, name, token, form, repr(reads), repr(kept))
        block = self.blocks.setdefault(key, {
            "name": name, "half": half, "runs": form, "count": 0, "token": token, "reads": reads, "weights": 0,
            "experts": [], "keeps": kept,
        })  # fmt: skip
        block["count"] += 1
        for node, stored_as, tensor in owned:
            self.take(node, block, stored_as, tensor)

    def take(self, node: Node, block: Block, name: str, tensor: Tensor) -> None:
        """A tensor to its block."""
        if name in self.seen or name not in self.bytes:
            return
        self.seen.add(name)
        if OPERATIONS[node.op].what != "experts" or len(tensor.shape) < 2:
            block["weights"] += self.bytes[name]
            return
        many, visits = tensor.shape[0], node.facts["k"]
        found = next((row for row in block["experts"] if row[1:] == [many, visits]), None)
        if found:
            found[0] += self.bytes[name]
        else:
            block["experts"].append([self.bytes[name], many, visits])

    def layer(self, layer: Layer, rows: list[cache_growth.Row]) -> None:
        """Its mixer, its MLP, and what is around them."""
        graph = layer_graph(self.spec, layer)
        keeper = MIXER if layer.mixer is not None else AROUND
        for half in (MIXER, AROUND, MLP):
            nodes = [node for node in graph.nodes if half_of(node) == half]
            kept = cache_entries(rows, nodes) if half == keeper else []
            name = AROUND_WORDS if half == AROUND else self.says(getattr(layer, half))
            if nodes:
                self.add(name, half, layer.index, nodes, kept)


def sheet(spec: ModelSpec, weights: tuple[Weight, ...], stored: tuple[Stored, ...], says: Says) -> Sheet:
    """All that a roofline needs; `says` is what a mixer or an MLP is called. Halves that cost alike are one block."""
    made = Sheets(spec, weights, stored, says)
    for layer, rows in zip(spec.layers, cache_growth.growth_rows(spec), strict=True):
        made.layer(layer, rows)
    made.add(INPUT_WORDS, AROUND, None, list(opening_graph(spec).nodes), [])
    made.add(HEAD_WORDS, HEAD, None, list(closing_graph(spec).nodes), [])
    worth = [merge_layers(one) for one in made.blocks.values() if any(one[word] for word in COSTS)]
    return {"loops": spec.loops, **quantized_products(spec.quantization, stored), "blocks": worth}


def quantized_products(quant: Quantization | None, stored: Iterable[Stored]) -> dict[str, str]:
    """`alone` and `fastest` of a sheet."""
    scheme = quant.scheme.upper() if quant and is_weight_only(quant) else ""
    return {"alone": scheme, "fastest": fastest_way(quant, (kept.row for kept in stored)).fastest}


def merge_layers(block: Block) -> Block:
    """From one layer to all that have it."""
    many = block["count"]
    reads = [[many * each, *reach] for each, *reach in block["reads"]]
    kept = [[row, most, many] for row, most in block["keeps"]]
    return {**block, "token": many * block["token"], "reads": reads, "keeps": kept}


def merge_sublayers(told: Sheet, most: int) -> Sheet:
    """Where there are many sorts of halves, mixers are one block and MLPs another."""
    if len(told["blocks"]) <= most:
        return told
    found: dict[str, Block] = {}
    for one in told["blocks"]:
        block = found.get(one["half"])
        if block is None:
            found[one["half"]] = {**one, "kinds": 1}
        else:
            found[one["half"]] = {**block, **{word: block[word] + one[word] for word in (*COSTS, "count")},
                                  "runs": quickest((block["runs"], one["runs"])),
                                  "kinds": block["kinds"] + 1}  # fmt: skip
    return {**told, "blocks": [name_blocks(block) for block in found.values()]}


def name_blocks(block: Block) -> Block:
    kinds = block.pop("kinds")
    word = {MIXER: "mixers", MLP: "MLPs"}.get(block["half"], "")
    return {**block, "name": f"{kinds} sorts of {word}"} if word and kinds > 1 else block


# ---------------------------------------------------------------- work and bytes


def flops(told: Sheet, block: Block, context: int, batch: int, prefill: bool) -> int:
    """Of the next token of each sequence, or of whole prompts, of which the last token alone meets the head."""
    total = block["token"] * (context if prefill and block["half"] != HEAD else 1)
    for each, every, cap, when in block["reads"]:
        if when in ("", "prefill" if prefill else "decode"):
            one = Reads("", each, every, cap)
            total += one.over(context) if prefill else one.for_token(context)
    return total * batch * (1 if block["half"] == HEAD else told["loops"])


def weight_bytes(block: Block, tokens: int) -> int:
    """Of all its layers, read by a step of so many tokens; of experts as many as they can visit at most."""
    experts = sum(-(-size * min(visits * tokens, many) // many) for size, many, visits in block["experts"])
    return block["weights"] + experts


def cache_bytes(told: Sheet, block: Block, context: int, cache_dtype: str, batch: int, prefill: bool) -> int:
    """Read by the next token of each sequence, or written by the prompts."""
    total = 0
    for row, most, many in block["keeps"]:
        seen = context if prefill or most is None else min(context, most * row[cache_growth.EVERY])
        total += many * cache_growth.row_bytes(row, told["loops"], seen, cache_dtype)
    return total * batch
