"""Catalogued models -> each block of a step with its FLOPs, bytes and what it reads; devices -> how fast they are.

A model: [title, loops, alone, bytes of all weights as stored, [block, ...]]. A block is BLOCK (`runs` is a place in
ORDER), what it keeps KEPT. It is the sheet of gallery.counting.blocks with one cut more: a mixer's matrices on one
side, on the other what it does with the past, be that a cache or a state.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from cutaway.explainers import bundles
from cutaway.gallery.counting import blocks, cache_growth
from cutaway.gallery.counting.flops import MATRICES
from cutaway.gallery.counting.products import ORDER
from cutaway.gallery.drawing import pictures
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.planning.devices import DEVICES

BLOCK = ("name", "half", "role", "runs", "count", "token", "reads", "weights", "experts", "keeps")
KEPT = ("numbers", "bits", "every", "cap", "fixed", "most", "layers")
PAST = "past"
MOST = 10  # blocks of a model; where there are more sorts, those of a half are one
# in the page itself; the others come when they are asked for
LISTED = (
    "meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-70B", "meta-llama/Meta-Llama-3.1-405B",
    "meta-llama/Llama-4-Maverick-17B-128E-Instruct", "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "Qwen/Qwen3-30B-A3B",
    "Qwen/Qwen3-235B-A22B", "Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3.5-397B-A17B", "openai-community/gpt2-xl",
    "openai/gpt-oss-20b", "openai/gpt-oss-120b", "google/gemma-3-27b-it", "google/gemma-4-31B-it",
    "google/gemma-4-26B-A4B-it", "mistralai/Mistral-7B-v0.1", "mistralai/Mixtral-8x7B-v0.1",
    "mistralai/Mistral-Large-3-675B-Instruct-2512", "moonshotai/Kimi-Linear-48B-A3B-Base", "moonshotai/Kimi-K2-Base",
    "moonshotai/Kimi-K3", "deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-ai/DeepSeek-V4-Pro", "zai-org/GLM-4.5", "zai-org/GLM-4.5-Air", "zai-org/GLM-5", "MiniMaxAI/MiniMax-M2",
    "XiaomiMiMo/MiMo-V2-Flash", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "LiquidAI/LFM2.5-1.2B-Thinking", "inclusionAI/Ling-2.6-1T",
    "allenai/Olmo-3-1025-7B", "microsoft/phi-4",
)  # fmt: skip


class Finer(blocks.Sheets):
    """The blocks of a model with each mixer in two, and with the colour of each."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.kinds: dict[tuple[Any, ...], list[tuple[str, list[Any]]]] = {}

    def coloured(self, role: str, *block: Any) -> None:
        self.add(*block)
        list(self.blocks.values())[-1].setdefault("role", role)

    def cut(self, layer: Any, rows: list[cache_growth.Row]) -> list[tuple[str, list[Any]]]:
        """[(role, what add takes), ...]: of layers that are alike only once, which saves most of the time."""
        key = (*layer.made_of, id(rows))
        if key not in self.kinds:
            self.kinds[key] = list(self.halves(layer, rows))
        return self.kinds[key]

    def halves(self, layer: Any, rows: list[cache_growth.Row]) -> Iterator[tuple[str, list[Any]]]:
        graph = blocks.layer_graph(self.spec, layer)
        keeper = blocks.MIXER if layer.mixer is not None else blocks.AROUND
        for half in (blocks.MIXER, blocks.AROUND, blocks.MLP):
            nodes = [node for node in graph.nodes if blocks.half_of(node) == half]
            part = None if half == blocks.AROUND else getattr(layer, half)
            name, role = (self.says(part), pictures.role_of(part)) if part else (blocks.AROUND_WORDS, "norm")
            yield role, [name, half, [node for node in nodes if half != keeper or not works_on_past(node)], []]
            if half == keeper:
                past = [node for node in nodes if works_on_past(node)]
                yield "cached", [name, PAST, past, blocks.cache_entries(rows, nodes)]

    def layer(self, layer: Any, rows: list[cache_growth.Row]) -> None:
        for role, (name, half, nodes, kept) in self.cut(layer, rows):
            self.coloured(role, name, half, layer.index, nodes, kept)


def works_on_past(node: Any) -> bool:
    """Whether a node works on what earlier tokens left: scores, values, states, indexers, convolutions."""
    row = OPERATIONS[node.op]
    return row.reads is not None or (row.flops is not None and row.what not in MATRICES)


def sheet(spec: Any) -> blocks.Sheet:
    """All blocks of a model that cost anything."""
    from cutaway.gallery.counting.stored_bytes import list_stored
    from cutaway.gallery.counting.weights import weights

    listed = weights(spec)
    kept = list_stored(spec, listed)
    made = Finer(spec, listed, kept, pictures.short_of)
    for layer, rows in zip(spec.layers, cache_growth.growth_rows(spec), strict=True):
        made.layer(layer, rows)
    made.coloured("embed", blocks.INPUT_WORDS, blocks.AROUND, None, list(blocks.opening_graph(spec).nodes), [])
    made.coloured("embed", blocks.HEAD_WORDS, blocks.HEAD, None, list(blocks.closing_graph(spec).nodes), [])
    worth = [blocks.merge_layers(one) for one in made.blocks.values() if any(one[word] for word in blocks.COSTS)]
    quantized = blocks.quantized_products(spec.quantization, kept)
    spec.graphs.clear()  # of a whole catalogue they would be much
    spec.listed.clear()
    told = blocks.merge_sublayers({"loops": spec.loops, **quantized, "blocks": worth}, MOST)
    return {**told, "held": sum(one.bytes for one in kept)}


def pack_model(title: str, told: blocks.Sheet) -> list[Any]:
    """A model as the page takes it."""
    rows = []
    for one in told["blocks"]:
        kept = [[row[cache_growth.NUMBERS], row[cache_growth.BITS], row[cache_growth.EVERY], row[cache_growth.CAP],
                 row[cache_growth.FIXED],
                 most, many] for row, most, many in one["keeps"]]  # fmt: skip
        row = {**one, "runs": ORDER.index(one["runs"]), "keeps": kept}
        rows.append([row[word] for word in BLOCK])
    return [title, told["loops"], told["alone"], told["held"], rows]


def unpack_model(model: list[Any]) -> blocks.Sheet:
    """The other way: the sheet that gallery.counting.blocks works with."""
    title, loops, alone, held, rows = model
    made = []
    for row in rows:
        one = dict(zip(BLOCK, row, strict=True))
        one["runs"] = ORDER[one["runs"]]
        kept = [dict(zip(KEPT, each, strict=True)) for each in one["keeps"]]
        one["keeps"] = [[["", k["numbers"], k["bits"], k["every"], k["cap"], k["fixed"], {}], k["most"], k["layers"]]
                        for k in kept]  # fmt: skip
        made.append(one)
    return {"title": title, "loops": loops, "alone": alone, "held": held, "blocks": made}


def separate_models() -> list[str]:
    """The models that are files apart."""
    from cutaway.gallery import catalog

    return [model.slug for model in catalog.gallery_rows() if model.slug not in LISTED]


def everyone() -> dict[str, Any]:
    """names of all models, those of the page, and of the others a file each; `version` changes with any of them."""
    from cutaway.gallery import catalog

    own = catalog.gallery_rows()
    made = {model.slug: pack_model(model.title, sheet(catalog.spec(model.slug))) for model in own}
    names = sorted(([m.slug, m.title] for m in own), key=lambda one: (one[0].split("/")[0].lower(), one[1].lower()))
    files = {slug: json.dumps(made[slug], separators=(",", ":")).encode() for slug, _ in names if slug not in LISTED}
    return {
        "names": names,
        "models": {slug: made[slug] for slug in LISTED},
        "version": bundles.version(b"".join(files.values())),
        "apart": {slug: base64.b64encode(text).decode() for slug, text in files.items()},
    }


def devices() -> list[dict[str, Any]]:
    """Every device: bytes, bytes a second, FLOP/s by format."""
    return [
        {"key": one.name, "title": one.name.replace("_", " ").upper(), "memory": one.memory_bytes,
         "bandwidth": one.bandwidth_bytes, "peaks": one.peaks}
        for one in DEVICES.values()
    ]  # fmt: skip


def used() -> float:
    """The share of a GPU's memory that a plan takes."""
    from cutaway.gallery.planning.layout import USED

    return USED
